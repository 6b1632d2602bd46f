"""A file of hands is scored into another: a block at a time, so that a run can be stopped and go on.

`score_file` is what `rulespec score RULES --from FILE --to FILE` does.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyengine
from pyengine.engine.rows import ScoredRows, score_rows
from pyengine.engine.ruleset import Ruleset
from pyengine.language.diagnostics import Diagnostic, InputError, Lang, refuse
from pyengine.tools.bad_rows import BadRows
from pyengine.tools.partial import Journal, Part, State, move, writing
from pyengine.tools.table import TEXT_FORMATS, Block, Table, Worth, Writer, format_of, open_table, opened, writer_for

ROWS = 16_384
MAX_ROWS = 1 << 24
CHECKPOINT_SECONDS = 1.0
_VERSION = 1  # of the sidecar, and of what a run writes for the same work


@dataclass(frozen=True)
class Progress:
    """How far a run is: `done` of `total` bytes or rows of the input, and what came of the rows so far."""

    done: int
    total: int
    rows: int
    bad: int
    resumed: int


@dataclass(frozen=True)
class Done:
    """A run that is finished.  `resumed` of the rows were scored by runs before."""

    rows: int
    bad: int
    resumed: int


def score_file(
    rules: Ruleset,
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    bad: str | os.PathLike[str] | None = None,
    rows: int = ROWS,
    threads: int = 1,
    lang: Lang = "en",
    told: Callable[[Progress], object] = lambda progress: None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Done:
    """Scores the hands of `source` into `target`; both are `.csv`, `.jsonl` or `.parquet` by their names.

    bad      the file for rows that are no hands (`.jsonl` or `.csv`); without it the first of them is an InputError
    rows     how many rows are read, scored and written at once; memory grows with it, not with the file
    lang     the language of the sentences in `bad`
    told     called after each block

    `target` is there when it is whole.  A run that is interrupted, or ends for want of space, leaves
    `target.part` and `target.part.state` beside it; the same call goes on from there and gives the same bytes.
    """
    paths = [Path(source), Path(target), *([] if bad is None else [Path(bad)])]
    formats = [format_of(path) for path in paths[:2]] + [format_of(path, TEXT_FORMATS) for path in paths[2:]]
    if not 1 <= rows <= MAX_ROWS:
        raise refuse("E936", name="rows", value=rows, values=f"1 … {MAX_ROWS}")
    _check_paths(paths)
    journal = Journal(paths[1], _job(rules, paths, rows, lang))
    state = journal.read() or State()
    if state.moves:
        return _publish(journal, state)
    run = _Run(rules, paths, formats, journal, state, rows, threads, lang)
    try:
        state = run.go(told, checkpoint_seconds)
        return replace(_publish(journal, state), resumed=run.resumed)
    finally:
        run.close()


def _job(rules: Ruleset, paths: list[Path], rows: int, lang: Lang) -> dict[str, Any]:
    """What tells one work from another: only of the same can a run go on."""
    with opened(paths[0]) as file:
        stat = os.fstat(file.fileno())
    texts = [source.text for source in rules.rules.sources]
    return {
        "version": [_VERSION, pyengine.__version__],
        "rules": sha256(repr((texts, sorted(rules.options.items()))).encode()).hexdigest(),
        "from": [str(paths[0].resolve()), stat.st_size, stat.st_mtime_ns],
        "bad": [[str(path.resolve()), lang] for path in paths[2:]],
        "rows": rows,
    }


def _publish(journal: Journal, state: State) -> Done:
    """Whole files take their places; what a run that was killed here has moved already is no longer there."""
    for whole, path in state.moves:
        if Path(whole).exists():
            move(Path(whole), Path(path))
    for part in state.spent:
        Path(part).unlink(missing_ok=True)
    journal.discard()
    return Done(state.row, state.bad, state.row)


def _check_paths(paths: list[Path]) -> None:
    """No file may be read and written at once, by whatever names."""
    for n, path in enumerate(paths):
        for other in paths[n + 1 :]:
            if path.resolve() == other.resolve() or _is_one(path, other):
                raise refuse("E962", path=path, other=other)


def _is_one(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:  # One of them is not there, or cannot be; that is told when it is opened.
        return False


class _Run:
    """A run from where the last one stopped to whole files beside their places."""

    def __init__(
        self,
        rules: Ruleset,
        paths: list[Path],
        formats: list[str],
        journal: Journal,
        state: State,
        rows: int,
        threads: int,
        lang: Lang,
    ) -> None:
        self.rules, self.threads = rules, threads
        self.paths, self.journal = paths, journal
        self.parts: list[Part] = []
        # Read before anything is written: a table that cannot be scored leaves no trace.
        self.table: Table = open_table(paths[0], rows, formats[1], state.survey)
        self.writer: Writer = writer_for(paths[1], self.table)
        self.bad_rows = [BadRows(format_, lang) for format_ in formats[2:]]
        try:
            self.parts += map(Part, paths[1:])
        except InputError:
            for part in self.parts:
                part.drop_if_empty()
            raise
        self.state = state if self._take_up(state) else self._begin()
        self.resumed = self.state.row

    def _take_up(self, state: State) -> bool:
        """Whether the parts hold what an earlier run has counted; then they are cut to that."""
        return bool(state.sizes) and all([part.cut(n) for part, n in zip(self.parts, state.sizes, strict=True)])

    def _begin(self) -> State:
        heads = [self.writer.head(), *(writer.head() for writer in self.bad_rows)]
        for part, head in zip(self.parts, heads, strict=True):
            part.cut(0)
            part.write(head)
        return State(survey=getattr(self.table, "survey", None))

    def go(self, told: Callable[[Progress], object], checkpoint_seconds: float) -> State:
        last = float("-inf")  # What the first block came to is kept at once: who stops a run then has something.
        for block in self.table.blocks(self.state.place):
            scored = score_rows(self.rules, block.columns, block.n, self.threads, block.spans)
            wrong = {**scored.wrong, **block.broken}
            if wrong and not self.bad_rows:
                self._stop(block, wrong)
            self._write(block, scored, wrong)
            bad = self.state.bad + len(wrong)
            self.state = replace(self.state, place=block.after, row=self.state.row + block.n, bad=bad)
            if time.monotonic() - last >= checkpoint_seconds:
                self._checkpoint()
                last = time.monotonic()
            told(Progress(block.after["done"], self.table.total, self.state.row, bad, self.resumed))
        self._checkpoint()
        return self._whole()

    def _write(self, block: Block, scored: ScoredRows, wrong: Mapping[int, tuple[Diagnostic, ...]]) -> None:
        own = scored.scored
        worth = Worth(scored.rows.tolist(), own.win.tolist(), own.total.tolist(), own.points.tolist(), scored.fans)
        self.parts[0].write(self.writer.rows(block, worth))
        for part, writer in zip(self.parts[1:], self.bad_rows, strict=True):
            part.write(writer.rows(block, wrong))

    def _stop(self, block: Block, wrong: Mapping[int, tuple[Diagnostic, ...]]) -> None:
        """The first row that is no hand ends the run, of which nothing can be used by another."""
        for part in self.parts:
            part.discard()
        self.journal.discard()
        row = min(wrong)
        raise InputError([*wrong[row], Diagnostic("E979", None, {"row": block.first + row, "path": self.paths[0]})])

    def _checkpoint(self) -> None:
        self.state = replace(self.state, sizes=[part.sync() for part in self.parts])
        self.journal.write(self.state)

    def _whole(self) -> State:
        """The parts made whole, on the disk, and the moves that are left to do."""
        parts = [part.part for part in self.parts]
        with writing(self.paths[1]):
            wholes = [self.writer.finish(parts[0]), *parts[1:]]
        moves = [
            (str(whole.absolute()), str(path.absolute())) for whole, path in zip(wholes, self.paths[1:], strict=True)
        ]
        self.state = replace(
            self.state, moves=moves[::-1], spent=[str(part.absolute()) for part in parts if part not in wholes]
        )
        self.journal.write(self.state)
        return self.state

    def close(self) -> None:
        for part in self.parts:
            part.close()
