"""The short way for the most common question: a closed hand in the compact notation, won without flags.

The text goes to the kernel as it is.  Whatever is not quite so plain, or wrong, is None here and takes the
long way, which also says what is wrong.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from pyengine.engine.facts import facts_alone, facts_of_tiles
from pyengine.engine.kernel import NONE, Kernel, facts_of, points_of_text
from pyengine.engine.program import Program
from pyengine.engine.score import Result
from pyengine.notation.tiles import NAMES

if TYPE_CHECKING:
    from pyengine.engine.ruleset import Ruleset

_WIN: dict[object, int] = {None: NONE} | {name: kind for kind, name in enumerate(NAMES)}
_VOID: dict[object, int] = {None: NONE, "m": 0, "p": 1, "s": 2, "万": 0, "筒": 1, "条": 2}
_BY: dict[object, int] = {"自摸": 0, "点炮": 1}  # MJ_BY_OWN_DRAW, MJ_BY_DISCARD


class PlainHands:
    """Plain hands under a rule set."""

    def __init__(self, rules: Ruleset, kernel: Kernel, program: Program) -> None:
        self._rules = rules
        self._score = kernel.score_text
        self._facts: dict[object, Any] = {}
        if not facts_of_tiles(rules, program):
            self._facts = {by: facts_of(facts_alone(rules, program, str(by), frozenset(), None)) for by in _BY}

    @cached_property
    def _folds(self) -> Any:
        return self._rules.tables_for_one()

    def score(self, hand: str, win: object, by: str, void: object) -> Result | None:
        """What the hand is worth."""
        try:
            win_tile, void_suit, facts, text = _WIN[win], _VOID[void], self._facts[by], hand.encode()
        except (KeyError, TypeError, UnicodeEncodeError):  # something else, or that is not text
            return None
        told = self._score(text, win_tile, void_suit, by == "点炮", facts)
        return Result(self._rules, (hand, win, by, void), told) if told else None

    def points(self, hand: str, win: object, by: str) -> int:
        """What one payer pays; below 0 where the long way must be taken."""
        try:
            win_tile, how, text = _WIN[win], _BY[by], hand.encode()
        except (KeyError, TypeError, UnicodeEncodeError):
            return -1
        return points_of_text(self._folds, text, win_tile, how)
