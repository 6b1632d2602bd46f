"""Hands that scorers are known to get wrong."""

from __future__ import annotations

import pytest

import pyengine


@pytest.fixture(scope="module")
def classic() -> pyengine.Ruleset:
    return pyengine.load("sichuan/classic", 封顶="无", 地方番=True)


def fans(result: pyengine.engine.score.Result) -> dict[str, int]:  # type: ignore[name-defined]
    return {fan.name: fan.count for fan in result.fans}


def test_seven_pairs_with_four_alike_have_a_root(classic: pyengine.Ruleset) -> None:
    result = classic.score("11113355778899m", win="9m", by="自摸")
    assert fans(result) == {"清一色": 1, "暗七对": 1, "根": 1}
    assert "清龙七对" in result.combos


def test_all_waits_are_found(classic: pyengine.Ruleset) -> None:
    assert [wait.tile for wait in classic.waits("1113456666788s")] == ["2s", "5s", "7s", "8s"]


def test_the_reading_that_is_worth_most_counts(classic: pyengine.Ruleset) -> None:
    """111 222 333 are three runs, too, and then it would be 清一色 alone."""
    result = classic.score("11122233377799m", win="9m")
    assert fans(result) == {"清一色": 1, "大对子": 1}
    assert result.combos == ("清大对",)
    assert result.total == "8倍"


def test_three_triplets_are_not_taken_as_runs(classic: pyengine.Ruleset) -> None:
    assert fans(classic.score("11122233344s222p", win="4s")) == {"大对子": 1}


def test_four_alike_across_a_pung_and_a_run_are_a_root(classic: pyengine.Ruleset) -> None:
    result = classic.score("123m456m789p55p", melds=["碰 1m"], win="5p")
    assert fans(result) == {"平胡": 1, "根": 1}


def test_four_alike_in_a_triplet_and_a_run_win(classic: pyengine.Ruleset) -> None:
    result = classic.score("222234m444p666p88p", win="8p")
    assert result.win
    assert result.reading is not None
    assert [group.tiles for group in result.reading.groups][:2] == [(1, 2, 3), (1, 1, 1)]


def test_a_tile_held_four_times_is_no_wait_when_the_file_says_so() -> None:
    with_it = pyengine.load("sichuan/classic", 死叫="不论").waits("1234444678m456p")
    without = pyengine.load("sichuan/classic").waits("1234444678m456p")
    assert [wait.tile for wait in with_it] == ["1m", "4m"]
    assert [wait.tile for wait in without] == ["1m"]


def test_a_fifth_copy_in_a_meld_is_a_wait_in_shape_but_no_root() -> None:
    """SBR counts it: three lie in the pung, one is held, and the fifth does not exist."""
    waits = pyengine.load("sichuan/sbr").waits("111p9m", melds=["碰 8m", "碰 9m", "碰 4p"], void="s")
    assert [(wait.tile, [fan.name for fan in wait.fans]) for wait in waits] == [("9m", ["大对子"])]


@pytest.mark.parametrize(
    ("hand", "melds", "code"),
    [
        ("11111m222333444m", [], "E7"),
        ("111m222m333m444m5m", [], "E7"),
        ("111m222m333m444m555m", [], "E7"),
        ("111m222m333m444m0m", [], "E7"),
        ("111m222m333m444m9z", [], "E7"),
        ("111m222m333m44m", ["碰 12m"], "E7"),
        ("111m222m333m44m", ["吃 19m"], "E7"),
        ("111m222m333m44q", [], "E7"),
        ("", [], "E7"),
        ("1" * 5000 + "m", [], "E7"),
    ],
)
def test_what_is_no_hand_is_refused_by_name(classic: pyengine.Ruleset, hand: str, melds: list[str], code: str) -> None:
    with pytest.raises(pyengine.InputError) as error:
        classic.score(hand, melds=melds)
    assert all(d.code.startswith(code) for d in error.value.diagnostics)
    assert str(error.value)
