"""A rule set under one choice of options: what the options decide is decided, once.

Options become constants, branches that no hand can reach disappear, and 无 is gone: it is taken out
of min, and left anywhere else it is an error (`Nowhere`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from pyengine.language import core as c
from pyengine.language.diagnostics import Diagnostic, Related
from pyengine.language.values import show_value

LIMIT = 10**15
"""Amounts are held within -LIMIT .. LIMIT; the kernel does the same."""

Values = Mapping[str, c.OptionValue]


def clamp(value: int) -> int:
    return max(-LIMIT, min(LIMIT, value))


def power(base: int, exponent: int) -> int:
    """Whole-number power held within the limit; below the first power everything is rounded down to 0."""
    if exponent < 0:
        return 0
    if base in (0, 1, -1):
        return base ** (exponent % 2 + 2) if base == -1 else base if exponent else 1
    result = 1
    for _ in range(min(exponent, 64)):  # From 2 on, 64 steps are beyond the limit.
        result *= base
    return clamp(result)


ARITHMETIC: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda a, b: clamp(a + b),
    "-": lambda a, b: clamp(a - b),
    "*": lambda a, b: clamp(a * b),
    "^": power,
}
COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


class Nowhere(Exception):
    """无 where a number is needed.  `place` is where it was used, `option` what was set to it."""

    def __init__(self, place: c.Expr, option: str) -> None:
        super().__init__(place.span.text)
        self.place = place
        self.option = option


class Folder:
    """Decides options in expressions; Nowhere when 无 stands where a number is needed.

    Lets that are `told` by a game stay as they are, even where the file makes constants of them.
    """

    def __init__(self, rules: c.Rules, values: Values, told: frozenset[str] = frozenset()) -> None:
        self.rules = rules
        self.values = values
        self.told = told
        self.lets: dict[str, c.Expr | Nowhere] = {}

    def fold(self, expr: c.Expr) -> c.Expr:
        match expr:
            case c.OptionRef():
                value = self.values[expr.name]
                if value is None:
                    return c.Nothing(expr.span, expr.name)
                assert not isinstance(value, str)
                return c.Truth(expr.span, value) if isinstance(value, bool) else c.Number(expr.span, value)
            case c.OptionIs():
                value = self.values[expr.name]
                among = any(type(v) is type(value) and v == value for v in expr.values)
                return c.Truth(expr.span, among != expr.negated)
            case c.LetRef():
                return self.let(expr)
            case c.Arithmetic():
                left, right = self.some(expr.left), self.some(expr.right)
                if isinstance(left, c.Number) and isinstance(right, c.Number):
                    return c.Number(expr.span, ARITHMETIC[expr.operator](left.value, right.value))
                return replace(expr, left=left, right=right)
            case c.Compare():
                left, right = self.some(expr.left), self.some(expr.right)
                if isinstance(left, c.Number) and isinstance(right, c.Number):
                    return c.Truth(expr.span, COMPARISONS[expr.operator](left.value, right.value))
                return replace(expr, left=left, right=right)
            case c.Extremum():
                return self.extremum(expr)
            case c.Logic():
                return self.logic(expr)
            case c.Not():
                part = self.fold(expr.part)
                return c.Truth(expr.span, not part.value) if isinstance(part, c.Truth) else replace(expr, part=part)
            case c.If():
                condition = self.fold(expr.condition)
                if isinstance(condition, c.Truth):
                    return self.fold(expr.then if condition.value else expr.otherwise)
                return replace(
                    expr, condition=condition, then=self.some(expr.then), otherwise=self.some(expr.otherwise)
                )
            case c.Quantified(test=c.CopiesTest() as test):
                return replace(expr, test=replace(test, value=self.some(test.value)))
            case c.CountSeats():
                return replace(expr, seats=self.fold(expr.seats))
        return expr

    def some(self, expr: c.Expr) -> c.Expr:
        """A folded expression that is not 无."""
        folded = self.fold(expr)
        if isinstance(folded, c.Nothing):
            raise Nowhere(expr, folded.option)
        return folded

    def let(self, ref: c.LetRef) -> c.Expr:
        if ref.name in self.told:
            return ref
        if ref.name not in self.lets:
            try:
                self.lets[ref.name] = self.fold(self.rules.lets[ref.name].value)
            except Nowhere as nowhere:
                self.lets[ref.name] = nowhere
        folded = self.lets[ref.name]
        if isinstance(folded, Nowhere):
            raise folded
        return folded if isinstance(folded, (c.Number, c.Truth, c.Nothing)) else ref

    def extremum(self, expr: c.Extremum) -> c.Expr:
        folded = [(argument, self.fold(argument)) for argument in expr.arguments]
        unlimited = [(argument, value.option) for argument, value in folded if isinstance(value, c.Nothing)]
        if unlimited and expr.function == "max":
            raise Nowhere(*unlimited[0])
        arguments = [value for _, value in folded if not isinstance(value, c.Nothing)]
        if not arguments:
            return c.Nothing(expr.span, unlimited[0][1])
        if all(isinstance(a, c.Number) for a in arguments):
            chosen = min if expr.function == "min" else max
            return c.Number(expr.span, chosen(a.value for a in arguments if isinstance(a, c.Number)))
        return arguments[0] if len(arguments) == 1 else replace(expr, arguments=tuple(arguments))

    def logic(self, expr: c.Logic) -> c.Expr:
        """A part that decides makes the others not matter, even one where 无 stands."""
        decides = expr.operator == "or"
        parts = []
        failed: Nowhere | None = None
        for part in expr.parts:
            try:
                folded = self.fold(part)
            except Nowhere as nowhere:
                failed = failed or nowhere
                continue
            if not isinstance(folded, c.Truth):
                parts.append(folded)
            elif folded.value == decides:
                return c.Truth(expr.span, decides)
        if failed:
            raise failed
        if not parts:
            return c.Truth(expr.span, not decides)
        return parts[0] if len(parts) == 1 else replace(expr, parts=tuple(parts))


@dataclass(frozen=True)
class Special:
    """A playable rule set with its options decided.

    `fans` keeps all fans in order; one whose condition has become false has `when` Truth(False).
    `lets` are folded, and hold what the rest refers to.
    """

    rules: c.Rules
    values: Values
    shapes: Mapping[str, c.Shape]
    fans: Mapping[str, c.Fan]
    lets: Mapping[str, c.Expr]
    money: c.Expr
    may_win: c.Expr
    may_wait: c.Expr


def specialise(rules: c.Rules, values: Values) -> tuple[Special | None, list[Diagnostic]]:
    """The rule set under option values; None with diagnostics where 无 is left in arithmetic."""
    folder = Folder(rules, values)
    diagnostics: list[Diagnostic] = []

    def folded(expr: c.Expr) -> c.Expr:
        try:
            return folder.some(expr)
        except Nowhere as nowhere:
            diagnostics.append(_nowhere(nowhere, rules))
            return c.Truth(expr.span, False)

    def truth(name: str) -> c.Expr:
        let = rules.let(name)
        return folded(let.value) if let else c.Truth(next(iter(rules.shapes.values())).span, True)

    shapes = {}
    for name, shape in rules.shapes.items():
        when = folded(shape.when) if shape.when else None
        if not (isinstance(when, c.Truth) and not when.value):
            shapes[name] = replace(shape, when=None if isinstance(when, c.Truth) else when)
    fans = {}
    for name, fan in rules.fans.items():
        when = folded(fan.when) if fan.when else None
        if isinstance(when, c.Truth) and not when.value:
            # What can never be there has no value to look at.
            fans[name] = replace(fan, when=when, value=c.Number(fan.span, 0), per=None)
            continue
        per = folded(fan.per) if fan.per else None
        fans[name] = replace(
            fan,
            when=None if isinstance(when, c.Truth) else when,
            value=folded(fan.value),
            per=per if isinstance(per, c.Quantified) else None,
        )
    money = rules.let("win_money")
    assert money, "only a playable rule set is specialised"
    result = (folded(money.value), truth("may_win"), truth("may_wait"))
    if diagnostics:
        return None, _once(diagnostics)
    # A let in which 无 is left stands in no reachable place: whatever reads it has folded without it.
    lets = {name: expr for name, expr in folder.lets.items() if not isinstance(expr, Nowhere)}
    return Special(rules, values, shapes, fans, lets, *result), []


def _nowhere(nowhere: Nowhere, rules: c.Rules) -> Diagnostic:
    facts = {
        "option": nowhere.option,
        "settings": f"{nowhere.option} = {show_value(None, None)}",
        "text": nowhere.place.span.text,
    }
    related = (Related(rules.options[nowhere.option].span, "declared"),)
    return Diagnostic("E337", nowhere.place.span, facts, related)


def _once(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """One diagnostic for each place."""
    return list({(d.span.source.name, d.span.start, d.span.end): d for d in diagnostics if d.span}.values())


def nowhere_in(rules: c.Rules, values: Values) -> list[Diagnostic]:
    """Where 无 is left in arithmetic of conditions and flows under option values."""
    found: list[Diagnostic] = []
    folder, at_table = Folder(rules, values), Folder(rules, values, rules.told)

    def look(expr: c.Expr | None, folder: Folder = at_table) -> bool:
        """Whether an expression may be true."""
        try:
            folded = folder.some(expr) if expr else None
        except Nowhere as nowhere:
            found.append(_nowhere(nowhere, rules))
            return False
        return not (isinstance(folded, c.Truth) and not folded.value)

    if rules.is_playable:
        found += specialise(rules, values)[1]
    for flow in rules.flows.values():
        if look(flow.when):
            for line in flow.transfers:
                if look(line.when):
                    for expr in c.read_by(line):
                        look(expr)
    for name in ("hand_over", "next_dealer"):
        let = rules.let(name)
        look(let.value if let else None)
    for permit in rules.permits:
        look(permit.when, folder)
    for claim in rules.claims:
        look(claim.law, folder)
    return _once(found)
