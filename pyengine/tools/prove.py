"""A rule set checked on every hand there is: what each fan is worth a look for, and every law.

Everything here is exact, over the space of `engine/space.py`.  What an author should look at comes as
diagnostics; one whose code a fan's 注 begins with is known to the author and not told again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyengine.engine.ruleset import Ruleset
from pyengine.engine.space import NO_WIN, Asked, Space, Unfolded, bits
from pyengine.language import core as c
from pyengine.language.diagnostics import Diagnostic
from pyengine.language.source import Span
from pyengine.language.specialise import Folder, Nowhere
from pyengine.notation.hand import Hand
from pyengine.tools.conditions import (
    Cap,
    Condition,
    Questions,
    all_of,
    asks_too_much,
    caps,
    conditions_of,
    is_off,
    prefixes,
    presence,
    without,
)
from pyengine.tools.examples import expected_fans
from pyengine.tools.explore import DEPTH, Explored, explore, game_text
from pyengine.tools.witness import score_command

Array = NDArray[Any]
MOST_ASKED = 256  # MJ_MAX_PROBES
CHUNK = 24  # conditions of one space; more of them make more classes than they save


# ---- what was found -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FanFacts:
    """A fan: hands that it counts in and hands that it is there in, in some context, with the smallest."""

    name: str
    off: bool
    hands: int
    there: int
    example: Hand | None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two fans: `relation` is never, sometimes, implies (a is never there without b), implied, or same.

    `both` counts hands in which both count, `example` is the smallest; `settled` says by what, or is empty.
    """

    a: str
    b: str
    relation: str
    both: int
    example: Hand | None
    settled: str


@dataclass(frozen=True, slots=True)
class Law:
    """A 保证: `counterexample` is the smallest hand that breaks it, None where it is proved.

    It is not `asked` where the options leave 无 in it, which is no number to reckon with.
    """

    name: str
    span: Span
    counterexample: Hand | None
    broken: int
    asked: bool = True


@dataclass(frozen=True, slots=True)
class Reached:
    """A cap: in the plainest way to win, hands that reach it and hands that it cuts."""

    text: str
    limit: int
    reached: int
    cut: int
    example: Hand | None


@dataclass(frozen=True, slots=True)
class Some:
    """So many hands, and the smallest of them."""

    hands: int
    example: Hand | None


@dataclass(frozen=True)
class Proof:
    """Everything that is known of a rule set's hands."""

    rules: Ruleset
    hands: int
    told: bool  # hands are told, and counted, with each of their winning tiles
    classes: int
    contexts: int
    fans: tuple[FanFacts, ...]
    pairs: tuple[Pair, ...]
    laws: tuple[Law, ...]
    gaps: Some
    ties: Some
    by: str  # the plainest way to win, of which values and caps speak
    values: tuple[tuple[int, int, Hand], ...]  # points, hands, the smallest
    most: tuple[int, Hand] | None
    caps: tuple[Reached, ...]
    explored: Explored | None
    found: tuple[Diagnostic, ...]
    left_out: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not any(diagnostic.is_error for diagnostic in self.found)


# ---- asking -------------------------------------------------------------------------------------


class Answers:
    """Truths of conditions on every hand: in one space where that is not too much, else in several."""

    def __init__(self, rules: Ruleset, asked: Sequence[c.Expr]) -> None:
        self._rules, self._asked = rules, asked
        self._known: dict[int, tuple[Space, int]] = {}
        try:
            if len(asked) > MOST_ASKED:
                raise Unfolded("sees_too_much")
            self.space = self._ask(range(len(asked)))
        except Unfolded as error:
            if error.reason != "sees_too_much" or not asked:
                raise
            self.space = Space([Asked(rules)])
            for first in range(0, len(asked), CHUNK):
                self._ask(range(first, min(first + CHUNK, len(asked))))

    def _ask(self, numbers: range) -> Space:
        space = Space([Asked(self._rules, tuple(self._asked[n] for n in numbers))])
        self._known.update({number: (space, place) for place, number in enumerate(numbers)})
        return space

    def _of(self, number: int, name: str) -> tuple[Space, Array]:
        space, place = self._known[number]
        words = space.proofs[0][name][:, place // 64]
        return space, (words >> np.uint64(place % 64) & np.uint64(1)).astype(np.bool_)

    def holds(self, number: int) -> bool:
        """Whether a condition holds of some reading of a hand that wins."""
        return bool(self._of(number, "ever")[1].any())  # Verdicts are of cells that there are.

    def broken(self, number: int) -> Some:
        """The hands that win though a condition does not hold of their best reading."""
        space, held = self._of(number, "probes")
        cells = space.cells(0, ~held & (space.proofs[0]["win"] == 1))
        return Some(space.count(cells.any(axis=1)), space.first(cells))

    def held(self, number: int, by: str) -> Some:
        """The hands of whose best reading a condition holds when they are won so without flags."""
        space, held = self._of(number, "probes")
        cells = np.zeros(space.verdicts[0].shape, np.bool_)
        won = held & (space.proofs[0]["win"] == 1)
        cells[np.arange(len(cells)), space.plainest(by)] = won[space.plainly(0, by)]
        return Some(space.count(cells.any(axis=1)), space.first(cells))


class Interrogation:
    """Everything that is asked of a rule set's hands, put together before the hands are looked at."""

    def __init__(self, rules: Ruleset, on: Sequence[str]) -> None:
        questions = Questions()
        self.whole = {name: questions.ask(presence(rules, name)) for name in on}
        self.needs = {name: [(parts, questions.ask(all_of(parts))) for parts in prefixes(rules, name)] for name in on}
        self.parts = {
            name: [
                (condition, questions.ask(condition.when_true), questions.ask(condition.when_false))
                for condition in conditions_of(rules, name)
            ]
            for name in on
        }
        self.laws = [
            (claim, questions.ask(claim.law) if _is_asked(rules, claim.law) else None) for claim in rules.rules.claims
        ]
        self.caps: list[tuple[Cap, int, int]] = []
        for cap in caps(rules):
            limit = c.Number(cap.span, cap.limit)
            reaches = questions.ask(c.Compare(cap.span, ">=", cap.held, limit))
            self.caps.append((cap, reaches, questions.ask(c.Compare(cap.span, ">", cap.held, limit))))
        self.answers = Answers(rules, questions.asked)


def _is_asked(rules: Ruleset, expr: c.Expr) -> bool:
    """Whether the options leave a condition that can be asked: 无 may be left in it."""
    try:
        Folder(rules.rules, rules.values).some(expr)
    except Nowhere:
        return False
    return True


# ---- the proof ------------------------------------------------------------------------------------


class Prover:
    """Puts together what a rule set's hands show."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.names = rules.fan_names
        self.on = [name for name in self.names if not is_off(rules, name)]
        self.asked = Interrogation(rules, self.on)
        self.space = self.asked.answers.space
        proofs = self.space.proofs[0]
        self.counting = dict(zip(self.names, bits(proofs["fans"], len(self.names)), strict=True))
        self.there = dict(zip(self.names, bits(proofs["found"], len(self.names)), strict=True))

    def some(self, of_proof: Array) -> Some:
        cells = self.space.cells(0, of_proof)
        return Some(self.space.count(cells.any(axis=1)), self.space.first(cells))

    def prove(self, depth: int) -> Proof:
        proofs, space = self.space.proofs[0], self.space
        won = proofs["win"] == 1
        found: list[Diagnostic] = []
        fans = tuple(self.fan(name) for name in self.names)
        pairs = tuple(self.pairs())
        laws = tuple(self.laws())
        gaps = self.some(won & (proofs["fans"] == 0)) if self.on else Some(0, None)
        ties = self.some(won & (proofs["tied"] == 1))
        values = tuple(self.values())
        found += self.of_fans(fans)
        found += self.of_pairs(pairs)
        found += self.of_laws(laws)
        head = self.rules.rules.sources[-1].head
        if gaps.example:
            found.append(Diagnostic("W957", head, {"n": f"{gaps.hands:,}", "command": self.command(gaps.example)}))
        explored = explore(self.rules, depth) if self.rules.rules.flows and depth else None
        found += of_games(explored) if explored else []
        most = int(proofs["points"][won].max()) if won.any() else 0
        best = space.first(space.cells(0, won & (proofs["points"] == most)))
        return Proof(
            self.rules,
            space.hands,
            space.told,
            len(space.classes),
            len(space.contexts) * space.n_groups,
            fans,
            pairs,
            laws,
            gaps,
            ties,
            self.by,
            values,
            (most, best) if best else None,
            tuple(self.caps()),
            explored,
            tuple(diagnostic for diagnostic in found if not self.is_known(diagnostic)),
        )

    def command(self, hand: Hand) -> str:
        return score_command(self.rules, hand)

    # ---- fans ----

    def fan(self, name: str) -> FanFacts:
        counting, there = self.some(self.counting[name]), self.some(self.there[name])
        return FanFacts(name, name not in self.on, counting.hands, there.hands, counting.example)

    def of_fans(self, fans: Sequence[FanFacts]) -> Iterator[Diagnostic]:
        """Fans that never occur, and conditions that could be left out."""
        answers = self.asked.answers
        for facts in fans:
            name, fan = facts.name, self.rules.rules.fans[facts.name]
            if facts.off:
                continue
            if not answers.holds(self.asked.whole[name]):
                dead = next((parts for parts, number in self.asked.needs[name] if not answers.holds(number)), ())
                text = " 且 ".join(" ".join(part.span.text.split()) for part in dead) or name
                yield Diagnostic("W951", dead[-1].span if dead else fan.span, {"name": name, "text": text})
                continue
            if facts.there and not facts.hands:
                yield Diagnostic("W954", fan.span, {"name": name})
            told: list[Span] = []
            for condition, true, false in self.asked.parts[name]:
                if any(whole.start <= condition.span.start and condition.span.end <= whole.end for whole in told):
                    continue  # What is said of the whole goes for its parts.
                for diagnostic in self.of_condition(condition, answers.holds(true), answers.holds(false)):
                    told.append(condition.span)
                    yield diagnostic

    def of_condition(self, condition: Condition, true: bool, false: bool) -> Iterator[Diagnostic]:
        facts = {"name": condition.fan, "text": " ".join(condition.span.text.split())}
        if not false and condition.role != "or":
            yield Diagnostic("W952", condition.span, facts)
        elif not true and condition.role != "whole":
            yield Diagnostic("W953", condition.span, facts)

    # ---- pairs ----

    def pairs(self) -> Iterator[Pair]:
        settled = self.settled()
        live = np.zeros(len(self.space.proofs[0]), np.bool_)
        live[np.unique(self.space.verdicts[0])] = True
        there = {name: self.there[name] & live for name in self.on}
        for a, b in combinations([name for name in self.on if there[name].any()], 2):
            both_there = there[a] & there[b]
            a_alone, b_alone = (there[a] & ~there[b]).any(), (there[b] & ~there[a]).any()
            if not both_there.any():
                relation = "never"
            elif not a_alone:
                relation = "implies" if b_alone else "same"
            else:
                relation = "sometimes" if b_alone else "implied"
            both = self.some(self.counting[a] & self.counting[b] & live)
            shown = both.example or self.some(both_there).example
            yield Pair(a, b, relation, both.hands, shown, settled.get(frozenset((a, b)), ""))

    def settled(self) -> dict[frozenset[str], str]:
        """Pairs of fans of which the file says how they go together, and where."""
        rules = self.rules.rules
        found: dict[frozenset[str], str] = {}

        def settle(names: Sequence[str], how: str) -> None:
            for pair in combinations(sorted(set(names)), 2):
                found.setdefault(frozenset(pair), how)

        for fan in rules.fans.values():
            for absorbed in fan.without:
                settle([fan.name, absorbed.fan], "absorbed")
        for pick in rules.picks.values():
            settle(pick.fans, "pick")
        for combo in rules.combos.values():
            settle([name for name, _ in combo.parts], "combo")
        for example in rules.examples:
            settle(list(expected_fans(self.rules, example.declaration.fans)), "example")
        return found

    def of_pairs(self, pairs: Sequence[Pair]) -> Iterator[Diagnostic]:
        """Pairs that count together though the file says nothing of it, one diagnostic for each fan."""
        fans = self.rules.rules.fans
        own = self.rules.rules.sources[-1]
        open_pairs: dict[str, list[Pair]] = {}
        for pair in pairs:
            if not pair.both or pair.settled or not self.is_about_tiles(pair.a, pair.b):
                continue
            declared = [name for name in (pair.b, pair.a) if fans[name].span.source is own]
            if declared and not any(self.is_noted(name, "W955") for name in (pair.a, pair.b)):
                open_pairs.setdefault(declared[0], []).append(pair)
        for name, found in open_pairs.items():
            others = [pair.a if pair.b == name else pair.b for pair in found]
            example = found[0].example
            facts = {"name": name, "others": " ".join(others), "command": self.command(example) if example else ""}
            yield Diagnostic("W955", fans[name].span, facts)

    @cached_property
    def _reads(self) -> dict[str, set[str]]:
        return {name: set(_sees(self.rules, self.rules.special.fans[name])) for name in self.on}

    def is_about_tiles(self, a: str, b: str) -> bool:
        """Whether both fans ask of the tiles, or both of how they were won: nobody asks whether others add up.

        A fan without a condition, and one that is counted (每个), are there beside any other."""
        fans = self.rules.special.fans
        if any(not fans[name].when or fans[name].per for name in (a, b)):
            return False
        return bool(self._reads[a] & self._reads[b])

    # ---- laws, values, caps ----

    def laws(self) -> Iterator[Law]:
        for claim, number in self.asked.laws:
            broken = self.asked.answers.broken(number) if number is not None else Some(0, None)
            name, span = claim.declaration.name.text, claim.declaration.span
            yield Law(name, span, broken.example, broken.hands, number is not None)

    def of_laws(self, laws: Sequence[Law]) -> Iterator[Diagnostic]:
        for law in laws:
            if law.counterexample:
                facts = {"text": law.name, "n": f"{law.broken:,}", "command": self.command(law.counterexample)}
                yield Diagnostic("E951", law.span, facts)

    @cached_property
    def by(self) -> str:
        """The plainest way to win: by discard, or where the rules know no such win, by an own draw."""
        return "点炮" if (self.space.plainly(0, "点炮") > NO_WIN).any() else "自摸"

    def values(self) -> Iterator[tuple[int, int, Hand]]:
        """What hands are worth in the plainest way to win: points, hands, the smallest."""
        proofs, space = self.space.proofs[0], self.space
        column = space.plainly(0, self.by)
        won = column > NO_WIN
        points = np.where(won, proofs["points"][column], 0)
        for value in np.unique(points[won]):
            classes = won & (points == value)
            first = int(classes.argmax())
            yield int(value), space.count(classes), space.hand(first, int(space.plainest(self.by)[first]))

    def caps(self) -> Iterator[Reached]:
        for cap, reaches, passes in self.asked.caps:
            reached, cut = self.asked.answers.held(reaches, self.by), self.asked.answers.held(passes, self.by)
            yield Reached(" ".join(cap.span.text.split()), cap.limit, reached.hands, cut.hands, reached.example)

    # ---- what the author knows ----

    def is_noted(self, fan: str, code: str) -> bool:
        return any(note.startswith(code) for note in self.rules.rules.fans[fan].meta.notes)

    def is_known(self, diagnostic: Diagnostic) -> bool:
        """Whether a fan's 注 begins with the code: the author has looked at it."""
        name = diagnostic.facts.get("name")
        return isinstance(name, str) and name in self.rules.rules.fans and self.is_noted(name, diagnostic.code)


_OF_WIN = frozenset("self_draw discard_win robbed_kong after_kong kong_chain last_tile first_turn dealer".split())


def _sees(rules: Ruleset, fan: c.Fan) -> Iterator[str]:
    """What a fan's condition asks about: `tiles`, `win`, or both; names of lets followed."""
    pending: list[c.Expr] = [fan.when] if fan.when else []
    seen: set[str] = set()
    while pending:
        for expr in c.walk(pending.pop()):
            match expr:
                case c.LetRef() if expr.name not in seen:
                    seen.add(expr.name)
                    pending.append(rules.special.lets[expr.name])
                case c.Word():
                    yield "win" if expr.name in _OF_WIN else "tiles"
                case c.SymbolIs():
                    yield "win" if expr.symbol == "kong_kind" else "tiles"
                case c.TileIs() | c.Quantified() | c.PatternIn():
                    yield "tiles"


def of_games(explored: Explored) -> Iterator[Diagnostic]:
    """What games show: what cannot be settled, seats that do not add up, refunds that pay twice."""
    rules = explored.rules.rules
    head = rules.sources[-1].head
    for code, found in (("E954", explored.impossible), ("E955", explored.unbalanced), ("E956", explored.overpaid)):
        if found.example:
            yield Diagnostic(code, head, {"n": f"{found.games:,}", "game": game_text(found.example)})
    if explored.twice.example:
        line = next(
            line for flow in rules.flows.values() for line in flow.transfers if line.verb == "refund" and line.moved
        )
        if not any(note.startswith("W956") for note in line.meta.notes):
            facts = {"n": f"{explored.twice.games:,}", "game": game_text(explored.twice.example)}
            yield Diagnostic("W956", line.span, facts)


def prove(rules: Ruleset, depth: int = DEPTH) -> Proof:
    """Checks a rule set on every hand, and on every game to a depth; 0 for no games.

    Fans that ask what classes cannot tell are left out; Unfolded where that does not help.
    """
    left_out: tuple[str, ...] = ()
    while True:
        try:
            return replace(Prover(without(rules, left_out)).prove(depth), left_out=left_out)
        except Unfolded as error:
            found = [name for name in rules.fan_names if asks_too_much(rules, name, error.reason)]
            if set(found) <= set(left_out):
                raise
            left_out = tuple(name for name in rules.fan_names if name in {*found, *left_out})
