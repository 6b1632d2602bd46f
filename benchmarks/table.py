"""Hands by the batch and by the one: one table, in which everything was measured in the same run.

    python benchmarks/table.py [RULESET…] [--hands N] [--batch N] [--random N]

Each line gives nanoseconds a hand on one core, of packed words and of rows of bytes, as called from Python in
batches with `out=`, the hands streamed from memory; then what is wanted, and the ratio to a pass that only
sums up the same words.  Of all batches of a run the fastest tenth counts, so that a busy machine matters less.
Then a rule file that is not folded, judged in columns, beside the same hands judged one by one (`mj_score`).
Below stand the oracle, other scorers on the same single hands, and loading.  Peers that are not installed are
left out (`pip install '.[peers]'`).
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pyengine
from pyengine.engine import kernel as binding
from pyengine.engine.hands import Batch
from pyengine.engine.kernel import FEWEST_IN_COLUMNS, closed_hands, count_hands
from pyengine.engine.ruleset import Ruleset
from pyengine.tools.random_hands import complete_hands

sys.path += [str(Path(__file__).parent), str(Path(__file__).parent.parent / "tests")]
import single_hand
from support.batches import columns_of, rows_of
from support.random_rules import random_rules

Rows = NDArray[np.uint8]
PATTERNS = str(Path(__file__).parent.parent / "tests" / "good" / "patterns.rule")
"""Rules that see too much to be folded."""
RULESETS = ("sichuan/classic", "sichuan/xuezhan", "sichuan/xueliu", "sichuan/sbr", "sichuan/basic", "regional/chuannan")
WANTED = {
    "win": (2, 4),
    "score, concealed": (2.5, 5),
    "score, melds win flags": (8, 12),
    "waits, mask": (5, 8),
    "waits, with values": (15, None),
    "shanten": (2.5, 5),
}


# ---- hands ------------------------------------------------------------------------------------


def closed(n: int, rng: np.random.Generator) -> Rows:
    """Random complete hands of at most two suits; in half of them one tile is exchanged for another."""
    total, run = count_hands()["closed"], 64
    starts = rng.integers(0, total - run, n // run + 1)
    rows = b"".join(row for start in starts for row in closed_hands(int(start), run))
    hands = np.frombuffer(rows, np.uint8).reshape(-1, 27)[:n].copy()
    rng.shuffle(hands)
    spoilt = hands[: n // 2]
    change(spoilt, rng, -1)
    change(spoilt, rng, 1)
    rng.shuffle(hands)
    return hands


def change(hands: Rows, rng: np.random.Generator, by: int) -> None:
    """Takes a tile from each hand, or adds one of which it has not four."""
    possible = hands > 0 if by < 0 else hands < 4
    kinds = np.argmax(rng.random(hands.shape) * possible, axis=1)
    hands[np.arange(len(hands)), kinds] += np.uint8(by % 256)


def deals(n: int, rng: np.random.Generator) -> Rows:
    """Thirteen random tiles of the three suits."""
    hands = np.zeros((n, 27), np.uint8)
    tiles = np.argsort(rng.random((n, 108)), axis=1)[:, :13] // 4
    np.add.at(hands, (np.arange(n)[:, None], tiles), 1)
    return hands


def told(rules: Ruleset, n: int) -> tuple[Rows, dict[str, Any]]:
    """Complete hands with melds, a winning tile and the facts of the win, such as those rules play."""
    found = []
    chows = any(rules.copies[27:])
    for hand in complete_hands(rules, 4 * n, 7):
        if chows or all(meld.type != "吃" for meld in hand.melds):
            found.append(hand)
        if len(found) == n:
            break
    kinds = 34 if chows else 27
    columns = columns_of(found, kinds)
    return rows_of(found, kinds), {name: columns[name] for name in ("melds", "win", "by", "flags")}


# ---- measuring ----------------------------------------------------------------------------------


def nanoseconds(call: Callable[[int, int], object], n: int, batch: int) -> float:
    """Of one hand, by the fastest tenth of the batches."""
    call(0, batch)
    times = []
    for _ in range(max(3, 2_000_000 // n)):
        for start in range(0, n - batch + 1, batch):
            begin = time.perf_counter()
            call(start, start + batch)
            times.append(time.perf_counter() - begin)
    times.sort()
    return times[len(times) // 10] / batch * 1e9


class Table:
    """Prints lines as they are measured."""

    def __init__(self, batch: int) -> None:
        self.batch = batch
        self.missed = 0

    def line(self, work: str, rules: str, rows: Rows, call: Callable[[Any, int, int], object], name: str = "") -> None:
        """Measures a call on packed words and on rows."""
        words = pyengine.pack(rows)
        n = len(words)
        figures = [nanoseconds(lambda a, b, x=form: call(x, a, b), n, self.batch) for form in (words, rows)]  # type: ignore[misc]
        memory = nanoseconds(lambda a, b: words[a:b].sum(), n, self.batch)
        wanted = WANTED[name or work]
        shown = []
        for figure, most in zip(figures, wanted, strict=True):
            mark = " " if most is None or figure <= most else "!"
            self.missed += mark == "!"
            shown.append(f"{figure:7.2f}{mark} {'' if most is None else f'≤ {most}':6}")
        print(f"{work:24} {rules:20} {shown[0]} {shown[1]} {figures[0] / memory:6.1f}×", flush=True)


def batches(table: Table, name: str, hands: Rows, batch: int) -> None:
    rules = pyengine.load(name)
    if any(rules.copies[27:]):
        hands = np.concatenate([hands, np.zeros((len(hands), 7), np.uint8)], axis=1)
    scored, wins = rules.score_batch(hands[:batch]), rules.win_batch(hands[:batch])
    table.line("win", name, hands, lambda x, a, b: rules.win_batch(x[a:b], out=wins))
    table.line("score, concealed", name, hands, lambda x, a, b: rules.score_batch(x[a:b], out=scored))
    rows, columns = told(rules, batch)

    def score(x: Any, a: int, b: int) -> object:
        return rules.score_batch(x[a:b], out=scored, **{key: column[a:b] for key, column in columns.items()})

    table.line("score, melds win flags", name, rows, score)


def nearness(table: Table, name: str, waiting: Rows, dealt: Rows, batch: int) -> None:
    rules = pyengine.load(name)
    masks, valued = rules.waits_batch(waiting[:batch]), rules.waits_batch(waiting[:batch], values=True)
    table.line("waits, mask", name, waiting, lambda x, a, b: rules.waits_batch(x[a:b], out=masks))
    table.line("waits, with values", name, waiting, lambda x, a, b: rules.waits_batch(x[a:b], values=True, out=valued))
    distances = rules.shanten_batch(dealt[:batch])
    table.line("shanten", name, dealt, lambda x, a, b: rules.shanten_batch(x[a:b], out=distances))


def by_itself(rules: Ruleset, rows: Rows, **columns: Any) -> Callable[[], None]:
    """Scores hands without tables, so few in a call that each is judged by itself."""
    batch, scored = Batch(rules, rows, **columns), rules.score_batch(rows, **columns)
    batch.packed.tell_facts(rules._compiled.folds.facts)
    few, out = FEWEST_IN_COLUMNS - 1, scored.columns(len(rows))

    def score() -> None:
        for start in range(0, batch.n, few):
            rules.kernel.score_batch(batch.packed, binding.NULL, start, min(start + few, batch.n), out)

    return score


def columns(name: str, hands: Rows) -> None:
    """What a hand takes of the processor in columns and by itself, in turn, and how many times as much that is."""
    rules = pyengine.load(name)
    melded, facts = told(rules, len(hands))
    for work, rows, more in (("score, concealed", hands, {}), ("score, melds win flags", melded, facts)):
        words, scored, alone = pyengine.pack(rows), rules.score_batch(rows, **more), by_itself(rules, rows, **more)
        best = [float("inf")] * 2
        for _ in range(9):
            for way, score in enumerate((lambda w=words, s=scored, m=more: rules.score_batch(w, out=s, **m), alone)):
                begin = time.thread_time()
                score()
                best[way] = min(best[way], (time.thread_time() - begin) / len(rows) * 1e9)
        label = f"{work}, in columns"
        print(
            f"{label:34} {Path(name).stem:10} {best[0]:7.1f}   one by one {best[1]:7.1f}   {best[1] / best[0]:5.2f} ×"
        )


def gain(one: Callable[[], object], two: Callable[[], object], times: int = 60) -> float:
    """How much faster the second is: by turns, and of each the best, for whatever else runs on the machine takes a core
    from two threads sooner than from one."""
    best = {one: 1e9, two: 1e9}
    for call in (one, two) * times:
        begin = time.perf_counter()
        call()
        best[call] = min(best[call], time.perf_counter() - begin)
    return best[one] / best[two]


def threads(name: str, hands: Rows) -> None:
    """How much faster two threads are than one on one large batch, the same into the same arrays; and on work that has
    nothing to share, which tells what the machine had to give meanwhile."""
    rules, words, ballast = pyengine.load(name), np.tile(pyengine.pack(hands), 4), bytes(1 << 20)
    out = rules.score_batch(words)

    def score(count: int) -> object:
        return rules.score_batch(words, out=out, threads=count)

    with ThreadPoolExecutor(1) as other:

        def hash_both() -> object:
            apart = other.submit(sha256, ballast)
            return sha256(ballast), apart.result()

        scored = gain(lambda: score(1), lambda: score(2))
        hashed = gain(lambda: (sha256(ballast), sha256(ballast)), hash_both)
    label = f"two threads over one, {len(words):,} hands"
    print(f"{label:45} {scored:7.2f} ×   (hashing, at the same time: {hashed:.2f} ×)")


def random_files(table: Table, n: int, hands: Rows, folder: Path) -> None:
    """The speed of random rule files, which nobody has tuned anything for."""
    for seed in range(n):
        path = folder / f"random-{seed}.rule"
        path.write_text(random_rules(seed), encoding="utf-8")
        rules = pyengine.load(str(path))
        rows = np.concatenate([hands, np.zeros((len(hands), 7), np.uint8)], axis=1) if any(rules.copies[27:]) else hands
        scored, label = rules.score_batch(rows[: table.batch]), f"{path.stem} {rules.batch_path().reason}"
        table.line("score, concealed", label, rows, lambda x, a, b, r=rules, o=scored: r.score_batch(x[a:b], out=o))  # type: ignore[misc]


def singles(n: int) -> None:
    sample = single_hand.hands(n)
    for name, make in (
        ("rules.points(text): money only", single_hand.ours_points),
        ("rules.score(text)", single_hand.ours_text),
        ("rules.score(text), all of the result read", single_hand.ours_read),
        ("oracle in plain Python", single_hand.oracle),
        ("PyMahjongGB (C++)", single_hand.mahjong_gb),
        ("riichienv (Rust)", single_hand.riichienv),
        ("mahjong (Python)", single_hand.mahjong),
        ("rules.shanten(text)", single_hand.ours_shanten),
        ("shanten-tools (Rust): shanten of an array", single_hand.shanten_tools),
    ):
        try:
            print(f"{name:45} {single_hand.microseconds(make(sample), n):7.2f} µs")
        except ImportError:
            print(f"{name:45} not installed")
    for name, load in (("from its text", single_hand.load_from_text), ("again", single_hand.load)):
        print(f"{f'loading {single_hand.RULES}, {name}':45} {single_hand.microseconds(load, 1) / 1000:7.2f} ms")
    begin = time.thread_time()
    fresh = pyengine.load("sichuan/xuezhan", 底分=7)
    fresh.batch_path()
    print(f"{'load and tables of sichuan/xuezhan, processor':45} {(time.thread_time() - begin) * 1e3:7.2f} ms")


def cold_start(code: str, times: int = 20) -> float:
    """Milliseconds until a fresh process has done this, the best of several.

    The bytecode of all modules is there, as it is where the package was installed, whatever the environment says.
    """
    best = 1e9
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = folder
        for _ in range(times):
            begin = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True, env=environment)
            best = min(best, time.perf_counter() - begin)
    return best * 1e3


def starts() -> None:
    for name, code in (
        ("Python alone", "pass"),
        (single_hand.RULES, f"import pyengine; pyengine.load({single_hand.RULES!r})"),
    ):
        print(f"{f'cold start, {name}':45} {cold_start(code):7.2f} ms")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rulesets", nargs="*", default=RULESETS)
    parser.add_argument("--hands", type=int, default=1 << 20)
    parser.add_argument("--batch", type=int, default=1 << 15)
    parser.add_argument("--random", type=int, default=0, help="random rule files to be measured, too")
    given = parser.parse_args(arguments)
    rng = np.random.default_rng(1)
    hands = closed(given.hands, rng)
    waiting = hands.copy()
    change(waiting, rng, -1)
    dealt = deals(given.hands // 8, rng)
    print(f"Python {platform.python_version()}, {platform.machine()}, batches of {given.batch}, nanoseconds a hand")
    print(f"{'':45} {'packed':>7}  {'':6} {'rows':>7}  {'':6} {'memory pass':>7}")
    table = Table(given.batch)
    for name in given.rulesets:
        batches(table, name, hands, given.batch)
    nearness(table, given.rulesets[0], waiting, dealt, given.batch)
    columns(PATTERNS, hands[: given.batch])
    if given.random:
        with tempfile.TemporaryDirectory() as folder:
            random_files(table, given.random, hands[: 4 * given.batch], Path(folder))
    print(f"{table.missed} of these figures above what is wanted (marked !)\n")
    threads(given.rulesets[0], hands)
    singles(2_000)
    starts()
    return 0


if __name__ == "__main__":
    sys.exit(main())
