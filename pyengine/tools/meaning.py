"""What changed from one rule set to another in what their texts mean: fans, values, options, flows.

Declarations are compared as the resolver has them, so that spaces, comments, keywords in the other language and
the order of declarations make no difference; what is shown of them is their text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from pyengine.engine.ruleset import Ruleset
from pyengine.language import core as c
from pyengine.language.model import Meta
from pyengine.language.source import Source, Span
from pyengine.language.values import show_value
from pyengine.notation import tiles


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
            found.append(TextChange("range", name, _range(a.rules.options[name]), _range(b.rules.options[name])))
    return found


def _permits(rules: Ruleset) -> dict[str, Any]:
    """Permits by what they say; each is its own name."""
    return {_said(permit): (permit.moves, permit.when) for permit in rules.rules.permits}


def _said(permit: c.Permit) -> str:
    span = permit.declaration.span
    end = permit.when.span.end if permit.when else permit.declaration.moves[-1].span.end
    return " ".join(span.source.text[span.start : end].split())


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
    """What a record says: its text from its name to the last thing it has a place for."""
    if isinstance(value, c.Combo):
        parts = [name if count == 1 else f"{count} {name}" for name, count in value.parts]
        return f"{value.name} = {', '.join(parts)}"
    if isinstance(value, c.Pick):
        return f"{value.name} = {', '.join(value.fans)}"
    if isinstance(value, c.Order):
        return f"{value.event} = {', '.join(value.flows)}"
    span = getattr(value, "span", None)
    if isinstance(span, Span):
        end = max(place.end for place in _places(value) if place.source == span.source)
        return " ".join(span.source.text[span.start : end].split())
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, frozenset):
        return tiles.compact(sorted(value))
    return str(value)


def _places(value: Any) -> Iterator[Span]:
    if isinstance(value, Span):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _places(part)
    elif is_dataclass(value) and not isinstance(value, (type, Meta)):
        for field in fields(value):
            yield from _places(getattr(value, field.name))


def _range(option: c.Option) -> str:
    shown = []
    for alternative in option.alternatives:
        if isinstance(alternative, c.Range):
            low, high = (show_value(n, option.unit) for n in (alternative.low, alternative.high))
            shown.append(low if low == high else f"{low} .. {high}")
        else:
            shown.append(show_value(alternative, option.unit))
    return " | ".join(shown)
