"""Frames of hands: on a cluster as on one machine, and nothing is lost when a worker is killed."""

from __future__ import annotations

import os
import pickle
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.tables import Row, alone, random_rows, spoilt

import pyengine
from pyengine.language.diagnostics import InputError
from pyengine.tools.score_file import score_file

pd = pytest.importorskip("pandas")

from pyengine.cluster import score_frame, score_partition  # noqa: E402

RULES = "sichuan/xuezhan"
NAMES = ("hand", "melds", "win", "by", "flags", "void", "seen", "kong")
RESULTS = ["result_win", "result_total", "result_points", "result_fans"]


@pytest.fixture(scope="module")
def rules() -> pyengine.Ruleset:
    return pyengine.load(RULES)


@pytest.fixture(scope="module")
def rows(rules: pyengine.Ruleset) -> list[Row]:
    return list(random_rows(rules, 1_200, seed=113, agreeing=True))


def frame_of(rows: list[Row]) -> Any:
    return pd.DataFrame({"id": range(len(rows)), **{name: [row.get(name) for row in rows] for name in NAMES}})


# ---- frames of pandas -----------------------------------------------------------------------------------


def test_a_frame_is_worth_what_its_rows_are(rules: pyengine.Ruleset, rows: list[Row]) -> None:
    frame = frame_of(rows)
    scored = score_frame(rules, frame)
    assert list(scored.columns) == ["id", *NAMES, *RESULTS]
    assert scored[["id", *NAMES]].equals(frame)
    assert [str(scored[name].dtype) for name in RESULTS[:3]] == ["bool", "int32", "int64"]
    told = zip(*[scored[name].tolist() for name in RESULTS], strict=True)
    assert [(*worth, tuple(fans.split())) for *worth, fans in told] == [alone(rules, row) for row in rows]


def test_a_frame_is_a_file(rules: pyengine.Ruleset, rows: list[Row], tmp_path: Path) -> None:
    """Scored as a frame and as a file, the same values come out."""
    frame = frame_of(rows)
    frame.to_csv(tmp_path / "hands.csv", index=False)
    score_file(rules, tmp_path / "hands.csv", tmp_path / "scored.csv")
    by_file = pd.read_csv(tmp_path / "scored.csv", dtype=dict.fromkeys(NAMES, "str"), keep_default_na=False)
    scored = score_frame(rules, frame)
    for name in RESULTS:
        assert by_file[name].tolist() == scored[name].tolist()


def test_options_and_other_indices(rows: list[Row]) -> None:
    frame = frame_of(rows[:50]).set_index("id")
    frame.index = [7] * 50
    scored = score_frame(RULES, frame, 封顶="1倍")
    assert scored["result_points"].tolist() == [alone(pyengine.load(RULES, 封顶="1倍"), row)[2] for row in rows[:50]]
    assert score_frame(pyengine.load(RULES), frame, 封顶="1倍").equals(scored)


def test_rows_that_are_no_hands(rules: pyengine.Ruleset, rows: list[Row]) -> None:
    rng = random.Random(127)
    mixed = [spoilt(row, rng) if rng.random() < 0.2 else row for row in rows]
    expected = [alone(rules, row) for row in mixed]
    bad = {n: codes for n, codes in enumerate(expected) if codes and isinstance(codes[0], str)}
    assert bad
    with pytest.raises(InputError) as error:
        score_frame(rules, frame_of(mixed))
    first = min(bad)
    assert [wrong.code for wrong in error.value.diagnostics] == [*bad[first], "E981"]
    assert error.value.diagnostics[-1].facts["row"] == first
    marked = score_frame(rules, frame_of(mixed), errors="mark")
    for n, (codes, win, points) in enumerate(
        zip(marked["result_error"], marked["result_win"], marked["result_points"], strict=True)
    ):
        if n in bad:
            assert (codes.split(), win, points) == (list(dict.fromkeys(bad[n])), False, 0)
        else:
            assert (codes, win, points) == ("", expected[n][0], expected[n][2])


def test_columns_of_numbers(rules: pyengine.Ruleset) -> None:
    np = pytest.importorskip("numpy")
    hands = [rules.hand(hand).concealed[:27] for hand in ("111333444m22266p", "147m258p369s14725m")]
    frame = pd.DataFrame({"packed": pyengine.pack(np.array(hands, np.uint8)), "win": pd.array([14, None], "Int64")})
    assert score_frame(rules, frame)["result_win"].tolist() == [True, False]
    with pytest.raises(InputError) as error:  # With a gap, pandas makes fractions of whole numbers.
        score_frame(rules, frame.assign(win=[14.0, None]))
    assert error.value.diagnostics[0].code == "E971"


@pytest.mark.parametrize(
    ("columns", "code"),
    [(["a"], "E964"), (["hand", "hand"], "E965"), (["hand", "result_win"], "E966"), (["hand", "result_error"], "E966")],
)
def test_frames_that_cannot_be_scored(rules: pyengine.Ruleset, columns: list[str], code: str) -> None:
    with pytest.raises(InputError) as error:
        score_frame(rules, pd.DataFrame([["1m"] * len(columns)], columns=columns))
    assert error.value.diagnostics[0].code == code


def test_errors_come_back_from_a_worker() -> None:
    with pytest.raises(InputError) as error:
        pyengine.load(RULES).score("12x")
    again = pickle.loads(pickle.dumps(error.value))
    assert type(again) is InputError
    assert str(again) == str(error.value)


# ---- a cluster of two workers ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    pytest.importorskip("dask.dataframe")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def bytes_of(frame: Any, path: Path) -> bytes:
    frame.to_csv(path, index=False)
    return path.read_bytes()


def test_a_cluster_gives_the_same_bytes(client: Any, rules: pyengine.Ruleset, rows: list[Row], tmp_path: Path) -> None:
    import dask.dataframe as dd

    assert client
    frame = frame_of(rows)
    wanted = bytes_of(score_frame(rules, frame), tmp_path / "one.csv")
    for partitions in (1, 7):
        scored = score_frame(rules, dd.from_pandas(frame, npartitions=partitions)).compute()
        assert bytes_of(scored, tmp_path / "many.csv") == wanted
    pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    score_frame(rules, dd.from_pandas(frame, npartitions=5)).to_parquet(tmp_path / "many", write_index=False)
    parts = pd.concat([pq.read_table(path).to_pandas() for path in sorted((tmp_path / "many").glob("*.parquet"))])
    assert bytes_of(parts, tmp_path / "parquet.csv") == wanted


def test_a_rule_file_of_one_machine_travels(client: Any, rows: list[Row], tmp_path: Path) -> None:
    """The workers have no file of it."""
    import dask.dataframe as dd

    assert client
    path = tmp_path / "own.rule"
    path.write_text('规则 "家" 继承 "sichuan/xuezhan"\n番种 试 = 5番 当 花色数 = 1\n', encoding="utf-8")
    frame = frame_of(rows[:200])
    alone_ = score_frame(path, frame, 封顶="8倍")
    lazy = score_frame(path, dd.from_pandas(frame, npartitions=2), 封顶="8倍")
    path.unlink()
    scored = lazy.compute()
    assert bytes_of(scored, tmp_path / "a.csv") == bytes_of(alone_, tmp_path / "b.csv")
    assert scored["result_fans"].str.contains("试").any()


def test_a_mistake_on_a_worker_is_told(client: Any, rules: pyengine.Ruleset, rows: list[Row]) -> None:
    import dask.dataframe as dd

    assert client
    frame = frame_of([*rows[:20], {"hand": "12x"}])
    with pytest.raises(InputError) as error:
        score_frame(rules, dd.from_pandas(frame, npartitions=2)).compute()
    assert error.value.diagnostics[-1].facts["row"] == 20


def _slowly(frame: Any, rules: pyengine.Ruleset, folder: str) -> Any:
    """A partition that takes its time, and notes that it was begun."""
    if len(frame):
        Path(folder, f"{os.getpid()}-{frame.index[0]}").touch()
        time.sleep(0.3)
    return score_partition(frame, rules)


def test_a_killed_worker_loses_nothing(client: Any, rules: pyengine.Ruleset, rows: list[Row], tmp_path: Path) -> None:
    import dask.dataframe as dd

    frame = frame_of(rows)
    wanted = bytes_of(score_frame(rules, frame), tmp_path / "one.csv")
    begun = tmp_path / "begun"
    begun.mkdir()
    lazy = dd.from_pandas(frame, npartitions=12)
    meta = score_partition(lazy._meta, rules)
    future = client.compute(lazy.map_partitions(_slowly, rules, str(begun), meta=meta))
    workers = list(client.run(os.getpid).values())
    while len(list(begun.iterdir())) < 5:
        time.sleep(0.02)
    os.kill(workers[0], signal.SIGKILL)
    assert bytes_of(future.result(timeout=120), tmp_path / "many.csv") == wanted
    by_killed = {path.name for path in begun.iterdir() if path.name.startswith(f"{workers[0]}-")}
    assert by_killed, "the worker that was killed had begun nothing"
    starts = [path.name.partition("-")[2] for path in begun.iterdir()]
    assert len(starts) > len(set(starts)), "no partition was made again"
