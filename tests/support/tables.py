"""Random rows of tables, as people would write them, and what they are worth one by one."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import pyengine
from pyengine.engine.hands import FLAGS
from pyengine.language.diagnostics import InputError
from pyengine.notation import tiles
from pyengine.notation.hand import Hand, can_be
from pyengine.tools.random_hands import complete_hands
from pyengine.tools.table import RESULTS

Row = dict[str, Any]
RULES = "sichuan/xuezhan"
NAMES = ("id", "hand", "melds", "win", "by", "flags", "void", "seen", "kong", "note")


def random_rows(rules: pyengine.Ruleset, n: int, seed: int, agreeing: bool = False) -> Iterator[Row]:
    """Rows of text, in several styles; with `agreeing` only facts that go together."""
    rng = random.Random(seed)
    for hand in complete_hands(rules, n, seed):
        row = row_of(hand, rng)
        if agreeing and not can_be(hand):
            row = {name: value for name, value in row.items() if name not in ("by", "flags", "kong")}
        yield row


def carrying_rows(rules: pyengine.Ruleset) -> list[Row]:
    """Rows that can all be scored, with columns of other things."""
    notes = ('say "hi"', "a, b", "好\n第二行", "", " x ", "1")
    made = random_rows(rules, 1_000, seed=83, agreeing=True)
    return [{"id": f"r{n}", "note": notes[n % len(notes)], **row} for n, row in enumerate(made)]


def row_of(hand: Hand, rng: random.Random) -> Row:
    kinds = tiles.expand(hand.concealed)
    if rng.random() < 0.2:
        rng.shuffle(kinds)
    row: Row = {"hand": tiles.chinese(kinds) if rng.random() < 0.2 else tiles.compact(kinds)}
    melds = " ".join(map(str, hand.melds))
    if melds and rng.random() < 0.3:
        row["hand"] = f"{melds} {row['hand']}" if rng.random() < 0.5 else f"{row['hand']} {melds}"
    elif melds:
        row["melds"] = melds if rng.random() < 0.8 else melds.replace(" ", "").replace("碰", " pung ")
    if hand.win is not None:
        row["win"] = tiles.NAMES[hand.win] if rng.random() < 0.9 else tiles.CHINESE_NAMES[hand.win]
    if hand.by != "点炮":
        row["by"] = hand.by if rng.random() < 0.9 else {"自摸": "self_draw", "抢杠": "robbed_kong"}[hand.by]
    if hand.flags:
        row["flags"] = rng.choice((" ", ",", "、")).join(sorted(hand.flags, key=FLAGS.index))
    if hand.void is not None:
        row["void"] = rng.choice(("mps", "万筒条"))[hand.void]
    if any(hand.seen) and rng.random() < 0.7:
        row["seen"] = tiles.compact(tiles.expand(hand.seen))
    if hand.kong:
        row["kong"] = hand.kong
    return row


NOISE = "0123456789mpsz xwW万筒条东發吃碰杠暗直Ａ３,\t　-"


def spoilt(row: Row, rng: random.Random) -> Row:
    """A row with a character changed, put in or left out, somewhere."""
    name = rng.choice([*row, "hand"])
    text = str(row[name])
    at = rng.randrange(len(text) + 1)
    return {**row, name: text[:at] + rng.choice(("", rng.choice(NOISE))) + text[at + rng.randint(0, 1) :]}


def alone(rules: pyengine.Ruleset, row: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a row is worth by itself, or the codes of what is wrong with it."""
    try:
        result = rules.score(**{name: value for name, value in row.items() if value is not None})
    except InputError as error:
        return tuple(wrong.code for wrong in error.diagnostics)
    unit = rules.naming.units[0][0]
    fans = tuple(fan.name for fan in result.fans for _ in range(fan.count))
    return (result.win, result.totals[unit] if result.win else 0, result.points, fans)


def columns_of_rows(rows: Sequence[Row], names: Sequence[str]) -> dict[str, list[Any]]:
    return {name: [row.get(name) for row in rows] for name in names}


# ---- files ---


def write(path: Path, rows: list[Row], names: tuple[str, ...] = NAMES) -> Path:
    """A table in the format of its name."""
    if path.suffix == ".csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, names, restval="")
            writer.writeheader()
            writer.writerows(rows)
    elif path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    else:
        pa = pytest.importorskip("pyarrow")
        import pyarrow.parquet as pq

        table = pa.table({name: [row.get(name) for row in rows] for name in names})
        pq.write_table(table, path, row_group_size=300)
    return path


def read(path: Path) -> list[Row]:
    """The rows of a table with results as Python values."""
    if path.suffix == ".csv":
        with path.open(newline="", encoding="utf-8") as file:
            found = [dict(row) for row in csv.DictReader(file)]
        for row in found:
            row["result_win"] = {"true": True, "false": False}[row["result_win"]]
            row["result_total"], row["result_points"] = int(row["result_total"]), int(row["result_points"])
            row["result_fans"] = row["result_fans"].split()
        return found
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    import pyarrow.parquet as pq

    found = pq.read_table(path).to_pylist()
    assert isinstance(found, list)
    return found


def result(row: Row) -> tuple[Any, ...]:
    win, total, points, fans = (row[name] for name in RESULTS)
    return win, total, points, tuple(fans)


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if ".part" in path.name or path.suffix == ".whole")
