"""Hands taken apart in every way, in plain Python: what the oracle judges.

By trying everything: slow, obvious, and in the order in which the kernel's readings come.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from pyengine.language import core as c

Group = tuple[str, int]
"""Type and lowest kind.  Types: run triplet pair twin single, chow pung and the kongs, and claimed for a
triplet that another's tile completed."""

_SHOWN = ("run", "triplet", "pair", "twin", "single")  # groups of one lowest kind, in a reading
MELD_TYPES = {"吃": "chow", "碰": "pung", "直杠": "direct_kong", "巴杠": "added_kong", "暗杠": "concealed_kong"}
KONGS = {"direct_kong", "added_kong", "concealed_kong"}
TRIPLETS = {"triplet", "claimed", "pung"} | KONGS


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to take a complete hand apart; `win_group` is the group that the winning tile completed."""

    shape: str
    groups: tuple[Group, ...]
    win_group: int | None
    wait: str | None


def group_tiles(group: Group) -> tuple[int, ...]:
    """The kinds of a group's physical tiles."""
    type_, kind = group
    if type_ in ("run", "chow"):
        return (kind, kind + 1, kind + 2)
    return (kind,) * (4 if type_ in KONGS else 3 if type_ in TRIPLETS else 1 if type_ == "single" else 2)


def _split(counts: list[int], melds: int, pairs: int, twins: int) -> Iterator[list[Group]]:
    """All ways to make up tiles by runs and triplets, a pair and twins, from the lowest kind on."""
    kind = next((k for k, n in enumerate(counts) if n), None)
    if kind is None:
        if melds == pairs == twins == 0:
            yield []
        return
    for triplets in (1, 0):
        for two_alike in range(3):
            for taken_pairs in (1, 0):
                taken_twins = two_alike - taken_pairs
                runs = counts[kind] - 3 * triplets - 2 * two_alike
                if min(taken_twins, runs) < 0 or taken_pairs > pairs or taken_twins > twins:
                    continue
                if triplets + runs > melds or (runs and (kind >= 27 or kind % 9 > 6)):
                    continue
                rest = counts.copy()
                rest[kind] = 0
                for step in (1, 2):
                    if runs:
                        rest[kind + step] -= runs
                if min(rest) < 0:
                    continue
                groups: list[Group] = [("triplet", kind)] * triplets
                groups += [("pair", kind)] * taken_pairs + [("twin", kind)] * taken_twins + [("run", kind)] * runs
                for more in _split(rest, melds - triplets - runs, pairs - taken_pairs, twins - taken_twins):
                    yield groups + more


def shape_splits(shape: c.Shape, concealed: tuple[int, ...], exposed: list[Group]) -> Iterator[list[Group]]:
    """All ways to make up the concealed tiles so that with the melds they are the shape."""
    wanted = shape.melds + shape.runs + shape.triplets
    special = shape.twins or shape.each_of or shape.singles
    if len(exposed) > wanted or (special and exposed):
        return
    counts = list(concealed)
    fixed: list[Group] = []
    for kinds in shape.each_of:
        for kind in sorted(kinds):
            counts[kind] -= 1
            fixed.append(("single", kind))
    choices = [itertools.combinations_with_replacement(sorted(s.kinds), s.count) for s in shape.singles]
    for chosen in itertools.product(*choices):
        rest = counts.copy()
        singles = list(fixed)
        for kind in itertools.chain(*chosen):
            rest[kind] -= 1
            singles.append(("single", kind))
        if min(rest) < 0:
            continue
        for groups in _split(rest, wanted - len(exposed), shape.pairs, shape.twins):
            whole = [*exposed, *groups]
            runs = sum(type_ in ("run", "chow") for type_, _ in whole)
            triplets = sum(type_ in TRIPLETS for type_, _ in whole)
            if runs >= shape.runs and triplets >= shape.triplets:
                yield sorted([*singles, *groups], key=lambda group: (group[1], _SHOWN.index(group[0])))


def places(shape: str, groups: list[Group], first: int, win: int | None, claimed: bool) -> Iterator[Reading]:
    """A way to take the hand apart, once for each place that the winning tile can have in it."""
    if win is None:
        yield Reading(shape, tuple(groups), None, None)
        return
    seen: set[Group] = set()
    for index in range(first, len(groups)):
        type_, kind = groups[index]
        if win not in group_tiles(groups[index]) or groups[index] in seen:
            continue
        seen.add(groups[index])
        placed = list(groups)
        if type_ == "triplet" and claimed:
            placed[index] = ("claimed", kind)
        yield Reading(shape, tuple(placed), index, _wait(type_, kind, win))


def _wait(type_: str, kind: int, win: int) -> str | None:
    if type_ == "run":
        if win == kind + 1:
            return "closed_wait"
        edge = (kind % 9 == 0 and win == kind + 2) or (kind % 9 == 6 and win == kind)
        return "edge_wait" if edge else "open_wait"
    return {"pair": "single_wait", "triplet": "twin_wait"}.get(type_)


NO_READING = Reading("", (), None, None)
