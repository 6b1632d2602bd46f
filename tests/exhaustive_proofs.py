"""The long comparison of proofs: classes of hands against every hand judged by itself.

    python tests/exhaustive_proofs.py [RULESET…]

For each rule set, all 2,561,091 closed hands of at most two suits and all 28,095,264 hands with exposed pungs
and kongs, kinds of kong merged, are scored one by one without folds in two contexts, and counted by value and
fans; the classes of the space must give the same counts, and the same smallest hand of each.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from typing import Any

import numpy as np

import pyengine
from pyengine.engine import kernel as binding
from pyengine.engine.kernel import CLASS, KEYS, PROOF, Parts, SpaceSide, closed_hands, count_hands
from pyengine.engine.ruleset import Ruleset
from pyengine.engine.space import facts_table

PUNG, DIRECT = 1 << 4, 1 << 5
SITUATIONS = (("点炮", 128), ("自摸", 0))
CHUNK = 1 << 20
Worth = tuple[bool, int, int]


def from_classes(rules: Ruleset, meld_types: int) -> list[Counter[Worth]]:
    """Hands by (win, points, fans) in each situation, from the classes."""
    facts = facts_table(rules, rules.program)
    rows = np.ascontiguousarray(facts[[number for _, number in SITUATIONS]])
    legal, claimed = np.ones((len(SITUATIONS), KEYS), np.uint8), np.array([1, 0], np.uint8)
    space = binding.space([SpaceSide(rules.kernel, rows)], legal, claimed, meld_types, False)
    classes = np.frombuffer(space.classes, np.dtype(CLASS, align=True))
    proofs = np.frombuffer(space.proofs[0], np.dtype(PROOF, align=True))
    numbers = np.frombuffer(space.numbers[0], np.uint32).reshape(len(classes), -1)
    found: list[Counter[Worth]] = [Counter() for _ in SITUATIONS]
    for class_, cells in zip(classes, numbers, strict=True):
        for counter, number in zip(found, cells, strict=True):
            proof = proofs[number]
            if proof["win"]:
                counter[True, int(proof["points"]), int(proof["fans"])] += int(class_["count"])
    return found


def add(rules: Ruleset, found: list[Counter[Worth]], words: Any, melds: Any) -> None:
    for counter, (by, _) in zip(found, SITUATIONS, strict=True):
        scored = rules.score_batch(words, melds=melds, by=by)
        rows = np.rec.fromarrays([scored.points[scored.win], scored.fans[scored.win]])
        for (points, fans), n in zip(*np.unique(rows, return_counts=True), strict=True):
            counter[True, int(points), int(fans)] += int(n)


def closed_one_by_one(rules: Ruleset) -> tuple[int, list[Counter[Worth]]]:
    found: list[Counter[Worth]] = [Counter() for _ in SITUATIONS]
    total = count_hands()["closed"]
    for first in range(0, total, CHUNK):
        rows = np.frombuffer(b"".join(closed_hands(first, CHUNK)), np.uint8).reshape(-1, 27)
        add(rules, found, rows, None)
    return total, found


def merged_one_by_one(rules: Ruleset) -> tuple[int, list[Counter[Worth]]]:
    """Hands with melds: the standard ones, since seven pairs have none."""
    found: list[Counter[Worth]] = [Counter() for _ in SITUATIONS]
    parts = Parts(rules.kernel, PUNG | DIRECT)
    words, honours, melds = np.empty(CHUNK, np.uint64), np.empty(CHUNK, np.uint64), np.empty(CHUNK, np.uint32)
    first = 0
    while True:
        n, total = parts.hands(2, first, words, honours, melds)
        if n == 0:
            return total, found
        add(rules, found, words[:n].copy(), melds[:n].copy())
        first += n
        print(f"\r{first:,}/{total:,}", end="", file=sys.stderr)


def compare(name: str) -> bool:
    rules = pyengine.load(name)
    rules._compiled.folds.serve = lambda batch: (batch.packed.tell_facts(rules._compiled.folds.facts), binding.NULL)[1]  # type: ignore
    counts = count_hands()
    pairs_only = counts["closed"] - counts["standard"]
    good = True
    for kind, meld_types, brute in (
        ("closed", 0, closed_one_by_one),
        ("merged kongs", PUNG | DIRECT, merged_one_by_one),
    ):
        start = time.process_time()
        total, one_by_one = brute(rules)
        middle = time.process_time()
        classes = from_classes(rules, meld_types)
        end = time.process_time()
        same = one_by_one == classes
        good &= same
        expected = counts["closed"] if meld_types == 0 else counts["merged_kongs"] + pairs_only
        good &= total == expected
        print(
            f"\r{name:18} {kind:12} {total:>11,} hands, {sum(classes[0].values()):>11,} of them win, "
            f"{len(classes[0]) + len(classes[1])} worths: {'equal' if same else 'DIFFERENT'} "
            f"({middle - start:.1f} s one by one, {end - middle:.2f} s as classes)",
            flush=True,
        )
    return good


if __name__ == "__main__":
    chosen = sys.argv[1:] or ["sichuan/classic", "sichuan/xuezhan"]
    sys.exit(0 if all([compare(name) for name in chosen]) else 1)
