"""Random hands for a rule set, and one comparison of the kernel with the oracle."""

from __future__ import annotations

import random
from collections.abc import Iterator

from pyengine.engine.hand import Hand
from pyengine.engine.melds import Meld
from pyengine.engine.ruleset import Ruleset
from pyengine.engine.score import GROUP_NAMES
from pyengine.language import core as c


def complete_hands(rules: Ruleset, n: int, seed: int) -> Iterator[Hand]:
    """`n` complete hands with random melds and facts; the shapes of the rule set in turn, mostly the first."""
    rng = random.Random(seed)
    shapes = [rules.rules.shapes[name] for name in rules.shape_names]
    made = 0
    while made < n:
        shape = shapes[0] if rng.random() < 0.6 else rng.choice(shapes)
        hand = _complete(rules, shape, rng)
        if hand:
            made += 1
            yield hand


def _complete(rules: Ruleset, shape: c.Shape, rng: random.Random) -> Hand | None:
    """A hand of a shape, or None when the random parts do not fit the tile set."""
    copies = rules.copies
    kinds = [kind for kind in range(34) if copies[kind]]
    # Few suits make the hands that fans are about.
    suits = rng.sample(sorted({kind // 9 for kind in kinds}), k=min(rng.choice((1, 1, 2, 2, 2, 3)), len({k // 9 for k in kinds})))
    pool = [kind for kind in kinds if kind // 9 in suits]
    if rng.random() < 0.3:
        pool = rng.sample(pool, k=max(3, len(pool) // 2))
    concealed = [0] * 34
    melds: list[Meld] = []
    exposing = rng.choice((0, 0, 0, 0.5, 0.8, 1)) if not (shape.twins or shape.each_of or shape.singles) else 0
    kinds_of_groups = ["run"] * shape.runs + ["triplet"] * shape.triplets + ["any"] * shape.melds
    triplets_rather = rng.random()
    for wanted in kinds_of_groups:
        kind = rng.choice(pool)
        is_run = wanted == "run" or (wanted == "any" and rng.random() > triplets_rather)
        if is_run and (kind >= 27 or kind % 9 > 6):
            return None
        exposed = rng.random() < exposing
        if is_run:
            if exposed and rng.random() < 0.3:
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
        **_facts(rng, whole, concealed, copies),
    )


def _facts(rng: random.Random, whole: list[int], concealed: list[int], copies: tuple[int, ...]) -> dict[str, object]:
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


def difference(rules: Ruleset, hand: Hand, static: bool = False) -> str | None:
    """How the kernel's judgement of a hand differs from the oracle's; None when it does not."""
    judged = rules.judge(hand, static)
    verdict = rules.oracle.score(hand, static)
    if judged.win != verdict.win or judged.complete != (verdict.reading is not None):
        return f"{hand}: kernel win={judged.win} complete={judged.complete}, oracle {verdict}"
    if verdict.reading is None:
        return None
    kernel = (judged.money, judged.totals, judged.counts, judged.found, judged.may_wait)
    oracle = (verdict.money, verdict.totals, verdict.counts, verdict.found, verdict.may_wait)
    groups = tuple((GROUP_NAMES[type_], kind) for type_, kind in judged.groups)
    if kernel != oracle or groups != verdict.reading.groups:
        return f"{hand} {hand!r}: kernel {kernel} {groups}, oracle {oracle} {verdict.reading.groups}"
    return None
