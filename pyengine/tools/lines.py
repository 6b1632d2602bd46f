"""Lines of a large file: none is read that is longer than a limit, and what is wrong with one is kept beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from pyengine.language.diagnostics import Diagnostic, Said
from pyengine.tools.table import MAX_LINE, Block, Place, opened

BOM = "\ufeff"
MAX_BLOCK = 32 << 20  # bytes that are read at once, or a little more


class Lines:
    """The lines of a binary file from where it stands, as texts with their ends.

    offset  bytes up to the end of the last line
    number  the number of the last line, counted from 1
    wrong   what was wrong with the lines since the last `take`
    """

    def __init__(self, file: Any, offset: int = 0, number: int = 0) -> None:
        self.file, self.offset, self.number = file, offset, number
        self.wrong: tuple[Diagnostic, ...] = ()
        file.seek(offset)

    def __iter__(self) -> Lines:
        return self

    def __next__(self) -> str:
        data: bytes = self.file.readline(MAX_LINE + 1)
        if not data:
            raise StopIteration
        starts_file = self.offset == 0
        self.offset += len(data)
        self.number += 1
        if len(data) > MAX_LINE and not data.endswith(b"\n"):
            self._skip()
            self.wrong = (Diagnostic("E972", None, {"limit": MAX_LINE}),)
            return data[:80].decode("utf-8", "replace") + "…\n"
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            problem = Said(f"第 {error.start + 1} 个字节起不是 UTF-8", f"no UTF-8 text from byte {error.start + 1} on")
            self.wrong = (Diagnostic("E967", None, {"problem": problem}),)
            text = data.decode("utf-8", "replace")
        if "\0" in text:
            problem = Said("有空字符（NUL）", "it holds a NUL character")
            self.wrong = (Diagnostic("E967", None, {"problem": problem}),)
        return text.removeprefix(BOM) if starts_file else text

    def clean(self, n: int) -> list[str] | None:
        """The next `n` lines without their ends, or fewer at the end of the file; None where one is wrong.

        Then none of them is taken, and `next` tells them one by one.
        """
        data: list[bytes] = []
        rest = iter(partial(self.file.readline, MAX_LINE + 1), b"")
        while len(data) < n and (some := list(islice(rest, min(n - len(data), 1024)))):
            data += some
            if self.file.tell() - self.offset > MAX_BLOCK:
                break
        joined = b"".join(data)
        try:
            text = joined.decode()
            is_short = len(max(data, key=len, default=b"")) <= MAX_LINE
            is_clean = is_short and "\0" not in text and not (self.offset == 0 and text.startswith(BOM))
        except UnicodeDecodeError:
            is_clean = False
        if not is_clean:
            self.file.seek(self.offset)
            return None
        texts = text.split("\n")
        if not texts[-1]:
            texts.pop()
        self.offset += len(joined)
        self.number += len(texts)
        return texts

    def back(self, offset: int, number: int) -> None:
        """Goes back to where it was before."""
        self.offset, self.number = offset, number
        self.file.seek(offset)

    def _skip(self) -> None:
        """Past the end of a line that is too long."""
        while data := self.file.readline(MAX_LINE):
            self.offset += len(data)
            if data.endswith(b"\n"):
                return

    def take(self) -> tuple[Diagnostic, ...]:
        """What was wrong since the last time."""
        wrong, self.wrong = self.wrong, ()
        return wrong


def in_blocks(path: Path, place: Place, block_of: Callable[[Lines, int], Block | None]) -> Iterator[Block]:
    """The blocks of a file of lines from a place on; `block_of` makes the next of the lines and its first row."""
    with opened(path) as file:
        lines = Lines(file, place["offset"], place["line"])
        first = place["row"] + 1
        while block := block_of(lines, first):
            yield block
            first += block.n


def place_after(lines: Lines, row: int) -> Place:
    """The place behind the lines that were read, of which the last is this row."""
    return {"offset": lines.offset, "line": lines.number, "row": row, "done": lines.offset}
