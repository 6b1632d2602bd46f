"""The result of a hand in short, as bytes (mj_summary): what can be told of it without the kernel."""

from __future__ import annotations

import struct

from pyengine.engine.kernel.shared import NONE

# mj_reading: groups, each as one number, then how many there are, shape, wait and winning group.
_GROUPS_OF = [struct.Struct(f"<{n}H").unpack_from for n in range(15)]
_AFTER_GROUPS = 28
_READING_SIZE = 32
_WORTH = struct.Struct("=q4q3B5x")  # mj_summary from behind its reading up to the fans
_COUNTED = struct.Struct("=qiI")
TYPE_MASK, TILE_SHIFT = 255, 8
"""A group in a result in short: its mj_group_type, and its lowest kind from this bit on."""


def reading_told(told: bytes) -> tuple[tuple[int, ...], int, int, int | None]:
    """Of a result in short the groups as numbers, shape, mj_wait and the place of the winning group."""
    win_group = told[_AFTER_GROUPS + 3]
    groups = _GROUPS_OF[told[_AFTER_GROUPS]](told)
    return groups, told[_AFTER_GROUPS + 1], told[_AFTER_GROUPS + 2], None if win_group == NONE else win_group


def worth_told(told: bytes) -> bytes:
    """Of a result in short what hands have in common: all but the reading."""
    return told[_READING_SIZE:]


def read_worth(told: bytes) -> tuple[int, list[int], bool, bool, list[tuple[int, int, int]]]:
    """That as money, totals, whether the hand wins, whether it is complete, and the value, count and number of
    each fan that counts."""
    money, *totals, win, complete, n = _WORTH.unpack_from(told)
    assert len(told) == _WORTH.size + n * _COUNTED.size
    return money, totals, win == 1, complete == 1, [*_COUNTED.iter_unpack(told[_WORTH.size :])]
