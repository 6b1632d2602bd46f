"""Many hands at once: numpy in, numpy out, judged in C without the interpreter's lock.

A rule set whose program folds into tables (`csrc/fold.h`) has its hands looked up; the others are judged
in columns (`csrc/columns.h`), and where a fact needs more than the kernel sees, one by one in Python.
"""

from __future__ import annotations

from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyengine.engine import kernel as binding
from pyengine.engine.facts import facts_alone, facts_of_tiles
from pyengine.engine.hands import (
    BY,
    FLAGS,
    FOR_MELDS,
    FOR_VOIDS,
    FOR_WON,
    KONG_SHIFT,
    KONG_WORDS,
    SITUATIONS,
    Array,
    Batch,
    ScoredHands,
    WaitsOfHands,
    name_row,
    out_array,
    wrong_array,
)
from pyengine.engine.kernel import Kernel
from pyengine.engine.program import Program
from pyengine.notation import tiles

if TYPE_CHECKING:
    from pyengine.engine.ruleset import Ruleset

FEWEST_FOLDED = 4096  # hands for which tables are made: where there are so many, more will come
FOR_WAITS = 4  # of csrc/mj.h

# Rows that are worth a thread: as many as take longer than to wake one, some 30 microseconds, and to wait for it.
LOOKED_UP = 1 << 15
IN_COLUMNS = 1 << 10
_BOOL, _TOTAL, _POINTS = np.dtype(np.bool_), np.dtype(np.int32), np.dtype(np.int64)
_SET, _DISTANCE = np.dtype(np.uint64), np.dtype(np.int8)


# ---- folds ------------------------------------------------------------------------------------


class Path(NamedTuple):
    """How the hands of a rule set are scored, and why.

    folded   whether they are looked up in tables, or judged in columns; with `facts`, each by itself
    reason   why not: a name of `kernel.FOLD_REASONS`, or `facts`; `folded` where they are
    info     the sizes of `mj_fold_info`
    """

    folded: bool
    reason: str
    info: dict[str, int]


class Folds:
    """The tables of a rule set, made when a batch first needs them; may be shared by threads.

    They are made for hands with everything.  Where that is too much, they are made for what a batch has.  Where
    the rules ask how the winning tile came in, hands that tell it have tables of their own.
    """

    def __init__(self, rules: Ruleset, kernel: Kernel, program: Program, waits: bool = False) -> None:
        self.sees_tiles = facts_of_tiles(rules, program)
        self.facts = np.zeros((SITUATIONS, 32), np.int32)
        if program.facts and not self.sees_tiles:
            for number in range(SITUATIONS):
                by, flags, kong = BY[number >> 7], number & 31, KONG_WORDS[number >> KONG_SHIFT & 3]
                words = frozenset(flag for n, flag in enumerate(FLAGS) if flags >> n & 1)
                self.facts[number, : len(program.facts)] = facts_alone(rules, program, by, words, kong)
        self._unit = rules.first_unit
        self._kernel = kernel
        self._waits = waits * FOR_WAITS
        self._made: dict[int, tuple[Any, dict[str, int]]] = {}
        self._lock = Lock()

    def path(self, won: bool = False) -> Path:
        """How batches with everything are scored, but for the winning tile, or with it."""
        if self.sees_tiles:
            return Path(False, "facts", {})
        folds, info = self._get(FOR_MELDS | FOR_VOIDS | won * FOR_WON)
        return Path(folds != binding.NULL, binding.FOLD_REASONS[info["reason"]], info)

    @cached_property
    def for_one(self) -> Any:
        """The tables for single hands, or NULL."""
        return binding.NULL if self.sees_tiles else self._get(0)[0]

    def for_play(self, n: int) -> tuple[Any, Any]:
        """The tables for so many hands to be played, or NULL, and the facts that they are for."""
        if self.sees_tiles or (n < FEWEST_FOLDED and not self._made):
            return binding.NULL, self.facts
        return self._get(FOR_MELDS | FOR_VOIDS)[0], self.facts

    def serve(self, batch: Batch) -> Any:
        """The tables that a batch is looked up in, or NULL; tells it the facts."""
        batch.packed.tell_facts(self.facts)
        if self.sees_tiles or (batch.n < FEWEST_FOLDED and not self._made):
            return binding.NULL
        return self._get(batch.uses)[0]

    def _get(self, uses: int) -> tuple[Any, dict[str, int]]:
        everything = FOR_MELDS | FOR_VOIDS
        won = uses & FOR_WON
        if won and (self._waits or not self._make(everything)[1]["sees_win"]):
            won = 0
        for wanted in (everything | won, uses & everything | won):
            made = self._make(wanted)
            if made[0]:
                break
        return made

    def _make(self, wanted: int) -> tuple[Any, dict[str, int]]:
        with self._lock:
            if wanted not in self._made:
                self._made[wanted] = self._kernel.folds(self.facts, self._unit, wanted | self._waits)
            return self._made[wanted]


# ---- the calls --------------------------------------------------------------------------------


def least(tables: Any) -> int:
    """How many rows are worth a thread."""
    return LOOKED_UP if tables else IN_COLUMNS


def score_batch(rules: Ruleset, kernel: Kernel, batch: Batch, folds: Folds, out: ScoredHands | None) -> ScoredHands:
    """Scores every hand of a batch."""
    if out is None:
        n = batch.n
        out = ScoredHands(np.empty(n, _BOOL), np.empty(n, _TOTAL), np.empty(n, _POINTS), np.empty(n, _SET))
    elif not isinstance(out, ScoredHands):
        raise wrong_array("E935", "out", ScoredHands.__name__, out)
    columns = out.columns(batch.n)
    tables = folds.serve(batch)
    batch.run(lambda start, stop: kernel.score_batch(batch.packed, tables, start, stop, columns), least(tables))
    if folds.sees_tiles:  # Every row is a hand, then; what it is worth needs facts of its own.
        _score_one_by_one(rules, batch, out)
    return out


def _score_one_by_one(rules: Ruleset, batch: Batch, out: ScoredHands) -> None:
    for row in range(batch.n):
        hand = batch.hand(row)
        judged = rules.judge(hand)
        out.win[row] = judged.win
        out.total[row] = max(-(2**31), min(2**31 - 1, judged.totals[batch.unit])) if judged.win else 0
        out.points[row] = judged.money if judged.win else 0
        out.fans[row] = sum(1 << n for n, count in enumerate(judged.counts) if count) if judged.win else 0


def count_batch(
    rules: Ruleset, kernel: Kernel, batch: Batch, folds: Folds, rows: NDArray[np.uint64]
) -> NDArray[np.int32]:
    """How often each fan counts in some rows of a batch that has been scored, (rows, fans)."""
    counts = np.zeros((len(rows), len(rules.fan_names)), np.int32)
    if folds.sees_tiles:
        for place, row in enumerate(rows.tolist()):
            judged = rules.judge(batch.hand(row))
            counts[place] = judged.counts if judged.win else 0
    elif counts.size:
        name_row(kernel.count_batch(batch.packed, rows, counts))
    return counts


def win_batch(rules: Ruleset, kernel: Kernel, batch: Batch, folds: Folds, out: Array | None) -> NDArray[np.bool_]:
    """Whether each hand of a batch wins."""
    wins = out_array("out", out, (batch.n,), _BOOL)
    if folds.sees_tiles:
        wins[:] = score_batch(rules, kernel, batch, folds, None).win
        return wins
    tables = folds.serve(batch)
    columns = binding.worths(wins)
    batch.run(lambda start, stop: kernel.score_batch(batch.packed, tables, start, stop, columns), least(tables))
    return wins


def waits_batch(kernel: Kernel, batch: Batch, out: Array | None) -> NDArray[np.uint64]:
    """The kinds that complete each hand of a batch."""
    masks = out_array("out", out, (batch.n,), _SET)
    batch.run(lambda start, stop: kernel.waits_batch(batch.packed, start, stop, masks), LOOKED_UP)
    return masks


def values_batch(rules: Ruleset, kernel: Kernel, batch: Batch, folds: Folds, out: WaitsOfHands | None) -> WaitsOfHands:
    """The waits of each hand of a batch and what they are worth."""
    if not isinstance(out, WaitsOfHands | None):
        raise wrong_array("E935", "out", WaitsOfHands.__name__, out)
    shape = (batch.n, batch.kinds)
    masks = waits_batch(kernel, batch, out.mask if out else None)
    points = out_array("out.points", out.points if out else None, shape, _POINTS)
    if folds.sees_tiles:
        points[:] = -1
        for row in range(batch.n):
            for wait in rules.waits(batch.hand(row)):
                points[row, tiles.NAMES.index(wait.tile)] = wait.points
    else:
        tables = folds.serve(batch)
        batch.run(
            lambda start, stop: kernel.values_batch(batch.packed, tables, start, stop, masks, points), least(tables)
        )
    return WaitsOfHands(masks, points)


def shanten_batch(kernel: Kernel, batch: Batch, out: Array | None) -> NDArray[np.int8]:
    """The shanten of each hand of a batch."""
    found = out_array("out", out, (batch.n,), _DISTANCE)
    batch.run(lambda start, stop: kernel.shanten_batch(batch.packed, start, stop, found), LOOKED_UP)
    return found
