"""A rule file as frozen records: what the author wrote, names not yet looked up.

Every record carries the span it came from.  `build` makes these from the syntax tree, `resolve`
flattens 继承 and looks names up.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pyengine.language.source import Source, Span

Unit = Literal["fan", "times", "point", "base"]
UNIT_SIGNS: dict[Unit, str] = {"fan": "番", "times": "倍", "point": "分", "base": "底"}


@dataclass(frozen=True, slots=True)
class Word:
    """A name as written."""

    text: str
    span: Span


# ---- expressions -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Literal_:
    span: Span
    value: int
    unit: Unit | None = None


@dataclass(frozen=True, slots=True)
class Name:
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Of:
    """付者的飘."""

    span: Span
    owner: Word
    name: Word


@dataclass(frozen=True, slots=True)
class Call:
    span: Span
    function: Word
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Binary:
    """`operator` is one of + - * ^ = != < <= > >=."""

    span: Span
    operator: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class TileSet:
    """[123万 东]: each token as written."""

    span: Span
    tokens: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Class:
    """刻子, 边张/卡张 or [258万]: what something may be."""

    span: Span
    names: tuple[Word, ...] = ()
    tiles: TileSet | None = None


@dataclass(frozen=True, slots=True)
class Is:
    span: Span
    subject: Expr
    kind: Class
    negated: bool


@dataclass(frozen=True, slots=True)
class IsPredicate:
    """是 刻子; `partly` for 含, which some tile must fulfil."""

    span: Span
    kind: Class
    partly: bool


@dataclass(frozen=True, slots=True)
class FieldPredicate:
    """其 张数 = 4."""

    span: Span
    field: Word
    operator: str
    value: Expr


Predicate = IsPredicate | FieldPredicate


@dataclass(frozen=True, slots=True)
class Quantified:
    span: Span
    quantifier: Literal["all", "some", "count"]
    domain: Word
    predicate: Predicate | None


@dataclass(frozen=True, slots=True)
class Matches:
    """有 组 [123万 456万] 换色 移位."""

    span: Span
    domain: Word
    tiles: TileSet
    any_suit: bool
    shifted: bool


@dataclass(frozen=True, slots=True)
class CountSeats:
    span: Span
    seats: Expr


@dataclass(frozen=True, slots=True)
class Logic:
    span: Span
    operator: Literal["and", "or"]
    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Not:
    span: Span
    part: Expr


@dataclass(frozen=True, slots=True)
class If:
    span: Span
    condition: Expr
    then: Expr
    otherwise: Expr


Expr = Literal_ | Name | Of | Call | Binary | Is | Quantified | Matches | CountSeats | Logic | Not | If


# ---- declarations ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Meta:
    """据 sources, 注 notes, 译 English display name."""

    cites: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    alias: str | None = None


@dataclass(frozen=True, slots=True)
class TilesDecl:
    span: Span
    suits: tuple[Word, ...]
    ranks: tuple[int, int] | TileSet
    copies: int
    meta: Meta

    @property
    def name(self) -> Word:
        return self.suits[0]


@dataclass(frozen=True, slots=True)
class KindDecl:
    span: Span
    name: Word
    tiles: TileSet
    meta: Meta


@dataclass(frozen=True, slots=True)
class PlayDecl:
    span: Span
    name: Word
    values: tuple[Word | Literal_, ...]
    meta: Meta


@dataclass(frozen=True, slots=True)
class PermitDecl:
    span: Span
    verb: Literal["may", "ban", "must"]
    moves: tuple[Word, ...]
    when: Expr | None
    meta: Meta


@dataclass(frozen=True, slots=True)
class ValueRange:
    span: Span
    low: Literal_
    high: Literal_


@dataclass(frozen=True, slots=True)
class OptionDecl:
    """An option of the table, or with `stance` what one player declares.

    `alternatives` is None for a yes-or-no.
    """

    span: Span
    name: Word
    alternatives: tuple[Word | Literal_ | ValueRange, ...] | None
    default: Word | Literal_
    meta: Meta
    stance: bool = False


@dataclass(frozen=True, slots=True)
class SetDecl:
    span: Span
    name: Word
    value: Word | Literal_
    meta: Meta


@dataclass(frozen=True, slots=True)
class Part:
    """`count` of a part or class of tiles; None for one of each."""

    span: Span
    count: int | None
    name: Word


@dataclass(frozen=True, slots=True)
class Counted:
    """A fan, or so many of it."""

    span: Span
    count: int | None
    name: Word


@dataclass(frozen=True, slots=True)
class Per:
    """每个 牌种 其 张数 = 4."""

    span: Span
    domain: Word
    predicate: Predicate | None


@dataclass(frozen=True, slots=True)
class ShapeDecl:
    span: Span
    name: Word
    parts: tuple[Part, ...]
    when: Expr | None
    meta: Meta


@dataclass(frozen=True, slots=True)
class FanDecl:
    span: Span
    name: Word
    value: Expr
    when: Expr | None
    per: Per | None
    without: tuple[Counted, ...]
    meta: Meta


@dataclass(frozen=True, slots=True)
class PickDecl:
    span: Span
    name: Word
    fans: tuple[Word, ...]
    meta: Meta


@dataclass(frozen=True, slots=True)
class ComboDecl:
    span: Span
    name: Word
    parts: tuple[Counted, ...]
    meta: Meta


@dataclass(frozen=True, slots=True)
class LetDecl:
    span: Span
    name: Word
    value: Expr
    meta: Meta


@dataclass(frozen=True, slots=True)
class Party:
    """Who: a name or a truth per seat; `each` where several seats may be meant."""

    span: Span
    seats: Expr
    each: bool


@dataclass(frozen=True, slots=True)
class Transfer:
    """One line of a flow.  Fields that a verb has no use for are None or False."""

    span: Span
    verb: Literal["pay", "refund", "forward", "mirror"]
    party: Party
    other: Party | None = None
    amount: Expr | None = None
    fund: Word | None = None
    tag: Word | None = None
    moved: bool = False
    evenly: bool = False
    when: Expr | None = None
    meta: Meta = field(default_factory=Meta)


@dataclass(frozen=True, slots=True)
class FlowDecl:
    span: Span
    name: Word
    when: Expr | None
    transfers: tuple[Transfer, ...]
    meta: Meta = field(default_factory=Meta)


@dataclass(frozen=True, slots=True)
class OrderDecl:
    span: Span
    name: Word
    flows: tuple[Word, ...]
    meta: Meta


@dataclass(frozen=True, slots=True)
class ExampleMeld:
    span: Span
    kind: Word
    tiles: Word


@dataclass(frozen=True, slots=True)
class Setting:
    """A flag of the win, or an option with its value."""

    span: Span
    name: Word
    value: Word | Literal_ | None


@dataclass(frozen=True, slots=True)
class ExampleDecl:
    span: Span
    tiles: tuple[Word, ...]
    melds: tuple[ExampleMeld, ...]
    win: Word | None
    settings: tuple[Setting, ...]
    fans: tuple[Counted, ...]
    worth: Expr | None
    meta: Meta


@dataclass(frozen=True, slots=True)
class ClaimDecl:
    """保证: a law, named by the text that says it."""

    span: Span
    name: Word
    law: Expr
    meta: Meta


NamedDecl = (
    TilesDecl
    | KindDecl
    | PlayDecl
    | OptionDecl
    | ShapeDecl
    | FanDecl
    | PickDecl
    | ComboDecl
    | LetDecl
    | FlowDecl
    | OrderDecl
    | ClaimDecl
)


@dataclass(frozen=True, slots=True)
class Override:
    """改: takes the place of what the base has under the same name."""

    span: Span
    declaration: NamedDecl


@dataclass(frozen=True, slots=True)
class Drop:
    """删.  `kind` is the keyword of what is dropped: fan, shape, flow, kind, pick, combo, order, let, claim."""

    span: Span
    kind: str
    name: Word


Declaration = NamedDecl | PermitDecl | SetDecl | ExampleDecl | Override | Drop


@dataclass(frozen=True, slots=True)
class RuleFile:
    """One file."""

    source: Source
    span: Span
    title: str
    version: str | None
    parent: str | None
    parent_span: Span | None
    meta: Meta
    declarations: tuple[Declaration, ...]
    lost: frozenset[str] = frozenset()  # names of declarations that could not be read
