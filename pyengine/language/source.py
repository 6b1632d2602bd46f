"""Text as the author wrote it, and places in it.

The lexer sees `Source.code`: the text with full-width punctuation mapped to ASCII one character
for one, so that every offset is true in both.  Strings and comments keep their own characters.
"""

from __future__ import annotations

import re
import stat
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pyengine.language.node import node

MAX_BYTES = 1 << 20

_PUNCTUATION = str.maketrans(
    "，、：；（）［］【】＝＋－−×＊＾｜＜＞＃／０１２３４５６７８９．",
    ",,:;()[][]=+--**^|<>#/0123456789.",
) | dict.fromkeys(map(ord, "\u3000\xa0\u2002\u2003\u2009\u200b\ufeff"), " ")  # Spaces of other widths.
_KEPT = re.compile(r"""(?P<string>"[^"\n]*"|“[^”\n]*”|＂[^＂\n]*＂)|(?P<comment>[#＃][^\n]*)""")


@dataclass(frozen=True)
class Source:
    """A named text.  `name` is what messages call it: a path, or what the text is.

    `before` counts the lines of the file in front of the text, where this is a part of a file.
    """

    name: str
    text: str
    before: int = 0

    def __repr__(self) -> str:
        return f"<Source {self.name}>"

    @cached_property
    def code(self) -> str:
        """The text with full-width punctuation outside strings and comments made plain."""
        pieces = []
        end = 0
        for match in _KEPT.finditer(self.text):
            pieces.append(self.text[end : match.start()].translate(_PUNCTUATION))
            kept = match.group()
            if match["string"]:
                # The quotes become plain; what stands between them must not end the string early.
                kept = '"' + kept[1:-1].replace('"', "'") + '"'
            else:
                kept = "#" + kept[1:]
            pieces.append(kept)
            end = match.end()
        pieces.append(self.text[end:].translate(_PUNCTUATION))
        return "".join(pieces)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both counted from 1; a column is one character."""
        from bisect import bisect_right

        line = bisect_right(self._line_starts, offset)
        return line + self.before, offset - self._line_starts[line - 1] + 1

    @property
    def head(self) -> Span:
        """The first line that is neither blank nor a remark, where the file says what it is."""
        found = re.search(r"^[ \t]*([^\s#][^\n#]*)", self.code, re.MULTILINE)
        return Span(self, found.start(1), found.start(1) + len(found[1].rstrip())) if found else Span(self, 0, 0)

    def line(self, number: int) -> str:
        """The text of a line without its end, counted from 1; empty beyond the last."""
        lines = self._line_starts
        number -= self.before
        if not 1 <= number <= len(lines):
            return ""
        end = lines[number] if number < len(lines) else len(self.text)
        return self.text[lines[number - 1] : end].rstrip("\r\n")


@node
class Span:
    """The half-open range of characters `start`..`end` of a source."""

    source: Source
    start: int
    end: int

    def __repr__(self) -> str:
        return f"<Span {self.place}>"

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    @property
    def code(self) -> str:
        """The text with full-width digits and signs made plain."""
        return self.source.code[self.start : self.end]

    @property
    def line(self) -> int:
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        return self.source.position(self.start)[1]

    def to(self, other: Span) -> Span:
        """From the start of this span to the end of a later one of the same source."""
        return Span(self.source, self.start, other.end)

    @property
    def place(self) -> str:
        """`name:line:column`."""
        return f"{self.source.name}:{self.line}:{self.column}"


class Unreadable(Exception):
    """A file that is no text: `reason` is a code of the message catalogue, `facts` its details."""

    def __init__(self, reason: str, **facts: object) -> None:
        super().__init__(reason)
        self.reason = reason
        self.facts = facts


def read(path: Path, name: str | None = None) -> Source:
    """The text of a file; Unreadable when it is missing, too large or not UTF-8 text.

    Only ordinary files are read: a pipe or a device may have nothing to say, or never end.
    """
    shown = name or str(path)
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise Unreadable("E902" if stat.S_ISDIR(mode) else "E917", path=shown)
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise Unreadable("E901", path=shown) from None
    except (OSError, ValueError) as error:
        raise Unreadable("E903", path=shown, error=getattr(error, "strerror", None) or str(error)) from None
    if len(data) > MAX_BYTES:
        raise Unreadable("E904", path=shown, limit=MAX_BYTES)
    return Source(shown, decode(data, shown))


def decode(data: bytes, shown: str) -> str:
    """UTF-8 bytes (a byte order mark is dropped) as text with plain line ends."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        guess: tuple[str, ...] = ()  # a word of the catalogue
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            guess = ("encoding.UTF-16",)
        else:
            try:
                data.decode("gb18030")
                guess = ("encoding.GB18030",)
            except UnicodeDecodeError:
                pass
        raise Unreadable("E905", path=shown, offset=error.start, guess=guess) from None
    if "\0" in text:
        raise Unreadable("E906", path=shown)
    return text.replace("\r\n", "\n").replace("\r", "\n")
