"""Whole files of cases are run: read, their rules loaded, the outcomes counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pyengine
from pyengine.language.diagnostics import Diagnostic, Lang, as_json, from_unreadable
from pyengine.language.source import Unreadable, read
from pyengine.tools.cases import Outcome, Rules, load_cases, run_cases
from pyengine.tools.files import case_files, ruleset_of_case
from pyengine.tools.show import outcome_as_json


@dataclass
class Run:
    """What came of some files.  `broken` counts files and cases that could not even be read."""

    outcomes: list[Outcome] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    broken: int = 0
    by_ruleset: dict[str, list[Outcome]] = field(default_factory=dict)

    @cached_property
    def totals(self) -> dict[str, int]:
        status: list[str] = [outcome.status for outcome in self.outcomes]
        totals = {name: status.count(name) for name in ("passed", "failed", "skipped")}
        return {**totals, "errors": status.count("error") + self.broken}

    def as_json(self, lang: Lang) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            **self.totals,
            "cases": [outcome_as_json(outcome, lang) for outcome in self.outcomes],
            "error": [as_json(diagnostic, lang) for diagnostic in self.diagnostics],
        }


def run_files(paths: Iterable[Path], options: Mapping[str, str]) -> Run:
    """Runs every case of some files and folders; `options` are set on top of those of the cases."""
    load_once = cache(pyengine.load)  # Reading a rule file takes longer than all its cases.

    def load(ruleset: str, given: Mapping[str, str]) -> Rules:
        return load_once(ruleset).with_options(given)

    files, found = case_files(paths)
    run = Run(diagnostics=found, broken=len(found))
    for path in files:
        try:
            source = read(path)
        except Unreadable as error:
            run.diagnostics.append(from_unreadable(error))
            run.broken += 1
            continue
        cases, found = load_cases(source)
        run.diagnostics += found
        run.broken += max(cases.broken, bool(found))
        cases = replace(
            cases,
            ruleset=ruleset_of_case(cases.ruleset, path),
            cases=tuple(replace(case, options={**case.options, **options}) for case in cases.cases),
        )
        outcomes = run_cases(cases, load)
        run.outcomes += outcomes
        run.by_ruleset.setdefault(cases.ruleset, []).extend(outcomes)
    return run
