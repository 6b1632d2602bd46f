"""Hands in frames: pandas on one machine, Dask on many.

    frame = dask.dataframe.read_parquet("hands/")
    scored = pyengine.cluster.score_frame("town.rule", frame)
    scored.to_parquet("scored/")

The rule set travels to the workers as the texts of its files and its options, so they need no file of it.
Every partition is scored by itself and depends on nothing else; one that is lost is made again.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import pyengine
from pyengine.engine.codes import FIELDS
from pyengine.engine.rows import ScoredRows, score_rows
from pyengine.engine.ruleset import Ruleset
from pyengine.language.diagnostics import Diagnostic, InputError, refuse
from pyengine.tools.table import RESULTS, check_names

if TYPE_CHECKING:
    import pandas as pd

ERROR = "result_error"
Errors = Literal["raise", "mark"]


def score_frame(
    rules: Ruleset | str | os.PathLike[str],
    frame: Any,
    *,
    errors: Errors = "raise",
    threads: int = 1,
    **options: object,
) -> Any:
    """A frame of hands, of pandas or of Dask, with their results behind its columns.

    rules    a rule set, or its id or path with its options by keyword
    frame    columns `hand` (or `packed`), `melds`, `win`, `by`, `flags`, `void`, `seen`, `kong`, `stances`;
             others are carried along
    errors   "raise": the first row that is no hand is an InputError; "mark": its codes stand in the column
             `result_error`, and its results are those of no win
    threads  how many parts of a partition are scored at once

    Added are `result_win` bool, `result_total` int32, `result_points` int64 and `result_fans`, names with spaces
    between them.
    """
    if errors not in ("raise", "mark"):
        raise refuse("E936", name="errors", value=errors, values="raise mark")
    if not isinstance(rules, Ruleset):
        rules = pyengine.load(rules, **options)
    elif options:
        rules = rules.with_options(options)
    check_names([str(name) for name in frame.columns], None)
    if ERROR in frame.columns:
        raise refuse("E966", name=ERROR)
    if not hasattr(frame, "map_partitions"):
        return score_partition(frame, rules, errors, threads)
    try:
        import dask.dataframe  # noqa: F401
    except ImportError:
        raise refuse("E980") from None
    meta = score_partition(frame._meta.iloc[:0], rules, errors, threads)
    return frame.map_partitions(score_partition, rules, errors, threads, meta=meta)


def score_partition(frame: pd.DataFrame, rules: Ruleset, errors: Errors = "raise", threads: int = 1) -> pd.DataFrame:
    """A frame of pandas with the results of its rows."""
    n = len(frame)
    columns = {name: _values(frame[name]) for name in FIELDS if name in frame.columns}
    found = score_rows(rules, columns, n, threads)
    if found.wrong and errors == "raise":
        row = min(found.wrong)
        raise InputError([*found.wrong[row], Diagnostic("E981", None, {"row": frame.index[row]})])
    results: dict[str, Any] = dict(zip(RESULTS, _whole(found, n), strict=True))
    if errors == "mark":
        codes = np.full(n, "", object)
        for row, wrong in found.wrong.items():
            codes[row] = " ".join(dict.fromkeys(one.code for one in wrong))
        results[ERROR] = codes
    for name in (RESULTS[-1], ERROR):
        if name in results:
            results[name] = _texts(results[name], frame)
    return frame.assign(**results)


def _values(column: Any) -> list[Any]:
    """A column as a list, None where nothing is told; numbers that pandas holds as whole ones stay so."""
    values = column.astype(object).where(column.notna(), None).tolist()
    return [value.tolist() if isinstance(value, np.ndarray | np.generic) else value for value in values]


def _whole(found: ScoredRows, n: int) -> list[Any]:
    """Columns of all rows; a row that is none has zeros."""
    own = found.scored
    columns: list[Any] = []
    for column in (own.win, own.total, own.points):
        whole = np.zeros(n, column.dtype)
        whole[found.rows] = column
        columns.append(whole)
    fans = np.full(n, "", object)
    fans[found.rows] = [" ".join(names) for names in found.fans]
    return [*columns, fans]


def _texts(values: Any, frame: pd.DataFrame) -> Any:
    """Texts in the type that the frame has its own in; Dask has another than pandas."""
    import pandas as pd

    own = [dtype for dtype in frame.dtypes if isinstance(dtype, pd.StringDtype)]
    return pd.Series(values, index=frame.index, dtype=own[0] if own else str).array
