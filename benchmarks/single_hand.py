"""One hand at a time from Python, beside other scorers on the same hands in the same run.

    python benchmarks/single_hand.py [--hands N]

Prints one table: microseconds a hand (median of five rounds) and the ratio to ours.  Each scorer judges by
its own rules; what is compared is the time to a full result.  Peers that are not installed are left out
(`pip install '.[peers]'`).  Loading a rule file is measured too, in a warm process.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable

import pyengine
from pyengine.engine.kernel import closed_hands
from pyengine.language import inherit
from pyengine.notation import tiles

RULES = "sichuan/classic"
Hand = tuple[tuple[int, ...], int]
"""Fourteen kinds in ascending order, and the winning one."""


def hands(n: int, seed: int = 3) -> list[Hand]:
    """Random closed hands of the standard shape, which every scorer knows."""
    rng = random.Random(seed)
    rules = pyengine.load(RULES)
    found: list[Hand] = []
    while len(found) < n:
        row = closed_hands(rng.randrange(2_561_091), 1)[0]
        kinds = tuple(kind for kind, copies in enumerate(row) for _ in range(copies))
        result = rules.score((*row, *[0] * 7))
        if result.reading is not None and all(group.type != "对" for group in result.reading.groups):
            found.append((kinds, rng.choice(kinds)))
    return found


def _without(kinds: tuple[int, ...], win: int) -> list[int]:
    rest = list(kinds)
    rest.remove(win)
    return rest


def ours_text(sample: list[Hand]) -> Callable[[], None]:
    rules = pyengine.load(RULES)
    texts = [(tiles.compact(kinds), tiles.NAMES[win]) for kinds, win in sample]

    def run() -> None:
        for text, win in texts:
            rules.score(text, win=win, by="自摸")

    return run


def ours_points(sample: list[Hand]) -> Callable[[], None]:
    """Only what the hand brings."""
    rules = pyengine.load(RULES)
    texts = [(tiles.compact(kinds), tiles.NAMES[win]) for kinds, win in sample]

    def run() -> None:
        for text, win in texts:
            rules.points(text, win=win, by="自摸")

    return run


def ours_read(sample: list[Hand]) -> Callable[[], None]:
    """The same, and everything is read that a result tells."""
    rules = pyengine.load(RULES)
    texts = [(tiles.compact(kinds), tiles.NAMES[win]) for kinds, win in sample]

    def run() -> None:
        for text, win in texts:
            result = rules.score(text, win=win, by="自摸")
            _ = result.win, result.fans, result.total, result.points
            _ = result.combos, result.reading, result.payments

    return run


def ours_shanten(sample: list[Hand]) -> Callable[[], None]:
    """How far the hand without its winning tile is."""
    rules = pyengine.load(RULES)
    texts = [tiles.compact(_without(kinds, win)) for kinds, win in sample]

    def run() -> None:
        for text in texts:
            rules.shanten(text)

    return run


def shanten_tools(sample: list[Hand]) -> Callable[[], None]:
    import numpy as np
    from shanten_tools import shanten

    rows = [np.bincount(_without(kinds, win), minlength=34).astype(np.uint8) for kinds, win in sample]

    def run() -> None:
        for row in rows:
            shanten(row)

    return run


def oracle(sample: list[Hand]) -> Callable[[], None]:
    rules = pyengine.load(RULES)
    ready = [rules.hand(tiles.compact(kinds), win=win, by="自摸") for kinds, win in sample]

    def run() -> None:
        for hand in ready:
            rules.oracle.score(hand)

    return run


def mahjong_gb(sample: list[Hand]) -> Callable[[], None]:
    from MahjongGB import MahjongFanCalculator

    names = [("W", "B", "T")[kind // 9] + str(kind % 9 + 1) for kind in range(27)]
    calls = []
    for kinds, win in sample:
        calls.append((tuple(names[kind] for kind in _without(kinds, win)), names[win]))

    def run() -> None:
        for rest, win in calls:
            MahjongFanCalculator((), rest, win, 0, True, False, False, False, 0, 0)

    return run


def mahjong(sample: list[Hand]) -> Callable[[], None]:
    from mahjong.hand_calculating.hand import HandCalculator
    from mahjong.hand_calculating.hand_config import HandConfig

    calculator, config = HandCalculator(), HandConfig(is_tsumo=True)
    calls = [_tiles_136(kinds, win) for kinds, win in sample]

    def run() -> None:
        for held, win in calls:
            calculator.estimate_hand_value(held, win, config=config)

    return run


def riichienv(sample: list[Hand]) -> Callable[[], None]:
    from riichienv import Conditions, HandEvaluator

    conditions = Conditions(tsumo=True)
    calls = [_tiles_136(kinds, win) for kinds, win in sample]

    def run() -> None:
        for held, win in calls:
            HandEvaluator([tile for tile in held if tile != win]).calc(win, conditions=conditions)

    return run


def _tiles_136(kinds: tuple[int, ...], win: int) -> tuple[list[int], int]:
    """Kinds as numbers of physical tiles, four to a kind."""
    held: list[int] = []
    for kind in kinds:
        held.append(4 * kind + sum(tile // 4 == kind for tile in held))
    return held, 4 * win


def load() -> None:
    pyengine.load(RULES)


def load_from_text() -> None:
    """As the first time: nothing of the files is remembered."""
    inherit._read_file.cache_clear()
    load()


def microseconds(run: Callable[[], None], count: int) -> float:
    run()
    times = []
    for _ in range(5):
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) / count * 1e6)
    return statistics.median(times)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=2_000)
    count = parser.parse_args().hands
    sample = hands(count)
    rows: list[tuple[str, float | None]] = []
    for name, make in (
        ("rulespec  rules.score(text), all of it read", ours_read),
        ("rulespec  rules.score(text)", ours_text),
        ("rulespec  oracle in plain Python", oracle),
        ("PyMahjongGB (C++)", mahjong_gb),
        ("riichienv (Rust)", riichienv),
        ("mahjong (Python)", mahjong),
    ):
        try:
            rows.append((name, microseconds(make(sample), count)))
        except ImportError:
            rows.append((name, None))
    base = rows[0][1] or 1
    print(f"{count} closed hands of the standard shape, self-drawn; Python {sys.version.split()[0]}")
    for name, value in rows:
        shown = "not installed" if value is None else f"{value:10.2f} µs  {value / base:8.2f} ×"
        print(f"{name:45} {shown}")
    for name, run in (("from its text", load_from_text), ("again", load)):
        print(f"{f'loading {RULES}, {name}':45} {microseconds(run, 1) / 1000:10.2f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
