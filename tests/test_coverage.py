"""What cases leave out is named, and the cases that are written for it fill the gaps.

Without this an author would believe that cases which pass show all that a file says.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_proofs import TOWN, run

import pyengine
from pyengine.tools.coverage import coverage

CASES = """ruleset: town.rule
hands:
- id: one-suit
  hand: 11112222333344m
  by: 点炮
  expect: {win: true, fans: [清一色, 七对]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "town.rule").write_text(TOWN, encoding="utf-8")
    (tmp_path / "cases.yaml").write_text(CASES, encoding="utf-8")
    return tmp_path


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    (found,) = json.loads(capsys.readouterr().out)["coverage"]
    assert isinstance(found, dict)
    return found


def test_gaps_are_named_with_the_smallest_hand(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("test", str(folder / "cases.yaml"), "--coverage", "--json") == 0
    found = told(capsys)
    missing = {(gap["what"], gap["name"]): gap["example"]["hand"] for gap in found["missing"]}  # type: ignore
    assert missing["fans", "对对胡"] == "11122233444m111p"
    assert missing["true", "对对胡"] == "11122233344455m"
    assert ("true", "清一色") not in missing
    assert ("false", "清一色") in missing
    assert found["fan_sets"] == {"seen": 1, "all": 6}


def test_the_cases_that_are_written_pass_and_leave_nothing_out(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = folder / "missing.yaml"
    assert run("test", str(folder / "cases.yaml"), "--write-missing", str(written)) == 0
    capsys.readouterr()
    assert run("test", str(folder), "--coverage", "--json") == 0
    found = told(capsys)
    assert found["missing"] == []
    assert found["hands"]["seen"] == found["hands"]["all"] == 139_458_756  # type: ignore


def test_missing_cases_are_of_one_rule_set(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = folder / "other.yaml"
    other.write_text("ruleset: sichuan/sbr\nhands: []\n", encoding="utf-8")
    written = folder / "missing.yaml"
    assert run("test", str(folder / "cases.yaml"), str(other), "--write-missing", str(written)) == 2
    assert "E953" in capsys.readouterr().err
    assert not written.exists()


def test_no_hands_show_nothing(folder: Path) -> None:
    found = coverage(pyengine.load(str(folder / "town.rule")), [])
    assert (found.seen, found.seen_sets, found.seen_hands) == (0, 0, 0)
    assert len(found.missing) == found.conditions + found.sets
