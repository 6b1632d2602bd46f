"""The long comparison of settlement: the kernel against the oracle on a million random games each.

    python tests/exhaustive_games.py [RULESET…] [--games N] [--jobs N]

Deltas and next dealer of every game, and that deltas add up to zero; every posting of one game in twenty.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time

import pyengine
from pyengine.tools.random_games import random_games

CHUNK = 2_000
_loaded: dict[str, pyengine.Ruleset] = {}


def _chunk(task: tuple[str, int]) -> tuple[int, list[str]]:
    name, seed = task
    rules = _loaded.setdefault(name, pyengine.load(name)) if name not in _loaded else _loaded[name]
    games = list(random_games(rules, CHUNK, seed))
    batch = rules.settle_batch(rules.pack_games(games), errors="mark")
    bad = []
    for number, (game, deltas, dealer) in enumerate(zip(games, batch.deltas, batch.next_dealers, strict=True)):
        settled = rules.ledger.settle(game)
        same = tuple(deltas) == settled.deltas[:4] and (None if dealer == 255 else dealer) == settled.next_dealer
        if number % 20 == 0:
            same = same and rules.settle_table(game) == settled
        if not same or sum(settled.deltas):
            bad.append(f"{name} seed {seed} game {number}: {game}")
    return len(games), bad


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rulesets", nargs="*")
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    arguments = parser.parse_args()
    from pyengine.language.load import load_rules

    names = arguments.rulesets or [name for name, _, _ in pyengine.rulesets() if load_rules(name).is_playable]
    mismatches = 0
    with multiprocessing.Pool(arguments.jobs) as pool:
        for name in names:
            start = time.perf_counter()
            done, bad = 0, []
            for n, found in pool.imap_unordered(_chunk, [(name, s) for s in range(arguments.games // CHUNK)]):
                done += n
                bad += found
                print(f"\r{name} {done:,} games, {len(bad)} mismatches", end="", file=sys.stderr)
            print(file=sys.stderr)
            mismatches += len(bad)
            print(f"{name:20} {done:>9,} games  {len(bad)} mismatches  {time.perf_counter() - start:.0f} s", flush=True)
            for line in bad[:3]:
                print("  " + line)
    return 1 if mismatches else 0


if __name__ == "__main__":
    sys.exit(main())
