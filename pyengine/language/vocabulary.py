"""The built-in words of the rule language, as `grammar/words.yaml` lists them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pyengine import resources


@dataclass(frozen=True, slots=True)
class Entry:
    """One built-in word.  `english` is also the name by which the engine knows it."""

    word: str
    english: str
    kind: str
    type: str
    aliases: tuple[str, ...] = ()
    hand: bool = True
    situational: bool = False
    fact: bool = False
    win: Literal["own", "claimed"] | None = None
    stage: Literal["final"] | None = None
    range: tuple[int, int] | None = None
    roles: tuple[str, ...] = ()  # of an event: who does or suffers what happens, English
    zh: str = ""
    en: str = ""
    example: str = ""


@cache
def entries() -> tuple[Entry, ...]:
    """All entries in the order of the file."""
    return tuple(
        Entry(kind=kind, **_frozen(fields)) for kind, words in resources.data("words.yaml").items() for fields in words
    )


def _frozen(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()}


@cache
def _index() -> dict[tuple[str, str], Entry]:
    return {
        (spelling, entry.kind): entry
        for entry in reversed(entries())  # The first of two with one spelling wins.
        for spelling in (*entry.aliases, entry.english, entry.word)
    }


def find(word: str, *kinds: str) -> Entry | None:
    """The entry of a word in the first of the kinds that has it; Chinese, English or an alias."""
    for kind in kinds:
        entry = _index().get((word, kind))
        if entry:
            return entry
    return None


@cache
def of_kind(kind: str) -> list[Entry]:
    return [entry for entry in entries() if entry.kind == kind]


def values_of(type_name: str) -> list[Entry]:
    """The built-in values of a type, such as the kinds of waits."""
    return [entry for entry in entries() if entry.kind in ("value", "table_value") and entry.type == type_name]


def find_value(word: str, type_name: str) -> Entry | None:
    return next((e for e in values_of(type_name) if word in (e.word, e.english, *e.aliases)), None)


def win_flags() -> list[Entry]:
    """Flags and roles that are told with a win beside how the tile came."""
    return [e for e in entries() if e.fact and e.win is None and e.kind in ("flag", "role")]


def win_kinds() -> list[Entry]:
    """How a winning tile can come."""
    return [e for e in entries() if e.win is not None and e.kind == "flag"]


def spellings(kinds: Iterable[str]) -> list[str]:
    """Canonical spellings of all words of some kinds, for suggestions."""
    return list(dict.fromkeys(e.word for e in entries() if e.kind in set(kinds)))
