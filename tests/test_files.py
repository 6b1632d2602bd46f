"""Files of hands: what comes out of one is what each row is worth, whole or not at all, whatever interrupts it."""

from __future__ import annotations

import csv
import importlib.util
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from support.tables import NAMES, RULES, Row, alone, carrying_rows, leftovers, random_rows, read, result, spoilt, write

import pyengine
from pyengine.language.diagnostics import InputError, codes, help_text
from pyengine.tools.partial import Part
from pyengine.tools.score_file import Done, score_file
from pyengine.tools.table import RESULTS

GOOD = "111333444m22266p"


@pytest.fixture(scope="module")
def rules() -> pyengine.Ruleset:
    return pyengine.load(RULES)


@pytest.fixture(scope="module")
def rows(rules: pyengine.Ruleset) -> list[Row]:
    return carrying_rows(rules)


# ---- equal to one by one ------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("source", ["csv", "jsonl", "parquet"])
def test_every_row_is_worth_what_it_is_alone(
    rules: pyengine.Ruleset, rows: list[Row], tmp_path: Path, source: str, target: str
) -> None:
    if "parquet" in (source, target):
        pytest.importorskip("pyarrow")
    given = write(tmp_path / f"hands.{source}", rows)
    done = score_file(rules, given, tmp_path / f"scored.{target}", rows=128)
    assert done == Done(1_000, 0, 0)
    assert leftovers(tmp_path) == []
    found = read(tmp_path / f"scored.{target}")
    assert len(found) == len(rows)
    for row, got in zip(rows, found, strict=True):
        hand = {name: value for name, value in row.items() if name not in ("id", "note")}
        assert result(got) == alone(rules, hand), row
        for name in NAMES:  # carried along; CSV cannot tell what is empty from what is not there
            empty = "" if "csv" in (source, target) else None
            assert (got.get(name) or empty) == (row.get(name) or empty), name


def test_columns_keep_their_order_and_jsonl_its_text(rules: pyengine.Ruleset, tmp_path: Path) -> None:
    given = tmp_path / "hands.csv"
    given.write_text(f"z,hand,a\n1.50,{GOOD},x\n", encoding="utf-8")
    score_file(rules, given, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines() == [
        "z,hand,a,result_win,result_total,result_points,result_fans",
        f"1.50,{GOOD},x,true,2,2,平胡 对对胡",
    ]
    given = tmp_path / "hands.jsonl"
    given.write_text(f'{{ "x":1.500,"hand" : "{GOOD}", "y": "\\u597d" }}\r\n', encoding="utf-8")
    score_file(rules, given, tmp_path / "out.jsonl")
    line = (tmp_path / "out.jsonl").read_text(encoding="utf-8")
    assert line.startswith(f'{{ "x":1.500,"hand" : "{GOOD}", "y": "\\u597d", "result_win": true, ')
    assert json.loads(line)["result_fans"] == ["平胡", "对对胡"]


def test_chunks_and_threads_make_no_difference(rules: pyengine.Ruleset, rows: list[Row], tmp_path: Path) -> None:
    given = write(tmp_path / "hands.csv", rows)
    wanted = None
    for chunk, threads in ((16_384, 1), (1, 1), (7, 2), (1_000, 3)):
        score_file(rules, given, tmp_path / "out.csv", rows=chunk, threads=threads)
        got = (tmp_path / "out.csv").read_bytes()
        wanted = wanted or got
        assert got == wanted


def test_types_of_jsonl_in_parquet(rules: pyengine.Ruleset, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    values = [
        ("i", 1),
        ("f", 1.5),
        ("b", True),
        ("s", "x"),
        ("n", None),
        ("mixed", 1),
        ("o", {"a": [1]}),
        ("big", 1 << 70),
    ]
    given = tmp_path / "hands.jsonl"
    first = {"hand": GOOD, **dict(values)}
    second = {"hand": GOOD, "mixed": "x", "f": 2, "late": 1 << 60}
    given.write_text(json.dumps(first) + "\n" + json.dumps(second) + "\n")
    score_file(rules, given, tmp_path / "out.parquet")
    got, later = read(tmp_path / "out.parquet")
    assert [got[name] for name, _ in values] == [1, 1.5, True, "x", None, "1", '{"a": [1]}', str(1 << 70)]
    assert (later["mixed"], later["f"], later["late"], later["i"]) == ("x", 2.0, 1 << 60, None)


def test_parquet_keeps_its_types(rules: pyengine.Ruleset, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    columns = {
        "hand": pa.array([GOOD, GOOD]).dictionary_encode(),
        "melds": pa.array([[], None], pa.list_(pa.string())),
        "seen": pa.array([{"3m": 1, "5p": None}, None], pa.struct([("3m", pa.int8()), ("5p", pa.int8())])),
        "when": pa.array([0, 1], pa.timestamp("ms")),
        "raw": pa.array([b"\0", None]),
        "small": pa.array([1, 2], pa.uint8()),
    }
    pq.write_table(pa.table(columns), tmp_path / "hands.parquet")
    score_file(rules, tmp_path / "hands.parquet", tmp_path / "out.parquet")
    given, out = pq.read_table(tmp_path / "hands.parquet"), pq.read_table(tmp_path / "out.parquet")
    assert out.select(list(columns)).equals(given)
    assert out.schema.names[-4:] == list(RESULTS)
    with pytest.raises(InputError) as error:
        score_file(rules, tmp_path / "hands.parquet", tmp_path / "out.csv")
    assert [wrong.code for wrong in error.value.diagnostics] == ["E976"]


def test_packed_columns(rules: pyengine.Ruleset, tmp_path: Path) -> None:
    import numpy as np

    counts = np.array([rules.hand(GOOD).concealed[:27]], np.uint8)
    given = tmp_path / "hands.csv"
    given.write_text(f"packed,win\n{pyengine.pack(counts)[0]},6p\n")
    score_file(rules, given, tmp_path / "out.jsonl")
    (got,) = read(tmp_path / "out.jsonl")
    assert result(got) == alone(rules, {"hand": GOOD, "win": "6p"})


# ---- bad rows -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["csv", "jsonl", "parquet"])
def test_bad_rows_are_set_aside_with_their_place(
    rules: pyengine.Ruleset, rows: list[Row], tmp_path: Path, source: str
) -> None:
    rng = random.Random(89)
    mixed = [spoilt(row, rng) if rng.random() < 0.3 else row for row in rows]
    mixed = [{**row, "id": n, "note": "x"} for n, row in enumerate(mixed)]
    mixed = [{name: v for name, v in row.items() if v != "" and not set(str(v)) & set("\0\r")} for row in mixed]
    given = write(tmp_path / f"hands.{source}", mixed)
    expected = [alone(rules, {k: v for k, v in row.items() if k not in ("id", "note")}) for row in mixed]
    bad = {n: worth for n, worth in enumerate(expected) if worth and isinstance(worth[0], str)}
    assert 50 < len(bad) < 500
    done = score_file(rules, given, tmp_path / "out.jsonl", bad=tmp_path / "bad.jsonl", rows=64)
    assert (done.rows, done.bad) == (1_000, len(bad))
    told = [json.loads(line) for line in (tmp_path / "bad.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {one["row"] - 1: tuple(error["code"] for error in one["errors"]) for one in told} == bad
    assert [one["line"] for one in told] == [one["row"] + (source == "csv") for one in told]
    good = [worth for n, worth in enumerate(expected) if n not in bad]
    assert [result(row) for row in read(tmp_path / "out.jsonl")] == good
    score_file(rules, given, tmp_path / "out.csv", bad=tmp_path / "bad.csv", rows=64, lang="zh")
    with (tmp_path / "bad.csv").open(newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert [int(one["row"]) for one in table] == [one["row"] for one in told]
    assert all("E" in one["code"] and one["message"] and one["text"] for one in table)


def test_the_first_bad_row_stops_the_run(rules: pyengine.Ruleset, tmp_path: Path) -> None:
    given = tmp_path / "hands.csv"
    given.write_text(f"id,hand\n1,{GOOD}\n\n2,111333444m2266p\n", encoding="utf-8")
    (tmp_path / "out.csv").write_text("before")
    with pytest.raises(InputError) as error:
        score_file(rules, given, tmp_path / "out.csv", rows=1)
    wrong, hint = error.value.diagnostics
    assert (wrong.code, hint.code, hint.facts["row"]) == ("E722", "E979", 2)
    assert wrong.span
    assert wrong.span.place == f"{given}:4:3"
    assert (tmp_path / "out.csv").read_text() == "before"
    assert leftovers(tmp_path) == []


CSV_ROWS = [
    ("one value too few", f"hand,a\n{GOOD}\n", "E969", 2, 1),
    ("too many", f"hand,a\n{GOOD},1,2\n", "E969", 2, 1),
    ("empty hand", f"hand,a\n{GOOD},1\n,1\n", "E970", 3, 2),
    ("text behind a quote", f'hand,a\n"{GOOD}"x,1\n', "E967", 2, 1),
    ("NUL", f"hand,a\n{GOOD},\0\n", "E967", 2, 1),
    ("huge value", f"hand,a\n{GOOD},{'x' * 140_000}\n", "E972", 2, 1),
    ("huge line", f"hand,a\n{GOOD},1\n{GOOD},{'x' * 3_000_000}\n{GOOD},1\n", "E972", 3, 2),
    ("a quote over lines", f'hand,a\n{GOOD},"1\n2"\n{GOOD[:-1]},1\n', "E702", 4, 2),
]
JSONL_ROWS = [
    ("no JSON", '{"hand": "1m"\n', "E967", 1, 1),
    ("no object", "[1]\n", "E967", 1, 1),
    ("a key twice", '{"hand": "1m", "hand": "2m"}\n', "E965", 1, 1),
    ("results already", f'{{"hand": "{GOOD}", "result_win": true}}\n', "E966", 1, 1),
    ("no hand", f'{{"hand": "{GOOD}"}}\n\n{{"hands": "1m"}}\n', "E970", 3, 2),
    ("empty object", "{}\n", "E970", 1, 1),
    ("a wrong type", '{"hand": 14}\n', "E971", 1, 1),
    ("too deep", "[" * 100_000 + "\n", "E967", 1, 1),
    ("a number of many digits", f'{{"hand": "1m", "x": {"9" * 5_000}}}\n', "E967", 1, 1),
    ("NUL in the text of a hand", '{"hand": "1m\\u0000"}\n', "E701", 1, 1),
    ("huge", f'{{"hand": "{"1" * 2_000}m"}}\n', "E705", 1, 1),
]


@pytest.mark.parametrize(
    ("suffix", "text", "code", "line", "row"),
    [
        pytest.param(suffix, *rest, id=f"{suffix} {name}")
        for suffix, cases in (("csv", CSV_ROWS), ("jsonl", JSONL_ROWS))
        for name, *rest in cases
    ],
)
def test_rows_that_cannot_be_read(
    rules: pyengine.Ruleset, tmp_path: Path, suffix: str, text: str, code: str, line: int, row: int
) -> None:
    given = tmp_path / f"hands.{suffix}"
    given.write_bytes(text.encode())
    with pytest.raises(InputError) as error:
        score_file(rules, given, tmp_path / "out.csv")
    first = error.value.diagnostics[0]
    assert first.code == code
    assert first.span
    assert first.span.place.startswith(f"{given}:{line}:")
    str(error.value)
    done = score_file(rules, given, tmp_path / "out.csv", bad=tmp_path / "bad.jsonl")
    assert done.bad == 1
    (told,) = map(json.loads, (tmp_path / "bad.jsonl").read_text(encoding="utf-8").splitlines())
    assert (told["row"], told["line"], told["errors"][0]["code"]) == (row, line, code)
    assert len(read(tmp_path / "out.csv")) == done.rows - 1


def test_rows_that_are_no_utf8(rules: pyengine.Ruleset, tmp_path: Path) -> None:
    given = tmp_path / "hands.csv"
    given.write_bytes(b"hand,a\n" + f"{GOOD},1\n".encode() + "1万,好\n".encode("gb18030") + f"{GOOD},2\n".encode())
    done = score_file(rules, given, tmp_path / "out.csv", bad=tmp_path / "bad.jsonl")
    assert done == Done(3, 1, 0)
    assert json.loads((tmp_path / "bad.jsonl").read_text(encoding="utf-8"))["errors"][0]["code"] == "E967"


# ---- files that cannot be used ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("hands.csv", "", "E973"),
        ("hands.csv", "\n\n", "E973"),
        ("hands.csv", "hands,a\n1m,2\n", "E964"),
        ("hands.csv", "hand,a,a\n", "E965"),
        ("hands.csv", "hand,packed\n", "E965"),
        ("hands.csv", "hand,result_points\n", "E966"),
        ("hands.csv", f'hand,a\n{GOOD},"1\n' + f"{GOOD},1\n" * 20, "E968"),
        ("hands.csv", 'hand,"a\n', "E968"),
        ("hands.parquet", "PAR1 but no more", "E975"),
        ("hands.txt", "1m", "E960"),
        ("hands", "1m", "E960"),
    ],
)
@pytest.mark.parametrize("bad", [None, "bad.csv"])
def test_files_that_cannot_be_used(
    rules: pyengine.Ruleset, tmp_path: Path, name: str, text: str, code: str, bad: str | None
) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    given = tmp_path / name
    given.write_text(text)
    with pytest.raises(InputError) as error:
        score_file(rules, given, tmp_path / "out.csv", bad=bad and tmp_path / bad)
    assert error.value.diagnostics[0].code == code
    assert str(error.value)
    assert not (tmp_path / "out.csv").exists()


def test_a_column_that_is_nearly_the_hand_is_suggested(rules: pyengine.Ruleset, tmp_path: Path) -> None:
    (tmp_path / "hands.csv").write_text("Hand ,a\n1m,2\n")
    with pytest.raises(InputError) as error:
        score_file(rules, tmp_path / "hands.csv", tmp_path / "out.csv")
    assert error.value.diagnostics[0].suggestions == ("Hand ",)


@pytest.mark.parametrize("source", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("target", ["csv", "jsonl", "parquet"])
def test_files_without_rows(rules: pyengine.Ruleset, tmp_path: Path, source: str, target: str) -> None:
    if "parquet" in (source, target):
        pytest.importorskip("pyarrow")
    given = write(tmp_path / f"hands.{source}", [], ("hand", "a"))
    assert score_file(rules, given, tmp_path / f"out.{target}", bad=tmp_path / "bad.csv") == Done(0, 0, 0)
    assert read(tmp_path / f"out.{target}") == []
    assert (tmp_path / "bad.csv").read_text() == "row,line,code,message,text\n"


def test_byte_order_marks_and_line_ends(rules: pyengine.Ruleset, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(f"\ufeffhand,a\r\n{GOOD},1\r\n".encode())
    (tmp_path / "a.jsonl").write_bytes(f'\ufeff{{"hand": "{GOOD}", "a": "1"}}\r\n'.encode())
    for name in ("a.csv", "a.jsonl"):
        score_file(rules, tmp_path / name, tmp_path / "out.csv")
        assert (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()[1].startswith(f"{GOOD},1,true,")


def test_one_file_may_not_be_two(rules: pyengine.Ruleset, tmp_path: Path) -> None:
    given = write(tmp_path / "hands.csv", [{"hand": GOOD}], ("hand",))
    before = given.read_bytes()
    (tmp_path / "link.csv").symlink_to(given)
    (tmp_path / "hard.csv").hardlink_to(given)
    out = tmp_path / "out.csv"
    for names in (("hands.csv", None), ("link.csv", None), ("hard.csv", None), ("out.csv", given), ("out.csv", out)):
        with pytest.raises(InputError) as error:
            score_file(rules, given, tmp_path / str(names[0]), bad=names[1])
        assert error.value.diagnostics[0].code == "E962"
    assert given.read_bytes() == before


def test_places_that_cannot_be_written_to(rules: pyengine.Ruleset, tmp_path: Path) -> None:
    given = write(tmp_path / "hands.csv", [{"hand": GOOD}], ("hand",))
    (tmp_path / "folder.csv").mkdir()
    for target, code in (("nowhere/out.csv", "E963"), ("folder.csv", "E902"), (f"{'x' * 300}.csv", "E963")):
        with pytest.raises(InputError) as error:
            score_file(rules, given, tmp_path / target)
        assert error.value.diagnostics[0].code == code
    with pytest.raises(InputError) as error:
        score_file(rules, given, tmp_path / "out.csv", bad=tmp_path / "nowhere" / "bad.csv")
    assert error.value.diagnostics[0].code == "E963"
    assert leftovers(tmp_path) == []
    with pytest.raises(InputError) as error:
        score_file(rules, tmp_path / "none.csv", tmp_path / "out.csv")
    assert error.value.diagnostics[0].code == "E901"
    if os.geteuid():
        (tmp_path / "closed").mkdir(mode=0o500)
        with pytest.raises(InputError) as error:
            score_file(rules, given, tmp_path / "closed" / "out.csv")
        assert error.value.diagnostics[0].code == "E963"


def test_two_runs_do_not_write_one_file(rules: pyengine.Ruleset, tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    given = write(tmp_path / "hands.csv", [{"hand": GOOD}], ("hand",))
    other = Part(tmp_path / "out.csv")
    with pytest.raises(InputError) as error:
        score_file(rules, given, tmp_path / "out.csv")
    assert error.value.diagnostics[0].code == "E977"
    other.close()
    assert score_file(rules, given, tmp_path / "out.csv").rows == 1


def test_without_pyarrow(tmp_path: Path) -> None:
    """CSV and JSONL do without it, Parquet says what to install."""
    write(tmp_path / "hands.csv", [{"hand": GOOD}], ("hand",))
    code = (
        "import sys\nsys.modules['pyarrow'] = None\nimport pyengine\n"
        "from pyengine.tools.score_file import score_file\n"
        f"rules = pyengine.load({RULES!r})\n"
        "score_file(rules, 'hands.csv', 'a.jsonl')\nscore_file(rules, 'a.jsonl', 'b.csv') if 0 else None\n"
        "score_file(rules, 'hands.csv', 'a.parquet')"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert "E961" in done.stderr
    assert "rulespec[files]" in done.stderr
    assert (tmp_path / "a.jsonl").exists()


def test_every_code_has_its_page() -> None:
    ours = [code for code in codes() if code.startswith(("E96", "E97", "E98"))]
    assert len(ours) == 22
    for code in ours:
        assert help_text(code, "zh") != help_text(code, "en")


def test_damaged_files_are_told_and_never_crash(rules: pyengine.Ruleset, tmp_path: Path) -> None:
    rng = random.Random(131)
    rows = [{"id": "a", **row} for row in random_rows(rules, 30, seed=137, agreeing=True)]
    formats = ["csv", "jsonl"]
    if importlib.util.find_spec("pyarrow"):
        formats.append("parquet")
    whole = {suffix: write(tmp_path / f"whole.{suffix}", rows).read_bytes() for suffix in formats}
    told: list[str] = []
    for n in range(150):
        suffix = formats[n % len(formats)]
        data = bytearray(whole[suffix])
        for _ in range(rng.choice((1, 2, 20))):
            at = rng.randrange(len(data))
            noise = bytes(rng.choice(b'",\n\r\0{}[]:019\\\xff\xe4x') for _ in range(rng.randint(0, 3)))
            data[at : at + rng.choice((0, 1, 1, 60))] = noise
        given = tmp_path / f"hands.{suffix}"
        given.write_bytes(data)
        for bad in (None, tmp_path / "bad.jsonl"):
            target = tmp_path / f"out.{rng.choice(formats)}"
            try:
                done = score_file(rules, given, target, bad=bad, rows=7)
            except InputError as error:
                told.append(str(error))
            else:
                assert len(read(target)) == done.rows - done.bad
    assert told
    assert all(told)
