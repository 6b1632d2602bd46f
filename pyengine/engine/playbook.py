"""How a rule set is played, its options decided: 打法 in plain values, and 许 禁 必 by move."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pyengine.engine.moves import MAX_VALUES
from pyengine.language import core as c
from pyengine.language import vocabulary
from pyengine.language.diagnostics import Diagnostic, RuleError

if TYPE_CHECKING:
    from pyengine.engine.ruleset import Ruleset

WIN_MOVES = ("self_draw", "discard_win", "rob_added_kong")
KONG_MOVES = ("direct_kong", "concealed_kong", "added_kong")
_ORDER = ("win", "kong", "pung", "chow")
_STEPS = {"clockwise": 1, "counter": -1, "across": 2}


@dataclass(frozen=True, slots=True)
class Step:
    """A step of 开局: swap, void, or the stance that everybody declares."""

    verb: str
    stance: str | None = None


class Playbook:
    """What the table follows.  RuleError where a rule set says what no table can do."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self._play = rules.rules.play
        self.players = int(self._play.get("players", (4,))[0])
        self.hand_size = rules.hand_size
        self.copies = rules.copies
        self.tiles = sum(self.copies)
        self.swap = str(self.value("swap_three", "swap", "same_suit"))
        self.replaces_from_front = self.value("replacement", "end", "wall_end") == "wall_front"
        self.nearest_wins = self.value("many_winners", "winners", "all_win") == "nearest_wins"
        self.after_discarder = self.value("next_draw", "next", "after_winner") == "after_discarder"
        self.horses = int(self.value("horses", "", 0) or 0)
        self.steps = tuple(self.step(str(name)) for name in self._play.get("opening", ()))
        self.steps = tuple(s for s in self.steps if s.verb != "swap" or self.swap != "no_swap")
        self.ranks = self._ranks()
        needed = self.players * self.hand_size + 1 + self.horses
        if needed > self.tiles:
            facts = {"needed": needed, "tiles": self.tiles}
            raise RuleError([Diagnostic("E790", rules.rules.sources[-1].head, facts)])

    def value(self, key: str, type_name: str, default: str | int) -> str | int | None:
        """A value of 打法, through an option where the file names one."""
        value = self._play.get(key, (default,))[0]
        if isinstance(value, int) or value not in self.rules.values:
            return value
        chosen = self.rules.values[value]
        if isinstance(chosen, str):
            entry = vocabulary.find_value(chosen, type_name)
            return entry.english if entry else default
        return int(chosen) if chosen is not None else None

    def step(self, name: str) -> Step:
        if name == "swap_three":
            return Step("swap")
        if name == "void_suit":
            return Step("void")
        values = self.declared(name)
        if len(values) > MAX_VALUES:
            stance = self.rules.rules.stances[name]
            raise RuleError([Diagnostic("E791", stance.span, {"name": name, "limit": MAX_VALUES})])
        return Step("declare", name)

    def declared(self, name: str) -> list[c.OptionValue]:
        """The values among which a seat chooses when it declares; never more than one above the limit."""
        values: list[c.OptionValue] = []
        for alternative in self.rules.rules.stances[name].alternatives:
            if isinstance(alternative, c.Range):
                values += range(alternative.low, min(alternative.high, alternative.low + MAX_VALUES) + 1)
            else:
                values.append(alternative)
        return values

    @cached_property
    def directions(self) -> tuple[str, ...]:
        """The ways in which three tiles may go round this table."""
        named = tuple(str(name) for name in self._play.get("swap_direction", ("clockwise",)))
        return tuple(n for n in named if n != "across" or self.players != 3) or ("clockwise",)

    def swap_target(self, seat: int, direction: str) -> int:
        """Who gets the tiles of a seat."""
        step = 1 if self.players == 2 else _STEPS[direction]
        return (seat + step) % self.players

    def _ranks(self) -> dict[str, int]:
        """The place of each claim in 先后, lower first; those that are not listed come after, in the usual order."""
        listed = [str(name) for name in self._play.get("priority", ())]
        ranks: dict[str, int] = {}
        for rank, name in enumerate([*listed, *_ORDER]):
            name = "win" if name in WIN_MOVES else name
            for verb in KONG_MOVES[:1] if name in ("kong", "exposed_kong") else (name,):
                ranks.setdefault(verb, rank)
        return ranks

    def permits(self, verb: str, move: str) -> tuple[c.Permit, ...]:
        """The 许 (may), 禁 (ban) or 必 (must) that speak of a move."""
        return self._by_move.get((verb, move), ())

    @cached_property
    def _by_move(self) -> dict[tuple[str, str], tuple[c.Permit, ...]]:
        found: dict[tuple[str, str], tuple[c.Permit, ...]] = {}
        for permit in self.rules.rules.permits:
            moves = [m for name in permit.moves for m in (WIN_MOVES if name == "win" else (name,))]
            for move in dict.fromkeys(moves):
                key = (permit.declaration.verb, move)
                found[key] = (*found.get(key, ()), permit)
        return found
