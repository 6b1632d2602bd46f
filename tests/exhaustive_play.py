"""The long comparison of play: the kernel's table against the plain one, and a million hands of each rule set.

    python tests/exhaustive_play.py [RULESET…] [--hands N] [--sample N] [--jobs N]

Of the sample every legal move of every seat, every event, state and posting is compared on both tables.  Of all
hands: they end, the deltas sum to zero but for the outside account, and of one in a thousand the record
replays to the same.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from pathlib import Path

import numpy as np

import pyengine

sys.path.insert(0, str(Path(__file__).parent))
CHUNK = 20_000
_loaded: dict[str, pyengine.Ruleset] = {}


def _rules(name: str) -> pyengine.Ruleset:
    if name not in _loaded:
        _loaded[name] = pyengine.load(name)
    return _loaded[name]


def _compared(task: tuple[str, int]) -> list[str]:
    from support.play_tables import table_difference

    name, start = task
    rules = _rules(name)
    found = (table_difference(rules, seed, (0.2, 0.5, 0.7, 0.95)[seed % 4]) for seed in range(start, start + 50))
    return [f"{name}: {difference}" for difference in found if difference]


def _played(task: tuple[str, int]) -> list[str]:
    from pyengine.engine.simulation import play_hands, records

    name, start = task
    rules = _rules(name)
    bad = []
    policy = "greedy" if start // CHUNK % 2 else "random"
    outside = any(
        line.party.account == "outside" or (line.other and line.other.account == "outside")
        for flow in rules.rules.flows.values()
        for line in flow.transfers
    )
    for played in play_hands(rules, policy, start, CHUNK):
        sums = played["deltas"].sum(axis=1)
        if not outside and np.any(sums):
            bad.append(f"{name}: deltas of a hand from seed {start} on do not balance")
    for record in records(rules, policy, start, CHUNK // 1000):
        if list(rules.settle(record).deltas) != record["deltas"]:
            bad.append(f"{name}: a record from seed {start} on replays otherwise")
    return bad


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rulesets", nargs="*")
    parser.add_argument("--hands", type=int, default=1_000_000)
    parser.add_argument("--sample", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    arguments = parser.parse_args()
    from pyengine.language.load import load_rules

    names = arguments.rulesets or [name for name, _, _ in pyengine.rulesets() if load_rules(name).is_playable]
    mismatches = 0
    with multiprocessing.Pool(arguments.jobs) as pool:
        for name in names:
            for what, work, tasks in (
                ("compared", _compared, [(name, start) for start in range(0, arguments.sample, 50)]),
                ("played", _played, [(name, start) for start in range(0, arguments.hands, CHUNK)]),
            ):
                start = time.perf_counter()
                bad = [wrong for found in pool.imap_unordered(work, tasks) for wrong in found]
                mismatches += len(bad)
                done = arguments.sample if what == "compared" else arguments.hands
                seconds = time.perf_counter() - start
                print(f"{name:20} {done:>9,} {what}  {len(bad)} mismatches  {seconds:.0f} s", flush=True)
                for line in bad[:3]:
                    print("  " + line[:500])
    return 1 if mismatches else 0


if __name__ == "__main__":
    sys.exit(main())
