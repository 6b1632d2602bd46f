"""What the plain evaluators of hands and of games have in common: numbers and truths that may be 无.

Compiled is here a function of what is looked at, a hand's reading or a moment of a game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

Seen = TypeVar("Seen")


class Unlimited(Exception):
    """无 where a number is needed."""


def number_of(compiled: Callable[[Seen], Any]) -> Callable[[Seen], int]:
    """A value that must be a number."""

    def number(seen: Seen) -> int:
        value = compiled(seen)
        if value is None:
            raise Unlimited
        return int(value)

    return number


def truth_of(operator: Literal["and", "or"], parts: Sequence[Callable[[Seen], Any]]) -> Callable[[Seen], bool]:
    """且 or 或 of some parts: a part that decides does so whatever stands beside it, 无 in arithmetic too."""
    decides = operator == "or"

    def truth(seen: Seen) -> bool:
        unlimited = False
        for part in parts:
            try:
                if bool(part(seen)) == decides:
                    return decides
            except Unlimited:
                unlimited = True
        if unlimited:
            raise Unlimited
        return not decides

    return truth
