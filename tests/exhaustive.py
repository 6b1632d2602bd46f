"""The long comparison: the kernel against the oracle on every closed hand and on random hands.

    python tests/exhaustive.py [RULESET…] [--random N] [--closed N] [--jobs N]
    python tests/exhaustive.py tests/good/patterns.rule

Every one of the 2,561,091 complete 14-tile hands of at most two suits, each with facts of a win by
a seeded draw, and N random hands with 0 to 4 melds: win, money, totals, fans and the reading.  The same hands
once more as batches, looked up in tables, or judged in columns where the rules see too much for tables, as those of the
second line do.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import time
from pathlib import Path

import pyengine
from pyengine.engine.kernel import closed_hands, count_hands
from pyengine.notation.hand import Hand
from pyengine.tools.random_hands import complete_hands, facts

sys.path.insert(0, str(Path(__file__).parent))
from support.batches import batch_difference
from support.compare import difference

CHUNK = 20_000


def _closed(task: tuple[str, int]) -> tuple[int, list[str]]:
    name, first = task
    rules = _rules(name)
    rng = random.Random(first)
    rows = closed_hands(first, CHUNK)
    hands = []
    for row in rows:
        concealed = (*row, *[0] * 7)
        win = rng.choice([kind for kind, held in enumerate(concealed) if held])
        hand = Hand(concealed, (), win, **facts(rng, list(concealed), list(concealed), rules.copies))
        hands.append(hand)
    return len(rows), _differences(rules, hands)


def _differences(rules: pyengine.Ruleset, hands: list[Hand]) -> list[str]:
    bad = [found for hand in hands if (found := difference(rules, hand))]
    by_batch = batch_difference(rules, hands)
    return bad + ([by_batch] if by_batch else [])


def _random(task: tuple[str, int]) -> tuple[int, list[str]]:
    name, seed = task
    rules = _rules(name)
    return CHUNK, _differences(rules, list(complete_hands(rules, CHUNK, seed)))


_loaded: dict[str, pyengine.Ruleset] = {}


def _rules(name: str) -> pyengine.Ruleset:
    if name not in _loaded:
        _loaded[name] = pyengine.load(name)
    return _loaded[name]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rulesets", nargs="*", help="ids or paths; all playable rule sets by default")
    parser.add_argument("--random", type=int, default=500_000, help="random hands for each rule set")
    parser.add_argument("--closed", type=int, default=None, help="closed hands for each rule set; all by default")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    arguments = parser.parse_args()
    names = arguments.rulesets or [name for name, _, _ in pyengine.rulesets() if _playable(name)]
    closed = count_hands()["closed"] if arguments.closed is None else arguments.closed
    mismatches = 0
    with multiprocessing.Pool(arguments.jobs) as pool:
        for name in names:
            for kind, work, total in (("closed", _closed, closed), ("random", _random, arguments.random)):
                start = time.perf_counter()
                steps = range(0, total, CHUNK)
                done, bad = 0, []
                for n, found in pool.imap_unordered(work, [(name, step) for step in steps]):
                    done += n
                    bad += found
                    print(f"\r{name} {kind} {done:,}/{total:,} {len(bad)} mismatches", end="", file=sys.stderr)
                print(file=sys.stderr)
                mismatches += len(bad)
                seconds = time.perf_counter() - start
                print(f"{name:20} {kind:7} {done:>9,} hands  {len(bad)} mismatches  {seconds:.0f} s", flush=True)
                for line in bad[:5]:
                    print("  " + line)
    return 1 if mismatches else 0


def _playable(name: str) -> bool:
    from pyengine.language.load import load_rules

    return load_rules(name).is_playable


if __name__ == "__main__":
    sys.exit(main())
