"""The side file of rows that are no hands: where each stands, what is wrong with it, and what it said."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from pyengine.language.diagnostics import Diagnostic, Lang, as_json, message
from pyengine.tools.table import Block, json_of

COLUMNS = ("row", "line", "code", "message", "text")


class BadRows:
    """Rows as `.jsonl` or `.csv`: number and line counted from 1, codes, sentences, the text of the row."""

    def __init__(self, format_: str, lang: Lang) -> None:
        self.format, self.lang = format_, lang

    def head(self) -> bytes:
        return b"" if self.format == ".jsonl" else f"{','.join(COLUMNS)}\n".encode()

    def rows(self, block: Block, wrong: Mapping[int, Sequence[Diagnostic]]) -> bytes:
        out = io.StringIO(newline="")
        write = csv.writer(out, lineterminator="\n").writerow
        for row in sorted(wrong):
            number, line, text = block.first + row, block.line(row), block.text(row)
            if self.format == ".jsonl":
                errors = [self._error(one) for one in wrong[row]]
                out.write(f"{json_of({'row': number, 'line': line, 'errors': errors, 'text': text})}\n")
            else:
                codes = " ".join(dict.fromkeys(one.code for one in wrong[row]))
                told = "; ".join(message(one.code, one.facts, self.lang) for one in wrong[row])
                write([number, line, codes, told, text])
        return out.getvalue().encode("utf-8", "replace")

    def _error(self, wrong: Diagnostic) -> dict[str, object]:
        told = as_json(wrong, self.lang)
        return {key: told[key] for key in ("code", "message", "column", "suggestions") if told[key]}
