"""Hands that no tables are made for are judged in columns, and are worth what the kernel's program and the oracle say.

The kernel's own tests compare columns with each hand by itself for random programs (tests/kernel/test_columns.c).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.batches import (
    assert_same,
    assert_same_or_refused,
    batch_difference,
    columns_of,
    one_by_one,
    rows_of,
    wait_difference,
    waiting_hands,
)
from support.random_rules import Writer

import pyengine
from pyengine.engine import many
from pyengine.engine.kernel import FEWEST_IN_COLUMNS, closed_hands, count_hands
from pyengine.tools.checking import check_file, show_checked
from pyengine.tools.random_hands import complete_hands
from pyengine.tools.show import Screen

PATTERNS = str(Path(__file__).parent / "good" / "patterns.rule")
WIDTHS = ["", "avx2", "1"]

HEAD = '规则 "试"\n牌 万 筒 条 = 1..9 × {copies}\n牌 字 = [东南西北中发白] × {copies}\n打法 人数 = 4\n打法 手牌 = 13\n'
TAIL = "令 牌值 = 2 ^ (番数 - 1番)\n令 胡分 = 牌值 + (若 自摸 则 1 否则 0)\n"
USUAL = "胡型 基本 = 4 面子 + 1 将\n胡型 七对 = 7 对\n"
TOGETHER = "番种 同顺 = 2番 当 有 面子 [123万 123筒] 换色 移位\n"
FILES = {
    "odd_shape": HEAD.format(copies=4)
    + "胡型 顺刻 = 2 顺子 + 1 刻子 + 1 面子 + 1 将\n胡型 全刻 = 4 刻子 + 1 将\n"
    + "番种 甲 = 1番\n番种 乙 = 2番 当 胡型 是 全刻 不计 甲\n番种 丙 = 1番 每个 面子 是 刻子\n",
    "odd_tiles": HEAD.format(copies=3)
    + USUAL
    + "番种 甲 = 1番 当 无他番\n番种 乙 = 2番 当 花色数 = 1\n番种 丙 = 1番 当 面子 都是 刻子\n",
    "sees_suits_together": HEAD.format(copies=4)
    + USUAL
    + TOGETHER
    + "番种 三连 = 3番 当 有 组 [11万 22筒 33条] 换色 移位\n番种 甲 = 1番 当 无他番\n择一 一样 = 同顺, 三连\n",
}
QUESTIONS = (
    "听法 是 卡张/边张",
    "胡张 是 [5万 5筒 5条]",
    "胡张自持 = 2",
    "胡张共持 = 3",
    "听张数 >= 3",
    "听张余数 = 1",
    "有 面子 是 明刻",
    "定缺张数 > 0",
    "自摸 且 杠后",
)


@pytest.fixture
def wide(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Registers as wide as the parameter says."""
    if request.param:
        monkeypatch.setenv("RULESPEC_PORTABLE", request.param)


def loaded(folder: Path, text: str) -> pyengine.Ruleset:
    path = folder / "columns.rule"
    path.write_text(text, encoding="utf-8")
    return pyengine.load(str(path))


# ---- rule files -------------------------------------------------------------------------------


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("wide", WIDTHS, indirect=True)
@pytest.mark.parametrize("reason", FILES)
def test_each_reason_why_a_file_is_not_folded(reason: str, tmp_path: Path) -> None:
    rules = loaded(tmp_path, FILES[reason] + TAIL)
    assert (rules.batch_path().folded, rules.batch_path().reason) == (False, reason)
    hands = list(complete_hands(rules, 600, 11))
    assert batch_difference(rules, hands) is None
    assert batch_difference(rules, hands[:150], by_oracle=True) is None
    assert wait_difference(rules, waiting_hands(rules, 200, 12)) is None


class Seeing(Writer):
    """Files in which patterns stand over several suits, so that they are not folded."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.patterns, self.of_win = True, seed % 2 == 0

    def text(self) -> str:
        return super().text() + TOGETHER


@pytest.mark.parametrize("seed", range(24))
def test_random_rule_files(seed: int, tmp_path: Path) -> None:
    rules = loaded(tmp_path, Seeing(seed).text())
    assert not rules.batch_path().folded
    hands = list(complete_hands(rules, 400, seed))
    assert batch_difference(rules, hands) is None
    assert batch_difference(rules, hands[: FEWEST_IN_COLUMNS + 20], by_oracle=True) is None
    assert wait_difference(rules, waiting_hands(rules, 100, seed)) is None


@pytest.mark.parametrize("question", QUESTIONS)
def test_questions_about_the_win(question: str, tmp_path: Path) -> None:
    rules = loaded(tmp_path, FILES["sees_suits_together"] + f"番种 问 = 2番 当 {question}\n" + TAIL)
    hands = list(complete_hands(rules, 500, 5))
    assert batch_difference(rules, hands) is None
    assert batch_difference(rules, hands[: FEWEST_IN_COLUMNS + 20], by_oracle=True) is None


def test_hands_with_so_many_readings_that_some_are_weighed_apart(tmp_path: Path) -> None:
    """The best of them is found all the same, whether it is weighed with the first or with the last."""
    shapes = "牌类 中张 = [2345678万 2345678筒 2345678条]\n胡型 散 = 3 面子 + 5 中张\n胡型 基本 = 4 面子 + 1 将\n"
    fans = "番种 甲 = 1番 每个 面子 是 顺子\n番种 乙 = 2番 当 有 面子 是 刻子\n"
    rules = loaded(tmp_path, HEAD.format(copies=4) + shapes + fans + TAIL)
    hands = [
        rules.hand(text) for text in ("22233344455566m", "22334455667788m", "234567m234567p22s", "222m333p444s55567m")
    ]
    assert max(len(rules.kernel.readings(hand, False)) for hand in hands) > 20
    assert batch_difference(rules, hands * 30) is None
    assert batch_difference(rules, hands * 30, by_oracle=True) is None


# ---- every closed hand ---------------------------------------------------------------------------


def test_closed_hands() -> None:
    """A share of them; tests/exhaustive.py does all, with the oracle, and where it is told this file, by its path."""
    rules = pyengine.load(PATTERNS)
    for first in range(0, count_hands()["closed"], 170_000):
        rows = np.frombuffer(b"".join(closed_hands(first, 6_000)), np.uint8).reshape(-1, 27)
        expected = one_by_one(rules, rows)
        assert_same(rules.score_batch(rows), expected)
        assert_same(rules.score_batch(pyengine.pack(rows)), expected)
        assert np.array_equal(rules.win_batch(rows), expected.win)


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("wide", WIDTHS, indirect=True)
def test_wins_with_everything() -> None:
    rules = pyengine.load(PATTERNS)
    hands = list(complete_hands(rules, 5_000, 51))
    columns, rows = columns_of(hands, 27), rows_of(hands, 27)
    assert_same(rules.score_batch(rows, **columns), one_by_one(rules, rows, **columns))


# ---- what is none, memory, threads -----------------------------------------------------------------


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("wide", WIDTHS, indirect=True)
@pytest.mark.parametrize("column", ["words", "rows", "melds", "win", "by", "flags", "void", "seen"])
def test_wrong_rows_are_named(column: str) -> None:
    """Whatever stands in a column, it is worth what each hand by itself is, or the same row is named."""
    rules = pyengine.load(PATTERNS)
    hands = list(complete_hands(rules, 700, 9))
    rng = np.random.default_rng(len(column))
    for _ in range(20):
        given: Any = rows_of(hands, 27) if column == "rows" else pyengine.pack(rows_of(hands, 27))
        columns = columns_of(hands, 27)
        target = given if column in ("words", "rows") else columns[column]
        at = rng.integers(0, len(hands), 3)
        target[at] = rng.integers(0, np.iinfo(target.dtype).max, target[at].shape, target.dtype, endpoint=True)
        assert_same_or_refused((rules.score_batch, lambda x, **more: one_by_one(rules, x, **more)), given, **columns)


@pytest.mark.usefixtures("small_parts")
def test_threads_and_memory_of_the_caller() -> None:
    rules = pyengine.load(PATTERNS)
    hands = list(complete_hands(rules, 3_000, 8))
    columns, rows = columns_of(hands, 27), rows_of(hands, 27)
    expected = one_by_one(rules, rows, **columns)
    out = rules.score_batch(rows, threads=3, **columns)
    assert_same(out, expected)
    out.points[:] = -5
    assert rules.score_batch(rows, out=out, **columns) is out
    assert_same(out, expected)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_check_says_that_it_is_judged_in_columns_and_why(lang: Any, capsys: pytest.CaptureFixture[str]) -> None:
    show_checked(Screen(lang), check_file(PATTERNS), verbose=True)
    said = capsys.readouterr().out
    assert ("成列算" if lang == "zh" else "in columns") in said
    assert ("跨几门" if lang == "zh" else "several suits") in said


def test_rows_that_tables_do_not_know_are_judged_in_columns() -> None:
    """Where the rules ask of a pung's fourth tile there are many such rows, and they are worth the same."""
    rules = pyengine.load("regional/chuannan")
    hands = list(complete_hands(rules, 20_000, 4))
    crossing = [hand for hand in hands if any(hand.concealed[meld.tile] for meld in hand.melds)]
    assert len(crossing) > 500
    rules.batch_path()
    columns, rows = columns_of(crossing, 27), rows_of(crossing, 27)
    columns["win"][:] = 255
    assert_same(rules.score_batch(rows, **columns), one_by_one(rules, rows, **columns))
    assert rules.batch_path().folded and many.FEWEST_FOLDED > FEWEST_IN_COLUMNS
