"""声明: what a winner has declared is told with a single hand as it is in games, in every way in."""

from pathlib import Path

import pytest

import pyengine
from pyengine import cli
from pyengine.engine.score import Result
from pyengine.language.diagnostics import InputError
from pyengine.tools.random_hands import complete_hands
from pyengine.tools.testing import run_files

FILE = """
规则 "飘" 继承 "sichuan/xuezhan"
声明 飘: 0 .. 5 = 0
声明 报听: 是否 = 否
番种 带飘 = 1番 当 飘 >= 2
番种 报 = 2番 当 报听
"""
EXAMPLE = "例 [111333444万 22266筒] 胡 6筒 (自摸, 飘: 2, 报听) = 平胡, 对对胡, 带飘, 报: 5番\n"
CASES = """
ruleset: piao.rule
hands:
  - id: piao
    hand: 111333444m22266p
    win: 6p
    stances: {飘: 2, 报听: 是}
    expect: {fans: [平胡, 对对胡, 带飘, 报]}
waits:
  - id: waiting
    hand: 111333444m2226p
    stances: {飘: 3}
    expect: {waits: [6p], best: 4}
"""
HAND = "111333444m22266p"


@pytest.fixture
def rules(tmp_path: Path) -> pyengine.Ruleset:
    path = tmp_path / "piao.rule"
    path.write_text(FILE + EXAMPLE, encoding="utf-8")
    return pyengine.load(path)


def fans(result: Result) -> list[str]:
    return [fan.name for fan in result.fans]


def test_a_hand_is_scored_with_what_was_declared(rules: pyengine.Ruleset) -> None:
    assert fans(rules.score(HAND)) == ["平胡", "对对胡"]
    assert fans(rules.score(HAND, stances={"飘": 2})) == ["平胡", "对对胡", "带飘"]
    assert fans(rules.score(HAND, stances={"飘": "1", "报听": True})) == ["平胡", "对对胡", "报"]
    assert [wait.total for wait in rules.waits("111333444m2226p", stances={"报听": "是"})] == ["4番"]


def test_kernel_and_oracle_agree_about_stances(rules: pyengine.Ruleset) -> None:
    declared = set()
    for hand in complete_hands(rules, 300, seed=5):
        judged, verdict = rules.judge(hand), rules.oracle.score(hand)
        assert (judged.win, judged.money, judged.counts) == (verdict.win, verdict.money, verdict.counts)
        declared.add(hand.stances)
    assert len(declared) == 12


@pytest.mark.parametrize(
    ("stances", "code"), [({"漂": 1}, "E888"), ({"飘": 6}, "E909"), ({"飘": "是"}, "E909"), ({"报听": 3}, "E909")]
)
def test_what_cannot_be_declared_is_refused(rules: pyengine.Ruleset, stances: dict[str, object], code: str) -> None:
    with pytest.raises(InputError) as wrong:
        rules.score(HAND, stances=stances)
    assert [found.code for found in wrong.value.diagnostics] == [code]


@pytest.mark.usefixtures("rules")
def test_examples_cases_and_the_command_tell_stances(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("piao.yaml").write_text(CASES, encoding="utf-8")
    assert run_files([Path("piao.yaml")], {}).totals["passed"] == 2
    for arguments in (
        ["check", "piao.rule"],
        ["score", "piao.rule", HAND, "--stance", "飘=2", "--stance", "报听=是", "--why"],
    ):
        with pytest.raises(SystemExit) as ended:
            cli.main(["--lang", "zh", *arguments])
        assert ended.value.code == 0
    assert "飘 >= 2" in capsys.readouterr().out


def test_a_broken_law_gives_the_command_that_shows_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "law.rule"
    path.write_text(FILE + '保证 "飘了不过九番" 飘 < 2 或 番数 <= 0\n', encoding="utf-8")
    with pytest.raises(SystemExit):
        cli.main(["--lang", "zh", "check", str(path)])
    told = capsys.readouterr()
    line = next(line for line in (told.out + told.err).splitlines() if "E502" in line)
    assert "--stance 飘=" in line
    assert "--seen" not in line
    assert "--flag" not in line
    command = line.partition("rulespec ")[2].split()
    with pytest.raises(SystemExit) as ended:
        cli.main(command)
    assert ended.value.code == 0
    assert "带飘" in capsys.readouterr().out
