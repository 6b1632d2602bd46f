"""Values of the columns of a table: what each may be, and the numbers that a batch has for them.

A reader here knows what is plain and gives -1 for the rest, which `make_hand` then judges.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyengine.engine.hands import BY, FLAGS, MAX_MELDS
from pyengine.notation import tiles
from pyengine.notation.columns import melds_in
from pyengine.notation.hand import split_list, words_of_flags, words_of_win
from pyengine.notation.melds import KONGS, Meld, words
from pyengine.notation.tiles import KINDS

FIELDS = ("hand", "packed", "packed_honours", "melds", "win", "by", "flags", "void", "seen", "kong", "stances")
"""The columns that are read.  `packed` stands in place of `hand`: a word of `pyengine.pack`."""

_TYPES: dict[str, tuple[type, ...]] = {
    "hand": (str, list),
    "melds": (str, list),
    "win": (str, int),
    "by": (str,),
    "flags": (str, list),
    "void": (str, int),
    "seen": (str, list, dict),
    "kong": (str,),
    "stances": (str, dict),
}
WANTED = {
    "hand": "123m55p",
    "melds": "碰 5s 暗杠 7s",
    "win": "6p",
    "by": "自摸",
    "flags": "杠后 末张",
    "void": "m p s",
    "seen": "333m 5p",
    "kong": "暗杠",
    "stances": "飘=2",
}
_WORD_LIMIT = 1 << 63


class Codes(dict[Hashable, int]):
    """What values of a column stand for: None for `empty`, -1 for what only the careful reader knows."""

    def __init__(self, read: Callable[[Any], int], empty: int) -> None:
        self.read = read
        self[None] = empty

    def __missing__(self, value: Any) -> int:
        code = self[value] = self.read(value)
        return code

    def of(self, value: Any) -> int:
        """The code of a value of any type: only texts, and tuples of texts, can be plain."""
        is_plain = isinstance(value, str) or (isinstance(value, tuple) and all(isinstance(v, str) for v in value))
        return self[value] if value is None or is_plain else -1


class OwnMelds:
    """The melds of a column, each text once."""

    def __init__(self) -> None:
        self.all: list[tuple[Meld, ...]] = [()]
        self._joined: dict[tuple[tuple[Meld, ...], int], int] = {}
        self.codes = Codes(self._read, 0)

    def _read(self, value: str | tuple[str, ...]) -> int:
        if isinstance(value, str):
            return self._add(melds_in(value)) if value.strip() or not value else -1
        each = [melds_in(text) for text in value]
        if any(own is None or len(own) != 1 for own in each):
            return -1
        return self._add(tuple(own[0] for own in each if own))

    def _add(self, own: tuple[Meld, ...] | None) -> int:
        if own is None or len(own) > MAX_MELDS:
            return -1
        self.all.append(own)
        return len(self.all) - 1

    def joined(self, first: tuple[Meld, ...], then: int) -> int:
        """The number of some melds followed by those of a number."""
        if (first, then) not in self._joined:
            self._joined[first, then] = self._add(first + self.all[then])
        return self._joined[first, then]

    def shown(self) -> NDArray[np.uint8]:
        """Copies by kind that each of `all` lays open."""
        copies = np.zeros((len(self.all), KINDS), np.uint8)
        for number, melds in enumerate(self.all):
            for meld in melds:
                for kind in meld.tiles:
                    copies[number, kind] += 1
        return copies


def fits(name: str, value: object) -> bool:
    """Whether a value is of a type that a field may have; what it says is for `make_hand` to judge."""
    if name not in _TYPES:  # packed, which has been read
        return True
    if isinstance(value, bool) or not isinstance(value, _TYPES[name]):
        return False
    if isinstance(value, list) and name in ("melds", "flags"):
        return all(isinstance(part, str) for part in value)
    return True


def stance_of(text: str) -> tuple[str, str]:
    name, _, value = text.replace("＝", "=", 1).partition("=")
    return name, value


def whole(value: object) -> int | None:
    """A whole number, or the digits of one."""
    if isinstance(value, str) and value.isascii() and value.strip().isdigit() and len(value) <= 20:
        return int(value)
    return int(value) if isinstance(value, int | np.integer) and not isinstance(value, bool) else None


def packed_words(suits: object, honours: object) -> tuple[int, int] | None:
    """A packed hand of two columns as words; None where they hold none."""
    first, second = whole(suits), 0 if honours is None else whole(honours)
    if first is None or second is None or not 0 <= first < _WORD_LIMIT or not 0 <= second < 5**7:
        return None
    return (first, second) if all(first >> 21 * suit & 0x1FFFFF < 5**9 for suit in range(3)) else None


def copies_of_words(words_: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Copies by kind, (n, 34), of packed words, (n, 2)."""
    copies = np.zeros((len(words_), KINDS), np.uint8)
    for suit in range(4):
        number = words_[:, 1] if suit == 3 else words_[:, 0] >> np.uint64(21 * suit) & np.uint64(0x1FFFFF)
        digits = 7 if suit == 3 else 9
        for rank in range(digits):
            copies[:, 9 * suit + rank] = number // np.uint64(5 ** (digits - 1 - rank)) % np.uint64(5)
    return copies


def tile_code(text: str | tuple[str, ...]) -> int:
    kinds = tiles.kinds_in(text) if isinstance(text, str) else None
    return kinds[0] if kinds and len(kinds) == 1 else -1


def by_code(word: str | tuple[str, ...]) -> int:
    known = words_of_win().get(word) if isinstance(word, str) else None
    return BY.index(known) if known in BY else -1


def flags_code(given: str | tuple[str, ...]) -> int:
    known = [words_of_flags().get(word) for word in (split_list(given) if isinstance(given, str) else given)]
    if any(word not in FLAGS for word in known):
        return -1
    return sum({1 << FLAGS.index(word) for word in known if word})


def suit_code(text: str | tuple[str, ...]) -> int:
    suit = tiles.parse_suit(text.strip()) if isinstance(text, str) else None
    return -1 if suit is None else suit


def kong_code(word: str | tuple[str, ...]) -> int:
    known = words().get(word) if isinstance(word, str) else None
    return KONGS.index(known) + 1 if known in KONGS else -1
