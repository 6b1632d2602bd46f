"""A hand that has been played becomes a settled game."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pyengine.engine.ledger import FIRST_HORSE
from pyengine.engine.score import Result
from pyengine.engine.settle import GameResult
from pyengine.engine.table import KONGS, TableGame
from pyengine.language import vocabulary
from pyengine.language.source import Source, Span
from pyengine.notation.games import Event, Game, GameExpectation, Winner
from pyengine.notation.hand import Hand

if TYPE_CHECKING:
    from pyengine.engine.play import Play
    from pyengine.engine.seat import Done


def table_game(play: Play) -> TableGame:
    """The events of a play as settlement takes them."""
    return replace(play.table.game, events=tuple(done.event for done in play.done))


def settled(play: Play) -> GameResult:
    """Settles a hand that is over."""
    assert play.is_over
    told = table_game(play)
    settlement = play.rules.settle_table(told)
    hands = {
        (number, seat): Result(play.rules, hand, judged)
        for number, done in enumerate(play.done)
        for seat, (hand, judged) in done.hands.items()
    }
    horses = tuple((seat, settlement.deltas[FIRST_HORSE + n]) for n, seat in enumerate(told.horses))
    return GameResult(
        settlement.deltas[: play.players],
        settlement.postings,
        settlement.next_dealer,
        horses,
        as_game(play),
        told,
        hands,
        play.rules,
    )


def as_game(play: Play) -> Game:
    """The same hand as the `games:` of a case file would have it."""
    events = tuple(_event(done) for done in play.done)
    if any(done.event.kind == "drawn" for done in play.done):
        at_end = tuple(Winner(seat, hand=str(play.hand(seat, None))) for seat in range(play.players))
        events = tuple(replace(e, seats=at_end) if e.kind == _word("drawn") else e for e in events)
    return Game(events, GameExpectation(), (), play.dealer, play.horses)


def _event(done: Done) -> Event:
    event = done.event
    flags = [w.word for w in vocabulary.win_flags() if w.english in event.flags]
    winners = tuple(_winner(seat, hand) for seat, (hand, _) in done.hands.items())
    return Event(
        _word(event.kind),
        Span(Source("play", ""), 0, 0),
        event.seat,
        event.source,
        done.tile,
        "late" in event.flags and event.kind in KONGS,
        False,
        tuple(flags),
        winners,
    )


def _winner(seat: int, hand: Hand) -> Winner:
    return Winner(seat, hand=str(hand))


def _word(kind: str) -> str:
    return next(e.word for e in vocabulary.of_kind("event") if e.english == kind)
