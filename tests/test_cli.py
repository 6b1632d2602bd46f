"""The `rulespec` command: what it prints, and the exit status that scripts rely on."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pyengine import cli, resources
from pyengine.language.diagnostics import codes, help_text

RULES = "sichuan/sbr"
HAND = ["45s77s67777p8p3s", "--meld", "碰 3s", "--win", "3s", "--void", "m"]

Run = Any


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command: exit status, what it printed, what it complained of."""
    monkeypatch.setenv("RULESPEC_LANG", "en")

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            cli.main(list(arguments))
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return call


def process(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pyengine.cli", *arguments], capture_output=True, text=True, timeout=60, **options
    )


# ---- help and usage ----------------------------------------------------------------------------


COMMANDS = ("list", "check", "test", "score", "waits", "prove", "same", "diff", "hash", "explain")


@pytest.mark.parametrize("command", [[], *[[name] for name in COMMANDS]])
def test_every_command_and_option_has_its_help_in_both_languages(run: Run, command: list[str]) -> None:
    pages = [run(*command, "--help", "--lang", lang) for lang in ("zh", "en")]
    assert pages[0] != pages[1]
    for status, page, _ in pages:
        assert status == 0
        assert "\\b" not in page
        options = page.partition("Options:")[2].partition("Commands:")[0].strip().splitlines()
        assert all(len(line.split("  ", 1)[-1].strip()) > 3 and "  " in line.strip() for line in options), page


def test_help_names_all_commands_and_is_there_at_once(run: Run) -> None:
    _, page, _ = run("--help")
    assert all(f"\n  {command} " in page for command in ("check", "explain", "list", "score", "test", "waits"))
    code = "import sys; from pyengine.cli import main\ntry: main(['--help'])\nexcept SystemExit: print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    heavy = {"lark", "numpy", "rich.console", "pyengine.engine.kernel"} & set(done.stdout.split())
    assert not heavy


def test_version(run: Run) -> None:
    status, out, _ = run("--version")
    assert status == 0
    assert out.startswith("rulespec ")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["scor"], "E921", "`score`"),
        (["score", RULES, "1m", "--winn", "6p"], "E922", "`--win`"),
        (["score", RULES], "E923", "HAND"),
        (["score"], "E923", "RULES"),
        (["score", RULES, "1m", "--win"], "E924", "--win"),
        (["list", "--lang", "fr"], "E924", "fr"),
        (["explain", "E7x2"], "E914", "`E722`"),
        (["score", "sichuan/clasic", "1m"], "E907", "`sichuan/classic`"),
        (["score", "xuezhan", "1m"], "E907", "`sichuan/xuezhan`"),
        (["score", "rules/xuezhan.rule", "1m"], "E907", "`sichuan/xuezhan`"),
        (["score", "血战到底", "1m"], "E907", "`sichuan/xuezhan`"),
        (["score", RULES, "1m", "--set", "封顶"], "E911", "封顶"),
        (["score", RULES, "1m", "--set", "封顶=8倍", "--set", "封顶=8倍"], "E912", "封顶"),
        (["score", RULES, "1m", "--set", "封=8倍"], "E908", "`封顶`"),
        (["score", RULES, "1m", "--set", "name=x"], "E908", "name"),
        (["score", RULES, "1m"], "E722", "14"),
        (["score", RULES, "1x", "--win", "6"], "E701", "6"),
        (["waits", RULES, "1m", "--seen", "3m=x"], "E735", "3m"),
    ],
)
def test_what_cannot_be_carried_out_is_told_with_status_2(run: Run, arguments: list[str], code: str, says: str) -> None:
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert code in err
    assert says in err
    status, out, err = run(*arguments, "--lang", "zh") if "fr" not in arguments else (2, "", "错误")
    assert (status, out) == (2, "")
    assert "错误" in err


def test_without_a_command_the_help_is_shown_with_status_2(run: Run) -> None:
    status, out, err = run()
    assert (status, out) == (2, "")
    assert "Commands:" in err


# ---- commands ----------------------------------------------------------------------------------


def test_list(run: Run) -> None:
    status, out, _ = run("list")
    assert status == 0
    assert any(line.startswith(f"{RULES} ") for line in out.splitlines())
    assert RULES in [ruleset["id"] for ruleset in json.loads(run("list", "--json")[1])["rulesets"]]


def test_score_for_people(run: Run) -> None:
    status, out, err = run("score", RULES, *HAND)
    assert (status, err) == (0, "")
    assert out == "碰 333条  678筒  777筒  [345条]  77条\n  根 Root ×2  1番\ntotal 2番, each payer pays 4\n"
    assert "每家付 4" in run("--lang", "zh", "score", RULES, *HAND)[1]


def test_score_for_programs(run: Run) -> None:
    status, out, _ = run("score", RULES, *HAND, "--json")
    assert status == 0
    data = json.loads(out)
    assert (data["win"], data["total"], data["points"]) == (True, "2番", 4)
    assert data["fans"] == [{"name": "根", "count": 2, "value": "1番"}]


def test_a_hand_may_be_several_arguments(run: Run) -> None:
    assert run("score", RULES, "45s77s", "67777p", "8p3s", *HAND[1:]) == run("score", RULES, *HAND)
    assert run("score", RULES, "碰", "3s", "45s77s67777p8p3s", *HAND[3:]) == run("score", RULES, *HAND)


def test_options_make_a_difference(run: Run) -> None:
    hand = ["score", RULES, *HAND, "--json"]
    drawn = json.loads(run(*hand, "--by", "self_draw", "--set", "自摸奖=加两底")[1])
    assert drawn["points"] == json.loads(run(*hand)[1])["points"] + 2


def test_a_hand_that_does_not_win_is_an_answer(run: Run) -> None:
    status, out, _ = run("score", RULES, "147m258p369s14725m")
    assert status == 0
    assert out.startswith("no win: makes no winning shape; nearest is ")
    assert run("score", RULES, "147m258p369s14725m", "--lang", "zh")[1].startswith("不胡：不成任何胡型")
    assert run("score", RULES, "123345789m23466p", "--win", "6p", "--void", "m")[1].startswith("no win: may not win")


def test_waits(run: Run) -> None:
    hand = ["waits", RULES, "1112233s456s", "--meld", "碰 8s", "--void", "m"]
    status, out, _ = run(*hand)
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()] == ["1条", "2条", "3条", "4条", "7条"]
    data = json.loads(run(*hand, "--json")[1])
    assert (data["ting"], data["best"]) == (True, 8)
    assert data["waits"][0]["tile"] == "1s"


def test_errors_as_json(run: Run) -> None:
    status, out, err = run("score", RULES, "12x", "--json")
    assert (status, err) == (2, "")
    assert [error["code"] for error in json.loads(out)["error"]] == ["E702", "E701"]
    status, out, err = run("score", "--json")
    assert (status, err) == (2, "")
    assert json.loads(out)["error"][0]["code"] == "E923"


def test_explain(run: Run) -> None:
    status, out, _ = run("explain", "e722")
    assert status == 0
    assert out.startswith("E722\n\n")
    assert "14" in out
    assert run("explain", "E722", "--lang", "zh")[1] != out


def test_every_code_of_files_hands_and_cases_has_both_languages() -> None:
    for code in codes():
        if code[1] in "789":
            assert help_text(code, "zh") != help_text(code, "en"), code


# ---- cases -------------------------------------------------------------------------------------


@pytest.fixture
def case_file(tmp_path: Path) -> Path:
    path = tmp_path / "cases.yaml"
    path.write_text(
        f"ruleset: {RULES}\nhands:\n"
        "- {id: good, hand: 45s77s67777p8p3s, melds: [碰 3s], win: 3s, void: m, expect: {fans: [根, 根], points: 4}}\n"
        "- {id: bad, hand: 45s77s67777p8p3s, melds: [碰 3s], win: 3s, void: m, expect: {fans: [根], points: 2}}\n"
        "games:\n- {id: later, events: [{win: 自摸, seat: 0, value: 8倍}], expect: {deltas: [27, -9, -9, -9]}}\n",
        encoding="utf-8",
    )
    return path


def test_a_failing_case_is_shown_against_what_was_expected(run: Run, case_file: Path) -> None:
    status, out, _ = run("test", str(case_file))
    assert status == 1
    assert "cases.yaml:4:8  bad" in out
    assert re.search(r"points +expected 2 +got 4\n", out)
    assert "[345条]" in out
    assert out.splitlines()[-1] == "2 passed, 1 failed, 0 skipped"
    assert "good" not in out
    assert "good" in run("test", str(case_file.parent), "-v")[1]
    assert run("test", str(case_file), "--lang", "zh")[1].splitlines()[-1] == "2 通过，1 不符，0 略过"


def test_cases_as_json(run: Run, case_file: Path) -> None:
    status, out, _ = run("test", str(case_file), "--json")
    data = json.loads(out)
    assert status == 1
    assert (data["passed"], data["failed"], data["skipped"], data["errors"]) == (2, 1, 0, 0)
    bad = data["cases"][1]
    assert bad["differences"][1] == {"what": "points", "expected": 2, "actual": 4}
    assert "[345条]" in bad["reading"]


def test_options_for_all_cases(run: Run, case_file: Path) -> None:
    assert run("test", str(case_file), "--set", "封顶=九")[0] == 2


def test_a_broken_case_or_file_is_status_2(run: Run, case_file: Path) -> None:
    (case_file.parent / "broken.yaml").write_text("ruleset: x\nhands:\n- {id: a}\n")
    (case_file.parent / "gbk.yaml").write_bytes("ruleset: 四川麻将规则".encode("gb18030"))
    status, out, _ = run("test", str(case_file.parent), "missing.yaml")
    assert status == 2
    assert "E822" in out
    assert "E905" in out
    assert "GB18030" in out
    assert "E901" in out
    assert out.splitlines()[-1] == "2 passed, 1 failed, 0 skipped, 3 broken"


def test_a_rule_file_among_cases_is_told_what_it_is(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "my.rule"
    path.write_text('规则 "甲" 继承 "sichuan/xuezhan"\n', encoding="utf-8")
    for given in (str(path), "sichuan/xuezhan"):
        status, out, _ = run("test", given)
        assert status == 2
        assert "E916" in out
        assert f"`rulespec check {given}`" in out


def test_rules_that_do_not_load_are_told_once_for_all_cases(run: Run, tmp_path: Path) -> None:
    (tmp_path / "my.rule").write_text('规则 "甲" 继承 "sichuan/xuezhan"\n令 甲 = 乙\n', encoding="utf-8")
    case = "{hand: 123345789m23466p, win: 6p, expect: {win: true}"
    path = tmp_path / "cases.yaml"
    path.write_text(f"ruleset: my.rule\nhands:\n- {case}, id: a}}\n- {case}, id: b, set: {{底分: 2}}}}\n")
    status, out, _ = run("test", str(path))
    assert status == 2
    assert out.count("E201") == 1
    assert len(out.splitlines()) == 6
    assert out.splitlines()[-1] == "0 passed, 0 failed, 0 skipped, 2 broken"


def test_the_shipped_cases_hold(run: Run) -> None:
    if not any(resources.rulesets().rglob("*.yaml")):
        pytest.skip("no cases are shipped yet")
    status, out, _ = run("test")
    assert status == 0, out
    assert ", 0 failed," in out


# ---- rule files --------------------------------------------------------------------------------


def test_check(run: Run, tmp_path: Path) -> None:
    status, out, _ = run("check", RULES, "-v")
    assert status == 0, out
    assert run("check", str(tmp_path / "missing.rule"))[0] == 2
    (tmp_path / "bad.rule").write_text("规则 规则 规则\n", encoding="utf-8")
    status, out, _ = run("check", str(tmp_path / "bad.rule"))
    assert status == 1, out
    status, out, _ = run("check", str(tmp_path / "bad.rule"), RULES, "--json")
    assert status == 1
    assert [file["ok"] for file in json.loads(out)["files"]] == [False, True]


# ---- the process -------------------------------------------------------------------------------


def test_a_reader_that_goes_away_ends_it_quietly() -> None:
    command = f"'{sys.executable}' -m pyengine.cli test -v 2>err.txt | head -c 1 >/dev/null; cat err.txt; rm err.txt"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert done.stdout == ""


def test_no_colours_and_no_tracebacks_in_a_pipe() -> None:
    done = process("score", RULES, *HAND)
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    done = process("score", RULES, "12x")
    assert done.returncode == 2
    assert "\x1b" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_terminal_without_chinese_is_told_the_characters_and_how_to_see_them() -> None:
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = process("score", RULES, *HAND, env=ascii_only)
    assert done.returncode == 0
    assert "\\u6839" in done.stdout
    assert done.stderr.count("LC_ALL=C.UTF-8") == 1
    done = process("list", "--json", env=ascii_only)
    assert "成都幺二四八" in [rules["title"] for rules in json.loads(done.stdout)["rulesets"]]
    assert done.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device")
@pytest.mark.parametrize("arguments", [["list"], ["list", "--json"], ["--help"]])
@pytest.mark.parametrize("target", [">/dev/full", ">&-", ">/dev/full 2>/dev/full", ">&- 2>&-"])
def test_an_answer_that_cannot_be_written_is_status_2(arguments: list[str], target: str) -> None:
    command = shlex.join([sys.executable, "-m", "pyengine", *arguments])
    done = subprocess.run(["bash", "-c", f"{command} {target}"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert ("E925" in done.stderr) == ("2>" not in target)


def test_an_interrupt_while_the_command_is_imported_is_quiet() -> None:
    """The interrupt comes as the first import of the command proper begins."""
    code = (
        "import os, signal, sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'pyengine.cli': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from pyengine.__main__ import main\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


# ---- files that are none ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["check", "x" * 5000 + ".rule"], "E907"),
        (["test", "x" * 5000], "E903"),
        (["settle", RULES, "x" * 5000], "E903"),
        (["score", "x/" * 5000, "1m"], "E907"),
    ],
)
def test_names_that_no_file_can_have(run: Run, arguments: list[str], code: str) -> None:
    status, out, err = run(*arguments)
    assert (status, code in out + err) == (2, True)
    assert json.loads(run(*arguments, "--json")[1])


@pytest.mark.parametrize("command", [["check"], ["test"], ["settle", RULES]])
def test_pipes_and_folders_are_told_in_the_same_words(run: Run, tmp_path: Path, command: list[str]) -> None:
    pipe, folder = tmp_path / "pipe.yaml", tmp_path / "folder.yaml"
    os.mkfifo(pipe)
    folder.mkdir()
    status, out, err = run(*command, str(pipe))
    assert (status, "E917" in out + err) == (2, True)
    status, out, err = run(*command, str(folder))
    assert (status, ("E913" if command == ["test"] else "E902") in out + err) == (2, True)


def test_only_files_that_are_called_rules_are_shown(run: Run, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("s3cret\n", encoding="utf-8")
    rule, cases = tmp_path / "town.rule", tmp_path / "cases.yaml"
    rule.write_text(f'规则 "镇" 继承 "{secret}"\n', encoding="utf-8")
    hand = "{id: a, hand: 1m, expect: {win: true}}"
    cases.write_text(f"ruleset: {secret}\nhands:\n- {hand}\n", encoding="utf-8")
    for arguments, expected in (
        (["check", str(rule)], 1),
        (["check", str(secret)], 2),
        (["score", str(secret), "1m"], 2),
        (["test", str(cases)], 2),
    ):
        status, out, err = run(*arguments)
        assert (status, "E918" in out + err, "s3cret" in out + err) == (expected, True, False)


def test_copies_of_thousands_of_digits_are_refused(run: Run) -> None:
    status, out, err = run("score", RULES, "1m", "--seen", f"1m={'9' * 5000}")
    assert (status, out) == (2, "")
    assert "E735" in err


# ---- list --------------------------------------------------------------------------------------


def test_list_of_a_rule_set_names_its_options_and_fans(run: Run) -> None:
    status, page, _ = run("list", "regional/chuannan")
    assert status == 0
    assert re.search(r"^  马数 +1 +0 \.\. 4 +003 §七", page, re.MULTILINE)
    assert re.search(r"^  将对 258 Pungs +4番 +当 对对 且 牌 都是 二五八 不计 对对胡 +003 §二.4", page, re.MULTILINE)
    status, page, _ = run("list", "--json", "sichuan/classic", RULES)
    first, second = json.loads(page)["rulesets"]
    assert (status, first["title"], second["id"]) == (0, "成都幺二四八", RULES)
    assert {"name": "清大对", "parts": ["清一色", "大对子"]}.items() <= first["combos"][0].items()


def test_list_of_what_is_no_rule_set(run: Run) -> None:
    status, page, error = run("list", "sichuan/xuezan")
    assert (status, page) == (2, "")
    assert "sichuan/xuezhan" in error
