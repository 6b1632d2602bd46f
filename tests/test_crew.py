"""Work done in parts by several threads is what one thread does, whoever asks and whenever."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import pyengine
from pyengine.engine import crew
from pyengine.engine.kernel import closed_hands
from pyengine.language.diagnostics import InputError

pytestmark = pytest.mark.usefixtures("small_parts")


def hands(n: int) -> np.ndarray:
    return np.frombuffer(b"".join(closed_hands(500_000, n)), np.uint8).reshape(n, 27).copy()


@pytest.mark.parametrize(("n", "threads", "least"), [(1000, 4, 10), (7, 3, 2), (1000, 256, 1), (100, 2, 50)])
def test_every_row_is_done_once(n: int, threads: int, least: int) -> None:
    done = np.zeros(n, np.int64)

    def work(start: int, stop: int) -> tuple[int, int]:
        assert stop - start >= least
        done[start:stop] += 1
        return 0, 0

    assert crew.run(n, threads, least, work) == (0, 0)
    assert (done == 1).all()


def test_a_few_rows_are_not_split() -> None:
    calls = []

    def work(start: int, stop: int) -> tuple[int, int]:
        calls.append((start, stop, threading.current_thread()))
        return 0, 0

    crew.run(99, 8, 50, work)
    assert calls == [(0, 99, threading.current_thread())]


def test_the_first_bad_row_is_the_one_that_is_told() -> None:
    for bad in ({700, 20}, {999}, {0, 999}, {500, 501}):

        def work(start: int, stop: int, bad: set[int] = bad) -> tuple[int, int]:
            row = min((row for row in bad if start <= row < stop), default=None)
            return (0, 0) if row is None else (3, row)

        for _ in range(20):
            assert crew.run(1000, 4, 10, work) == (3, min(bad))


def test_what_a_thread_raises_is_raised() -> None:
    def work(start: int, stop: int) -> tuple[int, int]:
        if start:
            raise ValueError(start)
        return 0, stop

    with pytest.raises(ValueError, match=r"\d"):
        crew.run(1000, 2, 10, work)
    assert crew.run(1000, 2, 10, lambda start, stop: (0, 0)) == (0, 0)


@pytest.mark.parametrize("name", ["sichuan/classic", "regional/chuannan"])
def test_threads_change_no_result(name: str) -> None:
    rules, rows = pyengine.load(name), hands(3000)
    alone = rules.score_batch(rows)
    for threads in (2, 3, 8):
        together = rules.score_batch(rows, threads=threads)
        for column in ("win", "total", "points", "fans"):
            assert (getattr(alone, column) == getattr(together, column)).all()
    assert (rules.shanten_batch(rows) == rules.shanten_batch(rows, threads=3)).all()
    rows[700, 5] = rows[2900, 5] = 5
    for threads in (1, 2, 5):
        with pytest.raises(InputError, match=r"\b700\b"):
            rules.score_batch(rows, threads=threads)


def test_many_may_ask_at_once() -> None:
    rules, rows = pyengine.load("sichuan/xuezhan"), hands(2000)
    points = rules.score_batch(rows).points
    with ThreadPoolExecutor(6) as pool:
        for found in pool.map(lambda _: rules.score_batch(rows, threads=4).points, range(30)):
            assert (found == points).all()


SCRIPT = """
import atexit, os, sys, threading
import numpy as np
import pyengine
from pyengine.engine import many
many.LOOKED_UP = 64
rules = pyengine.load("sichuan/classic")
rows = np.zeros((5000, 27), np.uint8)
rows[:, :4] = 3
rows[:, 4] = 2
def ask():
    assert rules.score_batch(rows, threads=2).win.all()
ask()
"""


@pytest.mark.parametrize(
    "more",
    [
        "",
        "atexit.register(ask)",
        "threading.Thread(target=ask).start()",
        pytest.param(
            "child = os.fork()\nask()\nif not child: sys.exit(0)\nassert os.waitpid(child, 0)[1] == 0",
            marks=pytest.mark.skipif(sys.platform == "win32", reason="no fork"),
        ),
    ],
    ids=["plain", "at exit", "a thread that outlives the main one", "fork"],
)
def test_the_interpreter_ends(more: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT + more], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
