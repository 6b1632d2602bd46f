"""Files of hands: how many rows a second `score_file` reads, scores and writes, format by format.

    python benchmarks/files.py [--rows N] [--rules sichuan/xuezhan] [--threads N]

Rows are random complete hands with melds, winning tiles and facts.  Prints one table: rows a second by the clock and
by the processor (which other work on the machine disturbs less), and the peak of memory where Linux tells it.  Each
pair of formats runs in a process of its own.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pyengine
from pyengine.notation import tiles
from pyengine.notation.hand import Hand, can_be
from pyengine.tools.random_hands import complete_hands

COLUMNS = ("id", "hand", "melds", "win", "by", "flags", "void", "kong")


def row_of(number: int, hand: Hand) -> dict[str, Any]:
    facts = can_be(hand)
    return {
        "id": str(number),
        "hand": tiles.compact(tiles.expand(hand.concealed)),
        "melds": " ".join(map(str, hand.melds)) or None,
        "win": None if hand.win is None else tiles.NAMES[hand.win],
        "by": hand.by if facts else None,
        "flags": " ".join(sorted(hand.flags)) or None if facts else None,
        "void": None if hand.void is None else "mps"[hand.void],
        "kong": hand.kong if facts else None,
    }


def write(folder: Path, rules: pyengine.Ruleset, n: int) -> list[str]:
    """The same rows in every format that can be written here; which these are."""
    hands = list(complete_hands(rules, min(n, 20_000), seed=11))
    random.Random(11).shuffle(hands)
    rows = [row_of(number, hands[number % len(hands)]) for number in range(n)]
    with (folder / "hands.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        writer.writerows(rows)
    with (folder / "hands.jsonl").open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps({k: v for k, v in row.items() if v is not None}, ensure_ascii=False) + "\n")
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        return ["csv", "jsonl"]
    pq.write_table(pa.table({name: [row[name] for row in rows] for name in COLUMNS}), folder / "hands.parquet")
    return ["csv", "jsonl", "parquet"]


ONE = """
import pathlib, re, sys, time, pyengine
from pyengine.tools.score_file import score_file
rules = pyengine.load(sys.argv[1])
clock, processor = time.perf_counter(), time.process_time()
done = score_file(rules, sys.argv[2], sys.argv[3], threads=int(sys.argv[4]))
status = pathlib.Path("/proc/self/status")  # getrusage begins with the peak of the process that started this one
peak = re.search("VmHWM:\\s*([0-9]+) kB", status.read_text())[1] if status.exists() else 0
print(done.rows, time.perf_counter() - clock, time.process_time() - processor, peak)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--rules", default="sichuan/xuezhan")
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        begun = time.perf_counter()
        formats = write(folder, pyengine.load(given.rules), given.rows)
        print(f"{given.rows:,} rows of {given.rules}, made in {time.perf_counter() - begun:.0f} s")
        print(f"{'from':8} {'to':8} {'rows/s':>9} {'rows/cpu s':>11} {'peak':>8}")
        for source in formats:
            for target in formats:
                command = [sys.executable, "-c", ONE, given.rules, str(folder / f"hands.{source}")]
                command += [str(folder / f"scored.{target}"), str(given.threads)]
                told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
                rows, clock, processor, peak = int(told[0]), float(told[1]), float(told[2]), int(told[3])
                print(f"{source:8} {target:8} {rows / clock:9,.0f} {rows / processor:11,.0f} {peak / 1024:5,.0f} MB")


if __name__ == "__main__":
    main()
