"""Tables in CSV: a header, commas, quotes where they are needed, UTF-8."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from pyengine.engine.codes import FIELDS
from pyengine.language.diagnostics import Diagnostic, InputError, refuse
from pyengine.language.source import Source, Span
from pyengine.tools.lines import MAX_BLOCK, Lines, in_blocks, place_after
from pyengine.tools.table import RESULTS, Block, Place, Worth, check_names, opened, text_of


class CsvTable:
    """A CSV file that is read."""

    def __init__(self, path: Path, rows: int) -> None:
        self.path, self.rows = path, rows
        with opened(path) as file:
            self.total = file.seek(0, 2)
            lines = Lines(file)
            try:
                self.names: Sequence[str] = next(row for row in csv.reader(lines, strict=True) if row)
            except StopIteration:
                raise refuse("E973", path=path) from None
            except csv.Error as error:
                raise self._lost(lines, 1, error) from None
            wrong = lines.take()
            if wrong:
                raise InputError([_placed(one, Source(str(path), "", lines.number - 1)) for one in wrong])
            self._start = {"offset": lines.offset, "line": lines.number, "row": 0}
        head = Source(str(path), _line(self.names), self._start["line"] - 1)
        check_names(self.names, Span(head, 0, len(head.text)))

    def blocks(self, place: Place | None) -> Iterator[Block]:
        return in_blocks(self.path, place or self._start, self._block)

    def _simple(self, lines: Lines) -> tuple[list[list[str]], list[int]]:
        """Rows that are a line each, and where they start; none unless all are and nothing is wrong with any."""
        offset, number = lines.offset, lines.number
        texts = lines.clean(self.rows)
        try:
            rows = list(csv.reader(texts or (), strict=True))
        except csv.Error:
            rows = []
        if texts and len(rows) == len(texts) and set(map(len, rows)) == {len(self.names)}:
            return rows, list(range(number + 1, lines.number + 1))
        lines.back(offset, number)
        return [], []

    def _block(self, lines: Lines, first: int) -> Block | None:
        rows, starts = self._simple(lines)
        broken: dict[int, tuple[Diagnostic, ...]] = {}
        texts: dict[int, str] = {}
        if not rows:
            self._one_by_one(lines, rows, starts, texts, broken)
        if not rows:
            return None

        def text(row: int) -> str:
            return texts[row] if row in texts else _line(rows[row])

        columns = list(zip(*rows, strict=True))
        block = Block(
            self.path,
            first,
            len(rows),
            {name: [text or None for text in columns[self.names.index(name)]] for name in FIELDS if name in self.names},
            lambda chosen: [rows[row] for row in chosen],
            text,
            lambda row, name: self._find(rows[row], text(row), name),
            starts.__getitem__,
            place_after(lines, first + len(rows) - 1),
            ".csv",
            rows,
        )
        for row, found in broken.items():
            source = Source(str(self.path), text(row), starts[row] - 1)
            block.broken[row] = tuple(_placed(one, source) for one in found)
        return block

    def _one_by_one(
        self,
        lines: Lines,
        rows: list[list[str]],
        starts: list[int],
        texts: dict[int, str],
        broken: dict[int, tuple[Diagnostic, ...]],
    ) -> None:
        """Rows as they come, with the texts of those that are broken and what is wrong with them."""
        reader = csv.reader(lines, strict=True)
        width = len(self.names)
        begun = lines.offset
        while len(rows) < self.rows and lines.offset - begun < MAX_BLOCK:
            start = lines.number + 1
            wrong: tuple[Diagnostic, ...]
            try:
                row = next(reader)
                wrong = lines.take()
            except StopIteration:
                break
            except csv.Error as error:
                if lines.number > start:
                    raise self._lost(lines, start, error) from None
                row, wrong = [], lines.take() or (_syntax(error),)
            if not wrong and len(row) != width:
                if not row:
                    continue
                wrong = (Diagnostic("E969", None, {"n": len(row), "width": width}),)
            if wrong:
                texts[len(rows)] = _line(row)
                broken[len(rows)] = wrong
                row = [""] * width
            rows.append(row)
            starts.append(start)

    def _find(self, row: Sequence[str], text: str, name: str) -> tuple[int, int] | None:
        if name not in self.names:
            return None
        start = 0
        for own, value in zip(self.names, row, strict=True):
            start = text.find(value, start)
            if start < 0:
                return None
            if own == name:
                return (start, start + len(value)) if value else None
            start += len(value)
        return None

    def _lost(self, lines: Lines, start: int, error: csv.Error) -> InputError:
        """A quotation mark that is never closed takes in all that follows."""
        source = Source(str(self.path), "", start - 1)
        return refuse("E968", Span(source, 0, 0), line=start, last=lines.number, problem=error)


class CsvWriter:
    """CSV that is written: every value as it was, then the results."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names

    def head(self) -> bytes:
        return f"{_line([*self.names, *RESULTS])}\n".encode()

    def rows(self, block: Block, worth: Worth) -> bytes:
        out = io.StringIO(newline="")
        given = block.values(worth.rows)
        if block.format != ".csv":
            given = [[text_of(value) for value in row] for row in given]
        fans = {names: " ".join(names) for names in set(worth.fans)}
        csv.writer(out, lineterminator="\n").writerows(
            [*row, "true" if win else "false", total, points, fans[names]]
            for row, win, total, points, names in zip(
                given, worth.win, worth.total, worth.points, worth.fans, strict=True
            )
        )
        return out.getvalue().encode()

    def finish(self, part: Path) -> Path:
        return part


def _line(row: Sequence[str]) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="").writerow(row)
    return out.getvalue()


def _syntax(error: csv.Error) -> Diagnostic:
    if "field limit" in str(error):
        return Diagnostic("E972", None, {"limit": csv.field_size_limit()})
    return Diagnostic("E967", None, {"problem": error})


def _placed(wrong: Diagnostic, source: Source) -> Diagnostic:
    return Diagnostic(wrong.code, Span(source, 0, len(source.text)), wrong.facts)
