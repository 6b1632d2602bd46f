"""What the commands of proofs need: rule sets by name, and what cannot be proved as a diagnostic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pyengine
from pyengine.engine.ruleset import Ruleset
from pyengine.engine.score import Result
from pyengine.engine.space import Unfolded
from pyengine.language import core as c
from pyengine.language.diagnostics import Diagnostic, InputError, RuleError
from pyengine.language.source import Span
from pyengine.notation.tiles import MAX_COPIES
from pyengine.tools.conditions import asks_too_much, reads_too_much
from pyengine.tools.coverage import Coverage, as_case_file, coverage, example_hands
from pyengine.tools.prove import Proof, prove
from pyengine.tools.same import Compared, function_hash
from pyengine.tools.testing import Run


def proof_of(name: str, options: Mapping[str, object], depth: int) -> Proof:
    """A rule set, by id or path and under options, proved."""
    rules = pyengine.load(name).with_options(options)
    with _told(rules):
        return prove(rules, depth)


def compared(a: str, b: str, options_a: Mapping[str, object], options_b: Mapping[str, object]) -> Compared:
    """Two rule sets on every hand."""
    left, right = pyengine.load(a).with_options(options_a), pyengine.load(b).with_options(options_b)
    with _told(left, right):
        return Compared(left, right)


def hash_of(name: str, options: Mapping[str, object]) -> str:
    """The hash of what hands are worth by a rule set."""
    rules = pyengine.load(name).with_options(options)
    with _told(rules):
        return function_hash(rules)


def coverage_of(run: Run, options: Mapping[str, object]) -> list[Coverage]:
    """What the cases of a run, and the rule files' own examples, show of each rule set."""
    found = []
    for name, outcomes in run.by_ruleset.items():
        rules = pyengine.load(name).with_options(options)
        hands = [outcome.result.hand for outcome in outcomes if isinstance(outcome.result, Result)]
        with _told(rules):
            found.append(coverage(rules, [*hands, *example_hands(rules)]))
    return found


def write_missing(covered: list[Coverage], path: Path | None) -> None:
    """Writes a case for each gap; a case file speaks of one rule set."""
    if path is None:
        return
    if len(covered) != 1:
        raise InputError([Diagnostic("E953", None, {"n": len(covered)})])
    (only,) = covered
    path.write_text(as_case_file(only.rules, only.missing), encoding="utf-8")


@contextmanager
def _told(*rules: Ruleset) -> Iterator[None]:
    try:
        yield
    except Unfolded as error:
        title = " / ".join(dict.fromkeys(r.title for r in rules))
        facts = {"title": title, "why": (f"proofs.{error.reason}",)}
        place = next((place for r in rules for place in _places(r, error.reason)), rules[0].rules.sources[-1].head)
        raise RuleError([Diagnostic("E952", place, facts)]) from None


def _places(rules: Ruleset, reason: str) -> Iterator[Span]:
    """Where a rule set has or asks what classes cannot tell for a reason (of `Unfolded`): what nothing can be proved
    with first, then fans and claims, which a proof can do without."""
    yield from (shape.span for shape in rules.special.shapes.values() if _is_odd(shape, reason))
    for english in ("may_win", "may_wait", "hand_value", "win_money"):
        let = rules.rules.let(english)
        if let and reads_too_much(rules, c.LetRef(let.span, let.name), reason):
            yield let.span
    for claim in rules.rules.claims:
        if reads_too_much(rules, claim.law, reason):
            yield claim.law.span
    yield from (rules.rules.fans[name].span for name in rules.fan_names if asks_too_much(rules, name, reason))
    for kind, place in enumerate(rules.rules.tile_places) if reason == "odd_tiles" else ():
        of_suit = rules.copies[kind - kind % 9 : kind - kind % 9 + 9]
        if place and (rules.copies[kind] != MAX_COPIES or 0 in of_suit):
            yield place


def _is_odd(shape: c.Shape, reason: str) -> bool:
    """Whether a shape cannot be taken apart suit by suit, or what it waits for cannot."""
    groups = shape.melds + shape.pairs + shape.twins
    picked = bool(shape.each_of or shape.singles)
    if reason == "unclear_waits":
        return picked or shape.when is not None
    mixed = bool(shape.twins and shape.melds + shape.pairs)
    listed = shape.each_of and not groups + shape.runs + shape.triplets
    return reason == "odd_shape" and (shape.runs + shape.triplets > 0 or mixed or (picked and not listed))
