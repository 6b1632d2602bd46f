"""Who pays whom, in plain Python: the meaning of flows, and what the kernel's ledger must agree with."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from pyengine.engine.table import KONGS, Impossible, Moment, Table, TableEvent, TableGame
from pyengine.engine.unlimited import number_of, truth_of
from pyengine.language import core as c
from pyengine.language import vocabulary
from pyengine.language.specialise import ARITHMETIC, COMPARISONS, LIMIT, Values

OUTSIDE = 4
FIRST_HORSE = 5
ACCOUNTS = 9
HAND_OVER = TableEvent("hand_over")
_Eval = Callable[[Moment], Any]


@dataclass(frozen=True, slots=True)
class Posting:
    """One payment.  Accounts 0 to 3 are seats, 4 is the outside account, horses follow.

    state  standing, returned or moved, as it was at the end of the game
    event  number of the event, counted from 0; the number of events for the end of the hand
    kong   number of the kong event that it was paid for
    """

    event: int
    flow: str
    line: int  # within the flow, from 0
    tag: str | None
    payer: int
    receiver: int
    amount: int
    state: str = "standing"
    kong: int | None = None


@dataclass(frozen=True, slots=True)
class Settlement:
    """A settled game: the change of every account, and every posting in order."""

    deltas: tuple[int, ...]
    postings: tuple[Posting, ...]
    next_dealer: int | None
    is_over: bool


@cache
def _event_words() -> dict[str, str]:
    return {entry.english: entry.word for entry in vocabulary.of_kind("event")}


class LedgerOracle:
    """Settles games by a rule set under option values."""

    def __init__(self, rules: c.Rules, values: Values) -> None:
        self.rules = rules
        self.values = values
        self._compiled: dict[int, tuple[_Eval, c.Expr]] = {}
        after = self.after_win()
        self.stays = after == "stay"
        self.first_win_ends = after == "hand_over"

    def after_win(self) -> str:
        """What a winner does next, through an option where the file names one."""
        value = self.rules.play.get("after_win", ("leave",))[0]
        if value in self.values:
            entry = vocabulary.find_value(str(self.values[str(value)]), "after")
            return entry.english if entry else "leave"
        return str(value)

    def table(self, game: TableGame) -> Table:
        return Table(game, self.stays, self.first_win_ends)

    def settle(self, game: TableGame) -> Settlement:
        """Runs all events and then the end of the hand; Impossible names the first event that cannot be."""
        table = self.table(game)
        book = _Book(self)
        over = False
        for number, event in enumerate(game.events):
            table.check(number, event)
            if over:
                raise Impossible("E877", number)
            moment = table.moment(event)
            konger = event.seat if event.kind in KONGS else event.source if event.kind == "robbed_kong" else None
            if konger is not None:
                book.kongs[konger] = number
            if "robbed" not in event.flags:
                self.fire(event.kind, number, moment, book, event.stated)
            table.finish(number, event)
            over = self.is_over(table, event)
        if table.robbed is not None:
            raise Impossible("E871", len(game.events) - 1, seat=table.robbed)
        end = table.moment(HAND_OVER, drawn=table.drawn)
        book.horses = game.horses
        self.fire("hand_over", len(game.events), end, book, False)
        return Settlement(book.deltas(), tuple(book.postings), self.next_dealer(table, end), over)

    def moments(self, game: TableGame) -> list[Moment]:
        """The words of every event of a game that can be settled, and of its end."""
        table = self.table(game)
        moments = []
        for number, event in enumerate(game.events):
            moments.append(self._at(table.moment(event), event.stated))
            table.finish(number, event)
        return [*moments, table.moment(HAND_OVER, drawn=table.drawn)]

    def _at(self, moment: Moment, stated: bool) -> Moment:
        """A moment that knows whether 胡分 has to be worked out from a stated value."""
        return replace(moment, flags=moment.flags | {"stated"}) if stated else moment

    def is_over(self, table: Table, event: TableEvent) -> bool:
        """Whether the hand ends after an event."""
        if self.first_win_ends and event.winners:
            return True
        after = table.moment(HAND_OVER, drawn=table.drawn)
        let = self.rules.let("hand_over")
        return bool(let and self.value(let.value, after.of(0)))

    def next_dealer(self, table: Table, end: Moment) -> int | None:
        """The one seat that deals next; None where the rules do not name exactly one."""
        let = self.rules.let("next_dealer")
        if let is None or table.game.out:
            return None
        seats = [seat for seat in range(end.players) if self.value(let.value, end.of(seat))]
        return seats[0] if len(seats) == 1 else None

    # ---- firing ----

    def flows_of(self, event: str) -> list[c.Flow]:
        """The flows that an event fires, in order."""
        word = _event_words()[event]
        if word in self.rules.orders:
            return [self.rules.flows[name] for name in self.rules.orders[word].flows]
        return [self.rules.flows[word]] if word in self.rules.flows else []

    def fire(self, event: str, number: int, moment: Moment, book: _Book, stated: bool) -> None:
        moment = self._at(moment, stated)
        kong = number if event in KONGS else None
        for flow in self.flows_of(event):
            for index, line in enumerate(flow.transfers):
                entry = Posting(number, flow.name, index, line.tag, 0, 0, 0, kong=kong)
                try:
                    book.transfer(line, flow.when, moment, entry)
                except Impossible as problem:
                    problem.facts.update(line=line.span, event_number=number)
                    raise

    # ---- expressions ----

    def value(self, expr: c.Expr, moment: Moment) -> int | bool | None:
        """An expression as the seat `moment.own` sees it; None is 无."""
        compiled = self._compiled.get(id(expr))
        if compiled is None:
            # The expression is kept with its function, so that its id stays its own.
            compiled = self._compiled[id(expr)] = (self.compile(expr), expr)
        value: int | bool | None = compiled[0](moment)
        return value

    def compile(self, expr: c.Expr) -> _Eval:
        """An expression as a function of a moment."""
        match expr:
            case c.Number() | c.Truth():
                constant = expr.value
                return lambda moment: constant
            case c.OptionRef():
                option = self.values[expr.name]
                assert not isinstance(option, str)
                return lambda moment: option
            case c.OptionIs():
                own = self.values[expr.name]
                among = any(type(v) is type(own) and v == own for v in expr.values) != expr.negated
                return lambda moment: among
            case c.StanceRef():
                return lambda moment: moment.stance(expr.name, expr.owner)
            case c.Word() if expr.owner is None:
                name = expr.name
                return lambda moment: moment.seat(name, moment.own)
            case c.Word():
                return lambda moment: moment.owned(expr.name, expr.owner)
            case c.LetRef():
                return self._let(expr)
            case c.Arithmetic():
                left, right, combine = self._number(expr.left), self._number(expr.right), ARITHMETIC[expr.operator]
                return lambda moment: combine(left(moment), right(moment))
            case c.Compare():
                left, right, holds = self._number(expr.left), self._number(expr.right), COMPARISONS[expr.operator]
                return lambda moment: holds(left(moment), right(moment))
            case c.Extremum():
                return self._extremum(expr)
            case c.Logic():
                return self._logic(expr)
            case c.Not():
                part = self.compile(expr.part)
                return lambda moment: not part(moment)
            case c.If():
                condition, then, otherwise = map(self.compile, (expr.condition, expr.then, expr.otherwise))
                return lambda moment: then(moment) if condition(moment) else otherwise(moment)
            case c.SymbolIs():
                kongs = ("", *KONGS)
                return lambda moment: (kongs[moment.kong_kind] in expr.values) != expr.negated
            case c.CountSeats():
                seats = self.compile(expr.seats)
                return lambda moment: sum(bool(seats(moment.of(s, moment.payer))) for s in range(moment.players))
        raise AssertionError(f"the table does not know {type(expr).__name__}")

    def _let(self, expr: c.LetRef) -> _Eval:
        if expr.owner is not None:
            plain = self.compile(replace(expr, owner=None))
            # Only truths belong to roles that several seats, or none, may have.
            return lambda moment: max(
                (int(plain(moment.of(seat, moment.payer))) for seat in moment.owners(expr.owner)), default=0
            )
        name = expr.name
        if name == self.rules.reserved.get("hand_value"):
            return lambda moment: moment.seat("worth", moment.own)
        if name == self.rules.reserved.get("pig"):
            return lambda moment: moment.seat("pig", moment.own)
        value = self.rules.lets[name].value

        def worked_out(moment: Moment) -> int | bool | None:
            if name not in moment.lets:
                moment.lets[name] = self.value(value, moment)
            return moment.lets[name]

        if name == self.rules.reserved.get("win_money"):
            return lambda moment: worked_out(moment) if "stated" in moment.flags else moment.seat("worth", moment.own)
        return worked_out

    def _extremum(self, expr: c.Extremum) -> _Eval:
        arguments = [self.compile(a) for a in expr.arguments]
        chosen: Callable[..., int] = min if expr.function == "min" else max
        return lambda moment: chosen((v for a in arguments if (v := a(moment)) is not None), default=None)

    def _logic(self, expr: c.Logic) -> _Eval:
        return truth_of(expr.operator, [self.compile(part) for part in expr.parts])

    def _number(self, expr: c.Expr) -> _Eval:
        return number_of(self.compile(expr))

    def number(self, expr: c.Expr, moment: Moment) -> int:
        value = self.value(expr, moment)
        assert value is not None, "loading refuses options that leave 无 in an amount"
        return int(value)


class _Book:
    """The postings of one game as they are made."""

    def __init__(self, oracle: LedgerOracle) -> None:
        self.oracle = oracle
        self.postings: list[Posting] = []
        self.kongs: dict[int, int] = {}  # each seat's latest kong event
        self.horses: tuple[int, ...] = ()

    def deltas(self) -> tuple[int, ...]:
        deltas = [0] * ACCOUNTS
        for posting in self.postings:
            deltas[posting.payer] -= posting.amount
            deltas[posting.receiver] += posting.amount
        return tuple(deltas)

    def post(self, entry: Posting, payer: int, receiver: int, amount: int) -> None:
        if amount < 0 or amount > LIMIT:
            raise Impossible("E878", entry.event, amount=amount)
        if amount:
            self.postings.append(replace(entry, payer=payer, receiver=receiver, amount=amount))

    def holds(self, conditions: list[c.Expr | None], moment: Moment) -> bool:
        return all(self.oracle.value(condition, moment) for condition in conditions if condition is not None)

    def accounts(self, party: c.Party, moment: Moment) -> list[int]:
        """The outside account, or the seats of a party in turn order."""
        if party.seats is None:
            return [OUTSIDE]
        seats = party.seats
        return moment.in_turn(s for s in range(moment.players) if self.oracle.value(seats, moment.of(s)))

    def alone(self, party: c.Party, members: list[int]) -> None:
        """Impossible where a line acts and has several seats for one."""
        if len(members) > 1 and not party.each:
            raise Impossible("E879", 0, party=party.span.text)

    def transfer(self, line: c.Transfer, flow_when: c.Expr | None, moment: Moment, entry: Posting) -> None:
        when = [flow_when, line.when]
        match line.verb:
            case "pay":
                self.pay(line, when, moment, entry)
            case "refund" | "forward":
                assert line.fund
                owners = self.accounts(line.party, moment)
                act = self.refund if line.verb == "refund" else self.forward
                for number, (_, tag) in enumerate(line.fund.choices):
                    for seat in owners:
                        view = moment.of(seat)
                        if self.holds(when, view) and self.choice(line.fund, view) == number:
                            self.alone(line.party, owners)
                            act(line, tag, view, entry)
            case "mirror":
                deltas = self.deltas()
                for number, seat in enumerate(self.horses):
                    if self.holds(when, moment.of(seat)):
                        horse, net = FIRST_HORSE + number, deltas[seat]
                        payer, receiver = (OUTSIDE, horse) if net > 0 else (horse, OUTSIDE)
                        self.post(replace(entry, kong=None), payer, receiver, abs(net))

    def pay(self, line: c.Transfer, when: list[c.Expr | None], moment: Moment, entry: Posting) -> None:
        assert line.other and line.amount
        payers, receivers = self.accounts(line.party, moment), self.accounts(line.other, moment)
        for payer, receiver in itertools.product(payers, receivers):
            # A seat that deals with the outside account is the one whose words are meant.
            own = receiver if receiver != OUTSIDE else payer
            view = moment.of(own, payer if payer != OUTSIDE else None)
            if payer != receiver and self.holds(when, view):
                self.alone(line.party, payers)
                self.alone(line.other, receivers)
                self.post(entry, payer, receiver, self.oracle.number(line.amount, view))

    def choice(self, fund: c.Fund, moment: Moment) -> int:
        """Which of its funds conditions choose; the last has none."""
        holding = (n for n, (condition, _) in enumerate(fund.choices) if condition and self.holds([condition], moment))
        return next(holding, len(fund.choices) - 1)

    def fund(self, tag: str | None, owner: int, states: tuple[str, ...]) -> list[int]:
        """Numbers of the postings of a fund that its owner received; without a tag those for the latest kong."""
        own = [n for n, p in enumerate(self.postings) if p.receiver == owner and p.state in states]
        if tag is not None:
            return [n for n in own if self.postings[n].tag == tag]
        latest = self.kongs.get(owner)
        return [n for n in own if latest is not None and self.postings[n].kong == latest]

    def refund(self, line: c.Transfer, tag: str | None, moment: Moment, entry: Posting) -> None:
        states = ("standing", "moved") if line.moved else ("standing",)
        for number in self.fund(tag, moment.own, states):
            paid = self.postings[number]
            self.postings[number] = replace(paid, state="returned")
            self.post(replace(entry, tag=None, kong=None), moment.own, paid.payer, paid.amount)

    def forward(self, line: c.Transfer, tag: str | None, moment: Moment, entry: Posting) -> None:
        assert line.other
        numbers = self.fund(tag, moment.own, ("standing",))
        total = sum(self.postings[n].amount for n in numbers)
        others = self.accounts(line.other, moment)
        self.alone(line.other, others)
        receivers = [account for account in others if account != moment.own]
        if not total or not receivers:
            return
        for number in numbers:
            self.postings[number] = replace(self.postings[number], state="moved")
        share, left = divmod(total, len(receivers))
        for place, receiver in enumerate(receivers):
            amount = share + (place < left) if line.evenly else total
            self.post(replace(entry, tag=None, kong=None), moment.own, receiver, amount)
