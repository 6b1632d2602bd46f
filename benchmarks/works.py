"""The works that the benchmarks time, and what they are compared with in the same run.

A work is done at a rate that depends on the machine; its ratio to a reference that is timed beside it depends far
less.  References are a pass that only sums up the packed words of the same hands, the kernel's plain way that judges
each hand by itself, also under rules that are not folded, and a loop of plain Python.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import single_hand
import table

import pyengine

RULES = "sichuan/xuezhan"
HANDS = 1 << 16  # of a batch; with 8 bytes a hand they stay in the cache of one core
SOME = 1 << 13  # of those that are judged in columns
FEW = 1 << 11  # of those that are judged one by one


class Work(NamedTuple):
    """So many of something are done by one call; the names of the references that it is compared with."""

    call: Callable[[], object]
    count: int
    against: tuple[str, ...]


@cache
def references() -> dict[str, Work]:
    hands = table.closed(HANDS, np.random.default_rng(1))
    words = pyengine.pack(hands)

    def python() -> int:
        kept: dict[int, tuple[int, str]] = {}
        for number in range(2_000):
            kept[number % 97] = (number, str(number))
        return len(kept)

    return {
        "memory pass": Work(words.sum, HANDS, ()),
        "each hand by itself": Work(table.by_itself(pyengine.load(RULES), hands[:FEW]), FEW, ()),
        "by itself, not folded": Work(table.by_itself(pyengine.load(table.PATTERNS), hands[:FEW]), FEW, ()),
        "plain Python": Work(python, 2_000, ()),
    }


@cache
def works() -> dict[str, Work]:
    rng = np.random.default_rng(2)
    rules = pyengine.load(RULES)
    rows = table.closed(HANDS, rng)
    words, waiting = pyengine.pack(rows), rows.copy()
    table.change(waiting, rng, -1)
    waiting_words, dealt = pyengine.pack(waiting), pyengine.pack(table.deals(HANDS, rng))
    told_rows, columns = table.told(rules, HANDS)
    told_words = pyengine.pack(told_rows)
    wins, scored = rules.win_batch(words), rules.score_batch(words)
    masks, valued = rules.waits_batch(waiting_words), rules.waits_batch(waiting_words, values=True)
    distances = rules.shanten_batch(dealt)
    seeing, some, some_told = pyengine.load(table.PATTERNS), words[:SOME], told_words[:SOME]
    some_columns = {name: column[:SOME] for name, column in columns.items()}
    judged = seeing.score_batch(some)
    kernel, python = ("memory pass", "each hand by itself"), ("plain Python", "each hand by itself")
    one_by_one = ("by itself, not folded", "each hand by itself")
    sample = single_hand.hands(500)
    return {
        "pack": Work(lambda: pyengine.pack(rows), HANDS, kernel),
        "win": Work(lambda: rules.win_batch(words, out=wins), HANDS, kernel),
        "score, words": Work(lambda: rules.score_batch(words, out=scored), HANDS, kernel),
        "score, rows": Work(lambda: rules.score_batch(rows, out=scored), HANDS, kernel),
        "score, melds win flags": Work(lambda: rules.score_batch(told_words, out=scored, **columns), HANDS, kernel),
        "waits": Work(lambda: rules.waits_batch(waiting_words, out=masks), HANDS, kernel),
        "waits with values": Work(lambda: rules.waits_batch(waiting_words, values=True, out=valued), HANDS, kernel),
        "shanten": Work(lambda: rules.shanten_batch(dealt, out=distances), HANDS, kernel),
        "in columns": Work(lambda: seeing.score_batch(some, out=judged), SOME, one_by_one),
        "in columns, melds win flags": Work(
            lambda: seeing.score_batch(some_told, out=judged, **some_columns), SOME, one_by_one
        ),
        "one hand, money": Work(single_hand.ours_points(sample), len(sample), python),
        "one hand, all read": Work(single_hand.ours_read(sample), len(sample), python),
        "load from text": Work(single_hand.load_from_text, 1, python),
    }
