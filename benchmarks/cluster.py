"""Frames of hands on a local cluster of two workers, beside one process on the same rows.

    python benchmarks/cluster.py [--rows N] [--partitions N] [--rules sichuan/xuezhan]

Prints rows a second of both, and whether the results are the same bytes.  Needs `pip install '.[cluster]'`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import dask.dataframe as dd
import pandas as pd
from dask.distributed import Client, LocalCluster

import pyengine
from pyengine.cluster import score_frame
from pyengine.notation import tiles
from pyengine.tools.random_hands import complete_hands


def frame_of(rules: pyengine.Ruleset, n: int) -> pd.DataFrame:
    hands = list(complete_hands(rules, min(n, 20_000), seed=13))
    rows = [
        {
            "hand": tiles.compact(tiles.expand(hand.concealed)),
            "melds": " ".join(map(str, hand.melds)) or None,
            "win": None if hand.win is None else tiles.NAMES[hand.win],
        }
        for hand in hands
    ]
    return pd.DataFrame([rows[number % len(rows)] for number in range(n)])


def timed(name: str, rows: int, work: Callable[[], Any]) -> str:
    """Prints how fast some work makes a frame; the frame as text."""
    begun = time.perf_counter()
    frame = work()
    print(f"{name:12} {rows / (time.perf_counter() - begun):10,.0f} rows/s")
    text: str = frame.to_csv(index=False)
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--partitions", type=int, default=16)
    parser.add_argument("--rules", default="sichuan/xuezhan")
    given = parser.parse_args()
    rules = pyengine.load(given.rules)
    frame = frame_of(rules, given.rows)
    alone = timed("one process", given.rows, lambda: score_frame(rules, frame))
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        client.run(pyengine.load, given.rules)  # Workers that have started, as they would be.
        parts = dd.from_pandas(frame, npartitions=given.partitions)
        many = timed("two workers", given.rows, lambda: score_frame(rules, parts).compute())
    print("the same bytes" if alone == many else "NOT THE SAME")


if __name__ == "__main__":
    main()
