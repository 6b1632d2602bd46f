"""Case files: YAML becomes frozen records, and every mistake a diagnostic at its place.

A broken case is left out and does not hide the others.
What only the rules can tell (options, their values, names of fans, the tile set) is looked at
when the cases are run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pyengine.language.diagnostics import MAX_FOUND, Diagnostic, Related
from pyengine.language.model import UNIT_SIGNS
from pyengine.language.source import Source, Span
from pyengine.notation import yamlfile
from pyengine.notation.fields import Fields
from pyengine.notation.games import Game, read_game
from pyengine.notation.yamlfile import wide_colon

UNITS = dict(zip(("fan", "x", "pt", "base"), UNIT_SIGNS.values(), strict=True)) | {"颗": "分"}
_AMOUNT = re.compile(rf"\s*(-?[0-9]+)\s*({'|'.join([*UNITS, *UNIT_SIGNS.values()])})\s*")


@dataclass(frozen=True, slots=True)
class HandExpectation:
    """What a hand must come to; None is not looked at."""

    win: bool | None = None
    fans: tuple[str, ...] | None = None
    fans_include: tuple[str, ...] = ()
    fans_exclude: tuple[str, ...] = ()
    total: str | None = None
    points: int | None = None


@dataclass(frozen=True, slots=True)
class WaitExpectation:
    """What a waiting hand must come to; None is not looked at."""

    ting: bool | None = None
    waits: frozenset[int] | None = None
    best: int | None = None


@dataclass(frozen=True, slots=True)
class _Case:
    id: str
    options: Mapping[str, str]
    spans: Mapping[str, Span] = field(repr=False)
    note: str | None = field(default=None, kw_only=True)

    @property
    def span(self) -> Span:
        return self.spans["id"]


@dataclass(frozen=True, slots=True)
class HandCase(_Case):
    """A complete hand, as written.  `spans` has the place of each field, see `make_hand`."""

    hand: str
    expect: HandExpectation
    melds: tuple[str, ...] = ()
    win: str | None = None
    by: str = "点炮"
    flags: tuple[str, ...] = ()
    void: str | None = None
    seen: Mapping[str, int] | None = None
    kong: str | None = None
    stances: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class WaitCase(_Case):
    """A hand that waits, as written."""

    hand: str
    expect: WaitExpectation
    melds: tuple[str, ...] = ()
    void: str | None = None
    seen: Mapping[str, int] | None = None
    stances: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class GameCase(_Case):
    """Events that the rules settle, or a record of play."""

    game: Game


Case = HandCase | WaitCase | GameCase


@dataclass(frozen=True, slots=True)
class CaseFile:
    """The cases of a file that can be run, in its order; `broken` others were left out."""

    source: Source
    ruleset: str
    cases: tuple[Case, ...]
    broken: int = 0


def load_cases(source: Source) -> tuple[CaseFile, list[Diagnostic]]:
    """The cases of a file, and everything that is wrong in it."""
    document, found = yamlfile.load(source)
    if document is None:
        return CaseFile(source, "", (), 1), found
    if isinstance(document.data, str) and "：" in document.data:
        start = document.span().start + document.data.index("：")
        return CaseFile(source, "", (), 1), [*found, wide_colon(Span(source, start, start + 1))]
    top = Fields(document, (), found)
    ruleset = top.text("ruleset") if top.required("ruleset") else None
    shared = _options(top)
    cases: list[Case] = []
    broken = 0
    ids: dict[str, Span] = {}
    readers: tuple[tuple[str, Callable[[Fields], dict[str, Any]], Callable[..., Case]], ...] = (
        ("hands", _read_hand, HandCase),
        ("waits", _read_waits, WaitCase),
        ("games", read_game, GameCase),
    )
    for section, read, make in readers:
        for path in top.items(section):
            errors = len(found)
            if errors >= MAX_FOUND:
                break
            fields = Fields(document, path, found)
            parts = _head(fields, ids) | read(fields)
            fields.done()
            if len(found) > errors:
                broken += 1
            else:
                parts["options"] = {**shared[0], **parts["options"]}
                parts["spans"] = {"ruleset": top.span("ruleset"), **shared[1], **parts["spans"]}
                cases.append(make(**parts))
    record = _record(top, shared, found)
    if record:
        cases.append(record)
    top.done()
    if top.is_mapping and not cases and not broken and not found:
        found.append(Diagnostic("E831", top.head))
    found = not_too_many(found)
    return CaseFile(source, ruleset or "", tuple(cases) if ruleset else (), broken), found


def not_too_many(found: list[Diagnostic]) -> list[Diagnostic]:
    """Mistakes in the order of the file; of very many the first, and where reading ended."""
    found = sorted(found, key=lambda wrong: wrong.span.start if wrong.span else 0)
    if len(found) >= MAX_FOUND:
        found[MAX_FOUND:] = [Diagnostic("E817", found[MAX_FOUND - 1].span, {"limit": MAX_FOUND})]
    return found


def _head(fields: Fields, ids: dict[str, Span]) -> dict[str, Any]:
    """What every case has: its id, where it is from, its options, the places of its fields."""
    name = fields.text("id") if fields.required("id") else None
    if name is not None:
        span = fields.span("id")
        if not name.strip():
            fields.wrong_at("id", "E830")
        elif name in ids:
            fields.found.append(Diagnostic("E829", span, {"id": name}, (Related(ids[name], "first_here"),)))
        ids.setdefault(name, span)
    options, spans = _options(fields)
    spans["id"] = fields.span("id")
    for key, value in fields.data.items():
        spans[key] = fields.span(key)
        if key in ("melds", "flags") and isinstance(value, list):
            spans |= {f"{key}.{i}": fields.span(key, i) for i in range(len(value))}
        elif key in ("seen", "stances", "expect") and isinstance(value, dict):
            spans |= {f"{key}.{name}": fields.span(key, name) for name in value}
    return {"id": name, "note": fields.text("source"), "options": options, "spans": spans}


def _options(fields: Fields) -> tuple[dict[str, str], dict[str, Span]]:
    """The options under `set`, and the places of their names and values."""
    options = fields.scalars("set") or {}
    spans = {f"set.{name}": fields.document.key(*fields.path, "set", name) for name in options}
    spans |= {f"set.{name}=": fields.span("set", name) for name in options}
    return options, spans


def _record(top: Fields, shared: tuple[dict[str, str], dict[str, Span]], found: list[Diagnostic]) -> GameCase | None:
    """A record of play that is the whole file."""
    if not top.has("record"):
        return None
    top.entries("record")
    errors = len(found)
    parts = read_game(top)
    spans = {**shared[1], "id": top.key_span("record"), "ruleset": top.span("ruleset")}
    return None if len(found) > errors else GameCase("record", shared[0], spans, **parts)


# ---- hands and waits ---------------------------------------------------------------------------


def _read_hand(fields: Fields) -> dict[str, Any]:
    parts = _read_tiles(fields)
    parts |= {"win": fields.text("win"), "by": fields.text("by") or "点炮", "kong": fields.text("kong")}
    parts["flags"] = fields.texts("flags", split=True) or ()
    expect = _expect(fields)
    if expect:
        stated = HandExpectation(
            expect.truth("win"),
            expect.texts("fans"),
            expect.texts("fans_include") or (),
            expect.texts("fans_exclude") or (),
            _amount(expect, "total"),
            expect.integer("points"),
        )
        expect.done()
        _not_empty(expect)
        parts["expect"] = stated
    return parts


def _read_waits(fields: Fields) -> dict[str, Any]:
    parts = _read_tiles(fields)
    expect = _expect(fields)
    if expect:
        ting = expect.truth("ting")
        waits = expect.tiles("waits")
        stated = WaitExpectation(ting, None if waits is None else frozenset(waits), expect.integer("best"))
        if waits is not None and ting is not None and ting != bool(waits):
            expect.wrong_at("ting", "E833")
        expect.done()
        _not_empty(expect)
        parts["expect"] = stated
    return parts


def _read_tiles(fields: Fields) -> dict[str, Any]:
    fields.required("hand")
    return {
        "hand": fields.text("hand"),
        "melds": fields.texts("melds") or (),
        "void": fields.text("void"),
        "seen": _seen(fields),
        "stances": fields.scalars("stances"),
    }


def _seen(fields: Fields) -> Mapping[str, int] | None:
    inner = fields.inner("seen")
    if inner is None:
        return None
    return {tile: n for tile in inner.data if (n := inner.natural(tile)) is not None}


def _expect(fields: Fields) -> Fields | None:
    return fields.inner("expect") if fields.required("expect") else None


def _not_empty(expect: Fields) -> None:
    if expect.is_mapping and not any(value is not None for value in expect.data.values()):
        expect.wrong("E832", expect.head)


def _amount(fields: Fields, key: str) -> str | None:
    """A total such as `2倍`, spelled as the engine spells it."""
    text = fields.text(key)
    if text is None:
        return None
    amount = normal_amount(text)
    if amount is None:
        fields.wrong_at(key, "E834", [f"{text}番", f"{text}倍"] if text.isdigit() else [], value=text)
    return amount


def normal_amount(text: str) -> str | None:
    """`2 x` as `2倍`, `5 fan 3 pt` as `5番 3分`; None for what is no amount."""
    parts: list[str] = []
    at = 0
    while at < len(text) or not parts:
        match = _AMOUNT.match(text, at)
        if match is None:
            return None
        parts.append(f"{int(match[1])}{UNITS.get(match[2], match[2])}")
        at = match.end()
    return " ".join(parts)
