"""Tables in JSON Lines: an object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pyengine.engine.codes import FIELDS
from pyengine.language.diagnostics import Diagnostic, Said
from pyengine.language.source import Source, Span
from pyengine.tools.lines import MAX_BLOCK, Lines, in_blocks, place_after
from pyengine.tools.table import RESULTS, Block, Place, Worth, json_of, opened

_RESULTS = frozenset(RESULTS)
_EXACT = 1 << 53  # up to here a float has every whole number
_BIGGEST = 1 << 63


class _Twice(ValueError):
    """A key that an object has twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        raise _Twice(next(name for name in names if names.count(name) > 1))
    return made


_decode = json.JSONDecoder(object_pairs_hook=_object).decode


class JsonlTable:
    """A JSON Lines file that is read.

    Where the columns must be known beforehand, the whole file is read once more: `survey` has the names in the
    order in which they first come, and the types of their values.
    """

    def __init__(self, path: Path, rows: int, needs_names: bool, known: Mapping[str, Any] | None) -> None:
        self.path, self.rows = path, rows
        with opened(path) as file:
            self.total = file.seek(0, 2)
        self.survey: dict[str, list[str]] = dict(known or {})
        if needs_names and known is None:
            for block in self.blocks(None):
                for own in block.raw[1]:
                    for name, value in own.items():
                        types = self.survey.setdefault(name, [])
                        if (type_ := _type(value)) not in types:
                            types.append(type_)
            for name in RESULTS:  # A row that has them is refused when it is its turn.
                self.survey.pop(name, None)
        self.names: Sequence[str] = list(self.survey)

    def blocks(self, place: Place | None) -> Iterator[Block]:
        return in_blocks(self.path, place or {"offset": 0, "line": 0, "row": 0}, self._block)

    def _simple(self, lines: Lines) -> tuple[list[str], list[dict[str, Any]]]:
        """Lines that are an object each, and these; none unless all are and nothing is wrong with any."""
        offset, number = lines.offset, lines.number
        texts = [text.strip() for text in lines.clean(self.rows) or ()]
        with suppress(ValueError, RecursionError):
            objects = list(map(_decode, texts))
            if texts and set(map(type, objects)) == {dict} and not any(map(_RESULTS.intersection, objects)):
                return texts, objects
        lines.back(offset, number)
        return [], []

    def _one_by_one(
        self, lines: Lines, texts: list[str], objects: list[dict[str, Any]], numbers: list[int]
    ) -> dict[int, tuple[Diagnostic, ...]]:
        """Lines as they come; what is wrong with those that are broken."""
        broken: dict[int, tuple[Diagnostic, ...]] = {}
        begun = lines.offset
        while len(texts) < self.rows and lines.offset - begun < MAX_BLOCK:
            line = next(lines, None)
            if line is None:
                break
            text = line.strip()
            wrong = lines.take()
            if not text:
                continue
            own, mistake = ({}, wrong[0]) if wrong else _read(text)
            if mistake:
                source = Source(str(self.path), text, lines.number - 1)
                at = mistake.facts.get("at")
                span = Span(source, at, at + 1) if isinstance(at, int) else Span(source, 0, len(text))
                broken[len(texts)] = (Diagnostic(mistake.code, span, mistake.facts),)
            texts.append(text)
            objects.append(own)
            numbers.append(lines.number)
        return broken

    def _block(self, lines: Lines, first: int) -> Block | None:
        broken: dict[int, tuple[Diagnostic, ...]] = {}
        number = lines.number
        texts, objects = self._simple(lines)
        numbers = list(range(number + 1, lines.number + 1))
        if not texts:
            broken = self._one_by_one(lines, texts, objects, numbers)
        if not texts:
            return None
        return Block(
            self.path,
            first,
            len(texts),
            {name: [own.get(name) for own in objects] for name in FIELDS if any(name in own for own in objects)},
            lambda chosen: [[objects[row].get(name) for name in self.names] for row in chosen],
            texts.__getitem__,
            lambda row, name: find_value(texts[row], name, objects[row].get(name)),
            numbers.__getitem__,
            place_after(lines, first + len(texts) - 1),
            ".jsonl",
            (texts, objects),
            broken,
        )


def _read(text: str) -> tuple[dict[str, Any], Diagnostic | None]:
    """An object, or what is wrong with its text."""
    try:
        own = _decode(text)
    except json.JSONDecodeError as error:
        return {}, Diagnostic("E967", None, {"problem": error.msg, "at": min(error.pos, max(len(text) - 1, 0))})
    except _Twice as error:
        return {}, Diagnostic("E965", None, {"name": error})
    except (RecursionError, ValueError) as error:  # Too deep, or a number of thousands of digits.
        return {}, Diagnostic("E967", None, {"problem": error})
    if not isinstance(own, dict):
        problem = Said('应是一个对象，例如 {"hand": "…"}', 'it must be an object such as {"hand": "…"}')
        return {}, Diagnostic("E967", None, {"problem": problem})
    again = next((name for name in RESULTS if name in own), None)
    return ({}, Diagnostic("E966", None, {"name": again})) if again else (own, None)


def _type(value: object) -> str:
    if value is None or isinstance(value, bool | str | float):
        return type(value).__name__
    if isinstance(value, int):
        return "int" if abs(value) <= _EXACT else "long" if -_BIGGEST <= value < _BIGGEST else "other"
    return "other"


def find_value(text: str, name: str, value: object) -> tuple[int, int] | None:
    """Where the value of a key stands in the text of an object."""
    key = text.find(f'"{name}"')
    if key < 0 or value is None:
        return None
    shown = value if isinstance(value, str) else json_of(value)
    start = text.find(shown, key + len(name) + 2) if shown else -1
    return None if start < 0 else (start, start + len(shown))


class JsonlWriter:
    """JSON Lines that are written: of objects that were read, the text as it was with the results behind it."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names

    def head(self) -> bytes:
        return b""

    def rows(self, block: Block, worth: Worth) -> bytes:
        fans = {names: json_of(list(names)) for names in set(worth.fans)}
        win, total, points, named = RESULTS
        results = [
            f'"{win}": {"true" if w else "false"}, "{total}": {t}, "{points}": {p}, "{named}": {fans[f]}}}\n'
            for w, t, p, f in zip(worth.win, worth.total, worth.points, worth.fans, strict=True)
        ]
        if block.format == ".jsonl":
            texts = block.raw[0]
            heads = [texts[row][:-1].rstrip() for row in worth.rows]
        else:
            heads = [_head(dict(zip(self.names, row, strict=True))) for row in block.values(worth.rows)]
        lines = "".join([f"{head}, {result}" for head, result in zip(heads, results, strict=True)])
        # Outside of texts, where JSON has it escaped, it is a blank; many readers would end a line there.
        return lines.replace("\r", " ").encode()

    def finish(self, part: Path) -> Path:
        return part


def _head(row: dict[str, Any]) -> str:
    """A row as an object whose end is open; JSON has no number that is none."""
    return json_of({name: None if value != value else value for name, value in row.items()})[:-1]
