"""Many games at once: numpy in, numpy out, settled in C without the interpreter's lock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from pyengine.engine.kernel import FlowKernel, pack_event, status_name
from pyengine.engine.table import TableGame
from pyengine.language.diagnostics import Diagnostic, InputError, refuse, unfit
from pyengine.notation.games import Game

if TYPE_CHECKING:
    from pyengine.engine.ruleset import Ruleset

EVENT = np.dtype(
    [
        ("kind", "u1"),  # the order of `flows.EVENTS`
        ("seat", "u1"),  # the konger or who fouled; 255 for nobody
        ("from", "u1"),  # who discarded or was robbed; 255 for nobody
        ("winners", "u1"),  # set of seats, a bit each
        ("flags", "<u2"),  # MJ_FLAG_* of csrc/mj.h
        ("spare", "<u2"),
        ("worth", "<i8", (4,)),  # by seat: money, or with MJ_FLAG_STATED the value of the hand
    ]
)
"""One event of a packed game (mj_event)."""

GAME = np.dtype(
    [
        ("players", "u1"),
        ("dealer", "u1"),
        ("out", "u1"),
        ("n_horses", "u1"),
        ("horses", "u1", (4,)),
        ("states", "u1", (4,)),  # 0 unknown, 1 ready, 2 not ready, 3 pig, 4 won
        ("spare", "u1", (4,)),
        ("stances", "<i4", (4, 8)),
        ("best_call", "<i8", (4,)),
        ("least_call", "<i8", (4,)),
    ]
)
"""The head of a packed game (mj_game)."""


@dataclass(frozen=True)
class PackedGames:
    """Games as arrays: the events of game i are events[starts[i]:starts[i + 1]].

    games (n,) GAME, events (m,) EVENT, starts (n + 1,) uint64
    """

    games: NDArray[Any]
    events: NDArray[Any]
    starts: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.games)


@dataclass(frozen=True)
class SettledGames:
    """What packed games came to.

    deltas        (n, 4) int64, what each seat won or lost
    next_dealers  (n,) uint8, 255 where the rules do not name exactly one
    statuses      (n,) uint8, 0 for a game that was settled; `status_name` tells the others
    """

    deltas: NDArray[np.int64]
    next_dealers: NDArray[np.uint8]
    statuses: NDArray[np.uint8]


def pack_games(
    rules: Ruleset, kernel: FlowKernel, games: Iterable[Game | Mapping[str, Any] | TableGame]
) -> PackedGames:
    """Games as arrays; hands in them are scored, InputError where one cannot be read."""
    if isinstance(games, str | bytes | Mapping) or not isinstance(games, Iterable):
        raise InputError([unfit("games", "games", games)])
    heads, events, starts = [], [], [0]
    for game in games:
        told = game if isinstance(game, TableGame) else rules.table_game(game)
        heads.append(kernel.pack_game(told))
        events += [pack_event(event) for event in told.events]
        starts.append(len(events))
    return PackedGames(
        np.frombuffer(b"".join(heads), GAME),
        np.frombuffer(b"".join(events), EVENT),
        np.array(starts, np.uint64),
    )


def settle_batch(
    kernel: FlowKernel, packed: PackedGames, errors: Literal["raise", "mark"], out: NDArray[np.int64] | None
) -> SettledGames:
    """Settles packed games; the checks that the kernel does not make are made here."""
    if not isinstance(packed, PackedGames):
        raise InputError([unfit("packed", "packed", packed)])
    if errors not in ("raise", "mark"):
        raise refuse("E936", name="errors", value=errors, values="raise mark")
    n = len(packed) if isinstance(packed.games, np.ndarray) else 0
    _check("games", packed.games, GAME, (n,))
    _check("events", packed.events, EVENT, (len(packed.events),) if isinstance(packed.events, np.ndarray) else (0,))
    _check("starts", packed.starts, np.dtype(np.uint64), (n + 1,))
    deltas = np.empty((n, 4), np.int64) if out is None else out
    _check("out", deltas, np.dtype(np.int64), (n, 4), writeable=True)
    for name, array in (("games", packed.games), ("events", packed.events), ("starts", packed.starts)):
        if np.may_share_memory(deltas, array):
            raise refuse("E947", name=name)
    statuses, dealers = np.zeros(n, np.uint8), np.full(n, 255, np.uint8)
    starts = packed.starts
    if int(starts[0]) != 0 or int(starts[-1]) != len(packed.events) or bool(np.any(starts[1:] < starts[:-1])):
        raise InputError([Diagnostic("E932", None, {"events": len(packed.events)})])
    if n:
        kernel.settle_batch(packed.games, packed.events, starts, deltas, statuses, dealers)
    bad = np.flatnonzero(statuses)
    if errors == "raise" and len(bad):
        row = int(bad[0])
        raise refuse("E933", row=row, status=status_name(int(statuses[row])), count=len(bad))
    return SettledGames(deltas, dealers, statuses)


def _check(name: str, array: object, dtype: np.dtype[Any], shape: tuple[int, ...], writeable: bool = False) -> None:
    if isinstance(array, np.ndarray):
        flags = array.flags
        fits = array.dtype == dtype and array.shape == shape
        if fits and flags.c_contiguous and (flags.writeable or not writeable):
            return
    found = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
    raise refuse("E931", name=name, dtype=dtype, shape=str(shape), found=found)
