"""docs/batch.md is run from top to bottom in one folder: what it shows is what comes out.

```csv as NAME         the file is written
```csv shows NAME      the file has this text (```jsonl likewise)
```console             commands, and what they print
```python              a session, as doctest runs it
```python cluster      a program; what it prints is told behind it
"""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pyengine import cli

PAGE = Path(__file__).parent.parent / "docs" / "batch.md"
_FENCE = re.compile(r"^```(?P<info>.+)\n(?P<text>(?:(?!```).*\n)*?)```$", re.MULTILINE)
BLOCKS = [(match["info"].split(), match["text"]) for match in _FENCE.finditer(PAGE.read_text(encoding="utf-8"))]


def run(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The commands of a block."""
    for command in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        line, _, expected = command.partition("\n")
        with pytest.raises(SystemExit):
            cli.main(line.split()[1:])
        out, err = capsys.readouterr()
        assert (err + out).split("\n") == expected.split("\n"), line


def test_the_page_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RULESPEC_LANG", "en")
    names: dict[str, object] = {}
    sessions = doctest.DocTestParser()
    for n, ((kind, *words), text) in enumerate(BLOCKS):
        if words[:1] == ["as"]:
            Path(words[1]).write_text(text, encoding="utf-8")
        elif words[:1] == ["shows"]:
            assert Path(words[1]).read_text(encoding="utf-8") == text
        elif kind == "console":
            run(text, capsys)
        elif kind == "python" and not words:
            session = sessions.get_doctest(text, names, f"block {n}", None, None)
            runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL)
            told: list[str] = []
            runner.run(session, out=told.append, clear_globs=False)
            assert not runner.failures, "".join(told)
            names = session.globs


def test_the_program_for_a_cluster_runs(tmp_path: Path) -> None:
    pytest.importorskip("dask.dataframe")
    pytest.importorskip("distributed")
    (program,) = [text for info, text in BLOCKS if info == ["python", "cluster"]]
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    command = [sys.executable, "-W", "ignore", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.split() == re.findall(r"print\(.*\)  # (.*)", program)
    assert len(list(tmp_path.glob("scored-*.csv"))) == 8


def test_every_section_opens_in_chinese() -> None:
    for section in re.split(r"^##+ .*\n", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        assert re.match(r"\n*[^\n]*[\u4e00-\u9fff][^\n]*。\n", section), section[:80]
