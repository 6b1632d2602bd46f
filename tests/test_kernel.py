"""The kernel knows the whole space of hands, and refuses what is none."""

from __future__ import annotations

import dataclasses
import itertools
import random
from dataclasses import replace

import pytest

import pyengine
from pyengine.engine import kernel
from pyengine.engine.program import lower
from pyengine.engine.ruleset import with_win
from pyengine.language.load import load_rules
from pyengine.language.specialise import specialise
from pyengine.notation.hand import Hand
from pyengine.tools.random_hands import complete_hands

PLAYABLE = [name for name, _, _ in pyengine.rulesets() if load_rules(name).is_playable]


def test_the_counts_of_the_space_are_those_of_the_design() -> None:
    """If one were wrong, a proof over every hand would not be over every hand."""
    assert kernel.count_hands() == {
        "suit_vectors": 405_350,
        "suit_complete": 21_743,
        "standard": 1_849_491,
        "seven_pairs": 716_472,
        "closed": 2_561_091,
        "merged_kongs": 28_095_264,
        "standard_all_kinds": 11_498_658,
    }


def test_closed_hands_are_each_written_once() -> None:
    rows = kernel.closed_hands(0, 50_000) + kernel.closed_hands(2_561_000, 1_000)
    assert len(rows) == 50_000 + 91
    assert len(set(rows)) == len(rows)
    assert all(sum(row) == 14 and max(row) <= 4 for row in rows)


def test_closed_hands_can_be_started_anywhere() -> None:
    assert kernel.closed_hands(1_234, 10) == kernel.closed_hands(1_200, 44)[34:]


def _program(rules: pyengine.Ruleset):  # type: ignore[no-untyped-def]
    special, _ = specialise(rules.rules, rules.values)
    assert special
    return lower(special)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"hand_size": 12}, "bad tile set"),
        ({"copies": (5,) * 34}, "bad tile set"),
        ({"money": 60_000}, "bad register"),
        ({"may_win": 7}, "bad type"),
        ({"n_registers": 3}, "bad limits"),
        ({"absorptions": ((0, 200, 0),)}, "bad absorption"),
        ({"picks": (1 << 63,)}, "bad pick"),
    ],
)
def test_a_program_that_is_wrong_is_refused(change: dict[str, object], status: str) -> None:
    program = dataclasses.replace(_program(pyengine.load("sichuan/classic")), **change)
    with pytest.raises(kernel.KernelError) as error:
        kernel.Kernel(program)
    assert error.value.status == status


def test_programs_with_random_faults_never_crash() -> None:
    """The kernel never trusts an index: any number in any place is refused or does no harm."""
    rng = random.Random(5)
    program = _program(pyengine.load("sichuan/classic"))
    hand = pyengine.load("sichuan/classic").hand("111333444m22266p", win="6p")
    for _ in range(2_000):
        stage = rng.choice(("fan", "final"))
        code = [list(op) for op in program.code[stage]]
        code[rng.randrange(len(code))][rng.randrange(5)] = rng.choice((0, 1, 7, 300, 65_535, rng.randrange(65_536)))
        faulty = dataclasses.replace(program, code={**program.code, stage: tuple(tuple(op) for op in code)})
        try:
            kernel.Kernel(faulty).score(hand, [0] * len(program.facts), False)
        except kernel.KernelError:
            continue


@pytest.mark.parametrize(
    ("hand", "status"),
    [
        (Hand((5, 3, 3, 3, *[0] * 30), win=1), "bad count"),
        (Hand((4, 4, 4, 3, *[0] * 30), win=0), "bad size"),
        (Hand((4, 4, 4, 2, *[0] * 30), win=9), "bad win tile"),
        (Hand((4, 4, 4, 2, *[0] * 30), win=200), "bad win tile"),
        (Hand((4, 4, 4, 2, *[0] * 30), win=0, void=77), "bad suit"),
    ],
)
def test_a_hand_that_is_none_is_refused(hand: Hand, status: str) -> None:
    rules = pyengine.load("sichuan/classic")
    with pytest.raises(kernel.KernelError) as error:
        rules.judge(hand)
    assert error.value.status == status


def test_shanten_is_the_distance_to_the_nearest_hand() -> None:
    """On the 9 kinds of one suit and 5 tiles every complete hand can be compared."""
    rules = pyengine.load("sichuan/classic")
    program = dataclasses.replace(
        _program(rules),
        hand_size=4,
        shapes=(dataclasses.replace(_program(rules).shapes[0], melds=1),),
        shape_names=("small",),
        copies=(4,) * 9 + (0,) * 25,
    )
    small = kernel.Kernel(program)
    complete = []
    for low, pair in itertools.product(range(16), range(9)):
        counts = [0] * 9
        for kind in (low, low + 1, low + 2) if low < 7 else (low - 7,) * 3:
            counts[kind] += 1
        counts[pair] += 2
        if max(counts) <= 4:
            complete.append(counts)
    for tiles in itertools.combinations_with_replacement(range(9), 5):
        counts = [tiles.count(kind) for kind in range(9)]
        if max(counts) > 4:
            continue
        missing = min(sum(max(0, c - h) for c, h in zip(target, counts, strict=True)) for target in complete)
        assert small.shanten(Hand((*counts, *[0] * 25))) == missing - 1, tiles


@pytest.mark.parametrize("name", PLAYABLE)
def test_waits_are_the_kinds_that_make_a_shape(name: str) -> None:
    """What is not tried, since a suit or a pair would be left over, would not have been one."""
    rules, rng = pyengine.load(name), random.Random(79)
    kinds = [kind for kind in range(34) if rules.copies[kind]]
    for hand in complete_hands(rules, 250, seed=73):
        held = list(hand.concealed)
        held[rng.choice([kind for kind in kinds if held[kind]])] -= 1
        for _ in range(3):
            waiting = replace(hand, concealed=tuple(held), win=None, flags=frozenset(), kong=None)
            expected = [kind for kind in kinds if rules.judge(with_win(waiting, kind, "自摸")).complete]
            assert rules.complete_with(waiting) == expected, str(waiting)
            held[rng.choice([kind for kind in kinds if held[kind]])] -= 1
            shown = [sum(meld.tiles.count(kind) for meld in hand.melds) for kind in range(34)]
            held[rng.choice([kind for kind in kinds if held[kind] + shown[kind] < rules.copies[kind]])] += 1
