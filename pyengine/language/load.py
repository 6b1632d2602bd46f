"""The front door of the language: a rule file in, a resolved rule set and diagnostics out."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from pyengine.language import core as c
from pyengine.language import model as m
from pyengine.language.check import check, lint
from pyengine.language.diagnostics import MAX_FOUND, Diagnostic, InputError, RuleError, from_unreadable
from pyengine.language.inherit import find, flatten, is_shipped, meant_ids, read_chain, read_texts
from pyengine.language.resolve import resolve
from pyengine.language.source import Source, Unreadable, read


def open_source(name: str) -> tuple[Source, Path]:
    """The text of a rule set by id or path, and the folder of its file; InputError when there is none."""
    path, here = find(name, None)
    if path is None or here is None:
        suggestions = meant_ids(name)
        if not suggestions and os.path.exists(name):
            path, here = Path(name), Path(name).parent  # A folder, say: reading it tells why it cannot be read.
        else:
            raise InputError([Diagnostic("E907", None, {"name": name}, (), suggestions)])
    if path.suffix != ".rule" and path.is_file():
        raise InputError([Diagnostic("E918", None, {"path": name})])
    shown = name if path.suffix != ".rule" or str(path).endswith(name) else f"{name}.rule"
    if is_shipped(name):
        shown = f"{name}.rule"
    try:
        return read(path, shown), here
    except Unreadable as error:
        raise InputError([from_unreadable(error)]) from None


def check_source(source: Source, here: Path | None, lints: bool = True) -> tuple[c.Rules | None, list[Diagnostic]]:
    """The rule set of a text, None where there are errors, and everything found."""
    chain, diagnostics = read_chain(source, here)
    if not chain or chain[-1].source != source or _lost_base(diagnostics):
        return None, diagnostics
    return _check_chain(chain, diagnostics, lints)


def _check_chain(
    chain: list[m.RuleFile], diagnostics: list[Diagnostic], lints: bool
) -> tuple[c.Rules | None, list[Diagnostic]]:
    table, more = flatten(chain)
    diagnostics += more
    rules, more, used = resolve(table)
    diagnostics += more
    if rules is not None:
        errors = check(rules)
        diagnostics += errors
        if lints and not any(d.is_error for d in diagnostics):
            diagnostics += lint(rules, table, used)
    order = {id(file.source): number for number, file in enumerate(reversed(chain))}
    diagnostics = list({_place(d): d for d in diagnostics}.values())
    diagnostics.sort(key=lambda d: (order.get(id(d.span.source), 0), d.span.start) if d.span else (0, 0))
    del diagnostics[MAX_FOUND:]
    return (None if any(d.is_error for d in diagnostics) else rules), diagnostics


def _place(diagnostic: Diagnostic) -> tuple[object, ...]:
    span = diagnostic.span
    return (diagnostic.code, span.source.name, span.start, span.end) if span else (diagnostic.code, id(diagnostic))


def _lost_base(diagnostics: list[Diagnostic]) -> bool:
    """Whether a base could not be read: every name of it would be reported as unknown."""
    return any(d.code in ("E209", "E210", "E223", "E918") or d.code.startswith("E90") for d in diagnostics)


def load_rules(name: str) -> c.Rules:
    """The rule set of an id or path; RuleError or InputError when it cannot be used."""
    source, here = open_source(name)
    rules, diagnostics = check_source(source, here, lints=False)
    if rules is None:
        raise RuleError([d for d in diagnostics if d.is_error])
    return rules


def rules_of_texts(sources: Iterable[Source]) -> c.Rules:
    """The rule set of a whole chain of 继承 as `core.Rules.sources` has it, the root first.

    No file is looked for: the texts may come from a machine that has others.
    """
    chain, diagnostics = read_texts(sources)
    rules, diagnostics = _check_chain(chain, diagnostics, lints=False)
    if rules is None:
        raise RuleError([d for d in diagnostics if d.is_error])
    return rules
