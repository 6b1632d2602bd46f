"""Hands by the thousand: the command, its numbers, comparisons on the same walls, records and pictures."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import pyengine
from pyengine.cli import rulespec
from pyengine.engine.simulation import play_hands
from pyengine.language.diagnostics import InputError


def run(*arguments: str) -> Any:
    return CliRunner().invoke(rulespec, ["simulate", *arguments])


def told(*arguments: str) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    data: dict[str, Any] = json.loads(result.output)
    return data


def test_a_simulation_is_the_sum_of_its_hands() -> None:
    data = told("sichuan/xuezhan", "-n", "500", "--policy", "greedy", "--seed", "7")
    played = np.concatenate(list(play_hands(pyengine.load("sichuan/xuezhan"), "greedy", 7, 500)))
    assert data["hands"] == 500
    for seat in range(4):
        assert data["seats"][seat]["points"]["mean"] == pytest.approx(played["deltas"][:, seat].mean())
        assert data["seats"][seat]["deviation"] == pytest.approx(played["deltas"][:, seat].std(ddof=1))
        assert data["seats"][seat]["wins"]["mean"] == pytest.approx((played["wins"][:, seat] > 0).mean())
    assert data["drawn"]["mean"] == pytest.approx(played["is_drawn"].mean())
    assert sum(seat["points"]["mean"] for seat in data["seats"]) == pytest.approx(0)
    assert data["fans"]["平胡"] == pytest.approx(np.mean(played["wins"].sum(axis=1) > 0))


def test_the_same_seed_gives_the_same_and_another_does_not() -> None:
    assert told("dazhong/standard", "-n", "200") == told("dazhong/standard", "-n", "200")
    assert told("dazhong/standard", "-n", "200") != told("dazhong/standard", "-n", "200", "--seed", "2")
    assert told("dazhong/standard", "-n", "200") != told("dazhong/standard", "-n", "200", "--policy", "random")


def test_a_comparison_with_itself_finds_nothing() -> None:
    data = told("sichuan/classic", "-n", "300", "--against", "sichuan/classic")
    assert all(change == {"mean": 0.0, "margin": 0.0} for change in data["difference"].values())


def test_a_higher_cap_spreads_more_on_the_same_walls() -> None:
    data = told("sichuan/classic", "-n", "4000", "--set", "封顶=8倍", "--vary", "封顶=16倍")
    change = data["difference"]
    assert change["wins"]["mean"] == 0
    assert change["spread"]["mean"] > change["spread"]["margin"] > 0
    text = run("sichuan/classic", "-n", "300", "--vary", "封顶=16倍", "--lang", "en").output
    assert "B − A" in text
    assert "spread" in text


def test_other_tiles_cannot_be_compared() -> None:
    result = run("sichuan/classic", "-n", "10", "--against", "dazhong/standard")
    assert result.exit_code == 2
    assert "E775" in result.output


def test_records_are_written_and_replay_to_the_same(tmp_path: Path) -> None:
    path = tmp_path / "hands.jsonl"
    assert run("sichuan/xueliu", "-n", "70", "--records", str(path)).exit_code == 0
    result = CliRunner().invoke(rulespec, ["replay", "sichuan/xueliu", str(path), "--json"])
    assert result.exit_code == 0, result.output
    deltas = [game["deltas"] for game in json.loads(result.output)["games"]]
    played = np.concatenate(list(play_hands(pyengine.load("sichuan/xueliu"), "greedy", 1, 70)))
    assert deltas == played["deltas"].tolist()
    assert run("sichuan/xueliu", "-n", "1", "--records", str(tmp_path / "no" / "x.jsonl")).exit_code == 2


def test_a_picture_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "spread.png"
    assert run("sichuan/xuezhan", "-n", "200", "--vary", "封顶=32倍", "--plot", str(path)).exit_code == 0
    assert path.stat().st_size > 1000
    assert run("sichuan/xuezhan", "-n", "20", "--plot", str(tmp_path / "x.what")).exit_code == 2


def test_without_matplotlib_the_command_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    result = run("sichuan/xuezhan", "-n", "10", "--plot", str(tmp_path / "x.png"))
    assert result.exit_code == 2
    assert "E774" in result.output


def test_wrong_arguments_are_told() -> None:
    for arguments in (["nowhere"], ["sichuan/xuezhan", "-n", "0"], ["sichuan/xuezhan", "--vary", "封顶"]):
        assert run(*arguments).exit_code == 2


def test_hands_in_which_a_seat_has_no_move_are_refused(tmp_path: Path) -> None:
    """A 禁 that leaves nothing to discard is the rule file's mistake, and told as one."""
    path = tmp_path / "stuck.rule"
    path.write_text(
        '规则 "青"\n牌 万 筒 条 = 1..9 × 4\n打法 手牌 = 13\n打法 人数 = 4\n打法 开局 = 定缺\n'
        "胡型 基本 = 4 面子 + 1 将\n番种 平胡 = 1番\n令 胡分 = 番数\n"
        "结算 点炮: 放炮者 付 每个 胡者: 胡分\n许 点炮, 碰\n禁 打 当 余牌 < 80\n",
        encoding="utf-8",
    )
    rules = pyengine.load(str(path))
    with pytest.raises(InputError, match="E783"):
        list(play_hands(rules, "random", 1, 20))
