"""Two rule sets compared on every hand there is, and one as a hash.

Compared is what a hand is worth: whether it wins and what one payer pays, for every hand of the space, every
void suit and every way to win.  A hash stands for that function: it is made from the prints of the sets of
hands that are worth the same everywhere, so it does not depend on how a file says what it says, nor on the
classes by which the hands were counted.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyengine.engine.hands import SITUATIONS
from pyengine.engine.ruleset import Ruleset
from pyengine.engine.space import CANNOT_BE, NO_VOID, Asked, Space, legal_situations, meld_types
from pyengine.notation.hand import Hand

Array = NDArray[Any]

_PRIME = (1 << 61) - 1
_NO_WIN, _CANNOT_BE = -1, -2
_FORM = b"rulespec function 1"


@dataclass(frozen=True, slots=True)
class Change:
    """Hands that are worth `before` by the one and `after` by the other in some way of winning them; None where
    they do not win."""

    before: int | None
    after: int | None
    hands: int
    example: Hand

    @property
    def by(self) -> int | None:
        return None if self.before is None or self.after is None else self.after - self.before


@dataclass(frozen=True, slots=True)
class Tally:
    """Of hands won in one plain way: how many are worth more, less, the same, and in all."""

    more: int
    less: int
    same: int


class Compared:
    """Two rule sets on every hand.  `other_space` says that they do not even speak of the same hands."""

    def __init__(self, a: Ruleset, b: Ruleset) -> None:
        self.a, self.b = a, b
        self.other_space = domain(a) != domain(b)
        self.space = None if self.other_space else Space([Asked(a), Asked(b)])

    @cached_property
    def _worths(self) -> tuple[Array, Array]:
        assert self.space
        worths = []
        for side in (0, 1):
            proofs = self.space.proofs[side]
            of_proof = np.where(proofs["win"] == 1, proofs["points"], _NO_WIN)
            of_proof[CANNOT_BE] = _CANNOT_BE
            worths.append(of_proof[self.space.verdicts[side]])
        return worths[0], worths[1]

    @cached_property
    def _differ(self) -> Array:
        a, b = self._worths
        differ: Array = a != b
        return differ

    @property
    def equal(self) -> bool:
        return not self.other_space and not self._differ.any()

    @property
    def hands(self) -> int:
        return self.space.hands if self.space else 0

    @property
    def different(self) -> int:
        """Hands that differ in some way to win them."""
        return self._count(self._differ.any(axis=1))

    def _count(self, classes: Any) -> int:
        """Hands of some classes; where only a void suit makes the difference, with each void suit."""
        if self.space is None:
            return 0
        return self.space.count(classes) or int(self.space.classes["count"][classes].sum())

    @property
    def example(self) -> Hand | None:
        """The smallest hand that differs."""
        return self.space.first(self._differ) if self.space else None

    def changes(self) -> list[Change]:
        """Every kind of change: by what it was worth and is worth, the smallest hands first."""
        if self.space is None:
            return []
        a, b = self._worths
        rows, columns = np.nonzero(self._differ)
        kinds = np.stack([a[rows, columns], b[rows, columns]], axis=1)
        found: list[tuple[int, Change]] = []
        for before, after in np.unique(kinds, axis=0):
            cells = (a == before) & (b == after)
            example = self.space.first(cells)
            assert example
            change = Change(_points(before), _points(after), self._count(cells.any(axis=1)), example)
            found.append((int(cells.any(axis=1).argmax()), change))
        return [change for _, change in sorted(found, key=lambda item: item[0])]

    def tally(self, by: str) -> Tally:
        """Hands won so without flags that are worth more or less to whoever wins them."""
        assert self.space
        column = self.space.contexts.find(by)
        a, b = (worths[:, column] for worths in self._worths)
        count = self.space.count
        return Tally(count(b > a), count(b < a), count((a == b) & (a >= 0)))


def _points(value: int) -> int | None:
    return None if value < 0 else int(value)


def domain(rules: Ruleset) -> tuple[object, ...]:
    """Which hands there are: the tile set, the size of a hand, the melds that are allowed."""
    return rules.copies, rules.hand_size, tuple(meld_types(rules))


def function_hash(rules: Ruleset) -> str:
    """The hash of what hands are worth: equal for two rule sets exactly when they are worth the same."""
    space = Space([Asked(rules)], prints=True)
    proofs = space.proofs[0]
    of_proof = np.where(proofs["win"] == 1, proofs["points"], _NO_WIN).astype("<i8")
    of_proof[CANNOT_BE] = _CANNOT_BE
    context_of = np.full(SITUATIONS, -1)
    for number, group in enumerate(space.contexts.groups):
        context_of[group] = number
    told = np.flatnonzero(context_of >= 0)
    worths = of_proof[space.verdicts[0]][:, context_of[told]]
    # A context has situations of which a hand's melds allow only some.
    legal = legal_situations()[told][:, space.classes["key"]].T
    worths = np.ascontiguousarray(np.where(legal, worths, _CANNOT_BE).astype("<i8"))
    prints: dict[tuple[int, bytes], list[int]] = {}
    blind = bool(space.plain.all())  # Nothing of it depends on a void suit: with any it is the same function.
    for found, row in zip(space.classes, worths, strict=True):
        if (row < 0).all():
            continue
        for void in (NO_VOID, 0, 1, 2) if blind else (int(found["void"]),):
            sums = prints.setdefault((void, row.tobytes()), [0, 0])
            for family in (0, 1):
                sums[family] = (sums[family] + int(found["prints"][family])) % _PRIME
    digest = hashlib.sha256(_FORM)
    digest.update(repr((tuple(map(int, told)), domain(rules))).encode())
    for (void, row_), sums in sorted(prints.items()):
        digest.update(bytes([void]) + row_ + b"".join(n.to_bytes(8, "little") for n in sums))
    return digest.hexdigest()
