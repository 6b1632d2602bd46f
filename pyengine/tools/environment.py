"""A PettingZoo environment (AEC) over the kernel's table: `pip install 'rulespec[env]'`.

>>> from pyengine.tools.environment import env
>>> table = env("town.rule")
>>> table.reset(seed=1)

An action is the number of a move (`pyengine.engine.moves`); tiles are drawn by themselves.  An agent sees its
own tiles, and of the others what lies on the table.  The reward comes when the hand is over: what it has won
or lost.  A seat that has left is not asked any more.
"""

from __future__ import annotations

import os
import random
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

import pyengine
from pyengine.engine.dealing import shuffled
from pyengine.engine.kernel import KernelError
from pyengine.engine.moves import DRAW, OPENING, move_of
from pyengine.language.diagnostics import refuse
from pyengine.notation import melds, tiles
from pyengine.notation.tiles import KINDS

ACTIONS = DRAW
PHASES = 7
_DRAWING, _CLAIMING, _OVER = 3, 5, 6
_SEAT = 2 * KINDS + 7  # melds, discards; void suit 3, has won, deals, tiles in the hand, has discarded the tile
_PLACES = {"clockwise": 1, "across": 2, "counter": 3}
_CHOW = melds.TYPES["吃"]
_SIZES = {melds.TYPES["碰"]: 3}


def env(rules: str | os.PathLike[str], **options: object) -> TableEnv:
    """The environment of a rule set, by id or path; options by name."""
    return TableEnv(pyengine.load(rules, **options))


class TableEnv(AECEnv):  # type: ignore[misc]
    """One hand of a rule set as an environment.

    Observations are `observation`, int16 numbers: own tiles, the tile just drawn and the one that may be
    claimed, by kind; then for each seat from the own one on what lies before it; then the phase and the
    tiles left in the wall.  `action_mask` has a 1 for every legal action.
    """

    metadata = {"render_modes": ["ansi"], "name": "rulespec_v0", "is_parallelizable": False}

    def __init__(self, rules: pyengine.Ruleset, render_mode: str | None = None) -> None:
        super().__init__()
        self.rules = rules
        self.render_mode = render_mode
        self.players = rules.playbook.players
        self.possible_agents = [f"seat_{seat}" for seat in range(self.players)]
        self.length = 3 * KINDS + self.players * _SEAT + PHASES + 1
        self._random = random.Random()
        self._spaces = spaces.Dict(
            {
                "observation": spaces.Box(0, tiles.KINDS * 4, (self.length,), np.int16),
                "action_mask": spaces.Box(0, 1, (ACTIONS,), np.int8),
            }
        )
        self._actions = spaces.Discrete(ACTIONS)

    def observation_space(self, agent: str) -> spaces.Dict:  # noqa: ARG002
        return self._spaces

    def action_space(self, agent: str) -> spaces.Discrete:  # noqa: ARG002
        return self._actions

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        if seed is not None:
            self._random = random.Random(seed)
        dealer, direction, wall = shuffled(self.rules.playbook, self._random.randrange(2**62))
        self._table = self.rules.play_kernel.deal(wall, dealer, _PLACES[direction])
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._go_on()

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        seat = self.possible_agents.index(agent)
        legal = self.rules.play_kernel.legal(self._table, seat)
        if action is None or not 0 <= action < ACTIONS or not legal >> int(action) & 1:
            shown = " ".join(str(number) for number in range(ACTIONS) if legal >> number & 1)
            raise refuse("E771", None, move=action, legal=shown)
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        try:
            self._table = self.rules.play_kernel.apply(self._table, seat, int(action))
            self._go_on()
        except KernelError as error:
            if not error.is_no_move:
                raise
            raise refuse("E792", None, seat=seat, ruleset=self.rules.title) from None
        self._accumulate_rewards()

    def _go_on(self) -> None:
        """Draws what is to be drawn, and finds who is to act or what it has come to."""
        kernel = self.rules.play_kernel
        look = kernel.look(self._table)
        while look.phase == _DRAWING:
            legal = kernel.legal(self._table, look.actor)
            self._table = kernel.apply(self._table, look.actor, legal.bit_length() - 1)
            look = kernel.look(self._table)
        if look.phase == _OVER:
            settled = kernel.settle(self._table)
            for seat, agent in enumerate(self.possible_agents):
                self.rewards[agent] = settled.deltas[seat]
                self.terminations[agent] = True
            self.agent_selection = self.agents[0]
            return
        awaited = [seat for seat in range(self.players) if kernel.legal(self._table, seat)]
        if not awaited:
            raise refuse("E792", None, seat=look.actor, ruleset=self.rules.title)
        start = look.source if look.phase == _CLAIMING else look.actor
        first = min(awaited, key=lambda seat: (seat - start) % self.players)
        self.agent_selection = self.possible_agents[first]

    # ---- seeing ----

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        seat = self.possible_agents.index(agent)
        look = self.rules.play_kernel.look(self._table)
        seen = np.zeros(self.length, np.int16)
        seen[:KINDS] = list(look.seats[seat].tiles)
        if look.seats[seat].drawn < KINDS:
            seen[KINDS + look.seats[seat].drawn] = 1
        if look.phase == _CLAIMING:
            seen[2 * KINDS + look.tile] = 1
        discards = self._discards(look)
        for n in range(self.players):
            other = (seat + n) % self.players
            at = 3 * KINDS + n * _SEAT
            seen[at : at + _SEAT] = self._place(look, other, other == seat, discards[other])
        seen[-1 - PHASES + look.phase] = 1
        seen[-1] = look.back - look.front
        mask = np.zeros(ACTIONS, np.int8)
        if agent == self.agent_selection and not self.terminations[agent]:
            legal = self.rules.play_kernel.legal(self._table, seat)
            mask[:] = [legal >> number & 1 for number in range(ACTIONS)]
        return {"observation": seen, "action_mask": mask}

    def _place(self, look: Any, seat: int, own: bool, discards: NDArray[np.int16]) -> NDArray[np.int16]:
        """What lies before a seat.  A void suit is hidden till everybody has named one."""
        place = look.seats[seat]
        shown = np.zeros(_SEAT, np.int16)
        for meld in place.melds[0 : place.n_melds]:
            if meld.type == _CHOW:
                shown[meld.tile : meld.tile + 3] += 1
            else:
                shown[meld.tile] += _SIZES.get(meld.type, 4)
        shown[KINDS : 2 * KINDS] = discards
        if place.void_suit < 3 and (own or look.phase > 2):
            shown[2 * KINDS + place.void_suit] = 1
        shown[2 * KINDS + 3 :] = (
            look.won >> seat & 1,
            seat == look.dealer,
            sum(place.tiles),
            look.phase == _CLAIMING and seat == look.source,
        )
        return shown

    def _discards(self, look: Any) -> NDArray[np.int16]:
        """Every discard of every seat, claimed or not."""
        found = np.zeros((self.players, KINDS), np.int16)
        for entry in look.log[0 : look.n_log]:
            if entry & 255 < KINDS:
                found[entry >> 8, entry & 255] += 1
        return found

    def render(self) -> str | None:
        """The table as text: who holds what."""
        if self.render_mode is None:
            return None
        look = self.rules.play_kernel.look(self._table)
        rows = [
            f"{agent}: {tiles.compact(tiles.expand(look.seats[seat].tiles))}"
            for seat, agent in enumerate(self.possible_agents)
        ]
        return "\n".join([*rows, f"{look.back - look.front} left"])

    def close(self) -> None: ...


def name_of(action: int, seat: int, tile: int | None = None) -> str:
    """An action as a record has it; `tile` is the one that a 吃 or 碰 is made with."""
    from pyengine.notation.records import write_move

    move = move_of(action, seat, tile)
    return f"{seat} {move.verb} {move.tile}" if move.verb in OPENING else write_move(seat, move.verb, move.tile)
