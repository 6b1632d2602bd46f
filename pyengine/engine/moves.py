"""What a seat can do: moves as records, and as numbers for sets of moves.

The numbers are those of `mj_move` in csrc/mj.h, so that a set of legal moves is the same bits on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyengine.notation.tiles import KINDS

CLAIMS = ("chow", "pung", "direct_kong", "win")
OPENING = ("swap", "void", "declare")
# The first number of each verb.
DISCARD, CONCEALED_KONG, ADDED_KONG, WIN, PASS, PUNG, DIRECT_KONG = 0, 34, 68, 102, 103, 104, 105
CHOW, SWAP, VOID, DECLARE, DRAW = 106, 109, 143, 146, 210
MAX_VALUES = DRAW - DECLARE  # values that a seat may choose from when it declares
MOVES = DRAW + KINDS
_BY_TILE = {
    "discard": DISCARD,
    "concealed_kong": CONCEALED_KONG,
    "added_kong": ADDED_KONG,
    "swap": SWAP,
    "void": VOID,
    "declare": DECLARE,
    "draw": DRAW,
}
_PLAIN = {"win": WIN, "pass": PASS, "pung": PUNG, "direct_kong": DIRECT_KONG}


@dataclass(frozen=True, slots=True, order=True)
class Move:
    """A move of a seat.

    verb  swap void declare draw discard chow pung direct_kong added_kong concealed_kong win pass
    tile  a kind; of a chow the lowest of the run, of void the suit, of declare the number of the value.
          A win and a pass need none.
    """

    seat: int
    verb: str
    tile: int | None = None

    def number(self, claimed: int | None = None) -> int:
        """The number of the move; `claimed` is the tile that a chow is made with."""
        if self.verb in _PLAIN:
            return _PLAIN[self.verb]
        assert self.tile is not None
        if self.verb == "chow":
            assert claimed is not None
            return CHOW + claimed - self.tile
        return _BY_TILE[self.verb] + self.tile


def move_of(number: int, seat: int, claimed: int | None = None) -> Move:
    """The move that a number stands for."""
    for verb, plain in _PLAIN.items():
        if number == plain:
            return Move(seat, verb, claimed if verb in ("pung", "direct_kong") else None)
    if CHOW <= number < CHOW + 3:
        assert claimed is not None
        return Move(seat, "chow", claimed - (number - CHOW))
    verb = max((v for v in _BY_TILE if _BY_TILE[v] <= number), key=_BY_TILE.__getitem__)
    return Move(seat, verb, number - _BY_TILE[verb])
