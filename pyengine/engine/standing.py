"""How every seat stands when a hand is drawn, told from its tiles: 听牌, 没叫, 花猪, 已胡, and its calls."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pyengine.engine.oracle import View
from pyengine.engine.permit import Asking
from pyengine.engine.readings import NO_READING
from pyengine.engine.table import Lanes, TableEvent, TableGame
from pyengine.engine.told import discards_all_void

if TYPE_CHECKING:
    from pyengine.engine.play import Play


def told_states(play: Play) -> TableGame:
    """The game of the table with everybody's state and calls.

    A seat that has won is called by the waits of the hand that it has won with, best and least.
    """
    states: list[str | None] = [None] * 4
    best, least = [0] * 4, [0] * 4
    for seat in range(play.players):
        points = [wait.points for wait in play.rules.waits(play.hand(seat, None))]
        if seat in play.table.won:
            states[seat] = "won"
        elif is_pig(play, seat):
            states[seat] = "pig"
        else:
            states[seat] = "ready" if points else "not_ready"
        if points and states[seat] in ("won", "ready"):
            best[seat], least[seat] = max(points), min(points)
    return replace(play.table.game, states=tuple(states), best_call=_lanes(best), least_call=_lanes(least))


def is_pig(play: Play, seat: int) -> bool:
    """Whether 花猪 holds for a seat."""
    let = play.rules.rules.let("pig")
    if let is None:
        return False
    words = {"discards_all_void": tuple(int(discards_all_void(play, s)) for s in range(play.players))}
    asking = Asking(seat, play.players, play.table.moment(TableEvent("drawn")), words, None, None, None)
    oracle = play.rules.oracle
    return bool(oracle.compile_once(let.value)(View(play.hand(seat, None), asking, NO_READING, oracle)))


def _lanes(numbers: list[int]) -> Lanes:
    return numbers[0], numbers[1], numbers[2], numbers[3]
