"""Why a hand is worth what it is, or why it does not win, as text for people.

Conditions and formulas are shown in the author's own words, with the values they had.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pyengine.engine import readings
from pyengine.engine.formula import Formula, one_line
from pyengine.engine.kernel import Judged
from pyengine.engine.score import GROUP_NAMES, Reading, Result
from pyengine.language import core as c
from pyengine.language import vocabulary
from pyengine.language.diagnostics import Said, default_lang
from pyengine.language.model import UNIT_SIGNS
from pyengine.language.values import show_value
from pyengine.notation import tiles
from pyengine.notation.hand import Hand

if TYPE_CHECKING:
    from pyengine.engine.ruleset import Ruleset

_WORDS = {
    "zh": {
        "hand": "牌",
        "win": "胡 {tile}（{how}）",
        "reading": "拆法",
        "waited": "听法 {wait}",
        "fails": "不胡",
        "fans": "番种",
        "other": "未计",
        "combos": "合称",
        "total": "合计",
        "money": "胡分",
        "where": "其中",
        "payer": "每个付家付 {points}",
        "capped": "{value} 超过 {name} = {limit}，按 {limit} 计",
        "absorbed": "{by} 不计它",
        "unchosen": "{pick} 里只计一个",
        "false": "不成立: {text}{values}",
        "is": "{name} 是 {value}",
        "none": "没有 {name}",
        "may_win": "可胡 不成立: {text}{values}",
        "no_shape": "不成任何胡型；离“{shape}”最近，还差 {missing} 张",
        "times": " × {count} 次",
        "raised": "{fan} 算满: 至少 {value}",
        "from": "据",
        "and": "、",
    },
    "en": {
        "hand": "hand",
        "win": "won on {tile} ({how})",
        "reading": "reading",
        "waited": "wait {wait}",
        "fails": "no win",
        "fans": "fans",
        "other": "not counted",
        "combos": "together",
        "total": "total",
        "money": "money",
        "where": "where",
        "payer": "each payer pays {points}",
        "capped": "{value} is above {name} = {limit}: {limit} counts",
        "absorbed": "taken in by {by}",
        "unchosen": "only one of {pick} counts",
        "false": "false: {text}{values}",
        "is": "{name} is {value}",
        "none": "there is no {name}",
        "may_win": "may not win (可胡): {text}{values}",
        "no_shape": "makes no winning shape; nearest is {shape}, {missing} more needed",
        "times": " × {count} times",
        "raised": "{fan} counts as the limit: at least {value}",
        "from": "from",
        "and": ", ",
    },
}


def explain(rules: Ruleset, hand: Hand, result: Result, judged: Judged, lang: str | None = None) -> str:
    """The whole reasoning of one result; `lang` is zh or en, by default that of the locale."""
    return "\n".join(_Explanation(rules, hand, result, judged, lang or default_lang()).lines())


def why_not(rules: Ruleset, hand: Hand, result: Result, judged: Judged) -> Said:
    """Why a hand does not win, in a sentence of either language."""
    return Said(*(_Explanation(rules, hand, result, judged, lang).reason() for lang in ("zh", "en")))


class _Explanation:
    def __init__(self, rules: Ruleset, hand: Hand, result: Result, judged: Judged, lang: str) -> None:
        self.rules = rules
        self.hand = hand
        self.result = result
        self.judged = judged
        self.lang = lang
        self.words = _WORDS["zh" if lang == "zh" else "en"]
        self.reading = _oracle_reading(result.reading, judged)
        self.no_other = not any(
            count and not fan.late for count, fan in zip(judged.counts, rules.rules.fans.values(), strict=False)
        )

    def lines(self) -> Iterator[str]:
        yield self.row("hand", self.shown_hand())
        if self.result.reading:
            yield self.row("reading", self.shown_reading(self.result.reading))
        if not self.result.win:
            yield self.row("fails", self.reason())
            return
        yield from self.block("fans", self.counted())
        yield from self.block("other", self.uncounted())
        if self.result.combos:
            yield self.row("combos", " ".join(self.display(name) for name in self.result.combos))
        yield self.row("total", self.sums())
        yield from self.money()

    # ---- layout ----

    def row(self, label: str, text: str) -> str:
        return f"{_padded(self.words.get(label, label), 12 if self.lang == 'en' else 6)}{text}"

    def block(self, label: str, rows: list[tuple[str, str, str]]) -> Iterator[str]:
        widths = [max((_width(row[n]) for row in rows), default=0) for n in range(2)]
        for number, (name, worth, text) in enumerate(rows):
            body = f"{_padded(name, widths[0] + 2)}{_padded(worth, widths[1] + 2)}{text}".rstrip()
            yield self.row(label if number == 0 else "", body)

    def display(self, name: str) -> str:
        return self.rules.display(name, self.lang)

    # ---- the hand ----

    def shown_hand(self) -> str:
        parts = [f"{meld.type} {tiles.chinese(meld.tiles)}" for meld in self.hand.melds]
        parts.append(tiles.chinese(tiles.expand(self.hand.concealed)))
        how = self.words["and"].join([self.told(self.hand.by), *(self.told(f) for f in sorted(self.hand.flags))])
        if self.hand.win is not None:
            parts.append(self.words["win"].format(tile=tiles.CHINESE_NAMES[self.hand.win], how=how))
        return "  ".join(parts)

    def told(self, word: str) -> str:
        entry = vocabulary.find(word, "flag", "role")
        return word if self.lang == "zh" or entry is None else entry.english.replace("_", " ")

    def shown_reading(self, reading: Reading) -> str:
        shown = []
        for number, group in enumerate(reading.groups):
            text = tiles.chinese(group.tiles)
            if number < len(self.hand.melds):
                text = f"{group.type} {text}"
            shown.append(f"[{text}]" if number == reading.win_group else text)
        wait = f"  {self.words['waited'].format(wait=reading.wait)}" if reading.wait else ""
        return f"{reading.shape}: {'  '.join(shown)}{wait}"

    # ---- fans ----

    def counted(self) -> list[tuple[str, str, str]]:
        rows = []
        for fan in self.result.fans:
            declared = self.rules.rules.fans[fan.name]
            times = self.words["times"].format(count=fan.count) if fan.count > 1 else ""
            why = self.condition(declared)
            cites = "; ".join(declared.meta.cites)
            rows.append(
                (
                    self.display(fan.name),
                    f"{fan.value}{times}",
                    f"{why}  ({self.words['from']} {cites})" if cites else why,
                )
            )
        return rows

    def condition(self, fan: c.Fan) -> str:
        parts = [one_line(expr.span) for expr in (fan.when, fan.per) if expr]
        return "，".join(parts) if self.lang == "zh" else ", ".join(parts)

    def uncounted(self) -> list[tuple[str, str, str]]:
        rows = []
        for number, fan in enumerate(self.rules.rules.fans.values()):
            left, found = self.judged.counts[number], self.judged.found[number]
            if left == found and left:
                continue
            if found > left:
                why = self.taken(fan)
            else:
                why = self.absent(fan)
            worth = self.worth(number) if self.judged.values[number] else ""
            rows.append((self.display(fan.name), worth, why))
        return rows

    def worth(self, number: int) -> str:
        fan = list(self.rules.rules.fans.values())[number]
        return f"{self.judged.values[number]}{UNIT_SIGNS[fan.unit]}"

    def taken(self, fan: c.Fan) -> str:
        names = self.rules.fan_names
        standing = {name for name, count in zip(names, self.judged.counts, strict=True) if count}
        by = [
            f.name
            for f in self.rules.rules.fans.values()
            if f.name in standing and any(a.fan == fan.name for a in f.without)
        ]
        if by:
            return self.words["absorbed"].format(by=" ".join(by))
        picks = [pick.name for pick in self.rules.rules.picks.values() if fan.name in pick.fans]
        return self.words["unchosen"].format(pick=" ".join(picks))

    def absent(self, fan: c.Fan) -> str:
        if fan.when:
            failed = self.first_false(fan.when)
            if failed:
                return self.words["false"].format(text=one_line(failed.span), values=self.values(failed))
        if fan.per:
            return self.words["none"].format(name=one_line(fan.per.span).removeprefix("每个").strip())
        return self.words["false"].format(text=self.condition(fan), values="")

    def ask(self, expr: c.Expr) -> int | bool | None:
        return self.rules.oracle.evaluate(expr, self.hand, self.reading, self.judged.totals, self.no_other)

    def first_false(self, expr: c.Expr) -> c.Expr | None:
        """The innermost part that makes a condition false, reading from the left."""
        if self.ask(expr):
            return None
        if isinstance(expr, c.LetRef):
            return self.first_false(self.rules.rules.lets[expr.name].value) or expr
        if isinstance(expr, c.Logic) and expr.operator == "and":
            for part in expr.parts:
                failed = self.first_false(part)
                if failed:
                    return failed
        return expr

    def values(self, expr: c.Expr) -> str:
        """What the words of a condition were, in brackets."""
        shown: dict[str, str] = {}
        for node in c.walk(expr):
            if isinstance(node, (c.OptionIs, c.OptionRef)):
                option = self.rules.rules.options[node.name]
                shown[node.name] = show_value(self.rules.values[node.name], option.unit)
            elif isinstance(node, c.StanceRef):
                unit = self.rules.rules.stances[node.name].unit
                shown[one_line(node.span)] = show_value(self.ask(node), unit)
            elif isinstance(node, c.Word) and not node.is_truth and node is not expr:
                shown[one_line(node.span)] = str(self.ask(node))
            elif isinstance(node, c.LetRef) and self.rules.rules.lets[node.name].type == "number":
                shown[node.name] = str(self.ask(node))
            elif isinstance(node, c.SymbolIs) and node.symbol == "win_shape" and self.reading:
                shown["胡型"] = self.reading.shape
            elif isinstance(node, c.SymbolIs) and node.symbol == "wait_kind" and self.result.reading:
                shown["听法"] = self.result.reading.wait or "无"
        if not shown:
            return ""
        listed = ", ".join(self.words["is"].format(name=name, value=value) for name, value in shown.items())
        return f"（{listed}）" if self.lang == "zh" else f" ({listed})"

    # ---- not a win ----

    def reason(self) -> str:
        if self.result.reading is None:
            shape, shanten = self.rules.nearest_shape(self.hand)
            return self.words["no_shape"].format(shape=shape, missing=shanten + 1)
        may_win = self.rules.rules.let("may_win")
        assert may_win, "only 可胡 keeps a complete hand from winning"
        failed = self.first_false(may_win.value) or may_win.value
        return self.words["may_win"].format(text=one_line(failed.span), values=self.values(failed))

    # ---- money ----

    def sums(self) -> str:
        """The totals, unit by unit, as sums and products of the fans."""
        shown: list[str] = []
        for index, unit in enumerate(c.UNITS):
            if unit not in self.rules.units:
                continue
            terms, limits = [], []
            for number, fan in enumerate(self.rules.rules.fans.values()):
                if fan.unit != unit or not self.judged.counts[number]:
                    continue
                if fan.is_limit:
                    limits.append(self.words["raised"].format(fan=fan.name, value=self.worth(number)))
                else:
                    terms += [f"{self.judged.values[number]}{UNIT_SIGNS[unit]}"] * self.judged.counts[number]
            total = f"{self.judged.totals[index]}{UNIT_SIGNS[unit]}"
            sign = " × " if unit == "times" else " + "
            text = f"{sign.join(terms)} = {total}" if len(terms) > 1 or limits else total
            shown.append("; ".join([*limits, text]) if terms or len(shown) == 0 or limits else "")
        return "  ".join(filter(None, shown))

    def money(self) -> Iterator[str]:
        money = self.rules.rules.let("win_money")
        assert money
        formula = Formula(self.rules.rules, self.ask)
        yield self.row("money", formula.equation(money.value))
        named = formula.named()
        if named:
            yield self.row("where", "; ".join(named))
        for cap in formula.caps:
            yield self.row("", self.words["capped"].format(value=cap.value, name=cap.option, limit=cap.limit))
        yield self.row("", self.words["payer"].format(points=self.judged.money))


def _oracle_reading(reading: Reading | None, judged: Judged) -> readings.Reading | None:
    if reading is None:
        return None
    groups = tuple((GROUP_NAMES[type_], kind) for type_, kind in judged.groups)
    waits = (None, "edge_wait", "closed_wait", "open_wait", "single_wait", "twin_wait")
    return readings.Reading(reading.shape, groups, judged.win_group, waits[judged.wait])


def _width(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _padded(text: str, width: int) -> str:
    return text + " " * max(0, width - _width(text))
