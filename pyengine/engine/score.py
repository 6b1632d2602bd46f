"""Results as people and programs read them: names instead of numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyengine.notation.hand import Hand
from pyengine.engine.kernel import Judged
from pyengine.language import core as c
from pyengine.language.model import UNIT_SIGNS

if TYPE_CHECKING:
    from pyengine.engine.ruleset import Ruleset

# By mj_group_type and mj_wait.
GROUP_WORDS = ("顺子", "吃", "刻子", "刻子", "碰", "直杠", "巴杠", "暗杠", "将", "对", "单张")
GROUP_NAMES = (
    "run chow triplet claimed pung direct_kong added_kong concealed_kong pair twin single".split()
)
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


@dataclass(frozen=True, slots=True)
class Reading:
    """The way a hand was taken apart; `win_group` is the group that the winning tile completed."""

    shape: str
    groups: tuple[Group, ...]
    win_group: int | None
    wait: str | None


@dataclass(frozen=True, slots=True)
class Result:
    """What a hand is worth.

    win      whether it wins; if not, there are no fans and no points
    fans     the fans that count, in the order of the file
    total    their sum or product before the cap, with its unit (`4倍`, `3番`)
    points   what one payer pays
    combos   names of combinations (合称) that are among the fans
    reading  how the hand was taken apart; None when it makes no shape
    """

    win: bool
    fans: tuple[Fan, ...]
    total: str
    points: int
    combos: tuple[str, ...]
    reading: Reading | None
    hand: Hand = field(repr=False)
    _rules: Ruleset = field(repr=False, compare=False)
    _judged: Judged = field(repr=False, compare=False)

    @property
    def totals(self) -> tuple[int, int, int, int]:
        """The totals of 番 倍 分 底, each."""
        return self._judged.totals

    def why(self, lang: str | None = None) -> str:
        """The whole reasoning as text: the reading, every fan, what was absorbed, the money; or why not."""
        from pyengine.engine.explain import explain

        return explain(self._rules, self.hand, self, self._judged, lang)

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "win": self.win,
            "fans": [{"name": f.name, "count": f.count, "value": f.value} for f in self.fans],
            "total": self.total,
            "points": self.points,
            "combos": list(self.combos),
        }


def result_of(rules: Ruleset, hand: Hand, judged: Judged) -> Result:
    """The kernel's numbers with the names of the rule set."""
    reading = reading_of(rules, judged) if judged.complete else None
    if not judged.win:
        return Result(False, (), show_totals(rules, (0, 0, 0, 0)), 0, (), reading, hand, rules, judged)
    names = rules.fan_names
    declared = rules.rules.fans
    fans = tuple(
        [
            Fan(names[n], count, f"{judged.values[n]}{UNIT_SIGNS[declared[names[n]].unit]}")
            for n, count in enumerate(judged.counts)
            if count
        ]
    )
    held = {fan.name: fan.count for fan in fans}
    combos = tuple(
        [
            name
            for name, combo in rules.rules.combos.items()
            if all(held.get(part, 0) >= count for part, count in combo.parts)
        ]
    )
    return Result(
        True, fans, show_totals(rules, judged.totals), judged.money, combos, reading, hand, rules, judged
    )


def reading_of(rules: Ruleset, judged: Judged) -> Reading:
    groups = tuple(
        [
            Group(GROUP_WORDS[t], (k, k + 1, k + 2) if t < 2 else (k,) * _SIZES[t], t not in _EXPOSED)
            for t, k in judged.groups
        ]
    )
    return Reading(rules.shape_names[judged.shape], groups, judged.win_group, WAIT_WORDS[judged.wait])


def show_totals(rules: Ruleset, totals: tuple[int, int, int, int]) -> str:
    """Totals with their units: of every unit that the rule set's fans have, the first in any case."""
    used = [unit for unit in c.UNITS if unit in rules.units]
    shown = [f"{totals[c.UNITS.index(unit)]}{UNIT_SIGNS[unit]}" for unit in used]
    return " ".join([shown[0], *(s for s in shown[1:] if s[0] != "0")]) if shown else "0"
