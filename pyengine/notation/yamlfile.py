"""YAML with places: plain data, and for every value and key of it the span that it came from.

Only what a file of cases needs is read: mappings with text as keys, lists, text, whole numbers,
true, false and nothing.  Words that YAML 1.1 takes for something else (yes, no, on, 1:20, dates)
are text, anchors, aliases, tags and further documents are refused, and so is deep nesting: a file
from a stranger can neither run anything nor grow in memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pyengine.language.diagnostics import Diagnostic, InputError, refuse, text_of, unfit
from pyengine.language.source import Source, Span

Path = tuple[str | int, ...]

MAX_DEPTH = 32
MAX_NODES = 200_000

DIGITS = 18  # of a whole number, at most
_CONTROL = re.compile("[^\t\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\ufeff").search


@dataclass(frozen=True, slots=True)
class Document:
    """What a file says.  A path such as ("hands", 0, "win") names a value in `data`."""

    source: Source
    data: Any
    spans: dict[Path, Span] = field(repr=False)
    keys: dict[Path, Span] = field(repr=False)

    def span(self, *path: str | int) -> Span:
        """Where a value stands; where it is missing, the nearest that holds it."""
        while path and path not in self.spans:
            path = path[:-1]
        return self.spans[path]

    def key(self, *path: str | int) -> Span:
        """Where the key of an entry stands; for an entry of a list, its value."""
        return self.keys.get(path) or self.span(*path)


def load(source: Source) -> tuple[Document | None, list[Diagnostic]]:
    """The document of a file; None when it cannot be read at all."""
    control = _CONTROL(source.text)
    if control:
        span = Span(source, control.start(), control.end())
        return None, [Diagnostic("E802", span, {"code": f"U+{ord(control.group()):04X}"})]
    from pyengine.notation import yamlreader  # PyYAML takes long to import, and most processes read no such file.

    return yamlreader.read(source)


# ---- data from a program ---------------------------------------------------------------------


def plain(data: Any, name: str, depth: int = 0) -> Any:
    """Data as a file would give it, for a program's own types; InputError for what no file can say.

    Mappings and lists become new ones, since YAML marks what stands at two places; numpy's numbers become
    Python's.
    """
    if depth > MAX_DEPTH:
        raise refuse("E805", None, depth=MAX_DEPTH, nodes=MAX_NODES)
    if hasattr(data, "tolist"):
        data = data.tolist()
    match data:
        case None | bool() | float():
            return data
        case int() if abs(data) < 10**DIGITS:
            return int(data)
        case str():
            return str(data)
        case Mapping():
            keys = [key.tolist() if hasattr(key, "tolist") else key for key in data]
            for key in keys:
                if not isinstance(key, str | int):
                    raise InputError([unfit(f"a key of {name}", "plain", key)])
            return {
                key: plain(value, f"{name}.{text_of(key)}", depth + 1)
                for key, value in zip(keys, data.values(), strict=True)
            }
        case list() | tuple():
            return [plain(item, f"{name}.{i}", depth + 1) for i, item in enumerate(data)]
    raise InputError([unfit(name, "plain", data)])


def wide_colon(span: Span) -> Diagnostic:
    """`span` is a full-width colon that stands for a plain one."""
    return Diagnostic("E811", span, {}, (), (": ",))
