"""A resolved rule set: every name looked up, every type and unit checked, 继承 flattened.

This is what the evaluator reads and the program is made from.  Words of the language are meant by
their English names here (`Entry.english`); names that a file declares are kept as written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from pyengine.language.model import ClaimDecl, ExampleDecl, Meta, PermitDecl, Unit
from pyengine.language.node import node
from pyengine.language.source import Source, Span

UNITS: tuple[Unit, ...] = ("fan", "times", "point", "base")

TOLD = ("win_money", "hand_value", "pig")
"""Reserved lets that are told with a game, or worked out from a hand before a flow is run."""

OptionValue = int | bool | str | None
"""A value of an option: a number, a yes or no, a symbol as spelled in the file, or None for 无."""


# ---- expressions ---------------------------------------------------------------------------------


@node
class Number:
    span: Span
    value: int


@node
class Truth:
    span: Span
    value: bool


@node
class Nothing:
    """无, which an option was set to: no limit.  Only `specialise` makes it."""

    span: Span
    option: str


@node
class Word:
    """A built-in truth or number of the hand, the win, a seat or the table."""

    span: Span
    name: str
    is_truth: bool
    owner: str | None = None  # the role whose it is, where the file says so


@node
class OptionRef:
    span: Span
    name: str


@node
class StanceRef:
    span: Span
    name: str
    owner: str | None = None


@node
class LetRef:
    span: Span
    name: str
    owner: str | None = None


@node
class Arithmetic:
    span: Span
    operator: Literal["+", "-", "*", "^"]
    left: Expr
    right: Expr


@node
class Extremum:
    span: Span
    function: Literal["min", "max"]
    arguments: tuple[Expr, ...]


@node
class Compare:
    span: Span
    operator: Literal["=", "!=", "<", "<=", ">", ">="]
    left: Expr
    right: Expr


@node
class OptionIs:
    """An option has one of some values; `values` holds symbols, truths or None for 无."""

    span: Span
    name: str
    values: tuple[OptionValue, ...]
    negated: bool


@node
class SymbolIs:
    """A built-in symbol (wait_kind, kong_kind, from_seat, win_shape) is one of some values.

    `values` are English names, but for win_shape names of shapes.
    """

    span: Span
    symbol: str
    values: tuple[str, ...]
    negated: bool


@node
class TileClass:
    """Which tiles: a set of kinds, and words whose tiles depend on the seat (void_tile, drawn_tile)."""

    kinds: frozenset[int]
    words: frozenset[str] = frozenset()


@node
class TileIs:
    """A built-in tile (win_tile, this_tile) is of a class."""

    span: Span
    tile: str
    tiles: TileClass
    negated: bool


@node
class GroupTest:
    """A group is of one of the types, or made of the tiles: of them alone, or `partly`."""

    types: frozenset[str]
    tiles: TileClass
    partly: bool


@node
class TileTest:
    """A tile, kind or suit is of a class."""

    tiles: TileClass


@node
class CopiesTest:
    """Copies of a kind (field copies or unkonged) compare with a number."""

    field: str
    operator: Literal["=", "!=", "<", "<=", ">", ">="]
    value: Expr


Test = GroupTest | TileTest | CopiesTest


@node
class Quantified:
    """All, some or how many members of a domain pass a test; no test is passed by all."""

    span: Span
    quantifier: Literal["all", "some", "count"]
    domain: str
    test: Test | None


@node
class PatternIn:
    """Some alternative is there: groups of type run, triplet, kong or pair with their lowest kind."""

    span: Span
    domain: str
    alternatives: tuple[tuple[tuple[str, int], ...], ...]


@node
class CountSeats:
    span: Span
    seats: Expr


@node
class Logic:
    span: Span
    operator: Literal["and", "or"]
    parts: tuple[Expr, ...]


@node
class Not:
    span: Span
    part: Expr


@node
class If:
    span: Span
    condition: Expr
    then: Expr
    otherwise: Expr


Expr = (
    Number
    | Truth
    | Nothing
    | Word
    | OptionRef
    | StanceRef
    | LetRef
    | Arithmetic
    | Extremum
    | Compare
    | OptionIs
    | SymbolIs
    | TileIs
    | Quantified
    | PatternIn
    | CountSeats
    | Logic
    | Not
    | If
)


def children(expr: Expr) -> tuple[Expr, ...]:
    """The expressions that an expression is made of."""
    match expr:
        case Arithmetic() | Compare():
            return (expr.left, expr.right)
        case Extremum():
            return expr.arguments
        case Quantified(test=CopiesTest() as test):
            return (test.value,)
        case CountSeats():
            return (expr.seats,)
        case Logic():
            return expr.parts
        case Not():
            return (expr.part,)
        case If():
            return (expr.condition, expr.then, expr.otherwise)
    return ()


def walk(expr: Expr) -> Iterator[Expr]:
    """An expression and everything in it, the names of lets not followed."""
    yield expr
    for child in children(expr):
        yield from walk(child)


# ---- declarations -------------------------------------------------------------------------------


@node
class Range:
    low: int
    high: int


@node
class Option:
    """An option of the table, or a stance of a player."""

    name: str
    span: Span
    alternatives: tuple[Range | bool | str | None, ...]
    value: OptionValue
    unit: Unit | None
    meta: Meta

    @property
    def is_truth(self) -> bool:
        """Whether it is a yes-or-no."""
        return True in self.alternatives

    def admits(self, value: OptionValue) -> bool:
        """Whether a value is one of the alternatives."""
        for alternative in self.alternatives:
            if isinstance(alternative, Range):
                if type(value) is int and alternative.low <= value <= alternative.high:
                    return True
            elif type(value) is type(alternative) and value == alternative:
                return True
        return False


@node
class Let:
    name: str
    span: Span
    value: Expr
    type: Literal["number", "truth", "fund", "account"]
    unit: Unit | None  # of a number that may be a fan's value
    meta: Meta


@node
class Single:
    """`count` tiles of a class."""

    count: int
    kinds: frozenset[int]


@node
class Shape:
    name: str
    span: Span
    melds: int
    runs: int
    triplets: int
    pairs: int
    twins: int
    each_of: tuple[frozenset[int], ...]
    singles: tuple[Single, ...]
    when: Expr | None
    meta: Meta


@node
class Absorbed:
    """`count` None takes all of the fan."""

    fan: str
    count: int | None
    span: Span


@node
class Fan:
    name: str
    span: Span
    value: Expr
    unit: Unit
    is_limit: bool  # its value is the reserved 满
    when: Expr | None
    per: Quantified | None
    without: tuple[Absorbed, ...]
    late: bool  # reads 无他番
    situational: bool
    meta: Meta


@node
class Pick:
    name: str
    span: Span
    fans: tuple[str, ...]
    meta: Meta


@node
class Combo:
    name: str
    span: Span
    parts: tuple[tuple[str, int], ...]
    meta: Meta


@node
class Party:
    """`seats` is a truth per seat; `account` names horses or the outside account instead."""

    span: Span
    seats: Expr | None
    account: str | None
    each: bool


@node
class Fund:
    """Which money: the konger's latest kong, or all postings with a tag; chosen by conditions in turn."""

    span: Span
    choices: tuple[tuple[Expr | None, str | None], ...]  # (condition or None for otherwise, tag or None for this kong)


@node
class Transfer:
    span: Span
    verb: Literal["pay", "refund", "forward", "mirror"]
    party: Party
    other: Party | None
    amount: Expr | None
    fund: Fund | None
    tag: str | None
    moved: bool
    evenly: bool
    when: Expr | None
    meta: Meta


def read_by(line: Transfer) -> Iterator[Expr]:
    """What a line reads when its condition holds."""
    for party in (line.party, line.other):
        if party and party.seats:
            yield party.seats
    if line.amount:
        yield line.amount
    for condition, _ in line.fund.choices if line.fund else ():
        if condition:
            yield condition


@node
class Flow:
    name: str
    span: Span
    when: Expr | None
    transfers: tuple[Transfer, ...]


@node
class Order:
    event: str
    span: Span
    flows: tuple[str, ...]


@node
class Permit:
    declaration: PermitDecl
    moves: tuple[str, ...]
    when: Expr | None


@node
class Claim:
    declaration: ClaimDecl
    law: Expr


@node
class Example:
    """`worth` is a total in a unit, or without one what one payer pays."""

    declaration: ExampleDecl
    worth: Expr | None
    unit: Unit | None


@node
class Rules:
    """A rule set with nothing left to look up.  Mappings keep the order of the file."""

    title: str
    version: str | None
    meta: Meta
    sources: tuple[Source, ...]  # the root of 继承 first
    copies: tuple[int, ...]  # of each of the 34 kinds
    tile_places: tuple[Span | None, ...]  # where each of the 34 kinds is declared
    play: Mapping[str, tuple[str | int, ...]]  # English key to values
    kinds: Mapping[str, frozenset[int]]
    options: Mapping[str, Option]
    stances: Mapping[str, Option]
    lets: Mapping[str, Let]
    shapes: Mapping[str, Shape]
    fans: Mapping[str, Fan]
    picks: Mapping[str, Pick]
    combos: Mapping[str, Combo]
    flows: Mapping[str, Flow]
    orders: Mapping[str, Order]
    permits: tuple[Permit, ...]
    examples: tuple[Example, ...]  # of the last file only: they speak of its values
    claims: tuple[Claim, ...]
    reserved: Mapping[str, str]  # English name of a reserved let to the name it has in `lets`

    @property
    def hand_size(self) -> int | None:
        """Tiles of a waiting hand; None where the file does not say."""
        values = self.play.get("hand_size")
        return values[0] if values and isinstance(values[0], int) else None

    @property
    def is_playable(self) -> bool:
        """Whether hands can be scored by it; a common parent may leave parts to its heirs."""
        return bool(self.hand_size and self.shapes and "win_money" in self.reserved)

    @property
    def told(self) -> frozenset[str]:
        """The lets that a game tells: a flow reads what stands there, not what the file works out."""
        return frozenset(self.reserved[name] for name in TOLD if name in self.reserved)

    def let(self, english: str) -> Let | None:
        """A reserved let by its English name."""
        name = self.reserved.get(english)
        return self.lets[name] if name else None
