"""Values of options: from text, and back to what an author writes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from pyengine.language import core as c
from pyengine.language import model as m
from pyengine.language import vocabulary
from pyengine.language.diagnostics import Diagnostic, Related, closest
from pyengine.language.source import Span


class Unknown:
    """The mark of a value that an option does not have; None already means 无."""


UNKNOWN = Unknown()


def read_values(
    declared: Mapping[str, c.Option],
    given: Mapping[str, object],
    unknown: tuple[str, Mapping[str, object]],
    place: Callable[[str], Span | None] | None = None,
) -> tuple[dict[str, c.OptionValue], list[Diagnostic]]:
    """The values that were given for options or stances, and what is wrong with the others.

    `unknown` is the code, with its facts, for a name that is not declared.
    """
    values: dict[str, c.OptionValue] = {}
    wrong: list[Diagnostic] = []
    for name, text in given.items():
        span = place(name) if place else None
        option = declared.get(name)
        if option is None:
            code, facts = unknown
            wrong.append(Diagnostic(code, span, {"name": name, **facts}, (), closest(name, declared)))
            continue
        shown = ("是" if text else "否") if isinstance(text, bool) else str(text)
        value = read_value(option, shown)
        if isinstance(value, Unknown) or not option.admits(value):
            alternatives = [show_value(a, option.unit) for a in option.alternatives]
            told = {"name": name, "value": shown, "values": " ".join(alternatives)}
            related = Related(option.span, "declared")
            wrong.append(Diagnostic("E909", span, told, (related,), closest(shown, alternatives)))
        else:
            values[name] = value
    return values, wrong


def read_value(option: c.Option, text: str) -> c.OptionValue | Unknown:
    """A value of an option from text: 8倍, 8, 是, 无 or a symbol.  Unknown text is `Unknown`."""
    if any(a is text or a == text for a in option.alternatives if isinstance(a, str)):
        return text
    entry = vocabulary.find(text, "value")
    if entry and entry.type == "option":
        return None
    if entry and entry.type == "truth" and True in option.alternatives:
        return entry.english == "yes"
    amount = re.fullmatch(r"([0-9]{1,10})(\D*)", text)
    if amount:
        digits, sign = amount.groups()
        if not sign or (option.unit and sign in _UNIT_SPELLINGS[option.unit]):
            return int(digits)
    return UNKNOWN


_UNIT_SPELLINGS: dict[m.Unit, tuple[str, ...]] = {
    "fan": ("番", "fan"),
    "times": ("倍", "x"),
    "point": ("分", "颗", "pt"),
    "base": ("底", "base"),
}


def show_value(value: c.OptionValue | c.Range, unit: m.Unit | None) -> str:
    """A value as an author writes it."""
    sign = m.UNIT_SIGNS[unit] if unit else ""
    if isinstance(value, c.Range):
        if value.low == value.high:
            return f"{value.low}{sign}"
        return f"{value.low}{sign} .. {value.high}{sign}"
    if value is None:
        return "无"
    if isinstance(value, bool):
        return "是" if value else "否"
    return f"{value}{sign}" if isinstance(value, int) else value
