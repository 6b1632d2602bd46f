"""Records of play: a hand as it was played, from plain data with places; the syntax is checked here.

A move is `seat verb tile`: `2 碰 5p`, `1 吃 345m`, `3 胡 1m`.  Words behind the tile (杠后, 末张, late …) are what
the record says about the move: they are compared with what follows from the moves, never believed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pyengine.language import vocabulary
from pyengine.language.diagnostics import Diagnostic, closest
from pyengine.language.source import Span
from pyengine.notation import melds, tiles
from pyengine.notation.fields import SEATS, Fields, is_seat, words_of

_MOVE = re.compile(r"\s*(?P<seat>[0-9]+)\s*(?P<verb>[^\W\d]+)\s*(?P<tiles>[^\s,，]+)?\s*(?P<said>.*?)\s*", re.DOTALL)
_LATE = {"late": "late", "不即时": "late", "即时": "at_once", "at_once": "at_once"}
_WRITTEN = {
    "draw": "摸",
    "discard": "打",
    "chow": "吃",
    "pung": "碰",
    "direct_kong": "直杠",
    "added_kong": "巴杠",
    "concealed_kong": "暗杠",
    "win": "胡",
    "pass": "过",
}
_SIZES = {"chow": 3}
_FREE = ("draw", "win", "pass")  # these need no tile


@dataclass(frozen=True, slots=True)
class RecordMove:
    """A move as written.  `tile` is None where none stands there; of a run it is the lowest.

    said  what is claimed beside it, by English names: after_kong, last_tile, late, self_draw …
    """

    seat: int
    verb: str
    tile: int | None
    said: tuple[str, ...]
    span: Span = field(repr=False)


@dataclass(frozen=True, slots=True)
class Record:
    """A hand as it was played.  `spans` has the places of its parts, by key."""

    dealer: int
    deal: Mapping[int, tuple[int, ...]]
    moves: tuple[RecordMove, ...]
    spans: Mapping[str, Span] = field(repr=False)
    wall: tuple[int, ...] | None = None
    direction: str | None = None
    swaps: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    voids: Mapping[int, int] = field(default_factory=dict)
    stances: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    horses: tuple[int, ...] = ()
    states: Mapping[int, str] = field(default_factory=dict)
    deltas: tuple[int, ...] | None = None
    next_dealer: int | None = None


@cache
def verbs() -> dict[str, str]:
    """Every spelling of a verb, with its English name."""
    found = {word: verb for verb, word in _WRITTEN.items()} | {verb: verb for verb in _WRITTEN}
    english = {word: verb for verb, word in _WRITTEN.items()}
    found |= {spelling: english[word] for spelling, word in melds.words().items() if word in english}
    found.pop("明杠", None)  # on the table it is the one or the other
    found.pop("exposed_kong", None)
    return found


@cache
def _wins() -> dict[str, str]:
    """自摸 点炮 抢杠 say how a win came as well."""
    return {s: e.english for e in vocabulary.win_kinds() for s in (e.word, e.english, *e.aliases)}


@cache
def _said() -> dict[str, str]:
    flags = {s: e.english for e in vocabulary.win_flags() for s in (e.word, e.english, *e.aliases)}
    flags.pop("庄家", None)
    return flags | _wins() | _LATE


@cache
def directions() -> dict[str, str]:
    return {s: e.english for e in vocabulary.values_of("directions") for s in (e.word, e.english, *e.aliases)}


@cache
def states() -> dict[str, str]:
    """States of a seat at the end, by every spelling."""
    found = {
        s: e.english
        for kind, names in (("seats", ("ready", "not_ready", "won")), ("reserved", ("pig",)))
        for e in vocabulary.of_kind(kind)
        if e.english in names
        for s in (e.word, e.english, *e.aliases)
    }
    return found | {"未听": "not_ready"}


def read_record(fields: Fields) -> Record | None:
    """The record of a mapping; what is wrong goes to the mistakes of `fields`."""
    before = len(fields.found)
    spans = {key: fields.span(key) for key in fields.data} | {"": fields.head}
    dealer = fields.seat("dealer") or 0
    wall = fields.tiles("wall")
    deal = _by_seat(fields, "deal", _tiles)
    swap = fields.inner("swap")
    direction = None
    swaps: dict[int, tuple[int, ...]] = {}
    if swap:
        words = words_of(vocabulary.values_of("directions"))
        word = swap.word("direction", words, "E760")
        direction = directions()[word] if word else None
        swaps = _seats_of(swap, _tiles, ("direction",))
    voids = _by_seat(fields, "void", _suit)
    stances = {
        seat: dict(told) for seat, told in _by_seat(fields, "stances", lambda inner, key: inner.scalars(key)).items()
    }
    horses = fields.tiles("horses") or ()
    told = _by_seat(fields, "states", _state)
    deltas = _deltas(fields)
    next_dealer = fields.seat("next_dealer")
    fields.required("moves")
    moves: list[RecordMove] = []
    for path in fields.items("moves"):
        move = _move(fields, path)
        if move:
            moves.append(move)
    for key in ("id", "source", "ruleset"):
        fields.text(key)
    fields.done()
    if not deal and wall is None and fields.is_mapping:
        fields.wrong("E822", fields.head, key="deal")
    if len(fields.found) > before:
        return None
    return Record(
        dealer,
        deal,
        tuple(moves),
        spans,
        wall,
        direction,
        swaps,
        voids,
        stances,
        horses,
        told,
        deltas,
        next_dealer,
    )


def _deltas(fields: Fields) -> tuple[int, ...] | None:
    if not fields.has("deltas"):
        return None
    value = fields.data["deltas"]
    if isinstance(value, list) and value and all(isinstance(n, int) and not isinstance(n, bool) for n in value):
        return tuple(value)
    fields.wrong_at("deltas", "E840", seats=SEATS)
    return None


def _by_seat(fields: Fields, key: str, read: Any) -> dict[int, Any]:
    inner = fields.inner(key)
    return _seats_of(inner, read, ()) if inner else {}


def _seats_of(inner: Fields, read: Any, others: tuple[str, ...]) -> dict[int, Any]:
    """The entries of a mapping by seat."""
    found: dict[int, Any] = {}
    for key in inner.data:
        if key in others:
            continue
        if key.isascii() and key.isdigit() and is_seat(int(key)):
            value = read(inner, key)
            if value is not None:
                found[int(key)] = value
        else:
            inner.wrong("E828", inner.key_span(key), value=key, last=SEATS - 1)
    return found


def _tiles(inner: Fields, key: str) -> tuple[int, ...] | None:
    return inner.tiles(key)


def _suit(inner: Fields, key: str) -> int | None:
    text = inner.text(key)
    suit = tiles.parse_suit(text) if text else None
    if suit is None:
        inner.wrong_at(key, "E733", word=text)
    return suit


def _state(inner: Fields, key: str) -> str | None:
    word = inner.word(key, {spelling: spelling for spelling in states()}, "E850")
    return states()[word] if word else None


def _move(fields: Fields, path: tuple[str | int, ...]) -> RecordMove | None:
    text = fields.document.data
    for step in path:
        text = text[step]
    span = fields.document.span(*path)
    if not isinstance(text, str):
        fields.wrong("E761", span, text=str(text))
        return None
    move, wrong = parse_move(text, span)
    if wrong:
        fields.found.append(wrong)
    return move


def parse_move(text: str, span: Span) -> tuple[RecordMove | None, Diagnostic | None]:
    """The move that a text such as `2 碰 5p` names, or what is wrong with it."""
    match = _MOVE.fullmatch(text) if len(text) < tiles.MAX_TEXT else None
    if match is None:
        return None, Diagnostic("E761", span, {"text": text})
    if int(match["seat"][:9]) >= SEATS:
        return None, Diagnostic("E828", span, {"key": "moves", "value": match["seat"], "last": SEATS - 1})
    said: list[str] = []
    word = match["verb"]
    verb = verbs().get(word)
    if verb is None and word in _wins():
        verb = "win"
        said.append(_wins()[word])
    if verb is None:
        known = [*_WRITTEN.values(), *_WRITTEN]
        return None, Diagnostic("E762", span, {"word": word, "known": " ".join(known)}, (), closest(word, known))
    rest, shown = match["said"], match["tiles"]
    if shown in _said():  # `0 胡 杠后`
        rest, shown = f"{shown} {rest}", None
    for fact in re.findall(r"[^\s,，()（）]+", rest):
        if fact not in _said():
            return None, Diagnostic("E763", span, {"word": fact}, (), closest(fact, _said()))
        said.append(_said()[fact])
    tile: int | None = None
    if shown is not None:
        kinds = tiles.kinds_in(shown)
        if kinds is None:
            return None, next(iter(tiles.diagnose(shown, span)), Diagnostic("E761", span, {"text": text}))
        size = _SIZES.get(verb, 1)
        kinds = tuple(sorted(kinds))
        alike = verb not in ("draw", "discard", "win", "pass", "chow") and len(set(kinds)) == 1
        if not alike and len(kinds) != size:
            return None, Diagnostic("E764", span, {"word": _WRITTEN[verb], "want": size, "text": shown})
        if verb == "chow" and (kinds[0] >= 27 or kinds != (kinds[0], kinds[0] + 1, kinds[0] + 2) or kinds[0] % 9 > 6):
            return None, Diagnostic("E764", span, {"word": _WRITTEN[verb], "want": 3, "text": shown})
        tile = kinds[0]
    elif verb not in _FREE:
        return None, Diagnostic("E764", span, {"word": _WRITTEN[verb], "want": _SIZES.get(verb, 1), "text": ""})
    return RecordMove(int(match["seat"]), verb, tile, tuple(said), span), None


def write_move(seat: int, verb: str, tile: int | None) -> str:
    """A move as a record has it."""
    shown = ""
    if tile is not None:
        shown = " " + (tiles.compact((tile, tile + 1, tile + 2)) if verb == "chow" else tiles.NAMES[tile])
    return f"{seat} {_WRITTEN[verb]}{shown}"
