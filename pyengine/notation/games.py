"""The games of a case file: events as frozen records, their syntax checked.

An event is known by its first key: `kong`, `win`, `end` or `foul`.  What a hand in an event is
worth, and what it all comes to, is the settlement's work.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pyengine.language import vocabulary
from pyengine.language.diagnostics import InputError, closest
from pyengine.language.source import Source, Span
from pyengine.notation import melds as notation
from pyengine.notation import tiles, yamlfile
from pyengine.notation.fields import SEATS, Fields, is_seat, words_of
from pyengine.notation.melds import KONGS
from pyengine.notation.records import Record, RecordMove, parse_move, read_record

_EVENTS = ("kong", "win", "end", "foul")
_SEAT_KEYS = tuple(map(str, range(SEATS)))
_BASES = re.compile(r"[0-9]{1,12}\s*[倍x]")


@dataclass(frozen=True, slots=True)
class Winner:
    """A winner, or a seat at the end: what its hand is worth, or the hand itself.

    value   worth in bases before what is added for a self-draw, caps and extras
    state   of a seat at the end: 听牌, 没叫, 花猪 or 已胡; best its best call
    spans   where its fields stand, as `make_hand` asks for them
    """

    seat: int
    value: str | None = None
    hand: str | None = None
    melds: tuple[str, ...] = ()
    void: str | None = None
    state: str | None = None
    best: int | None = None
    spans: Mapping[str, Span] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Event:
    """One event.  `kind` is the canonical word; what does not belong to the kind is empty."""

    kind: str
    span: Span = field(repr=False)
    seat: int | None = None
    feeder: int | None = None
    tile: int | None = None
    late: bool = False
    robbed: bool = False
    flags: tuple[str, ...] = ()
    seats: tuple[Winner, ...] = ()


@dataclass(frozen=True, slots=True)
class GameExpectation:
    """What a game must come to; None is not looked at.

    Of a record also: `illegal` is its first move that cannot be, `because` the code of the message that refuses
    the record; `can` and `cannot` are moves that are legal, or not, where it stops.
    """

    deltas: tuple[int, ...] | None = None
    next_dealer: int | None = None
    horses: tuple[tuple[int, int], ...] | None = None
    illegal: RecordMove | None = None
    because: str | None = None
    can: tuple[RecordMove, ...] = ()
    cannot: tuple[RecordMove, ...] = ()

    @property
    def is_of_part(self) -> bool:
        """Whether it speaks of the moves of a record that need not go on to the end."""
        return bool(self.illegal or self.because or self.can or self.cannot)


@dataclass(frozen=True, slots=True)
class Game:
    """Events at a table; `record` instead is a hand as it was played."""

    events: tuple[Event, ...]
    expect: GameExpectation
    out: tuple[int, ...] = ()
    dealer: int = 0
    horses: tuple[int, ...] = ()
    stances: Mapping[int, Mapping[str, str]] = field(default_factory=dict)  # what seats have declared (声明)
    spans: Mapping[str, Span] = field(
        default_factory=dict, repr=False, compare=False
    )  # dealer, out, horses, stances.0.飘
    record: Record | None = None


@cache
def _states() -> dict[str, str]:
    """States of a seat at the end, by every spelling."""
    return (
        words_of(vocabulary.of_kind("seats"), lambda e: e.english in ("ready", "not_ready", "won"))
        | words_of(vocabulary.of_kind("reserved"), lambda e: e.english == "pig")
        | {"未听": "没叫"}
    )


@cache
def _events(*english: str) -> dict[str, str]:
    return words_of(vocabulary.of_kind("event"), lambda e: e.english in english)


def game_of_mapping(game: Mapping[str, Any]) -> Game:
    """A game from plain data; InputError with every mistake, placed in the same game written as YAML."""
    import yaml

    text = yaml.safe_dump(dict(game), allow_unicode=True, sort_keys=False, default_flow_style=None)
    document, found = yamlfile.load(Source("game", text))
    if document is None:
        raise InputError(found)
    fields = Fields(document, (), found)
    read: Game = read_game(fields, expected=False)["game"]
    fields.done()
    if found:
        raise InputError(found)
    return read


def read_game(fields: Fields, expected: bool = True) -> dict[str, Any]:
    """The parts of a game, beside its head; `expected` where it must say what it comes to."""
    inner = fields.inner("record")
    record = read_record(inner) if inner and inner.is_mapping else None
    if inner is None:
        fields.required("events")
    events = tuple(event for path in fields.items("events") if (event := _read_event(fields, path)))
    out = _seats(fields, "out")
    dealer = fields.seat("dealer")
    horses = fields.tiles("horses") or ()
    spans = {key: _place(fields, key) for key in ("dealer", "out", "horses")}
    stances = _stances(fields, spans)
    expect = GameExpectation()
    if fields.required("expect") if expected else fields.has("expect"):
        stated = fields.inner("expect")
        expect = _read_expect(stated, record is not None) if stated else expect
    return {"game": Game(events, expect, out, dealer or 0, horses, stances, spans, record)}


def _stances(fields: Fields, spans: dict[str, Span]) -> dict[int, Mapping[str, str]]:
    """`stances: {0: {飘: 2}}`; what is declared is looked up when the game is settled."""
    inner = fields.inner("stances")
    found: dict[int, Mapping[str, str]] = {}
    for key in inner.data if inner else ():
        assert inner
        if key in _SEAT_KEYS:
            found[int(key)] = inner.scalars(key) or {}
            spans |= {f"stances.{key}.{name}": inner.span(key, name) for name in found[int(key)]}
        else:
            inner.wrong("E828", inner.key_span(key), value=key, last=SEATS - 1)
    return found


def _read_expect(fields: Fields, of_record: bool) -> GameExpectation:
    deltas: tuple[int, ...] | None = None
    if fields.has("deltas"):
        value = fields.data["deltas"]
        if isinstance(value, list) and 2 <= len(value) <= SEATS and all(type(n) is int for n in value):
            deltas = tuple(value)
        else:
            fields.wrong_at("deltas", "E840")
    horses: list[tuple[int, int]] | None = [] if fields.has("horses") else None
    for path in fields.items("horses"):
        horse = Fields(fields.document, path, fields.found)
        horse.required("seat")
        horse.required("delta")
        seat, delta = horse.seat("seat"), horse.integer("delta")
        if horses is not None and seat is not None and delta is not None:
            horses.append((seat, delta))
        horse.done()
    next_dealer = fields.seat("next_dealer")
    of_part: dict[str, Any] = {}
    if of_record:
        illegal = _read_moves(fields, "illegal")
        of_part = {"illegal": illegal[0] if illegal else None, "because": fields.text("because")}
        of_part |= {key: _read_moves(fields, key) for key in ("can", "cannot")}
        _only_of_part(fields)
    fields.done()
    if fields.is_mapping and not any(value is not None for value in fields.data.values()):
        fields.wrong("E832", fields.head)
    return GameExpectation(deltas, next_dealer, None if horses is None else tuple(horses), **of_part)


def _only_of_part(fields: Fields) -> None:
    """Refuses what would not be compared: the sum of a hand beside a part of it, moves after a refused record."""
    part = [key for key in ("illegal", "because", "can", "cannot") if fields.has(key)]
    never = ["deltas", "next_dealer", "horses"] if part else []
    never += ["can", "cannot"] if part[:1] == ["because"] else []
    for key in never:
        if fields.has(key):
            fields.wrong("E854", fields.key_span(key), key=key, word=part[0])


def _read_moves(fields: Fields, key: str) -> tuple[RecordMove, ...]:
    moves = []
    for text in fields.texts(key) or ():
        move, wrong = parse_move(text, fields.span(key))
        fields.found += [wrong] if wrong else []
        moves += [move] if move else []
    return tuple(moves)


def _seats(fields: Fields, key: str) -> tuple[int, ...]:
    seats: list[int] = []
    for i, path in enumerate(fields.items(key)):
        seat = fields.data[key][i]
        if not is_seat(seat) or seat in seats:
            fields.wrong(
                "E828" if not is_seat(seat) else "E841", fields.document.span(*path), value=seat, last=SEATS - 1
            )
        else:
            seats.append(seat)
    return tuple(seats)


def _read_event(game: Fields, path: tuple[str | int, ...]) -> Event | None:
    fields = Fields(game.document, path, game.found)
    kinds = [key for key in _EVENTS if key in fields.data]
    if len(kinds) != 1:
        if fields.is_mapping:
            near = [word for key in fields.data for word in closest(key, _EVENTS)]
            fields.wrong("E842" if not kinds else "E843", fields.head, near, known=" ".join(kinds or _EVENTS))
        return None
    if not fields.required(kinds[0]):
        return None
    before = len(game.found)
    read = {"kong": _read_kong, "win": _read_win, "end": _read_end, "foul": _read_foul}[kinds[0]]
    event = read(fields)
    fields.done()
    return event if len(game.found) == before else None


def _read_kong(fields: Fields) -> Event:
    words = {s: w for s, w in notation.words().items() if w in KONGS}
    kind = fields.word("kong", words, "E734")
    fields.required("seat")
    seat, feeder = fields.seat("seat"), fields.seat("from")
    if kind == "直杠":
        fields.required("from")
        _not_oneself(fields, seat, feeder)
    elif kind and fields.has("from"):
        fields.wrong("E844", fields.key_span("from"), key="from", word=kind)
    late, robbed = fields.truth("late"), fields.truth("robbed")
    for key in ("late", "robbed"):
        if kind not in (None, "巴杠") and fields.data.get(key):
            fields.wrong("E844", fields.key_span(key), key=key, word=kind)
    return Event(kind or "", fields.head, seat, feeder, fields.tile("tile"), bool(late), bool(robbed))


def _read_win(fields: Fields) -> Event:
    kind = fields.word("win", words_of(vocabulary.win_kinds()), "E730")
    if kind is None:
        fields.asked += fields.data  # What belongs to an unknown kind of win cannot be said.
        return Event("", fields.head)
    feeder, tile = fields.seat("from"), fields.tile("tile")
    flags = _flags(fields)
    if kind == "自摸":
        # One winner, whose fields stand in the event itself.
        if fields.has("from"):
            fields.wrong("E844", fields.key_span("from"), key="from", word=kind)
        seat = fields.seat("seat") if fields.required("seat") else None
        winners = [_read_winner(fields, seat, fields)]
        return Event(kind, fields.head, seat, None, tile, flags=flags, seats=tuple(w for w in winners if w))
    fields.required("from")
    fields.required("winners")
    winners = []
    taken: list[int] = []
    for path in fields.items("winners"):
        inner = Fields(fields.document, path, fields.found)
        seat = inner.seat("seat") if inner.required("seat") else None
        _not_oneself(inner, seat, feeder)
        if seat in taken:
            inner.wrong_at("seat", "E841", value=seat)
        taken += [] if seat is None else [seat]
        winners.append(_read_winner(inner, seat, fields))
        inner.done()
    if fields.has("winners") and fields.data["winners"] == []:
        fields.wrong_at("winners", "E845")
    return Event(kind, fields.head, None, feeder, tile, flags=flags, seats=tuple(w for w in winners if w))


def _read_winner(fields: Fields, seat: int | None, event: Fields) -> Winner | None:
    """The worth of a winner's hand, or the hand; what holds for all winners stands in the event."""
    value, hand = fields.text("value"), fields.text("hand")
    if value is not None and not _BASES.fullmatch(value):
        near = [f"{value}倍"] if value.isdigit() else []
        fields.wrong_at("value", "E846", near, value=value)
    if (value is None) == (hand is None) and fields.is_mapping:
        fields.wrong("E847" if hand is None else "E848", fields.head)
    melds, void = _tiles_of(fields, hand)
    spans = {key: _place(fields, key) for key in ("value", "hand", "melds", "void")}
    spans |= {"win": _place(event, "tile"), "flags": _place(event, "flags")}
    return None if seat is None else Winner(seat, value, hand, melds, void, spans=spans)


def _place(fields: Fields, key: str) -> Span:
    """Where a field stands; where it is not written, the head of its mapping."""
    return fields.span(key) if fields.has(key) else fields.head


def _read_end(fields: Fields) -> Event:
    kind = fields.word("end", _events("drawn", "hand_over"), "E849")
    if kind == "终局" and fields.has("seats"):
        fields.wrong("E844", fields.key_span("seats"), key="seats", word=kind)
    seats = []
    for key in fields.entries("seats") or {}:
        inner = Fields(fields.document, (*fields.path, "seats", key), fields.found)
        if key not in _SEAT_KEYS:
            inner.wrong("E828", fields.document.key(*inner.path), value=key, last=SEATS - 1)
            continue
        state, best, hand = inner.word("state", _states(), "E850"), inner.natural("best"), inner.text("hand")
        melds, void = _tiles_of(inner, hand)
        if state is None and hand is None and inner.is_mapping and not inner.has("state"):
            inner.wrong("E851", inner.head)
        if best is not None and state in ("没叫", "花猪"):
            inner.wrong_at("best", "E853", state=state)
        inner.done()
        spans = {key: _place(inner, key) for key in ("state", "best", "hand", "melds", "void")}
        seats.append(Winner(int(key), None, hand, melds, void, state, best, spans))
    return Event(kind or "", fields.head, seats=tuple(seats))


def _read_foul(fields: Fields) -> Event:
    kind = fields.word("foul", _events("false_win"), "E849")
    fields.required("seat")
    return Event(kind or "", fields.head, fields.seat("seat"))


def _not_oneself(fields: Fields, seat: int | None, feeder: int | None) -> None:
    if seat is not None and seat == feeder:
        fields.wrong_at("seat", "E852", value=seat)


def _flags(fields: Fields) -> tuple[str, ...]:
    words = words_of(vocabulary.win_flags())
    flags = []
    for i, flag in enumerate(fields.texts("flags", split=True) or ()):
        if flag in words:
            flags.append(words[flag])
        else:
            known = " ".join(dict.fromkeys(words.values()))
            fields.wrong("E731", fields.span("flags", i), closest(flag, words), word=flag, known=known)
    return tuple(flags)


def _tiles_of(fields: Fields, hand: str | None) -> tuple[tuple[str, ...], str | None]:
    """The melds and the void suit that stand beside a hand; tiles are checked as notation."""
    if hand is not None and tiles.kinds_in(hand) is None:
        fields.found += notation.read(hand, fields.span("hand"))[2]
    melds = fields.texts("melds") or ()
    for i, meld in enumerate(melds):
        fields.found += notation.read_melds(meld, fields.span("melds", i))[1]
    void = fields.text("void")
    if void is not None and tiles.parse_suit(void) is None:
        fields.wrong_at("void", "E733", word=void)
    return melds, void
