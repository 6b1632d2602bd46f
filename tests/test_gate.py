"""The gate of the benchmarks can fail: figures in place of times."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))
import gate

RECORDED = gate.recorded()


def spoilt(name: str, times: float) -> dict[str, dict[str, float]]:
    return {work: {k: v * (times if work == name else 1) for k, v in own.items()} for work, own in RECORDED.items()}


def test_what_is_recorded_passes() -> None:
    assert RECORDED
    assert gate.slower(RECORDED, RECORDED) == []
    assert all(own for own in RECORDED.values())


@pytest.mark.parametrize("name", RECORDED)
def test_a_work_that_is_twice_as_slow_fails(name: str) -> None:
    assert [said.partition(":")[0] for said in gate.slower(spoilt(name, 2), RECORDED)] == [name]
    assert gate.slower(spoilt(name, 0.1), RECORDED) == []


def test_a_slow_reference_hides_nothing_and_blames_nobody() -> None:
    """One reference that was held up makes every ratio to it small, or that was lucky, large: the other decides."""
    held_up = {
        name: {other: ratio * (1, 0.5)[n] for n, (other, ratio) in enumerate(own.items())}
        for name, own in RECORDED.items()
    }
    assert gate.slower(held_up, RECORDED) == []
    lucky = {
        name: {other: ratio * (1, 3)[n] for n, (other, ratio) in enumerate(own.items())}
        for name, own in RECORDED.items()
    }
    assert gate.slower(lucky, RECORDED) == []


def test_a_work_that_is_not_measured_fails() -> None:
    name = next(iter(RECORDED))
    fewer = {other: own for other, own in RECORDED.items() if other != name}
    assert gate.slower(fewer, RECORDED) == gate.slower(RECORDED, fewer) == [f"{name}: not in both"]
