"""Rows that are read a column at a time are worth what each is worth alone, and refused for the same reasons."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.tables import Row, alone, columns_of_rows, random_rows, spoilt

import pyengine
from pyengine.engine.codes import FIELDS
from pyengine.engine.rows import score_rows
from pyengine.language.load import load_rules
from pyengine.notation import tiles
from pyengine.notation.columns import counts_of

PLAYABLE = [name for name, _, _ in pyengine.rulesets() if load_rules(name).is_playable]


@pytest.fixture(scope="module")
def xuezhan() -> pyengine.Ruleset:
    return pyengine.load("sichuan/xuezhan")


def together(rules: pyengine.Ruleset, rows: list[Row], names: tuple[str, ...] = FIELDS) -> list[tuple[Any, ...]]:
    """What `score_rows` says of each row, in the form of `alone`."""
    used = [name for name in names if any(name in row for row in rows)]
    found = score_rows(rules, columns_of_rows(rows, used), len(rows))
    own = found.scored
    told = zip(own.win.tolist(), own.total.tolist(), own.points.tolist(), found.fans, strict=True)
    by_row: dict[int, tuple[Any, ...]] = dict(zip(found.rows.tolist(), told, strict=True))
    by_row |= {row: tuple(wrong.code for wrong in codes) for row, codes in found.wrong.items()}
    return [by_row[row] for row in range(len(rows))]


def assert_as_alone(rules: pyengine.Ruleset, rows: list[Row]) -> None:
    for row, got in zip(rows, together(rules, rows), strict=True):
        assert got == alone(rules, row), row


@pytest.mark.parametrize("name", PLAYABLE)
def test_random_rows(name: str) -> None:
    rules = pyengine.load(name)
    assert_as_alone(rules, list(random_rows(rules, 2_000, seed=61)))


def test_a_fan_that_counts_twice_is_named_twice(xuezhan: pyengine.Ruleset) -> None:
    rows = [{"hand": "11112222333344m"}, {"hand": "11112233444456s"}, {"hand": "11123344456678s"}]
    assert [row[3].count("根") for row in together(xuezhan, rows)] == [3, 2, 0]


@pytest.mark.parametrize("name", PLAYABLE)
def test_rows_with_mistakes(name: str) -> None:
    rules = pyengine.load(name)
    rng = random.Random(67)
    rows = [spoilt(row, rng) for row in random_rows(rules, 1_500, seed=71)]
    rows += [spoilt(spoilt(row, rng), rng) for row in rows[:500]]
    assert_as_alone(rules, rows)


def test_rows_of_other_types(xuezhan: pyengine.Ruleset) -> None:
    """What JSON and Parquet can say beside texts."""
    base = {"hand": "345p678p99p", "melds": ["巴杠 1m", "暗杠 2m"], "win": "9p"}
    rows: list[Row] = [
        base,
        {**base, "flags": ["杠后", "末张"], "by": "自摸"},
        {**base, "win": 17, "void": 2},
        {**base, "seen": {"9p": 2, "1m": 4}},
        {**base, "seen": [0] * 27},
        {**base, "melds": []},
        {**base, "melds": ["巴杠 1m 暗杠 2m"]},
        {**base, "melds": "巴杠 1m暗杠 2m", "flags": ""},
        {**base, "melds": " "},
        {**base, "melds": ["巴杠 1m", ""]},
        {**base, "flags": " "},
        {**base, "void": " s"},
        {**base, "win": " 9p"},
        {**base, "win": ""},
        {**base, "by": ""},
        {"hand": [3, 3, 3, 3, 2, *[0] * 22], "win": "5m"},
        {"hand": [1, 2, 3]},
        {"hand": []},
        {"hand": ""},
    ]
    assert_as_alone(xuezhan, rows)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("hand", 5),
        ("hand", 1.5),
        ("hand", {"1m": 3}),
        ("melds", 3),
        ("melds", [1]),
        ("win", True),
        ("win", 3.0),
        ("by", 1),
        ("flags", {"末张": 1}),
        ("flags", [["末张"]]),
        ("void", False),
        ("seen", 3),
        ("kong", ["暗杠"]),
        ("stances", [1]),
    ],
)
def test_values_of_a_wrong_type_are_named(xuezhan: pyengine.Ruleset, field: str, value: object) -> None:
    good = {"hand": "111333444m22266p"}
    got = together(xuezhan, [good, {**good, field: value}, good])
    assert got[1] == ("E971",)
    assert got[0] == got[2] == alone(xuezhan, good)


def test_a_row_without_a_hand_is_none(xuezhan: pyengine.Ruleset) -> None:
    assert together(xuezhan, [{"win": "6p"}, {"hand": None}]) == [("E970",)] * 2


def test_stances_of_rows(tmp_path: Path) -> None:
    path = tmp_path / "piao.rule"
    path.write_text(
        '规则 "飘" 继承 "sichuan/xuezhan"\n声明 飘: 0 .. 5 = 0\n番种 带飘 = 1番 当 飘 >= 2\n', encoding="utf-8"
    )
    rules = pyengine.load(path)
    hand = {"hand": "111333444m22266p", "win": "6p"}
    declared: Row = {**hand, "stances": {"飘": 2}}
    rows = [declared, hand, {**hand, "stances": "飘=2"}, {**hand, "stances": "飘=9"}, {**hand, "stances": "没有=1"}]
    assert together(rules, rows) == [alone(rules, row) for row in (declared, hand, declared)] + [("E909",), ("E888",)]
    assert together(rules, [{**hand, "stances": "飘=1 飘=2"}]) == [("E912",)]
    assert "带飘" in together(rules, rows)[0][-1]


@pytest.mark.parametrize("name", ["sichuan/xuezhan", "dazhong/standard"])
def test_packed_hands(name: str) -> None:
    rules = pyengine.load(name)
    rows = [row for row in random_rows(rules, 400, seed=73) if "melds" not in row]
    counts = np.array([rules.hand(row["hand"]).concealed for row in rows if "碰" not in row["hand"]], np.uint8)
    words = pyengine.pack(counts)
    packed: list[Row] = [{"packed": int(suits), "packed_honours": int(honours)} for suits, honours in words]
    as_text: list[Row] = [{name: str(value) for name, value in row.items()} for row in packed]
    expected = [alone(rules, {"hand": copies.tolist()}) for copies in counts]
    assert together(rules, packed) == together(rules, as_text) == expected
    for wrong in (-1, 1 << 63, 1 << 70, 5**9, "x", "", 1.5, True):
        assert together(rules, [{"packed": wrong}]) == [("E974",)], wrong
    assert together(rules, [{"packed": 5**8 * 2}]) == [alone(rules, {"hand": "11m"})]
    assert together(rules, [{"packed": None}, {"packed": 1, "hand": "1m"}]) == [("E970",), ("E965",)]


def test_plain_texts_are_the_same_tiles() -> None:
    texts = [
        "123m55p",
        " 1z7z\t9s",
        "东發 一二三万",
        "3东",
        "m",
        "12",
        "12 3m",
        "8z",
        "",
        "１２m",
        "1m\n2m",
        "1" * 999 + "m",
    ]
    texts += ["1" * 1001 + "m", "1m" * 400, "é1m"]
    counts, plain = counts_of(texts)
    for text, copies, fits in zip(texts, counts, plain, strict=True):
        kinds = tiles.kinds_in(text)
        if fits:
            assert kinds is not None, text
            assert copies.tolist() == [min(kinds.count(kind), 255) for kind in range(34)], text
    assert plain.tolist() == [True] * 3 + [False] * 5 + [True, True, False, True, False, True, False]


# ---- rule sets that travel --------------------------------------------------------------------------


@pytest.mark.parametrize("name", PLAYABLE)
def test_a_pickled_rule_set_is_the_same(name: str) -> None:
    rules = pyengine.load(name)
    again = pickle.loads(pickle.dumps(rules))
    assert (again, again.id, again.options, hash(again)) == (rules, rules.id, rules.options, hash(rules))
    for row in random_rows(rules, 50, seed=79):
        assert alone(again, row) == alone(rules, row)


def test_a_pickled_rule_set_needs_none_of_its_files(tmp_path: Path) -> None:
    base, own = tmp_path / "base.rule", tmp_path / "own.rule"
    base.write_text('规则 "底" 继承 "sichuan/xuezhan"\n番种 试 = 5番 当 花色数 = 1\n', encoding="utf-8")
    own.write_text('规则 "家" 继承 "base.rule"\n改 番种 试 = 3番 当 花色数 = 1\n', encoding="utf-8")
    rules = pyengine.load(own, 封顶="8倍")
    (tmp_path / "rules.pickle").write_bytes(pickle.dumps(rules))
    (tmp_path / "expected").write_text(repr(rules.score("11122233344455m")))
    base.unlink()
    own.unlink()
    code = (
        "import pickle\nrules = pickle.load(open('rules.pickle', 'rb'))\n"
        "assert repr(rules.score('11122233344455m')) == open('expected').read()"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, timeout=60)
