"""Cases are run: what the rules say of each hand, against what the case file expects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol

from pyengine.language.diagnostics import Diagnostic, RulespecError, closest
from pyengine.language.source import Span
from pyengine.notation import tiles
from pyengine.notation.hand import Hand
from pyengine.tools.casefile import Case, CaseFile, GameCase, HandCase, WaitCase, load_cases, normal_amount
from pyengine.tools.replaying import Difference, run_record

__all__ = ["Case", "CaseFile", "Difference", "GameCase", "HandCase", "Outcome", "WaitCase", "load_cases", "run_cases"]


class Rules(Protocol):
    """What running needs of a rule set; `pyengine.Ruleset` is one."""

    @property
    def fan_names(self) -> Sequence[str]: ...
    @property
    def combos(self) -> Mapping[str, Sequence[tuple[str, int]]]: ...
    def hand(self, hand: Any, waiting: bool = False, **facts: Any) -> Hand: ...
    def score(self, hand: Any) -> Any: ...
    def waits(self, hand: Any) -> Any: ...
    def settle(self, game: Any) -> Any: ...
    def replay(self, record: Any) -> Any: ...


LoadRuleset = Callable[[str, Mapping[str, str]], Rules]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a case.  `error` is a case that could not be run; `diagnostics` tell why."""

    case: Case
    status: Literal["passed", "failed", "skipped", "error"]
    differences: tuple[Difference, ...] = ()
    result: Any = field(default=None, repr=False)
    diagnostics: tuple[Diagnostic, ...] = ()
    reason: str = ""


def run_cases(case_file: CaseFile, load_ruleset: LoadRuleset) -> list[Outcome]:
    """Runs the cases of a file in its order.

    `load_ruleset` gives the rules for an id or path and the options of a case; it is asked once
    for each set of options, and raises RulespecError for what it does not know.
    """
    loaded: dict[tuple[tuple[str, str], ...], Rules | RulespecError] = {}
    outcomes = []
    for case in case_file.cases:
        options = tuple(sorted(case.options.items()))
        if options not in loaded:
            try:
                loaded[options] = load_ruleset(case_file.ruleset, case.options)
            except RulespecError as error:
                loaded[options] = error
        outcomes.append(_run(case, loaded[options]))
    return outcomes


def _run(case: Case, rules: Rules | RulespecError) -> Outcome:
    if isinstance(rules, RulespecError):
        return Outcome(case, "error", diagnostics=tuple(placed(rules.diagnostics, case.spans)))
    try:
        if isinstance(case, HandCase):
            unknown = _unknown_fans(case, rules)
            if unknown:
                return Outcome(case, "error", diagnostics=tuple(unknown))
            result = rules.score(_hand(case, rules))
            differences = _compare_hand(case, rules, result)
        elif isinstance(case, GameCase) and case.game.record is not None:
            result, differences = run_record(case.game.record, case.game.expect, rules)
            differences += _compare_game(case, result) if result else []
        elif isinstance(case, GameCase):
            result = rules.settle(case.game)
            differences = _compare_game(case, result)
        else:
            result = tuple(rules.waits(_hand(case, rules)))
            differences = _compare_waits(case, result)
    except RulespecError as error:
        return Outcome(case, "error", diagnostics=tuple(placed(error.diagnostics, case.spans)))
    return Outcome(case, "failed" if differences else "passed", tuple(differences), result)


def _hand(case: HandCase | WaitCase, rules: Rules) -> Hand:
    facts: dict[str, Any] = {}
    if isinstance(case, HandCase):
        facts = {"win": case.win, "by": case.by, "flags": case.flags, "kong": case.kong}
    return rules.hand(
        case.hand,
        waiting=not isinstance(case, HandCase),
        melds=case.melds,
        void=case.void,
        seen=case.seen,
        stances=case.stances,
        spans=case.spans,
        **facts,
    )


def placed(diagnostics: Iterable[Diagnostic], spans: Mapping[str, Span]) -> Iterable[Diagnostic]:
    """Diagnostics of an option or a rule set that has no place in a file, at the entry that names it."""
    for diagnostic in diagnostics:
        if diagnostic.span and Path(diagnostic.span.source.name).suffix:
            yield diagnostic  # It has a place in a file.
            continue
        told = {str(value) for value in diagnostic.facts.values()}
        names = [name.removeprefix("set.") for name in spans if name.startswith("set.") and not name.endswith("=")]
        named = [name for name in names if name in told]
        place = f"set.{named[0]}" if named else "ruleset"
        if named and "value" in diagnostic.facts:
            place += "="
        yield replace(diagnostic, span=spans.get(place))


# ---- comparing ---------------------------------------------------------------------------------


def _unknown_fans(case: HandCase, rules: Rules) -> list[Diagnostic]:
    """Names in the expectation that are no fan and no combination of the rules."""
    known = [*rules.fan_names, *rules.combos]
    expect = case.expect
    return [
        Diagnostic("E835", case.spans[f"expect.{key}"], {"name": name}, (), closest(name, known))
        for key, names in (
            ("fans", expect.fans or ()),
            ("fans_include", expect.fans_include),
            ("fans_exclude", expect.fans_exclude),
        )
        for name in names
        if name not in known
    ]


def _parts(names: Iterable[str], rules: Rules) -> Counter[str]:
    """Fans with their counts; the name of a combination stands for its parts."""
    found: Counter[str] = Counter()
    for name in names:
        if name in rules.fan_names:
            found[name] += 1
        else:
            for part, count in rules.combos[name]:
                found[part] += count
    return found


def _compare_hand(case: HandCase, rules: Rules, result: Any) -> list[Difference]:
    expect = case.expect
    found: list[Difference] = []
    fans = Counter({fan.name: fan.count for fan in result.fans})
    names = list(fans.elements())
    if expect.win is not None and expect.win != result.win:
        found.append(Difference("win", expect.win, result.win))
    if expect.fans is not None and _parts(expect.fans, rules) != fans:
        found.append(Difference("fans", list(expect.fans), names))
    missing = [name for name in expect.fans_include if _parts([name], rules) - fans]
    repeated = _parts(expect.fans_include, rules) - fans
    if missing or repeated:
        found.append(Difference("fans_include", list(expect.fans_include), names))
    present = [name for name in expect.fans_exclude if not _parts([name], rules) - fans]
    if present:
        found.append(Difference("fans_exclude", present, names))
    if expect.total is not None and expect.total != (normal_amount(result.total) or result.total):
        found.append(Difference("total", expect.total, result.total))
    if expect.points is not None and expect.points != result.points:
        found.append(Difference("points", expect.points, result.points))
    return found


def _compare_waits(case: WaitCase, waits: Sequence[Any]) -> list[Difference]:
    expect = case.expect
    found: list[Difference] = []
    kinds = {tiles.parse_one(wait.tile) for wait in waits}
    best = max((wait.points for wait in waits), default=0)
    if expect.ting is not None and expect.ting != bool(waits):
        found.append(Difference("ting", expect.ting, bool(waits)))
    if expect.waits is not None and expect.waits != kinds:
        found.append(Difference("waits", _names(expect.waits), _names(kinds)))
    if expect.best is not None and expect.best != best:
        found.append(Difference("best", expect.best, best))
    return found


def _compare_game(case: GameCase, result: Any) -> list[Difference]:
    expect = case.game.expect
    pairs = (
        ("deltas", expect.deltas, result.deltas),
        ("next_dealer", expect.next_dealer, result.next_dealer),
        ("horses", expect.horses, result.horses),
    )
    return [
        Difference(what, _plain(wanted), _plain(actual))
        for what, wanted, actual in pairs
        if wanted is not None and wanted != actual
    ]


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _names(kinds: Iterable[int]) -> list[str]:
    return [tiles.NAMES[kind] for kind in sorted(kinds)]
