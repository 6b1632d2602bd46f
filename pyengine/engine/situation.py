"""What is told about a win beside the tiles, and the table around a hand that is scored alone.

Alone means: nobody has won yet, the winner sits at seat 0 and a discarder at seat 1, and nothing is
known of the other hands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pyengine.language import vocabulary
from pyengine.language.core import OptionValue
from pyengine.notation.hand import Hand

KONG_NUMBERS = {"直杠": 1, "巴杠": 2, "暗杠": 3}
WINNER = 0
DISCARDER = 1
OTHER_DEALER = 3
"""Who deals if the winner was not told to: a seat that has no other role."""

_ROLE_SEATS = {"winner": WINNER, "receiver": WINNER, "payer": DISCARDER}


@dataclass(frozen=True)
class Situation:
    """The facts of one win by their English names."""

    told: frozenset[str]
    kong: int = 0  # 0 none, else the numbers of KONG_NUMBERS
    stances: Mapping[str, OptionValue] = field(default_factory=dict)  # what the winner has declared
    defaults: Mapping[str, OptionValue] = field(default_factory=dict)  # and everybody else

    @property
    def is_claimed(self) -> bool:
        """Whether the winning tile was another's."""
        return "self_draw" not in self.told

    def seat(self, word: str, seat: int = WINNER) -> int:
        """A flag, role, seat set or number of a seat: 1 and 0 for truths, 0 for what is not known."""
        if word in ("in_play", "unwon"):
            return 1
        if word in ("winner", "receiver"):
            return int(seat == WINNER)
        if word in ("payer", "discarder"):
            return int(seat == DISCARDER and self.is_claimed)
        if word == "dealer":
            return int(seat == (WINNER if "dealer" in self.told else OTHER_DEALER))
        if word == "kong_kind":
            return self.kong
        return int(seat == WINNER and word in self.told)

    def stance(self, name: str, owner: str | None = None) -> int:
        """What the winner, or the role that is said to own it, has declared."""
        own = _ROLE_SEATS.get(owner or "winner") == WINNER or (owner == "dealer" and "dealer" in self.told)
        value = (self.stances if own else self.defaults)[name]
        return value if isinstance(value, int) else 0

    def owned(self, word: str, owner: str | None) -> int:
        """A word of the winner, or of the role that it is said to belong to."""
        return self.seat(word, WINNER if owner is None else _ROLE_SEATS.get(owner, DISCARDER))


ENGLISH = {e.word: e.english for e in (*vocabulary.win_kinds(), *vocabulary.win_flags())}
"""How a win came and its flags, by their words."""


def alone(hand: Hand, defaults: Mapping[str, OptionValue]) -> Situation:
    """The situation of a hand that is scored alone; `defaults` are the stances that the file gives to all."""
    told = frozenset(ENGLISH[word] for word in (hand.by, *hand.flags))
    stances = {**defaults, **dict(hand.stances)} if hand.stances else defaults
    return Situation(told, KONG_NUMBERS[hand.kong] if hand.kong else 0, stances, defaults)
