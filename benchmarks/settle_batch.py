"""Games settled at once, beside the oracle and a plain pass over the same memory, in one run.

    python benchmarks/settle_batch.py [--games N] [RULESET…]

Random games of ten events each.  Prints games per second on one core, and how many times slower the
oracle is and how many times faster it would be only to read the packed games.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np

import pyengine
from pyengine.engine.table import TableGame
from pyengine.tools.random_games import random_games

SAMPLE = 500
EVENTS = 10


def games_of_ten(rules: pyengine.Ruleset, n: int) -> list[TableGame]:
    """Games with ten events each; where hands end earlier, with as many as the rules allow."""
    found: list[TableGame] = []
    fallback: list[TableGame] = []
    for game in random_games(rules, 40 * n, seed=2, length=EVENTS):
        (found if len(game.events) >= EVENTS else fallback).append(game)
        if len(found) == n:
            break
    return found or sorted(fallback, key=lambda game: -len(game.events))[:n]


def seconds(run: Callable[[], object], rounds: int = 5) -> float:
    def timed() -> Iterator[float]:
        for _ in range(rounds):
            start = time.perf_counter()
            run()
            yield time.perf_counter() - start

    return statistics.median(timed())


def row(name: str, count: int) -> str:
    """The figures of one rule set."""
    rules = pyengine.load(name)
    sample = games_of_ten(rules, SAMPLE)
    packed = rules.pack_games(sample * (count // len(sample)))
    n = len(packed)
    out = np.empty((n, 4), np.int64)
    ours = seconds(lambda: rules.settle_batch(packed, out=out)) / n
    oracle = seconds(lambda: [rules.ledger.settle(game) for game in sample], 3) / len(sample)
    whole = [packed.games.view(np.uint8), packed.events.view(np.uint8)]
    memory = seconds(lambda: [int(array.view(np.uint64).sum()) for array in whole]) / n
    expected = np.array([rules.ledger.settle(game).deltas[:4] for game in sample])
    assert np.array_equal(out[: len(sample)], expected), "the batch differs from the oracle"
    speed = f"{1 / ours:12,.0f} {ours * 1e9:8.0f} {oracle / ours:9,.0f}× {ours / memory:11.1f}×"
    return f"{name:20} {len(packed.events) / n:6.1f} {speed}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rulesets", nargs="*")
    parser.add_argument("--games", type=int, default=200_000)
    arguments = parser.parse_args()
    names = arguments.rulesets or [
        "sichuan/classic",
        "sichuan/xuezhan",
        "sichuan/xueliu",
        "sichuan/basic",
        "sichuan/sbr",
    ]
    print(f"{'rule set':20} {'events':>6} {'games/s':>12} {'ns/game':>8} {'oracle':>10} {'memory pass':>12}")
    for name in names:
        print(row(name, arguments.games))
    return 0


if __name__ == "__main__":
    sys.exit(main())
