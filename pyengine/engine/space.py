"""Every hand there is, as classes: what `csrc/prove.c` counts, with names and hands again.

A *hand* of the space is a concealed part with any set of melds that the rules allow beside it, its void suit
told or not, and where the rules ask for it one of its concealed tiles as the winning one.  A *context* is what
the rules can tell of how it was won, one of the situations that are alike to them; a *group* are numbers of
tiles left on the table, of those that were waited for, that are alike to them, and a *way* to win is a context
with a group.  Classes come smallest hand first, ways plainest first, so the first of anything is its smallest
example.  What "smallest" means is said at `mj_hand_class` in csrc/mj.h.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyengine.engine import kernel as binding
from pyengine.engine.compiled import probed
from pyengine.engine.facts import facts_alone, facts_of_tiles
from pyengine.engine.hands import BY, FLAGS, KONG_SHIFT, KONG_WORDS, SITUATIONS
from pyengine.engine.kernel import ALONE, CLASS, KEYS, PROOF, Kernel, SpaceSide
from pyengine.engine.program import Program, TooLarge
from pyengine.engine.ruleset import Ruleset
from pyengine.language import core as c
from pyengine.notation.hand import Hand, facts_agree
from pyengine.notation.melds import TYPES, Meld

Array = NDArray[Any]

NO_VOID = NO_TILE = 255
CANNOT_BE, NO_WIN = 0, 1
"""Numbers of verdicts: of a win that cannot be, and of a hand that does not win."""

_MELD_TYPES = ("吃", "碰", "直杠", "巴杠", "暗杠")
_MOVES = dict(zip(("chow", "pung", "direct_kong", "added_kong", "concealed_kong"), _MELD_TYPES, strict=True))
_UNCLEAR = ("", "unclear_waits", "other_waits")
_BY_ORDER = ("点炮", "自摸", "抢杠")


# ---- contexts -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Situation:
    """How a hand is won, in canonical words."""

    by: str
    flags: frozenset[str]
    kong: str | None

    @property
    def plainness(self) -> tuple[int, int, tuple[str, ...]]:
        return len(self.flags) + (self.kong is not None), _BY_ORDER.index(self.by), tuple(sorted(self.flags))


def situation(number: int) -> Situation:
    """A situation by its number in a batch."""
    flags = frozenset(flag for n, flag in enumerate(FLAGS) if number >> n & 1)
    return Situation(BY[number >> 7], flags, KONG_WORDS[number >> KONG_SHIFT & 3])


def is_claimed(number: int) -> bool:
    """Whether the winning tile is another's in a situation."""
    return BY[number >> 7] != "自摸"


def _example_of_key(key: int) -> list[Meld] | None:
    """Melds that are what a key says of them (MJ_KEY_…), None where it contradicts itself."""
    key &= ~ALONE
    kongs = [type_ for bit, type_ in ((2, "直杠"), (4, "巴杠"), (8, "暗杠")) if key & bit]
    two = bool(key & 16)
    if not key & 1:
        return None if key else []
    if (two and not kongs) or (len(kongs) > 1 and not two):
        return None
    melds = kongs * 2 if two and len(kongs) == 1 else kongs
    return [Meld(type_, n) for n, type_ in enumerate(melds or ["碰"])]


@cache
def legal_situations() -> Array:
    """Which situations go together with hands of each key, (384, 64) bool."""
    legal = np.zeros((SITUATIONS, KEYS), np.bool_)
    examples = [(key, own) for key in range(KEYS) if (own := _example_of_key(key)) is not None]
    for number in range(SITUATIONS):
        told = situation(number)
        for key, own in examples:
            robs = told.by != "抢杠" or key & ALONE
            legal[number, key] = robs and facts_agree(own, told.by, told.flags, told.kong)
    return legal


def facts_table(rules: Ruleset, program: Program) -> Array:
    """The program's facts by situation, (384, 32) int32."""
    table = np.zeros((SITUATIONS, 32), np.int32)
    for number in range(SITUATIONS) if program.facts else ():
        told = situation(number)
        table[number, : len(program.facts)] = facts_alone(rules, program, told.by, told.flags, told.kong)
    return table


class Contexts:
    """Situations grouped by what the sides are told of them; the plainest group first.

    `claims` says that some side asks whether the winning tile was another's.
    """

    def __init__(self, tables: Sequence[Array], claims: bool = False) -> None:
        groups: dict[tuple[object, ...], list[int]] = {}
        plain = sorted(range(SITUATIONS), key=lambda number: situation(number).plainness)
        for number in plain:
            if legal_situations()[number].any():
                told = (claims and is_claimed(number), *(table[number].tobytes() for table in tables))
                groups.setdefault(told, []).append(number)
        self.groups = list(groups.values())
        self.legal = np.zeros((len(self.groups), KEYS), np.uint8)
        for row, group in zip(self.legal, self.groups, strict=True):
            row[:] = legal_situations()[group].any(axis=0)
        self.claimed = np.array([is_claimed(group[0]) for group in self.groups], np.uint8)

    def __len__(self) -> int:
        return len(self.groups)

    def facts(self, table: Array) -> Array:
        """A side's facts by context."""
        return np.ascontiguousarray(table[[group[0] for group in self.groups]])

    def situation(self, context: int, key: int) -> Situation:
        """The plainest situation of a context that melds of a key allow."""
        return situation(next(number for number in self.groups[context] if legal_situations()[number, key]))

    def find(self, by: str) -> int:
        """The context of a win without flags."""
        number = BY.index(by) << 7
        return next(n for n, group in enumerate(self.groups) if number in group)


# ---- the space ------------------------------------------------------------------------------------


class Unfolded(Exception):
    """A rule set that asks what classes cannot tell; `reason` is a name of FOLD_REASONS, `facts`,
    `unclear_waits` or `other_waits`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Asked:
    """A rule set, and conditions whose truth is asked for each class; `untold` if it is not told winning tiles."""

    rules: Ruleset
    conditions: tuple[c.Expr, ...] = ()
    untold: bool = False

    @cached_property
    def built(self) -> tuple[Program, Kernel]:
        return probed(self.rules, self.conditions)


class Space:
    """The hands of one rule set or of two, in classes that they tell apart.

    classes   records of `kernel.CLASS`, smallest hand first
    verdicts  by side: for each class and way to win, the number of its record in `proofs`
    proofs    by side: distinct verdicts, records of `kernel.PROOF`
    told      whether hands are told with their winning tiles; with `bare` there are then hands without one as well
    """

    def __init__(self, sides: Sequence[Asked], prints: bool = False, bare: bool = False) -> None:
        self.rules = [side.rules for side in sides]
        try:
            built = [side.built for side in sides]
        except TooLarge as large:
            raise Unfolded("sees_too_much") from large
        if any(facts_of_tiles(side.rules, program) for side, (program, _) in zip(sides, built, strict=True)):
            raise Unfolded("facts")
        tables = [facts_table(side.rules, program) for side, (program, _) in zip(sides, built, strict=True)]
        claims = any(kernel.asks_claim and not side.untold for side, (_, kernel) in zip(sides, built, strict=True))
        self.contexts = Contexts(tables, claims)
        types = 0
        for rules in self.rules:
            types |= sum(1 << TYPES[word] for word in meld_types(rules))
        packed = [
            SpaceSide(kernel, self.contexts.facts(table), side.untold)
            for side, (_, kernel), table in zip(sides, built, tables, strict=True)
        ]
        tables_ = binding.space(packed, self.contexts.legal, self.contexts.claimed, types, True, prints, bare)
        self.info = tables_.info
        if tables_.classes is None:
            raise Unfolded(_UNCLEAR[self.info["waits_unclear"]] or binding.FOLD_REASONS[self.info["reason"]])
        self.told = bool(self.info["told"])
        self.n_groups: int = self.info["n_groups"]
        self.group_of: Array = np.array(self.info["group_of"])
        self._waiting = built[self.info["left_side"]][1]
        n = len(self.contexts) * self.n_groups
        self.classes: Array = np.frombuffer(tables_.classes, np.dtype(CLASS, align=True))
        self.proofs = [np.frombuffer(proofs, np.dtype(PROOF, align=True)) for proofs in tables_.proofs]
        self.verdicts = [np.frombuffer(cells, np.uint32).reshape(-1, n) for cells in tables_.numbers]

    @cached_property
    def plain(self) -> Array:
        """Which classes have no void suit told, and a winning tile where that is asked for: these are the hands
        that are counted."""
        told: Array = self.classes["void"] == NO_VOID
        return told & (self.classes["win"] != NO_TILE) if self.told else told

    @cached_property
    def voided(self) -> Array:
        """Which classes have a void suit told: the same hands, each with each of the three."""
        told: Array = self.classes["void"] != NO_VOID
        return told & (self.classes["win"] != NO_TILE) if self.told else told

    def _sum(self, classes: Any) -> int:
        return sum(map(int, self.classes["count"][classes]))

    def count(self, classes: Any) -> int:
        """How many hands some classes (a mask) have, without a void suit told; if they have none, with each void
        suit that may be told."""
        return self._sum(classes & self.plain) or self._sum(classes & self.voided)

    def among(self, classes: Any) -> int:
        """How many winning hands there are of the sort in which `count` counts those of some classes."""
        only_voids = (classes & self.voided).any() and not (classes & self.plain).any()
        return self._sum(self._wins & self.voided) if only_voids else self.hands

    @cached_property
    def _wins(self) -> Array:
        wins: Array = np.zeros(len(self.classes), np.bool_)
        for verdicts in self.verdicts:
            wins |= (verdicts > NO_WIN).any(axis=1)
        return wins

    @cached_property
    def hands(self) -> int:
        """How many hands win in some context, by some side."""
        return self._sum(self._wins & self.plain)

    def hand(self, number: int, way: int = 0) -> Hand:
        """The smallest hand of a class, won in one way."""
        found = self.classes[number]
        context, group = divmod(way, self.n_groups)
        word = int(found["melds"])
        codes = [word >> shift & 255 for shift in (0, 8, 16, 24) if word >> shift & 255]
        own = tuple(Meld(_MELD_TYPES[(code - 1) // 34], (code - 1) % 34) for code in codes)
        told = self.contexts.situation(context, int(found["key"]))
        void = None if found["void"] == NO_VOID else int(found["void"])
        win = None if found["win"] == NO_TILE else int(found["win"])
        concealed = tuple(map(int, found["copies"]))
        seen = [sum(meld.tiles.count(kind) for meld in own) for kind in range(34)]
        if found["left_matters"]:
            self._see_more(concealed, own, win, seen, group)
        return Hand(concealed, own, win, told.by, told.flags, void, tuple(seen), told.kong)

    def _see_more(
        self, concealed: tuple[int, ...], own: tuple[Meld, ...], win: int | None, seen: list[int], group: int
    ) -> None:
        """Lays as few tiles on the table as leave a number of a group: of what is waited for, the lowest first."""
        assert win is not None
        before = tuple(n - (kind == win) for kind, n in enumerate(concealed))
        copies = self.rules[0].copies
        waits = [kind for kind in self._waiting.waits(Hand(before, own)) if before[kind] < copies[kind]]
        most = [copies[kind] - concealed[kind] - seen[kind] for kind in waits]
        left = sum(copies[kind] - seen[kind] for kind in waits)
        more = next(n for n in range(sum(most) + 1) if self.group_of[min(left - n, len(self.group_of) - 1)] == group)
        for kind, room in zip(waits, most, strict=True):
            seen[kind] += min(room, more)
            more -= min(room, more)

    def plainest(self, by: str) -> Array:
        """For each class, the way in which it is won so without flags, nothing but the own melds seen."""
        ways: Array = self.contexts.find(by) * self.n_groups + self.group_of[self.classes["left_high"]]
        return ways

    def plainly(self, side: int, by: str) -> Array:
        """For each class, the number of its verdict in that way."""
        found: Array = self.verdicts[side][np.arange(len(self.classes)), self.plainest(by)]
        return found

    def first(self, cells: Array) -> Hand | None:
        """The smallest hand of some cells (a mask by class and way to win), in its plainest way."""
        rows = cells.any(axis=1)
        if not rows.any():
            return None
        number = int(rows.argmax())
        return self.hand(number, int(cells[number].argmax()))

    def cells(self, side: int, of_proof: Array) -> Array:
        """A mask of proofs as a mask by class and way to win."""
        found: Array = of_proof[self.verdicts[side]]
        return found

    def wins(self, side: int = 0) -> Array:
        """Where a side's hands win."""
        won: Array = self.verdicts[side] > NO_WIN
        return won


def meld_types(rules: Ruleset) -> list[str]:
    """The melds that a table of these rules allows (许); pungs and kongs where the file speaks of no table."""
    permits = [permit for permit in rules.rules.permits if permit.declaration.verb == "may"]
    if not permits:
        return list(_MELD_TYPES[1:])
    allowed = {move for permit in permits for move in permit.moves}
    return [word for move, word in _MOVES.items() if move in allowed]


def bits(sets: Array, n: int) -> Iterator[Array]:
    """For each of the first n members, which of some sets hold it; sets are words, or rows of words."""
    words = sets.reshape(len(sets), -1)
    for member in range(n):
        yield (words[:, member // 64] >> np.uint64(member % 64) & np.uint64(1)).astype(np.bool_)
