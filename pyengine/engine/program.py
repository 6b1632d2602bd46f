"""From a specialised rule set to the kernel's program: whole numbers only.

Each question about a hand becomes a *feature* (a count that splits over suits), each condition and
value straight-line code over features.  `Program` is what `kernel` hands to C; nothing of it is text
but the keys of `facts`, which tell the caller what to put where.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

from pyengine.language import core as c
from pyengine.language.check import absorption_order
from pyengine.language.source import Span
from pyengine.language.specialise import COMPARISONS, Special

_T = TypeVar("_T")

ALL_KINDS = (1 << 34) - 1
KONG_KINDS = ("direct_kong", "added_kong", "concealed_kong")  # as a fact: 1 2 3, and 0 for none

# The numbers of csrc/mj.h.
_TYPES = {
    name: number
    for number, name in enumerate(
        "run chow triplet claimed pung direct_kong added_kong concealed_kong pair twin single".split()
    )
}
_FEATURES = {
    name: number
    for number, name in enumerate(
        """tiles kinds kinds_unkonged suits concealed melds void_tiles win_tile_in win_tile_void win_tile_own
        win_tile_all waits waits_left shape wait groups pattern""".split()
    )
}
_OPS = {
    name: number
    for number, name in enumerate("feature fact add sub mul pow min max eq ne lt le and or not select".split())
}
_WAITS = {name: n for n, name in enumerate("none edge_wait closed_wait open_wait single_wait twin_wait".split())}
_TOTALS = {"fan_total": 1, "multiplier": 2, "point_total": 3, "base_total": 4}
_NO_OTHER, _FALSE, _TRUE, _CONSTANTS = 0, 5, 6, 7

# Registers at or above this are computed; what they are numbered in the end depends on the constants.
_COMPUTED = 1 << 20


def _types(*names: str) -> int:
    return sum(1 << _TYPES[name] for name in names)


_KONGS = _types(*KONG_KINDS)
_MELDS = _types("run", "chow", "triplet", "claimed", "pung") | _KONGS
_DOMAINS = {"meld": _MELDS, "pair": _types("pair"), "group": _MELDS | _types("pair")}
_CLASSES = {
    "run": _types("run", "chow"),
    "triplet": _types("triplet", "claimed", "pung") | _KONGS,
    "kong": _KONGS,
    "direct_kong": _types("direct_kong"),
    "added_kong": _types("added_kong"),
    "concealed_kong": _types("concealed_kong"),
    "exposed_kong": _types("direct_kong", "added_kong"),
    "concealed_triplet": _types("triplet", "concealed_kong"),
    "exposed_triplet": _types("claimed", "pung", "direct_kong", "added_kong"),
}
_PATTERN_TYPES = {"run": "run", "triplet": "triplet", "kong": "direct_kong", "pair": "pair"}

# What the kernel holds at most (csrc/mj.h, verify.c).
_ROOM = {"registers": 4096, "features": 512, "patterns": 64, "alternatives": 1 << 16, "facts": 32}

Stage = Literal["shape", "fan", "late", "final"]
STAGES: tuple[Stage, ...] = ("shape", "fan", "late", "final")


class TooLarge(Exception):
    """A declaration with which the rules are more than the kernel has room for."""

    def __init__(self, place: Span, what: str, count: int, limit: int) -> None:
        super().__init__(what)
        self.place = place
        self.facts = {"name": place.text, "what": (f"size.{what}",), "count": count, "limit": limit}


@dataclass(frozen=True, slots=True)
class Fact:
    """A number the caller supplies: a word, a stance, or a count of seats at the table."""

    word: str
    owner: str | None = None
    stance: bool = False
    count: c.CountSeats | None = None


@dataclass(frozen=True, slots=True)
class Feature:
    kind: int
    tiles: int = 0
    domain: int = 0
    types: int = 0
    low: int = 0
    high: int = 0


@dataclass(frozen=True, slots=True)
class ShapeSpec:
    melds: int
    runs: int
    triplets: int
    pairs: int
    twins: int
    each_of: tuple[int, ...]
    singles: tuple[tuple[int, int], ...]  # (how many, of which kinds)
    when: int | None


@dataclass(frozen=True, slots=True)
class FanSpec:
    count: int
    value: int
    unit: int
    late: bool
    limit: bool


Op = tuple[int, int, int, int, int]
"""Opcode, destination, and three operands."""


@dataclass(frozen=True)
class Program:
    """A rule set as numbers.  Fans and shapes stand in the order of the file."""

    copies: tuple[int, ...]
    hand_size: int
    shapes: tuple[ShapeSpec, ...]
    shape_names: tuple[str, ...]
    features: tuple[Feature, ...]
    alternatives: tuple[tuple[int, tuple[tuple[int, int], ...]], ...]  # (pattern, groups)
    constants: tuple[int, ...]
    code: dict[Stage, tuple[Op, ...]]
    fans: tuple[FanSpec, ...]
    fan_names: tuple[str, ...]
    absorptions: tuple[tuple[int, int, int], ...]
    picks: tuple[int, ...]
    money: int
    may_win: int
    may_wait: int
    n_registers: int
    facts: tuple[Fact, ...]
    probes: tuple[int, ...] = ()


def lower(special: Special, static: bool = False, probes: Sequence[c.Expr] = ()) -> Program:
    """The program of a rule set; with `static` without the fans that read situational words.

    `probes` are conditions whose truth is told with each result; whatever names they use are in the lets.
    TooLarge where the kernel has no room for it.
    """
    return _Lowering(special).program(static, probes)


def kinds_mask(kinds: Iterable[int]) -> int:
    return sum(1 << kind for kind in set(kinds))


@dataclass
class _Registers:
    """Constants, features and code, each register written once and shared by equal expressions."""

    constants: dict[int, int] = field(default_factory=dict)
    features: dict[Feature, int] = field(default_factory=dict)
    facts: dict[Fact, int] = field(default_factory=dict)
    code: dict[Stage, list[Op]] = field(default_factory=lambda: {stage: [] for stage in STAGES})
    known: dict[tuple[int, int, int, int], int] = field(default_factory=dict)
    next: int = 0


class _Lowering:
    def __init__(self, special: Special) -> None:
        self.special = special
        self.stage: Stage = "shape"
        self.registers = _Registers()
        self.patterns: dict[c.PatternIn, int] = {}
        self.alternatives: list[tuple[int, tuple[tuple[int, int], ...]]] = []
        self.lets: dict[str, int] = {}
        self.shape_numbers = {name: n for n, name in enumerate(special.shapes)}

    def program(self, static: bool, probes: Sequence[c.Expr] = ()) -> Program:
        special = self.special
        self.stage = "shape"
        shapes = tuple(self.placed(self.shape(shape), shape.span) for shape in special.shapes.values())
        fans: dict[str, FanSpec] = {}
        for late in (False, True):
            self.stage = "late" if late else "fan"
            for fan in special.fans.values():
                if fan.late == late:
                    fans[fan.name] = self.placed(self.fan(fan, static), fan.span)
        self.stage = "final"
        money, may_win, may_wait = (
            self.placed(self.lower(expr), expr.span) for expr in (special.money, special.may_win, special.may_wait)
        )
        probed = [self.placed(self.lower(probe), probe.span) for probe in probes]
        numbers = {name: n for n, name in enumerate(special.fans)}
        order, _ = absorption_order(special.fans.values())
        absorptions = tuple(
            (numbers[name], numbers[a.fan], a.count or 0) for name in order for a in special.fans[name].without
        )
        picks = tuple(sum(1 << numbers[fan] for fan in pick.fans) for pick in special.rules.picks.values())
        shift = len(self.registers.constants)

        def numbered(register: int) -> int:
            """A register's final number: what is computed follows the constants."""
            return register if register < _COMPUTED else register - _COMPUTED + _CONSTANTS + shift

        def numbered_op(op: Op) -> Op:
            code, dst, a, b, d = op
            if code in (_OPS["feature"], _OPS["fact"]):
                return code, numbered(dst), a, b, d
            return code, numbered(dst), numbered(a), numbered(b), numbered(d)

        return Program(
            copies=special.rules.copies,
            hand_size=special.rules.hand_size or 0,
            shapes=tuple(s if s.when is None else replace(s, when=numbered(s.when)) for s in shapes),
            shape_names=tuple(special.shapes),
            features=tuple(self.registers.features),
            alternatives=tuple(self.alternatives),
            constants=tuple(self.registers.constants),
            code={stage: tuple(numbered_op(op) for op in ops) for stage, ops in self.registers.code.items()},
            fans=tuple(
                FanSpec(numbered(f.count), numbered(f.value), f.unit, f.late, f.limit)
                for f in (fans[name] for name in special.fans)
            ),
            fan_names=tuple(special.fans),
            absorptions=absorptions,
            picks=picks,
            money=numbered(money),
            may_win=numbered(may_win),
            may_wait=numbered(may_wait),
            n_registers=_CONSTANTS + shift + self.registers.next,
            facts=tuple(self.registers.facts),
            probes=tuple(map(numbered, probed)),
        )

    # ---- declarations ----

    def placed(self, lowered: _T, place: Span) -> _T:
        """What has become of a declaration, if there is room for it."""
        registers = self.registers
        counts = {
            "registers": _CONSTANTS + len(registers.constants) + registers.next,
            "features": len(registers.features),
            "patterns": len(self.patterns),
            "alternatives": len(self.alternatives),
            "facts": len(registers.facts),
        }
        for what, limit in _ROOM.items():
            if counts[what] > limit:
                raise TooLarge(place, what, counts[what], limit)
        return lowered

    def shape(self, shape: c.Shape) -> ShapeSpec:
        return ShapeSpec(
            shape.melds,
            shape.runs,
            shape.triplets,
            shape.pairs,
            shape.twins,
            tuple(kinds_mask(kinds) for kinds in shape.each_of),
            tuple((single.count, kinds_mask(single.kinds)) for single in shape.singles),
            self.lower(shape.when) if shape.when else None,
        )

    def fan(self, fan: c.Fan, static: bool) -> FanSpec:
        unit = c.UNITS.index(fan.unit)
        never = isinstance(fan.when, c.Truth) or (static and fan.situational)
        if never:
            return FanSpec(self.constant(0), self.constant(0), unit, fan.late, fan.is_limit)
        count = self.lower(fan.per) if fan.per else self.constant(1)
        if fan.when:
            count = self.op("select", self.lower(fan.when), count, self.constant(0))
        return FanSpec(count, self.lower(fan.value), unit, fan.late, fan.is_limit)

    # ---- registers ----

    def constant(self, value: int) -> int:
        return _CONSTANTS + self.registers.constants.setdefault(value, len(self.registers.constants))

    def op(self, name: str, a: int, b: int = 0, d: int = 0) -> int:
        key = (_OPS[name], a, b, d)
        if key not in self.registers.known:
            register = _COMPUTED + self.registers.next
            self.registers.next += 1
            self.registers.code[self.stage].append((_OPS[name], register, a, b, d))
            self.registers.known[key] = register
        return self.registers.known[key]

    def feature(self, name: str, **fields: int) -> int:
        feature = Feature(_FEATURES[name], **fields)
        return self.op("feature", self.registers.features.setdefault(feature, len(self.registers.features)))

    def fact(self, fact: Fact) -> int:
        return self.op("fact", self.registers.facts.setdefault(fact, len(self.registers.facts)))

    def truth_fact(self, fact: Fact) -> int:
        return self.op("ne", self.fact(fact), self.constant(0))

    def all_of(self, registers: list[int], name: str = "and") -> int:
        result = registers[0]
        for register in registers[1:]:
            result = self.op(name, result, register)
        return result

    # ---- expressions ----

    def lower(self, expr: c.Expr) -> int:
        """The register that holds an expression's value."""
        match expr:
            case c.Number():
                return self.constant(expr.value)
            case c.Truth():
                return _TRUE if expr.value else _FALSE
            case c.Word():
                return self.word(expr)
            case c.StanceRef():
                fact = Fact(expr.name, expr.owner, stance=True)
                is_truth = self.special.rules.stances[expr.name].is_truth
                return self.truth_fact(fact) if is_truth else self.fact(fact)
            case c.LetRef():
                if expr.name not in self.lets:
                    self.lets[expr.name] = self.lower(self.special.lets[expr.name])
                return self.lets[expr.name]
            case c.Arithmetic():
                name = {"+": "add", "-": "sub", "*": "mul", "^": "pow"}[expr.operator]
                return self.op(name, self.lower(expr.left), self.lower(expr.right))
            case c.Extremum():
                return self.all_of([self.lower(a) for a in expr.arguments], expr.function)
            case c.Compare():
                return self.compare(expr.operator, self.lower(expr.left), self.lower(expr.right))
            case c.SymbolIs():
                return self.negated(self.symbol_is(expr), expr.negated)
            case c.TileIs():
                return self.negated(self.tile_is(expr), expr.negated)
            case c.Quantified():
                return self.quantified(expr)
            case c.PatternIn():
                return self.pattern(expr)
            case c.CountSeats():
                return self.fact(Fact("count", count=expr))
            case c.Logic():
                return self.all_of([self.lower(part) for part in expr.parts], expr.operator)
            case c.Not():
                return self.op("not", self.lower(expr.part))
            case c.If():
                return self.op("select", *map(self.lower, (expr.condition, expr.then, expr.otherwise)))
        raise AssertionError(f"specialise leaves no {type(expr).__name__}")

    def negated(self, register: int, negated: bool) -> int:
        return self.op("not", register) if negated else register

    def compare(self, operator: str, a: int, b: int) -> int:
        match operator:
            case "=":
                return self.op("eq", a, b)
            case "!=":
                return self.op("ne", a, b)
            case "<":
                return self.op("lt", a, b)
            case "<=":
                return self.op("le", a, b)
            case ">":
                return self.op("lt", b, a)
        return self.op("le", b, a)

    def word(self, expr: c.Word) -> int:
        if expr.owner is None:
            match expr.name:
                case "suit_count":
                    return self.feature("suits", types=0b111)
                case "concealed_count":
                    return self.feature("concealed")
                case "exposed_count":
                    return self.feature("melds", types=_MELDS)
                case "kong_count":
                    return self.feature("melds", types=_KONGS)
                case "void_count":
                    return self.feature("void_tiles")
                case "root_count":
                    return self.feature("kinds", tiles=ALL_KINDS, low=4, high=4)
                case "wait_count":
                    return self.feature("waits")
                case "waits_left":
                    return self.feature("waits_left")
                case "own_win_tiles":
                    return self.feature("win_tile_own")
                case "own_win_tiles_all":
                    return self.feature("win_tile_all")
                case "closed":
                    exposed = self.feature("melds", types=_types("chow", "pung", "direct_kong", "added_kong"))
                    return self.op("eq", exposed, self.constant(0))
                case "no_other_fan":
                    return _NO_OTHER
            if expr.name in _TOTALS:
                return _TOTALS[expr.name]
        fact = Fact(expr.name, expr.owner)
        return self.truth_fact(fact) if expr.is_truth else self.fact(fact)

    def symbol_is(self, expr: c.SymbolIs) -> int:
        if expr.symbol == "win_shape":
            subject = self.feature("shape")
            # A shape that the options have taken away is none that a reading can have.
            numbers = [self.shape_numbers.get(name, -1) for name in expr.values]
        elif expr.symbol == "wait_kind":
            subject = self.feature("wait")
            numbers = [_WAITS[name] for name in expr.values]
        else:
            subject = self.fact(Fact(expr.symbol))
            numbers = [KONG_KINDS.index(name) + 1 for name in expr.values]
        return self.all_of([self.op("eq", subject, self.constant(number)) for number in numbers], "or")

    def tile_is(self, expr: c.TileIs) -> int:
        parts = []
        if expr.tiles.kinds:
            parts.append(self.feature("win_tile_in", tiles=kinds_mask(expr.tiles.kinds)))
        if "void_tile" in expr.tiles.words:
            parts.append(self.feature("win_tile_void"))
        return self.all_of(parts, "or")

    def pattern(self, expr: c.PatternIn) -> int:
        if expr not in self.patterns:
            number = self.patterns[expr] = len(self.patterns)
            for groups in expr.alternatives:
                coded = tuple((_TYPES[_PATTERN_TYPES[type_]], kind) for type_, kind in groups)
                self.alternatives.append((number, coded))
        domain = _DOMAINS[expr.domain]
        if domain & _types("pair"):
            domain |= _types("twin")  # A pair of a pattern may be one of seven pairs.
        return self.feature("pattern", low=self.patterns[expr], domain=domain)

    # ---- quantifiers: how many pass the test, against how many there are ----

    def quantified(self, expr: c.Quantified) -> int:
        passed = self.passed(expr.domain, expr.test)
        match expr.quantifier:
            case "count":
                return passed
            case "some":
                return self.op("lt", self.constant(0), passed)
        all_pass = self.op("eq", passed, self.passed(expr.domain, None))
        return self.op("and", all_pass, self.op("lt", self.constant(0), passed))

    def passed(self, domain: str, test: c.Test | None) -> int:
        if domain in _DOMAINS:
            if test is None:
                return self.feature("groups", domain=_DOMAINS[domain], types=_DOMAINS[domain])
            assert isinstance(test, c.GroupTest)
            types = 0
            for name in test.types:
                types |= _CLASSES[name]
            return self.feature(
                "groups",
                domain=_DOMAINS[domain],
                types=types,
                tiles=kinds_mask(test.tiles.kinds),
                low=int(test.partly),
            )
        if isinstance(test, c.CopiesTest):
            return self.copies(test)
        kinds = kinds_mask(test.tiles.kinds) if isinstance(test, c.TileTest) else ALL_KINDS
        if domain == "suit":
            return self.feature("suits", types=sum(1 << s for s in range(3) if kinds >> (9 * s) & 1))
        if domain == "tile_kind":
            return self.feature("kinds", tiles=kinds, low=1, high=5)
        if isinstance(test, c.TileTest) and "void_tile" in test.tiles.words:
            return self.feature("void_tiles")
        return self.feature("tiles", tiles=kinds)

    def copies(self, test: c.CopiesTest) -> int:
        """Kinds by their copies: a sum over the numbers of copies that pass."""
        name = "kinds" if test.field == "copies" else "kinds_unkonged"
        if isinstance(test.value, c.Number):
            limit = test.value.value
            passing = [n for n in range(6) if COMPARISONS[test.operator](n, limit)]
            ranges = _ranges(passing)
            if not ranges:
                return self.constant(0)
            return self.all_of([self.feature(name, tiles=ALL_KINDS, low=a, high=b) for a, b in ranges], "add")
        value = self.lower(test.value)
        counts = []
        for n in range(6):
            passes = self.compare(test.operator, self.constant(n), value)
            held = self.feature(name, tiles=ALL_KINDS, low=n, high=n)
            counts.append(self.op("select", passes, held, self.constant(0)))
        return self.all_of(counts, "add")


def _ranges(numbers: list[int]) -> list[tuple[int, int]]:
    """Ascending numbers as ranges: 0 1 3 4 is 0-1 and 3-4."""
    ranges: list[tuple[int, int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return ranges
