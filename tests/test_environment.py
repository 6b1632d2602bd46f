"""The PettingZoo environment: PettingZoo's own tests, what agents see, and what they win."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

pytest.importorskip("pettingzoo")

from pettingzoo.test import api_test, seed_test

from pyengine.language.diagnostics import InputError
from pyengine.tools.environment import TableEnv, env, name_of


@pytest.mark.parametrize("name", ["sichuan/xuezhan", "sichuan/xueliu", "dazhong/standard"])
def test_it_passes_the_tests_of_pettingzoo(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(env(name), num_cycles=300)
        seed_test(lambda: env(name), num_cycles=60)


def play(table: TableEnv, seed: int) -> dict[str, float]:
    table.reset(seed=seed)
    rng = np.random.default_rng(seed)
    total = dict.fromkeys(table.possible_agents, 0.0)
    for agent in table.agent_iter():
        observation, reward, termination, truncation, _ = table.last()
        total[agent] += reward
        if termination or truncation:
            table.step(None)
        else:
            table.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    return total


def test_rewards_are_what_the_hand_came_to() -> None:
    table = env("sichuan/xuezhan", 封顶="32倍")
    for seed in range(3):
        total = play(table, seed)
        settled = table.rules.play_kernel.settle(table._table)
        assert list(total.values()) == list(settled.deltas[:4])
        assert sum(total.values()) == 0


def test_an_agent_does_not_see_other_hands() -> None:
    table = env("sichuan/xuezhan")
    table.reset(seed=3)
    look = table.rules.play_kernel.look(table._table)
    for seat, agent in enumerate(table.possible_agents):
        seen = table.observe(agent)
        assert list(seen["observation"][:34]) == list(look.seats[seat].tiles)
        assert seen["observation"][102:].max() <= 55
        assert seen["action_mask"].any() == (agent == table.agent_selection)


def test_an_illegal_action_is_refused() -> None:
    table = env("sichuan/xuezhan")
    table.reset(seed=3)
    with pytest.raises(InputError):
        table.step(0)
    assert name_of(104, 2, 13) == "2 碰 5p"
    assert table.render() is None
    shown = TableEnv(table.rules, "ansi")
    shown.reset(seed=1)
    assert "left" in (shown.render() or "")
