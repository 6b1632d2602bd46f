"""What PyYAML finds in a text becomes data with places, or a diagnostic."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from pyengine.language.diagnostics import MAX_FOUND, Diagnostic, Related
from pyengine.language.source import Source, Span
from pyengine.notation.yamlfile import DIGITS, MAX_DEPTH, MAX_NODES, Document, Path, wide_colon

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CONSTANTS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_CONSTANTS |= dict.fromkeys(("", "~", "null", "Null", "NULL"), None)  # type: ignore[arg-type]
_INTEGER = re.compile(rf"[-+]?(?:0|[1-9][0-9]{{0,{DIGITS - 1}}})").fullmatch


def read(source: Source) -> tuple[Document | None, list[Diagnostic]]:
    """The document of a text; None when it cannot be read at all."""
    reader = _Reader(source)
    try:
        return reader.read(), reader.found
    except _Refused as refused:
        return None, [*reader.found, refused.diagnostic]
    except yaml.YAMLError as error:
        return None, [*reader.found, _syntax_error(source, error)]


class _Refused(Exception):
    """Reading cannot go on."""

    def __init__(self, code: str, span: Span, **facts: object) -> None:
        self.diagnostic = Diagnostic(code, span, facts)
        super().__init__(code)


class _Reader:
    """Events of the parser become data; how deep this goes is bounded before anything is built."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.found: list[Diagnostic] = []
        self.spans: dict[Path, Span] = {}
        self.keys: dict[Path, Span] = {}
        self.nodes = 0

    def read(self) -> Document | None:
        events: Iterator[Any] = iter(yaml.parse(self.source.text, Loader=_Loader))
        data: Any = None
        documents = 0
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise _Refused("E804", self.span(event))
            elif isinstance(event, yaml.NodeEvent):
                data = self.value(event, (), events)
        if not documents or data is None:
            raise _Refused("E803", Span(self.source, 0, 0))
        return Document(self.source, data, self.spans, self.keys)

    def span(self, event: Any) -> Span:
        start, end = event.start_mark.index, event.end_mark.index
        return Span(self.source, start, max(start, end))

    def value(self, event: Any, path: Path, events: Iterator[Any]) -> Any:
        """One value with everything in it; its depth is the length of its path."""
        self.nodes += 1
        if len(path) > MAX_DEPTH or self.nodes > MAX_NODES:
            raise _Refused("E805", self.span(event), depth=MAX_DEPTH, nodes=MAX_NODES)
        if isinstance(event, yaml.AliasEvent) or event.anchor:
            raise _Refused("E806", self.span(event), name=event.anchor)
        self.spans[path] = self.span(event)
        if getattr(event, "tag", None) not in (None, "!"):
            raise _Refused("E807", self.span(event), tag=event.tag)
        if isinstance(event, yaml.ScalarEvent):
            return _scalar(event)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.items(path, events)
        return self.entries(path, events)

    def items(self, path: Path, events: Iterator[Any]) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            items.append(self.value(event, (*path, len(items)), events))
        self.close(path, event)
        return items

    def entries(self, path: Path, events: Iterator[Any]) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent) or event.anchor or event.tag not in (None, "!"):
                raise _Refused("E808", self.span(event))
            self.nodes += 1
            key, span = event.value, self.span(event)
            place = (*path, key)
            if key in entries:
                related = (Related(self.keys[place], "first_here"),)
                self.found.append(Diagnostic("E809", span, {"key": key}, related))
                if len(self.found) >= MAX_FOUND:
                    raise _Refused("E817", span, limit=MAX_FOUND)
                # The first one stands; the second is read past, under a path that nobody asks for.
                place = (*path, key, "again", self.nodes)
                self.value(next(events), place, events)
                continue
            self.keys[place] = span
            entries[key] = self.value(next(events), place, events)
        self.close(path, event)
        return entries

    def close(self, path: Path, event: Any) -> None:
        """A block ends where its last line does, not where the next thing starts."""
        start = self.spans[path].start
        text = self.source.text[start : event.end_mark.index].rstrip()
        self.spans[path] = Span(self.source, start, start + len(text))


def _scalar(event: Any) -> str | int | bool | None:
    text: str = event.value
    if not event.implicit[0] or event.style not in (None, ""):
        return text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    return int(text) if _INTEGER(text) else text


# ---- syntax errors ---------------------------------------------------------------------------


def _syntax_error(source: Source, error: yaml.YAMLError) -> Diagnostic:
    mark = getattr(error, "problem_mark", None)
    problem = str(getattr(error, "problem", None) or error)
    at = min(mark.index, len(source.text)) if mark else 0
    span = Span(source, at, min(at + 1, len(source.text)))
    opened = getattr(error, "context_mark", None)
    if "nesting depth" in problem:
        return Diagnostic("E805", span, {"depth": MAX_DEPTH, "nodes": MAX_NODES})
    wide = _wide_colon(source, at)
    if wide:
        return wide
    if source.text[at : at + 1] == "\t":
        return Diagnostic("E812", span)
    if "',' or" in problem or "unexpected end of stream" in problem:
        related = (Related(Span(source, opened.index, opened.index + 1), "opened_here"),) if opened else ()
        return Diagnostic("E813", span, {}, related)
    if "cannot start any token" in problem:
        return Diagnostic("E814", span, {"character": span.text})
    if "mapping values are not allowed" in problem:
        return Diagnostic("E815", span)
    if "did not find expected" in problem or "could not find expected" in problem:
        return Diagnostic("E816", span, {"problem": problem})
    return Diagnostic("E801", span, {"problem": problem})


def _wide_colon(source: Source, at: int) -> Diagnostic | None:
    """A full-width colon on the line of an error or, where it is noticed late, the line before."""
    this = source.text.rfind("\n", 0, at) + 1
    for start in (this, source.text.rfind("\n", 0, max(this - 1, 0)) + 1):
        line = source.text[start:].partition("\n")[0]
        column = line.find("：")
        if column >= 0 and ": " not in line:
            return wide_colon(Span(source, start + column, start + column + 1))
    return None
