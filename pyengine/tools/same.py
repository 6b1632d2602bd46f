"""Two rule sets compared on every hand there is, and one as a hash.

Compared is what a hand is worth: whether it wins and what one payer pays, for every hand of the space, every
void suit and every way to win; where either asks for the winning tile, with each there can be and with none, and
with every number of tiles left.  A hash stands for that function: it is made from the prints of the sets of
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
_NO_WIN, _CANNOT_BE = -(1 << 62), -(1 << 62) - 1  # no amounts: those end at LIMIT
_FORM = b"rulespec function 2"


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
        self.space = None if self.other_space else Space([Asked(a), Asked(b)], bare=True)

    @cached_property
    def _worths(self) -> tuple[Array, Array]:
        assert self.space
        worths = []
        for side in (0, 1):
            worths.append(_worths(self.space, side).reshape(self.space.verdicts[side].shape))
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
        """Hands that differ in some way to win them; where only a void suit makes the difference, with each."""
        return self.space.count(self._differ.any(axis=1)) if self.space else 0

    @property
    def among(self) -> int:
        """All hands of the sort that `different` counts."""
        return self.space.among(self._differ.any(axis=1)) if self.space else 0

    @property
    def example(self) -> Hand | None:
        """The smallest hand that differs."""
        return self.space.first(self._differ) if self.space else None

    @property
    def asks_the_table(self) -> bool:
        """Whether what is seen on the table makes a difference to one of them."""
        return bool(self.space and self.space.n_groups > 1)

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
            change = Change(_points(before), _points(after), self.space.count(cells.any(axis=1)), example)
            found.append((int(cells.any(axis=1).argmax()), change))
        return [change for _, change in sorted(found, key=lambda item: item[0])]

    def tally(self, by: str) -> Tally:
        """Hands won so without flags that are worth more or less to whoever wins them."""
        assert self.space
        rows, ways = np.arange(len(self.space.classes)), self.space.plainest(by)
        a, b = (worths[rows, ways] for worths in self._worths)
        count = self.space.count
        return Tally(count(b > a), count(b < a), count((a == b) & (a > _NO_WIN)))


def _points(value: int) -> int | None:
    return int(value) if value > _NO_WIN else None


def domain(rules: Ruleset) -> tuple[object, ...]:
    """Which hands there are: the tile set, the size of a hand, the melds that are allowed."""
    return rules.copies, rules.hand_size, tuple(meld_types(rules))


def function_hash(rules: Ruleset) -> str:
    """The hash of what hands are worth: equal for two rule sets exactly when they are worth the same."""
    digest = hashlib.sha256(_FORM)
    _add(digest, rules, Space([Asked(rules, untold=True)], prints=True))
    if rules.asks_win:
        both = Space([Asked(rules), Asked(rules, untold=True)])
        # Where it makes no difference which tile is the winning one, it is the same function as one that does not ask.
        if not np.array_equal(_worths(both, 0), _worths(both, 1)):
            _add(digest, rules, Space([Asked(rules)], prints=True))
    return digest.hexdigest()


def _worths(space: Space, side: int) -> Array:
    """What hands are worth by class, context and group of tiles left."""
    proofs = space.proofs[side]
    of_proof = np.where(proofs["win"] == 1, proofs["points"], _NO_WIN).astype("<i8")
    of_proof[CANNOT_BE] = _CANNOT_BE
    worths: Array = of_proof[space.verdicts[side]].reshape(len(space.classes), len(space.contexts), space.n_groups)
    return worths


def _add(digest: Any, rules: Ruleset, space: Space) -> None:
    """Adds what hands are worth by the first side: sets of hands by what they are worth in each situation."""
    context_of = np.full(SITUATIONS, -1)
    for number, group in enumerate(space.contexts.groups):
        context_of[group] = number
    told = np.flatnonzero(context_of >= 0)
    worths, steps = _steps(space)
    # A context has situations of which a hand's melds allow only some.
    legal = legal_situations()[told][:, space.classes["key"]].T
    rows = np.ascontiguousarray(np.where(legal, worths[:, context_of[told]], _CANNOT_BE).astype("<i8"))
    prints: dict[tuple[int, bytes], list[int]] = {}
    blind = not space.info["voids"]  # Then it is the same function with any void suit that there is.
    suits = [suit for suit in range(3) if any(rules.copies[9 * suit : 9 * suit + 9])]
    stepping = False
    for n, (found, row) in enumerate(zip(space.classes, rows, strict=True)):
        more = [
            (int(told[at]), *step)
            for at in np.flatnonzero(legal[n])
            for step in steps.get((n, context_of[told[at]]), ())
        ]
        if (row <= _NO_WIN).all() and not more:
            continue
        stepping |= bool(more)
        said = row.tobytes() + np.array(more, "<i8").tobytes()
        for void in (NO_VOID, *suits) if blind else (int(found["void"]),):
            sums = prints.setdefault((void, said), [0, 0])
            for family in (0, 1):
                sums[family] = (sums[family] + int(found["prints"][family])) % _PRIME
    digest.update(repr((tuple(map(int, told)), domain(rules))).encode())
    if stepping:
        # The tiles that are left are of those that these shapes wait for.
        digest.update(repr(sorted({shape.twins > 0 for shape in rules.special.shapes.values()})).encode())
    for (void, said), sums in sorted(prints.items()):
        digest.update(bytes([void]) + said + b"".join(n.to_bytes(8, "little") for n in sums))


def _steps(space: Space) -> tuple[Array, dict[tuple[int, int], list[tuple[int, int]]]]:
    """What hands are worth with the fewest tiles left, by class and context; and by these the numbers of tiles left
    at which they are worth something else, with what.  It does not matter how many numbers are told apart."""
    cells = _worths(space, 0)
    low, high = space.classes["left_low"], space.classes["left_high"]
    steps: dict[tuple[int, int], list[tuple[int, int]]] = {}
    rows = np.arange(len(cells))
    matters = space.classes["left_matters"] == 1
    lowest: Array = cells[rows, :, np.where(matters, space.group_of[low], 0)]
    for left in range(1, int(high.max(initial=0)) + 1):
        there = matters & (low < left) & (left <= high)
        before, now = cells[:, :, space.group_of[left - 1]], cells[:, :, space.group_of[left]]
        for n, context in zip(*np.nonzero(there[:, None] & (before != now)), strict=True):
            steps.setdefault((int(n), int(context)), []).append((left, int(now[n, context])))
    return lowest, steps
