"""Functions that are given what they have no use for say so, naming the argument; nothing else comes out of them."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest

import pyengine
from pyengine.language.diagnostics import render

HAND = "123345789m23466p"
GAME: dict[str, Any] = {"events": [{"win": "自摸", "seat": 0, "value": "2倍"}]}


@pytest.fixture(scope="module")
def rules() -> pyengine.Ruleset:
    return pyengine.load("sichuan/xuezhan")


def refused(code: str, call: Any, *arguments: Any, **named: Any) -> str:
    """What is told in both languages about a call that must be refused."""
    with pytest.raises(pyengine.InputError) as error:
        call(*arguments, **named)
    assert error.value.diagnostics[0].code == code
    return "\n".join(render(error.value.diagnostics, lang) for lang in ("zh", "en"))


@pytest.mark.parametrize("name", [b"sichuan/xuezhan", None, 5, ["sichuan/xuezhan"]])
def test_what_is_no_rule_set(name: Any) -> None:
    assert "name" in refused("E944", pyengine.load, name)


@pytest.mark.parametrize("game", [None, 5, "x", b"x", [GAME]])
def test_what_is_no_game(rules: pyengine.Ruleset, game: Any) -> None:
    assert type(game).__name__ in refused("E944", rules.settle, game)
    refused("E944", rules.table_game, game)
    refused("E944", rules.pack_games, [game])


@pytest.mark.parametrize("games", [None, 5, "abc", b"abc", {"events": []}])
def test_what_are_no_games(rules: pyengine.Ruleset, games: Any) -> None:
    assert "games" in refused("E944", rules.pack_games, games)


@pytest.mark.parametrize("inside", [b"x", {1}, object(), 10**40, 1j, {(): 1}])
def test_what_no_file_can_say_is_refused_by_its_place(rules: pyengine.Ruleset, inside: Any) -> None:
    assert "game.events.0" in refused("E944", rules.settle, {"events": [inside]})


def test_a_game_that_holds_itself(rules: pyengine.Ruleset) -> None:
    game: dict[str, Any] = {}
    game["events"] = [game]
    refused("E805", rules.settle, game)


def test_one_object_at_two_places_of_a_game(rules: pyengine.Ruleset) -> None:
    winner = {"value": "2倍", "seat": 0}
    events = [{"win": "点炮", "from": 1, "winners": [winner]}]
    alike = {
        "events": [*events, {"win": "点炮", "from": 2, "winners": [{**winner, "seat": 3}]}],
        "out": [],
        "horses": [],
    }
    nothing: list[int] = []
    again = {**alike, "out": nothing, "horses": nothing}
    assert rules.settle(again).deltas == rules.settle(alike).deltas


def test_numbers_of_numpy_and_other_mappings(rules: pyengine.Ruleset) -> None:
    told = {
        "dealer": np.int64(1),
        "events": np.array([{"win": np.str_("自摸"), "seat": np.uint8(0), "value": "2倍"}], object),
    }
    assert rules.settle(types.MappingProxyType(told)).deltas == rules.settle({**GAME, "dealer": 1}).deltas
    seen = {"1m": np.int8(2)}
    assert rules.score(HAND, win=np.int64(14), void=np.uint8(2), seen=seen).win


def test_packed_games(rules: pyengine.Ruleset) -> None:
    packed = rules.pack_games([GAME])
    refused("E944", rules.settle_batch, None)
    refused("E936", rules.settle_batch, packed, errors="zzz")
    refused("E931", rules.settle_batch, packed, out=[[0] * 4])
    for name in ("games", "events", "starts"):
        parts = {"games": packed.games, "events": packed.events, "starts": packed.starts}
        wrong = type(packed)(**{**parts, name: list(parts[name])})
        assert name in refused("E931", rules.settle_batch, wrong)


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({"melds": 5}, "E944"),
        ({"flags": 5}, "E944"),
        ({"stances": 5}, "E944"),
        ({"stances": []}, "E944"),
        ({"stances": "飘"}, "E944"),
        ({"seen": 5}, "E726"),
        ({"seen": {"1m": 10**5000}}, "E736"),
        ({"seen": {"1m": 1, "1万": 2}}, "E738"),
        ({"win": True}, "E727"),
        ({"win": 10**5000}, "E727"),
        ({"win": 2.0}, "E727"),
        ({"void": True}, "E733"),
        ({"void": 1.0}, "E733"),
        ({"void": 10**5000}, "E733"),
        ({"by": 5}, "E730"),
        ({"kong": 5}, "E734"),
    ],
)
def test_facts_of_a_hand(rules: pyengine.Ruleset, facts: dict[str, Any], code: str) -> None:
    refused(code, rules.score, HAND, **facts)


@pytest.mark.parametrize("hand", [None, 5, b"123m", [10**7] * 27, [10**30] * 34, [10**5000] * 34, [5] + [0] * 33])
def test_counts_are_looked_at_before_they_are_written_out(rules: pyengine.Ruleset, hand: Any) -> None:
    refused("E726", rules.score, hand, win="9m")
    refused("E726", rules.waits, hand)
    refused("E726", rules.shanten, hand)


def test_shanten_reads_what_score_reads(rules: pyengine.Ruleset) -> None:
    assert rules.shanten(HAND) == -1
    assert rules.shanten("123345789m2346p") == 0
    assert rules.shanten("123345789m2p", "碰 5s") == rules.shanten("碰 5s 123345789m2p") == 0
    refused("E722", rules.shanten, "123m")


def test_options_and_melds_of_batches(rules: pyengine.Ruleset) -> None:
    refused("E944", rules.with_options, 5)
    refused("E944", pyengine.pack_melds, 5)
    refused("E944", pyengine.pack_melds, [None])
    refused("E935", rules.score_batch, np.zeros((1, 27), np.uint8), out=5)
    refused("E935", rules.waits_batch, np.zeros((1, 27), np.uint8), values=True, out=5)


def test_tiles_are_told_as_they_were_written(rules: pyengine.Ruleset) -> None:
    assert "6筒" in refused("E724", rules.score, "123345789万 234筒 55筒", win="6筒")
    assert "6p" in refused("E724", rules.score, "123345789m 234p 55p", win="6p")
    assert "东" in refused("E721", rules.score, "123345789万 234筒 东东")
