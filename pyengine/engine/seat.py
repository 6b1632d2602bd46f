"""What a hand being played consists of: each player's tiles, and the events that have happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pyengine.engine.kernel import Judged
from pyengine.engine.table import TableEvent
from pyengine.language import core as c
from pyengine.notation.hand import Hand
from pyengine.notation.melds import Meld


@dataclass
class SeatState:
    """One player's tiles, and what he has done that rules may ask for."""

    tiles: list[int]  # concealed copies by kind
    melds: list[Meld] = field(default_factory=list)
    discards: list[int] = field(default_factory=list)  # every one, claimed or not
    void: int | None = None
    stances: dict[str, c.OptionValue] = field(default_factory=dict)
    given: list[int] = field(default_factory=list)  # to be passed on
    drawn: int | None = None  # the tile just drawn, in his own turn
    fresh: set[int] = field(default_factory=set)  # every kind drawn in this turn
    draws: int = 0
    just_ponged: bool = False
    passed_pungs: set[int] = field(default_factory=set)
    passed_fan: int = -1
    passed_money: int = -1


@dataclass(frozen=True, slots=True)
class Done:
    """An event of the play with what it was made of: for explanations."""

    event: TableEvent
    tile: int | None = None
    hands: Mapping[int, tuple[Hand, Judged]] = field(default_factory=dict)
