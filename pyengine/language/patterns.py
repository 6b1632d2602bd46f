"""Tiles and groups as a rule file writes them: 123万 as kinds, [123万 456万] 换色 移位 as sets of groups."""

from __future__ import annotations

import itertools
import re
from typing import cast

from pyengine.language import vocabulary

_SUITS = {"m": 0, "p": 1, "s": 2, "z": 3}
_HONOURS = {"东": 27, "南": 28, "西": 29, "北": 30, "白": 31, "发": 32, "發": 32, "中": 33}


def token_kinds(text: str) -> tuple[int, ...] | None:
    """Kinds of a token such as 123万 or 东南, in the order written; None for 8字, 9z and what is no tile at all."""
    if all(character in _HONOURS for character in text):
        return tuple(_HONOURS[character] for character in text)
    suit = vocabulary.find(text[-1], "suit")
    if suit is None or not re.fullmatch("[1-9]+", text[:-1]):
        return None
    base = 9 * _SUITS[suit.english]
    kinds = tuple(base + int(digit) - 1 for digit in text[:-1])
    return None if any(kind > 33 for kind in kinds) else kinds


def suit_kinds(suit: str) -> frozenset[int]:
    base = 9 * _SUITS[suit]
    return frozenset(range(base, min(base + 9, 34)))


def is_whole_suit(kinds: frozenset[int], kind: int) -> bool:
    base = kind // 9 * 9
    return kinds >= set(range(base, min(base + 9, 34)))


def as_group(kinds: tuple[int, ...]) -> tuple[str, int] | None:
    """The group that tiles of a pattern stand for: its type and lowest kind."""
    tiles = sorted(kinds)
    if len(set(tiles)) == 1:
        same = {2: "pair", 3: "triplet", 4: "kong"}.get(len(tiles))
        return (same, tiles[0]) if same else None
    low = tiles[0]
    if tiles == [low, low + 1, low + 2] and low < 27 and low % 9 <= 6:
        return ("run", low)
    return None


def alternatives_of(
    groups: tuple[tuple[str, int], ...], any_suit: bool, shifted: bool
) -> set[tuple[tuple[str, int], ...]]:
    """Every set of groups that a pattern stands for: its suits exchanged, its ranks moved together."""
    suits = sorted({kind // 9 for _, kind in groups if kind < 27})
    found = set()
    for target in itertools.permutations(range(3), len(suits)) if any_suit else [tuple(suits)]:
        suit_of = dict(zip(suits, target, strict=True))
        for shift in range(-8, 9) if shifted else [0]:
            moved = [_move(group, suit_of, shift) for group in groups]
            if all(moved):
                found.add(tuple(sorted(cast(list[tuple[str, int]], moved))))
    return found


def _move(group: tuple[str, int], suit_of: dict[int, int], shift: int) -> tuple[str, int] | None:
    type_, kind = group
    if kind >= 27:
        return group
    rank = kind % 9 + shift
    highest = 6 if type_ == "run" else 8
    return (type_, 9 * suit_of[kind // 9] + rank) if 0 <= rank <= highest else None
