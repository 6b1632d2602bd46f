"""Many hands played out and summed up: who wins how often, what it comes to, what a change of rules does.

Every number comes with the half-width of its 95 % confidence interval.  Two rule sets are compared hand by
hand on the same walls, so that luck cancels out of the difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pyengine.engine.simulation import Policy, play_hands, records
from pyengine.language.diagnostics import refuse

if TYPE_CHECKING:
    from pyengine.engine.ruleset import Ruleset
    from pyengine.tools.show import Screen

Z = 1.96  # of 95 %
METRICS = ("winners", "wins", "self_draws", "kongs", "drawn", "moves", "pot", "spread", "dealer", "dealer_wins")
SIZES = np.array([seats.bit_count() for seats in range(16)], np.float64)  # of sets of seats
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with the half-width of its confidence interval."""

    mean: float
    margin: float

    def as_json(self) -> dict[str, float]:
        return {"mean": self.mean, "margin": self.margin}


@dataclass
class Sums:
    """Means and variances of columns, hand after hand."""

    n: int = 0
    total: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    squares: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    def add(self, columns: NDArray[np.float64]) -> None:
        """Adds rows: one a hand."""
        if not self.n:
            self.total, self.squares = np.zeros(columns.shape[1]), np.zeros(columns.shape[1])
        self.n += len(columns)
        self.total += columns.sum(axis=0)
        self.squares += (columns**2).sum(axis=0)

    def estimate(self, column: int) -> Estimate:
        mean = self.total[column] / self.n
        return Estimate(float(mean), Z * math.sqrt(max(0.0, self.variance(column)) / self.n))

    def variance(self, column: int) -> float:
        if self.n < 2:
            return 0.0
        mean = self.total[column] / self.n
        return float(self.squares[column] - self.n * mean * mean) / (self.n - 1)


def measured(rules: Ruleset, played: NDArray[Any]) -> NDArray[np.float64]:
    """The metrics of hands, one row a hand; `pot` is the money that changed hands, `spread` the deltas' deviation."""
    players = rules.playbook.players
    deltas = played["deltas"][:, :players].astype(np.float64)
    rows = np.arange(len(played))
    dealer = played["dealer"].astype(np.int64)
    return np.stack(
        [
            SIZES[played["won"]],
            played["wins"].sum(axis=1).astype(np.float64),
            played["self_draws"].astype(np.float64),
            played["kongs"].astype(np.float64),
            played["is_drawn"].astype(np.float64),
            played["n_moves"].astype(np.float64),
            np.where(deltas > 0, deltas, 0).sum(axis=1),
            deltas.std(axis=1),
            deltas[rows, dealer],
            (played["wins"][rows, dealer] > 0).astype(np.float64),
        ],
        axis=1,
    )


@dataclass
class Simulated:
    """What hands of one rule set came to."""

    rules: Ruleset
    name: str
    metrics: Sums = field(default_factory=Sums)
    seats: Sums = field(default_factory=Sums)  # deltas of the seats, then whether each has won
    fans: NDArray[np.int64] = field(default_factory=lambda: np.zeros(64, np.int64))
    deltas: list[NDArray[np.int64]] = field(default_factory=list)  # for the plot

    def add(self, played: NDArray[Any], keep: bool) -> NDArray[np.float64]:
        rows = measured(self.rules, played)
        self.metrics.add(rows)
        players = self.rules.playbook.players
        wins = (played["wins"][:, :players] > 0).astype(np.float64)
        self.seats.add(np.concatenate([played["deltas"][:, :players].astype(np.float64), wins], axis=1))
        for n in range(len(self.rules.fan_names)):
            self.fans[n] += int(((played["fans"] >> np.uint64(n)) & np.uint64(1)).sum())
        if keep:
            self.deltas.append(played["deltas"][:, :players].copy())
        return rows

    def as_json(self) -> dict[str, Any]:
        players, n = self.rules.playbook.players, max(self.metrics.n, 1)
        return {
            "ruleset": self.name,
            "hands": self.metrics.n,
            **{name: self.metrics.estimate(i).as_json() for i, name in enumerate(METRICS)},
            "seats": [
                {
                    "seat": seat,
                    "points": self.seats.estimate(seat).as_json(),
                    "deviation": math.sqrt(self.seats.variance(seat)),
                    "wins": self.seats.estimate(players + seat).as_json(),
                }
                for seat in range(players)
            ],
            "fans": {name: int(self.fans[i]) / n for i, name in enumerate(self.rules.fan_names)},
        }


@dataclass
class Comparison:
    """Two rule sets on the same walls: `difference` is of the second minus the first, hand by hand."""

    first: Simulated
    second: Simulated | None
    difference: Sums = field(default_factory=Sums)

    def as_json(self) -> dict[str, Any]:
        data = self.first.as_json()
        if self.second is None:
            return data
        told = {name: self.difference.estimate(i).as_json() for i, name in enumerate(METRICS)}
        return {"first": data, "second": self.second.as_json(), "difference": told}


def simulate(
    first: Ruleset,
    second: Ruleset | None,
    names: tuple[str, str],
    n: int,
    policy: Policy,
    seed: int,
    progress: Progress,
    keep: bool = False,
) -> Comparison:
    """Plays n hands of one rule set, or of two on the same walls."""
    if second and (second.copies, second.playbook.players) != (first.copies, first.playbook.players):
        raise refuse("E775", None)
    result = Comparison(Simulated(first, names[0]), Simulated(second, names[1]) if second else None)
    others = play_hands(second, policy, seed, n) if second else None
    done = 0
    for played in play_hands(first, policy, seed, n):
        rows = result.first.add(played, keep)
        if others and result.second:
            result.difference.add(result.second.add(next(others), keep) - rows)
        done += len(played)
        progress(done)
    return result


def write_records(rules: Ruleset, policy: Policy, seed: int, n: int, path: Path) -> None:
    """The records of the hands, one a line."""
    import json

    try:
        with path.open("w", encoding="utf-8") as file:
            for record in records(rules, policy, seed, n):
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
    except OSError as error:
        raise refuse("E776", None, path=path, error=error.strerror or str(error)) from None


def draw_plot(result: Comparison, path: Path) -> None:
    """How the points of a seat are spread, as a picture; needs matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise refuse("E774", None) from None
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot()
    shown = [s for s in (result.first, result.second) if s]
    every = np.concatenate([np.concatenate(s.deltas).ravel() for s in shown])
    low, high = np.quantile(every, [0.002, 0.998])
    bins = np.arange(math.floor(low) - 0.5, math.ceil(high) + 1.5, max(1, (high - low) // 80))
    for number, simulated in enumerate(shown):
        deltas = np.concatenate(simulated.deltas).ravel()
        label = f"{'AB'[number]}  sd {deltas.std():.2f}" if len(shown) > 1 else f"sd {deltas.std():.2f}"
        axes.hist(deltas, bins=bins.tolist(), density=True, histtype="step", label=label)
    axes.set_xlabel("points of a seat in a hand")
    axes.set_ylabel("share of hands")
    axes.legend()
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise refuse("E776", None, path=path, error=getattr(error, "strerror", None) or str(error)) from None


def show_simulated(screen: Screen, result: Comparison) -> None:
    """A table of the metrics; of one rule set also seats and fans."""
    first, second = result.first, result.second
    if second is None:
        screen.line(screen.say("simulate.hands", name=first.name, n=first.metrics.n))
        _metrics(screen, first)
        _seats(screen, first)
        _fans(screen, first)
        return
    screen.line(screen.say("simulate.compared", first=first.name, second=second.name, n=first.metrics.n))
    rows = [["", "A", "B", "B − A"]]
    for i, name in enumerate(METRICS):
        one, other = _number(first.metrics.estimate(i)), _number(second.metrics.estimate(i))
        rows.append([screen.say(f"simulate.{name}"), one, other, _number(result.difference.estimate(i), signed=True)])
    deviations = [math.sqrt(s.seats.variance(0)) for s in (first, second)]
    change = f"{deviations[1] - deviations[0]:+.3f}"
    rows.append([screen.say("simulate.deviation"), f"{deviations[0]:.3f}", f"{deviations[1]:.3f}", change])
    screen.table(rows, indent=2)


def _number(estimate: Estimate, signed: bool = False) -> str:
    return f"{estimate.mean:+.3f} ± {estimate.margin:.3f}" if signed else f"{estimate.mean:.3f} ± {estimate.margin:.3f}"


def _metrics(screen: Screen, simulated: Simulated) -> None:
    rows = [[screen.say(f"simulate.{name}"), _number(simulated.metrics.estimate(i))] for i, name in enumerate(METRICS)]
    screen.table(rows, indent=2)


def _seats(screen: Screen, simulated: Simulated) -> None:
    players = simulated.rules.playbook.players
    screen.table(
        [
            [
                screen.say("show.seat", seat=seat),
                _number(simulated.seats.estimate(seat), signed=True),
                screen.say("simulate.sd", sd=f"{math.sqrt(simulated.seats.variance(seat)):.2f}"),
                screen.say("simulate.won", share=f"{100 * simulated.seats.estimate(players + seat).mean:.1f}"),
            ]
            for seat in range(players)
        ],
        indent=2,
    )


def _fans(screen: Screen, simulated: Simulated) -> None:
    screen.line(screen.say("simulate.fans"))
    order = np.argsort(-simulated.fans[: len(simulated.rules.fan_names)], kind="stable")
    screen.table(
        (
            [
                simulated.rules.display(simulated.rules.fan_names[i], screen.lang),
                f"{100 * simulated.fans[i] / simulated.metrics.n:.2f} %",
            ]
            for i in order
            if simulated.fans[i]
        ),
        indent=2,
    )
