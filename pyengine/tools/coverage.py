"""What cases leave out: conditions that were never seen true, or never false, and sets of fans that no case has.

A hand of a case is looked at as the rules with their default options see it, by its best reading.  Whatever a
case could show is known from the space of hands, and so is the smallest hand that shows it: each gap comes with
a case that fills it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyengine.engine.ruleset import Ruleset
from pyengine.engine.score import Result
from pyengine.engine.space import NO_WIN, Asked, Space, bits
from pyengine.language import core as c
from pyengine.language.source import Span
from pyengine.notation import tiles
from pyengine.notation.hand import Hand
from pyengine.tools.conditions import Condition, Questions, conditions_of, is_off
from pyengine.tools.witness import seen_besides

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Missing:
    """Something that no case shows, and the smallest hand that does.

    what   true, false (a condition that was never seen so), or fans
    """

    what: str
    name: str
    span: Span | None
    hand: Hand
    hands: int


@dataclass(frozen=True)
class Coverage:
    """How much of a rule set some hands show.

    conditions and seen count each condition twice, for true and for false; sets and seen_sets the sets of fans that
    hands can have in any way of winning them; hands and seen_hands the hands that a discarder pays for without flags.
    """

    rules: Ruleset
    cases: int
    conditions: int
    seen: int
    sets: int
    seen_sets: int
    hands: int
    seen_hands: int
    missing: tuple[Missing, ...]


def coverage(rules: Ruleset, hands: Sequence[Hand]) -> Coverage:
    """What hands show of a rule set; Unfolded where that cannot be told."""
    on = [name for name in rules.fan_names if not is_off(rules, name)]
    asked = [condition for name in on for condition in conditions_of(rules, name)]
    questions = Questions()
    for condition in asked:
        questions.ask(condition.when_true)
        questions.ask(condition.when_false)
    space = Space([Asked(rules, tuple(questions.asked))])
    proofs = space.proofs[0]
    possible = list(bits(proofs["probes"], len(questions.asked)))
    seen_truths, seen_sets = _look(rules, hands, questions.asked)

    missing: list[Missing] = []
    n_possible = n_seen = 0
    for number, condition in enumerate(asked):
        for place, what in ((2 * number, "true"), (2 * number + 1, "false")):
            cells = space.cells(0, possible[place] & (proofs["win"] == 1))
            example = space.first(cells)
            if example is None:
                continue
            n_possible += 1
            n_seen += place in seen_truths
            if place not in seen_truths:
                text = _name(condition)
                missing.append(Missing(what, text, condition.span, example, space.count(cells.any(axis=1))))

    fans = proofs["fans"]
    live = np.zeros(len(proofs), np.bool_)
    live[np.unique(space.verdicts[0])] = True
    sets = np.unique(fans[live & (proofs["win"] == 1)])
    column = space.plainly(0, "点炮")
    won = column > NO_WIN
    of_hands = fans[column]
    known = np.array(sorted(seen_sets), np.uint64)
    seen_hands = space.count(won & np.isin(of_hands, known))
    open_sets = []
    for fan_set in sets[~np.isin(sets, known)]:
        cells = space.cells(0, (fans == fan_set) & (proofs["win"] == 1))
        hand = space.first(cells)
        assert hand
        names = ", ".join(name for n, name in enumerate(rules.fan_names) if int(fan_set) >> n & 1)
        plain = space.count(won & (of_hands == fan_set))
        open_sets.append(Missing("fans", names, None, hand, plain))
    missing += sorted(open_sets, key=lambda found: -found.hands)
    return Coverage(
        rules,
        len(hands),
        n_possible,
        n_seen,
        len(sets),
        int(np.isin(sets, known).sum()),
        space.count(won),
        seen_hands,
        tuple(missing),
    )


def _name(condition: Condition) -> str:
    text = " ".join(condition.span.text.split())
    return condition.fan if condition.role == "whole" else f"{condition.fan}: {text}"


def _look(rules: Ruleset, hands: Iterable[Hand], asked: Sequence[c.Expr]) -> tuple[set[int], set[int]]:
    """Which of the asked conditions hold of some hand, and which sets of fans the hands have."""
    truths: set[int] = set()
    sets: set[int] = set()
    for hand in hands:
        verdict = rules.oracle.score(hand)
        if not verdict.win or verdict.reading is None:
            continue
        sets.add(sum(1 << n for n, count in enumerate(verdict.counts) if count))
        fans = rules.special.fans.values()
        no_other = not any(count for fan, count in zip(fans, verdict.counts, strict=True) if not fan.late)
        for number, expr in enumerate(asked):
            if number not in truths and rules.oracle.evaluate(expr, hand, verdict.reading, verdict.totals, no_other):
                truths.add(number)
    return truths, sets


# ---- cases ------------------------------------------------------------------------------------


def as_case(rules: Ruleset, number: int, found: Missing) -> str:
    """A case in YAML that shows what is missing."""
    hand = found.hand
    result: Result = rules.score(hand)
    fans = ", ".join(name for fan in result.fans for name in [fan.name] * fan.count)
    lines = [
        f"- id: missing-{number}",
        f"  source: {_quoted(f'{found.what}: {found.name}')}",
        f"  hand: {tiles.compact(tiles.expand(hand.concealed))}",
    ]
    if hand.melds:
        lines.append(f"  melds: [{', '.join(map(str, hand.melds))}]")
    if hand.win is not None:
        lines.append(f"  win: {tiles.NAMES[hand.win]}")
    if seen := seen_besides(hand):
        lines.append(f"  seen: {{{', '.join(f'{name}: {n}' for name, n in seen.items())}}}")
    lines.append(f"  by: {hand.by}")
    if hand.flags:
        lines.append(f"  flags: [{', '.join(sorted(hand.flags))}]")
    if hand.kong:
        lines.append(f"  kong: {hand.kong}")
    if hand.void is not None:
        lines.append(f"  void: {'mps'[hand.void]}")
    lines.append(f"  expect: {{win: true, fans: [{fans}], points: {result.points}}}")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def as_case_file(rules: Ruleset, missing: Sequence[Missing]) -> str:
    """All of them as a case file; a hand that fills several gaps stands there once."""
    known: set[Hand] = set()
    cases: list[str] = []
    for found in missing:
        if found.hand not in known:
            known.add(found.hand)
            cases.append(as_case(rules, len(cases) + 1, found))
    return f"ruleset: {rules.id}\nhands:\n" + "\n".join(cases) + "\n"


def example_hands(rules: Ruleset) -> list[Hand]:
    """The hands of a rule file's own examples, as its default options see them."""
    from pyengine.tools.examples import read_example

    return [read_example(rules, example.declaration)[1] for example in rules.rules.examples]
