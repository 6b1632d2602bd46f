"""What the table tells of a move: the words that its conditions read of each seat."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pyengine.engine.moves import Move
from pyengine.notation.melds import Meld

if TYPE_CHECKING:
    from pyengine.engine.play import Play

MELD_WORDS = {
    "chow": "吃",
    "pung": "碰",
    "direct_kong": "直杠",
    "added_kong": "巴杠",
    "concealed_kong": "暗杠",
}


def words_of(play: Play, move: Move, tile: int | None) -> dict[str, tuple[int, ...]]:
    """The words of the table by seat, as a condition about a move sees them; `tile` is what the move is about."""
    seats = play.seats
    return {
        "wall_left": (play.left,) * play.players,
        "just_ponged": tuple(int(s.just_ponged) for s in seats),
        "passed_pung": tuple(int(tile in s.passed_pungs) for s in seats),
        "passed_win": tuple(int(s.passed_money >= 0) for s in seats),
        "passed_fan": tuple(s.passed_fan for s in seats),
        "passed_money": tuple(s.passed_money for s in seats),
        "discards_all_void": tuple(int(discards_all_void(play, seat)) for seat in range(play.players)),
        "changes_waits": (int(_changes_waits(play, move)),) * play.players,
    }


def discards_all_void(play: Play, seat: int) -> bool:
    """Whether every tile that a seat has discarded was of its void suit."""
    state = play.seats[seat]
    return state.void is not None and all(kind // 9 == state.void for kind in state.discards)


def _changes_waits(play: Play, move: Move) -> bool:
    """Whether a kong would make the hand wait for other tiles than without the tile just drawn."""
    if not move.verb.endswith("_kong") or move.tile is None:
        return False
    state = play.seats[move.seat]
    before, after = list(state.tiles), list(state.tiles)
    if move.verb != "direct_kong":
        if state.drawn is None:
            return True
        before[state.drawn] -= 1
    after[move.tile] -= {"concealed_kong": 4, "added_kong": 1, "direct_kong": 3}[move.verb]
    kong = Meld(MELD_WORDS[move.verb], move.tile)
    melds = [m for m in state.melds if m.tile != move.tile or m.type == "吃"]
    waiting = play.hand(move.seat, None)
    was = play.rules.complete_with(replace(waiting, concealed=tuple(before)))
    would = play.rules.complete_with(replace(waiting, concealed=tuple(after), melds=(*melds, kong)))
    return was != would
