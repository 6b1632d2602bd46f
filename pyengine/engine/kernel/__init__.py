"""The binding to the C kernel: the only package that touches cffi.

It turns programs, hands, games and tables into the structures of `csrc/mj.h` and results back into plain tuples.

shared  the library, its errors, the tables made once for all
hands   programs of rule files, hands judged one by one and in batches
short   a hand's result in short
games   settlement
play    hands played
spaces  every hand there is
"""

from importlib import import_module
from typing import TYPE_CHECKING

from pyengine.engine.kernel.hands import (
    FEWEST_IN_COLUMNS,
    FOLD_REASONS,
    Judged,
    Kernel,
    PackedHands,
    closed_hands,
    count_hands,
    facts_of,
    pack,
    points_of_text,
    worths,
)
from pyengine.engine.kernel.shared import NONE, NULL, KernelError, status_name
from pyengine.engine.kernel.short import TILE_SHIFT, TYPE_MASK, read_worth, reading_told, worth_told

if TYPE_CHECKING:
    from pyengine.engine.kernel.games import FlowKernel, pack_event
    from pyengine.engine.kernel.play import PLAYED_SIZE, TABLE_SIZE, PlayKernel
    from pyengine.engine.kernel.spaces import ALONE, CLASS, KEYS, PROOF, Parts, SpaceSide, SpaceTables, space

__all__ = [
    "ALONE",
    "CLASS",
    "FEWEST_IN_COLUMNS",
    "FOLD_REASONS",
    "KEYS",
    "NONE",
    "NULL",
    "PLAYED_SIZE",
    "PROOF",
    "TABLE_SIZE",
    "TILE_SHIFT",
    "TYPE_MASK",
    "FlowKernel",
    "Judged",
    "Kernel",
    "KernelError",
    "PackedHands",
    "Parts",
    "PlayKernel",
    "SpaceSide",
    "SpaceTables",
    "closed_hands",
    "count_hands",
    "facts_of",
    "pack",
    "pack_event",
    "points_of_text",
    "read_worth",
    "reading_told",
    "space",
    "status_name",
    "worth_told",
    "worths",
]

# Who scores hands need not wait for what games, play and proofs are made of.
_HOMES = {
    **dict.fromkeys(("FlowKernel", "pack_event"), "games"),
    **dict.fromkeys(("PLAYED_SIZE", "TABLE_SIZE", "PlayKernel"), "play"),
    **dict.fromkeys(("ALONE", "CLASS", "KEYS", "PROOF", "Parts", "SpaceSide", "SpaceTables", "space"), "spaces"),
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
