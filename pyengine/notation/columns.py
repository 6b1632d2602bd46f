"""Columns of texts of tiles: `123m55p` many times over becomes copies by kind in one pass.

The pass knows right notation only.  What it does not know is not plain, and is for the readers of single
texts to judge; what it knows it reads as they do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyengine.notation import tiles
from pyengine.notation.melds import Meld, known, words
from pyengine.notation.tiles import KINDS, MAX_TEXT

_OTHER, _SUIT, _SPACE, _END = 0, 10, 14, 15


def _classes() -> NDArray[np.uint8]:
    """By byte: 1-9 a rank, 10-13 a suit, 14 a space, 15 the end of a text, 0 anything else."""
    table = np.zeros(256, np.uint8)
    for rank in range(1, 10):
        table[ord(str(rank))] = rank
    for suit, mark in enumerate(tiles.SUITS):
        table[ord(mark)] = _SUIT + suit
    table[ord(" ")] = table[ord("\t")] = _SPACE
    table[ord("\n")] = _END
    return table


_CLASSES = _classes()
# An honour's own mark takes no rank, so a space goes before it: 3东 is no tile.
_PLAIN: dict[int, str] = {
    **{ord(mark): tiles.SUITS[suit] for mark, suit in tiles.SUIT_MARKS.items()},
    **{ord(mark): str(rank + 1) for mark, rank in tiles.RANKS.items()},
    **{ord(mark): f" {kind - 26}z" for mark, kind in tiles.HONOUR_MARKS.items()},
    ord("\u3000"): " ",
}


def counts_of(texts: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Copies by kind, (n, 34) uint8, and which texts are plain, (n,) bool; the others have no copies.

    More than 255 copies of a kind stand as 255.
    """
    n = len(texts)
    if n == 0:
        return np.zeros((0, KINDS), np.uint8), np.zeros(0, np.bool_)
    joined = "\n".join(texts) + "\n"
    if joined.count("\n") != n or max(map(len, texts)) > MAX_TEXT:
        texts = ["?" if "\n" in text or len(text) > MAX_TEXT else text for text in texts]
        joined = "\n".join(texts) + "\n"
    if not joined.isascii():
        joined = joined.translate(_PLAIN)
    classes = _CLASSES[np.frombuffer(joined.encode("ascii", "replace"), np.uint8)]
    is_rank = (classes > _OTHER) & (classes < _SUIT)
    is_suit = (classes >= _SUIT) & (classes < _SPACE)
    row = np.cumsum(classes == _END) - (classes == _END)

    ranks = np.flatnonzero(is_rank)
    stops = np.flatnonzero(~is_rank)
    after = classes[stops[np.cumsum(~is_rank)[ranks]]]  # what ends the run of ranks that each stands in
    suit = after.astype(np.int64) - _SUIT
    kind = 9 * suit + classes[ranks] - 1
    is_tile = (after >= _SUIT) & (after < _SPACE) & (kind < KINDS)

    plain = np.ones(n, np.bool_)
    plain[row[classes == _OTHER]] = False
    plain[row[ranks[~is_tile]]] = False
    without_rank = is_suit.copy()
    without_rank[1:] &= ~is_rank[:-1]
    plain[row[without_rank]] = False
    cells = row[ranks[is_tile]] * KINDS + kind[is_tile]
    counts = np.minimum(np.bincount(cells, minlength=n * KINDS), 255).astype(np.uint8).reshape(n, KINDS)
    counts[~plain] = 0
    return counts, plain


def melds_in(text: str) -> tuple[Meld, ...] | None:
    """The melds of a text that is words and tiles in turn, `碰 5s 暗杠 7s`; None for any other."""
    parts = text.split()
    if len(parts) % 2:
        return None
    found = [known(f"{word} {name}") for word, name in zip(parts[::2], parts[1::2], strict=True)]
    return None if None in found else tuple(meld for meld in found if meld)


def without_melds(text: str) -> tuple[str, tuple[Meld, ...]]:
    """The text of a hand without those melds that stand in it with spaces around them, and these."""
    rest: list[str] = []
    melds: list[Meld] = []
    parts: Any = iter(text.split())
    for part in parts:
        if part.lower() not in words():
            rest.append(part)
            continue
        name = next(parts, "")
        meld = known(f"{part} {name}")
        if meld is None:
            return text, ()
        melds.append(meld)
    return " ".join(rest), tuple(melds)
