"""Tiles are dealt: from a seed, from a whole wall, or as a record says; nothing is dealt twice.

A whole wall is dealt from its front, round by round from the dealer on: four tiles at a time, then
what a hand still lacks, then the dealer's one more.  Horses are drawn from its end.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyengine.engine.play import Play
from pyengine.language.diagnostics import Diagnostic, InputError
from pyengine.notation import tiles
from pyengine.notation.tiles import KINDS

if TYPE_CHECKING:
    from pyengine.engine.playbook import Playbook
    from pyengine.notation.records import Record

ROUND = 4


def shuffled(book: Playbook, seed: int) -> tuple[int, str, list[int]]:
    """The dealer, the direction of the swap and the whole wall of a seed."""
    rng = random.Random(seed)
    wall = tiles.expand(book.copies)
    rng.shuffle(wall)
    return rng.randrange(book.players), rng.choice(book.directions), wall


def deal_wall(book: Playbook, dealer: int, wall: Sequence[int]) -> tuple[list[list[int]], list[int], tuple[int, ...]]:
    """A whole wall as hands, what is left of it, and horses."""
    hands = [[0] * KINDS for _ in range(book.players)]
    at = 0
    given = 0
    while given < book.hand_size:
        size = min(ROUND, book.hand_size - given)
        for n in range(book.players):
            for kind in wall[at : at + size]:
                hands[(dealer + n) % book.players][kind] += 1
            at += size
        given += size
    hands[dealer][wall[at]] += 1
    end = len(wall) - book.horses
    return hands, list(wall[at + 1 : end]), tuple(reversed(wall[end:]))


def new_play(book: Playbook, seed: int, dealer: int | None = None) -> Play:
    """A hand dealt from a seed."""
    lot, direction, wall = shuffled(book, seed)
    first = lot if dealer is None else dealer
    hands, rest, horses = deal_wall(book, first, wall)
    return Play(book, first, hands, rest, direction, horses)


def dealt(book: Playbook, record: Record) -> tuple[list[list[int]], list[int] | None, tuple[int, ...]]:
    """The hands, wall and horses of a record; InputError where they are none."""
    spans = record.spans
    whole = record.wall is not None and len(record.wall) == book.tiles
    found: list[Diagnostic] = []
    hands = [[0] * KINDS for _ in range(book.players)]
    rest: list[int] | None = None
    horses = record.horses
    if record.wall is not None and whole:
        hands, rest, horses = deal_wall(book, record.dealer, record.wall)
        _in_set(book, record.wall, found, record, "wall")
        if not found and record.horses and record.horses != horses:
            found.append(Diagnostic("E788", spans["horses"], {}))
    if record.deal and not found:
        for seat in range(book.players):
            want = book.hand_size + (seat == record.dealer)
            got = record.deal.get(seat, ())
            if len(got) != want:
                found.append(Diagnostic("E787", spans["deal"], {"seat": seat, "n": len(got), "want": want}))
            elif whole and list(tiles.counts(got)) != hands[seat]:
                found.append(Diagnostic("E786", spans["deal"], {"seat": seat}))
        for seat in record.deal:
            if seat >= book.players:
                found.append(Diagnostic("E872", spans["deal"], {"seat": seat, "players": book.players}))
        if not found and not whole:
            hands = [list(tiles.counts(record.deal[seat])) for seat in range(book.players)]
    elif not whole and not found:
        found.append(Diagnostic("E822", spans[""], {"key": "deal"}))
    if not whole and not found:
        rest, horses = _rest(book, record, found)
        every = [kind for seat in record.deal.values() for kind in seat]
        _in_set(book, [*every, *(rest or ()), *horses], found, record, "deal")
    if not found and len(horses) != book.horses:
        place = spans.get("horses", spans[""])
        found.append(Diagnostic("E785", place, {"n": len(horses), "want": book.horses}))
    if found:
        raise InputError(found)
    return hands, rest, horses


def _rest(book: Playbook, record: Record, found: list[Diagnostic]) -> tuple[list[int] | None, tuple[int, ...]]:
    """The wall after the deal, with or without the tiles that became horses."""
    if record.wall is None:
        return None, record.horses
    left = book.tiles - book.players * book.hand_size - 1
    if len(record.wall) not in (left, left - book.horses):
        facts = {"n": len(record.wall), "whole": book.tiles, "left": left - book.horses}
        found.append(Diagnostic("E784", record.spans["wall"], facts))
        return None, record.horses
    if len(record.wall) == left and book.horses:
        end = left - book.horses
        return list(record.wall[:end]), record.horses or tuple(reversed(record.wall[end:]))
    return list(record.wall), record.horses


def _in_set(book: Playbook, kinds: Sequence[int], found: list[Diagnostic], record: Record, key: str) -> None:
    """Reports tiles that the set has not, or not so often."""
    span = record.spans.get(key, record.spans[""])
    for kind, n in enumerate(tiles.counts(kinds)):
        if n > book.copies[kind]:
            facts = {"tile": tiles.NAMES[kind], "n": n, "copies": book.copies[kind]}
            found.append(Diagnostic("E765", span, facts))
