"""What changed from one rule set to another in what their texts mean: fans, values, options, flows.

Declarations are compared as the resolver has them, so that spaces, comments, keywords in the other language and
the order of declarations make no difference; what is shown of them is their text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from pyengine.engine.ruleset import Ruleset
from pyengine.language.model import Meta
from pyengine.language.source import Source, Span
from pyengine.language.values import show_value


@dataclass(frozen=True, slots=True)
class TextChange:
    """A declaration of some kind that only one has (the other text is None), or that they have otherwise."""

    kind: str
    name: str
    before: str | None
    after: str | None


def changes_of_text(a: Ruleset, b: Ruleset) -> list[TextChange]:
    """The changes, by kind of declaration and in the order of the files."""
    old, new = a.rules, b.rules
    found: list[TextChange] = []
    found += _options(a, b)
    tables: tuple[tuple[str, Mapping[str, Any], Mapping[str, Any]], ...] = (
        ("stance", old.stances, new.stances),
        ("class", old.kinds, new.kinds),
        ("shape", old.shapes, new.shapes),
        ("fan", old.fans, new.fans),
        ("pick", old.picks, new.picks),
        ("combo", old.combos, new.combos),
        ("let", old.lets, new.lets),
        ("flow", old.flows, new.flows),
        ("order", old.orders, new.orders),
        ("play", old.play, new.play),
    )
    for kind, before, after in tables:
        found += _compared(kind, before, after, _text)
    for kind, before, after in (
        ("permit", _permits(a), _permits(b)),
        (
            "law",
            {x.declaration.name.text: x.law for x in old.claims},
            {x.declaration.name.text: x.law for x in new.claims},
        ),
    ):
        found += _compared(kind, before, after, _text)
    return found


def _options(a: Ruleset, b: Ruleset) -> list[TextChange]:
    """Options by what they are set to, then by what they may be."""
    found = []
    for name in dict.fromkeys((*a.options, *b.options)):
        before, after = (
            show_value(rules.values[name], rules.rules.options[name].unit) if name in rules.options else None
            for rules in (a, b)
        )
        if before != after:
            found.append(TextChange("option", name, before, after))
        elif meaning(a.rules.options[name].alternatives) != meaning(b.rules.options[name].alternatives):
            found.append(TextChange("range", name, _text(a.rules.options[name]), _text(b.rules.options[name])))
    return found


def _permits(rules: Ruleset) -> dict[str, Any]:
    """Permits by what they say; each is its own name."""
    return {_text(permit.declaration): (permit.moves, permit.when) for permit in rules.rules.permits}


def _compared(
    kind: str, before: Mapping[str, Any], after: Mapping[str, Any], text: Callable[[Any], str]
) -> list[TextChange]:
    found = []
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name), after.get(name)
        if name in before and name in after and meaning(old) == meaning(new):
            continue
        found.append(
            TextChange(kind, name, text(old) if name in before else None, text(new) if name in after else None)
        )
    return found


def meaning(value: Any) -> Any:
    """A record without what only says where it stands, and what is for readers."""
    if isinstance(value, (Span, Source, Meta)):
        return None
    if is_dataclass(value) and not isinstance(value, type):
        return type(value).__name__, tuple(meaning(getattr(value, f.name)) for f in fields(value))
    if isinstance(value, tuple):
        return tuple(meaning(part) for part in value)
    if isinstance(value, frozenset):
        return tuple(sorted(map(repr, value)))
    return value


def _text(value: Any) -> str:
    span = getattr(value, "span", None)
    if isinstance(span, Span):
        first = span.text.partition("\n  例")[0]
        return " ".join(first.split())
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, frozenset):
        return " ".join(map(str, sorted(value)))
    return str(value)
