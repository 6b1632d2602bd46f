"""Every game there is, to a depth: what is true of the settlement of all of them.

A game is some events and perhaps a drawn end with every way the seats can stand.  Events are all kinds of kong by
every seat, won or robbed, timely or late; wins by every seat from every other, one, two or three of them at once,
after a kong or not; false wins.  Where nothing of the settlement asks who deals, the seats are named from the first
that acts.  Hands and calls are worth different amounts by seat, so that payments of different seats are told apart.
What is found is true of these games and of no deeper ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyengine.engine.batch import EVENT, GAME, PackedGames
from pyengine.engine.kernel import KernelError, pack_event
from pyengine.engine.ledger import Settlement
from pyengine.engine.ruleset import Ruleset
from pyengine.engine.table import Impossible, Lanes, TableEvent, TableGame
from pyengine.language import core as c
from pyengine.language import vocabulary

Array = NDArray[Any]

DEPTH = 2
_WORTH = (1, 2, 4, 8)
_BEST: Lanes = (16, 32, 64, 128)
_LEAST: Lanes = (3, 5, 7, 9)
_STATES = ("ready", "not_ready", "pig")
_ENDS_OF_KONGER = (*product(_STATES, ("ready",)), ("not_ready", "not_ready"))


# ---- events and games -----------------------------------------------------------------------------


def _win(kind: str, source: int | None, winners: tuple[int, ...], *flags: str) -> TableEvent:
    worth = [_WORTH[seat] if seat in winners else 0 for seat in range(4)]
    return TableEvent(kind, None, source, winners, frozenset(flags), (worth[0], worth[1], worth[2], worth[3]))


def _steps(players: int) -> list[tuple[TableEvent, ...]]:
    """What may happen next: one event, or a robbed kong with the win that robs it."""
    seats = range(players)
    found: list[tuple[TableEvent, ...]] = []
    for seat in seats:
        others = [other for other in seats if other != seat]
        found.append((TableEvent("concealed_kong", seat),))
        found += [(TableEvent("direct_kong", seat, other),) for other in others]
        found.append((TableEvent("added_kong", seat),))
        found.append((TableEvent("added_kong", seat, flags=frozenset({"late"})),))
        found.append((TableEvent("false_win", seat),))
        found += [(_win("self_draw", None, (seat,)),), (_win("self_draw", None, (seat,), "after_kong"),)]
        for n in range(1, len(others) + 1):
            for winners in combinations(others, n):
                found.append((_win("discard_win", seat, winners),))
                found.append((_win("discard_win", seat, winners, "after_kong"),))
                robbed = TableEvent("added_kong", seat, flags=frozenset({"robbed"}))
                found.append((robbed, _win("robbed_kong", seat, winners)))
    return found


def _actor(event: TableEvent) -> int:
    """Who konged, discarded, drew or was wrong."""
    seats = (event.seat, event.source, *event.winners)
    return next(seat for seat in seats if seat is not None)


_OF_DEALER = frozenset(("dealer", "prev_seat", "across_seat", "next_seat"))


def _asks_the_dealer(rules: Ruleset) -> bool:
    """Whether who pays what may depend on who deals."""
    flows = rules.rules.flows.values()
    pending: list[c.Expr] = [flow.when for flow in flows if flow.when]
    for line in (line for flow in flows for line in flow.transfers):
        parties = (party.seats for party in (line.party, line.other) if party)
        choices = line.fund.choices if line.fund else ()
        asked = (line.amount, line.when, *parties, *(condition for condition, _ in choices))
        pending += [expr for expr in asked if expr]
    over = rules.rules.let("hand_over")
    pending += [over.value] if over else []
    seen: set[str] = set()
    while pending:
        for expr in c.walk(pending.pop()):
            if getattr(expr, "owner", None) in _OF_DEALER or (isinstance(expr, c.Word) and expr.name in _OF_DEALER):
                return True
            if isinstance(expr, c.LetRef) and expr.name not in seen:
                seen.add(expr.name)
                pending.append(rules.rules.lets[expr.name].value)
    return False


class Games:
    """The games of a table to a depth, those with fewer events first.

    `lines` are sequences of steps that the rules allow; `ends` the states of a drawn end.
    """

    def __init__(self, rules: Ruleset, depth: int) -> None:
        self.players = int(rules.rules.play.get("players", (4,))[0])
        self.depth = depth
        self._oracle = rules.ledger
        self._steps = _steps(self.players)
        self.head = TableGame(
            (),
            self.players,
            best_call=_BEST,
            least_call=_LEAST,
            stances=tuple({name: s.value for name, s in rules.rules.stances.items()} for _ in range(4)),
        )
        self.ends = list(product(_STATES, repeat=self.players))
        self.lines: list[tuple[tuple[TableEvent, ...], bool]] = [((), False)]
        layer = self.lines
        turned = not _asks_the_dealer(rules)
        for _ in range(depth):
            layer = [longer for events, over in layer if not over for longer in self._longer(events)]
            if turned and len(self.lines) == 1:
                layer = [(events, over) for events, over in layer if _actor(events[0]) == 0]
            self.lines = self.lines + layer

    def _longer(self, events: tuple[TableEvent, ...]) -> Iterator[tuple[tuple[TableEvent, ...], bool]]:
        """The line with one step more, and whether the hand is over then."""
        for step in self._steps:
            table = self._oracle.table(self.head)
            try:
                for number, event in enumerate(events):
                    table.finish(number, event)
                for number, event in enumerate(step, len(events)):
                    table.check(number, event)
                    table.finish(number, event)
            except Impossible:
                continue
            yield (*events, *step), self._oracle.is_over(table, step[-1])

    def game(self, events: tuple[TableEvent, ...], states: Sequence[str] | None) -> TableGame:
        """A line, and a drawn end in which the seats stand so."""
        if states is None:
            return replace(self.head, events=events)
        padded = (*states, *[None] * (4 - len(states)))
        return replace(self.head, events=(*events, TableEvent("drawn")), states=padded)

    def each(self) -> Iterator[tuple[tuple[TableEvent, ...], Sequence[str] | None]]:
        """Every game, in the order of the batch."""
        for events, over in self.lines:
            yield events, None
            if not over:
                yield from ((events, states) for states in self.ends)

    @cached_property
    def count(self) -> int:
        return sum(1 if over else 1 + len(self.ends) for _, over in self.lines)

    def at(self, number: int) -> TableGame:
        """A game by its number in the batch."""
        for events, over in self.lines:
            n = 1 if over else 1 + len(self.ends)
            if number < n:
                return self.game(events, None if number == 0 else self.ends[number - 1])
            number -= n
        raise IndexError(number)

    def packed(self, rules: Ruleset) -> PackedGames:
        """All games for `settle_batch`; put together without making each of them."""
        heads = np.frombuffer(
            b"".join(rules.pack_games([self.game((), states)]).games.tobytes() for states in (None, *self.ends)), GAME
        )
        drawn = np.frombuffer(pack_event(TableEvent("drawn")), EVENT)
        known: dict[TableEvent, int] = {}
        events: list[Array] = []
        which: list[Array] = []
        lengths: list[Array] = []
        places: list[Array] = []
        for line, over in self.lines:
            numbers = [known.setdefault(event, len(known)) for event in line]
            ends = 0 if over else len(self.ends)
            which.append(np.arange(ends + 1))
            lengths.append(np.array([len(line)] + [len(line) + 1] * ends))
            drawn_line = np.tile(np.array([*numbers, -1]), ends)
            places.append(np.concatenate([np.array(numbers, np.int64), drawn_line]))
        events = [np.frombuffer(pack_event(event), EVENT) for event in known]
        table = np.concatenate([*events, drawn])
        starts = np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.uint64)
        return PackedGames(
            np.ascontiguousarray(heads[np.concatenate(which)]),
            np.ascontiguousarray(table[np.concatenate(places).astype(np.int64)]),
            starts,
        )


# ---- findings --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Found:
    """Games of which something is true: how many, and the first, which is a shortest one."""

    games: int
    example: TableGame | None


@dataclass(frozen=True, slots=True)
class Step:
    """Two steps of an event that stand one after the other: whether their order matters, and to which game."""

    event: str
    first: str
    second: str
    found: Found


@dataclass(frozen=True)
class Explored:
    """What is true of all games to a depth.

    impossible  games that the rules cannot settle, with the first
    unbalanced  games in which the four seats do not add up to nothing
    outside     of these, such as have postings with the outside account: these may
    overpaid    games in which somebody gets more back than he paid
    twice       games in which somebody pays back what he has passed on: out of his own pocket
    steps       neighbours of a 次序, and whether their order matters
    """

    rules: Ruleset
    depth: int
    games: int
    impossible: Found
    unbalanced: Found
    outside: Found
    overpaid: Found
    twice: Found
    steps: tuple[Step, ...]


def explore(rules: Ruleset, depth: int = DEPTH) -> Explored:
    """Settles every game to a depth."""
    games = Games(rules, depth)
    packed = games.packed(rules)
    settled = rules.settle_batch(packed, errors="mark")
    failed = np.flatnonzero(settled.statuses)
    odd = np.flatnonzero(settled.deltas.sum(axis=1))
    outside: list[int] = []
    unbalanced: list[int] = []
    for number in odd:
        accounts = rules.settle_table(games.at(int(number))).deltas if len(unbalanced) + len(outside) < 1000 else ()
        (unbalanced if accounts and sum(accounts) else outside).append(int(number))
    overpaid, twice = _refunds(rules, games)
    return Explored(
        rules,
        depth,
        games.count,
        _first(games, failed),
        _first(games, np.array(unbalanced, np.int64)),
        _first(games, np.array(outside, np.int64)),
        overpaid,
        twice,
        tuple(_orders(rules, games, packed, settled.deltas)),
    )


def _first(games: Games, numbers: Array) -> Found:
    return Found(len(numbers), games.at(int(numbers[0])) if len(numbers) else None)


def game_text(game: TableGame) -> str:
    """A game in a line: `暗杠 0, 点炮 0→1 2 (杠后), 流局 (听牌 没叫 没叫 花猪)`."""
    shown = []
    for event in game.events:
        if event.kind == "drawn":
            states = " ".join(_word(state) for state in game.states if state)
            shown.append(f"{_word('drawn')} ({states})")
            continue
        winners = " ".join(map(str, event.winners))
        seats = "" if event.seat is None else str(event.seat)
        if event.source is not None:
            seats = f"{event.source}→{winners or seats}"
        flags = " ".join(_word(flag) for flag in sorted(event.flags))
        shown.append(f"{_word(event.kind)} {seats or winners}" + (f" ({flags})" if flags else ""))
    return ", ".join(shown) or "-"


@cache
def _words() -> dict[str, str]:
    kinds = ("event", "flag", "seats", "reserved")
    return {entry.english: entry.word for kind in reversed(kinds) for entry in vocabulary.of_kind(kind)}


def _word(name: str) -> str:
    return _words().get(name, {"late": "过手", "robbed": "被抢"}.get(name, name))


# ---- refunds ---------------------------------------------------------------------------------------


def _refunds(rules: Ruleset, games: Games) -> tuple[Found, Found]:
    """Games in which a payer gets back more than he paid, and such in which a konger pays back what he passed on.

    Only lines with a kong are looked at, and of the ends a few: the first konger in every state beside others who are
    ready, and nobody ready.
    """
    verbs = {(flow.name, n): line.verb for flow in rules.rules.flows.values() for n, line in enumerate(flow.transfers)}
    if not set(verbs.values()) & {"refund", "forward"}:
        return Found(0, None), Found(0, None)
    first: list[TableGame | None] = [None, None]
    counts = [0, 0]
    for events, over in games.lines:
        kongers = {event.seat for event in events if event.kind.endswith("_kong") and event.seat is not None}
        if not kongers:
            continue
        ends: list[Sequence[str] | None] = [None]
        if not over:
            konger = min(kongers)
            ends += [
                tuple(own if seat == konger else other for seat in range(games.players))
                for own, other in _ENDS_OF_KONGER
            ]
        for states in ends:
            game = games.game(events, states)
            try:
                settlement = rules.settle_table(game)
            except (Impossible, KernelError):  # What cannot be settled is told as such.
                continue
            for which, wrong in enumerate(_is_wrong(settlement, verbs)):
                counts[which] += wrong
                first[which] = first[which] or (game if wrong else None)
    return Found(counts[0], first[0]), Found(counts[1], first[1])


def _is_wrong(settlement: Settlement, verbs: Mapping[tuple[str, int], str]) -> tuple[bool, bool]:
    """Whether some payer got back more than he paid, and whether somebody paid back what he no longer had."""
    paid: dict[tuple[int, int], int] = {}
    back: dict[tuple[int, int], int] = {}
    got, refunded, forwarded = [0] * 9, [0] * 9, [0] * 9
    for posting in settlement.postings:
        pair = posting.payer, posting.receiver
        verb = verbs.get((posting.flow, posting.line))
        if verb == "pay" and posting.tag is not None:
            paid[pair] = paid.get(pair, 0) + posting.amount
            got[posting.receiver] += posting.amount
        elif verb == "refund":
            back[pair[::-1]] = back.get(pair[::-1], 0) + posting.amount
            refunded[posting.payer] += posting.amount
        elif verb == "forward":
            forwarded[posting.payer] += posting.amount
    return (
        any(amount > paid.get(pair, 0) for pair, amount in back.items()),
        any(refunded[seat] and refunded[seat] + forwarded[seat] > got[seat] for seat in range(9)),
    )


# ---- order ---------------------------------------------------------------------------------------------


def _orders(rules: Ruleset, games: Games, packed: PackedGames, deltas: Array) -> Iterator[Step]:
    """For each two neighbours of a 次序, whether the other way round comes to the same."""
    for event, order in rules.rules.orders.items():
        for n in range(len(order.flows) - 1):
            flows = list(order.flows)
            flows[n], flows[n + 1] = flows[n + 1], flows[n]
            orders = {**rules.rules.orders, event: replace(order, flows=tuple(flows))}
            other = Ruleset(replace(rules.rules, orders=orders), rules.values, rules.id)
            changed = other.settle_batch(packed, errors="mark").deltas
            found = np.flatnonzero((changed != deltas).any(axis=1))
            yield Step(event, order.flows[n], order.flows[n + 1], _first(games, found))


# ---- two files -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FlowsCompared:
    """Two rule sets on the games that both can have.

    found  those that come out otherwise
    only   beginnings of games that go on, or that there are, by one of them only
    """

    games: int
    found: Found
    only: Found


def compare_flows(a: Ruleset, b: Ruleset, depth: int = DEPTH) -> FlowsCompared | None:
    """Whether two rule sets settle all games alike; None where their tables are of other sizes."""
    games, others = Games(a, depth), Games(b, depth)
    if games.players != others.players or set(a.rules.stances) != set(b.rules.stances):
        return None
    ours, theirs = dict(games.lines), dict(others.lines)
    only = [line for line in {**ours, **theirs} if ours.get(line) != theirs.get(line)]
    games.lines = [(line, over or theirs[line]) for line, over in games.lines if line in theirs]
    packed = games.packed(a)
    left, right = (rules.settle_batch(packed, errors="mark") for rules in (a, b))
    differ = (left.deltas != right.deltas).any(axis=1) | ((left.statuses != 0) != (right.statuses != 0))
    shortest = games.game(min(only, key=len), None) if only else None
    return FlowsCompared(games.count, _first(games, np.flatnonzero(differ)), Found(len(only), shortest))
