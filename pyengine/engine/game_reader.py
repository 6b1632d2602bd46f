"""A game as it was written becomes a game of the table: hands scored, states told, mistakes placed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from pyengine.engine.explain import why_not
from pyengine.engine.ledger import LedgerOracle
from pyengine.engine.score import Result
from pyengine.engine.table import KONGS, Impossible, Lanes, Moment, Table, TableEvent, TableGame
from pyengine.language import core as c
from pyengine.language import vocabulary
from pyengine.language.diagnostics import Diagnostic, InputError, Related, RulespecError
from pyengine.language.source import Span
from pyengine.language.values import read_values
from pyengine.notation import melds as notation
from pyengine.notation import tiles
from pyengine.notation.games import Event, Game, Winner
from pyengine.notation.hand import Hand, Meld, unknown_stance

if TYPE_CHECKING:
    from pyengine.engine.ruleset import Ruleset
MAX_WORTH = 10**9
MAX_EVENTS = 255
MAX_HORSES = 4
_DISCARD = frozenset({"discard_win"})


@cache
def _english(*kinds: str) -> dict[str, str]:
    return {e.word: e.english for kind in kinds for e in vocabulary.of_kind(kind)}


class GameReader:
    """Reads one game: checks what the table would allow, event by event, and scores its hands."""

    def __init__(self, rules: Ruleset, game: Game) -> None:
        self.rules = rules
        self.game = game
        self.ledger: LedgerOracle = rules.ledger
        self.found: list[Diagnostic] = []
        self.unknown_calls: list[int] = []
        self.konged: dict[int, Event] = {}  # by tile, kongs that stand
        self.kongs = [0, 0, 0, 0]  # by seat
        self.most_kongs = (rules.hand_size - 1) // 3
        self.hands: dict[tuple[int, int], Result] = {}
        self.wins: dict[int, list[int]] = {}  # by seat, each win as money on a discard
        self.waits: dict[int, list[int]] = {}  # by seat, the calls of the hand that it last won with
        self.players = int(rules.rules.play.get("players", (4,))[0])
        self.end_span = game.events[-1].span if game.events else None

    def placed(self, problem: Impossible) -> Diagnostic:
        """An impossible event as a diagnostic at its place; line is where the rule file asks it."""
        event = min(problem.event, len(self.game.events) - 1)
        number = problem.facts.pop("event_number", None)
        span = self.game.events[event if number is None else min(int(str(number)), len(self.game.events) - 1)].span
        line = problem.facts.pop("line", None)
        related = (Related(line, "asked"),) if isinstance(line, Span) else ()
        return Diagnostic(problem.code, span, problem.facts, related)

    def table_game(self) -> TableGame:
        self.limits()
        game = TableGame(
            (),
            self.players,
            self.game.dealer,
            frozenset(self.game.out),
            tuple((self.game.dealer + tile % 9) % self.players for tile in self.game.horses),
            stances=tuple(self.stances(seat) for seat in range(4)),
        )
        table = self.ledger.table(game)
        events: list[TableEvent] = []
        robbed_tile: int | None = None
        for number, event in enumerate(self.game.events):
            told = self.event(event)
            try:
                self.check_over(number, table, events)
                if event.kind == "流局":
                    game = self.with_states(game, event, table)
                    table.game = game
                table.check(number, told)
                if table.kongs and "first_turn" in told.flags:
                    raise Impossible("E890", number)
            except Impossible as problem:
                self.found.append(self.placed(problem))
                break
            if event.tile is not None and not self.rules.copies[event.tile]:
                self.found.append(Diagnostic("E721", event.span, {"tile": tiles.NAMES[event.tile]}))
            elif event.tile is not None and told.kind in KONGS:
                self.kong_once(event)
            if told.kind in KONGS and not event.robbed:
                self.kongs[told.seat or 0] += 1
                if self.kongs[told.seat or 0] > self.most_kongs:
                    facts = {"seat": told.seat, "limit": self.most_kongs}
                    self.found.append(Diagnostic("E897", event.span, facts))
            if told.winners:
                told = self.with_worth(told, event, table, robbed_tile if event.tile is None else event.tile)
            robbed_tile = event.tile if event.robbed else None
            if told.kind != "hand_over":
                events.append(told)
                table.finish(number, told)
        if self.found:
            raise InputError(self.found)
        return replace(game, events=tuple(events))

    def limits(self) -> None:
        """What a game can hold at most, who sits at the table, and horses where nobody rides."""
        for key, seats in (("dealer", (self.game.dealer,)), ("out", self.game.out)):
            for seat in seats:
                if seat >= self.players:
                    facts = {"seat": seat, "players": self.players}
                    self.found.append(Diagnostic("E872", self.game.spans.get(key), facts))
        if len(self.game.events) > MAX_EVENTS:
            self.found.append(Diagnostic("E891", self.game.events[MAX_EVENTS].span, {"limit": MAX_EVENTS}))
        place = self.game.spans.get("horses")
        if len(self.game.horses) > MAX_HORSES:
            self.found.append(Diagnostic("E892", place, {"limit": MAX_HORSES}))
        for tile in self.game.horses:
            if not self.rules.copies[tile]:
                self.found.append(Diagnostic("E721", place, {"tile": tiles.NAMES[tile]}))
        if self.game.horses and not self.rules.flows.asks_horses:
            self.found.append(Diagnostic("E893", place, {"ruleset": self.rules.rules.title}))
        if self.found:
            raise InputError(self.found)

    def stances(self, seat: int) -> dict[str, c.OptionValue]:
        """What a seat has declared; what it has not is as the file has it by default."""
        declared = self.rules.rules.stances

        def place(name: str) -> Span | None:
            return self.game.spans.get(f"stances.{seat}.{name}")

        values, wrong = read_values(declared, self.game.stances.get(seat, {}), unknown_stance(declared), place)
        self.found += wrong
        return {name: stance.value for name, stance in declared.items()} | values

    def event(self, event: Event) -> TableEvent:
        flags = {_english("flag", "role")[flag] for flag in event.flags}
        if "dealer" in flags and any(winner.seat != self.game.dealer for winner in event.seats):
            word = next(flag for flag in event.flags if _english("flag", "role")[flag] == "dealer")
            facts = {"word": word, "dealer": self.game.dealer}
            self.found.append(Diagnostic("E896", event.seats[0].spans["flags"], facts))
        flags.discard("dealer")
        flags |= {name for name, told in (("late", event.late), ("robbed", event.robbed)) if told}
        return TableEvent(
            _english("event")[event.kind],
            event.seat if not event.seats else None,
            event.feeder,
            tuple(winner.seat for winner in event.seats) if event.kind != "流局" and event.kind != "终局" else (),
            frozenset(flags),
        )

    def check_over(self, number: int, table: Table, events: list[TableEvent]) -> None:
        """Impossible where the hand has ended before an event."""
        if table.drawn or (number and self.game.events[number - 1].kind == "终局"):
            raise Impossible("E870", number)
        last = events[-1] if events else TableEvent("hand_over")
        if (events or self.game.out) and self.game.events[number].kind != "终局" and self.ledger.is_over(table, last):
            raise Impossible("E877", number)

    def kong_once(self, event: Event) -> None:
        assert event.tile is not None
        if event.tile in self.konged:
            related = Related(self.konged[event.tile].span, "konged")
            facts = {"tile": tiles.CHINESE_NAMES[event.tile]}
            self.found.append(Diagnostic("E880", event.span, facts, (related,)))
        elif not event.robbed:
            self.konged[event.tile] = event

    def beside_kongs(self, hand: Hand, seat: int, place: Span) -> None:
        """A hand must hold its own kongs and nothing of the others'."""
        for tile, kong in self.konged.items():
            related = (Related(kong.span, "konged"),)
            facts = {"seat": seat, "tile": tiles.CHINESE_NAMES[tile], "kong": str(Meld(kong.kind, tile))}
            own = kong.seat == seat
            held = [meld for meld in hand.melds if tile in meld.tiles]
            if own and not any((meld.type, meld.tile) == (kong.kind, tile) for meld in held):
                self.found.append(Diagnostic("E894", place, facts, related))
            elif not own and (held or hand.concealed[tile]):
                self.found.append(Diagnostic("E895", place, facts, related))

    # ---- wins ----

    def with_worth(self, told: TableEvent, event: Event, table: Table, tile: int | None) -> TableEvent:
        """A win with what each winner's hand is worth: as stated, or in money by its tiles."""
        moment = table.moment(told)
        stated = all(winner.value is not None for winner in event.seats)
        worth = [0, 0, 0, 0]
        for winner in event.seats:
            if winner.value is not None:
                value = self.bases(winner)
                money = self.money(value, moment.of(winner.seat))
                worth[winner.seat] = value if stated else money
                plain = replace(moment, flags=_DISCARD, kong_kind=0)
                self.wins.setdefault(winner.seat, []).append(self.money(value, plain.of(winner.seat)))
            else:
                worth[winner.seat] = self.scored(winner, event, moment.of(winner.seat), tile)
        return replace(told, worth=(worth[0], worth[1], worth[2], worth[3]), stated=stated)

    def bases(self, winner: Winner) -> int:
        if not self.rules.flows.values_settle:
            self.found.append(Diagnostic("E881", winner.spans["value"], {"ruleset": self.rules.title}))
            return 0
        value = int((winner.value or "0").removesuffix("倍").removesuffix("x"))
        if value > MAX_WORTH:
            self.found.append(Diagnostic("E884", winner.spans["value"], {"value": winner.value, "limit": MAX_WORTH}))
            return 0
        return value

    def money(self, value: int, moment: Moment) -> int:
        """胡分 of a hand of which only 牌值 is known."""
        let = self.rules.rules.let("win_money")
        assert let
        if not self.rules.flows.values_settle:
            return 0
        worth: Lanes = (value, value, value, value)
        numbers = {**moment.numbers, "worth": worth}
        told = replace(moment, numbers=numbers, flags=moment.flags | {"stated"})
        return int(self.ledger.value(c.LetRef(let.span, let.name), told) or 0)

    def scored(self, winner: Winner, event: Event, moment: Moment, tile: int | None) -> int:
        """The money of a hand given by its tiles."""
        dealer = {"庄家"} if winner.seat == self.game.dealer else set()
        try:
            hand = self.complete(winner, tile, event, sorted({*event.flags, *dealer}), moment)
            self.beside_kongs(hand, winner.seat, winner.spans["hand"])
            judged = self.rules.judge(hand, situation=moment)
            plain = replace(hand, by="点炮", flags=hand.flags & {"庄家"}, kong=None)
            static = self.rules.judge(plain, static=True)
        except RulespecError as error:
            self.found += [
                replace(d, span=winner.spans["hand"])
                if d.span is None or d.span.source.name != event.span.source.name
                else d
                for d in error.diagnostics
            ]
            return 0
        if not judged.win:
            result = Result(self.rules, hand, judged)
            reason = why_not(self.rules, hand, result, judged)
            self.found.append(
                Diagnostic("E882", winner.spans["hand"], {"seat": winner.seat, "hand": str(hand), "reason": reason})
            )
            return 0
        self.wins.setdefault(winner.seat, []).append(static.money if static.win else judged.money)
        if plain.win is not None:
            # The winning tile is set aside, and the hand stays as it waited.
            left = tuple(n - (kind == plain.win) for kind, n in enumerate(plain.concealed))
            self.waits[winner.seat] = [w.points for w in self.rules.waits(replace(plain, concealed=left, win=None))]
        self.hands[self.game.events.index(event), winner.seat] = Result(self.rules, hand, judged)
        return judged.money

    def complete(self, winner: Winner, tile: int | None, event: Event, flags: list[str], moment: Moment) -> Hand:
        kong = {1: "直杠", 2: "巴杠", 3: "暗杠"}.get(moment.kong_kind) if "杠后" in flags else None
        text = winner.hand or ""
        own, kinds, _ = notation.read(text, winner.spans["hand"])
        own += [meld for melds in winner.melds for meld in notation.read_melds(melds, winner.spans["melds"])[0]]
        win = tiles.NAMES[tile] if tile is not None else None
        if win and len(kinds) + 3 * len(own) == self.rules.hand_size:
            text += f" {win}"  # The thirteen before the win are as good a way to write it.
        return self.rules.hand(
            text,
            melds=winner.melds,
            win=win,
            by=event.kind,
            flags=flags,
            void=winner.void,
            kong=kong,
            spans=winner.spans,
        )

    # ---- the drawn end ----

    def with_states(self, game: TableGame, event: Event, table: Table) -> TableGame:
        """How every seat stands at a drawn end, as stated or by its tiles."""
        states: list[str | None] = [None] * 4
        best, least = [0] * 4, [0] * 4
        told = {seat.seat: seat for seat in event.seats}
        names = _english("seats", "reserved")
        for told_seat in event.seats:
            if told_seat.seat >= self.players:
                facts = {"seat": told_seat.seat, "players": self.players}
                self.found.append(Diagnostic("E872", told_seat.spans["state"], facts))
        for seat in range(self.players):
            entry = told.get(seat)
            if entry is None:
                if seat in table.won:
                    states[seat] = "won"
                    self.call_of_winner(seat, None, best, least)
                elif not self.rules.flows.asks_states:
                    states[seat] = "not_ready"  # Whatever it is, nobody is paid by it.
                continue
            states[seat] = names[entry.state] if entry.state else None
            if seat in table.won and states[seat] not in ("won", None):
                self.found.append(Diagnostic("E885", entry.spans["state"], {"seat": seat, "state": entry.state}))
            if states[seat] == "won" and seat not in table.won:
                self.found.append(Diagnostic("E886", entry.spans["state"], {"seat": seat}))
            if seat in table.won:
                states[seat] = "won"
                self.call_of_winner(seat, entry, best, least)
            elif entry.hand is not None:
                self.call_by_tiles(entry, states, best, least)
            elif states[seat] == "ready":
                if entry.best is None:
                    self.unknown_calls.append(seat)
                best[seat] = least[seat] = self.call(entry)
        return replace(
            game,
            states=tuple(states),
            best_call=(best[0], best[1], best[2], best[3]),
            least_call=(least[0], least[1], least[2], least[3]),
        )

    def call(self, entry: Winner) -> int:
        if entry.best is not None and entry.best > MAX_WORTH:
            self.found.append(Diagnostic("E884", entry.spans["best"], {"value": entry.best, "limit": MAX_WORTH}))
        return min(entry.best or 0, MAX_WORTH)

    def calls(self, entry: Winner) -> tuple[Hand | None, list[int]]:
        """A hand at the end, and what each of its waits would be paid with on a discard."""
        try:
            hand = self.rules.hand(
                entry.hand or "",
                waiting=True,
                melds=entry.melds,
                void=entry.void,
                flags=["庄家"] if entry.seat == self.game.dealer else [],
                spans=entry.spans,
            )
            self.beside_kongs(hand, entry.seat, entry.spans["hand"])
            return hand, [wait.points for wait in self.rules.waits(hand)]
        except RulespecError as error:
            self.found += error.diagnostics
            return None, []

    def call_of_winner(self, seat: int, entry: Winner | None, best: list[int], least: list[int]) -> None:
        """What a seat that has won would be paid: as told, else by the waits of its hand, else by its wins."""
        if entry is not None and entry.best is not None:
            best[seat] = least[seat] = min(entry.best, MAX_WORTH)
        elif entry is not None and entry.hand is not None:
            points = self.calls(entry)[1] or [0]
            best[seat], least[seat] = max(points), min(points)
        elif seat in self.waits:
            best[seat], least[seat] = max(self.waits[seat], default=0), min(self.waits[seat], default=0)
        elif self.wins.get(seat):
            best[seat], least[seat] = max(self.wins[seat]), min(self.wins[seat])
        else:
            self.unknown_calls.append(seat)

    def call_by_tiles(self, entry: Winner, states: list[str | None], best: list[int], least: list[int]) -> None:
        """State and calls of a seat whose tiles are given; a stated state stands."""
        hand, points = self.calls(entry)
        if hand is None:
            states[entry.seat] = "not_ready"  # Its tiles have been refused; its state is not asked for as well.
            return
        if states[entry.seat] is None:
            pig = self.rules.rules.let("pig")
            is_pig = bool(pig and self.rules.ask_of_seat(pig.value, hand))
            states[entry.seat] = "pig" if is_pig else "ready" if points else "not_ready"
        if entry.best is not None:
            points = [self.call(entry)]
        if states[entry.seat] == "ready" and points:
            best[entry.seat], least[entry.seat] = max(points), min(points)
