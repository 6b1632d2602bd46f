"""Hands that are looked up are worth what the kernel's program and the oracle say, whatever the rule file."""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
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
from support.random_rules import random_rules

import pyengine
from pyengine.engine import kernel as binding
from pyengine.engine import many
from pyengine.engine.kernel import closed_hands, count_hands
from pyengine.language.diagnostics import InputError
from pyengine.language.load import load_rules
from pyengine.notation import tiles
from pyengine.tools.random_hands import complete_hands

PLAYABLE = [name for name, _, _ in pyengine.rulesets() if load_rules(name).is_playable]
SUITS = "mps"


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables are made for a single hand as well."""
    monkeypatch.setattr(many, "FEWEST_FOLDED", 1)
    monkeypatch.setattr(binding.shared, "FEWEST_NEAR", 1)


# ---- rule files -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PLAYABLE)
def test_shipped_rule_sets_are_looked_up(name: str) -> None:
    rules = pyengine.load(name)
    for path in rules.batch_path(), rules.batch_path(won=True):
        assert path.folded
        assert path.info["bytes"] <= 16 << 20


@pytest.mark.parametrize("name", PLAYABLE)
def test_closed_hands_under_every_option(name: str) -> None:
    """Tables are made from the program that the options leave."""
    rows = np.frombuffer(b"".join(closed_hands(1_000_000, 500) + closed_hands(2_300_000, 500)), np.uint8)
    plain = pyengine.load(name)
    kinds = 34 if any(plain.copies[27:]) else 27
    hands = np.zeros((1_000, kinds), np.uint8)
    hands[:, :27] = rows.reshape(-1, 27)
    rng = np.random.default_rng(3)
    columns = {"by": rng.integers(0, 3, 1_000).astype(np.uint8), "flags": rng.integers(0, 128, 1_000).astype(np.uint8)}
    for option in plain.rules.options.values():
        for alternative in option.alternatives[:2] + option.alternatives[-1:]:
            value = getattr(alternative, "high", alternative)
            rules = plain.with_options({option.name: "无" if value is None else value})
            assert rules.batch_path().folded
            assert_same(rules.score_batch(hands, **columns), one_by_one(rules, hands, **columns))


def test_every_closed_hand() -> None:
    """All 2,561,091 of them, as packed words and as rows."""
    rules = pyengine.load("sichuan/classic")
    rules.batch_path()
    total = count_hands()["closed"]
    for first in range(0, total, 200_000):
        rows = np.frombuffer(b"".join(closed_hands(first, 200_000)), np.uint8).reshape(-1, 27)
        expected = one_by_one(rules, rows)
        assert_same(rules.score_batch(rows), expected)
        assert_same(rules.score_batch(pyengine.pack(rows)), expected)
        assert np.array_equal(rules.win_batch(rows), expected.win)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("seed", range(60))
def test_random_rule_files(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "random.rule"
    path.write_text(random_rules(seed), encoding="utf-8")
    rules = pyengine.load(str(path))
    hands = list(complete_hands(rules, 250, seed))
    assert batch_difference(rules, hands) is None
    assert batch_difference(rules, hands[:40], by_oracle=True) is None
    assert wait_difference(rules, waiting_hands(rules, 60, seed)) is None


QUESTIONS = (
    "听法 是 卡张/边张",
    "胡张 是 [5万 5筒 5条]",
    "胡张自持 = 2",
    "胡张共持 = 3",
    "听张数 >= 3",
    "听张余数 = 1",
    "听张余数 - 听张数 > 2",
    "有 面子 是 明刻",
)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("honours", [False, True])
def test_questions_about_the_winning_tile(question: str, honours: bool, tmp_path: Path) -> None:
    """Hands that tell it are looked up, with what lies on the table and whose tile it was."""
    path = tmp_path / "asking.rule"
    path.write_text(
        '规则 "问胡张"\n牌 万 筒 条 = 1..9 × 4\n'
        + ("牌 字 = [东南西北中发白] × 4\n" if honours else "")
        + "打法 人数 = 4\n打法 手牌 = 13\n胡型 基本 = 4 面子 + 1 将\n胡型 七对 = 7 对\n"
        + f"番种 甲 = 2番 当 {question}\n番种 乙 = 3番 当 无他番\n番种 丙 = 1番 当 花色数 = 1\n"
        + "令 牌值 = 2 ^ (番数 - 1番)\n令 胡分 = 牌值 + (若 自摸 则 1 否则 0)\n",
        encoding="utf-8",
    )
    rules = pyengine.load(str(path))
    assert rules.batch_path(won=True).folded
    hands = list(complete_hands(rules, 700, 5))
    assert batch_difference(rules, hands) is None
    assert batch_difference(rules, hands[:60], by_oracle=True) is None


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("column", ["words", "melds", "win", "by", "flags", "void", "seen"])
def test_wrong_rows_are_named_where_the_winning_tile_is_told(column: str) -> None:
    """Whatever stands in a column, the tables say what the program says, or name the same row."""
    rules = pyengine.load("regional/chuannan")
    hands = list(complete_hands(rules, 400, 9))
    rng = np.random.default_rng(len(column))
    for _ in range(20):
        words, columns = pyengine.pack(rows_of(hands, 27)), columns_of(hands, 27)
        at = rng.integers(0, len(hands), 8)
        if column == "words":
            words[at] = rng.integers(0, 2**64, 8, dtype=np.uint64)
        else:
            most = np.iinfo(columns[column].dtype).max
            columns[column][at] = rng.integers(0, most, columns[column][at].shape, columns[column].dtype)
        assert_same_or_refused((rules.score_batch, lambda x, **more: one_by_one(rules, x, **more)), words, **columns)


def test_random_rule_files_are_of_every_sort(tmp_path: Path) -> None:
    """The generator reaches the tables and every reason against them that it can."""
    reasons = set()
    for seed in range(60):
        path = tmp_path / f"{seed}.rule"
        path.write_text(random_rules(seed), encoding="utf-8")
        reasons.add(pyengine.load(str(path)).batch_path().reason)
    assert {"folded", "sees_too_much", "sees_suits_together", "odd_shape"} <= reasons


# ---- wide registers -----------------------------------------------------------------------------


@pytest.mark.parametrize("kinds", [27, 34])
def test_packing_is_the_same_without_wide_registers(kinds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(1).integers(0, 5, (4_099, kinds)).astype(np.uint8)
    packed = pyengine.pack(rows)
    for portable in ("avx2", "1"):
        monkeypatch.setenv("RULESPEC_PORTABLE", portable)
        for n in (4_099, 2, 1):
            assert np.array_equal(pyengine.pack(rows[:n]), packed[:n])


@pytest.mark.parametrize("portable", ["", "avx2", "1"])
def test_a_wrong_count_anywhere_in_a_row(portable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if portable:
        monkeypatch.setenv("RULESPEC_PORTABLE", portable)
    for row in (0, 1, 6):
        for kind in range(27):
            for count in (5, 6, 7, 8, 12, 127, 128, 255):
                rows = np.ones((7, 27), np.uint8)
                rows[row, kind] = count
                with pytest.raises(InputError, match=f"第 {row} 行"):
                    pyengine.pack(rows)


# ---- waits and shanten --------------------------------------------------------------------------


def deals(n: int, kinds: int, size: int) -> NDArray[np.uint8]:
    rng = np.random.default_rng(size)
    hands = np.zeros((n, kinds), np.uint8)
    held = np.argsort(rng.random((n, 4 * kinds)), axis=1)[:, :size] // 4
    np.add.at(hands, (np.arange(n)[:, None], held), 1)
    return hands


@pytest.mark.parametrize("name", ["sichuan/classic", "dazhong/standard"])
@pytest.mark.parametrize("size", [13, 14])
def test_shanten_of_random_deals(name: str, size: int) -> None:
    rules = pyengine.load(name)
    rows = deals(1_500, 34 if any(rules.copies[27:]) else 27, size)
    found = rules.shanten_batch(rows)
    assert found.tolist() == [rules.shanten(rules.hand(list(row), waiting=size == 13)) for row in rows]


def test_fifth_copies_are_waited_for_as_a_question() -> None:
    rules = pyengine.load("sichuan/classic")
    texts = ["1111s23s444m55m78p", "22223333m44445p", "4444m56m123p789s5s", "11112222333m44p", "1112345678999m"]
    hands = [rules.hand(text, waiting=True) for text in texts] * 300
    masks = rules.waits_batch(rows_of(hands, 27))
    for hand, mask in zip(hands[: len(texts)], masks.tolist(), strict=False):
        assert [kind for kind in range(34) if mask >> kind & 1] == rules.complete_with(hand), str(hand)
    assert wait_difference(rules, hands) is None


# ---- one hand as text ----------------------------------------------------------------------------


def texts(n: int) -> Iterator[tuple[str, str]]:
    rng = random.Random(5)
    for row in closed_hands(700_000, n):
        kinds = [kind for kind, copies in enumerate(row) for _ in range(copies)]
        yield tiles.compact(kinds), tiles.NAMES[rng.choice(kinds)]


@pytest.mark.parametrize("name", PLAYABLE)
def test_text_is_scored_like_a_hand(name: str) -> None:
    rules = pyengine.load(name)
    for number, (text, win) in enumerate(texts(120)):
        alone = rules.hand(text).concealed[tiles.NAMES.index(win)] == 1
        for by in ("自摸", "点炮", *(("抢杠",) if alone else ())):
            void = (None, "m", "s")[number % 3]
            hand = rules.hand(text, win=win, by=by, void=void)
            quick = rules.score(text, win=win, by=by, void=void)
            slow = rules.score(hand)
            assert quick == slow
            assert quick.hand == hand
            assert quick.totals == slow.totals
            assert quick.as_json() == slow.as_json()  # the payments, too
            if number % 10 == 0:
                assert quick.why("zh") == slow.why("zh")
            assert rules.points(text, win=win, by=by) == rules.score(text, win=win, by=by).points
            assert rules.points(hand) == quick.points


def test_text_that_does_not_win_is_scored_like_a_hand() -> None:
    rules = pyengine.load("sichuan/basic")
    for text in ("123m222s567p888p55m", "147m258p369s14725m", "1122334455667m9p"):
        quick, slow = rules.score(text), rules.score(rules.hand(text))
        assert not quick.win
        assert quick == slow
        assert (quick.totals, quick.payments, quick.why()) == (slow.totals, [], slow.why())


def test_what_a_caller_does_to_payments_is_not_remembered() -> None:
    rules = pyengine.load("sichuan/classic")
    once = rules.score("111333444m22266p", win="6p", by="自摸")
    assert once.payments
    once.payments.clear()
    told = once.payments
    told[0]["amount"] = 99
    assert rules.score("111333444m22266p", win="6p", by="自摸").payments == once.payments != told


def test_results_of_threads_do_not_mix() -> None:
    rules = pyengine.load("sichuan/classic")
    asked = [*texts(300)]
    alone = [rules.score(text, win=win) for text, win in asked]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            together = [*pool.map(lambda question: rules.score(question[0], win=question[1]), asked)]
            assert together == alone


def test_results_are_pickled() -> None:
    rules = pyengine.load("sichuan/classic")
    result = rules.score("111333444m22266p", win="6p")
    assert pickle.loads(pickle.dumps(result)) == result
    assert pickle.loads(pickle.dumps(rules.score(result.hand))) == result
    scored = rules.score_batch(closed(10))
    assert rules.score_batch(closed(10), out=scored) is scored
    assert_same(pickle.loads(pickle.dumps(scored)), scored)


@pytest.mark.parametrize(
    "text", ["", "1m", "123m55", "11111m222333444p", "0m", "8z", "123m55p " * 9, "m", "一万", "111333444m22266p1"]
)
def test_text_that_is_no_hand_says_what_is_wrong(text: str) -> None:
    rules = pyengine.load("sichuan/classic")
    for ask in (rules.score, rules.points):
        with pytest.raises(InputError):
            ask(text)


def test_words_of_a_win_that_are_none() -> None:
    rules = pyengine.load("sichuan/classic")
    for wrong in ({"win": "9s"}, {"win": ["6p"]}, {"by": ["自摸"]}, {"by": "碰"}, {"win": 40}):
        for ask in (rules.score, rules.points):
            with pytest.raises(InputError):
                ask("111333444m22266p", **wrong)


def test_melds_with_everything_against_the_program() -> None:
    rules = pyengine.load("sichuan/xuezhan")
    hands = list(complete_hands(rules, 20_000, 51))
    columns = columns_of(hands, 27)
    rows = rows_of(hands, 27)
    assert_same(rules.score_batch(rows, **columns), one_by_one(rules, rows, **columns))


# ---- arrays of either width, and garbage ---------------------------------------------------------


def closed(n: int) -> NDArray[np.uint8]:
    rows = np.frombuffer(b"".join(closed_hands(1_200_000, n // 2) + closed_hands(2_400_000, n // 2)), np.uint8)
    return rows.reshape(-1, 27)


@pytest.mark.parametrize("name", ["sichuan/xuezhan", "dazhong/standard"])
def test_honours_that_are_not_held_change_nothing(name: str) -> None:
    rules = pyengine.load(name)
    narrow = closed(5_000)
    wide = np.concatenate([narrow, np.zeros((5_000, 7), np.uint8)], axis=1)
    assert_same(rules.score_batch(narrow), rules.score_batch(wide))
    assert_same(rules.score_batch(narrow), rules.score_batch(pyengine.pack(wide)))
    waiting = narrow.copy()
    waiting[np.arange(5_000), np.argmax(narrow > 0, axis=1)] -= 1
    wide[:, :27] = waiting
    assert np.array_equal(rules.waits_batch(waiting), rules.waits_batch(wide))
    assert np.array_equal(rules.shanten_batch(waiting), rules.shanten_batch(pyengine.pack(wide)))
    values = rules.waits_batch(waiting, values=True).points
    assert np.array_equal(values, rules.waits_batch(wide, values=True).points[:, :27])
    wide[77, 30] += 1
    wide[77, np.argmax(waiting[77] > 0)] -= 1
    if not any(rules.copies[27:]):
        for call in (rules.waits_batch, rules.shanten_batch):
            with pytest.raises(InputError, match="第 77 行"):
                call(wide)


@pytest.mark.parametrize("name", ["sichuan/xuezhan", "dazhong/standard"])
def test_garbage_is_refused_by_every_call(name: str) -> None:
    """Any bits at all where words are expected: every call names a row and none reads beyond its tables."""
    rules = pyengine.load(name)
    rng = np.random.default_rng(0)
    words = rng.integers(0, 2**63, 20_000, np.uint64) * np.uint64(2) + np.uint64(1)
    melds = rng.integers(0, 2**32, 5_000, np.uint64).astype(np.uint32)
    rows = closed(5_000)
    for call in (rules.score_batch, rules.win_batch, rules.waits_batch, rules.shanten_batch):
        for garbage in (words, words.reshape(-1, 2)):
            with pytest.raises(InputError):
                call(garbage)
        with pytest.raises(InputError):
            call(rows, melds=melds)


@pytest.mark.parametrize("kinds", [27, 34])
def test_no_hands_at_all(kinds: int) -> None:
    rules = pyengine.load("sichuan/classic")
    none = np.zeros((0, kinds), np.uint8)
    for call in (rules.score_batch, rules.win_batch, rules.waits_batch, rules.shanten_batch):
        assert len(call(none)) == len(call(pyengine.pack(none))) == 0
    assert len(rules.waits_batch(none, values=True)) == 0
