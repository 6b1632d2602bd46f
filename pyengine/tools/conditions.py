"""The conditions of a rule set, each with where it stands: what `prove` asks of every hand, `test` of every case.

A condition *stands* under others: a part of 且 matters only where the other parts hold, a part of 或 only
where no other part does.  Under these it may be seen true and seen false; one that never is one of the two
could be left out, or is why its fan never occurs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from pyengine.engine.ruleset import Ruleset
from pyengine.language import core as c
from pyengine.language.source import Span
from pyengine.language.specialise import Folder, Nowhere


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of a fan where it stands.  `role`: whole (the fan is there), and (a part of 且), or (of 或)."""

    fan: str
    role: str
    expr: c.Expr
    under: tuple[c.Expr, ...]

    @property
    def span(self) -> Span:
        return self.expr.span

    @property
    def when_true(self) -> c.Expr:
        return all_of((*self.under, self.expr))

    @property
    def when_false(self) -> c.Expr:
        return all_of((*self.under, negated(self.expr)))


@dataclass
class Questions:
    """Conditions to be asked of hands; each has a number by which its answer is known."""

    asked: list[c.Expr] = field(default_factory=list)

    def ask(self, expr: c.Expr) -> int:
        self.asked.append(expr)
        return len(self.asked) - 1


def negated(expr: c.Expr) -> c.Expr:
    return expr.part if isinstance(expr, c.Not) else c.Not(expr.span, expr)


def all_of(parts: tuple[c.Expr, ...]) -> c.Expr:
    return parts[0] if len(parts) == 1 else c.Logic(parts[-1].span, "and", parts)


def is_off(rules: Ruleset, fan: str) -> bool:
    """Whether the options have taken a fan away, or the shapes that it asks for."""
    when = rules.special.fans[fan].when
    return when is not None and _never(rules, when)


def _never(rules: Ruleset, expr: c.Expr) -> bool:
    match expr:
        case c.Truth():
            return not expr.value
        case c.SymbolIs(symbol="win_shape", negated=False):
            return not set(expr.values) & set(rules.special.shapes)
        case c.Logic():
            return (any if expr.operator == "and" else all)(_never(rules, part) for part in expr.parts)
    return False


def presence(rules: Ruleset, name: str) -> c.Expr:
    """That a fan is there, before choice and absorption."""
    fan = rules.special.fans[name]
    parts: tuple[c.Expr, ...] = (fan.when,) if fan.when else ()
    if fan.per:
        parts += (c.Compare(fan.per.span, ">=", fan.per, c.Number(fan.span, 1)),)
    return all_of(parts) if parts else c.Truth(fan.span, True)


def conditions_of(rules: Ruleset, name: str) -> list[Condition]:
    """The conditions of a fan as the options leave them: the whole, then its parts from left to right."""
    fan = rules.special.fans[name]
    found = [Condition(name, "whole", presence(rules, name), ())] if fan.when or fan.per else []
    per: tuple[c.Expr, ...] = ()
    if fan.per:
        per = (c.Compare(fan.per.span, ">=", fan.per, c.Number(fan.span, 1)),)
    if fan.when:
        found += _parts(name, fan.when, per)
    return found


def _parts(fan: str, expr: c.Expr, under: tuple[c.Expr, ...]) -> Iterator[Condition]:
    if isinstance(expr, c.Not):
        yield from _parts(fan, expr.part, under)
    if not isinstance(expr, c.Logic):
        return
    for n, part in enumerate(expr.parts):
        others = (*expr.parts[:n], *expr.parts[n + 1 :])
        there = (*under, *(others if expr.operator == "and" else map(negated, others)))
        yield Condition(fan, expr.operator, part, there)
        yield from _parts(fan, part, there)


def prefixes(rules: Ruleset, name: str) -> list[tuple[c.Expr, ...]]:
    """The parts that a fan needs all of, taken one by one from the left; alone, and then together."""
    fan = rules.special.fans[name]
    when = fan.when
    parts = when.parts if isinstance(when, c.Logic) and when.operator == "and" else (when,) if when else ()
    if fan.per:
        parts = (*parts, c.Compare(fan.per.span, ">=", fan.per, c.Number(fan.span, 1)))
    return [(part,) for part in parts] + [parts[:n] for n in range(2, len(parts) + 1)]


@dataclass(frozen=True, slots=True)
class Cap:
    """A min with a number in what a hand is worth: where it stands, the number, and what is held below it."""

    span: Span
    limit: int
    held: c.Expr


def caps(rules: Ruleset) -> list[Cap]:
    """Every min(…, number) that the money of a win is made with, outermost first."""
    special = rules.special
    folder = Folder(rules.rules, rules.values)
    found: dict[Span, Cap] = {}
    seen: set[str] = set()

    def look(expr: c.Expr) -> None:
        if isinstance(expr, c.LetRef):
            if expr.name not in seen:
                seen.add(expr.name)
                look(special.lets[expr.name])
            return
        if isinstance(expr, c.Extremum) and expr.function == "min":
            numbers = [part.value for part in expr.arguments if isinstance(part, c.Number)]
            held = [part for part in expr.arguments if not isinstance(part, c.Number)]
            if numbers and len(held) == 1:
                found.setdefault(expr.span, Cap(expr.span, min(numbers), held[0]))
        for child in c.children(expr):
            look(child)

    try:
        look(folder.some(special.money))
    except Nowhere:
        return []
    return list(found.values())


_OF_WAITS = frozenset("wait_count waits_left".split())
_OF_WIN_TILE = _OF_WAITS | frozenset("own_win_tiles own_win_tiles_all".split())


def asks_too_much(rules: Ruleset, name: str, reason: str) -> bool:
    """Whether a fan asks what classes of hands cannot tell for a reason (of `Unfolded`): patterns over suits, what
    was waited for where shapes have conditions, or where that is one condition too many the winning tile."""
    fan = rules.special.fans[name]
    return any(reads_too_much(rules, expr, reason) for expr in (fan.when, fan.per, fan.value) if expr)


def reads_too_much(rules: Ruleset, expr: c.Expr, reason: str) -> bool:
    """The same of an expression."""
    words = {"unclear_waits": _OF_WAITS, "sees_too_much": _OF_WIN_TILE}.get(reason, frozenset())
    pending = [expr]
    seen: set[str] = set()
    while pending:
        for expr in c.walk(pending.pop()):
            match expr:
                case c.LetRef() if expr.name not in seen:
                    seen.add(expr.name)
                    pending.append(_let(rules, expr.name))
                case c.Word() if expr.name in words:
                    return True
                case c.SymbolIs(symbol="wait_kind") | c.TileIs(tile="win_tile") if reason == "sees_too_much":
                    return True
                case c.PatternIn() if reason == "sees_suits_together" and any(
                    len({kind // 9 for _, kind in groups}) > 1 for groups in expr.alternatives
                ):
                    return True
    return False


def _let(rules: Ruleset, name: str) -> c.Expr:
    """A let with the options decided, where anything but a claim reads it."""
    return rules.special.lets.get(name, rules.rules.lets[name].value)


def without(rules: Ruleset, names: Sequence[str]) -> Ruleset:
    """The rules without some fans, which keep their places and are never there."""
    if not names:
        return rules
    fans = dict(rules.rules.fans)
    for name in names:
        fans[name] = replace(fans[name], when=c.Truth(fans[name].span, False), per=None)
    return Ruleset(replace(rules.rules, fans=fans), rules.values, rules.id)
