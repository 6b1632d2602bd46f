"""Has anything become twice as slow?

    python benchmarks/gate.py             compares this machine's ratios with those that are recorded
    python benchmarks/gate.py --record    measures, and writes `results/ratios.json` anew

Each work (`works.py`) is timed beside its references, in turn, and the best of many rounds counts.  A work fails when
its ratio to each of its references is above the recorded one by more than `MARGIN`.  Numbers of nanoseconds are not
looked at, so the machine may be another one; where it is of a very different kind, record its own ratios first.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from works import Work

RECORDED = Path(__file__).parent / "results" / "ratios.json"
MARGIN = 1.7
ROUNDS = 20

Ratios = Mapping[str, Mapping[str, float]]
"""By work and reference."""


def seconds(work: Work) -> float:
    """Of one of what a work does, in one call: of the processor, so that waiting for one does not count."""
    begin = time.thread_time()
    work.call()
    return (time.thread_time() - begin) / work.count


def measured(rounds: int = ROUNDS) -> dict[str, dict[str, float]]:
    """The ratios of this machine."""
    from works import references, works

    everything = {**references(), **works()}
    best = dict.fromkeys(everything, float("inf"))
    for _ in range(rounds):
        for name, work in everything.items():
            # Three times, for after the others the caches hold what they used.
            best[name] = min(best[name], *(seconds(work) for _ in range(3)))
    return {name: {other: best[name] / best[other] for other in work.against} for name, work in works().items()}


def slower(found: Ratios, recorded: Ratios, margin: float = MARGIN) -> list[str]:
    """What to say of each work that is slower than recorded, or that only one of both knows."""
    said = [f"{name}: not in both" for name in sorted(found.keys() ^ recorded.keys())]
    for name in found.keys() & recorded.keys():
        worse = {other: ratio / recorded[name][other] for other, ratio in found[name].items()}
        if min(worse.values()) > margin:
            said.append(
                f"{name}: {', '.join(f'{times:.2f} × as slow beside {other}' for other, times in worse.items())}"
            )
    return said


def machine() -> str:
    names = [line.partition(":")[2].strip() for line in _cpuinfo() if line.startswith("model name")]
    return (
        f"{names[0] if names else platform.processor() or platform.machine()}, {os.cpu_count()} cores, {sys.platform}"
    )


def _cpuinfo() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def recorded() -> dict[str, dict[str, float]]:
    ratios: dict[str, dict[str, float]] = json.loads(RECORDED.read_text(encoding="utf-8"))["ratios"]
    return ratios


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    given = parser.parse_args()
    found = measured(given.rounds)
    if given.record:
        rounded = {name: {other: float(f"{ratio:.3g}") for other, ratio in own.items()} for name, own in found.items()}
        content = {"machine": machine(), "python": platform.python_version(), "ratios": rounded}
        RECORDED.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
        return 0
    known = recorded()
    for name, own in found.items():
        beside = ", ".join(f"{ratio:.3g} × {other} ({known[name][other]:.3g})" for other, ratio in own.items())
        print(f"{name:24} {beside}")
    said = slower(found, known)
    print("\n".join(said) or f"nothing is more than {MARGIN} times as slow as recorded")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
