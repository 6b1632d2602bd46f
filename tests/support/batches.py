"""Hands as the columns of a batch, and the comparison of a batch with the hands one by one."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pyengine
from pyengine.engine import kernel as binding
from pyengine.engine.hands import BY, FLAGS, KONG_SHIFT, Batch, ScoredHands, name_row
from pyengine.engine.ruleset import Ruleset
from pyengine.language.diagnostics import InputError
from pyengine.notation.hand import Hand
from pyengine.notation.tiles import NAMES
from pyengine.tools.random_hands import complete_hands

KONGS = (None, "直杠", "巴杠", "暗杠")


def rows_of(hands: Sequence[Hand], kinds: int) -> NDArray[np.uint8]:
    return np.array([hand.concealed[:kinds] for hand in hands], np.uint8).reshape(len(hands), kinds)


def columns_of(hands: Sequence[Hand], kinds: int) -> dict[str, Any]:
    """Every argument of `score_batch` but the tiles."""
    none_or = [255 if hand.win is None else hand.win for hand in hands]
    flags = [
        sum(1 << FLAGS.index(flag) for flag in hand.flags) | KONGS.index(hand.kong) << KONG_SHIFT for hand in hands
    ]
    return {
        "melds": pyengine.pack_melds([list(hand.melds) for hand in hands]),
        "win": np.array(none_or, np.uint8),
        "by": np.array([BY.index(hand.by) for hand in hands], np.uint8),
        "flags": np.array(flags, np.uint8),
        "void": np.array([255 if hand.void is None else hand.void for hand in hands], np.uint8),
        "seen": np.array([hand.seen[:kinds] for hand in hands], np.uint8).reshape(len(hands), kinds),
    }


def worth(rules: Ruleset, hand: Hand, by_oracle: bool) -> tuple[bool, int, int, int]:
    """What a row of a batch should say of a hand."""
    found = rules.oracle.score(hand) if by_oracle else rules.judge(hand)
    if not found.win:
        return False, 0, 0, 0
    unit = rules.naming.units[0][0] if rules.naming.units else 0
    total = max(-(2**31), min(2**31 - 1, found.totals[unit]))
    return True, total, found.money, sum(1 << n for n, count in enumerate(found.counts) if count)


def batch_difference(rules: Ruleset, hands: Sequence[Hand], by_oracle: bool = False, **more: Any) -> str | None:
    """How a batch differs from the same hands one by one, as rows and as packed words; None when it does not."""
    kinds = 34 if any(rules.copies[27:]) else 27
    rows = rows_of(hands, kinds)
    columns = columns_of(hands, kinds) | more
    for form in (rows, pyengine.pack(rows)):
        found = rules.score_batch(form, **columns)
        got = zip(found.win.tolist(), found.total.tolist(), found.points.tolist(), found.fans.tolist(), strict=True)
        for hand, ours in zip(hands, got, strict=True):
            single = worth(rules, hand, by_oracle)
            if ours != single:
                return f"{hand} {hand!r}: batch {ours}, alone {single}"
    return None


def one_by_one(rules: Ruleset, hands: NDArray[Any], **columns: Any) -> ScoredHands:
    """A batch of which each hand is judged by itself: neither looked up nor in columns."""
    batch = Batch(rules, hands, **columns)
    batch.packed.tell_facts(rules._compiled.folds.facts)
    out = ScoredHands(*(np.empty(batch.n, dtype) for dtype in (np.bool_, np.int32, np.int64, np.uint64)))
    columns_out = binding.worths(out.win, out.total, out.points, out.fans)
    few = binding.FEWEST_IN_COLUMNS - 1
    for start in range(0, batch.n, few):
        stop = min(start + few, batch.n)
        name_row(rules.kernel.score_batch(batch.packed, binding.NULL, start, stop, columns_out))
    return out


def assert_same(a: ScoredHands, b: ScoredHands) -> None:
    for name in ("win", "total", "points", "fans"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name


def waiting_hands(rules: Ruleset, n: int, seed: int) -> list[Hand]:
    """Complete hands from which a tile was taken."""
    found = []
    rng = random.Random(seed)
    for hand in complete_hands(rules, n, seed):
        counts = list(hand.concealed)
        counts[rng.choice([kind for kind, held in enumerate(counts) if held])] -= 1
        found.append(Hand(tuple(counts), hand.melds, None, "点炮", frozenset(), hand.void, hand.seen))
    return found


def wait_difference(rules: Ruleset, hands: Sequence[Hand]) -> str | None:
    """How the waits of a batch and their values differ from those of each hand; None when they do not."""
    kinds = 34 if any(rules.copies[27:]) else 27
    given = {key: column for key, column in columns_of(hands, kinds).items() if key in ("melds", "void", "seen")}
    rows = rows_of(hands, kinds)
    for form in (rows, pyengine.pack(rows)):
        masks = rules.waits_batch(form, **given)
        valued = rules.waits_batch(form, values=True, **given)
        if not np.array_equal(masks, valued.mask):
            return "the masks differ when values are asked for"
        for hand, mask, points in zip(hands, masks.tolist(), valued.points.tolist(), strict=True):
            if [kind for kind in range(34) if mask >> kind & 1] != rules.complete_with(hand):
                return f"{hand}: {mask:#x}, alone {rules.complete_with(hand)}"
            told = {wait.tile: wait.points for wait in rules.waits(hand)}
            if {NAMES[kind]: worth for kind, worth in enumerate(points) if worth >= 0} != told:
                return f"{hand}: {points}, alone {told}"
    return None


def assert_same_or_refused(ways: Sequence[Callable[..., ScoredHands]], given: Any, **columns: Any) -> None:
    """Two ways to score a batch give the same, or name the same row for the same reason."""
    found: list[Any] = []
    for score in ways:
        try:
            found.append(score(given, **columns))
        except InputError as error:
            found.append(str(error))
    if isinstance(found[0], str):
        assert found[0] == found[1]
    else:
        assert_same(*found)
