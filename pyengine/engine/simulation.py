"""Many hands played by the kernel: what they came to, and their records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from pyengine.engine.kernel import TABLE_SIZE, KernelError
from pyengine.engine.moves import OPENING, move_of
from pyengine.language.diagnostics import refuse
from pyengine.notation import tiles
from pyengine.notation.records import write_move

if TYPE_CHECKING:
    from pyengine.engine.ruleset import Ruleset

Policy = Literal["random", "greedy"]
PLAYED = np.dtype(
    [
        ("deltas", np.int64, 4),
        ("fans", np.uint64),
        ("n_moves", np.uint16),
        ("dealer", np.uint8),
        ("next_dealer", np.uint8),
        ("wins", np.uint8, 4),
        ("self_draws", np.uint8),
        ("kongs", np.uint8),
        ("is_drawn", np.uint8),
        ("first_winners", np.uint8),
        ("won", np.uint8),
        ("left", np.uint8),
        ("spare", np.uint8, 2),
    ],
    align=True,
)
CHUNK = 4096
_DIRECTIONS = {1: "顺", 2: "对", 3: "逆"}


def play_hands(rules: Ruleset, policy: Policy, seed: int, n: int) -> Iterator[NDArray[Any]]:
    """Hands with the seeds seed, seed + 1 …, in chunks: rows of PLAYED."""
    for start in range(0, n, CHUNK):
        played = np.zeros(min(CHUNK, n - start), PLAYED)
        _simulate(rules, policy, seed + start, played)
        yield played


def _simulate(rules: Ruleset, policy: Policy, seed: int, played: NDArray[Any], tables: bytearray | None = None) -> None:
    try:
        rules.play_kernel.simulate(policy == "greedy", seed, len(played), played, tables)
    except KernelError as error:
        if not error.is_no_move:
            raise
        raise refuse("E783", None, seed=seed, n=len(played), ruleset=rules.title) from None


def records(rules: Ruleset, policy: Policy, seed: int, n: int) -> Iterator[dict[str, Any]]:
    """The records of the same hands."""
    size = 64
    for start in range(0, n, size):
        played = np.zeros(min(size, n - start), PLAYED)
        tables = bytearray(TABLE_SIZE * len(played))
        _simulate(rules, policy, seed + start, played, tables)
        for row in range(len(played)):
            record = record_of(rules, bytes(tables[row * TABLE_SIZE : (row + 1) * TABLE_SIZE]))
            yield {**record, "deltas": played["deltas"][row][: rules.playbook.players].tolist()}


def record_of(rules: Ruleset, table: bytes) -> dict[str, Any]:
    """The record of a finished table, as `record:` has it; its wall is the whole one."""
    book = rules.playbook
    look = rules.play_kernel.look(table)
    wall = list(look.wall[0 : book.tiles])
    told: dict[str, Any] = {"dealer": look.dealer, "wall": tiles.compact(wall)}
    if look.n_horses:
        told["horses"] = [tiles.NAMES[kind] for kind in look.horses[0 : look.n_horses]]
    opening: dict[str, dict[str, Any]] = {}
    moves: list[str] = []
    claimed: int | None = None
    for entry in look.log[0 : look.n_log]:
        seat, number = entry >> 8, entry & 255
        move = move_of(number, seat, claimed)
        if move.verb not in OPENING:
            if move.verb in ("discard", "added_kong"):
                claimed = move.tile
            moves.append(write_move(seat, move.verb, claimed if move.verb == "direct_kong" else move.tile))
            continue
        assert move.tile is not None
        if move.verb == "swap":
            swap = opening.setdefault("swap", {"direction": _DIRECTIONS[look.direction]})
            swap[str(seat)] = swap.get(str(seat), "") + tiles.NAMES[move.tile]
        elif move.verb == "void":
            opening.setdefault("void", {})[str(seat)] = tiles.SUITS[move.tile]
        else:
            stances = opening.setdefault("stances", {}).setdefault(str(seat), {})
            name = [step.stance for step in book.steps if step.stance][len(stances)]
            assert name
            stances[name] = book.declared(name)[move.tile]
    return {**told, **opening, "moves": moves}
