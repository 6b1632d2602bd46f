"""What the commands of proofs need: rule sets by name, and what cannot be proved as a diagnostic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pyengine
from pyengine.engine.ruleset import Ruleset
from pyengine.engine.space import Unfolded
from pyengine.language.diagnostics import Diagnostic, RuleError
from pyengine.tools.prove import Proof, prove
from pyengine.tools.same import Compared, function_hash


def proof_of(name: str, options: Mapping[str, object]) -> Proof:
    """A rule set, by id or path and under options, proved."""
    rules = pyengine.load(name).with_options(options)
    with _told(rules):
        return prove(rules)


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


@contextmanager
def _told(*rules: Ruleset) -> Iterator[None]:
    try:
        yield
    except Unfolded as error:
        title = " / ".join(dict.fromkeys(r.title for r in rules))
        facts = {"title": title, "why": (f"proofs.{error.reason}",)}
        raise RuleError([Diagnostic("E952", rules[0].rules.sources[-1].head, facts)]) from None
