"""Every game to a depth: refunds that pay twice, steps whose order matters, flows that differ.

Without these an author would trust a settlement that was tried on a few games.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_proofs import TOWN, run

import pyengine
from pyengine.engine.ruleset import Ruleset
from pyengine.tools.explore import Games, compare_flows, explore, game_text

KONGS = """结算 暗杠: 每个 在场 付 杠者: 2 记 杠钱
结算 直杠: 点杠者 付 杠者: 2 记 杠钱
结算 呼叫转移 当 杠后: 放炮者 转 本杠 给 每个 胡者
次序 点炮 = 呼叫转移, 点炮
结算 退税: 每个 没叫 退 杠钱
结算 查叫: 每个 没叫 付 每个 听牌: 大叫
次序 流局 = 退税, 查叫
"""


def rules(folder: Path, flows: str = KONGS, name: str = "town") -> Ruleset:
    path = folder / f"{name}.rule"
    path.write_text(TOWN + flows, encoding="utf-8")
    return pyengine.load(str(path))


def test_a_file_without_mistakes_is_clean(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = explore(rules(tmp_path))
    for wrong in (found.impossible, found.unbalanced, found.overpaid, found.twice):
        assert wrong.games == 0
    assert found.games > 10_000
    assert run("prove", str(tmp_path / "town.rule")) == 0
    assert "nobody gets more back than was paid" in capsys.readouterr().out


def test_a_refund_that_pays_twice_and_the_shortest_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = explore(rules(tmp_path, KONGS.replace("每个 没叫 退 杠钱", "每个 没叫 退 杠钱 连已转")))
    assert found.twice.games > 0
    assert found.twice.example
    # A kong, a win that takes its money, and the konger is not ready when nobody wins.
    assert [event.kind for event in found.twice.example.events] == ["concealed_kong", "discard_win", "drawn"]
    assert found.twice.example.states[0] == "not_ready"
    assert run("prove", str(tmp_path / "town.rule")) == 0
    assert "W956" in capsys.readouterr().out


def test_an_order_that_matters(tmp_path: Path) -> None:
    flows = KONGS + "结算 收回: 每个 没叫 退 杠钱 连已转\n"
    flows = flows.replace("次序 点炮 = 呼叫转移, 点炮", "次序 点炮 = 呼叫转移, 点炮, 全退")
    flows += "结算 全退 当 杠后: 放炮者 退 杠钱\n"
    flows = flows.replace("次序 流局 = 退税, 查叫", "次序 流局 = 退税, 收回, 查叫")
    steps = {(step.first, step.second): step.found for step in explore(rules(tmp_path, flows)).steps}
    assert steps["点炮", "全退"].games == 0
    assert steps["退税", "收回"].games == 0
    other = KONGS.replace("次序 点炮 = 呼叫转移, 点炮", "次序 点炮 = 呼叫转移, 全退, 点炮")
    other += "结算 全退 当 杠后: 放炮者 退 杠钱\n"
    steps = {(step.first, step.second): step.found for step in explore(rules(tmp_path, other)).steps}
    matters = steps["呼叫转移", "全退"]
    assert matters.example
    assert [event.kind for event in matters.example.events] == ["concealed_kong", "discard_win"]


def test_amounts_that_cannot_be_are_found(tmp_path: Path) -> None:
    found = explore(rules(tmp_path, KONGS.replace("大叫", "大叫 - 20")))
    assert found.impossible.example
    assert game_text(found.impossible.example) == "流局 (听牌 听牌 听牌 没叫)"


def test_flows_are_compared_with_the_shortest_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a = rules(tmp_path)
    same = compare_flows(a, rules(tmp_path, KONGS + "# 一样\n", "same"))
    assert same and same.found.example is None
    b = rules(tmp_path, KONGS.replace("点杠者 付 杠者: 2", "点杠者 付 杠者: 3"), "other")
    differ = compare_flows(a, b)
    assert differ and differ.found.example
    assert game_text(differ.found.example) == "直杠 1→0"
    assert run("diff", str(tmp_path / "town.rule"), str(tmp_path / "other.rule")) == 0
    out = capsys.readouterr().out
    assert "flow 直杠" in out
    assert "+2 -2 +0 +0" in out and "+3 -3 +0 +0" in out


@pytest.mark.parametrize("name", ["sichuan/xuezhan", "sichuan/xueliu", "dazhong/standard"])
def test_packed_games_are_the_games(name: str) -> None:
    ruleset = pyengine.load(name)
    games = Games(ruleset, 1)
    packed = games.packed(ruleset)
    assert len(packed) == games.count == sum(1 for _ in games.each())
    deltas = ruleset.settle_batch(packed).deltas
    assert not deltas.sum(axis=1).any()
    for number in np.linspace(0, games.count - 1, 60, dtype=int):
        assert tuple(deltas[number]) == ruleset.ledger.settle(games.at(int(number))).deltas[:4]
