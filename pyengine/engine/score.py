"""Results as people and programs read them: names instead of numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from pyengine.engine.kernel import Judged
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

    def __init__(self, rules: Ruleset, hand: Hand | Callable[[], Hand], judged: Judged | Callable[[], Judged]) -> None:
        self._rules = rules
        self._hand = hand
        self._told = judged

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        names = ("win", "fans", "total", "points", "combos", "reading")
        return f"Result({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    def __reduce__(self) -> tuple[type[Result], tuple[Ruleset, Hand, Judged]]:
        return Result, (self._rules, self.hand, self._judged)

    @property
    def _key(self) -> tuple[object, ...]:
        return self.win, self.fans, self.total, self.points, self.combos, self.reading, self.hand

    @cached_property
    def hand(self) -> Hand:
        return self._hand if isinstance(self._hand, Hand) else self._hand()

    @cached_property
    def _judged(self) -> Judged:
        return self._told if isinstance(self._told, Judged) else self._told()

    @property
    def win(self) -> bool:
        return self._judged.win

    @property
    def points(self) -> int:
        return self._judged.money if self._judged.win else 0

    @cached_property
    def fans(self) -> tuple[Fan, ...]:
        judged = self._judged
        if not judged.win:
            return ()
        named = zip(self._rules.naming.fans, judged.counts, judged.values, strict=True)
        return tuple([Fan(name, count, f"{value}{sign}") for (name, sign), count, value in named if count])

    @cached_property
    def total(self) -> str:
        return self._rules.naming.totals(self._judged.totals if self._judged.win else (0, 0, 0, 0))

    @cached_property
    def combos(self) -> tuple[str, ...]:
        held = {fan.name: fan.count for fan in self.fans}
        combos = self._rules.naming.combos
        return tuple([name for name, parts in combos if all([held.get(part, 0) >= n for part, n in parts])])

    @cached_property
    def reading(self) -> Reading | None:
        return self._rules.naming.reading(self._judged) if self._judged.complete else None

    @property
    def totals(self) -> tuple[int, int, int, int]:
        """The totals of 番 倍 分 底, each."""
        return self._judged.totals

    @property
    def payments(self) -> list[dict[str, int]] | None:
        """Who pays whom how much, the winner at seat 0 and the discarder at seat 1.

        None after a kong of which the kind (`kong`) was not told, since who pays may depend on it.
        """
        from pyengine.engine.payments import payments

        return payments(self._rules, self)

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

    def totals(self, totals: tuple[int, ...]) -> str:
        """Totals with their units: of every unit that the fans have, those after the first if they are not 0."""
        if not self.units:
            return "0"
        (first, sign), *rest = self.units
        shown = f"{totals[first]}{sign}"
        return " ".join([shown, *(f"{totals[n]}{sign}" for n, sign in rest if totals[n])]) if rest else shown

    def reading(self, judged: Judged) -> Reading:
        groups = tuple([_group(*group) for group in judged.groups])
        return Reading(self.shape_names[judged.shape], groups, judged.win_group, WAIT_WORDS[judged.wait])


@cache
def _group(type_: int, kind: int) -> Group:
    kinds = (kind, kind + 1, kind + 2) if type_ < 2 else (kind,) * _SIZES[type_]
    return Group(GROUP_WORDS[type_], kinds, type_ not in _EXPOSED)
