"""What the README shows is what a reader sees: its rulespec commands are run and compared."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def commands() -> list[tuple[str, str]]:
    """Each `$ rulespec …` of a console block, with the output under it."""
    found = []
    for language, text in BLOCKS:
        if language == "console":
            for command, output in re.findall(r"^\$ (rulespec .*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
                if output:
                    found.append((command, output))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the README writes."""
    path = tmp_path_factory.mktemp("reader")
    for language, text in BLOCKS:
        named = re.match(r"# (\S+\.(?:yaml|rule))\n", text)
        if named and language in ("yaml", ""):
            (path / named[1]).write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(("command", "expected"), commands())
def test_commands_print_what_is_shown(folder: Path, command: str, expected: str) -> None:
    arguments = re.sub(r"^rulespec", "", command)
    run = subprocess.run(
        f'"{sys.executable}" -m pyengine.cli --lang en {arguments}',
        shell=True,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    actual = (run.stdout + run.stderr).splitlines()
    assert _is_shown(expected.splitlines(), actual), run.stdout + run.stderr


def _is_shown(expected: list[str], actual: list[str]) -> bool:
    """Whether lines are those shown, where a line `…` stands for any number of lines that are left out."""
    if "…" not in (line.strip() for line in expected):
        return expected == actual
    cut = next(number for number, line in enumerate(expected) if line.strip() == "…")
    rest = expected[cut + 1 :]
    return expected[:cut] == actual[:cut] and any(
        _is_shown(rest, actual[start:]) for start in range(cut, len(actual) + 1)
    )


def test_the_python_example_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    (text,) = [text for language, text in BLOCKS if language == "python"]
    exec(text, {})
    printed = iter(capsys.readouterr().out.splitlines())
    for expected in re.findall(r"^print\(.*\)  # (.*)$", text, re.MULTILINE):
        assert expected in printed, f"{expected} is not printed, or not in this order"
    assert next(printed, None) is None


def test_the_pages_that_are_named_exist() -> None:
    root = Path(__file__).parent.parent
    for page in (root / "README.md", *(root / "docs").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", text):
            named = page.parent / target if target else page
            assert named.is_file(), f"{page.name}: {target}"
            if anchor:
                titles = re.findall(r"^#+ (.*)$", named.read_text(encoding="utf-8"), re.MULTILINE)
                anchors = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
                assert anchor in anchors, f"{page.name}: {target}#{anchor}"
