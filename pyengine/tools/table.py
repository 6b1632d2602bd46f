"""Tables of hands: what files of every format have in common.

A table is read in blocks of so many rows.  A block has the columns of hands, and can say of each row where
it stands and what its text was.  The place after a block is plain data, from which reading goes on later.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from pyengine.engine.codes import FIELDS
from pyengine.language.diagnostics import Diagnostic, InputError, closest, refuse
from pyengine.language.source import Source, Span

RESULTS = ("result_win", "result_total", "result_points", "result_fans")
"""The columns that are added.  The names of inputs are not used again: `win` is the winning tile there."""

FORMATS = (".csv", ".jsonl", ".parquet")
TEXT_FORMATS = (".csv", ".jsonl")
MAX_LINE = 1 << 20

Place = Mapping[str, int]


@dataclass
class Block:
    """Some rows of a table.

    columns  the values of those of `FIELDS` that the table has, None where a row has none
    broken   the rows that could not even be read
    values   the values of all columns of some rows, in the order of the table's `names`
    text     what a row is in the file, or for a binary one what it says
    find     where a field stands in that text, None where it cannot be told
    line     the line of the file that a row starts in, its number where the file has no lines
    after    the place behind the block
    raw      the rows as `format`, the format of the file, has them: what its own writer takes
    """

    path: Path
    first: int
    n: int
    columns: Mapping[str, Sequence[Any]]
    values: Callable[[Sequence[int]], list[list[Any]]]
    text: Callable[[int], str]
    find: Callable[[int, str], tuple[int, int] | None]
    line: Callable[[int], int]
    after: Place
    format: str
    raw: Any
    broken: dict[int, tuple[Diagnostic, ...]] = field(default_factory=dict)

    def spans(self, row: int) -> Mapping[str, Span]:
        """Where the fields of a row stand; of every field, since also an absent one can be reported."""
        text = self.text(row)
        source = Source(str(self.path), text, self.line(row) - 1)
        return {name: Span(source, *(self.find(row, name) or (0, len(text)))) for name in FIELDS}


class Table(Protocol):
    """A file that is read.  `total` is what `done` of the last place comes to."""

    names: Sequence[str]
    total: int

    def blocks(self, place: Place | None) -> Iterator[Block]: ...


@dataclass(frozen=True)
class Worth:
    """Results of some rows of a block, as lists."""

    rows: list[int]
    win: list[bool]
    total: list[int]
    points: list[int]
    fans: list[tuple[str, ...]]


class Writer(Protocol):
    """The bytes of a file.  They are gathered in a part, of which `finish` makes the whole file."""

    def head(self) -> bytes: ...
    def rows(self, block: Block, worth: Worth) -> bytes: ...
    def finish(self, part: Path) -> Path: ...


def format_of(path: Path, formats: Sequence[str] = FORMATS) -> str:
    """The format of a file by the end of its name; InputError when it is none of `formats`."""
    suffix = path.suffix.lower()
    if suffix not in formats:
        near = closest(suffix, formats) if suffix else ()
        raise refuse("E960", None, near, path=path, formats=" ".join(formats))
    return suffix


def open_table(path: Path, rows: int, for_format: str, known: Mapping[str, Any] | None = None) -> Table:
    """The table of a file, to be read `rows` at a time and written in a format.

    `known` is what an earlier `open_table` of the same file has found (`survey`), so that it is not sought again.
    """
    format_ = format_of(path)
    if format_ == ".csv":
        from pyengine.tools.table_csv import CsvTable

        return CsvTable(path, rows)
    if format_ == ".jsonl":
        from pyengine.tools.table_jsonl import JsonlTable

        return JsonlTable(path, rows, for_format != ".jsonl", known)
    need_pyarrow(path)
    from pyengine.tools.table_parquet import ParquetTable

    return ParquetTable(path, rows, for_format)


def writer_for(path: Path, table: Table) -> Writer:
    """The writer of a file with the columns of a table and their results."""
    format_ = format_of(path)
    if format_ == ".csv":
        from pyengine.tools.table_csv import CsvWriter

        return CsvWriter(table.names)
    if format_ == ".jsonl":
        from pyengine.tools.table_jsonl import JsonlWriter

        return JsonlWriter(table.names)
    need_pyarrow(path)
    from pyengine.tools.table_parquet import ParquetWriter

    return ParquetWriter(table)


def need_pyarrow(path: Path) -> None:
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise refuse("E961", path=path) from None


def check_names(names: Sequence[str], where: Span | None) -> None:
    """Whether a table with these columns can be scored; InputError with everything that is wrong."""
    found = []
    twice = dict.fromkeys(name for name in names if names.count(name) > 1)
    found += [Diagnostic("E965", where, {"name": name}) for name in twice]
    found += [Diagnostic("E966", where, {"name": name}) for name in RESULTS if name in names]
    if "hand" not in names and "packed" not in names:
        near = next((name for name in names if name.strip().lower() == "hand"), None)
        meant = (near,) if near else tuple(name for name in names if closest(name, ["hand"]))[:1]
        found.append(Diagnostic("E964", where, {"known": " ".join(names)}, (), meant))
    elif "hand" in names and "packed" in names:
        found.append(Diagnostic("E965", where, {"name": "hand, packed"}))
    if found:
        raise InputError(found)


def opened(path: Path) -> Any:
    """A file to be read as bytes; InputError when there is none."""
    try:
        if path.is_dir():
            raise refuse("E902", path=path)
        return path.open("rb")
    except FileNotFoundError:
        raise refuse("E901", path=path) from None
    except (OSError, ValueError) as error:
        raise refuse("E903", path=path, error=getattr(error, "strerror", None) or error) from None


def text_of(value: object) -> str:
    """A value in a format that has only texts."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | list | dict):
        return json_of(value)
    return plain(value)


def plain(value: object) -> str:
    """A date, a time, a number: the text that is commonly read back."""
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


json_of = partial(json.dumps, ensure_ascii=False, default=plain)
