"""What is wrong, where, and what would be right: records, and the one place that renders them.

A diagnostic carries a code and facts.  The words are in `grammar/messages/`, one entry per
code in Chinese and English, so that text and logic stay apart.
"""

from __future__ import annotations

import locale
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, NamedTuple

from pyengine import resources
from pyengine.language.source import Span, Unreadable

Lang = Literal["zh", "en"]

MAX_FOUND = 100  # diagnostics of one rule set; nobody reads more of them at once
MAX_FACT = 400  # characters of a fact in a sentence
MAX_MISSPELT = 60  # characters of a word that is looked for by spelling


@dataclass(frozen=True)
class Related:
    """A second place that belongs to a diagnostic; `note` is a key of the catalogue's notes."""

    span: Span
    note: str
    facts: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Diagnostic:
    """One finding.  `code` starts with E (error) or W (warning)."""

    code: str
    span: Span | None = None
    facts: Mapping[str, object] = field(default_factory=dict)
    related: tuple[Related, ...] = ()
    suggestions: tuple[str, ...] = ()

    @property
    def is_error(self) -> bool:
        return self.code.startswith("E")


class Said(NamedTuple):
    """A fact that is a sentence of its own."""

    zh: str
    en: str


class RulespecError(Exception):
    """Something the user gave cannot be used.  `diagnostics` says what and where."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.diagnostics,)

    def __str__(self) -> str:
        return render(self.diagnostics, lang=default_lang())


class RuleError(RulespecError):
    """A rule file that cannot be loaded."""


class InputError(RulespecError, ValueError):
    """A hand, case, record or option that cannot be used."""


def from_unreadable(error: Unreadable) -> Diagnostic:
    return Diagnostic(error.reason, None, error.facts)


def refuse(code: str, span: Span | None = None, suggestions: Sequence[str] = (), **facts: object) -> InputError:
    """An InputError of one diagnostic."""
    return InputError([Diagnostic(code, span, facts, (), tuple(suggestions))])


def unfit(name: str, wanted: str, given: object) -> Diagnostic:
    """An argument of a type that its function has no use for; `wanted` is a word of the catalogue (wanted.…)."""
    return Diagnostic("E944", None, {"name": name, "wanted": (f"wanted.{wanted}",), "found": type(given).__name__})


def text_of(value: object) -> str:
    """A value as text; Python refuses to write numbers of thousands of digits."""
    try:
        return str(value)
    except ValueError:
        return f"{type(value).__name__} …"


# ---- suggestions -----------------------------------------------------------------------------


def closest(word: str, candidates: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """Candidates that `word` may have been meant for: the same thing by another name, then by spelling."""
    known = dict.fromkeys(candidates)
    same = same_thing(word, known)

    def distance(other: str) -> float:
        longer = max(len(word), len(other))
        if abs(len(word) - len(other)) > longer / 2 or longer > MAX_MISSPELT:
            return float("inf")
        edits = _edit_distance(word.casefold(), other.casefold())
        # Half of the longer word may differ; for names of two or three characters that is one.
        return edits if edits <= longer / 2 else float("inf")

    near = sorted((distance(other), other) for other in known if other not in same and other != word)
    return (*same, *[other for far, other in near if far < float("inf")])[:limit]


def same_thing(word: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """Candidates that are another name for what `word` names."""
    known = set(candidates)
    return tuple(dict.fromkeys(other for other in _synonyms().get(word, ()) if other in known))


@cache
def _synonyms() -> dict[str, list[str]]:
    same: dict[str, list[str]] = {}
    for group in resources.data("mistakes.yaml")["synonyms"]:
        for word in group:
            same.setdefault(word, []).extend(other for other in group if other != word)
    return same


def _edit_distance(a: str, b: str) -> int:
    previous = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        current = [i]
        for j, right in enumerate(b, 1):
            current.append(min(previous[j] + 1, current[-1] + 1, previous[j - 1] + (left != right)))
        previous = current
    return previous[-1]


# ---- rendering -------------------------------------------------------------------------------


def default_lang() -> Lang:
    """zh where the locale is Chinese, else en."""
    for variable in ("RULESPEC_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(variable)
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    code = locale.getlocale()[0] or ""
    return "zh" if code.lower().startswith(("zh", "chinese")) else "en"


def message(code: str, facts: Mapping[str, object], lang: Lang) -> str:
    """The sentence of a code."""
    return _fill(_catalogue()["codes"][code][lang], facts, lang)


def help_text(code: str, lang: Lang) -> str | None:
    """The page of a code: what it means and how to mend it; None for an unknown code."""
    entry: dict[str, str] | None = _catalogue()["codes"].get(code)
    if entry is None:
        return None
    return entry.get(f"help_{lang}") or re.sub(r"\{\w+\}", "…", entry[lang])


def codes() -> list[str]:
    return list(_catalogue()["codes"])


def as_json(diagnostic: Diagnostic, lang: Lang) -> dict[str, Any]:
    """A diagnostic as plain data with stable keys."""
    span = diagnostic.span
    return {
        "code": diagnostic.code,
        "severity": "error" if diagnostic.is_error else "warning",
        "message": message(diagnostic.code, diagnostic.facts, lang),
        **_place(span),
        "related": [
            {"message": _fill(_catalogue()["notes"][r.note][lang], r.facts, lang), **_place(r.span)}
            for r in diagnostic.related
        ],
        "suggestions": list(diagnostic.suggestions),
    }


def _place(span: Span | None) -> dict[str, object]:
    if span is None:
        return {"file": None, "line": None, "column": None}
    return {"file": span.source.name, "line": span.line, "column": span.column}


def render(diagnostics: Iterable[Diagnostic], lang: Lang, color: bool = False) -> str:
    """Diagnostics as text for people: code, sentence, place, the line underlined, suggestions."""
    return "\n".join(_render_one(diagnostic, lang, color) for diagnostic in diagnostics)


def _render_one(diagnostic: Diagnostic, lang: Lang, color: bool) -> str:
    words = _catalogue()["words"]
    tone = "31" if diagnostic.is_error else "33"
    severity = words["error" if diagnostic.is_error else "warning"][lang]
    head = _paint(f"{severity}[{diagnostic.code}]", f"1;{tone}", color)
    lines = [f"{head} {message(diagnostic.code, diagnostic.facts, lang)}"]
    if diagnostic.span:
        lines += _excerpt(diagnostic.span, tone, "^", color)
    for related in diagnostic.related:
        note = _fill(_catalogue()["notes"][related.note][lang], related.facts, lang)
        lines.append(f"  {words['note'][lang]}{note}")
        lines += _excerpt(related.span, "34", "-", color)
    if diagnostic.suggestions:
        quoted = words["or"][lang].join(f"`{s}`" for s in diagnostic.suggestions)
        lines.append(f"  {_paint(words['suggestion'][lang].format(quoted), '32', color)}")
    return "\n".join(lines)


def _excerpt(span: Span, tone: str, mark: str, color: bool) -> list[str]:
    from rich.cells import cell_len

    number, column = span.source.position(span.start)
    line = span.source.line(number)
    shift = 0
    if len(line) > 160 or cell_len(line) > 160:  # A line of thousands of characters would bury the message.
        shift = max(0, column - 41)
        line = ("…" if shift else "") + line[shift : shift + 120] + ("…" if len(line) > shift + 120 else "")
    line = printable(line.replace("\t", " "))
    start = column - 1 - shift + (1 if shift else 0)
    # Only the first line of a longer span is underlined.
    before, marked = line[:start], line[start : start + max(span.end - span.start, 1)]
    gutter = str(number)
    pad = " " * len(gutter)
    under = " " * cell_len(before) + mark * max(cell_len(marked), 1)
    return [
        f"{pad}--> {span.place}",
        f"{gutter} | {line}",
        f"{pad} | {_paint(under, tone, color)}",
    ]


def printable(text: str) -> str:
    """Text that a terminal shows as characters: control characters become visible ones."""
    return "".join(c if c.isprintable() or c == "\u3000" else "\N{REPLACEMENT CHARACTER}" for c in text)


def _fill(template: str, facts: Mapping[str, object], lang: Lang) -> str:
    return template.format_map({key: _shown(value, lang) for key, value in facts.items()})


def _shown(value: object, lang: Lang) -> str:
    """A fact on one line; of a tuple each part that is a word of the catalogue in the reader's language."""
    if isinstance(value, Said):
        return value.zh if lang == "zh" else value.en
    if isinstance(value, tuple):
        value = " ".join(_part(part, lang) for part in value)
    text = printable(re.sub(r"\s+", " ", text_of(value)))
    return text if len(text) <= MAX_FACT else text[: MAX_FACT - 1] + "…"


def _part(part: object, lang: Lang) -> str:
    words = _catalogue()["words"]
    return words[part][lang] if isinstance(part, str) and "." in part and part in words else _shown(part, lang)


def _paint(text: str, style: str, color: bool) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if color else text


@cache
def _catalogue() -> dict[str, Any]:
    merged: dict[str, Any] = {"codes": {}, "notes": {}, "words": {}}
    for path in sorted(resources.grammar("messages").glob("*.yaml")):
        for part, entries in resources.data(f"messages/{path.name}").items():
            merged[part].update(entries)
    return merged
