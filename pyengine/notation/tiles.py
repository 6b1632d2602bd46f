"""Tile notation: text such as `123m55p` or `123万 55筒 东` becomes kinds of tiles, and back.

A kind is a number from 0 to 33 in the order of `csrc/mj.h`: 1-9 万, 1-9 筒, 1-9 条, 东南西北白发中.
Reading has two ways.  The fast one knows only right notation; the careful one runs when that
failed and says, for every mistake, which characters are meant and what would be right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from pyengine.language.diagnostics import Diagnostic, InputError
from pyengine.language.source import Source, Span

KINDS = 34
MAX_COPIES = 4  # of a kind, in any tile set
SUITS = "mpsz"
SUIT_WORDS = "万筒条字"
HONOURS = "东南西北白发中"

NAMES = tuple(f"{kind % 9 + 1}{SUITS[kind // 9]}" for kind in range(KINDS))
CHINESE_NAMES = tuple(
    f"{kind % 9 + 1}{SUIT_WORDS[kind // 9]}" if kind < 27 else HONOURS[kind - 27] for kind in range(KINDS)
)

SUIT_MARKS = {mark: i for i, marks in enumerate(("m万萬", "p筒饼餅", "s条索條", "z字")) for mark in marks}
RANKS = {mark: i for marks in ("123456789", "１２３４５６７８９", "一二三四五六七八九") for i, mark in enumerate(marks)}
HONOUR_MARKS = {mark: 27 + i for i, mark in enumerate(HONOURS)} | {"東": 27, "發": 32}
_ZEROS = "0０〇零"

# Other notations, and what is meant by them here.
_MEANT = {"w": "m", "W": "m", "t": "s", "T": "s", "b": "p", "B": "p", "M": "m", "P": "p", "S": "s", "Z": "z"}
_MEANT |= {"Ｍ": "m", "Ｐ": "p", "Ｓ": "s", "Ｚ": "z", "ｍ": "m", "ｐ": "p", "ｓ": "s", "ｚ": "z", "板": "白"}

_CHINESE_MARKS = {mark for mark in (*SUIT_MARKS, *HONOUR_MARKS) if not mark.isascii()}
_ranks, _suits, _honours = "".join(RANKS), "".join(SUIT_MARKS), "".join(HONOUR_MARKS)
MARKS = _ranks + _suits + _honours
PIECE = rf"[{_ranks}]+[{_suits}]|[{_honours}]"
MAX_TEXT = 1000  # No hand is longer, and what was read is remembered.
_pieces = re.compile(rf"\s+|{PIECE}|\S").findall
_CAREFUL = re.compile(
    rf"\s+|(?P<digits>[{_ranks}{_ZEROS}]*)(?P<suit>[{_suits}])|[{_honours}]+|(?P<bare>[{_ranks}{_ZEROS}]+)|(?P<other>\S)"
)


@lru_cache(maxsize=8192)
def _piece(text: str) -> tuple[int, ...] | None:
    """Kinds of one piece as `_pieces` cuts them; None for what is no tile."""
    if text.isspace():
        return ()
    if text in HONOUR_MARKS:
        return (HONOUR_MARKS[text],)
    suit = SUIT_MARKS.get(text[-1])
    if suit is None or len(text) < 2:
        return None
    kinds = tuple(9 * suit + RANKS[mark] for mark in text[:-1])
    return None if max(kinds) >= KINDS else kinds


def kinds_in(text: str) -> tuple[int, ...] | None:
    """The kinds of tiles that a text names, in its order; None when some of it is no tile."""
    if len(text) > MAX_TEXT:
        return None
    found: list[int] = []
    for piece in _pieces(text):
        kinds = _piece(piece)
        if kinds is None:
            return None
        found += kinds
    return tuple(found)


def named_as_in(text: str, kind: int) -> str:
    """The name of a kind in the notation of a text: 6筒 in a Chinese one, 6p in any other."""
    return (CHINESE_NAMES if set(text) & _CHINESE_MARKS else NAMES)[kind]


def parse(text: str, span: Span | None = None) -> tuple[int, ...]:
    """The kinds of tiles that a text names; InputError when some of it is no tile.

    `span` is where the text stands, for messages; without it the text is a source of its own.
    """
    kinds = kinds_in(text)
    if kinds is None:
        raise InputError(diagnose(text, span))
    return kinds


def parse_one(text: str, span: Span | None = None) -> int:
    """The kind of the one tile that a text names."""
    kinds = parse(text, span)
    if len(kinds) != 1:
        raise InputError([Diagnostic("E706", span or here(text, "tile"), {"text": text, "n": len(kinds)})])
    return kinds[0]


def parse_suit(text: str) -> int | None:
    """0, 1 or 2 for 万, 筒 or 条 by any of their marks; None for anything else."""
    suit = SUIT_MARKS.get(text) if len(text) == 1 else None
    return None if suit == 3 else suit


# ---- mistakes --------------------------------------------------------------------------------


def here(text: str, name: str = "hand") -> Span:
    """The span of a text that comes from no file; `name` is what messages call it."""
    return Span(Source(name, text), 0, len(text))


def within(span: Span, text: str, start: int, end: int) -> Span:
    """Characters `start`..`end` of a text that stands at `span`.

    Where the file spells the text otherwise than it reads (quotes, escapes), the whole span.
    """
    at = span.source.text.find(text, span.start, span.end) if text else -1
    return Span(span.source, at + start, at + end) if at >= 0 else span


def diagnose(text: str, span: Span | None = None) -> list[Diagnostic]:
    """Every mistake in a text of tiles."""
    whole = span or here(text)
    if len(text) > MAX_TEXT:
        return [Diagnostic("E705", whole, {"n": len(text), "limit": MAX_TEXT})]
    found: list[Diagnostic] = []

    def report(code: str, start: int, end: int, *suggestions: str, **facts: object) -> None:
        found.append(Diagnostic(code, within(whole, text, start, end), facts, (), suggestions))

    for match in _CAREFUL.finditer(text):
        start, end = match.span()
        if match["suit"]:
            digits, suit = match["digits"], SUIT_MARKS[match["suit"]]
            highest = 7 if suit == 3 else 9
            if not digits:
                report("E703", start, end, suit=match["suit"])
            for i, digit in enumerate(digits, start):
                if digit in _ZEROS or RANKS[digit] >= highest:
                    report("E704", i, i + 1, tile=digit + match["suit"], highest=highest, suit=match["suit"])
        elif match["bare"]:
            meant = _MEANT.get(text[end : end + 1])
            if meant is None:
                report("E702", start, end, digits=match["bare"])
        elif match["other"]:
            meant = _MEANT.get(match["other"])
            report("E701", start, end, *([meant] if meant else []), character=match["other"])
    return _merged(found)


def _merged(found: list[Diagnostic]) -> list[Diagnostic]:
    """Unknown characters that stand side by side as one mistake."""
    merged: list[Diagnostic] = []
    for one in found:
        last = merged[-1].span if merged and merged[-1].code == one.code == "E701" else None
        if last and one.span and last.end == one.span.start:
            facts = {"character": f"{merged[-1].facts['character']}{one.facts['character']}"}
            merged[-1] = Diagnostic("E701", last.to(one.span), facts)
        else:
            merged.append(one)
    return merged


def each_tile(text: str) -> Iterator[tuple[int, int, int]]:
    """Every tile that a text names, with its place: kind, start, end."""
    for match in re.finditer(PIECE, text):
        kinds = _piece(match.group())
        for i, kind in enumerate(kinds or (), match.start()):
            yield kind, i, i + 1


# ---- writing ---------------------------------------------------------------------------------


def counts(kinds: Iterable[int]) -> tuple[int, ...]:
    """Copies by kind, 34 of them."""
    copies = [0] * KINDS
    for kind in kinds:
        copies[kind] += 1
    return tuple(copies)


def expand(copies: Iterable[int]) -> list[int]:
    """The kinds of tiles that copies by kind stand for, in order."""
    return [kind for kind, n in enumerate(copies) for _ in range(n)]


def runs_of_suits(kinds: Iterable[int]) -> list[list[int]]:
    """Kinds in their order, cut where the suit changes."""
    pieces: list[list[int]] = []
    for kind in kinds:
        if pieces and pieces[-1][-1] // 9 == kind // 9:
            pieces[-1].append(kind)
        else:
            pieces.append([kind])
    return pieces


def compact(kinds: Iterable[int]) -> str:
    """`123m55p`."""
    return "".join(
        "".join(str(kind % 9 + 1) for kind in piece) + SUITS[piece[0] // 9] for piece in runs_of_suits(kinds)
    )


def chinese(kinds: Iterable[int]) -> str:
    """`123万 55筒 东`."""
    return " ".join(
        "".join(HONOURS[kind - 27] for kind in piece)
        if piece[0] >= 27
        else "".join(str(kind % 9 + 1) for kind in piece) + SUIT_WORDS[piece[0] // 9]
        for piece in runs_of_suits(kinds)
    )
