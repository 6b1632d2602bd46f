"""Expressions looked up and typed: from model expressions to core ones.

Units: an amount such as 2番 carries its unit and mixes with no other.  Totals (番数) and options
whose values are amounts (封顶: 8倍) are plain numbers that remember a unit: they take part in any
arithmetic, but not with an amount of another unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal, cast

from pyengine.language import core as c
from pyengine.language import model as m
from pyengine.language import vocabulary
from pyengine.language.diagnostics import MAX_FOUND, Diagnostic, Related, closest
from pyengine.language.inherit import KEYWORDS, Table, canonical
from pyengine.language.node import node
from pyengine.language.patterns import alternatives_of, as_group, is_whole_suit, suit_kinds, token_kinds
from pyengine.language.source import Span
from pyengine.language.syntax import MAX_DEPTH
from pyengine.language.values import UNKNOWN, Unknown, read_value, show_value
from pyengine.language.vocabulary import Entry

Kind = Literal["number", "truth", "fund", "account"]

MAX_AGAIN = 3  # further places that are shown of one unknown word

# What a bare word of an expression may be.
BARE = ("flag", "number", "role", "seats", "money", "fund", "account", "symbol")
_TRUTHS = ("flag", "role", "seats")
_GROUP_DOMAINS = ("meld", "pair", "group")


@node
class Typed:
    """A core expression with what it is.  `hard`: an amount that carries its unit."""

    expr: c.Expr
    kind: Kind
    unit: m.Unit | None = None
    hard: bool = False


class Elaborator:
    """Looks up and types the expressions of one table; mistakes go to `diagnostics`.

    A mistaken expression is None, and what contains it says nothing more about it.
    """

    def __init__(self, table: Table, diagnostics: list[Diagnostic]) -> None:
        self.table = table
        self.diagnostics = diagnostics
        self.options: dict[str, c.Option] = {}
        self.stances: dict[str, c.Option] = {}
        self.kinds: dict[str, frozenset[int]] = {}
        self.tags: set[str] = set()
        self.lets: dict[str, Typed | None] = {}
        self._open_lets: list[str] = []
        self._depth = self._deepest = 0
        self._heights: dict[str, int] = {}  # of each let, how deep it is with all that it reads
        self._unknown: dict[tuple[str, str], int] = {}  # where each is among the diagnostics
        self.used: set[tuple[str, str]] = set()  # (space, name) of every declaration that is read

    # ---- reporting ----

    def report(self, code: str, span: Span, *related: Related, suggest: Iterable[str] = (), **facts: object) -> None:
        if len(self.diagnostics) < MAX_FOUND:
            self.diagnostics.append(Diagnostic(code, span, facts, related, tuple(suggest)))

    def unknown(self, code: str, word: str, span: Span, candidates: Iterable[str], **facts: object) -> None:
        """An unknown word: several words written as one, or a misspelling; told once with all its places."""
        if word in self.table.lost or len(self.diagnostics) >= MAX_FOUND:
            return  # Its declaration has been reported, or there is more than enough to do.
        if (code, word) in self._unknown:
            index = self._unknown[code, word]
            known = self.diagnostics[index]
            assert known.span
            first, again = sorted([known.span, span], key=lambda s: s.start if s.source is span.source else 0)
            related = (*known.related, Related(again, "again"))[: MAX_AGAIN + 1]
            self.diagnostics[index] = replace(known, span=first, related=related)
            return
        self._unknown[code, word] = len(self.diagnostics)
        known_words = list(candidates)
        from pyengine.language.mistakes import split_glued

        parts = split_glued(word, {name for names in self.table.named.values() for name in names})
        if parts:
            self.report("E106", span, word=word, suggest=[" ".join(parts)])
            return
        dropped = self.table.dropped.get(word)
        notes = [Related(dropped, "dropped")] if dropped else []
        self.report(code, span, *notes, suggest=closest(word, known_words), **{"name": word, **facts})

    def bare_words(self) -> list[str]:
        return [*self.table.space("word"), *vocabulary.spellings(BARE)]

    # ---- expected types ----

    def number(self, expr: m.Expr) -> Typed | None:
        typed = self.typed(expr)
        if typed and typed.kind != "number":
            self.report("E301", expr.span, found=expr.span.text)
            return None
        return typed

    def truth(self, expr: m.Expr) -> c.Expr | None:
        typed = self.typed(expr)
        if typed is None:
            return None
        if typed.kind != "truth":
            self.report("E302", expr.span, found=expr.span.text)
            return None
        return typed.expr

    # ---- expressions ----

    def typed(self, expr: m.Expr) -> Typed | None:
        self._depth += 1
        self._deepest = max(self._deepest, self._depth)
        try:
            if self._depth > MAX_DEPTH:
                self.report("E115", expr.span, limit=MAX_DEPTH)
                return None
            return self.typed_at_depth(expr)
        finally:
            self._depth -= 1

    def typed_at_depth(self, expr: m.Expr) -> Typed | None:
        match expr:
            case m.Literal_():
                return Typed(c.Number(expr.span, expr.value), "number", expr.unit, expr.unit is not None)
            case m.Name():
                return self.name(m.Word(expr.text, expr.span), None, expr.span)
            case m.Of():
                return self.owned(expr)
            case m.Call():
                return self.call(expr)
            case m.Binary():
                return self.binary(expr)
            case m.Is():
                return self.is_(expr)
            case m.Quantified():
                return self.quantified(expr)
            case m.Matches():
                return self.matches(expr)
            case m.CountSeats():
                seats = self.truth(expr.seats)
                return Typed(c.CountSeats(expr.span, seats), "number") if seats else None
            case m.Logic():
                parts = [self.truth(part) for part in expr.parts]
                if None in parts:
                    return None
                return Typed(c.Logic(expr.span, expr.operator, tuple(cast(list[c.Expr], parts))), "truth")
            case m.Not():
                part = self.truth(expr.part)
                return Typed(c.Not(expr.span, part), "truth") if part else None
            case m.If():
                return self.if_(expr)

    def name(self, word: m.Word, owner: str | None, span: Span) -> Typed | None:
        declared = self.table.find("word", word.text)
        if isinstance(declared, m.OptionDecl):
            return self.option(word.text, declared, owner, span)
        if isinstance(declared, m.LetDecl):
            return self.let(canonical(word.text, "word"), declared, owner, span)
        if tag_name(word.text) in self.tags:
            return Typed(c.Word(span, tag_name(word.text), False), "fund")
        entry = vocabulary.find(word.text, *BARE)
        if entry is None:
            value = vocabulary.find(word.text, "value")
            if value and value.type == "truth":
                return Typed(c.Truth(span, value.english == "yes"), "truth")
            self.unknown_word(word)
            return None
        if entry.kind == "symbol":
            self.report("E310", span, name=word.text)
            return None
        if entry.kind in ("fund", "account"):
            name = entry.word if entry.english == "kong_money" else entry.english
            return Typed(c.Word(span, name, False), cast(Kind, entry.kind))
        is_truth = entry.kind in _TRUTHS
        unit = _TOTAL_UNITS.get(entry.english)
        return Typed(c.Word(span, entry.english, is_truth, owner), "truth" if is_truth else "number", unit)

    def unknown_word(self, word: m.Word) -> None:
        """A word that no expression knows; it may still be the name of something else."""
        for space in ("fan", "kind", "shape", "flow"):
            declared = self.table.space(space).get(word.text)
            if declared:
                kind = (f"keyword.{KEYWORDS[type(declared)]}",)
                self.unknown("E224", word.text, word.span, self.bare_words(), kind=kind)
                return
        about_tiles = vocabulary.find(word.text, "domain", "class", "field", "suit") or word.text in self.kinds
        self.unknown("E226" if about_tiles else "E201", word.text, word.span, self.bare_words())

    def is_known(self, word: str) -> bool:
        """Whether a bare word of an expression means something."""
        return tag_name(word) in self.tags or bool(self.table.find("word", word) or vocabulary.find(word, *BARE))

    def option(self, name: str, declared: m.OptionDecl, owner: str | None, span: Span) -> Typed | None:
        self.used.add(("word", name))
        option = (self.stances if declared.stance else self.options).get(name)
        if option is None:
            return None  # Its declaration has been reported.
        ref: c.Expr = c.StanceRef(span, name, owner) if declared.stance else c.OptionRef(span, name)
        if owner and not declared.stance:
            self.report("E318", span, name=name)
            return None
        if option.is_truth:
            return Typed(ref, "truth")
        if any(isinstance(alternative, str) for alternative in option.alternatives):
            values = " ".join(a for a in option.alternatives if isinstance(a, str))
            self.report("E319", span, Related(option.span, "declared"), name=name, values=values)
            return None
        return Typed(ref, "number", option.unit)

    def let(self, name: str, declared: m.LetDecl, owner: str | None, span: Span) -> Typed | None:
        self.used.add(("word", name))
        typed = self.let_value(name, declared, span)
        if typed is None:
            return None
        return Typed(c.LetRef(span, name, owner), typed.kind, typed.unit, typed.hard)

    def let_value(self, name: str, declared: m.LetDecl, span: Span | None = None) -> Typed | None:
        """What a let stands for, looked up once."""
        if name in self._open_lets:
            cycle = [*self._open_lets[self._open_lets.index(name) :], name]
            places = []
            for step in cycle[:-1]:
                decl = self.table.space("word")[step]
                places.append(Related(decl.name.span, "cycle", {"name": step}))
            self.report("E401", declared.name.span, *places[1:], cycle=" → ".join(cycle))
            return None
        if name not in self.lets:
            self._open_lets.append(name)
            outer, self._deepest = self._deepest, self._depth
            self.lets[name] = self.typed(declared.value)
            self._heights[name] = self._deepest - self._depth
            self._deepest = max(outer, self._deepest)
            self._open_lets.pop()
        self._deepest = max(self._deepest, self._depth + self._heights[name])
        if span and self._depth + self._heights[name] > MAX_DEPTH and self.lets[name]:
            self.report("E115", span, limit=MAX_DEPTH)
            return None
        return self.lets[name]

    def owned(self, expr: m.Of) -> Typed | None:
        owner = vocabulary.find(expr.owner.text, "role")
        if owner is None:
            self.unknown("E220", expr.owner.text, expr.owner.span, vocabulary.spellings(["role"]))
            return None
        return self.name(expr.name, owner.english, expr.span)

    def call(self, expr: m.Call) -> Typed | None:
        function = vocabulary.find(expr.function.text, "function")
        if function is None:
            self.unknown("E217", expr.function.text, expr.function.span, vocabulary.spellings(["function"]))
            return None
        arguments = [self.number(argument) for argument in expr.arguments]
        if None in arguments:
            return None
        typed = cast(list[Typed], arguments)
        unit, hard = typed[0].unit, typed[0].hard
        for argument in typed[1:]:
            joined = self.join(Typed(typed[0].expr, "number", unit, hard), argument, expr.span)
            if joined is None:
                return None
            unit, hard = joined
        name = cast(Literal["min", "max"], function.english)
        return Typed(c.Extremum(expr.span, name, tuple(t.expr for t in typed)), "number", unit, hard)

    def join(self, left: Typed, right: Typed, span: Span) -> tuple[m.Unit | None, bool] | None:
        """The unit of a sum, of a choice or of what is compared; None where units clash."""
        if left.hard or right.hard:
            if left.unit and right.unit and left.unit != right.unit:
                one, two = (m.UNIT_SIGNS[u] for u in (left.unit, right.unit))
                self.report("E303", span, one=one, two=two)
                return None
            for hard, other in ((left, right), (right, left)):
                zero = isinstance(other.expr, c.Number) and other.expr.value == 0
                if hard.hard and other.unit is None and not zero:
                    assert hard.unit
                    self.report("E305", span, unit=m.UNIT_SIGNS[hard.unit], plain=other.expr.span.text)
                    return None
            return left.unit or right.unit, left.hard and right.hard
        return (left.unit if left.unit == right.unit else None), False

    def binary(self, expr: m.Binary) -> Typed | None:
        if expr.operator in ("=", "!=") and self.should_be_is(expr):
            return None
        left, right = self.number(expr.left), self.number(expr.right)
        if left is None or right is None:
            return None
        operator = expr.operator
        if operator in ("=", "!=", "<", "<=", ">", ">="):
            # A literal amount may be compared with a plain number: 牌值 >= 8倍.
            if left.hard and right.hard and self.join(left, right, expr.span) is None:
                return None
            if left.unit and right.unit and (left.hard or right.hard) and self.join(left, right, expr.span) is None:
                return None
            compare = cast(Literal["=", "!=", "<", "<=", ">", ">="], operator)
            return Typed(c.Compare(expr.span, compare, left.expr, right.expr), "truth")
        arithmetic = c.Arithmetic(expr.span, cast(Literal["+", "-", "*", "^"], operator), left.expr, right.expr)
        if operator in "+-":
            joined = self.join(left, right, expr.span)
            return Typed(arithmetic, "number", *joined) if joined else None
        if operator == "*":
            if left.hard and right.hard:
                self.report("E304", expr.span, expression=expr.span.text)
                return None
            hard = left if left.hard else right
            return Typed(arithmetic, "number", hard.unit if hard.hard else None, hard.hard)
        if left.hard:
            self.report("E304", expr.span, expression=expr.span.text)
            return None
        return Typed(arithmetic, "number")

    def should_be_is(self, expr: m.Binary) -> bool:
        """Reports 听法 = 边张, which is written 听法 是 边张."""
        if not isinstance(expr.left, m.Name) or not isinstance(expr.right, m.Name):
            return False
        name = expr.left.text
        declared = self.table.find("word", name)
        option = self.options.get(name) if isinstance(declared, m.OptionDecl) else None
        words = option is not None and any(isinstance(a, str) for a in option.alternatives)
        if not words and (declared or not vocabulary.find(name, "symbol")):
            return False
        meant = f"{name} {'是' if expr.operator == '=' else '不是'} {expr.right.text}"
        self.report("E310", expr.span, name=name, suggest=[meant])
        return True

    def if_(self, expr: m.If) -> Typed | None:
        condition = self.truth(expr.condition)
        then, otherwise = self.typed(expr.then), self.typed(expr.otherwise)
        if condition is None or then is None or otherwise is None:
            return None
        if then.kind != otherwise.kind:
            self.report("E306", expr.span, then=expr.then.span.text, otherwise=expr.otherwise.span.text)
            return None
        unit, hard = None, False
        if then.kind == "number":
            # A choice between an amount and an option of that unit is an amount: 若 … 则 32倍 否则 封顶.
            joined = self.join(then, otherwise, expr.span)
            if joined is None:
                return None
            unit, hard = joined[0], then.hard or otherwise.hard
        return Typed(c.If(expr.span, condition, then.expr, otherwise.expr), then.kind, unit, hard)

    # ---- is ----

    def is_(self, expr: m.Is) -> Typed | None:
        subject = expr.subject
        if isinstance(subject, m.Name):
            declared = self.table.find("word", subject.text)
            if isinstance(declared, m.OptionDecl):
                return self.option_is(expr, declared)
            symbol = vocabulary.find(subject.text, "symbol")
            if symbol and declared is None:
                return self.symbol_is(expr, symbol)
            if declared is None and not vocabulary.find(subject.text, *BARE):
                self.unknown_word(m.Word(subject.text, subject.span))
                return None
        self.report("E339", subject.span, name=subject.span.text)
        return None

    def option_is(self, expr: m.Is, declared: m.OptionDecl) -> Typed | None:
        name = declared.name.text
        self.used.add(("word", name))
        option = (self.stances if declared.stance else self.options).get(name)
        if option is None:
            return None
        if declared.stance:
            self.report("E339", expr.subject.span, name=name)
            return None
        if expr.kind.tiles:
            self.report("E340", expr.kind.span, name=name)
            return None
        values: list[c.OptionValue] = []
        for word in expr.kind.names:
            value = self.option_value(option, word)
            if isinstance(value, Unknown):
                shown = [show_value(a, option.unit) for a in option.alternatives]
                facts = {"name": name, "value": word.text, "values": " ".join(shown)}
                place = Related(option.span, "declared")
                self.report("E203", word.span, place, suggest=closest(word.text, shown), **facts)
                return None
            values.append(value)
        return Typed(c.OptionIs(expr.span, name, tuple(values), expr.negated), "truth")

    def option_value(self, option: c.Option, word: m.Word) -> c.OptionValue | Unknown:
        value = read_value(option, word.text)
        return value if not isinstance(value, Unknown) and option.admits(value) else UNKNOWN

    def symbol_is(self, expr: m.Is, symbol: Entry) -> Typed | None:
        if symbol.type == "tile":
            tiles = self.tile_class(expr.kind)
            return Typed(c.TileIs(expr.span, symbol.english, tiles, expr.negated), "truth") if tiles else None
        values: list[str] = []
        shapes = self.table.space("shape")
        for word in expr.kind.names:
            if symbol.type == "shape":
                found = word.text if word.text in shapes else None
                known = list(shapes)
                self.used.add(("shape", word.text))
            else:
                entry = vocabulary.find_value(word.text, symbol.type)
                found = entry.english if entry else None
                known = [e.word for e in vocabulary.values_of(symbol.type)]
            if found is None:
                facts = {"name": symbol.word, "value": word.text, "values": " ".join(known)}
                self.unknown("E203", word.text, word.span, known, **facts)
                return None
            values.append(found)
        if expr.kind.tiles:
            self.report("E340", expr.kind.span, name=symbol.word)
            return None
        return Typed(c.SymbolIs(expr.span, symbol.english, tuple(values), expr.negated), "truth")

    # ---- tiles and classes ----

    def tokens(self, tiles: m.TileSet) -> Iterator[tuple[m.Word, tuple[int, ...]]]:
        """Each token with its kinds in the order written; a mistaken one is reported and left out."""
        for token in tiles.tokens:
            kinds = token_kinds(token.text)
            if kinds is None:
                self.report("E219", token.span, tiles=token.text)
            else:
                yield token, kinds

    def tileset(self, tiles: m.TileSet) -> frozenset[int]:
        """The kinds of a set of tiles, each of which is listed once."""
        found: set[int] = set()
        for token, kinds in self.tokens(tiles):
            self.add_once(token, kinds, found)
        return frozenset(found)

    def add_once(self, token: m.Word, kinds: tuple[int, ...], found: set[int]) -> None:
        """The kinds of a token added to others; the first one that is there already is reported."""
        for place, kind in enumerate(kinds):
            if kind in found:
                at = token.span.start + place
                name = token.text[place] + token.text[len(kinds) :]  # The rank and its suit, or the honour.
                self.report("E231", Span(token.span.source, at, at + 1), name=name)
                break
            found.add(kind)
        found.update(kinds)

    def once(self, words: Iterable[m.Word]) -> bool:
        """Whether each of some words that are listed stands there once; a second one is reported."""
        first: dict[str, Span] = {}
        for word in words:
            if first.setdefault(word.text, word.span) is not word.span:
                self.report("E231", word.span, Related(first[word.text], "first"), name=word.text)
                return False
        return True

    def tile_class(self, kind: m.Class, groups: bool = False) -> c.TileClass | None:
        """A class that says which tiles; groups: a class of groups could have stood there as well."""
        if kind.tiles:
            return c.TileClass(self.tileset(kind.tiles))
        if all(token_kinds(word.text) and word.text not in self.kinds for word in kind.names):
            tiles = " ".join(word.text for word in kind.names)
            self.report("E128", kind.span, tiles=tiles, suggest=[f"[{tiles}]"])
            return None
        kinds: set[int] = set()
        words: set[str] = set()
        for word in kind.names:
            entry = vocabulary.find(word.text, "class", "suit")
            if word.text in self.kinds:
                self.used.add(("kind", word.text))
                kinds |= self.kinds[word.text]
            elif entry and entry.kind == "suit":
                kinds |= suit_kinds(entry.english)
            elif entry and entry.type == "tile":
                words.add(entry.english)
            else:
                self.unknown_class(word, groups)
                return None
        return c.TileClass(frozenset(kinds), frozenset(words))

    def unknown_class(self, word: m.Word, groups: bool) -> None:
        if vocabulary.find(word.text, "class"):
            self.report("E307", word.span, name=word.text)
            return
        known = [e.word for e in vocabulary.of_kind("class") if e.type == "tile" or groups]
        self.unknown("E202", word.text, word.span, [*self.kinds, *known, *vocabulary.spellings(["suit"])])

    def group_test(self, predicate: m.IsPredicate) -> c.GroupTest | None:
        types: set[str] = set()
        rest: list[m.Word] = []
        for word in predicate.kind.names:
            entry = vocabulary.find(word.text, "class")
            if entry and entry.type == "group" and word.text not in self.kinds:
                types.add(entry.english)
            else:
                rest.append(word)
        tiles: c.TileClass | None = c.TileClass(frozenset())
        if rest or predicate.kind.tiles:
            tiles = self.tile_class(m.Class(predicate.kind.span, tuple(rest), predicate.kind.tiles), groups=True)
        if tiles is None:
            return None
        if types and predicate.partly:
            self.report("E308", predicate.span, name=predicate.kind.span.text)
            return None
        return c.GroupTest(frozenset(types), tiles, predicate.partly)

    # ---- quantifiers ----

    def domain(self, word: m.Word) -> str | None:
        entry = vocabulary.find(word.text, "domain")
        if entry is None:
            self.unknown("E212", word.text, word.span, vocabulary.spellings(["domain"]))
            return None
        return entry.english

    def quantified(self, expr: m.Quantified) -> Typed | None:
        domain = self.domain(expr.domain)
        if domain is None:
            return None
        test = None
        if expr.predicate:
            test = self.test(domain, expr.predicate)
            if test is None:
                return None
        kind: Kind = "number" if expr.quantifier == "count" else "truth"
        return Typed(c.Quantified(expr.span, expr.quantifier, domain, test), kind)

    def per(self, per: m.Per) -> c.Quantified | None:
        """每个 …: counted once for each."""
        typed = self.quantified(m.Quantified(per.span, "count", per.domain, per.predicate))
        return cast(c.Quantified, typed.expr) if typed else None

    def test(self, domain: str, predicate: m.Predicate) -> c.Test | None:
        if isinstance(predicate, m.FieldPredicate):
            field = vocabulary.find(predicate.field.text, "field")
            if field is None:
                self.unknown("E213", predicate.field.text, predicate.field.span, vocabulary.spellings(["field"]))
                return None
            if domain != "tile_kind":
                self.report("E309", predicate.span, field=field.word, domain=_domain_word(domain))
                return None
            value = self.number(predicate.value)
            if value is None:
                return None
            if value.hard:
                self.report("E305", predicate.value.span, unit=m.UNIT_SIGNS[value.unit or "fan"], plain=field.word)
                return None
            operator = cast(Literal["=", "!=", "<", "<=", ">", ">="], predicate.operator)
            return c.CopiesTest(field.english, operator, value.expr)
        if domain in _GROUP_DOMAINS:
            return self.group_test(predicate)
        tiles = self.tile_class(predicate.kind)
        if tiles is None:
            return None
        if domain == "suit" and (tiles.words or any(not is_whole_suit(tiles.kinds, k) for k in tiles.kinds)):
            self.report("E311", predicate.span)
            return None
        return c.TileTest(tiles)

    def matches(self, expr: m.Matches) -> Typed | None:
        domain = self.domain(expr.domain)
        if domain is None:
            return None
        if domain not in _GROUP_DOMAINS:
            self.report("E312", expr.domain.span, domain=expr.domain.text)
            return None
        groups = []
        for token, kinds in self.tokens(expr.tiles):
            group = as_group(kinds)
            if group is None:
                self.report("E317", token.span, tiles=token.text)
                return None
            groups.append(group)
        if len(groups) != len(expr.tiles.tokens):
            return None
        if len(groups) > 5:
            self.report("E320", expr.span, limit=5)
            return None
        alternatives = tuple(sorted(alternatives_of(tuple(groups), expr.any_suit, expr.shifted)))
        return Typed(c.PatternIn(expr.span, domain, alternatives), "truth")


_TOTAL_UNITS: dict[str, m.Unit] = {
    "fan_total": "fan",
    "multiplier": "times",
    "point_total": "point",
    "base_total": "base",
}


def tag_name(text: str) -> str:
    """The one spelling of money that is marked: kong_money is 杠钱."""
    entry = vocabulary.find(text, "fund")
    return entry.word if entry and entry.english == "kong_money" else text


def _domain_word(english: str) -> str:
    return next(e.word for e in vocabulary.of_kind("domain") if e.english == english)
