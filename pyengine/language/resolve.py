"""From the flattened table to a resolved rule set: every declaration looked up and typed."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any, cast

from pyengine.language import core as c
from pyengine.language import model as m
from pyengine.language import vocabulary
from pyengine.language.diagnostics import Diagnostic, Related, closest
from pyengine.language.expressions import BARE, Elaborator, Typed, tag_name
from pyengine.language.inherit import MAX_NAME, Table, canonical
from pyengine.language.limits import beyond_limits
from pyengine.language.patterns import token_kinds
from pyengine.language.source import Span
from pyengine.language.values import read_value, show_value

HAND_SIZES = (4, 7, 10, 13)
MAX_FUNDS = 32  # among which 若 chooses in one line of 转 or 退

_RESERVED_TYPES = {
    "win_money": "number",
    "hand_value": "number",
    "limit": "number",
    "may_win": "truth",
    "may_wait": "truth",
    "hand_over": "truth",
    "next_dealer": "truth",
    "pig": "truth",
}
_PARTS = {"meld": "melds", "run": "runs", "triplet": "triplets", "pair": "pairs", "twin": "twins"}
_HAND_TYPES = ("number", "truth")


def resolve(table: Table) -> tuple[c.Rules | None, list[Diagnostic], set[tuple[str, str]]]:
    """The rule set, what is wrong with it, and which declarations something reads.

    The rule set is None when there are errors.
    """
    resolver = _Resolver(table)
    rules = resolver.rules()
    return rules, resolver.diagnostics, resolver.names.used


def _within(option: c.Option, low: int, high: int) -> bool:
    """Whether all values of an option are numbers of a range."""
    return all(isinstance(a, c.Range) and low <= a.low and a.high <= high for a in option.alternatives)


class _Resolver:
    def __init__(self, table: Table) -> None:
        self.table = table
        self.diagnostics: list[Diagnostic] = []
        self.names = Elaborator(table, self.diagnostics)

    def report(self, code: str, span: Span, *related: Related, suggest: Iterable[str] = (), **facts: object) -> None:
        self.names.report(code, span, *related, suggest=suggest, **facts)

    def declared(self, kind: type[Any]) -> list[Any]:
        return self.table.of(kind)

    def rules(self) -> c.Rules | None:
        names = self.names
        copies, tile_places = self.copies()
        names.kinds = {d.name.text: self.kind(d) for d in self.declared(m.KindDecl)}
        for declaration in self.declared(m.OptionDecl):
            option = self.option(declaration)
            if option:
                (names.stances if declaration.stance else names.options)[option.name] = option
        names.tags = {
            tag_name(line.tag.text)
            for flow in self.declared(m.FlowDecl)
            for line in flow.transfers
            if line.tag is not None and self.may_mark(line.tag)
        }
        lets = {name: let for name, let in self.lets().items() if let}
        shapes = [self.shape(d) for d in self.declared(m.ShapeDecl)]
        fans = [self.fan(d, lets) for d in self.declared(m.FanDecl)]
        picks = [self.pick(d) for d in self.declared(m.PickDecl)]
        combos = [self.combo(d) for d in self.declared(m.ComboDecl)]
        flows = [self.flow(d) for d in self.declared(m.FlowDecl)]
        orders = [self.order(d) for d in self.declared(m.OrderDecl)]
        permits = [self.permit(d) for d in self.table.permits]
        claims = [c.Claim(d, law) for d in self.declared(m.ClaimDecl) if (law := names.truth(d.law)) is not None]
        play = self.play()
        units = {fan.unit for fan in fans if fan} if None not in fans else None
        examples = [self.example(d, units) for d in self.table.examples]
        self.diagnostics += beyond_limits(self.table)
        if any(d.is_error for d in self.diagnostics) or self.table.lost:
            return None
        last = self.table.files[-1]
        reserved = {e.english: e.word for e in vocabulary.of_kind("reserved") if e.word in lets}
        return c.Rules(
            title=last.title,
            version=last.version,
            meta=last.meta,
            sources=tuple(file.source for file in self.table.files),
            copies=copies,
            tile_places=tile_places,
            play=play,
            kinds=names.kinds,
            options=names.options,
            stances=names.stances,
            lets=lets,
            shapes={s.name: s for s in shapes if s},
            fans={f.name: f for f in fans if f},
            picks={p.name: p for p in picks if p},
            combos={x.name: x for x in combos if x},
            flows={f.name: f for f in flows if f},
            orders={o.event: o for o in orders if o},
            permits=tuple(p for p in permits if p),
            examples=tuple(examples),
            claims=tuple(claims),
            reserved=reserved,
        )

    def may_mark(self, tag: m.Word) -> bool:
        """Whether money may be marked with a word: one that is too long, or means something else, is reported."""
        if len(tag.text) > MAX_NAME:
            self.report("E230", tag.span, length=len(tag.text), limit=MAX_NAME)
            return False
        entry = vocabulary.find(tag.text, *BARE)
        if entry is None or entry.english == "kong_money":
            return True
        self.report("E208", tag.span, name=tag.text)
        return False

    # ---- tiles, options ----

    def copies(self) -> tuple[tuple[int, ...], tuple[Span | None, ...]]:
        """Copies of each kind, and where they are declared."""
        copies = [0] * 34
        places: list[Span | None] = [None] * 34
        for name, declaration in self.table.space("tiles").items():
            assert isinstance(declaration, m.TilesDecl)
            word = next((w for w in declaration.suits if canonical(w.text, "tiles") == name), declaration.name)
            suit = vocabulary.find(name, "suit")
            if suit is None:
                self.names.unknown("E221", name, word.span, vocabulary.spellings(["suit"]))
                continue
            if not 1 <= declaration.copies <= 4:
                self.report("E321", declaration.span, copies=declaration.copies)
                continue
            for kind in self.suit_tiles(declaration, suit):
                copies[kind], places[kind] = declaration.copies, declaration.span
        return tuple(copies), tuple(places)

    def suit_tiles(self, declaration: m.TilesDecl, suit: vocabulary.Entry) -> list[int]:
        base = 9 * "mpsz".index(suit.english)
        size = 7 if suit.english == "z" else 9
        if isinstance(declaration.ranks, m.TileSet):
            kinds: set[int] = set()
            for token in declaration.ranks.tokens:
                found = token_kinds(token.text)
                if found is None or any(kind // 9 * 9 != base for kind in found):
                    self.report("E219", token.span, tiles=token.text)
                else:
                    self.names.add_once(token, found, kinds)
            return sorted(kinds)
        low, high = declaration.ranks
        if not 1 <= low <= high <= size:
            self.report("E322", declaration.span, low=low, high=high, size=size)
            return []
        return list(range(base + low - 1, base + high))

    def kind(self, declaration: m.KindDecl) -> frozenset[int]:
        return self.names.tileset(declaration.tiles)

    def option(self, declaration: m.OptionDecl) -> c.Option | None:
        name = declaration.name.text
        alternatives: list[c.Range | bool | str | None] = []
        listed: set[str] = set()
        units: dict[m.Unit | None, Span] = {}
        if declaration.alternatives is None:
            alternatives = [True, False]
        for alternative in declaration.alternatives or ():
            if alternative.span.code in listed:
                self.report("E231", alternative.span, name=alternative.span.text)
            listed.add(alternative.span.code)
            if isinstance(alternative, m.Word):
                entry = vocabulary.find(alternative.text, "value")
                alternatives.append(None if entry and entry.type == "option" else alternative.text)
                continue
            low, high = (
                (alternative.low, alternative.high)
                if isinstance(alternative, m.ValueRange)
                else (alternative, alternative)
            )
            units.setdefault(low.unit, alternative.span)
            units.setdefault(high.unit, alternative.span)
            if low.value > high.value:
                self.report("E313", alternative.span, low=low.value, high=high.value)
                low, high = high, low
            alternatives.append(c.Range(low.value, high.value))
        if len(units) > 1:
            self.report("E314", declaration.span, name=name)
            return None
        if units and any(isinstance(a, str) for a in alternatives):
            self.report("E323", declaration.span, name=name)
            return None
        unit = next(iter(units), None)
        option = c.Option(name, declaration.name.span, tuple(alternatives), None, unit, declaration.meta)
        setting = self.table.settings.get(name)
        given = setting.value if setting and not declaration.stance else declaration.default
        # A default of the declaration must hold even where a derived file sets another value.
        values = [self.value(option, value) for value in dict.fromkeys([declaration.default, given])]
        if not all(ok for ok, _ in values):
            return None
        return c.Option(name, declaration.name.span, tuple(alternatives), values[-1][1], unit, declaration.meta)

    def value(self, option: c.Option, given: m.Word | m.Literal_) -> tuple[bool, c.OptionValue]:
        value = read_value(option, given.span.code)
        if isinstance(value, (int, str)) or value is None:
            if option.admits(value):
                return True, value
        shown = [show_value(a, option.unit) for a in option.alternatives]
        related = Related(option.span, "declared")
        suggest = closest(given.span.text, shown)
        facts = {"name": option.name, "value": given.span.text, "values": " ".join(shown)}
        self.report("E203", given.span, related, suggest=suggest, **facts)
        return False, None

    # ---- lets ----

    def lets(self) -> dict[str, c.Let | None]:
        lets: dict[str, c.Let | None] = {}
        for declaration in self.declared(m.LetDecl):
            name = canonical(declaration.name.text, "word")
            typed = self.names.let_value(name, declaration)
            lets[name] = None
            if typed:
                unit = typed.unit if typed.kind == "number" else None
                place = declaration.name.span
                lets[name] = c.Let(name, place, typed.expr, typed.kind, unit, declaration.meta)
            reserved = vocabulary.find(name, "reserved")
            if typed and reserved:
                wanted = _RESERVED_TYPES[reserved.english]
                if typed.kind != wanted:
                    self.report("E406", declaration.value.span, name=name, wanted=(f"kind.{wanted}",))
                    self.names.lets[name] = lets[name] = None  # What uses it says nothing more about it.
                elif reserved.english == "limit" and typed.unit is None:
                    self.report("E315", declaration.value.span, name=name)
        return lets

    # ---- shapes and fans ----

    def shape(self, declaration: m.ShapeDecl) -> c.Shape | None:
        numbers = dict.fromkeys(_PARTS.values(), 0)
        each_of: list[frozenset[int]] = []
        singles: list[c.Single] = []
        known = [*self.names.kinds, *vocabulary.spellings(["part"])]
        for part in declaration.parts:
            entry = vocabulary.find(part.name.text, "part")
            if entry and part.count is not None:
                numbers[_PARTS[entry.english]] += part.count
            elif part.name.text in self.names.kinds:
                kinds = self.names.kinds[part.name.text]
                self.names.used.add(("kind", part.name.text))
                if part.count is None:
                    each_of.append(kinds)
                else:
                    singles.append(c.Single(part.count, kinds))
            else:
                self.names.unknown("E218", part.name.text, part.name.span, known)
                return None
        when = self.names.truth(declaration.when) if declaration.when else None
        tiles = 3 * (numbers["melds"] + numbers["runs"] + numbers["triplets"])
        tiles += 2 * (numbers["pairs"] + numbers["twins"])
        tiles += sum(map(len, each_of)) + sum(single.count for single in singles)
        size = self.hand_size()
        place = declaration.parts[0].span.to(declaration.parts[-1].span)
        if numbers["pairs"] > 1:
            self.report("E324", place)
            return None
        if len(each_of) > 4 or len(singles) > 4 or tiles > 14:
            self.report("E325", place, tiles=tiles)
            return None
        if size is not None and tiles != size + 1:
            self.report("E316", place, name=declaration.name.text, tiles=tiles, wanted=size + 1)
        return c.Shape(
            declaration.name.text,
            declaration.name.span,
            **numbers,
            each_of=tuple(each_of),
            singles=tuple(singles),
            when=when,
            meta=declaration.meta,
        )

    def hand_size(self) -> int | None:
        declaration = self.table.space("play").get("手牌")
        if isinstance(declaration, m.PlayDecl) and declaration.values:
            value = declaration.values[0]
            if isinstance(value, m.Literal_) and value.value in HAND_SIZES:
                return value.value
        return None

    def fan(self, declaration: m.FanDecl, lets: dict[str, c.Let]) -> c.Fan | None:
        value = self.names.number(declaration.value)
        when = self.names.truth(declaration.when) if declaration.when else None
        per = self.names.per(declaration.per) if declaration.per else None
        without = [self.absorbed(counted) for counted in declaration.without]
        name = declaration.name.text
        if value and value.unit is None:
            self.report("E326", declaration.value.span, name=name, expression=declaration.value.span.text)
            return None
        if value is None or (declaration.when and when is None) or (declaration.per and per is None):
            return None
        is_limit = isinstance(value.expr, c.LetRef) and value.expr.name == "满"
        read = self.words_read([e for e in (value.expr, when, per) if e], lets)
        entries = {e.english: e for e in vocabulary.entries() if e.kind in ("flag", "number", "symbol")}
        assert value.unit
        return c.Fan(
            name,
            declaration.name.span,
            value.expr,
            value.unit,
            is_limit,
            when,
            per,
            tuple(a for a in without if a),
            late="no_other_fan" in read,
            situational=any(w in entries and entries[w].situational for w in read),
            meta=declaration.meta,
        )

    def words_read(self, exprs: Iterable[c.Expr], lets: dict[str, c.Let]) -> set[str]:
        """English names of the built-in words that expressions read, through lets too."""
        words: set[str] = set()
        stack = list(exprs)
        seen: set[str] = set()
        while stack:
            for node in c.walk(stack.pop()):
                match node:
                    case c.Word():
                        words.add(node.name)
                    case c.SymbolIs():
                        words.add(node.symbol)
                    case c.TileIs():
                        words.add(node.tile)
                    case c.LetRef() if node.name not in seen and node.name in lets:
                        seen.add(node.name)
                        stack.append(lets[node.name].value)
        return words

    def fan_named(self, word: m.Word, *kinds: type) -> bool:
        found = self.table.space("fan").get(word.text)
        if type(found) in kinds:
            self.names.used.add(("fan", word.text))
            return True
        known = [n for n, d in self.table.space("fan").items() if type(d) in kinds]
        self.names.unknown("E211", word.text, word.span, known)
        return False

    def absorbed(self, counted: m.Counted) -> c.Absorbed | None:
        if self.fan_named(counted.name, m.FanDecl):
            return c.Absorbed(counted.name.text, counted.count, counted.span)
        return None

    def pick(self, declaration: m.PickDecl) -> c.Pick | None:
        if not self.names.once(declaration.fans):
            return None
        if not all([self.fan_named(word, m.FanDecl) for word in declaration.fans]):
            return None
        return c.Pick(
            declaration.name.text,
            declaration.name.span,
            tuple(word.text for word in declaration.fans),
            declaration.meta,
        )

    def combo(self, declaration: m.ComboDecl) -> c.Combo | None:
        if not self.names.once(part.name for part in declaration.parts):
            return None
        if not all([self.fan_named(part.name, m.FanDecl) for part in declaration.parts]):
            return None
        parts = tuple((part.name.text, part.count or 1) for part in declaration.parts)
        return c.Combo(declaration.name.text, declaration.name.span, parts, declaration.meta)

    # ---- settlement ----

    def party(self, party: m.Party) -> c.Party | None:
        typed = self.names.typed(party.seats)
        if typed is None:
            return None
        if typed.kind == "account" and isinstance(typed.expr, c.Word):
            return c.Party(party.span, None, typed.expr.name, party.each)
        if typed.kind != "truth":
            self.report("E327", party.seats.span, found=party.seats.span.text)
            return None
        if isinstance(typed.expr, c.Word) and typed.expr.name in ("horse", "bound_seat"):
            return c.Party(party.span, None, typed.expr.name, party.each)
        return c.Party(party.span, typed.expr, None, party.each)

    def fund(self, word: m.Word) -> c.Fund | None:
        typed = self.names.name(word, None, word.span) if self.names.is_known(word.text) else None
        if typed is None and (self.names.is_known(word.text) or word.text in self.table.lost):
            return None
        if typed is None or typed.kind != "fund":
            funds = [*self.names.tags, *vocabulary.spellings(["fund"])]
            self.report("E328", word.span, found=word.text, suggest=closest(word.text, funds))
            return None
        choices = tuple(itertools.islice(self.fund_choices(typed.expr, None), MAX_FUNDS + 1))
        if len(choices) > MAX_FUNDS:
            self.report("E341", word.span, name=word.text, limit=MAX_FUNDS)
            return None
        return c.Fund(word.span, choices)

    def fund_choices(self, expr: c.Expr, condition: c.Expr | None) -> Iterator[tuple[c.Expr | None, str | None]]:
        """A fund that is chosen by 若 … as a list to be tried in turn."""
        match expr:
            case c.LetRef():
                let = self.names.lets[expr.name]
                if let:
                    yield from self.fund_choices(let.expr, condition)
            case c.If():
                both = expr.condition if condition is None else c.Logic(expr.span, "and", (condition, expr.condition))
                yield from self.fund_choices(expr.then, both)
                yield from self.fund_choices(expr.otherwise, condition)
            case c.Word():
                yield condition, None if expr.name == "this_kong" else expr.name
            case _:
                raise AssertionError("a fund is a name or a choice of names")

    def transfer(self, line: m.Transfer) -> c.Transfer | None:
        party = self.party(line.party)
        other = self.party(line.other) if line.other else None
        amount: Typed | None = None
        if line.amount:
            amount = self.names.number(line.amount)
            if amount and amount.hard:
                unit = m.UNIT_SIGNS[amount.unit or "fan"]
                self.report("E329", line.amount.span, unit=unit)
        fund = self.fund(line.fund) if line.fund else None
        when = self.names.truth(line.when) if line.when else None
        if party is None or (line.other and other is None) or (line.amount and amount is None):
            return None
        if (line.fund and fund is None) or (line.when and when is None):
            return None
        return c.Transfer(
            line.span,
            line.verb,
            party,
            other,
            amount.expr if amount else None,
            fund,
            tag_name(line.tag.text) if line.tag else None,
            line.moved,
            line.evenly,
            when,
            line.meta,
        )

    def flow(self, declaration: m.FlowDecl) -> c.Flow | None:
        when = self.names.truth(declaration.when) if declaration.when else None
        transfers = [self.transfer(line) for line in declaration.transfers]
        if (declaration.when and when is None) or None in transfers:
            return None
        name = canonical(declaration.name.text, "flow")
        return c.Flow(name, declaration.name.span, when, tuple(cast(list[c.Transfer], transfers)))

    def order(self, declaration: m.OrderDecl) -> c.Order | None:
        event = vocabulary.find(declaration.name.text, "event")
        if event is None:
            self.names.unknown("E222", declaration.name.text, declaration.name.span, vocabulary.spellings(["event"]))
            return None
        flows = self.table.space("flow")
        if not self.names.once(declaration.flows):
            return None
        for word in declaration.flows:
            key = canonical(word.text, "flow")
            if key not in flows:
                self.names.unknown("E214", word.text, word.span, flows)
                return None
            self.names.used.add(("flow", key))
        return c.Order(
            event.word, declaration.name.span, tuple(canonical(word.text, "flow") for word in declaration.flows)
        )

    # ---- the table ----

    def permit(self, declaration: m.PermitDecl) -> c.Permit | None:
        moves = [self.move(word) for word in declaration.moves]
        when = self.names.truth(declaration.when) if declaration.when else None
        if None in moves or (declaration.when and when is None):
            return None
        return c.Permit(declaration, tuple(cast(list[str], moves)), when)

    def move(self, word: m.Word) -> str | None:
        entry = vocabulary.find(word.text, "move")
        if entry is None:
            self.names.unknown("E216", word.text, word.span, vocabulary.spellings(["move"]))
            return None
        return entry.english

    def play(self) -> dict[str, tuple[str | int, ...]]:
        play: dict[str, tuple[str | int, ...]] = {}
        for declaration in self.declared(m.PlayDecl):
            key = vocabulary.find(declaration.name.text, "table_key")
            if key is None:
                self.names.unknown(
                    "E215", declaration.name.text, declaration.name.span, vocabulary.spellings(["table_key"])
                )
                continue
            values = [self.play_value(key, value) for value in declaration.values]
            if key.type not in ("moves", "steps", "directions") and len(values) != 1:
                self.report("E330", declaration.span, name=key.word)
            elif None not in values:
                play[key.english] = tuple(cast(list[str | int], values))
        return play

    def play_value(self, key: vocabulary.Entry, value: m.Word | m.Literal_) -> str | int | None:
        if key.range:
            low, high = key.range
            if isinstance(value, m.Literal_) and value.unit is None and low <= value.value <= high:
                if key.english != "hand_size" or value.value in HAND_SIZES:
                    return value.value
            option = self.names.options.get(value.span.code)
            if option and key.english == "horses" and _within(option, low, high):
                self.names.used.add(("word", option.name))
                return option.name
            self.report("E331", value.span, name=key.word, value=value.span.text, low=low, high=high)
            return None
        text = value.span.code
        if key.type == "moves":
            entry = vocabulary.find(text, "move", "class")
        elif key.type == "steps" and text in self.names.stances:
            self.names.used.add(("word", text))
            return text
        else:
            entry = vocabulary.find_value(text, key.type)
        if entry:
            return entry.english
        if text in self.names.options:
            self.names.used.add(("word", text))
            return text
        known = [e.word for e in vocabulary.values_of(key.type)] or vocabulary.spellings(["move"])
        self.report("E203", value.span, name=key.word, value=text, values=" ".join(known), suggest=closest(text, known))
        return None

    # ---- examples and limits ----

    def example(self, example: m.ExampleDecl, units: set[m.Unit] | None) -> c.Example:
        """Names in an example; its hand is read when it is run.  `units` are those of the fans, if they are known."""
        for counted in example.fans:
            if vocabulary.find(counted.name.text, "marker") is None:
                self.fan_named(counted.name, m.FanDecl, m.ComboDecl)
        self.names.once(setting.name for setting in example.settings)
        for setting in example.settings:
            self.setting(setting)
        ways = [s.name for s in example.settings if (e := vocabulary.find(s.name.text, "flag")) and e.win]
        if len({way.text for way in ways}) > 1:
            self.report("E504", ways[1].span, Related(ways[0].span, "first"), one=ways[0].text, two=ways[1].text)
        worth = self.names.number(example.worth) if example.worth else None
        if worth and worth.hard and units is not None and worth.unit not in units:
            assert example.worth
            known = " ".join(m.UNIT_SIGNS[unit] for unit in c.UNITS if unit in units)
            self.report("E503", example.worth.span, unit=m.UNIT_SIGNS[worth.unit or "fan"], units=known)
        return c.Example(example, worth.expr if worth else None, worth.unit if worth and worth.hard else None)

    def setting(self, setting: m.Setting) -> None:
        name = setting.name.text
        option = self.names.options.get(name) or self.names.stances.get(name)
        flag = vocabulary.find(name, "flag", "role", "table_value")
        flags = [e.word for e in (*vocabulary.win_kinds(), *vocabulary.win_flags())]
        if option:
            if setting.value is not None:
                self.value(option, setting.value)
            elif True not in option.alternatives:
                shown = " ".join(show_value(a, option.unit) for a in option.alternatives)
                self.report("E332", setting.span, Related(option.span, "declared"), name=name, values=shown)
        elif flag is None or (flag.word not in flags and flag.english != "void_suit"):
            if self.table.find("word", name) is None:  # Else its declaration has been reported.
                known = [*self.names.options, *self.names.stances, *flags, *vocabulary.spellings(["win"]), "定缺"]
                self.names.unknown("E225", name, setting.name.span, known)
        elif flag.english == "void_suit" and (
            setting.value is None or vocabulary.find(setting.value.span.code, "suit") is None
        ):
            self.report("E333", setting.span, name=flag.word)
