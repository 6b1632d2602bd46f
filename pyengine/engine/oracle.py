"""The meaning of a rule set, in plain Python: slow, obvious, and what the kernel must agree with.

It reads the resolved rule set itself, not the program made from it: hands are taken apart by trying
everything, and each expression is what the language reference says it is.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from pyengine.engine.readings import (
    KONGS,
    MELD_TYPES,
    NO_READING,
    TRIPLETS,
    Group,
    Reading,
    group_tiles,
    places,
    shape_splits,
)
from pyengine.engine.situation import alone
from pyengine.engine.unlimited import Unlimited, number_of, truth_of
from pyengine.language import core as c
from pyengine.language.check import absorption_order
from pyengine.language.specialise import ARITHMETIC, COMPARISONS, Values, clamp
from pyengine.notation.hand import Hand

_MELDS = TRIPLETS | {"run", "chow"}
_CLASSES = {
    "run": {"run", "chow"},
    "triplet": TRIPLETS,
    "kong": KONGS,
    "direct_kong": {"direct_kong"},
    "added_kong": {"added_kong"},
    "concealed_kong": {"concealed_kong"},
    "exposed_kong": {"direct_kong", "added_kong"},
    "concealed_triplet": {"triplet", "concealed_kong"},
    "exposed_triplet": {"claimed", "pung", "direct_kong", "added_kong"},
}
_PATTERN = {"run": {"run", "chow"}, "triplet": TRIPLETS, "kong": KONGS, "pair": {"pair", "twin"}}
_DOMAINS = {"meld": _MELDS, "pair": {"pair"}, "group": _MELDS | {"pair"}}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a hand is worth: of its best reading that may win, or, where none may, of its best one.

    `counts` are the fans that count, `found` those that are there before choice and absorption.
    """

    win: bool
    reading: Reading | None = None
    money: int = 0
    totals: tuple[int, int, int, int] = (0, 1, 0, 0)
    counts: tuple[int, ...] = ()
    found: tuple[int, ...] = ()
    values: tuple[int, ...] = ()
    may_wait: bool = False


# ---- one reading in its situation ---------------------------------------------------------------


class Told(Protocol):
    """What is known beside the tiles; seat 0 is the one whose hand it is."""

    @property
    def is_claimed(self) -> bool: ...
    def seat(self, word: str, seat: int = 0) -> int: ...
    def stance(self, name: str, owner: str | None = None) -> int: ...
    def owned(self, word: str, owner: str | None) -> int: ...


@dataclass(frozen=True)
class View:
    """Everything an expression can ask about."""

    hand: Hand
    situation: Told
    reading: Reading
    judge: Oracle
    no_other: bool = False
    totals: tuple[int, int, int, int] = (0, 1, 0, 0)
    seat: int = 0
    # Worked out once for a view; one that is changed begins anew.
    lets: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    _seats: dict[int, View] = field(default_factory=dict, init=False, repr=False, compare=False)

    def at(self, seat: int) -> View:
        """The same view from another seat."""
        if seat == self.seat:
            return self
        if seat not in self._seats:
            view = self._seats[seat] = replace(self, seat=seat)
            object.__setattr__(view, "_seats", self._seats)
        return self._seats[seat]

    @cached_property
    def copies(self) -> tuple[int, ...]:
        """Copies by kind, melds included."""
        counts = list(self.hand.concealed)
        for meld in self.hand.melds:
            for kind in meld.tiles:
                counts[kind] += 1
        return tuple(counts)

    @cached_property
    def waits(self) -> list[int]:
        """Kinds that complete the hand without the winning tile and of which it does not hold all."""
        if self.hand.win is None:
            return []
        before = list(self.hand.concealed)
        before[self.hand.win] -= 1
        kinds = self.judge.waits(replace(self.hand, concealed=tuple(before), win=None))
        return [kind for kind in kinds if before[kind] < self.judge.rules.copies[kind]]


_Eval = Callable[[View], Any]


class Oracle:
    """Judges hands by a rule set under option values."""

    def __init__(self, rules: c.Rules, values: Values) -> None:
        self.rules = rules
        self.values = values
        self.stances = {name: stance.value for name, stance in rules.stances.items()}
        self._compiled: dict[str, _Eval] = {}
        self._kept: dict[int, tuple[_Eval, c.Expr]] = {}
        self.fans = list(rules.fans.values())
        self._names = {fan.name: n for n, fan in enumerate(self.fans)}
        self._order = [self._names[name] for name in absorption_order(self.fans)[0]]
        self._whens = [self.compile(fan.when) if fan.when else None for fan in self.fans]
        self._pers = [self.compile(fan.per) if fan.per else None for fan in self.fans]
        self._values = [self.compile(fan.value) for fan in self.fans]
        self._shapes = [(s, self.compile(s.when) if s.when else None) for s in rules.shapes.values()]
        self._final = {name: self._reserved(name) for name in ("win_money", "may_win", "may_wait")}

    def _reserved(self, english: str) -> _Eval:
        let = self.rules.let(english)
        return self.compile(let.value) if let else lambda view: True

    # ---- hands ----

    def score(self, hand: Hand, static: bool = False) -> Verdict:
        """The best of all readings; `static` leaves out the fans that read situational words."""
        best: Verdict | None = None
        best_key: tuple[Any, ...] | None = None
        told = alone(hand, self.stances)
        for reading in self.readings(hand):
            for verdict in self._verdicts(View(hand, told, reading, self), static):
                fewest = -sum(verdict.counts)
                key = (verdict.win, verdict.money, verdict.totals, fewest, verdict.counts)
                if best_key is None or key > best_key:
                    best, best_key = verdict, key
        return best or Verdict(False)

    def readings(self, hand: Hand) -> Iterator[Reading]:
        """Every reading whose shape's condition holds, in the order that settles ties."""
        told = alone(hand, self.stances)
        exposed = [(MELD_TYPES[meld.type], meld.tile) for meld in hand.melds]
        for shape, when in self._shapes:
            for groups in shape_splits(shape, hand.concealed, exposed):
                for reading in places(shape.name, [*exposed, *groups], len(exposed), hand.win, told.is_claimed):
                    if when is None or when(View(hand, told, reading, self)):
                        yield reading

    def waits(self, hand: Hand) -> list[int]:
        """Kinds of the tile set that complete a waiting hand, a fifth copy included."""
        found = []
        for kind in range(34):
            if self.rules.copies[kind]:
                counts = list(hand.concealed)
                counts[kind] += 1
                if next(self.readings(replace(hand, concealed=tuple(counts), win=kind)), None):
                    found.append(kind)
        return found

    def evaluate(
        self,
        expr: c.Expr,
        hand: Hand,
        reading: Reading | None = None,
        totals: tuple[int, int, int, int] = (0, 1, 0, 0),
        no_other: bool = False,
    ) -> int | bool | None:
        """The value of any expression about a hand: None where 无 stands or is left in arithmetic."""
        view = View(hand, alone(hand, self.stances), reading or NO_READING, self, no_other, totals)
        try:
            value: int | bool | None = self.compile(expr)(view)
        except Unlimited:
            return None
        return value

    # ---- fans of a reading ----

    def _verdicts(self, view: View, static: bool) -> Iterator[Verdict]:
        """One verdict for every way to choose from the 择一 sets."""
        fans = self.fans
        absent = [static and fan.situational for fan in fans]
        early = [0 if absent[n] or fans[n].late else self._count(n, view) for n in range(len(fans))]
        values = [0 if absent[n] else self._value(n, view) for n in range(len(fans))]
        members = [[self._names[name] for name in pick.fans] for pick in self.rules.picks.values()]
        there = [[n for n in pick if early[n]] for pick in members]
        picks = [pick for pick in there if pick]
        for chosen in itertools.product(*picks) if picks else [()]:
            left_out = {n for members, kept in zip(picks, chosen, strict=True) for n in members if n != kept}
            counts = [0 if n in left_out else early[n] for n in range(len(fans))]
            self._absorb(counts, late=False)
            with_other = replace(view, no_other=not any(counts))
            found = list(early)
            for n, fan in enumerate(fans):
                if fan.late and not absent[n]:
                    found[n] = self._count(n, with_other)
                    counts[n] = 0 if n in left_out else found[n]
            self._absorb(counts, late=True)
            totals = self._totals(counts, values)
            final = replace(view, totals=totals)
            yield Verdict(
                bool(self._final["may_win"](final)),
                view.reading,
                int(self._final["win_money"](final)),
                totals,
                tuple(counts),
                tuple(found),
                tuple(values),
                bool(self._final["may_wait"](final)),
            )

    def _count(self, n: int, view: View) -> int:
        when, per = self._whens[n], self._pers[n]
        if when and not when(view):
            return 0
        return int(per(view)) if per else 1

    def _value(self, n: int, view: View) -> int:
        try:
            return int(self._values[n](view))
        except Unlimited:
            if self._count(n, view):
                raise
            return 0

    def _absorb(self, counts: list[int], late: bool) -> None:
        """不计, absorbers before what they absorb; `late` is the second round, for 无他番 fans."""
        for n in self._order:
            for absorbed in self.fans[n].without:
                target = self._names[absorbed.fan]
                if self.fans[target].late == late and counts[n] > 0:
                    taken = counts[target] if absorbed.count is None else absorbed.count * counts[n]
                    counts[target] = max(0, counts[target] - taken)

    def _totals(self, counts: list[int], values: list[int]) -> tuple[int, int, int, int]:
        totals = {"fan": 0, "times": 1, "point": 0, "base": 0}
        limits: list[tuple[str, int]] = []
        for fan, count, value in zip(self.fans, counts, values, strict=True):
            if not count:
                continue
            if fan.is_limit:
                limits.append((fan.unit, value))
            elif fan.unit == "times":
                for _ in range(count):
                    totals["times"] = clamp(totals["times"] * value)
            else:
                totals[fan.unit] = clamp(totals[fan.unit] + clamp(count * value))
        for unit, value in limits:
            totals[unit] = max(totals[unit], value)
        return totals["fan"], totals["times"], totals["point"], totals["base"]

    # ---- expressions ----

    def compile_once(self, expr: c.Expr) -> _Eval:
        """An expression as a function of a view, kept for the next time."""
        kept = self._kept.get(id(expr))
        if kept is None:
            # The expression is kept with its function, so that its id stays its own.
            kept = self._kept[id(expr)] = (self.compile(expr), expr)
        return kept[0]

    def compile(self, expr: c.Expr) -> _Eval:
        """An expression as a function of a view."""
        match expr:
            case c.Number() | c.Truth():
                value = expr.value
                return lambda view: value
            case c.OptionRef():
                return self._option(expr)
            case c.OptionIs():
                among = any(
                    type(v) is type(self.values[expr.name]) and v == self.values[expr.name] for v in expr.values
                )
                return lambda view: among != expr.negated
            case c.StanceRef():
                return lambda view: view.situation.stance(expr.name, expr.owner)
            case c.LetRef():
                return self._let(expr.name)
            case c.Word():
                return self._word(expr)
            case c.Arithmetic():
                left, right, combine = self._number(expr.left), self._number(expr.right), ARITHMETIC[expr.operator]
                return lambda view: combine(left(view), right(view))
            case c.Compare():
                left, right = self._number(expr.left), self._number(expr.right)
                holds = COMPARISONS[expr.operator]
                return lambda view: holds(left(view), right(view))
            case c.Extremum():
                return self._extremum(expr)
            case c.Logic():
                return self._logic(expr)
            case c.Not():
                part = self.compile(expr.part)
                return lambda view: not part(view)
            case c.If():
                condition, then, otherwise = map(self.compile, (expr.condition, expr.then, expr.otherwise))
                return lambda view: then(view) if condition(view) else otherwise(view)
            case c.SymbolIs():
                return self._symbol(expr)
            case c.TileIs():
                return lambda view: (
                    ((tile := _tile_of(view, expr.tile)) is not None and _is_tile(view, tile, expr.tiles))
                    != expr.negated
                )
            case c.Quantified():
                return self._quantified(expr)
            case c.PatternIn():
                return _pattern(_DOMAINS[expr.domain], expr.alternatives)
            case c.CountSeats():
                seats = self.compile(expr.seats)
                players = self.rules.play.get("players", (4,))[0]
                return lambda view: sum(bool(seats(view.at(seat))) for seat in range(int(players)))
        raise AssertionError(f"nothing means {type(expr).__name__}")

    def _number(self, expr: c.Expr) -> _Eval:
        """An expression whose value must be a number: 无 is none."""
        return number_of(self.compile(expr))

    def _option(self, expr: c.OptionRef) -> _Eval:
        value = self.values[expr.name]
        return lambda view: value

    def _let(self, name: str) -> _Eval:
        if name not in self._compiled:
            value = self.compile(self.rules.lets[name].value)

            def worked_out(view: View) -> Any:
                if name not in view.lets:
                    view.lets[name] = value(view)
                return view.lets[name]

            self._compiled[name] = worked_out
        return self._compiled[name]

    def _extremum(self, expr: c.Extremum) -> _Eval:
        arguments = [self.compile(a) for a in expr.arguments]
        chosen: Callable[..., int] = min if expr.function == "min" else max

        def extremum(view: View) -> int | None:
            values = [argument(view) for argument in arguments]
            if None in values and expr.function == "max":
                raise Unlimited
            return chosen((v for v in values if v is not None), default=None)

        return extremum

    def _logic(self, expr: c.Logic) -> _Eval:
        return truth_of(expr.operator, [self.compile(part) for part in expr.parts])

    def _word(self, expr: c.Word) -> _Eval:
        name, owner = expr.name, expr.owner
        if owner is None and name in _HAND_WORDS:
            of_hand = _HAND_WORDS[name]
            return lambda view: of_hand(view) if view.seat == 0 else 0
        return lambda view: view.situation.owned(name, owner) if owner else view.situation.seat(name, view.seat)

    def _symbol(self, expr: c.SymbolIs) -> _Eval:
        if expr.symbol == "win_shape":
            return lambda view: (view.reading.shape in expr.values) != expr.negated
        if expr.symbol == "wait_kind":
            return lambda view: (view.reading.wait in expr.values) != expr.negated
        if expr.symbol == "from_seat":
            return lambda view: (getattr(view.situation, "from_seat", None) in expr.values) != expr.negated
        kongs = ("", "direct_kong", "added_kong", "concealed_kong")
        return lambda view: (kongs[view.situation.seat(expr.symbol, view.seat)] in expr.values) != expr.negated

    def _quantified(self, expr: c.Quantified) -> _Eval:
        members = _MEMBERS[expr.domain]
        passes = self._test(expr.domain, expr.test)
        if expr.quantifier == "count":
            return lambda view: sum(passes(view, member) for member in members(view))
        if expr.quantifier == "some":
            return lambda view: any(passes(view, member) for member in members(view))

        def all_of(view: View) -> bool:
            # Nothing is true of all members of an empty domain.
            found = members(view)
            return bool(found) and all(passes(view, member) for member in found)

        return all_of

    def _test(self, domain: str, test: c.Test | None) -> Callable[[View, Any], bool]:
        match test:
            case None:
                return lambda view, member: True
            case c.GroupTest():
                types = set().union(*(_CLASSES[name] for name in test.types))
                among = any if test.partly else all
                return lambda view, group: (
                    group[0] in types or (among(_is_tile(view, kind, test.tiles) for kind in group_tiles(group)))
                )
            case c.CopiesTest():
                value, holds = self._number(test.value), COMPARISONS[test.operator]
                if test.field == "copies":
                    return lambda view, kind: holds(view.copies[kind], value(view))
                return lambda view, kind: holds(
                    0 if any(m.is_kong and m.tile == kind for m in view.hand.melds) else view.copies[kind],
                    value(view),
                )
            case c.TileTest() if domain == "suit":
                return lambda view, suit: 9 * suit in test.tiles.kinds
            case c.TileTest():
                return lambda view, kind: _is_tile(view, kind, test.tiles)


def _tile_of(view: View, word: str) -> int | None:
    """The tile that a word means: the winning one, or of a move at the table the one it is about."""
    return view.hand.win if word == "win_tile" else getattr(view.situation, word, None)


def _is_tile(view: View, kind: int, tiles: c.TileClass) -> bool:
    return (
        kind in tiles.kinds
        or ("void_tile" in tiles.words and kind // 9 == view.hand.void)
        or ("drawn_tile" in tiles.words and kind == getattr(view.situation, "drawn_tile", None))
    )


def _pattern(domain: set[str], alternatives: Sequence[tuple[tuple[str, int], ...]]) -> Callable[[View], bool]:
    """Whether a pattern is in the reading; most of what it stands for is not, by the kinds of the groups alone."""
    asked = [(alternative, {kind for _, kind in alternative}) for alternative in alternatives]

    def is_there(view: View) -> bool:
        held = {kind for _, kind in view.reading.groups}
        return any(_matches(view.reading, domain, alternative) for alternative, kinds in asked if kinds <= held)

    return is_there


def _matches(reading: Reading, domain: set[str], alternative: tuple[tuple[str, int], ...]) -> bool:
    """Whether each group of a pattern is in the reading by a group of its own."""
    allowed = domain | ({"twin"} if "pair" in domain else set())
    groups = [group for group in reading.groups if group[0] in allowed]
    for chosen in itertools.permutations(groups, len(alternative)):
        if all(g[1] == kind and g[0] in _PATTERN[type_] for g, (type_, kind) in zip(chosen, alternative, strict=True)):
            return True
    return False


def _physical(view: View) -> list[int]:
    return [kind for kind, copies in enumerate(view.copies) for _ in range(copies)]


def _held_suits(view: View) -> list[int]:
    return [suit for suit in range(3) if any(view.copies[9 * suit : 9 * suit + 9])]


def _of_domain(domain: str) -> Callable[[View], list[Group]]:
    return lambda view: [group for group in view.reading.groups if group[0] in _DOMAINS[domain]]


_MEMBERS: Mapping[str, Callable[[View], list[Any]]] = {
    "meld": _of_domain("meld"),
    "pair": _of_domain("pair"),
    "group": _of_domain("group"),
    "tile": _physical,
    "tile_kind": lambda view: [kind for kind, copies in enumerate(view.copies) if copies],
    "suit": _held_suits,
}


def _melds_of(view: View, types: set[str]) -> int:
    return sum(MELD_TYPES[meld.type] in types for meld in view.hand.melds)


def _own_win_tiles(view: View) -> int:
    return 0 if view.hand.win is None else view.hand.concealed[view.hand.win] - 1


_HAND_WORDS: Mapping[str, Callable[[View], int]] = {
    "suit_count": lambda view: len(_held_suits(view)),
    "concealed_count": lambda view: sum(view.hand.concealed),
    "exposed_count": lambda view: len(view.hand.melds),
    "kong_count": lambda view: _melds_of(view, KONGS),
    "void_count": lambda view: 0 if view.hand.void is None else sum(view.copies[9 * view.hand.void :][:9]),
    "root_count": lambda view: Counter(view.copies)[4],
    "wait_count": lambda view: len(view.waits),
    "waits_left": lambda view: sum(max(0, view.judge.rules.copies[k] - view.hand.seen[k]) for k in view.waits),
    "own_win_tiles": _own_win_tiles,
    "own_win_tiles_all": lambda view: 0 if view.hand.win is None else view.copies[view.hand.win] - 1,
    "closed": lambda view: int(_melds_of(view, {"chow", "pung", "direct_kong", "added_kong"}) == 0),
    "no_other_fan": lambda view: int(view.no_other),
    "fan_total": lambda view: view.totals[0],
    "multiplier": lambda view: view.totals[1],
    "point_total": lambda view: view.totals[2],
    "base_total": lambda view: view.totals[3],
}
