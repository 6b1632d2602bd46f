"""A hand to be played by programs: legal moves, moves, what a seat sees, the record, the settlement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyengine.engine.dealing import new_play
from pyengine.engine.finish import settled
from pyengine.engine.moves import Move
from pyengine.engine.play import Play
from pyengine.engine.settle import GameResult
from pyengine.engine.table import Impossible
from pyengine.language import vocabulary
from pyengine.language.diagnostics import Diagnostic, InputError
from pyengine.notation import tiles
from pyengine.notation.records import write_move

if TYPE_CHECKING:
    from pyengine.engine.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class SeatView:
    """What one seat may see of another, or of itself.

    hand  own concealed tiles; of another None, and how many there are in `concealed`
    """

    hand: tuple[int, ...] | None
    concealed: int
    melds: tuple[str, ...]
    discards: tuple[int, ...]
    void: str | None
    won: bool


@dataclass(frozen=True, slots=True)
class Observation:
    """What a seat may know.  Concealed kongs lie open; answers to a tile are hidden till all have answered."""

    seat: int
    dealer: int
    phase: str
    wall_left: int
    to_act: tuple[int, ...]
    tile: str | None  # the tile that may be claimed
    source: int | None
    drawn: str | None
    seats: tuple[SeatView, ...]
    legal: tuple[Move, ...]


class Game:
    """A hand being played.  Tiles are drawn by themselves; every other move is `apply`'d.

    The seats that are awaited are `to_act`: in 换三张, 定缺 and claims several, in any order.
    """

    def __init__(self, rules: Ruleset, play: Play) -> None:
        self.rules = rules
        self._play = play
        self._log: list[Move] = []
        self._given = [tuple(seat.tiles) for seat in play.seats]
        self._wall = tuple(play.wall or ())
        self._draw()

    # ---- playing ----

    @property
    def is_over(self) -> bool:
        return self._play.is_over

    @property
    def to_act(self) -> tuple[int, ...]:
        """The seats whose move is awaited."""
        return tuple(self._play.pending)

    def legal(self, seat: int | None = None) -> tuple[Move, ...]:
        """The legal moves of an awaited seat, by default of the first; none when the hand is over."""
        return tuple(self._play.legal(seat))

    def apply(self, move: Move) -> None:
        """Makes a move; InputError when it is not legal."""
        legal = self._play.legal(move.seat) if move.seat in self._play.pending else []
        if move not in legal:
            shown = ", ".join(_shown(m) for m in legal) or "–"
            raise InputError([Diagnostic("E771", None, {"move": _shown(move), "legal": shown})])
        self._log.append(move)
        self._play.apply(move)
        self._draw()

    def undo(self) -> None:
        """Takes the last move back, with the draws that followed it; InputError where there is none."""
        kept = list(self._log)
        while kept and kept[-1].verb == "draw":
            kept.pop()
        if not kept:
            raise InputError([Diagnostic("E778", None)])
        play = self._play
        direction, horses, dealer = play.direction, play.horses, play.dealer
        wall = list(self._wall)
        self._play = Play(play.book, dealer, self._given, wall, direction, horses)
        self._log = []
        for move in kept[:-1]:
            self._log.append(move)
            self._play.apply(move)
        self._draw()

    def _draw(self) -> None:
        while self._play.phase == "draw":
            move = self._play.legal()[0]
            self._log.append(move)
            self._play.apply(move)

    # ---- the end ----

    def settle(self) -> GameResult:
        """The settled hand; InputError while it is not over."""
        if not self.is_over:
            raise InputError([Diagnostic("E772", None, {"seat": self.to_act[0]})])
        try:
            return settled(self._play)
        except Impossible as problem:
            raise InputError([Diagnostic(problem.code, None, problem.facts)]) from None

    def record(self) -> dict[str, Any]:
        """The hand as plain data, as the `record:` of a case file; with what it came to once it is over."""
        play = self._play
        told: dict[str, Any] = {
            "dealer": play.dealer,
            "wall": tiles.compact(self._wall),
            "deal": {str(seat): tiles.compact(tiles.expand(hand)) for seat, hand in enumerate(self._given)},
        }
        if play.horses:
            told["horses"] = [tiles.NAMES[kind] for kind in play.horses]
        by_seat: dict[str, dict[str, Any]] = {}
        for move in self._log:
            if move.verb == "swap" and move.tile is not None:
                swapped = by_seat.setdefault("swap", {"direction": _word_of("directions", play.direction)})
                swapped[str(move.seat)] = swapped.get(str(move.seat), "") + tiles.NAMES[move.tile]
            elif move.verb == "void" and move.tile is not None:
                by_seat.setdefault("void", {})[str(move.seat)] = tiles.SUITS[move.tile]
        if any(step.verb == "declare" for step in play.book.steps):
            by_seat["stances"] = {str(s): dict(state.stances) for s, state in enumerate(play.seats)}
        told |= by_seat
        told["moves"] = [_shown(m) for m in self._log if m.verb not in ("swap", "void", "declare")]
        if self.is_over:
            result = self.settle()
            if any(done.event.kind == "drawn" for done in play.done):
                states = play.table.game.states
                told["states"] = {str(s): _state(states[s]) for s in range(play.players)}
            told["deltas"] = list(result.deltas)
        return told

    # ---- seeing ----

    def observe(self, seat: int) -> Observation:
        """What a seat may see."""
        play = self._play
        source, tile = play.target if play.phase == "claim" and play.target else (None, None)
        drawn = play.seats[seat].drawn
        hides_voids = play.phase in ("swap", "void")
        return Observation(
            seat,
            play.dealer,
            play.phase,
            play.left,
            tuple(play.pending) if play.phase != "claim" else tuple(s for s in play.pending if s == seat),
            None if tile is None else tiles.NAMES[tile],
            source,
            None if drawn is None else tiles.NAMES[drawn],
            tuple(self._seen(other, other == seat, hides_voids) for other in range(play.players)),
            self.legal(seat),
        )

    def _seen(self, seat: int, own: bool, hides_voids: bool) -> SeatView:
        state = self._play.seats[seat]
        void = None if state.void is None or (hides_voids and not own) else tiles.SUITS[state.void]
        return SeatView(
            tuple(state.tiles) if own else None,
            sum(state.tiles),
            tuple(map(str, state.melds)),
            tuple(state.discards),
            void,
            seat in self._play.table.won,
        )


def new_game(rules: Ruleset, seed: int, dealer: int | None = None) -> Game:
    """A hand dealt from a seed; the dealer by lot unless one is named."""
    if dealer is not None and not 0 <= dealer < rules.playbook.players:
        raise InputError([Diagnostic("E872", None, {"seat": dealer, "players": rules.playbook.players})])
    return Game(rules, new_play(rules.playbook, seed, dealer))


def _shown(move: Move) -> str:
    if move.verb in ("swap", "void", "declare"):
        return f"{move.seat} {move.verb} {move.tile}"
    return write_move(move.seat, move.verb, move.tile)


def _word_of(type_name: str, english: str) -> str:
    entry = vocabulary.find_value(english, type_name)
    return entry.word if entry else english


def _state(english: str | None) -> str:
    entry = vocabulary.find(english or "", "seats", "reserved")
    return entry.word if entry else ""
