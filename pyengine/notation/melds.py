"""Melds as people write them: `碰 5s`, `吃 345s`, `暗杠 7s`, in Chinese or English."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from pyengine.language import vocabulary
from pyengine.language.diagnostics import Diagnostic, InputError, closest
from pyengine.language.source import Span
from pyengine.notation import tiles

# The canonical words with their numbers in mj_group_type.
TYPES = {"吃": 1, "碰": 4, "直杠": 5, "巴杠": 6, "暗杠": 7}
KONGS = ("直杠", "巴杠", "暗杠")

# Words of the notation for one and the same meld; 明杠 names no kind of its own on the table.
_ALIASES = {"点杠": "直杠", "明杠": "直杠", "exposed_kong": "直杠"} | dict.fromkeys(
    ("弯杠", "补杠", "加杠", "面下杠"), "巴杠"
)
_ANY_KONG = ("杠", "槓", "kong", "gang", "kan")


@dataclass(frozen=True, slots=True)
class Meld:
    """A declared group.  `type` is a key of TYPES; `tile` is its kind, the lowest one of a run."""

    type: str
    tile: int

    @property
    def tiles(self) -> tuple[int, ...]:
        """The kinds of its physical tiles."""
        if self.type == "吃":
            return (self.tile, self.tile + 1, self.tile + 2)
        return (self.tile,) * (3 if self.type == "碰" else 4)

    @property
    def is_kong(self) -> bool:
        return self.type in KONGS

    def __str__(self) -> str:
        return f"{self.type} {tiles.compact(self.tiles) if self.type == '吃' else tiles.NAMES[self.tile]}"


@cache
def words() -> dict[str, str]:
    """Every spelling of a meld's word, with the canonical one."""
    spelled = {
        spelling: entry.word
        for entry in vocabulary.of_kind("move")
        if entry.word in TYPES
        for spelling in (entry.word, entry.english, *entry.aliases)
    }
    return spelled | _ALIASES


@cache
def _in_text() -> re.Pattern[str]:
    """A meld inside a text: its word, then one piece of tiles."""
    by_length = sorted(words(), key=len, reverse=True)
    latin = "|".join(word for word in by_length if word.isascii())
    other = "|".join(word for word in by_length if not word.isascii())
    honour = f"(?P<honour>[{''.join(tiles.HONOUR_MARKS)}])(?P=honour)*"
    return re.compile(
        rf"(?P<word>(?<![A-Za-z_])(?i:{latin})(?![A-Za-z_])|{other})\s*(?P<tiles>{honour}|{tiles.PIECE})?"
    )


@lru_cache(maxsize=4096)
def known(text: str) -> Meld | None:
    """A meld that is written right, None otherwise."""
    match = _in_text().fullmatch(text.strip())
    if match is None or match["tiles"] is None:
        return None
    kinds = tiles.kinds_in(match["tiles"])
    return (kinds and _meld(words()[match["word"].lower()], sorted(kinds))) or None


def _meld(word: str, kinds: Sequence[int]) -> Meld | None:
    """The meld of a canonical word and sorted kinds, if these make one."""
    if word == "吃":
        is_run = len(kinds) == 3 and kinds[0] + 2 == kinds[1] + 1 == kinds[2]
        return Meld(word, kinds[0]) if is_run and kinds[2] < 27 and kinds[0] // 9 == kinds[2] // 9 else None
    size = 3 if word == "碰" else 4
    return Meld(word, kinds[0]) if len(kinds) in (1, size) and kinds[0] == kinds[-1] else None


def parse_meld(text: str, span: Span | None = None) -> Meld:
    """The meld that a text such as `碰 5s` names; InputError says what is wrong with it."""
    meld = known(text)
    if meld is None:
        raise InputError(_diagnose(text, span or tiles.here(text, "meld")))
    return meld


def read_melds(text: str, span: Span) -> tuple[list[Meld], list[Diagnostic]]:
    """The melds that a text names and nothing else, mostly one, and what is wrong in it."""
    if len(_in_text().findall(text)) < 2:
        try:
            return [parse_meld(text, span)], []
        except InputError as error:
            return [], list(error.diagnostics)
    own, kinds, found = read(text, span)
    if kinds and not found:
        found = [Diagnostic("E712", span, {"text": tiles.compact(kinds)})]
    return own, found


def read(text: str, span: Span) -> tuple[list[Meld], tuple[int, ...], list[Diagnostic]]:
    """The melds and the other tiles in the text of a hand, and everything that is wrong in it."""
    melds: list[Meld] = []
    found: list[Diagnostic] = []
    rest = text
    for match in _in_text().finditer(text):
        rest = _blank(rest, match)
        meld = known(match.group())
        if meld:
            melds.append(meld)
        else:
            found += _diagnose(match.group().rstrip(), tiles.within(span, text, *match.span()))
    for match in _UNKNOWN_WORD.finditer(rest):
        rest = _blank(rest, match)
        found.append(_unknown(match["word"], tiles.within(span, text, *match.span("word"))))
    kinds = tiles.kinds_in(rest)
    if kinds is None:
        for wrong in tiles.diagnose(rest):
            place = wrong.span and tiles.within(span, text, wrong.span.start, wrong.span.end)
            found.append(replace(wrong, span=place))
    found.sort(key=lambda wrong: wrong.span.start if wrong.span else 0)
    return melds, kinds or (), found


def _blank(text: str, match: re.Match[str]) -> str:
    """Blanks in place of a match, so that what follows keeps its place."""
    start, end = match.span()
    return text[:start] + " " * (end - start) + text[end:]


# A word in front of tiles that is no meld's: letters after a digit are suits, not words.
_UNKNOWN_WORD = re.compile(
    rf"(?P<word>(?<![0-9０-９A-Za-z_])[A-Za-z_]{{2,}}|[^\W\dA-Za-z_{tiles.MARKS}]+)\s*(?:{tiles.PIECE})"
)


def _unknown(word: str, span: Span) -> Diagnostic:
    if word.lower() in _ANY_KONG:
        return Diagnostic("E711", span, {"word": word}, (), KONGS)
    return Diagnostic("E710", span, {"word": word}, (), closest(word.lower(), words()))


def _diagnose(text: str, span: Span) -> list[Diagnostic]:
    """What keeps a text from being a meld."""
    match = _in_text().match(text.strip())
    if match is None:
        return [_without_word(text, span)]
    word = words()[match["word"].lower()]
    after = text.strip()[match.end("word") :].strip()
    if not after:
        return [Diagnostic("E713", span, {"word": word}, (), (f"{word} 345s" if word == "吃" else f"{word} 5s",))]
    kinds = tiles.kinds_in(after)
    if kinds is None:
        return tiles.diagnose(after, tiles.within(span, text, text.index(after), text.index(after) + len(after)))
    facts: dict[str, object] = {"word": word, "tiles": after, "n": len(kinds)}
    if word == "吃":
        if kinds[0] >= 27:
            return [Diagnostic("E715", span, facts)]
        runs = [Meld(word, low) for low in range(max(0, kinds[0] - 2), kinds[0] + 1) if low % 9 < 7]
        return [Diagnostic("E714", span, facts, (), tuple(map(str, runs)) if len(kinds) == 1 else ())]
    size = 3 if word == "碰" else 4
    if len(set(kinds)) > 1:
        run = _meld("吃", sorted(kinds))
        return [Diagnostic("E716", span, {**facts, "want": size}, (), (str(run),) if run else ())]
    meant = [other for other in TYPES if other != "吃" and _meld(other, kinds)]
    return [Diagnostic("E717", span, {**facts, "want": size}, (), tuple(f"{m} {after}" for m in meant))]


def _without_word(text: str, span: Span) -> Diagnostic:
    kinds = tiles.kinds_in(text)
    if kinds is not None:
        meant = [meld for word in TYPES if len(kinds) > 1 and (meld := _meld(word, sorted(kinds)))]
        return Diagnostic("E712", span, {"text": text}, (), tuple(map(str, meant)))
    match = _UNKNOWN_WORD.match(text.strip())
    word = match["word"] if match else text.strip()
    start = text.index(word) if word else 0
    return _unknown(word, tiles.within(span, text, start, start + len(word)))
