"""The fans of a rule set as the kernel judges them: a program, and what is made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from pyengine.engine.kernel import Judged, Kernel
from pyengine.engine.program import Fact, Program, TooLarge, lower
from pyengine.engine.situation import Situation
from pyengine.language import core as c
from pyengine.language import vocabulary
from pyengine.language.diagnostics import Diagnostic, RuleError
from pyengine.language.specialise import Folder, Nowhere
from pyengine.notation.hand import Hand

if TYPE_CHECKING:
    from pyengine.engine.many import Folds
    from pyengine.engine.ruleset import Ruleset
    from pyengine.engine.table import Moment

_TOLD = frozenset(e.english for e in (*vocabulary.win_kinds(), *vocabulary.win_flags()) if e.kind == "flag")


class Compiled:
    """A program with its kernel, and tables made when they are first asked for; may be shared by threads.

    `static` is without the fans of a situation: by it a hand that waits is valued.
    """

    def __init__(self, rules: Ruleset, static: bool = False) -> None:
        self._rules, self._is_static = rules, static
        try:
            self.program: Program = lower(rules.special, static)
        except TooLarge as large:
            raise RuleError([Diagnostic("E413", large.place, large.facts)]) from None
        self.kernel = Kernel(self.program)

    def judge(self, hand: Hand, told: Situation | Moment) -> Judged:
        """The kernel's raw result for a hand in its situation."""
        fact = self._rules.fact
        if isinstance(told, Situation):
            facts = [word in told.told if is_flag else fact(each, hand, told) for each, word, is_flag in self._facts]
        else:
            facts = [fact(each, hand, told) for each in self.program.facts]
        return self.kernel.score(hand, facts, told.is_claimed)

    @cached_property
    def _facts(self) -> list[tuple[Fact, str, bool]]:
        return [(fact, fact.word, _is_told(fact)) for fact in self.program.facts]

    @cached_property
    def folds(self) -> Folds:
        """The tables that batches are looked up in."""
        from pyengine.engine.many import Folds

        return Folds(self._rules, self.kernel, self.program, waits=self._is_static)

    def nearest_shape(self, hand: Hand) -> tuple[str, int]:
        """The shape that a hand is nearest to, and its shanten for that shape."""
        distances = {name: kernel.shanten(hand) for name, kernel in self._by_shape.items()}
        name = min(distances, key=distances.__getitem__)
        return name, distances[name]

    @cached_property
    def _by_shape(self) -> dict[str, Kernel]:
        """One kernel for each shape alone."""
        return {
            name: Kernel(replace(self.program, shapes=(shape,), shape_names=(name,)))
            for name, shape in zip(self.program.shape_names, self.program.shapes, strict=True)
        }


def _is_told(fact: Fact) -> bool:
    """Whether a fact is a flag that is told with a win: it is true when it is among what was told."""
    return fact.word in _TOLD and fact.owner is None and not fact.stance and fact.count is None


def probed(rules: Ruleset, conditions: Sequence[c.Expr]) -> tuple[Program, Kernel]:
    """The program with conditions whose truth is told with each result; Nowhere where 无 is left in one."""
    folder = Folder(rules.rules, rules.values)
    folded = [folder.some(condition) for condition in conditions]
    lets = {name: expr for name, expr in folder.lets.items() if not isinstance(expr, Nowhere)}
    program = lower(replace(rules.special, lets={**lets, **rules.special.lets}), probes=folded)
    return program, Kernel(program)
