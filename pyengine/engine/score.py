"""Results as people and programs read them: names instead of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pyengine.engine.kernel import TILE_SHIFT, TYPE_MASK, Judged, read_worth, reading_told, worth_told
from pyengine.language import core as c
from pyengine.language.diagnostics import default_lang
from pyengine.language.model import UNIT_SIGNS
from pyengine.notation.hand import Hand

if TYPE_CHECKING:
    from pyengine.engine.ruleset import Ruleset

# By mj_group_type and mj_wait.
GROUP_WORDS = ("顺子", "吃", "刻子", "刻子", "碰", "直杠", "巴杠", "暗杠", "将", "对", "单张")
GROUP_NAMES = "run chow triplet claimed pung direct_kong added_kong concealed_kong pair twin single".split()
WAIT_WORDS = (None, "边张", "卡张", "两面", "单钓", "双碰")
_SIZES = (3, 3, 3, 3, 3, 4, 4, 4, 2, 2, 1)
_EXPOSED = (1, 4, 5, 6)
MAX_WORTHS = 4096  # remembered of each rule set; hands that differ in tiles have the same few

PlainQuestion = tuple[str, Any, str, Any]
"""A closed hand as text, the winning tile, how it came and the void suit, as `Ruleset.score` takes them."""


@dataclass(frozen=True, slots=True)
class Fan:
    """A fan that counts: how often, and what one is worth (`2倍`)."""

    name: str
    count: int
    value: str


@dataclass(frozen=True, slots=True)
class Wait:
    """A tile that completes a hand, with what the hand is then worth."""

    tile: str
    points: int
    total: str
    fans: tuple[Fan, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A group of a reading: its word, its tiles as kinds, and whether it lay concealed."""

    type: str
    tiles: tuple[int, ...]
    concealed: bool


class Reading(NamedTuple):
    """The way a hand was taken apart; `win_group` is the group that the winning tile completed."""

    shape: str
    groups: tuple[Group, ...]
    win_group: int | None
    wait: str | None


class Worth(NamedTuple):
    """What a hand is worth, as `Result` tells it."""

    win: bool
    fans: tuple[Fan, ...]
    total: str
    points: int
    combos: tuple[str, ...]
    totals: tuple[int, ...]
    complete: bool


class Result:
    """What a hand is worth.

    win      whether it wins; if not, there are no fans and no points
    fans     the fans that count, in the order of the file
    total    their sum or product before the cap, with its unit (`4倍`, `3番`)
    points   what one payer pays
    combos   names of combinations (合称) that are among the fans
    reading  how the hand was taken apart; None when it makes no shape

    What is not asked for is not worked out: names are given to the kernel's numbers on the way out.
    """

    __slots__ = ("__weakref__", "_asked", "_reading", "_rules", "_told", "_worth")

    def __init__(self, rules: Ruleset, asked: Hand | PlainQuestion, told: Judged | bytes) -> None:
        self._rules = rules
        self._asked = asked
        self._told = told
        self._worth: Worth | None = None
        self._reading: Reading | bool | None = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        names = ("win", "fans", "total", "points", "combos", "reading")
        return f"Result({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    def __reduce__(self) -> tuple[type[Result], tuple[Ruleset, Hand | PlainQuestion, Judged | bytes]]:
        return Result, (self._rules, self._asked, self._told)

    @property
    def _key(self) -> tuple[object, ...]:
        return self.win, self.fans, self.total, self.points, self.combos, self.reading, self.hand

    @property
    def hand(self) -> Hand:
        if not isinstance(self._asked, Hand):
            text, win, by, void = self._asked
            self._asked = self._rules.hand(text, win=win, by=by, void=void)
        return self._asked

    @property
    def _judged(self) -> Judged:
        """The kernel's whole result; a plain question is asked again for it."""
        return self._told if isinstance(self._told, Judged) else self._rules.judge(self.hand)

    def _read(self) -> Worth:
        self._worth = worth = self._rules.naming.worth(self._told)
        return worth

    @property
    def win(self) -> bool:
        return (self._worth or self._read()).win

    @property
    def fans(self) -> tuple[Fan, ...]:
        return (self._worth or self._read()).fans

    @property
    def total(self) -> str:
        return (self._worth or self._read()).total

    @property
    def points(self) -> int:
        return (self._worth or self._read()).points

    @property
    def combos(self) -> tuple[str, ...]:
        return (self._worth or self._read()).combos

    @property
    def totals(self) -> tuple[int, ...]:
        """The totals of 番 倍 分 底, each."""
        return (self._worth or self._read()).totals

    @property
    def reading(self) -> Reading | None:
        reading = self._reading
        if isinstance(reading, bool):  # not looked at yet
            complete = (self._worth or self._read()).complete
            self._reading = reading = self._rules.naming.reading(self._told) if complete else None
        return reading

    @property
    def payments(self) -> list[dict[str, int]] | None:
        """Who pays whom how much, the winner at seat 0 and the discarder at seat 1.

        None after a kong of which the kind (`kong`) was not told, since who pays may depend on it.
        """
        worth, asked = self._worth or self._read(), self._asked
        if not worth.win:
            return []
        if isinstance(asked, Hand):
            paid = self._rules.paid(worth.points, asked.by, asked.flags, asked.kong, asked.stances)
        else:
            paid = self._rules.paid(worth.points, asked[2])
        return None if paid is None else [payment.copy() for payment in paid]

    def why(self, lang: str | None = None) -> str:
        """The whole reasoning as text: the reading, every fan, what was absorbed, the money; or why not."""
        from pyengine.engine.explain import explain

        return explain(self._rules, self.hand, self, self._judged, lang)

    def why_not(self, lang: str | None = None) -> str:
        """Why the hand does not win, in one sentence; empty for a hand that does."""
        from pyengine.engine.explain import why_not

        if self.win:
            return ""
        said = why_not(self._rules, self.hand, self, self._judged)
        return said.zh if (lang or default_lang()) == "zh" else said.en

    def display(self, name: str, lang: str) -> str:
        """A fan's name, with its English one for a reader of English."""
        return self._rules.display(name, lang)

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "win": self.win,
            "fans": [{"name": f.name, "count": f.count, "value": f.value} for f in self.fans],
            "total": self.total,
            "points": self.points,
            "combos": list(self.combos),
            "payments": self.payments,
        }


class Naming:
    """What a rule set calls things: made once for all its results."""

    def __init__(self, rules: c.Rules, fan_names: Sequence[str], shape_names: Sequence[str]) -> None:
        self.shape_names = shape_names
        self.fans = [(name, UNIT_SIGNS[rules.fans[name].unit]) for name in fan_names]
        used = {fan.unit for fan in rules.fans.values()}
        self.units = [(n, UNIT_SIGNS[unit]) for n, unit in enumerate(c.UNITS) if unit in used]
        self.combos = [(combo.name, combo.parts) for combo in rules.combos.values()]
        self._worth_of_short = lru_cache(MAX_WORTHS)(self._worth_of_short_anew)

    def worth(self, told: Judged | bytes) -> Worth:
        """What a result of the kernel says, but for the reading."""
        if isinstance(told, bytes):
            return self._worth_of_short(worth_told(told))
        counted = zip(told.values, told.counts, range(len(self.fans)), strict=True)
        fans = [fan for fan in counted if fan[1]] if told.win else []
        return self._worth(told.money, told.totals, told.win, told.complete, fans)

    def _worth_of_short_anew(self, told: bytes) -> Worth:
        return self._worth(*read_worth(told))

    def _worth(
        self, money: int, totals: Sequence[int], win: bool, complete: bool, counted: Iterable[tuple[int, int, int]]
    ) -> Worth:
        fans = []
        for value, count, number in counted:
            name, sign = self.fans[number]
            fans.append(Fan(name, count, f"{value}{sign}"))
        held = {fan.name: fan.count for fan in fans}
        combos = [name for name, parts in self.combos if all([held.get(part, 0) >= n for part, n in parts])]
        total = self.totals(totals if win else (0, 0, 0, 0))
        return Worth(win, tuple(fans), total, money if win else 0, tuple(combos), tuple(totals), complete)

    def totals(self, totals: Sequence[int]) -> str:
        """Totals with their units: of every unit that the fans have, those after the first if they are not 0."""
        if not self.units:
            return "0"
        (first, sign), *rest = self.units
        shown = f"{totals[first]}{sign}"
        return " ".join([shown, *(f"{totals[n]}{sign}" for n, sign in rest if totals[n])]) if rest else shown

    def reading(self, told: Judged | bytes) -> Reading:
        """How a complete hand was taken apart."""
        if isinstance(told, bytes):
            codes, shape, wait, win_group = reading_told(told)
            groups = tuple([_GROUPS[code] for code in codes])
            return Reading(self.shape_names[shape], groups, win_group, WAIT_WORDS[wait])
        groups = tuple([_GROUPS[type_ | kind << TILE_SHIFT] for type_, kind in told.groups])
        return Reading(self.shape_names[told.shape], groups, told.win_group, WAIT_WORDS[told.wait])


class _Groups(dict[int, Group]):
    """Every group there is, by its number in a result in short."""

    def __missing__(self, code: int) -> Group:
        type_, kind = code & TYPE_MASK, code >> TILE_SHIFT
        kinds = (kind, kind + 1, kind + 2) if type_ < 2 else (kind,) * _SIZES[type_]
        group = self[code] = Group(GROUP_WORDS[type_], kinds, type_ not in _EXPOSED)
        return group


_GROUPS = _Groups()
