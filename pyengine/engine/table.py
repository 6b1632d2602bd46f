"""The table during a hand: who has won, who konged last, and what every word means at an event.

Sets are those of the moment when an event starts: a winner has not won yet during his own win.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from pyengine.language.core import OptionValue

KONGS = ("direct_kong", "added_kong", "concealed_kong")  # in the order of their numbers 1 2 3
WINS = ("self_draw", "discard_win", "robbed_kong")
STATES = ("ready", "not_ready", "pig", "won")
SEATS = 4
MANY_TILES = 1000
"""Tiles in the wall as long as the hand has not been drawn: settlement does not count them."""

Seats = frozenset[int]
Lanes = tuple[int, int, int, int]
NOBODY: Seats = frozenset()


@dataclass(frozen=True, slots=True)
class TableEvent:
    """One event.  `source` discarded, or had his kong robbed.

    worth  by seat, of the winners: money, or with `stated` the value of the hand, to be turned into money
    flags  late, robbed, after_kong, kong_chain, last_tile, first_turn
    """

    kind: str
    seat: int | None = None
    source: int | None = None
    winners: tuple[int, ...] = ()
    flags: frozenset[str] = frozenset()
    worth: Lanes = (0, 0, 0, 0)
    stated: bool = False


@dataclass(frozen=True, slots=True)
class TableGame:
    """A whole hand as events.  `states`, `best_call` and `least_call` are those of a drawn end."""

    events: tuple[TableEvent, ...]
    players: int = 4
    dealer: int = 0
    out: Seats = NOBODY
    horses: tuple[int, ...] = ()  # the seat each is bound to
    states: tuple[str | None, ...] = (None,) * 4
    best_call: Lanes = (0, 0, 0, 0)
    least_call: Lanes = (0, 0, 0, 0)
    stances: tuple[Mapping[str, OptionValue], ...] = ({}, {}, {}, {})


class Impossible(Exception):
    """An event that cannot be: `code` of the message catalogue with its facts; `event` counts from 0."""

    def __init__(self, code: str, event: int, **facts: object) -> None:
        super().__init__(code)
        self.code = code
        self.event = event
        self.facts = facts


@dataclass(frozen=True)
class Moment:
    """What words mean at one event.  A seat outside the table is in no set."""

    players: int
    sets: Mapping[str, Seats]
    flags: frozenset[str]
    kong_kind: int
    numbers: Mapping[str, Lanes]
    stances: tuple[Mapping[str, OptionValue], ...]
    drawn: bool
    first: int  # the seat that turn order begins with
    own: int = 0  # the seat whose words are meant where none is said
    payer: int | None = None
    # Worked out once for all views of one moment; a moment that is changed begins anew.
    lets: dict[str, int | bool | None] = field(default_factory=dict, init=False, repr=False, compare=False)
    _views: dict[tuple[int, int | None], Moment] = field(default_factory=dict, init=False, repr=False, compare=False)

    def seat(self, word: str, seat: int | None = None) -> int:
        """A truth (1 or 0) or number of a seat."""
        seat = self.own if seat is None else seat
        if word in self.sets:
            return int(seat in self.sets[word])
        if word in self.numbers:
            return self.numbers[word][seat]
        if word == "kong_kind":
            return self.kong_kind
        if word == "wall_left":
            return 0 if self.drawn else MANY_TILES
        return int(word in self.flags)

    def stance(self, name: str, owner: str | None = None) -> int:
        """What a seat has declared; a yes of a role is that of any of its seats."""
        declared = [self.stances[seat].get(name) for seat in self.owners(owner)]
        return max((value for value in declared if isinstance(value, int)), default=0)

    def owners(self, role: str | None) -> Seats:
        """The seats of a role: for the receiver, or where none is named, the seat whose words are meant."""
        if role == "payer" and self.payer is not None:
            return frozenset({self.payer})
        return frozenset({self.own}) if role in (None, "receiver", "payer") else self.sets.get(role or "", NOBODY)

    def owned(self, word: str, owner: str | None) -> int:
        """A word of a role: of several seats whether it is true of any; of a role that nobody has nothing is true."""
        return max((self.seat(word, seat) for seat in self.owners(owner)), default=0)

    def in_turn(self, seats: Iterable[int]) -> list[int]:
        """Seats in turn order."""
        return sorted(seats, key=lambda seat: (seat - self.first) % self.players)

    @property
    def is_claimed(self) -> bool:
        return "self_draw" not in self.flags

    def of(self, own: int, payer: int | None = None) -> Moment:
        """The same moment as another seat sees it."""
        if own == self.own and payer == self.payer:
            return self
        if (own, payer) not in self._views:
            view = self._views[own, payer] = replace(self, own=own, payer=payer)
            object.__setattr__(view, "_views", self._views)
        return self._views[own, payer]


@dataclass
class Table:
    """What has happened so far."""

    game: TableGame
    stays: bool
    first_win_ends: bool
    won: set[int] = field(default_factory=set)
    kongs: dict[int, tuple[int, str, int | None]] = field(default_factory=dict)  # seat: (event, kind, feeder)
    first_winners: Seats | None = None
    first_discarder: Seats = NOBODY
    robbed: int | None = None
    drawn: bool = False

    def __post_init__(self) -> None:
        self.won |= self.game.out

    @property
    def everybody(self) -> Seats:
        return frozenset(range(self.game.players))

    def check(self, number: int, event: TableEvent) -> None:
        """Impossible where an event cannot come now."""
        left = set() if self.stays else self.won
        if self.drawn:
            raise Impossible("E870", number)
        if self.robbed is not None and (event.kind, event.source) != ("robbed_kong", self.robbed):
            raise Impossible("E871", number, seat=self.robbed)
        for seat in (event.seat, event.source, *event.winners):
            if seat is not None and seat not in self.everybody:
                raise Impossible("E872", number, seat=seat, players=self.game.players)
            if seat is not None and seat in left:
                raise Impossible("E873", number, seat=seat)
        if event.source in (event.seat, *event.winners) and event.source is not None:
            raise Impossible("E874", number, seat=event.source)
        if event.kind in WINS and "after_kong" in event.flags and self._konger(event) not in self.kongs:
            if event.kind != "robbed_kong":
                raise Impossible("E875", number, seat=self._konger(event))
        if "kong_chain" in event.flags and "after_kong" not in event.flags:
            raise Impossible("E887", number)
        if event.kind == "drawn":
            for seat in sorted(self.everybody - self.won):
                if self.game.states[seat] not in ("ready", "not_ready", "pig"):
                    raise Impossible("E876", number, seat=seat)

    def _konger(self, event: TableEvent) -> int | None:
        """Who konged before a win after a kong."""
        if event.kind == "self_draw":
            return event.winners[0]
        return event.source

    def moment(self, event: TableEvent, drawn: bool = False) -> Moment:
        """The words of an event, before it changes anything."""
        everybody, won = self.everybody, frozenset(self.won)
        sets: dict[str, Seats] = {
            "won": won,
            "unwon": everybody - won,
            "in_play": everybody if self.stays else everybody - won,
            "dealer": frozenset({self.game.dealer}),
            "winner": frozenset(event.winners),
            "first_winner": self.first_winners or NOBODY,
            "first_discarder": self.first_discarder,
            **dict.fromkeys(("discarder", "konger", "feeder", "offender", "nearest"), NOBODY),
        }
        for word, step in (("next_seat", 1), ("prev_seat", -1), ("across_seat", 2)):
            # Across is a seat only where the table has two sides.
            seated = word != "across_seat" or self.game.players != 3
            step = 1 if word == "across_seat" and self.game.players == 2 else step
            sets[word] = frozenset({(self.game.dealer + step) % self.game.players}) if seated else NOBODY
        by_state: dict[str, Seats] = dict.fromkeys(STATES[:3], NOBODY)
        if event.kind in ("drawn", "hand_over"):
            for state in by_state:
                by_state[state] = frozenset(s for s in everybody - won if self.game.states[s] == state)
        sets |= by_state
        flags = {event.kind} | (event.flags - {"late", "robbed"})
        kong_kind = 0
        if event.kind in KONGS:
            sets["konger"] = frozenset({event.seat}) if event.seat is not None else NOBODY
            sets["feeder"] = frozenset({event.source}) if event.source is not None else NOBODY
            kong_kind = KONGS.index(event.kind) + 1
            if "late" not in event.flags:
                flags.add("at_once")
        elif event.kind in WINS:
            kong_kind = self._win_words(event, sets)
        elif event.kind == "false_win":
            sets["offender"] = frozenset({event.seat}) if event.seat is not None else NOBODY
        begins = (event.source if event.winners else None, *event.winners[:1], event.seat)
        first = next((seat for seat in begins if seat is not None), self.game.dealer)
        worth: list[int] = [event.worth[s] if s in event.winners else 0 for s in range(SEATS)]
        numbers: dict[str, Lanes] = {
            "best_call": self.game.best_call,
            "least_call": self.game.least_call,
            "worth": (worth[0], worth[1], worth[2], worth[3]),
        }
        return Moment(
            self.game.players,
            sets,
            frozenset(flags),
            kong_kind,
            numbers,
            self.game.stances,
            drawn or event.kind == "drawn",
            first,
        )

    def _win_words(self, event: TableEvent, sets: dict[str, Seats]) -> int:
        """The roles of a win, and the kind of the kong before it."""
        if event.kind == "discard_win" and event.source is not None:
            sets["discarder"] = frozenset({event.source})
        if event.kind == "robbed_kong" and event.source is not None:
            sets["konger"] = frozenset({event.source})
        start = event.source if event.source is not None else event.winners[0]
        nearest = min(event.winners, key=lambda seat: (seat - start) % self.game.players)
        sets["nearest"] = frozenset({nearest})
        konger = self._konger(event)
        if "after_kong" in event.flags and event.kind != "robbed_kong" and konger is not None:
            _, kind, feeder = self.kongs[konger]
            sets["konger"] = frozenset({konger})
            sets["feeder"] = NOBODY if feeder is None else frozenset({feeder})
            return KONGS.index(kind) + 1
        return 0

    def finish(self, number: int, event: TableEvent) -> None:
        """What an event changes."""
        self.robbed = None
        if event.kind in KONGS and event.seat is not None:
            self.kongs[event.seat] = (number, event.kind, event.source)
            if "robbed" in event.flags:
                self.robbed = event.seat
        elif event.kind in WINS:
            if event.kind == "robbed_kong" and event.source is not None:
                # Also where the kong itself was not listed: it was the latest, and it earned nothing.
                self.kongs[event.source] = (number, "added_kong", None)
            if self.first_winners is None and not self.game.out:
                self.first_winners = frozenset(event.winners)
                self.first_discarder = NOBODY if event.source is None else frozenset({event.source})
            self.won |= set(event.winners)
        elif event.kind == "drawn":
            self.drawn = True
