"""Many hands at once give what each gives alone, and what is no hand is named by its row."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.batches import batch_difference, columns_of, rows_of, wait_difference, waiting_hands

import pyengine
from pyengine.engine.hands import Batch
from pyengine.language.diagnostics import InputError
from pyengine.language.load import load_rules
from pyengine.notation.hand import Hand
from pyengine.tools.random_hands import complete_hands

PLAYABLE = [name for name, _, _ in pyengine.rulesets() if load_rules(name).is_playable]


@pytest.fixture(scope="module")
def classic() -> pyengine.Ruleset:
    return pyengine.load("sichuan/classic")


def spoilt(hands: list[Hand], rng: random.Random) -> list[Hand]:
    """The same hands with one tile exchanged: most of them no longer win."""
    found = []
    for hand in hands:
        counts = list(hand.concealed)
        held = [kind for kind, n in enumerate(counts) if n and kind != hand.win]
        free = [kind for kind in range(27) if counts[kind] == 0 and all(kind not in m.tiles for m in hand.melds)]
        if held and free:
            counts[rng.choice(held)] -= 1
            counts[rng.choice(free)] += 1
            found.append(replace(hand, concealed=tuple(counts)))
    return found


# ---- equal to one by one --------------------------------------------------------------------------


@pytest.mark.parametrize("name", PLAYABLE)
def test_random_hands_with_everything(name: str) -> None:
    rules = pyengine.load(name)
    hands = list(complete_hands(rules, 12_000, seed=23))
    assert batch_difference(rules, hands + spoilt(hands, random.Random(1))) is None


@pytest.mark.parametrize("name", PLAYABLE)
def test_a_few_hands_against_the_oracle(name: str) -> None:
    rules = pyengine.load(name)
    assert batch_difference(rules, list(complete_hands(rules, 400, seed=29)), by_oracle=True) is None


@pytest.mark.parametrize("name", PLAYABLE)
def test_every_option(name: str) -> None:
    plain = pyengine.load(name)
    for option in plain.rules.options.values():
        for alternative in option.alternatives:
            value = getattr(alternative, "high", alternative)
            rules = plain.with_options({option.name: "无" if value is None else value})
            found = batch_difference(rules, list(complete_hands(rules, 60, seed=31)))
            assert found is None, f"{option.name} = {value}: {found}"


@pytest.mark.usefixtures("small_parts")
def test_parts_in_threads_are_one_batch(classic: pyengine.Ruleset) -> None:
    hands = list(complete_hands(classic, 3_001, seed=37))
    for threads in (2, 3, 64):
        assert batch_difference(classic, hands, threads=threads) is None


def test_one_value_for_all_hands(classic: pyengine.Ruleset) -> None:
    rows = pyengine.pack(rows_of([classic.hand("111333444m22266p")] * 3, 27))
    scored = classic.score_batch(rows, win="6p", by="自摸", flags=("末张", "庄家"), void="s", melds=["", "", ""])
    alone = classic.score("111333444m22266p", win="6p", by="自摸", flags=("末张", "庄家"), void="s")
    assert scored.points.tolist() == [alone.points] * 3
    assert not classic.score_batch(rows, void="万").win.any()


@pytest.mark.parametrize("name", PLAYABLE)
def test_waits_and_their_values(name: str) -> None:
    rules = pyengine.load(name)
    assert wait_difference(rules, waiting_hands(rules, 1_500, 41)) is None


@pytest.mark.parametrize("name", PLAYABLE)
def test_shanten(name: str) -> None:
    rules = pyengine.load(name)
    kinds = 34 if any(rules.copies[27:]) else 27
    hands = [*complete_hands(rules, 800, 43), *waiting_hands(rules, 800, 44)]
    hands += spoilt(spoilt(spoilt(hands, random.Random(2)), random.Random(3)), random.Random(4))
    melds = columns_of(hands, kinds)["melds"]
    rows = rows_of(hands, kinds)
    expected = [rules.kernel.shanten(hand, tables=False) for hand in hands]
    assert [rules.shanten(hand) for hand in hands] == expected
    for form in (rows, pyengine.pack(rows)):
        assert rules.shanten_batch(form, melds=melds).tolist() == expected


# ---- packing ------------------------------------------------------------------------------------------


def test_a_tile_is_a_constant() -> None:
    """Adding a tile to a packed hand is adding the word of that tile."""
    eye = np.eye(34, dtype=np.uint8)
    words = pyengine.pack(eye)
    rng = random.Random(3)
    counts = np.array([[rng.randint(0, 4) for _ in range(34)] for _ in range(50)], np.uint8)
    added = np.zeros((50, 2), np.uint64)
    for kind in range(34):
        added += counts[:, kind : kind + 1].astype(np.uint64) * words[kind]
    assert np.array_equal(added, pyengine.pack(counts))


# ---- what is none -----------------------------------------------------------------------------------------


def code_of(error: pytest.ExceptionInfo[InputError]) -> str:
    return error.value.diagnostics[0].code


def good(n: int) -> Any:
    return np.array([[3, 3, 3, 3, 2, *[0] * 22]] * n, np.uint8)


def test_no_hands_at_all(classic: pyengine.Ruleset) -> None:
    for empty in (np.zeros((0, 27), np.uint8), np.zeros(0, np.uint64), np.zeros((0, 2), np.uint64)):
        assert len(classic.score_batch(empty)) == 0
        assert len(classic.waits_batch(empty)) == 0
        assert len(classic.shanten_batch(empty, threads=4)) == 0


@pytest.mark.parametrize(
    "hands",
    [
        np.zeros((3, 27), np.int64),
        np.zeros((3, 27), np.float64),
        np.full((3, 27), np.nan),
        np.zeros((3, 26), np.uint8),
        np.zeros(27, np.uint8),
        np.zeros((2, 3, 27), np.uint8),
        np.zeros(3, np.int64),
        np.zeros((3, 3), np.uint64),
        np.zeros(3, ">u8"),
        np.array(3, np.uint64),
        [[0] * 27],
        None,
    ],
)
def test_arrays_that_are_no_hands(classic: pyengine.Ruleset, hands: Any) -> None:
    for call in (classic.score_batch, classic.waits_batch, classic.shanten_batch, classic.win_batch, pyengine.pack):
        with pytest.raises(InputError) as error:
            call(hands)
        assert code_of(error) == "E934"


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("count", [5, 6, 127, 128, 129, 131, 250, 255])
def test_more_than_four_of_a_kind(classic: pyengine.Ruleset, count: int) -> None:
    rows = good(5_000)
    rows[4_321, 7] = count
    rows[4_900, 7] = count
    for call in (classic.score_batch, pyengine.pack):
        with pytest.raises(InputError, match="第 4321 行") as error:
            call(rows)
        assert code_of(error) == "E938"
    with pytest.raises(InputError, match="第 4321 行"):
        classic.score_batch(rows, threads=2)


@pytest.mark.parametrize("kind", range(27))
def test_a_tile_too_many_or_too_few(classic: pyengine.Ruleset, kind: int) -> None:
    for change in (1, -1):
        rows = good(40)
        if not 0 <= int(rows[17, kind]) + change <= 4:
            continue
        rows[17, kind] = int(rows[17, kind]) + change
        for form in (rows, pyengine.pack(rows)):
            with pytest.raises(InputError, match="第 17 行") as error:
                classic.score_batch(form)
            assert code_of(error) == "E939"
            with pytest.raises(InputError):
                classic.waits_batch(form)


def test_garbage_words(classic: pyengine.Ruleset) -> None:
    """Any 64 bits at all: a hand, or a row that is named."""
    rng = np.random.default_rng(7)
    sound = pyengine.pack(good(100))
    for word in [*rng.integers(0, 2**63, 300, np.uint64), 1 << 63, 2**64 - 1, 1953125, 2097151 << 42]:
        words = sound.copy()
        words[50] = word
        for call in (classic.score_batch, classic.waits_batch, classic.shanten_batch):
            with pytest.raises(InputError):
                call(words)
    with pytest.raises(InputError) as error:
        classic.score_batch(np.array([1 << 63], np.uint64) | sound[:1])
    assert code_of(error) == "E937"


def test_garbage_melds(classic: pyengine.Ruleset) -> None:
    rows = np.array([[3, 3, 3, 2, *[0] * 23]] * 10, np.uint8)
    fine = pyengine.pack_melds(["碰 9p"] * 10)
    assert classic.score_batch(rows, fine).win.all()
    rng = random.Random(5)
    for word in [rng.randrange(1 << 32) for _ in range(300)] + [255, 171, 1 << 8, (1 + 34 + 20) << 24, 28]:
        melds = fine.copy()
        melds[6] = word
        with pytest.raises(InputError, match="第 6 行"):
            classic.score_batch(rows, melds)


@pytest.mark.parametrize(
    ("column", "value", "code"),
    [("win", 9, "E941"), ("win", 34, "E941"), ("void", 3, "E942"), ("by", 3, "E943"), ("flags", 128, "E943")],
)
def test_columns_out_of_range(classic: pyengine.Ruleset, column: str, value: int, code: str) -> None:
    given = np.zeros(30, np.uint8)
    given[29] = value
    with pytest.raises(InputError, match="第 29 行") as error:
        classic.score_batch(good(30), **{column: given})
    assert code_of(error) == code


@pytest.mark.parametrize("column", ["melds", "win", "by", "flags", "void", "seen"])
def test_columns_that_do_not_fit(classic: pyengine.Ruleset, column: str) -> None:
    for given in (np.zeros(29, np.uint8), np.zeros((30, 1), np.uint32), np.zeros(30, np.float32)):
        with pytest.raises(InputError) as error:
            classic.score_batch(good(30), **{column: given})
        assert code_of(error) == "E935"


def test_melds_that_hold_too_many_of_a_kind(classic: pyengine.Ruleset) -> None:
    rows = np.array([[2, 3, 3, 3, *[0] * 23]] * 4, np.uint8)
    for melds in ("碰 1m", "直杠 2m", "碰 4m"):
        with pytest.raises(InputError, match="第 0 行") as error:
            classic.score_batch(rows, pyengine.pack_melds([melds] * 4))
        assert code_of(error) == "E938"
    with pytest.raises(InputError):
        classic.score_batch(np.array([[2, *[0] * 26]], np.uint8), pyengine.pack_melds(["碰 9p 碰 9p 碰 1s 碰 2s"]))


def test_strided_arrays_are_read_as_they_are(classic: pyengine.Ruleset) -> None:
    rows = np.zeros((10, 54), np.uint8)
    rows[:, ::2] = good(10)
    assert classic.score_batch(rows[:, ::2]).win.all()
    words = np.repeat(pyengine.pack(good(10)), 2)
    assert classic.score_batch(words[::-2]).win.all()


def test_memory_of_the_caller(classic: pyengine.Ruleset) -> None:
    first = classic.score_batch(good(8))
    out = classic.score_batch(good(8)[:, ::-1].copy(), out=first)
    assert out is first and out.win.all()
    masks = np.zeros(8, np.uint64)
    waiting = good(8)
    waiting[:, 4] -= 1
    assert classic.waits_batch(waiting, out=masks) is masks and masks.all()
    masks.flags.writeable = False
    for bad in (masks, np.zeros(7, np.uint64), np.zeros(8, np.int64), np.zeros(16, np.uint64)[::2]):
        with pytest.raises(InputError) as error:
            classic.waits_batch(waiting, out=bad)
        assert code_of(error) == "E935"


def test_what_arguments_may_be(classic: pyengine.Ruleset) -> None:
    for given in ({"by": "碰"}, {"flags": "不知"}, {"flags": 3}, {"win": "1m2m"}, {"void": "z"}, {"threads": 0}):
        with pytest.raises(InputError) as error:
            classic.score_batch(good(2), **given)
        assert code_of(error) == "E936"


@pytest.mark.parametrize("name", ["score_batch", "win_batch", "waits_batch", "shanten_batch"])
def test_a_misspelt_argument_is_one_of_the_call_that_was_made(classic: pyengine.Ruleset, name: str) -> None:
    with pytest.raises(TypeError, match=rf"Ruleset\.{name}\(\) .*'meld'"):
        getattr(classic, name)(good(3), meld=None)


def test_fans_are_counted_in_rows_that_there_are(classic: pyengine.Ruleset) -> None:
    batch = Batch(classic, rows_of([classic.hand("11112222333344m")] * 3, 27))
    classic.judge_batch(batch)
    counts = classic.count_batch(batch, np.array([2, 0], np.uint64))
    assert counts.tolist() == [list(classic.judge(batch.hand(2)).counts)] * 2
    for row in (3, 2**64 - 1):
        with pytest.raises(InputError):
            classic.count_batch(batch, np.array([row], np.uint64))
