"""The kernel gives what the oracle gives: the evaluator that reads the rule file itself."""

from __future__ import annotations

import pytest
from support.compare import difference

import pyengine
from pyengine.language.load import load_rules
from pyengine.tools.random_hands import complete_hands

PLAYABLE = [name for name, _, _ in pyengine.rulesets() if load_rules(name).is_playable]


@pytest.mark.parametrize("name", PLAYABLE)
def test_on_random_hands(name: str) -> None:
    """20,000 complete hands with 0 to 4 melds: win, money, totals, fans and reading."""
    rules = pyengine.load(name)
    for hand in complete_hands(rules, 20_000, seed=11):
        found = difference(rules, hand)
        assert found is None, found


@pytest.mark.parametrize("name", PLAYABLE)
def test_on_static_values_and_other_options(name: str) -> None:
    """Each value of each option once, on a few hands: an option may change anything."""
    plain = pyengine.load(name)
    for option in plain.rules.options.values():
        for alternative in option.alternatives:
            value = getattr(alternative, "high", alternative)
            rules = plain.with_options({option.name: "无" if value is None else value})
            for hand in complete_hands(rules, 25, seed=13):
                for static in (False, True):
                    found = difference(rules, hand, static)
                    assert found is None, f"{option.name} = {value}: {found}"


@pytest.mark.parametrize("name", PLAYABLE)
def test_on_waits(name: str) -> None:
    rules = pyengine.load(name)
    for hand in complete_hands(rules, 150, seed=17):
        if hand.win is None:
            continue
        before = list(hand.concealed)
        before[hand.win] -= 1
        waiting = type(hand)(tuple(before), hand.melds, None, hand.by, frozenset(), hand.void, hand.seen)
        assert rules.complete_with(waiting) == rules.oracle.waits(waiting)
        assert (rules.shanten(waiting) == 0) == any(
            before[kind] < rules.copies[kind] for kind in rules.complete_with(waiting)
        )
