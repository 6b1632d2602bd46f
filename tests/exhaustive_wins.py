"""The long comparison of proofs where the winning tile is asked for: classes against every hand with each of its tiles.

    python tests/exhaustive_wins.py [RULESET[,OPTION=VALUE…]…] [--melds]

For each rule set all 2,561,091 closed hands of at most two suits, with --melds all hands with exposed pungs and kongs,
kinds of kong merged, are scored one by one without folds, won on each of their tiles in two contexts with three
tables: nothing but the own melds seen, two tiles left of those that were waited for, and as few as may be.  What
they waited for comes from `waits_batch`, which knows nothing of classes.  The classes must give the same counts.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

import pyengine
from pyengine.engine import kernel as binding
from pyengine.engine.kernel import CLASS, KEYS, PROOF, Parts, SpaceSide
from pyengine.engine.ruleset import Ruleset
from pyengine.engine.space import facts_table

PUNG, DIRECT = 1 << 4, 1 << 5
SITUATIONS = (("点炮", 128), ("自摸", 0))
CHUNK = 1 << 17
KINDS = 27
NOTHING = -2  # no change of worth
UNITS = np.array([5 ** (8 - kind % 9) << 21 * (kind // 9) for kind in range(KINDS)], np.uint64)
Worth = tuple[int, int]  # points and fans; -1 and 0 for no win
Key = tuple[int, Worth, Worth | None, Worth | None]  # situation, worth; from two tiles left on, if other; with most


def from_classes(rules: Ruleset, meld_types: int) -> Counter[Key]:
    """Hands by what they are worth with the fewest tiles left, from two on and with the most."""
    rows = np.ascontiguousarray(facts_table(rules, rules.program)[[number for _, number in SITUATIONS]])
    legal, claimed = np.ones((len(SITUATIONS), KEYS), np.uint8), np.array([1, 0], np.uint8)
    space = binding.space([SpaceSide(rules.kernel, rows)], legal, claimed, meld_types, False)
    classes = np.frombuffer(space.classes, np.dtype(CLASS, align=True))
    proofs = np.frombuffer(space.proofs[0], np.dtype(PROOF, align=True))
    group_of = space.info["group_of"]
    numbers = np.frombuffer(space.numbers[0], np.uint32).reshape(len(classes), len(SITUATIONS), -1)
    found: Counter[Key] = Counter()

    def worth(number: int) -> Worth:
        proof = proofs[number]
        return (int(proof["points"]), int(proof["fans"])) if proof["win"] else (-1, 0)

    for class_, cells in zip(classes, numbers, strict=True):
        low, high = int(class_["left_low"]), int(class_["left_high"])
        for situation, cell in enumerate(cells):
            if not class_["left_matters"]:
                found[situation, worth(cell[0]), None, None] += int(class_["count"])
                continue
            first, last = worth(cell[group_of[low]]), worth(cell[group_of[high]])
            middle = worth(cell[group_of[2]]) if low <= 2 <= high else first
            key = (situation, first, None if middle == first else middle, None if last == middle else last)
            found[key] += int(class_["count"])
    return found


def copies_of(words: Any) -> Any:
    """(n, 27) copies of packed words."""
    copies = np.empty((len(words), KINDS), np.uint8)
    for suit in range(3):
        index = (words >> np.uint64(21 * suit)) & np.uint64((1 << 21) - 1)
        for rank in range(8, -1, -1):
            copies[:, 9 * suit + rank] = index % np.uint64(5)
            index = index // np.uint64(5)
    return copies


def declared(melds: Any) -> Any:
    """(n, 27) copies in words of pungs and direct kongs."""
    copies = np.zeros((len(melds), KINDS), np.uint8)
    for shift in (0, 8, 16, 24):
        code = (melds >> np.uint32(shift) & np.uint32(255)).astype(int)
        held = np.flatnonzero(code)
        type_, kind = np.divmod(code[held] - 1, 34)
        copies[held, kind] += np.where(type_ == 1, 3, 4).astype(np.uint8)
    return copies


class Codes:
    """Worths as small numbers."""

    def __init__(self) -> None:
        self.worths: dict[Worth, int] = {}

    def of(self, scored: Any) -> Any:
        points = np.where(scored.win, scored.points, -1)
        fans = np.where(scored.win, scored.fans, 0)
        pairs, inverse = np.unique(np.rec.fromarrays([points, fans]), return_inverse=True)
        numbers = [self.worths.setdefault((int(a), int(b)), len(self.worths)) for a, b in pairs]
        return np.array(numbers)[inverse]


@dataclass(frozen=True)
class Won:
    """Hands won on one kind: words of tiles and melds, copies declared, tiles that may be seen besides, all left."""

    hands: Any
    sets: Any
    win: int
    shown: Any
    room: Any
    high: Any

    def score(self, rules: Ruleset, by: str, left: Any, rows: Any) -> Any:
        """Some of them with so many tiles left, of the lowest kinds the most seen."""
        more = (self.high - left)[rows, None]
        room = self.room[rows]
        seen = self.shown[rows] + np.clip(more - (np.cumsum(room, axis=1) - room), 0, room)
        table, win = np.ascontiguousarray(seen, np.uint8), np.full(len(rows), self.win, np.uint8)
        words, melds = np.ascontiguousarray(self.hands[rows]), np.ascontiguousarray(self.sets[rows])
        return rules.score_batch(words, melds=melds, win=win, by=by, seen=table)


def add(rules: Ruleset, codes: Codes, found: Counter[tuple[int, ...]], words: Any, melds: Any) -> int:
    """Adds hands won on each of their tiles; how many."""
    copies, own = copies_of(words), declared(melds)
    total = 0
    for win in range(KINDS):
        held = copies[:, win] > 0
        if not held.any():
            continue
        hands, sets, concealed, shown = words[held], melds[held], copies[held].astype(int), own[held].astype(int)
        total += len(hands)
        masks = rules.waits_batch(hands - UNITS[win], melds=sets)
        before = concealed.copy()
        before[:, win] -= 1
        live = ((masks[:, None] >> np.arange(KINDS, dtype=np.uint64)) & np.uint64(1)).astype(bool) & (before < 4)
        room = np.where(live, 4 - concealed - shown, 0)
        high = np.where(live, 4 - shown, 0).sum(axis=1)
        low = high - room.sum(axis=1)
        won = Won(hands, sets, win, shown, room, high)
        for situation, (by, _) in enumerate(SITUATIONS):
            first = codes.of(won.score(rules, by, low, np.arange(len(hands))))
            middle, last = first.copy(), first.copy()
            rows = np.flatnonzero((low < 2) & (high >= 2))
            middle[rows] = codes.of(won.score(rules, by, np.full(len(hands), 2), rows))
            rows = np.flatnonzero(high > low)
            last[rows] = codes.of(won.score(rules, by, high, rows))
            changes = np.where(middle == first, NOTHING, middle), np.where(last == middle, NOTHING, last)
            keys = np.stack([np.full(len(hands), situation), first, *changes], axis=1)
            for key, n in zip(*np.unique(keys, axis=0, return_counts=True), strict=True):
                found[tuple(map(int, key))] += int(n)
    return total


def one_by_one(rules: Ruleset, meld_types: int) -> tuple[int, Counter[Key]]:
    codes, found = Codes(), Counter[tuple[int, ...]]()
    parts = Parts(rules.kernel, meld_types)
    words, honours, melds = np.empty(CHUNK, np.uint64), np.empty(CHUNK, np.uint64), np.empty(CHUNK, np.uint32)
    first = total = 0
    while True:
        n, hands = parts.hands(2, first, words, honours, melds)
        if n == 0:
            break
        total += add(rules, codes, found, words[:n].copy(), melds[:n].copy())
        first += n
        print(f"\r{first:,}/{hands:,}", end="", file=sys.stderr)
    worths = {number: worth for worth, number in codes.worths.items()}
    return total, Counter({(s, worths[a], worths.get(b), worths.get(c)): n for (s, a, b, c), n in found.items()})


def compare(name: str, meld_types: int) -> bool:
    id_, *options = name.split(",")
    rules = pyengine.load(id_, **dict(option.split("=") for option in options))
    rules._compiled.folds.serve = lambda batch: (batch.packed.tell_facts(rules._compiled.folds.facts), binding.NULL)[1]  # type: ignore
    start = time.process_time()
    total, brute = one_by_one(rules, meld_types)
    middle = time.process_time()
    classes = from_classes(rules, meld_types)
    end = time.process_time()
    # Hands of two suits all are in some class; those of three suits, which do not win here, are not counted.
    won = [
        Counter({key: n for key, n in side.items() if key[1:] != ((-1, 0), None, None)}) for side in (brute, classes)
    ]
    same = won[0] == won[1]
    print(
        f"\r{name:24} {'merged kongs' if meld_types else 'closed':12} {total:>11,} hands with a winning tile, "
        f"{len(won[0])} kinds of worth: {'equal' if same else 'DIFFERENT'} "
        f"({middle - start:.0f} s one by one, {end - middle:.2f} s as classes)",
        flush=True,
    )
    return same


if __name__ == "__main__":
    names = [name for name in sys.argv[1:] if name != "--melds"] or ["regional/chuannan", "sichuan/classic,地方番=是"]
    kinds = (0, PUNG | DIRECT) if "--melds" in sys.argv else (0,)
    sys.exit(0 if all([compare(name, types) for name in names for types in kinds]) else 1)
