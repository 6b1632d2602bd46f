"""Files of hands that take long: runs that end in the middle, memory, and the command that starts them."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support.tables import NAMES, RULES, Row, carrying_rows, leftovers, random_rows, read, spoilt, write

import pyengine
from pyengine import cli
from pyengine.tools import progress
from pyengine.tools.partial import Part
from pyengine.tools.score_file import Done, Progress, score_file

GOOD = "111333444m22266p"


@pytest.fixture(scope="module")
def rules() -> pyengine.Ruleset:
    return pyengine.load(RULES)


@pytest.fixture(scope="module")
def rows(rules: pyengine.Ruleset) -> list[Row]:
    return carrying_rows(rules)


# ---- interrupted -----------------------------------------------------------------------------------------


def spread(tmp_path: Path, suffix: str, rules: pyengine.Ruleset, n: int) -> Path:
    """A file with bad rows in it."""
    rng = random.Random(97)
    rows = [{"id": n, **row} for n, row in enumerate(random_rows(rules, n, seed=101, agreeing=True))]
    rows = [spoilt(row, rng) if rng.random() < 0.05 else row for row in rows]
    return write(tmp_path / f"hands.{suffix}", [{**row, "id": str(row["id"])} for row in rows])


SLOW = """
import sys, time, pyengine
from pyengine.tools.score_file import score_file
score_file(pyengine.load({rules!r}), sys.argv[1], sys.argv[2], bad=sys.argv[3], rows=50,
           told=lambda now: time.sleep(0.02), checkpoint_seconds=0.01)
"""


@pytest.mark.parametrize(
    ("source", "target"), [("csv", "csv"), ("jsonl", "jsonl"), ("jsonl", "parquet"), ("parquet", "csv")]
)
def test_a_killed_run_goes_on_and_gives_the_same_bytes(
    rules: pyengine.Ruleset, tmp_path: Path, source: str, target: str
) -> None:
    if "parquet" in (source, target):
        pytest.importorskip("pyarrow")
    given = spread(tmp_path, source, rules, 3_000)
    whole = tmp_path / f"whole.{target}"
    score_file(rules, given, whole, bad=tmp_path / "whole-bad.csv", rows=50)
    out, bad = tmp_path / f"out.{target}", tmp_path / "out-bad.csv"
    rng = random.Random(103)
    state = tmp_path / f"out.{target}.part.state"
    command = [sys.executable, "-c", SLOW.format(rules=RULES), str(given), str(out), str(bad)]
    for killed in range(4):
        process = subprocess.Popen(command)
        while killed and not state.exists() and process.poll() is None:
            time.sleep(0.01)
        time.sleep(rng.uniform(0.05, 0.6))
        process.kill()
        process.wait()
        assert out.exists() or not bad.exists()
    if not out.exists():
        assert score_file(rules, given, out, bad=bad, rows=50).resumed > 0
    assert out.read_bytes() == whole.read_bytes()
    assert bad.read_bytes() == (tmp_path / "whole-bad.csv").read_bytes()
    assert leftovers(tmp_path) == []


class Killed(BaseException):
    """A run ends here, as if the machine had."""


@pytest.mark.parametrize("target", ["csv", "parquet"])
def test_a_run_may_end_at_every_step(
    rules: pyengine.Ruleset, tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At each sync, write and rename there is."""
    if target == "parquet":
        pytest.importorskip("pyarrow")
    given = spread(tmp_path, "csv", rules, 400)
    whole = tmp_path / f"whole.{target}"
    score_file(rules, given, whole, bad=tmp_path / "whole-bad.csv", rows=150)
    steps = 0

    def counted(function: Any, limit: int) -> Any:
        def call(*args: Any, **more: Any) -> Any:
            nonlocal steps
            steps += 1
            if steps == limit:
                raise Killed
            return function(*args, **more)

        return call

    limit = 1
    ended = False
    while not ended:
        out, bad = tmp_path / f"out{limit}.{target}", tmp_path / f"bad{limit}.csv"
        steps = 0
        with monkeypatch.context() as patch:
            for owner, name in ((os, "fsync"), (Path, "replace"), (Path, "unlink"), (Part, "write")):
                patch.setattr(owner, name, counted(getattr(owner, name), limit))
            try:
                score_file(rules, given, out, bad=bad, rows=150, checkpoint_seconds=0)
                ended = True
            except Killed:
                pass
        if not ended:
            if out.exists():
                assert out.read_bytes() == whole.read_bytes()
            score_file(rules, given, out, bad=bad, rows=150)
        assert out.read_bytes() == whole.read_bytes(), limit
        assert bad.read_bytes() == (tmp_path / "whole-bad.csv").read_bytes(), limit
        limit += 1
    assert limit > 20
    assert leftovers(tmp_path) == []


def interrupted(rules: pyengine.Ruleset, given: Path, out: Path, after: int, **more: Any) -> None:
    """A run that is interrupted after so many rows."""

    def told(now: Progress) -> None:
        if now.rows >= after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        score_file(rules, given, out, rows=100, told=told, checkpoint_seconds=0, **more)


def test_another_work_does_not_go_on_from_there(rules: pyengine.Ruleset, rows: list[Row], tmp_path: Path) -> None:
    given = write(tmp_path / "hands.csv", rows)
    out = tmp_path / "out.csv"
    interrupted(rules, given, out, 500)
    other = rules.with_options({"封顶": "1倍"})
    assert score_file(other, given, out, rows=100).resumed == 0
    interrupted(rules, given, out, 500)
    assert score_file(rules, given, out, rows=200).resumed == 0
    interrupted(rules, given, out, 500)
    write(given, rows[:-1])
    assert score_file(rules, given, out, rows=100) == Done(999, 0, 0)
    interrupted(rules, given, out, 500)
    assert score_file(rules, given, out, rows=100) == Done(999, 0, 500)


def test_spoilt_leftovers_are_not_trusted(rules: pyengine.Ruleset, rows: list[Row], tmp_path: Path) -> None:
    given = write(tmp_path / "hands.csv", rows)
    out, whole = tmp_path / "out.csv", tmp_path / "whole.csv"
    score_file(rules, given, whole, rows=100)
    part, state = tmp_path / "out.csv.part", tmp_path / "out.csv.part.state"
    for spoil in (
        lambda: part.unlink(),
        lambda: part.write_bytes(part.read_bytes()[:100]),
        lambda: state.write_text("{"),
        lambda: state.write_text("[]"),
        lambda: state.unlink(),
        lambda: part.write_bytes(part.read_bytes() + b"more"),
    ):
        interrupted(rules, given, out, 500)
        spoil()
        score_file(rules, given, out, rows=100)
        assert out.read_bytes() == whole.read_bytes()
        out.unlink()


def test_a_full_disk_keeps_what_is_done(rules: pyengine.Ruleset, rows: list[Row], tmp_path: Path) -> None:
    given = write(tmp_path / "hands.csv", rows)
    code = (
        "import resource, signal, sys, pyengine\nfrom pyengine.tools.score_file import score_file\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"rules = pyengine.load({RULES!r})\nresource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))\n"
        "score_file(rules, sys.argv[1], sys.argv[2], rows=100, checkpoint_seconds=0)"
    )
    command = [sys.executable, "-c", code, str(given), str(tmp_path / "out.csv")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert "E963" in done.stderr
    assert not (tmp_path / "out.csv").exists()
    assert score_file(rules, given, tmp_path / "out.csv", rows=100).resumed > 0
    score_file(rules, given, tmp_path / "whole.csv", rows=100)
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


# ---- memory ----------------------------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read where Linux tells it")
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, rules: pyengine.Ruleset, suffix: str) -> None:
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    base = list(random_rows(rules, 2_000, seed=107, agreeing=True))
    peaks = []
    for n in (20_000, 200_000):
        given = write(tmp_path / f"hands{n}.{suffix}", base * (n // len(base)), NAMES[1:-1])
        command = [sys.executable, "-c", PEAK, str(given), str(tmp_path / f"out{n}.{suffix}"), RULES]
        told = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout
        rows, peak = map(int, told.split())
        assert rows == n
        peaks.append(peak)
    assert peaks[1] - peaks[0] < 24 * 1024, peaks


# The peak of the process itself: that of `getrusage` begins with what the process had that started it.
PEAK = """
import re, sys, pyengine
from pyengine.tools.score_file import score_file
print(score_file(pyengine.load(sys.argv[3]), sys.argv[1], sys.argv[2], rows=4096).rows)
print(re.search("VmHWM:\\s*([0-9]+) kB", open("/proc/self/status").read())[1])
"""


# ---- the command -----------------------------------------------------------------------------------------


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        cli.main([*arguments, "--lang", "en"])
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def test_the_command(tmp_path: Path, rows: list[Row], capsys: pytest.CaptureFixture[str]) -> None:
    given = str(write(tmp_path / "hands.csv", rows))
    out = str(tmp_path / "out.jsonl")
    assert run(capsys, "score", RULES, "--from", given, "--to", out, "--threads", "2") == (
        0,
        "hands scored: 1,000\n",
        "",
    )
    status, text, _ = run(capsys, "score", RULES, "--from", given, "--to", out, "--json", "--set", "封顶=1倍")
    assert (status, json.loads(text)) == (0, {"rows": 1000, "bad": 0, "resumed": 0, "to": out})
    assert max(row["result_points"] for row in read(Path(out))) < 8


def test_bad_rows_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given, bad = tmp_path / "hands.csv", str(tmp_path / "bad.jsonl")
    given.write_text(f"hand\n{GOOD}\n12x\n")
    arguments = ["score", RULES, "--from", str(given), "--to", str(tmp_path / "out.csv")]
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert "E701" in err
    assert f"{given}:3:3" in err
    assert "--bad" in err
    status, out, err = run(capsys, *arguments, "--bad", bad)
    assert (status, out, err) == (1, f"hands scored: 1, rows set aside in {bad}: 1\n", "")


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["--from", "a.csv"], "E923", "--to"),
        (["--to", "a.csv"], "E923", "--from"),
        ([], "E923", "HAND"),
        (["1m", "--from", "a.csv", "--to", "b.csv"], "E978", "HAND"),
        (["--win", "1m", "--from", "a.csv", "--to", "b.csv"], "E978", "--win"),
        (["--why", "--from", "a.csv", "--to", "b.csv"], "E978", "--why"),
        (["1m", "--bad", "b.csv"], "E978", "--bad"),
        (["1m", "--threads", "2"], "E978", "--threads"),
        (["--from", "a.csv", "--to", "b.csv", "--chunk", "0"], "E924", "--chunk"),
        (["--from", "a.csv", "--to", "b.csv"], "E901", "a.csv"),
        (["--from", "a.csv", "--to", "b.csv", "--set", "没有=1"], "E908", "没有"),
    ],
)
def test_what_does_not_go_together(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: str,
    word: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capsys, "score", RULES, *arguments)
    assert (status, out) == (2, "")
    assert code in err
    assert word in err


def test_ctrl_c_is_130_and_the_same_command_goes_on(
    tmp_path: Path, rules: pyengine.Ruleset, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = write(tmp_path / "hands.csv", list(random_rows(rules, 1_000, seed=109, agreeing=True)), NAMES[1:-1])
    out = tmp_path / "out.csv"
    command = ["score", RULES, "--chunk", "10", "--from", str(given), "--to", str(out)]
    plain, blocks = progress.score_file, []

    def interrupted(*arguments: Any, **named: Any) -> Done:
        def told(now: Progress) -> None:
            blocks.append(now)
            if len(blocks) == 7:
                os.kill(os.getpid(), signal.SIGINT)

        return plain(*arguments, **{**named, "told": told, "checkpoint_seconds": 0})

    with monkeypatch.context() as patch:
        patch.setattr(progress, "score_file", interrupted)
        status, told, err = run(capsys, *command)
    assert (status, told) == (130, "")
    assert "the same command goes on from here" in err
    assert not out.exists()
    status, told, _ = run(capsys, *command)
    assert status == 0
    assert "by the run before" in told
    score_file(rules, given, tmp_path / "whole.csv")
    assert out.read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_a_bar_on_a_terminal(tmp_path: Path, rows: list[Row]) -> None:
    """On standard error, and only where that is a terminal."""
    pty = pytest.importorskip("pty")
    given = write(tmp_path / "hands.csv", rows)
    command = [sys.executable, "-m", "pyengine.cli", "--lang", "en", "score", RULES, "--chunk", "100"]
    command += ["--from", str(given), "--to", str(tmp_path / "out.csv")]
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        assert process.stdout
        shown = b""
        try:
            while data := os.read(ours, 4096):
                shown += data
        except OSError:  # Linux ends a terminal so.
            pass
        assert process.stdout.read() == b"hands scored: 1,000\n"
    os.close(ours)
    assert b"scoring" in shown
    assert b"100%" in shown
