"""A formula in the author's words, with the values that its names had."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyengine.language import core as c
from pyengine.language.source import Span
from pyengine.language.values import show_value

Ask = Callable[[c.Expr], int | bool | None]
"""What an expression was worth; None is 无."""


@dataclass(frozen=True, slots=True)
class Cap:
    """An option that was the smallest in a min: `value` would have been more than `limit`."""

    value: int
    option: str
    limit: int


class Formula:
    """Writes out one or more expressions.  `known` names lets whose value is given, not worked out."""

    def __init__(self, rules: c.Rules, ask: Ask, known: frozenset[str] = frozenset()) -> None:
        self.rules = rules
        self.ask = ask
        self.known = known
        self.lets: dict[str, c.Expr] = {}
        self.caps: list[Cap] = []

    def equation(self, expr: c.Expr) -> str:
        """`底分 × 胡番 = 5 × 2 = 10`: the branch that was taken, with values put in, and the result."""
        steps = [one_line(expr.span)] if isinstance(expr, c.LetRef) else []
        taken = self.taken(expr)
        while isinstance(taken, c.LetRef) and taken.name not in self.known:
            # A name by itself says nothing; what it stands for does.
            taken = self.taken(self.rules.lets[taken.name].value)
        steps += [one_line(taken.span), self.text(taken), self.value(expr)]
        return " = ".join(dict.fromkeys(steps))

    def named(self) -> list[str]:
        """Each 令 that took part, with its own equation."""
        shown = []
        for name, expr in self.lets.items():
            taken = self.taken(expr)
            value = self.value(expr)
            plain = isinstance(taken, c.Number) or one_line(taken.span) == value
            shown.append(f"{name} = {value}" if plain else f"{name} = {one_line(taken.span)} = {value}")
        return shown

    def text(self, expr: c.Expr, inside: str = "") -> str:
        match expr:
            case c.If():
                return self.text(self.taken(expr), inside)
            case c.Arithmetic():
                sign = {"*": " × ", "^": "^"}.get(expr.operator, f" {expr.operator} ")
                left, right = self.text(expr.left, expr.operator), self.text(expr.right, expr.operator + "r")
                bare = inside in ("", "+", "+r", "-") or (inside in ("*", "*r") and expr.operator in ("*", "^"))
                return f"{left}{sign}{right}" if bare else f"({left}{sign}{right})"
            case c.Extremum():
                self.look_for_cap(expr)
                return f"{expr.function}({', '.join(self.text(a) for a in expr.arguments)})"
            case c.LetRef() if expr.name not in self.lets and expr.name not in self.known:
                self.lets[expr.name] = self.rules.lets[expr.name].value
                self.text(self.lets[expr.name])  # What it is in turn made of is found the same way.
        return self.value(expr)

    def value(self, expr: c.Expr) -> str:
        return show_value(self.ask(expr), None)

    def taken(self, expr: c.Expr) -> c.Expr:
        """The branch that a choice took."""
        while isinstance(expr, c.If):
            expr = expr.then if self.ask(expr.condition) else expr.otherwise
        return expr

    def look_for_cap(self, expr: c.Extremum) -> None:
        if expr.function != "min":
            return
        numbers = [(value, a) for a in expr.arguments if isinstance(value := self.ask(a), int)]
        lowest, by = min(numbers, key=lambda pair: pair[0])
        highest = max(value for value, _ in numbers)
        if isinstance(by, c.OptionRef) and highest > lowest:
            self.caps.append(Cap(highest, by.name, lowest))


def one_line(span: Span) -> str:
    """The author's words on one line."""
    return " ".join(span.text.split())
