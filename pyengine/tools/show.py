"""Results of the commands as text for people: aligned columns, colours only on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from pyengine.language.diagnostics import Diagnostic, Lang, as_json, printable, render
from pyengine.notation import tiles
from pyengine.tools.cases import Difference, GameCase, HandCase, Outcome, WaitCase
from pyengine.tools.draw import draw, draw_reading
from pyengine.tools.texts import say

if TYPE_CHECKING:
    from pyengine.tools.testing import Run


MAX_SHOWN = 100


def _key(diagnostic: Diagnostic) -> tuple[object, ...]:
    span = diagnostic.span
    return (diagnostic.code, span.place, span.end) if span else (diagnostic.code, str(diagnostic.facts))


def _visible(text: str) -> str:
    return "\n".join(map(printable, text.split("\n")))


class Screen:
    """Where results go, in which language, and whether in colours."""

    def __init__(self, lang: Lang) -> None:
        self.lang = lang
        self.console = Console(highlight=False, markup=False, emoji=False)
        self.color = self.console.is_terminal and not self.console.no_color
        self._told: set[tuple[object, ...]] = set()

    def line(self, text: Text | str = "") -> None:
        # What a rule file says must not steer the terminal; colours are spans of a Text, or painted by diagnostics.
        if isinstance(text, Text):
            text = text.copy()
            text.plain = _visible(text.plain)
        # Rich would break lines at eighty columns where the output is piped.
        self.console.print(text, soft_wrap=True)

    def say(self, key: str, **facts: object) -> str:
        shown = {name: _visible(fact) if isinstance(fact, str) else fact for name, fact in facts.items()}
        return say(key, self.lang, **shown)

    def knows(self, found: Iterable[Diagnostic]) -> bool:
        """Whether all of these have been told."""
        return self._told.issuperset(map(_key, found))

    def diagnostics(self, found: Iterable[Diagnostic]) -> None:
        """Each once, however many cases have it, and not more than people would read."""
        new = [wrong for wrong in found if _key(wrong) not in self._told]
        self._told.update(map(_key, new))
        if new:
            self.line(Text.from_ansi(render(new[:MAX_SHOWN], self.lang, self.color)))
        if len(new) > MAX_SHOWN:
            self.line(self.say("show.more", n=len(new) - MAX_SHOWN))

    def table(self, rows: Iterable[Sequence[Text | str]], indent: int = 0) -> None:
        """Columns aligned by display width; the last one is not filled up."""
        cells = [[cell if isinstance(cell, Text) else Text(cell) for cell in row] for row in rows]
        widths = [max(cell_len(cell.plain) for cell in column) for column in zip(*cells, strict=True)]
        for row in cells:
            line = Text(" " * indent)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True)):
                last = i == len(row) - 1
                line.append_text(cell).append("" if last else " " * (width - cell_len(cell.plain) + 2))
            line.rstrip()
            self.line(line)


# ---- one hand ----------------------------------------------------------------------------------


def show_result(screen: Screen, result: Any) -> None:
    """Fans, total and points of a hand, and the reading they come from."""
    if not result.win:
        screen.line(screen.say("show.no_win", reason=result.why_not(screen.lang)))
        return
    if result.reading:
        screen.line(draw_reading(result.reading, screen.color))
    shown = [(result.display(fan.name, screen.lang), fan) for fan in result.fans]
    screen.table(([f"{name} ×{fan.count}" if fan.count > 1 else name, fan.value] for name, fan in shown), indent=2)
    if result.combos:
        names = ", ".join(result.display(name, screen.lang) for name in result.combos)
        screen.line(screen.say("show.combos", names=names))
    screen.line(screen.say("show.total", total=result.total, points=result.points))


def _times(fan: Any) -> str:
    return f"{fan.name} ×{fan.count}" if fan.count > 1 else str(fan.name)


def show_waits(screen: Screen, waits: Sequence[Any]) -> None:
    """Each wait with what it would be worth."""
    if not waits:
        screen.line(screen.say("show.no_waits"))
        return
    screen.table(
        [
            draw([tiles.parse_one(wait.tile)], screen.color),
            wait.total,
            screen.say("show.points", points=wait.points),
            " ".join(_times(fan) for fan in wait.fans),
        ]
        for wait in waits
    )


def waits_as_json(waits: Sequence[Any]) -> dict[str, Any]:
    """Waits as plain data with stable keys."""
    return {
        "ting": bool(waits),
        "best": max((wait.points for wait in waits), default=0),
        "waits": [
            {
                "tile": wait.tile,
                "points": wait.points,
                "total": wait.total,
                "fans": [{"name": fan.name, "count": fan.count, "value": fan.value} for fan in wait.fans],
            }
            for wait in waits
        ],
    }


# ---- games -------------------------------------------------------------------------------------


def show_settled(screen: Screen, id_: str, result: Any, why: bool, named: bool) -> None:
    """What each seat won or lost, or with `why` every posting."""
    if named:
        screen.line(id_)
    if why:
        screen.line(result.why(screen.lang))
        return
    rows = [[screen.say("show.seat", seat=seat), f"{delta:+}"] for seat, delta in enumerate(result.deltas)]
    rows += [[screen.say("show.horse", number=n + 1, seat=s), f"{d:+}"] for n, (s, d) in enumerate(result.horses)]
    screen.table(rows, indent=2)
    if result.next_dealer is not None:
        screen.line(screen.say("show.next_dealer", seat=result.next_dealer))


# ---- cases -------------------------------------------------------------------------------------


def show_outcome(screen: Screen, outcome: Outcome, verbose: bool = False) -> None:
    """A case that failed or could not be run; with `verbose`, any case."""
    if outcome.status in ("passed", "skipped") and not verbose:
        return
    if outcome.diagnostics and not verbose and screen.knows(outcome.diagnostics):
        return  # The same rules failed for a case before.
    style = {"passed": "green", "skipped": "yellow"}.get(outcome.status, "bold red")
    line = Text(screen.say(f"show.{outcome.status}"), style if screen.color else "")
    line.append(f"  {outcome.case.span.place}  {outcome.case.id}", "")
    if outcome.reason:
        line.append(f"  ({screen.say(f'show.{outcome.reason}')})")
    screen.line(line)
    screen.table(
        (
            [
                difference.what,
                screen.say("show.expected", value=shown(screen, difference.expected)),
                screen.say("show.actual", value=shown(screen, difference.actual)),
            ]
            for difference in outcome.differences
        ),
        indent=4,
    )
    if outcome.status == "failed" or verbose:
        _show_reading(screen, outcome)
    screen.diagnostics(outcome.diagnostics)


def _show_reading(screen: Screen, outcome: Outcome) -> None:
    result = outcome.result
    if isinstance(outcome.case, WaitCase):
        for wait in result or ():
            points = screen.say("show.points", points=wait.points)
            screen.line(" ".join(["   ", wait.tile, wait.total, points, *map(_times, wait.fans)]))
    elif isinstance(outcome.case, GameCase):
        if result is not None:
            screen.line("    " + result.why(screen.lang).replace("\n", "\n    "))
    elif result is not None and result.reading:
        reading = draw_reading(result.reading, screen.color)
        screen.line(Text(f"    {screen.say('show.reading')} ").append_text(reading))
        total = screen.say("show.total", total=result.total, points=result.points)
        no_win = screen.say("show.no_win", reason=result.why_not(screen.lang))
        fans = [f"{_times(fan)} {fan.value}" for fan in result.fans]
        screen.line("    " + ("; ".join([*fans, total]) if result.win else no_win))


def shown(screen: Screen, value: Any) -> str:
    """An expected or actual value in a line."""
    if isinstance(value, bool):
        return screen.say("show.yes" if value else "show.no")
    if isinstance(value, list):
        return " ".join(map(str, value)) or screen.say("show.nothing")
    return str(value)


def show_run(screen: Screen, run: Run, verbose: bool) -> None:
    """What is wrong in the files, the cases that failed, and the summary."""
    screen.diagnostics(run.diagnostics)
    for outcome in run.outcomes:
        show_outcome(screen, outcome, verbose)
    show_summary(screen, run.totals)


def show_summary(screen: Screen, totals: dict[str, int]) -> None:
    """`N passed, N failed, N skipped`, and what could not be run at all."""
    text = screen.say("show.summary", **totals)
    if totals["errors"]:
        text += screen.say("show.summary_errors", **totals)
    bad = totals["failed"] or totals["errors"]
    screen.line(Text(text, ("bold red" if bad else "bold green") if screen.color else ""))


def outcome_as_json(outcome: Outcome, lang: Lang) -> dict[str, Any]:
    """An outcome as plain data with stable keys."""
    case = outcome.case
    data: dict[str, Any] = {
        "file": case.span.source.name,
        "line": case.span.line,
        "id": case.id,
        "status": outcome.status,
        "differences": [_difference(difference) for difference in outcome.differences],
    }
    if outcome.reason:
        data["reason"] = outcome.reason
    if outcome.diagnostics:
        data["error"] = [as_json(diagnostic, lang) for diagnostic in outcome.diagnostics]
    if outcome.status == "failed" and isinstance(case, HandCase) and outcome.result.reading:
        data["reading"] = draw_reading(outcome.result.reading).plain
    return data


def _difference(difference: Difference) -> dict[str, Any]:
    return {"what": difference.what, "expected": difference.expected, "actual": difference.actual}
