"""Rows done in parts by several threads at once.

The threads are kept: starting one takes as long as scoring ten thousand hands.  Who asks works along, and takes parts
as the others do until none is left, so nothing waits for a thread that is busy elsewhere or was never started.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock

Work = Callable[[int, int], "tuple[int, int]"]
"""Does the rows from one number up to another; a status, and the row that it is about."""

PARTS_A_THREAD = 8  # so that a thread whose core is taken away, or that was woken late, holds up little
MOST_HELPERS = max(1, (os.cpu_count() or 2) - 1)


def run(n: int, threads: int, least: int, work: Work) -> tuple[int, int]:
    """Does rows 0 to n; the result of the first part that failed, or that all is well.

    What a thread is given is not less than `least` rows, but for the last part.
    """
    threads = min(threads, n // least)
    if threads <= 1:
        return work(0, n)
    count = min(threads * PARTS_A_THREAD, n // least)
    parts = _Parts(work, [n * part // count for part in range(count + 1)])
    helpers = _start(parts, min(threads - 1, MOST_HELPERS))
    try:
        parts.take()
    finally:
        parts.left.clear()
        begun = [helper for helper in helpers if not helper.cancel()]
        wait(begun)
    for helper in begun:
        helper.result()
    return next((result for result in parts.results if result[0]), (0, 0))


class _Parts:
    """The parts of one piece of work, of which threads take the first that is left."""

    def __init__(self, work: Work, edges: list[int]) -> None:
        self.work = work
        self.edges = edges
        self.left = deque(range(len(edges) - 1))
        self.results = [(0, 0)] * len(self.left)

    def take(self) -> None:
        while True:
            try:
                part = self.left.popleft()
            except IndexError:
                return
            result = self.results[part] = self.work(self.edges[part], self.edges[part + 1])
            if result[0]:
                # The parts before this one have all been taken, and will be done.
                self.left.clear()


# ---- the threads -------------------------------------------------------------------------------------

_lock = Lock()
_threads: ThreadPoolExecutor | None = None


def _start(parts: _Parts, n: int) -> list[Future[None]]:
    """Sets helpers to work; none when the interpreter is on its way out."""
    global _threads
    with _lock:
        if _threads is None:
            _threads = ThreadPoolExecutor(MOST_HELPERS, "rulespec")
        try:
            return [_threads.submit(parts.take) for _ in range(n)]
        except RuntimeError:
            return []


def _forget() -> None:
    """In a forked process, where the threads are not."""
    global _lock, _threads
    _lock, _threads = Lock(), None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
