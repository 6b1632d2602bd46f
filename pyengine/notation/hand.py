"""A hand to be judged: from what people write to one frozen record, checked.

Everything that a score depends on is in `Hand`.  The records are hashable and hold numbers and
the canonical words of `grammar/words.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import gt, index

from pyengine.language import vocabulary
from pyengine.language.core import Option, OptionValue
from pyengine.language.diagnostics import MAX_FOUND, Diagnostic, InputError, closest, text_of, unfit
from pyengine.language.source import Span
from pyengine.language.values import read_values
from pyengine.notation import melds as notation
from pyengine.notation import tiles
from pyengine.notation.melds import KONGS, Meld
from pyengine.notation.tiles import KINDS, MAX_COPIES, NAMES, named_as_in

__all__ = ["Hand", "Meld", "make_hand"]

_KINDS = {name: kind for kind, name in enumerate(NAMES)}
_NOTHING_SEEN = (0,) * KINDS
split_list = re.compile(r"[^\s,，、]+").findall


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand and the facts of its win.

    concealed  copies by kind (34), the winning tile among them
    win        kind of the winning tile; None when it is not told, and for a waiting hand
    by         自摸, 点炮 or 抢杠
    flags      further facts of the win: 杠后, 末张, 庄家 …
    void       void suit: 0, 1, 2 for 万 筒 条
    seen       copies by kind on the table outside the concealed part: discards and all melds
    kong       直杠, 巴杠 or 暗杠: the kind of the kong just before the win
    stances    what the winner has declared (声明), by name; what is left out is as the file has it
    """

    concealed: tuple[int, ...]
    melds: tuple[Meld, ...] = ()
    win: int | None = None
    by: str = "点炮"
    flags: frozenset[str] = frozenset()
    void: int | None = None
    seen: tuple[int, ...] = _NOTHING_SEEN
    kong: str | None = None
    stances: tuple[tuple[str, OptionValue], ...] = ()

    def __str__(self) -> str:
        return " ".join([*map(str, self.melds), tiles.compact(tiles.expand(self.concealed))])


class _Desk:
    """Where mistakes are collected, each at the place of the field that it is in."""

    def __init__(self, spans: Mapping[str, Span] | None) -> None:
        self.found: list[Diagnostic] = []
        self._spans = spans or {}

    def span(self, field: str, text: object = "") -> Span:
        """The place of a field; an entry of a list is named `melds.0`."""
        known = self._spans.get(field) or self._spans.get(field.partition(".")[0])
        return known or tiles.here(text_of(text), re.sub(r"\.(.+)", r"[\1]", field))

    def unfit(self, field: str, wanted: str, given: object) -> None:
        self.found.append(unfit(field, wanted, given))

    def report(self, code: str, span: Span, suggestions: Iterable[str] = (), **facts: object) -> None:
        self.found.append(Diagnostic(code, span, facts, (), tuple(suggestions)))


def make_hand(
    hand: str | Sequence[int],
    melds: str | Iterable[str | Meld] = (),
    win: str | int | None = None,
    by: str = "点炮",
    flags: str | Iterable[str] = (),
    void: str | int | None = None,
    seen: str | Sequence[int] | Mapping[str, int] | None = None,
    kong: str | None = None,
    stances: Mapping[str, object] | None = None,
    *,
    copies: Sequence[int],
    hand_size: int,
    declared: Mapping[str, Option] | None = None,
    waiting: bool | None = False,
    spans: Mapping[str, Span] | None = None,
) -> Hand:
    """The hand that someone wrote, or an InputError with everything that is wrong with it.

    `hand` is text (which may hold melds: `碰 5s 123m…`) or copies by kind.  `copies`,
    `hand_size` and `declared` are the tile set, the hand size and the stances of the rules.  A hand has
    hand_size + 1 tiles, or hand_size when it is `waiting` (None: either), each meld counted as three.
    `spans` says where the fields stand in a file; entries of `melds` and `flags` as `melds.0`, of `seen` as
    `seen.3m`, of `stances` likewise.
    """
    desk = _Desk(spans)
    concealed, own = _read_tiles(desk, hand, melds)
    win_tile = _read_win(desk, win)
    how = "点炮" if by == "点炮" else _read_by(desk, by)
    facts = _read_flags(desk, flags) if flags else frozenset()
    suit = None if void is None else _read_void(desk, void)
    before = None if kong is None else _read_kong(desk, kong)
    own_stances = () if stances is None else _read_stances(desk, stances, declared or {})
    table = _on_table(desk, seen, own) if seen is not None or own else _NOTHING_SEEN
    if not desk.found:
        if waiting is None:
            waiting = sum(concealed) % 3 == hand_size % 3  # A meld stands for three tiles.
        _check_tiles(desk, hand, concealed, own, win_tile, copies, hand_size + (not waiting))
        if seen is not None:
            _check_seen(desk, seen, concealed, table, copies)
        if not waiting and (facts or before or how == "抢杠"):
            _check_facts(desk, own, how, facts, before)
        if not waiting and how == "抢杠":
            _check_robbed(desk, concealed, own, win_tile)
    if desk.found:
        raise InputError(desk.found)
    return Hand(tuple(concealed), own, win_tile, how, facts, suit, table, before, own_stances)


# ---- tiles -----------------------------------------------------------------------------------


def _read_tiles(
    desk: _Desk, hand: str | Sequence[int], given: str | Iterable[str | Meld]
) -> tuple[list[int], tuple[Meld, ...]]:
    """Copies of the concealed tiles by kind, and the melds."""
    own: list[Meld] = []
    concealed = [0] * KINDS
    if isinstance(hand, str):
        kinds = tiles.kinds_in(hand)
        if kinds is None:
            own, kinds, found = notation.read(hand, desk.span("hand", hand))
            desk.found += found
        for kind in kinds:
            concealed[kind] += 1
    else:
        concealed = _read_counts(desk, hand, "hand")
    if given:
        own += _read_melds(desk, given)
    return concealed, tuple(own)


def _read_counts(desk: _Desk, given: Iterable[int], field: str) -> list[int]:
    """34 copies by kind from numbers; 27 of them stand for a set without honours.

    How large they are is looked at here, before anybody writes them out as tiles.
    """
    try:
        copies = [index(n) for n in given]
    except TypeError:
        desk.report("E726", desk.span(field, field), field=field)
        return [0] * KINDS
    if len(copies) not in (27, KINDS) or not 0 <= min(copies) <= max(copies) <= MAX_COPIES:
        desk.report("E726", desk.span(field, field), field=field)
        return [0] * KINDS
    return copies + [0] * (KINDS - len(copies))


def _read_melds(desk: _Desk, given: str | Iterable[str | Meld]) -> list[Meld]:
    own: list[Meld] = []
    if not isinstance(given, Iterable):
        desk.unfit("melds", "texts", given)
        return own
    for i, meld in enumerate([given] if isinstance(given, str) else given):
        if isinstance(meld, Meld):
            own.append(meld)
            continue
        field = "melds" if isinstance(given, str) else f"melds.{i}"
        more, found = notation.read_melds(str(meld), desk.span(field, meld))
        own += more
        desk.found += found
    return own


def _read_win(desk: _Desk, win: str | int | None) -> int | None:
    if win is None:
        return None
    if not isinstance(win, str):
        kind = _whole(win, -1)
        if not 0 <= kind < KINDS:
            desk.report("E727", desk.span("win", win), value=win)
        return kind
    if win in _KINDS:
        return _KINDS[win]
    try:
        return tiles.parse_one(win, desk.span("win", win))
    except InputError as error:
        desk.found += error.diagnostics
        return None


def _whole(value: object, otherwise: int) -> int:
    """A whole number of any type, numpy's too; a truth value is none."""
    try:
        return otherwise if isinstance(value, bool) else index(value)  # type: ignore[arg-type]
    except TypeError:
        return otherwise


def _check_tiles(
    desk: _Desk,
    hand: object,
    concealed: Sequence[int],
    own: Sequence[Meld],
    win: int | None,
    copies: Sequence[int],
    size: int,
) -> None:
    """Kinds and copies against the tile set, the number of tiles, the winning tile."""
    held = concealed
    if own:
        held = list(concealed)
        for meld in own:
            for kind in meld.tiles:
                held[kind] += 1
    n, need = sum(concealed), size - 3 * len(own)
    if n == need and (win is None or concealed[win]) and not any(map(gt, held, copies)):
        return
    text = hand if isinstance(hand, str) else tiles.compact(tiles.expand(concealed))
    span = desk.span("hand", text)
    for kind, copied in enumerate(held):
        if copied > copies[kind]:
            code = "E720" if copies[kind] else "E721"
            place, name = _where(desk, span, text, own, kind), named_as_in(text, kind)
            desk.report(code, place, tile=name, n=copied, copies=copies[kind])
    if need <= 0:
        desk.report("E725", desk.span("melds", " ".join(map(str, own))), melds=len(own), most=(size - 1) // 3)
    elif win is not None and n == need - 1:
        name = named_as_in(text, win)
        desk.report("E723", span, [f"{text.rstrip()} {name}"], n=n, need=need, tile=name, melds=len(own))
    elif n != need:
        desk.report("E722", span, n=n, need=need, melds=len(own))
    elif win is not None and not concealed[win]:
        name = named_as_in(text, win)
        desk.report("E724", desk.span("win", name), tile=name)


def _where(desk: _Desk, span: Span, text: str, own: Sequence[Meld], kind: int) -> Span:
    """The first place in the text of a hand that names a kind, else the meld that holds it."""
    for found, start, end in tiles.each_tile(text):
        if found == kind:
            return tiles.within(span, text, start, end)
    melds = [str(meld) for meld in own if kind in meld.tiles]
    return desk.span("melds", " ".join(melds)) if melds else span


# ---- facts of the win ------------------------------------------------------------------------


@cache
def words_of_win() -> dict[str, str]:
    """Every spelling of how a winning tile came, with the canonical one."""
    return {s: e.word for e in vocabulary.win_kinds() for s in (e.word, e.english, *e.aliases)}


@cache
def words_of_flags() -> dict[str, str]:
    """Every spelling of the further facts of a win, with the canonical one."""
    return {s: e.word for e in vocabulary.win_flags() for s in (e.word, e.english, *e.aliases)}


def _read_by(desk: _Desk, by: str) -> str:
    word = words_of_win().get(str(by))
    if word is None:
        known = " ".join(dict.fromkeys(words_of_win().values()))
        desk.report("E730", desk.span("by", by), closest(str(by), words_of_win()), word=by, known=known)
    return word or "点炮"


def _read_flags(desk: _Desk, flags: str | Iterable[str]) -> frozenset[str]:
    words = set()
    if not isinstance(flags, Iterable):
        desk.unfit("flags", "texts", flags)
        return frozenset()
    for i, flag in enumerate(split_list(flags) if isinstance(flags, str) else flags):
        word = words_of_flags().get(str(flag))
        if word:
            words.add(word)
        elif str(flag) in words_of_win():
            desk.report("E732", desk.span(f"flags.{i}", flag), word=flag)
        else:
            known = " ".join(dict.fromkeys(words_of_flags().values()))
            suggestions = closest(str(flag), words_of_flags())
            desk.report("E731", desk.span(f"flags.{i}", flag), suggestions, word=flag, known=known)
    return frozenset(words)


def _read_void(desk: _Desk, void: str | int) -> int | None:
    suit = tiles.parse_suit(void.strip()) if isinstance(void, str) else _whole(void, -1)
    if suit not in (0, 1, 2):
        desk.report("E733", desk.span("void", void), word=void)
        return None
    return suit


def _read_kong(desk: _Desk, kong: str) -> str | None:
    word = notation.words().get(str(kong))
    if word not in KONGS:
        desk.report("E734", desk.span("kong", kong), closest(str(kong), KONGS) or KONGS, word=kong)
        return None
    return word


def unknown_stance(declared: Mapping[str, Option]) -> tuple[str, Mapping[str, object]]:
    """What to say of a stance that the rules do not know."""
    return ("E888", {"known": " ".join(declared)}) if declared else ("E889", {})


def _read_stances(
    desk: _Desk, given: Mapping[str, object], declared: Mapping[str, Option]
) -> tuple[tuple[str, OptionValue], ...]:
    if not isinstance(given, Mapping):
        desk.unfit("stances", "mapping", given)
        return ()
    values, wrong = read_values(
        declared, given, unknown_stance(declared), lambda name: desk.span(f"stances.{name}", name)
    )
    desk.found += wrong
    return tuple(sorted(values.items()))


def facts_agree(own: Sequence[Meld], by: str, flags: frozenset[str], kong: str | None) -> bool:
    """Whether the facts of a win may be true together with these melds, whatever the rules."""
    desk = _Desk(None)
    _check_facts(desk, own, by, flags, kong)
    return not desk.found


def can_be(hand: Hand) -> bool:
    """Whether a complete hand can be won as it tells, whatever the rules."""
    robs = hand.by != "抢杠" or any(_robbable(hand.concealed, hand.melds, hand.win))
    return robs and facts_agree(hand.melds, hand.by, hand.flags, hand.kong)


def _robbable(concealed: Sequence[int], own: Sequence[Meld], win: int | None) -> list[bool]:
    """By kind, whether it can be the robbed one: the other three are a pung of another, so it is held once."""
    melded = {kind for meld in own for kind in meld.tiles}
    return [n == 1 and kind not in melded and win in (None, kind) for kind, n in enumerate(concealed)]


def _check_robbed(desk: _Desk, concealed: Sequence[int], own: Sequence[Meld], win: int | None) -> None:
    if any(_robbable(concealed, own, win)):
        return
    place = desk.span("by", "抢杠")
    if win is None:
        desk.report("E748", place)
    else:
        melded = sum(meld.tiles.count(win) for meld in own)
        desk.report("E747", place, tile=NAMES[win], n=concealed[win] + melded)


def _check_facts(desk: _Desk, own: Sequence[Meld], by: str, flags: frozenset[str], kong: str | None) -> None:
    """Facts that exclude each other at every table, whatever the rules."""
    kongs = [meld.type for meld in own if meld.is_kong]

    def report(code: str, field: str, word: str, **facts: object) -> None:
        desk.report(code, desk.span(field, word), (), word=word, **facts)

    if "连杠" in flags and "杠后" not in flags:
        report("E740", "flags", "连杠", needs="杠后")
    if by == "抢杠" and "杠后" in flags:
        report("E741", "flags", "杠后", other="抢杠")
    if "首巡" in flags:
        excluded = [flag for flag in ("杠后", "末张") if flag in flags]
        other = excluded[0] if excluded else "抢杠" if by == "抢杠" else str(own[0]) if own else None
        if other:
            report("E742", "flags", "首巡", other=other)
        elif by == "点炮" and "庄家" in flags:
            report("E743", "flags", "首巡")
    if by == "自摸" and "杠后" in flags:
        need = 2 if "连杠" in flags else 1
        if len(kongs) < need:
            report("E744", "flags", "连杠" if need == 2 else "杠后", need=need, n=len(kongs))
        elif kong and kong not in kongs:
            report("E746", "kong", kong)
    if by == "抢杠" and kong not in (None, "巴杠"):
        report("E745", "kong", str(kong))
    if kong and by != "抢杠" and "杠后" not in flags:
        report("E740", "kong", kong, needs="杠后")


# ---- tiles on the table ----------------------------------------------------------------------


def _on_table(
    desk: _Desk, seen: str | Sequence[int] | Mapping[str, int] | None, own: Sequence[Meld]
) -> tuple[int, ...]:
    """Copies by kind that lie on the table; what is not told are the own melds alone."""
    shown = [0] * KINDS
    for meld in own:
        for kind in meld.tiles:
            shown[kind] += 1
    if seen is None:
        return tuple(shown)
    for kind, n in _read_seen(desk, seen).items():
        if n < shown[kind]:
            place = _place_of_seen(desk, seen, kind)
            desk.report("E737", place, tile=named_as_in(place.text, kind), n=n, melds=shown[kind])
        shown[kind] = n
    return tuple(shown)


def _read_seen(desk: _Desk, seen: str | Sequence[int] | Mapping[str, int]) -> dict[int, int]:
    if isinstance(seen, str):
        try:
            kinds = tiles.parse(seen, desk.span("seen", seen))
        except InputError as error:
            desk.found += error.diagnostics
            return {}
        return {kind: kinds.count(kind) for kind in kinds}
    if not isinstance(seen, Mapping):
        return {kind: n for kind, n in enumerate(_read_counts(desk, seen, "seen")) if n}
    copies: dict[int, int] = {}
    for name, n in seen.items():
        if len(desk.found) >= MAX_FOUND:
            break
        span = desk.span(f"seen.{name}", f"{name}={text_of(n)}")
        try:
            kind = tiles.parse_one(str(name), span)
        except InputError as error:
            desk.found += error.diagnostics
            continue
        count = _whole(n, -1)
        if count < 0:
            desk.report("E735", span, tile=name, n=n)
        elif kind in copies:
            desk.report("E738", span, tile=name)
        else:
            copies[kind] = count
    return copies


def _check_seen(
    desk: _Desk, seen: object, concealed: Sequence[int], table: Sequence[int], copies: Sequence[int]
) -> None:
    for kind, n in enumerate(table):
        if n and n + concealed[kind] > copies[kind]:
            span = _place_of_seen(desk, seen, kind)
            name = named_as_in(span.text, kind)
            if not copies[kind]:
                desk.report("E721", span, tile=name)
            else:
                desk.report("E736", span, tile=name, n=n, held=concealed[kind], copies=copies[kind])


def _place_of_seen(desk: _Desk, seen: object, kind: int) -> Span:
    if isinstance(seen, Mapping):
        for name, n in seen.items():
            if tiles.kinds_in(str(name)) == (kind,):
                return desk.span(f"seen.{name}", f"{name}={text_of(n)}")
    return desk.span("seen", seen)
