"""Long work under the eyes of someone: a bar on the terminal and a line at its end, or a word that it goes on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

from pyengine.engine.ruleset import Ruleset
from pyengine.language.diagnostics import Lang
from pyengine.tools.score_file import Done, Progress, score_file
from pyengine.tools.texts import say

PATIENCE = 1.0
"""Seconds after which somebody who waits is told what goes on."""


def score_file_shown(
    rules: Ruleset, source: Path, target: Path, bad: Path | None, rows: int, threads: int, lang: Lang
) -> Done:
    """`score_file` with a bar where the errors go, if that is a terminal; says so when it is interrupted."""
    try:
        with _bar(lang) as told:
            return score_file(rules, source, target, bad=bad, rows=rows, threads=threads, lang=lang, told=told)
    except KeyboardInterrupt:
        print(f"\n{say('show.interrupted', lang)}", file=sys.stderr)
        raise


@contextmanager
def looking(lang: Lang) -> Iterator[None]:
    """Says that every hand is looked at where that takes more than a moment and errors go to a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.status import Status

    status = Status(say("prove.looking", lang), console=Console(stderr=True))
    timer = Timer(PATIENCE, status.start)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()


def summary(done: Done, bad: Path | None, lang: Lang) -> str:
    """What came of a run, in a line."""
    text = say("show.rows_scored", lang, rows=f"{done.rows - done.bad:,}")
    if done.bad:
        text += say("show.rows_bad", lang, bad=f"{done.bad:,}", path=bad)
    if done.resumed:
        text += say("show.rows_resumed", lang, resumed=f"{done.resumed:,}")
    return text


@contextmanager
def _bar(lang: Lang) -> Iterator[Callable[[Progress], object]]:
    if not sys.stderr.isatty():
        yield lambda progress: None
        return
    from rich import progress as p
    from rich.console import Console

    columns = (
        p.TextColumn("{task.description}"),
        p.BarColumn(),
        p.TaskProgressColumn(),
        p.TextColumn("{task.fields[rows]:,}"),
        p.TimeRemainingColumn(),
    )
    with p.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(say("show.scoring", lang), total=None, rows=0)
        yield lambda now: bar.update(task, total=now.total, completed=now.done, rows=now.rows)
