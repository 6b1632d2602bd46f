"""A game is settled: its deltas, its ledger, and who deals next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pyengine.engine.game_reader import GameReader
from pyengine.engine.ledger import FIRST_HORSE, OUTSIDE, Posting, Settlement
from pyengine.engine.score import Result
from pyengine.engine.table import Impossible, Lanes, TableGame
from pyengine.language.diagnostics import Diagnostic, InputError
from pyengine.notation.games import Game

if TYPE_CHECKING:
    from pyengine.engine.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class GameResult:
    """A settled game.

    deltas       what each seat won or lost
    ledger       every posting in order
    next_dealer  the seat that deals next; None where the rules do not name exactly one
    horses       for each horse the seat it is bound to and what it won or lost
    """

    deltas: tuple[int, ...]
    ledger: tuple[Posting, ...]
    next_dealer: int | None
    horses: tuple[tuple[int, int], ...]
    game: Game = field(repr=False)
    table_game: TableGame = field(repr=False)
    hands: Mapping[tuple[int, int], Result] = field(repr=False)  # by event and seat
    _rules: Ruleset = field(repr=False, compare=False)

    def why(self, lang: str | None = None) -> str:
        """Every posting with its rule, its line in the file and the arithmetic, and a table by seat."""
        from pyengine.engine.explain_game import explain_game

        return explain_game(self._rules, self, lang)

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "deltas": list(self.deltas),
            "next_dealer": self.next_dealer,
            "horses": [{"seat": seat, "delta": delta} for seat, delta in self.horses],
            "ledger": [_posting_json(self._rules, posting) for posting in self.ledger],
        }


def _posting_json(rules: Ruleset, posting: Posting) -> dict[str, Any]:
    span = rules.rules.flows[posting.flow].transfers[posting.line].span
    return {
        "payer": account(posting.payer),
        "receiver": account(posting.receiver),
        "amount": posting.amount,
        "flow": posting.flow,
        "line": span.line,
        "file": span.source.name,
        "tag": posting.tag,
        "event": posting.event,
        "state": posting.state,
    }


def account(number: int) -> int | str:
    """A seat by its number, the outside account and horses by their names."""
    if number < OUTSIDE:
        return number
    return "outside" if number == OUTSIDE else f"horse {number - FIRST_HORSE + 1}"


def settle(rules: Ruleset, game: Game) -> GameResult:
    """Settles a game; InputError when it has events that cannot be, and then nothing is settled."""
    reader = GameReader(rules, game)
    told = reader.table_game()
    settlement = _run(rules, reader, told)
    for seat in reader.unknown_calls:
        # A call that nobody told matters only where somebody is paid by it.
        otherwise = replace(told, best_call=_with(told.best_call, seat, told.best_call[seat] + 1))
        if _run(rules, reader, otherwise).deltas != settlement.deltas:
            raise InputError([Diagnostic("E883", reader.end_span, {"seat": seat})])
    horses = tuple((seat, settlement.deltas[FIRST_HORSE + n]) for n, seat in enumerate(told.horses))
    return GameResult(
        settlement.deltas[: told.players],
        settlement.postings,
        settlement.next_dealer,
        horses,
        game,
        told,
        reader.hands,
        rules,
    )


def table_game(rules: Ruleset, game: Game) -> TableGame:
    """A game in numbers, its hands scored; InputError where it cannot be."""
    return GameReader(rules, game).table_game()


def _run(rules: Ruleset, reader: GameReader, game: TableGame) -> Settlement:
    try:
        return rules.settle_table(game)
    except Impossible as problem:
        raise InputError([reader.placed(problem)]) from None


def _with(lanes: Lanes, seat: int, value: int) -> Lanes:
    changed = list(lanes)
    changed[seat] = value
    return changed[0], changed[1], changed[2], changed[3]
