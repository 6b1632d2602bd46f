"""Random complete hands of a rule set, with melds and facts: for laws, and for tests of the engine itself."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from pyengine.engine.ruleset import Ruleset
from pyengine.language import core as c
from pyengine.notation.hand import Hand
from pyengine.notation.melds import Meld

MOST_IN_VAIN = 10_000  # tries without a hand: about a second


def complete_hands(rules: Ruleset, n: int, seed: int) -> Iterator[Hand]:
    """`n` complete hands with random melds and facts, the shapes of the rule set in turn, mostly the first; fewer where
    the shapes are hard to meet by chance, or nothing makes them."""
    rng = random.Random(seed)
    shapes = [rules.rules.shapes[name] for name in rules.shape_names]
    made, in_vain = 0, 0
    while made < n and in_vain < MOST_IN_VAIN:
        shape = shapes[0] if rng.random() < 0.6 else rng.choice(shapes)
        hand = _complete(rules, shape, rng)
        in_vain += 1
        if hand:
            made, in_vain = made + 1, 0
            yield hand


def _complete(rules: Ruleset, shape: c.Shape, rng: random.Random) -> Hand | None:
    """A hand of a shape, or None when the random parts do not fit the tile set."""
    copies = rules.copies
    kinds = [kind for kind in range(34) if copies[kind]]
    # Few suits make the hands that fans are about.
    every_suit = sorted({kind // 9 for kind in kinds})
    suits = rng.sample(every_suit, k=min(rng.choice((1, 1, 2, 2, 2, 3)), len(every_suit)))
    pool = [kind for kind in kinds if kind // 9 in suits]
    if rng.random() < 0.3:
        pool = rng.sample(pool, k=min(len(pool), max(3, len(pool) // 2)))
    concealed = [0] * 34
    if not pool:
        return None
    melds: list[Meld] = []
    exposing = rng.choice((0, 0, 0, 0.5, 0.8, 1)) if not (shape.twins or shape.each_of or shape.singles) else 0
    chows = any(permit.declaration.verb == "may" and "chow" in permit.moves for permit in rules.rules.permits)
    kinds_of_groups = ["run"] * shape.runs + ["triplet"] * shape.triplets + ["any"] * shape.melds
    triplets_rather = rng.random()
    for wanted in kinds_of_groups:
        kind = rng.choice(pool)
        is_run = wanted == "run" or (wanted == "any" and rng.random() > triplets_rather)
        if is_run and (kind >= 27 or kind % 9 > 6):
            return None
        exposed = rng.random() < exposing
        if is_run:
            if exposed and chows and rng.random() < 0.3:
                melds.append(Meld("吃", kind))
            else:
                for step in range(3):
                    concealed[kind + step] += 1
        elif exposed:
            melds.append(Meld(rng.choice(("碰", "碰", "直杠", "巴杠", "暗杠")), kind))
        else:
            concealed[kind] += 3
    for _ in range(shape.pairs + shape.twins):
        concealed[rng.choice(pool)] += 2
    for each in shape.each_of:
        for kind in each:
            concealed[kind] += 1
    for single in shape.singles:
        for _ in range(single.count):
            concealed[rng.choice(sorted(single.kinds))] += 1
    whole = list(concealed)
    for meld in melds:
        for kind in meld.tiles:
            whole[kind] += 1
    if any(held > copies[kind] for kind, held in enumerate(whole)):
        return None
    held = [kind for kind in range(34) if concealed[kind]]
    return Hand(
        tuple(concealed),
        tuple(melds),
        rng.choice(held) if held and rng.random() < 0.95 else None,
        stances=tuple((name, stated(stance, rng)) for name, stance in sorted(rules.rules.stances.items())),
        **facts(rng, whole, concealed, copies),
    )


def stated(option: c.Option, rng: random.Random) -> c.OptionValue:
    """A random value of an option or a stance."""
    alternative = rng.choice(option.alternatives)
    return rng.randint(alternative.low, alternative.high) if isinstance(alternative, c.Range) else alternative


def facts(rng: random.Random, whole: list[int], concealed: list[int], copies: tuple[int, ...]) -> dict[str, Any]:
    """Random facts of a win that fit a hand: how it came, flags, the void suit, tiles on the table."""
    by = rng.choice(("自摸", "点炮", "点炮", "抢杠"))
    flags = {flag for flag in ("末张", "首巡", "庄家") if rng.random() < 0.2}
    kong = None
    if by != "抢杠" and rng.random() < 0.3:
        flags.add("杠后")
        kong = rng.choice((None, "直杠", "巴杠", "暗杠"))
        if rng.random() < 0.5:
            flags.add("连杠")
    seen = [rng.randint(whole[k] - concealed[k], copies[k] - concealed[k]) if copies[k] else 0 for k in range(34)]
    if rng.random() < 0.5:
        seen = [whole[k] - concealed[k] for k in range(34)]
    void = rng.choice((None, 0, 1, 2))
    if void is not None and rng.random() < 0.8:
        absent = [s for s in range(3) if not any(whole[9 * s : 9 * s + 9])]
        void = rng.choice(absent) if absent else None
    return {"by": by, "flags": frozenset(flags), "void": void, "seen": tuple(seen), "kong": kong}
