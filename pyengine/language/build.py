"""From the syntax tree to the model: one function per rule of the grammar, nothing looked up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, cast

from lark import Token, Tree

from pyengine.language import model as m
from pyengine.language.diagnostics import Diagnostic
from pyengine.language.source import Source, Span

Node = Tree[Token] | Token | None

_UNITS: dict[str, m.Unit] = {
    **{"番": "fan", "fan": "fan", "倍": "times", "x": "times"},
    **{"分": "point", "颗": "point", "pt": "point", "底": "base", "base": "base"},
}
_OPERATORS = {"≤": "<=", "≥": ">=", "≠": "!="}
_ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "pow": "^"}
MAX_NUMBER = 10**9
MAX_COUNT = 99  # of one fan; no hand has so many tiles


def build(tree: Tree[Token], source: Source) -> tuple[m.RuleFile, list[Diagnostic]]:
    """The model of a parsed file, and what the grammar could not say is wrong with it."""
    builder = _Builder(source)
    return builder.file(tree), builder.diagnostics


class _Builder:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.diagnostics: list[Diagnostic] = []

    # ---- small pieces ----

    def span(self, node: Tree[Token] | Token) -> Span:
        if isinstance(node, Token):
            start, end = node.start_pos, node.end_pos
        else:
            # An empty rule has no place of its own; nothing asks for the span of one.
            start, end = getattr(node.meta, "start_pos", 0), getattr(node.meta, "end_pos", 0)
        assert start is not None and end is not None
        return Span(self.source, start, end)

    def word(self, node: Node) -> m.Word:
        assert isinstance(node, Token)
        return m.Word(str(node), self.span(node))

    def string(self, node: Node) -> str:
        assert isinstance(node, Token)
        return self.span(node).text[1:-1]

    def quoted(self, node: Node) -> m.Word:
        """A name in quotation marks."""
        assert isinstance(node, Token)
        return m.Word(self.string(node), self.span(node))

    def integer(self, node: Token, digits: str) -> int:
        """A number, held within what amounts can be; one beyond that is an error of its own."""
        if len(digits) > 10 or int(digits) > MAX_NUMBER:
            self.diagnostics.append(Diagnostic("E110", self.span(node), {"limit": MAX_NUMBER}))
            return MAX_NUMBER
        return int(digits)

    def literal(self, tree: Tree[Token]) -> m.Literal_:
        token = cast(Token, tree.children[0])
        text = str(token)
        digits = text.rstrip("".join(_UNITS))
        unit = _UNITS[text[len(digits) :]] if len(digits) < len(text) else None
        return m.Literal_(self.span(token), self.integer(token, digits), unit)

    def value(self, node: Node) -> m.Word | m.Literal_:
        """A value of an option or of 打法."""
        assert isinstance(node, Tree)
        return self.word(node.children[0]) if node.data == "name" else self.literal(node)

    def tileset(self, tree: Tree[Token]) -> m.TileSet:
        return m.TileSet(self.span(tree), tuple(self.word(token) for token in tree.children))

    def meta(self, children: Iterable[Node]) -> m.Meta:
        cites: list[str] = []
        notes: list[str] = []
        alias: str | None = None
        for child in children:
            if isinstance(child, Tree) and child.data in ("cite", "note", "alias"):
                text = self.string(child.children[0])
                if child.data == "cite":
                    cites.append(text)
                elif child.data == "note":
                    notes.append(text)
                elif alias is not None:
                    self.diagnostics.append(Diagnostic("E111", self.span(child), {"clause": ("keyword.译",)}))
                else:
                    alias = text
        return m.Meta(tuple(cites), tuple(notes), alias)

    def counted(self, tree: Tree[Token]) -> m.Counted:
        count, name = tree.children
        number = self.integer(count, str(count)) if isinstance(count, Token) else None
        if number == 0:
            self.diagnostics.append(Diagnostic("E112", self.span(tree)))
        if number and number > MAX_COUNT:
            self.diagnostics.append(Diagnostic("E134", self.span(tree), {"limit": MAX_COUNT}))
        return m.Counted(self.span(tree), number, self.word(name))

    def trees(self, tree: Tree[Token], *names: str) -> list[Tree[Token]]:
        return [child for child in tree.children if isinstance(child, Tree) and child.data in names]

    def words(self, tree: Tree[Token], kind: str = "NAME") -> tuple[m.Word, ...]:
        return tuple(self.word(c) for c in tree.children if isinstance(c, Token) and c.type == kind)

    def single(self, tree: Tree[Token], name: str, keyword: str) -> Tree[Token] | None:
        """The one clause of a name; a second one is an error."""
        found = self.trees(tree, name)
        for extra in found[1:]:
            self.diagnostics.append(Diagnostic("E111", self.span(extra), {"clause": (f"keyword.{keyword}",)}))
        return found[0] if found else None

    def when(self, tree: Tree[Token]) -> m.Expr | None:
        clause = self.single(tree, "when", "当")
        return self.expression(clause.children[0]) if clause else None

    # ---- the file ----

    def file(self, tree: Tree[Token]) -> m.RuleFile:
        head = cast(Tree[Token], tree.children[0])
        title, version, parent = head.children[:3]
        declarations = [self.declaration(cast(Tree[Token], child)) for child in tree.children[1:]]
        return m.RuleFile(
            self.source,
            self.span(head),
            self.string(title),
            str(version) if version is not None else None,
            self.string(parent) if parent is not None else None,
            self.span(parent) if isinstance(parent, Token) else None,
            self.meta(head.children),
            tuple(declarations),
        )

    def declaration(self, tree: Tree[Token]) -> m.Declaration:
        method = cast(Callable[[Tree[Token]], m.Declaration], getattr(self, f"_{tree.data}"))
        return method(tree)

    def _tiles(self, tree: Tree[Token]) -> m.TilesDecl:
        suits = self.words(tree)
        what = self.trees(tree, "span", "tileset")[0]
        ranks: tuple[int, int] | m.TileSet
        if what.data == "span":
            low, high = (self.integer(cast(Token, t), str(t)) for t in what.children)
            ranks = (low, high)
        else:
            ranks = self.tileset(what)
        copies = next(c for c in tree.children if isinstance(c, Token) and c.type == "INT")
        return m.TilesDecl(self.span(tree), suits, ranks, self.integer(copies, str(copies)), self.meta(tree.children))

    def _kind(self, tree: Tree[Token]) -> m.KindDecl:
        name, tiles = tree.children[:2]
        return m.KindDecl(
            self.span(tree), self.word(name), self.tileset(cast(Tree[Token], tiles)), self.meta(tree.children)
        )

    def _play(self, tree: Tree[Token]) -> m.PlayDecl:
        values = tuple(self.value(child) for child in self.trees(tree, "name", "number", "amount"))
        return m.PlayDecl(self.span(tree), self.word(tree.children[0]), values, self.meta(tree.children))

    def _permit(self, tree: Tree[Token]) -> m.PermitDecl:
        words = self.words(tree)
        condition = [c for c in tree.children[len(words) :] if isinstance(c, Tree) and not _is_meta(c)]
        return m.PermitDecl(
            self.span(tree),
            cast(Literal["may", "ban", "must"], str(tree.data)),
            words,
            self.expression(condition[0]) if condition else None,
            self.meta(tree.children),
        )

    _may = _ban = _must = _permit

    def _option(self, tree: Tree[Token]) -> m.OptionDecl:
        name, type_, default = tree.children[:3]
        assert isinstance(type_, Tree)
        alternatives: tuple[m.Word | m.Literal_ | m.ValueRange, ...] | None = None
        if type_.data == "choice":
            alternatives = tuple(self.alternative(cast(Tree[Token], child)) for child in type_.children)
        return m.OptionDecl(
            self.span(tree),
            self.word(name),
            alternatives,
            self.value(default),
            self.meta(tree.children),
            stance=tree.data == "stance",
        )

    _stance = _option

    def alternative(self, tree: Tree[Token]) -> m.Word | m.Literal_ | m.ValueRange:
        if tree.data != "range":
            return self.value(tree)
        low, high = (self.value(child) for child in tree.children)
        for end in (low, high):
            if isinstance(end, m.Word):
                self.diagnostics.append(Diagnostic("E113", end.span))
        # A mistaken end is taken as far away as can be, so that it is reported once.
        if isinstance(low, m.Word):
            low = m.Literal_(low.span, 0, None if isinstance(high, m.Word) else high.unit)
        if isinstance(high, m.Word):
            high = m.Literal_(high.span, MAX_NUMBER, low.unit)
        return m.ValueRange(self.span(tree), low, high)

    def _set(self, tree: Tree[Token]) -> m.SetDecl:
        name, value = tree.children[:2]
        return m.SetDecl(self.span(tree), self.word(name), self.value(value), self.meta(tree.children))

    def _shape(self, tree: Tree[Token]) -> m.ShapeDecl:
        parts = tuple(self.part(child) for child in self.trees(tree, "part", "each_of"))
        for clause in self.trees(tree, "per", "without"):
            keyword = "每个" if clause.data == "per" else "不计"
            self.diagnostics.append(Diagnostic("E114", self.span(clause), {"clause": (f"keyword.{keyword}",)}))
        return m.ShapeDecl(
            self.span(tree), self.word(tree.children[0]), parts, self.when(tree), self.meta(tree.children)
        )

    def part(self, tree: Tree[Token]) -> m.Part:
        if tree.data == "each_of":
            return m.Part(self.span(tree), None, self.word(tree.children[0]))
        count = cast(Token, tree.children[0])
        return m.Part(self.span(tree), self.integer(count, str(count)), self.word(tree.children[1]))

    def _fan(self, tree: Tree[Token]) -> m.FanDecl:
        name, value = tree.children[:2]
        per = self.single(tree, "per", "每个")
        clauses = self.trees(tree, "without")
        without = [self.counted(cast(Tree[Token], child)) for clause in clauses for child in clause.children]
        return m.FanDecl(
            self.span(tree),
            self.word(name),
            self.expression(value),
            self.when(tree),
            self.per(per) if per else None,
            tuple(without),
            self.meta(tree.children),
        )

    def per(self, tree: Tree[Token]) -> m.Per:
        domain, predicate = tree.children
        return m.Per(self.span(tree), self.word(domain), self.predicate(predicate))

    def _pick(self, tree: Tree[Token]) -> m.PickDecl:
        name, *fans = self.words(tree)
        return m.PickDecl(self.span(tree), name, tuple(fans), self.meta(tree.children))

    def _combo(self, tree: Tree[Token]) -> m.ComboDecl:
        parts = tuple(self.counted(child) for child in self.trees(tree, "counted"))
        return m.ComboDecl(self.span(tree), self.word(tree.children[0]), parts, self.meta(tree.children))

    def _let(self, tree: Tree[Token]) -> m.LetDecl:
        name, value = tree.children[:2]
        return m.LetDecl(self.span(tree), self.word(name), self.expression(value), self.meta(tree.children))

    def _flow(self, tree: Tree[Token]) -> m.FlowDecl:
        name, *rest = tree.children
        lines = self.trees(tree, "pay", "refund", "forward", "mirror")
        conditions = [c for c in rest if isinstance(c, Tree) and c not in lines and not _is_meta(c)]
        return m.FlowDecl(
            self.span(tree),
            self.word(name),
            self.expression(conditions[0]) if conditions else None,
            tuple(self.transfer(line) for line in lines),
        )

    def transfer(self, tree: Tree[Token]) -> m.Transfer:
        children = [child for child in tree.children if child is not None and not _is_meta(child)]
        flags = {child.data for child in children if isinstance(child, Tree)} & {"moved", "evenly"}
        children = [c for c in children if not (isinstance(c, Tree) and c.data in flags)]
        party = self.party(children[0])
        span, meta = self.span(tree), self.meta(tree.children)
        rest = children[1:]
        if tree.data == "pay":
            tag = next((self.word(c) for c in rest[2:] if isinstance(c, Token)), None)
            when = next((self.expression(c) for c in rest[2:] if isinstance(c, Tree)), None)
            return m.Transfer(
                span, "pay", party, self.party(rest[0]), self.expression(rest[1]), tag=tag, when=when, meta=meta
            )
        if tree.data == "mirror":
            when = self.expression(rest[1]) if len(rest) > 1 else None
            return m.Transfer(span, "mirror", party, self.party(rest[0]), when=when, meta=meta)
        fund = self.word(rest[0])
        if tree.data == "refund":
            when = self.expression(rest[1]) if len(rest) > 1 else None
            return m.Transfer(span, "refund", party, fund=fund, moved="moved" in flags, when=when, meta=meta)
        when = self.expression(rest[2]) if len(rest) > 2 else None
        return m.Transfer(
            span, "forward", party, self.party(rest[1]), fund=fund, evenly="evenly" in flags, when=when, meta=meta
        )

    def party(self, node: Node) -> m.Party:
        assert isinstance(node, Tree)
        inner = node.children[0]
        each = node.data == "every"
        if isinstance(inner, Token):
            return m.Party(self.span(node), m.Name(self.span(inner), str(inner)), each)
        return m.Party(self.span(node), self.expression(inner), each)

    def _order(self, tree: Tree[Token]) -> m.OrderDecl:
        name, *flows = self.words(tree)
        return m.OrderDecl(self.span(tree), name, tuple(flows), self.meta(tree.children))

    def _override(self, tree: Tree[Token]) -> m.Override:
        inner = self.declaration(cast(Tree[Token], tree.children[0]))
        return m.Override(self.span(tree), cast(m.NamedDecl, inner))

    def _drop(self, tree: Tree[Token]) -> m.Drop:
        inner = cast(Tree[Token], tree.children[0])
        kind, name = str(inner.data).removeprefix("dropped_"), inner.children[0]
        return m.Drop(self.span(tree), kind, self.quoted(name) if kind == "claim" else self.word(name))

    def _example(self, tree: Tree[Token]) -> m.ExampleDecl:
        hand = cast(Tree[Token], tree.children[0])
        melds = [
            m.ExampleMeld(self.span(child), self.word(child.children[0]), self.word(child.children[1]))
            for child in self.trees(hand, "meld")
        ]
        win = next((self.word(c) for c in tree.children if isinstance(c, Token) and c.type == "TILES"), None)
        worth = [
            c
            for c in tree.children[1:]
            if isinstance(c, Tree) and c.data not in ("setting", "counted") and not _is_meta(c)
        ]
        return m.ExampleDecl(
            self.span(tree),
            self.words(hand, "TILES"),
            tuple(melds),
            win,
            tuple(self.setting(child) for child in self.trees(tree, "setting")),
            tuple(self.counted(child) for child in self.trees(tree, "counted")),
            self.expression(worth[0]) if worth else None,
            self.meta(tree.children),
        )

    def setting(self, tree: Tree[Token]) -> m.Setting:
        name, value = (*tree.children, None)[:2]
        return m.Setting(self.span(tree), self.word(name), self.value(value) if value is not None else None)

    def _claim(self, tree: Tree[Token]) -> m.ClaimDecl:
        name, law = tree.children[:2]
        return m.ClaimDecl(self.span(tree), self.quoted(name), self.expression(law), self.meta(tree.children))

    # ---- expressions ----

    def expression(self, node: Node) -> m.Expr:
        assert isinstance(node, Tree)
        span = self.span(node)
        kids: list[Any] = node.children
        match node.data:
            case "amount" | "number":
                return self.literal(node)
            case "name":
                return m.Name(span, str(kids[0]))
            case "of":
                return m.Of(span, self.word(kids[0]), self.word(kids[1]))
            case "call":
                return m.Call(span, self.word(kids[0]), tuple(self.expression(k) for k in kids[1:]))
            case "add" | "sub" | "mul" | "pow":
                return m.Binary(span, _ARITHMETIC[str(node.data)], self.expression(kids[0]), self.expression(kids[1]))
            case "compare":
                operator = _OPERATORS.get(str(kids[1]), str(kids[1]))
                return m.Binary(span, operator, self.expression(kids[0]), self.expression(kids[2]))
            case "is_" | "isnot":
                return m.Is(span, self.expression(kids[0]), self.class_(kids[1]), node.data == "isnot")
            case "all_":
                return m.Quantified(span, "all", self.word(kids[0]), self.predicate(kids[1]))
            case "any_":
                return m.Quantified(span, "some", self.word(kids[0]), self.predicate(kids[1]))
            case "match":
                tiles, *marks = kids[1].children
                free = {mark.data for mark in marks if mark}
                return m.Matches(span, self.word(kids[0]), self.tileset(tiles), "anysuit" in free, "shift" in free)
            case "count":
                if isinstance(kids[0], Token):
                    return m.Quantified(span, "count", self.word(kids[0]), self.predicate(kids[1]))
                return m.CountSeats(span, self.expression(kids[0]))
            case "and_" | "or_":
                operator_: Literal["and", "or"] = "and" if node.data == "and_" else "or"
                return m.Logic(span, operator_, tuple(self.expression(k) for k in kids))
            case "not_":
                return m.Not(span, self.expression(kids[0]))
            case "if_":
                return m.If(span, *(self.expression(k) for k in kids))
        raise AssertionError(f"the grammar has an expression that build does not know: {node.data}")

    def predicate(self, node: Node) -> m.Predicate | None:
        if node is None:
            return None
        assert isinstance(node, Tree)
        kids: list[Any] = node.children
        if node.data == "field":
            operator = _OPERATORS.get(str(kids[1]), str(kids[1]))
            return m.FieldPredicate(self.span(node), self.word(kids[0]), operator, self.expression(kids[2]))
        return m.IsPredicate(self.span(node), self.class_(kids[0]), node.data == "has_kind")

    def class_(self, tree: Tree[Token]) -> m.Class:
        inner = tree.children[0]
        if isinstance(inner, Tree):
            return m.Class(self.span(tree), tiles=self.tileset(inner))
        return m.Class(self.span(tree), names=tuple(self.word(token) for token in tree.children))


def _is_meta(node: Tree[Token] | Token) -> bool:
    return isinstance(node, Tree) and node.data in ("cite", "note", "alias")
