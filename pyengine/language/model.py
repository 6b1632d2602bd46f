"""A rule file as frozen records: what the author wrote, names not yet looked up.

Every record carries the span it came from.  `build` makes these from the syntax tree, `resolve`
flattens 继承 and looks names up.
"""

from __future__ import annotations

from typing import Literal

from pyengine.language.node import node
from pyengine.language.source import Source, Span

Unit = Literal["fan", "times", "point", "base"]
UNIT_SIGNS: dict[Unit, str] = {"fan": "番", "times": "倍", "point": "分", "base": "底"}


@node
class Word:
    """A name as written."""

    text: str
    span: Span


# ---- expressions -------------------------------------------------------------------------------


@node
class Literal_:
    span: Span
    value: int
    unit: Unit | None = None


@node
class Name:
    span: Span
    text: str


@node
class Of:
    """付者的飘."""

    span: Span
    owner: Word
    name: Word


@node
class Call:
    span: Span
    function: Word
    arguments: tuple[Expr, ...]


@node
class Binary:
    """`operator` is one of + - * ^ = != < <= > >=."""

    span: Span
    operator: str
    left: Expr
    right: Expr


@node
class TileSet:
    """[123万 东]: each token as written."""

    span: Span
    tokens: tuple[Word, ...]


@node
class Class:
    """刻子, 边张/卡张 or [258万]: what something may be."""

    span: Span
    names: tuple[Word, ...] = ()
    tiles: TileSet | None = None


@node
class Is:
    span: Span
    subject: Expr
    kind: Class
    negated: bool


@node
class IsPredicate:
    """是 刻子; `partly` for 含, which some tile must fulfil."""

    span: Span
    kind: Class
    partly: bool


@node
class FieldPredicate:
    """其 张数 = 4."""

    span: Span
    field: Word
    operator: str
    value: Expr


Predicate = IsPredicate | FieldPredicate


@node
class Quantified:
    span: Span
    quantifier: Literal["all", "some", "count"]
    domain: Word
    predicate: Predicate | None


@node
class Matches:
    """有 组 [123万 456万] 换色 移位."""

    span: Span
    domain: Word
    tiles: TileSet
    any_suit: bool
    shifted: bool


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


Expr = Literal_ | Name | Of | Call | Binary | Is | Quantified | Matches | CountSeats | Logic | Not | If


# ---- declarations ------------------------------------------------------------------------------


@node
class Meta:
    """据 sources, 注 notes, 译 English display name."""

    cites: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    alias: str | None = None


@node
class TilesDecl:
    span: Span
    suits: tuple[Word, ...]
    ranks: tuple[int, int] | TileSet
    copies: int
    meta: Meta

    @property
    def name(self) -> Word:
        return self.suits[0]


@node
class KindDecl:
    span: Span
    name: Word
    tiles: TileSet
    meta: Meta


@node
class PlayDecl:
    span: Span
    name: Word
    values: tuple[Word | Literal_, ...]
    meta: Meta


@node
class PermitDecl:
    span: Span
    verb: Literal["may", "ban", "must"]
    moves: tuple[Word, ...]
    when: Expr | None
    meta: Meta


@node
class ValueRange:
    span: Span
    low: Literal_
    high: Literal_


@node
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


@node
class SetDecl:
    span: Span
    name: Word
    value: Word | Literal_
    meta: Meta


@node
class Part:
    """`count` of a part or class of tiles; None for one of each."""

    span: Span
    count: int | None
    name: Word


@node
class Counted:
    """A fan, or so many of it."""

    span: Span
    count: int | None
    name: Word


@node
class Per:
    """每个 牌种 其 张数 = 4."""

    span: Span
    domain: Word
    predicate: Predicate | None


@node
class ShapeDecl:
    span: Span
    name: Word
    parts: tuple[Part, ...]
    when: Expr | None
    meta: Meta


@node
class FanDecl:
    span: Span
    name: Word
    value: Expr
    when: Expr | None
    per: Per | None
    without: tuple[Counted, ...]
    meta: Meta


@node
class PickDecl:
    span: Span
    name: Word
    fans: tuple[Word, ...]
    meta: Meta


@node
class ComboDecl:
    span: Span
    name: Word
    parts: tuple[Counted, ...]
    meta: Meta


@node
class LetDecl:
    span: Span
    name: Word
    value: Expr
    meta: Meta


@node
class Party:
    """Who: a name or a truth per seat; `each` where several seats may be meant."""

    span: Span
    seats: Expr
    each: bool


@node
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
    meta: Meta = Meta()


@node
class FlowDecl:
    span: Span
    name: Word
    when: Expr | None
    transfers: tuple[Transfer, ...]
    meta: Meta = Meta()


@node
class OrderDecl:
    span: Span
    name: Word
    flows: tuple[Word, ...]
    meta: Meta


@node
class ExampleMeld:
    span: Span
    kind: Word
    tiles: Word


@node
class Setting:
    """A flag of the win, or an option with its value."""

    span: Span
    name: Word
    value: Word | Literal_ | None


@node
class ExampleDecl:
    span: Span
    tiles: tuple[Word, ...]
    melds: tuple[ExampleMeld, ...]
    win: Word | None
    settings: tuple[Setting, ...]
    fans: tuple[Counted, ...]
    worth: Expr | None
    meta: Meta


@node
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


@node
class Override:
    """改: takes the place of what the base has under the same name."""

    span: Span
    declaration: NamedDecl


@node
class Drop:
    """删.  `kind` is the keyword of what is dropped: fan, shape, flow, kind, pick, combo, order, let, claim."""

    span: Span
    kind: str
    name: Word


Declaration = NamedDecl | PermitDecl | SetDecl | ExampleDecl | Override | Drop


@node
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
