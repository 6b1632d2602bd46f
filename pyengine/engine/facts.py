"""What a program is told about a win of which nothing is known but how it came."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyengine.engine.program import Program
from pyengine.engine.situation import alone
from pyengine.language import core as c
from pyengine.notation.hand import Hand

if TYPE_CHECKING:
    from pyengine.engine.ruleset import Ruleset

_OF_TILES = frozenset(
    """suit_count concealed_count exposed_count kong_count void_count root_count wait_count waits_left
    own_win_tiles own_win_tiles_all closed""".split()
)


def facts_alone(rules: Ruleset, program: Program, by: str, flags: frozenset[str], kong: str | None) -> list[int]:
    """The program's facts of such a win by somebody who plays alone."""
    blank = (0,) * 34
    hand = Hand(blank, (), None, by, flags, None, blank, kong)
    told = alone(hand, rules.stances)
    return [rules.fact(fact, hand, told) for fact in program.facts]


def facts_of_tiles(rules: Ruleset, program: Program) -> bool:
    """Whether some fact depends on the tiles of a hand, so that these are not its facts."""
    return any(fact.count is not None and _reads_tiles(rules.rules, fact.count) for fact in program.facts)


def _reads_tiles(rules: c.Rules, expr: c.Expr) -> bool:
    match expr:
        case c.Word():
            return expr.name in _OF_TILES
        case c.SymbolIs():
            return expr.symbol != "kong_kind"
        case c.TileIs() | c.Quantified() | c.PatternIn():
            return True
        case c.LetRef():
            return _reads_tiles(rules, rules.lets[expr.name].value)
    return any(_reads_tiles(rules, child) for child in c.children(expr))
