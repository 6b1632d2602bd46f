"""Hands played out and settled by the kernel on one core, beside the plain table in the same run.

    python benchmarks/play.py [--hands N] [RULESET…]

Prints hands per second of processor time, random legal and greedy, and how many times slower the plain
table plays random hands.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

import pyengine
from pyengine.engine.simulation import PLAYED

RULES = ("sichuan/xuezhan", "sichuan/xueliu", "dazhong/standard")
SAMPLE = 5


def seconds(run: Callable[[int], object], rounds: int = 5) -> float:
    """The median of a few rounds, each told its number."""
    times = []
    for number in range(rounds):
        start = time.process_time()
        run(number)
        times.append(time.process_time() - start)
    return statistics.median(times)


def plain(rules: pyengine.Ruleset, seed: int) -> None:
    """Random hands on the plain table."""
    rng = random.Random(seed)
    for number in range(SAMPLE):
        game = rules.new_game(seed * SAMPLE + number)
        while not game.is_over:
            game.apply(rng.choice(game.legal()))
        game.settle()


def row(name: str, n: int) -> str:
    """The figures of one rule set."""
    rules = pyengine.load(name)
    kernel = rules.play_kernel
    played = np.zeros(n, PLAYED)
    kernel.simulate(True, 0, n, played)  # where the rule set folds, its tables are made
    each = [seconds(lambda number, g=greedy: kernel.simulate(g, number * n, n, played)) / n for greedy in (False, True)]
    slower = seconds(lambda number: plain(rules, number), 3) / SAMPLE / each[0]
    return f"{name:20} {1 / each[0]:>12,.0f} {1 / each[1]:>12,.0f} {slower:>12,.0f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rulesets", nargs="*", default=RULES)
    parser.add_argument("--hands", type=int, default=50_000)
    arguments = parser.parse_args()
    print(f"{'hands/s, one core':20} {'random':>12} {'greedy':>12} {'plain slower':>12}")
    for name in arguments.rulesets:
        print(row(name, arguments.hands), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
