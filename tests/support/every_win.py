"""Every hand of a small space with every winning tile and every number of tiles left, judged one by one.

What a hand is worth in one way is a function of the number of tiles left on the table of those it waited for.
It is written here as its worth at the lowest number and the numbers at which it changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from pyengine.engine.facts import facts_alone
from pyengine.engine.kernel import Parts
from pyengine.engine.ruleset import Ruleset
from pyengine.engine.space import NO_TILE, NO_VOID, Contexts, Situation, Space, meld_types
from pyengine.notation.hand import Hand
from pyengine.notation.melds import TYPES, Meld

MELD_TYPES = ("吃", "碰", "直杠", "巴杠", "暗杠")
Worth = tuple[int, int] | None  # points and fans; None for no win
Steps = tuple[tuple[int, Worth], ...]  # by rising numbers of tiles left; the first number is always 0
Way = tuple[int | None, int, bool]  # void suit, context, whether a winning tile is told
Counts = Counter[tuple[Way, Steps]]
Voids = Sequence[int | None]


def steps(worths: Iterator[tuple[int, Worth]]) -> Steps:
    """Numbers of tiles left with worths, by rising numbers, as the first worth and what changes it."""
    found: list[tuple[int, Worth]] = []
    for left, worth in worths:
        if not found or found[-1][1] != worth:
            found.append((left if found else 0, worth))
    return tuple(found)


def every_hand(rules: Ruleset) -> Iterator[Hand]:
    """Complete hands without a winning tile; nothing is seen but the own melds."""
    types = sum(1 << TYPES[word] for word in meld_types(rules))
    parts = Parts(rules.kernel, types)
    words, honours, melds = np.empty(1 << 16, np.uint64), np.empty(1 << 16, np.uint64), np.empty(1 << 16, np.uint32)
    first = 0
    while n := parts.hands(3, first, words, honours, melds)[0]:
        for row in range(n):
            yield read_hand(int(words[row]), int(honours[row]) if rules.copies[27] else 0, int(melds[row]))
        first += n


def read_hand(word: int, honours: int, codes: int) -> Hand:
    """A hand from packed words."""
    concealed = [n for suit in range(3) for n in _digits(word >> 21 * suit & (1 << 21) - 1, 9)] + _digits(honours, 7)
    own = [code for shift in (0, 8, 16, 24) if (code := codes >> shift & 255)]
    melds = tuple(Meld(MELD_TYPES[(code - 1) // 34], (code - 1) % 34) for code in own)
    seen = tuple(sum(meld.tiles.count(kind) for meld in melds) for kind in range(34))
    return Hand(tuple(concealed), melds, seen=seen)


def _digits(index: int, n: int) -> list[int]:
    digits = []
    for _ in range(n):
        index, digit = divmod(index, 5)
        digits.append(digit)
    return digits[::-1]


def key_of(hand: Hand) -> int:
    """MJ_KEY_…"""
    kongs = [meld.type for meld in hand.melds if meld.type in MELD_TYPES[2:]]
    key = sum(2 << n for n, type_ in enumerate(MELD_TYPES[2:]) if type_ in kongs)
    held = [n + sum(meld.tiles.count(kind) for meld in hand.melds) for kind, n in enumerate(hand.concealed)]
    alone = 1 in held if hand.win is None else held[hand.win] == 1
    return key | bool(hand.melds) | 16 * (len(kongs) > 1) | 32 * alone


def tables(rules: Ruleset, hand: Hand) -> list[tuple[int, tuple[int, ...]]]:
    """Numbers of tiles left that a hand may have, rising, each with tiles on the table that leave it."""
    if hand.win is None:
        return [(0, hand.seen)]
    before = tuple(n - (kind == hand.win) for kind, n in enumerate(hand.concealed))
    waits = [kind for kind in rules.kernel.waits(Hand(before, hand.melds)) if before[kind] < rules.copies[kind]]
    seen = list(hand.seen)
    left = sum(rules.copies[kind] - seen[kind] for kind in waits)
    found = [(left, tuple(seen))]
    for kind in waits:
        while seen[kind] + hand.concealed[kind] < rules.copies[kind]:
            seen[kind] += 1
            left -= 1
            found.append((left, tuple(seen)))
    return found[::-1]


def one_by_one(rules: Ruleset, contexts: Contexts, voids: Voids = (None,), bare: bool = True) -> Counts:
    """How many hands that win have which worths, by way to win."""
    counts: Counts = Counter()
    facts: dict[Situation, list[int]] = {}
    kernel, program = rules.kernel, rules.program

    def worth(hand: Hand, told: Situation) -> Worth:
        if told not in facts:
            facts[told] = facts_alone(rules, program, told.by, told.flags, told.kong)
        judged = kernel.score(hand, facts[told], told.by != "自摸")
        fans = sum(1 << n for n, count in enumerate(judged.counts) if count)
        return (judged.money, fans) if judged.win else None

    for plain in every_hand(rules):
        held = [kind for kind, n in enumerate(plain.concealed) if n]
        for win in (*((None,) if bare else ()), *held):
            hand = Hand(plain.concealed, plain.melds, win, seen=plain.seen)
            shown, key = tables(rules, hand), key_of(hand)
            situations = {n: contexts.situation(n, key) for n in range(len(contexts)) if contexts.legal[n, key]}
            for void in voids:
                hands = [(left, Hand(plain.concealed, plain.melds, win, "", void=void, seen=s)) for left, s in shown]
                for n, told in situations.items():
                    counts[(void, n, win is not None), steps((left, worth(hand, told)) for left, hand in hands)] += 1
    return _wins(counts)


def as_classes(space: Space, voids: Voids = (None,), side: int = 0) -> Counts:
    """The same from the classes of a space."""
    counts: Counts = Counter()
    proofs, verdicts = (
        space.proofs[side],
        space.verdicts[side].reshape(len(space.classes), len(space.contexts), space.n_groups),
    )
    blind = not space.info["voids"]

    def worth(number: int) -> Worth:
        proof = proofs[number]
        return (int(proof["points"]), int(proof["fans"])) if proof["win"] else None

    for class_, cells in zip(space.classes, verdicts, strict=True):
        own = None if class_["void"] == NO_VOID else int(class_["void"])
        told = bool(class_["win"] != NO_TILE)
        legal = space.contexts.legal[:, class_["key"]]
        for void in voids if blind else [own]:
            for n in np.flatnonzero(legal) if void in voids else ():
                if class_["left_matters"]:
                    numbers = range(int(class_["left_low"]), int(class_["left_high"]) + 1)
                    found = steps((left, worth(cells[n, space.group_of[left]])) for left in numbers)
                else:
                    found = ((0, worth(cells[n, 0])),)
                counts[(void, int(n), told), found] += int(class_["count"])
    return _wins(counts)


def _wins(counts: Counts) -> Counts:
    """Without the hands that never win: what only takes apart into a shape that the rules do not know is no class."""
    return Counter({key: n for key, n in counts.items() if key[1] != ((0, None),)})
