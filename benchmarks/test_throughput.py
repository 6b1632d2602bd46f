"""The main works under pytest-benchmark, and the gate.

    python -m pytest -o addopts= benchmarks

`make bench` runs it.  It is no part of `make test`: there no time is asserted.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path += [str(Path(__file__).parent), str(Path(__file__).parent.parent / "tests")]
import gate
import works

WORKS = {**works.references(), **works.works()}


@pytest.mark.parametrize("name", WORKS)
def test_work(benchmark: Any, name: str) -> None:
    work = WORKS[name]
    benchmark.extra_info["count"] = work.count
    benchmark(work.call)


def test_nothing_is_twice_as_slow_as_recorded() -> None:
    assert not gate.slower(gate.measured(), gate.recorded())
