"""Files of records: the `record:` of a case file, a record that is the whole file, or one a line (.jsonl)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pyengine.language.diagnostics import Diagnostic, InputError, from_unreadable
from pyengine.language.source import Source, Span, Unreadable, decode, read
from pyengine.notation import yamlfile
from pyengine.notation.fields import Fields
from pyengine.notation.records import Record, read_record

MAX_LINE = 200_000


@dataclass(frozen=True, slots=True)
class NamedRecord:
    """A record with the name and the options that its file gives it."""

    id: str
    options: Mapping[str, str]
    record: Record = field(repr=False)


@dataclass(frozen=True)
class _LazyDocument:
    """A line of a .jsonl file: its places are worked out only when something is wrong."""

    data: Any
    name: str
    number: int
    text: str

    @cached_property
    def source(self) -> Source:
        return Source(self.name, "\n" * (self.number - 1) + self.text)

    @cached_property
    def document(self) -> yamlfile.Document:
        document, found = yamlfile.load(self.source)
        if document is None:
            raise InputError(found)
        return document

    def span(self, *path: str | int) -> Span:
        return _LazySpan(self, path, False)  # type: ignore[return-value]

    def key(self, *path: str | int) -> Span:
        return _LazySpan(self, path, True)  # type: ignore[return-value]


class _LazySpan:
    """A span that is looked for when it is read."""

    def __init__(self, document: _LazyDocument, path: tuple[str | int, ...], key: bool) -> None:
        self._document = document
        self._path = path
        self._key = key

    @cached_property
    def _span(self) -> Span:
        document = self._document.document
        return document.key(*self._path) if self._key else document.span(*self._path)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._span, name)


def load_records(path: Path) -> Iterator[NamedRecord]:
    """The records of a file, one after another; InputError with what is wrong in it."""
    if path.suffix == ".jsonl":
        yield from _lines(path)
        return
    try:
        source = read(path)
    except Unreadable as error:
        raise InputError([from_unreadable(error)]) from None
    document, found = yamlfile.load(source)
    if document is None:
        raise InputError(found)
    records = list(_in_document(document, path.stem, found))
    if found:
        raise InputError(found)
    if not records:
        raise InputError([Diagnostic("E770", None, {"path": path})])
    yield from records


def _in_document(document: yamlfile.Document, name: str, found: list[Diagnostic]) -> Iterator[NamedRecord]:
    data = document.data
    games = data.get("games") if isinstance(data, dict) else None
    if isinstance(games, list):
        shared = Fields(document, (), []).scalars("set") or {}
        for n, game in enumerate(games):
            if isinstance(game, dict) and "record" in game:
                yield from _wrapped(document, ("games", n), str(game.get("id", n + 1)), shared, found)
    elif isinstance(data, dict) and "record" in data:
        yield from _wrapped(document, (), name, {}, found)
    else:
        fields = Fields(document, (), found)
        options = fields.scalars("set") or {}
        record = read_record(fields)
        if record:
            yield NamedRecord(name, options, record)


def _wrapped(
    document: yamlfile.Document,
    path: yamlfile.Path,
    name: str,
    shared: Mapping[str, str],
    found: list[Diagnostic],
) -> Iterator[NamedRecord]:
    own = Fields(document, path, []).scalars("set") or {}
    record = read_record(Fields(document, (*path, "record"), found))
    if record:
        yield NamedRecord(name, {**shared, **own}, record)


def _lines(path: Path) -> Iterator[NamedRecord]:
    if path.is_dir():
        raise InputError([Diagnostic("E902", None, {"path": path})])
    some = False
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, 1):
                if raw.strip():
                    some = True
                    yield from _line(path, number, raw)
    except FileNotFoundError:
        raise InputError([Diagnostic("E901", None, {"path": path})]) from None
    except OSError as error:
        raise InputError([Diagnostic("E903", None, {"path": path, "error": error.strerror or str(error)})]) from None
    if not some:
        raise InputError([Diagnostic("E770", None, {"path": path})])


def _line(path: Path, number: int, raw: bytes) -> Iterator[NamedRecord]:
    try:
        text = decode(raw, str(path)).rstrip("\n")
    except Unreadable as error:
        raise InputError([from_unreadable(error)]) from None
    try:
        data = json.loads(text) if len(text) <= MAX_LINE else None
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        start = number - 1
        span = Span(Source(str(path), "\n" * start + text), start, start + min(len(text), 80))
        raise InputError([Diagnostic("E769", span, {"line": number})])
    document: Any = _LazyDocument(data, str(path), number, text)
    found: list[Diagnostic] = []
    inner = isinstance(data.get("record"), dict)
    top = Fields(document, (), found if inner else [])
    options = top.scalars("set") or {}
    name = top.text("id") or f"{path.stem}:{number}"
    if inner:
        for key in ("source", "ruleset", "record"):
            top.has(key)
        top.done()
    else:
        data.pop("set", None)
    record = read_record(Fields(document, ("record",) if inner else (), found))
    if found or record is None:
        raise InputError(_settled_spans(found))
    yield NamedRecord(name, options, record)


def _settled_spans(found: list[Diagnostic]) -> list[Diagnostic]:
    """Diagnostics whose places are spans at last."""
    from dataclasses import replace

    return [replace(d, span=d.span._span) if isinstance(d.span, _LazySpan) else d for d in found]
