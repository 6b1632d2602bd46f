"""许 禁 必: whether the rule file lets a seat make a move, and what it says about it.

Nothing but 打 and 过 may be done that is not 许; 禁 beats 许 and 必.  Conditions are asked of the plain
evaluator of hands, with the seat that acts in the place of the winner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyengine.engine.kernel import Judged
from pyengine.engine.oracle import Oracle, View
from pyengine.engine.playbook import Playbook
from pyengine.engine.readings import NO_READING, Reading
from pyengine.engine.score import GROUP_NAMES
from pyengine.engine.table import Moment
from pyengine.language import core as c
from pyengine.notation.hand import Hand

FREE = ("discard", "pass")
_WAITS = (None, "edge_wait", "closed_wait", "open_wait", "single_wait", "twin_wait")
_BESIDE = {"next_seat": 1, "across_seat": 2, "prev_seat": 3}


@dataclass(frozen=True)
class Asking:
    """The table as a seat that may move sees it; seat 0 is that seat, the others follow in turn order.

    words    what only the table of play knows, by seat: passed_win, just_ponged …
    source   the seat whose tile it is about, or None
    """

    seat_: int
    players: int
    moment: Moment
    words: Mapping[str, tuple[int, ...]]
    this_tile: int | None
    drawn_tile: int | None
    source: int | None

    @property
    def is_claimed(self) -> bool:
        return self.source is not None

    @property
    def from_seat(self) -> str | None:
        """Which seat beside the acting one the tile comes from."""
        if self.source is None:
            return None
        step = (self.source - self.seat_) % self.players
        if step == self.players - 1:
            return "prev_seat"
        return "next_seat" if step == 1 else "across_seat"

    def seat(self, word: str, seat: int = 0) -> int:
        """A truth or number of a seat."""
        real = (self.seat_ + seat) % self.players
        if word in self.words:
            return self.words[word][real]
        if word in _BESIDE:
            return int(self.beside(word) == real)
        if word == "discarder":
            return int(self.source == real)
        return self.moment.seat(word, real)

    def beside(self, word: str) -> int | None:
        """The seat that a word means, seen from the acting one."""
        if word == "across_seat":
            return (self.seat_ + 1 + (self.players == 4)) % self.players if self.players != 3 else None
        return (self.seat_ + (1 if word == "next_seat" else -1)) % self.players

    def stance(self, name: str, owner: str | None = None) -> int:
        seats = self.held(owner)
        value = self.moment.stances[seats[0] if seats else self.seat_].get(name)
        return value if isinstance(value, int) else 0

    def held(self, owner: str | None) -> list[int]:
        """The seats that have a role; the acting seat itself where none is named."""
        if owner is None:
            return [self.seat_]
        return [s % self.players for s in range(self.seat_, self.seat_ + self.players) if self._has(owner, s)]

    def _has(self, role: str, seat: int) -> bool:
        return bool(self.seat(role, (seat - self.seat_) % self.players))

    def owned(self, word: str, owner: str | None) -> int:
        return max((self.seat(word, (s - self.seat_) % self.players) for s in self.held(owner)), default=0)


class Permits:
    """What the rule file says about moves."""

    def __init__(self, book: Playbook) -> None:
        self.book = book
        self.oracle: Oracle = book.rules.oracle

    def refused(self, move: str, hand: Hand, asking: Asking, judged: Judged | None = None) -> c.Permit | bool:
        """False where a move may be made; else the 禁 that forbids it, or True where no 许 allows it."""
        view = self.view(hand, asking, judged)
        if move not in FREE and not any(self.holds(p, view) for p in self.book.permits("may", move)):
            return True
        return next((p for p in self.book.permits("ban", move) if self.holds(p, view)), False)

    def must(self, move: str, hand: Hand, asking: Asking, judged: Judged | None = None) -> c.Permit | None:
        """The 必 by which a move must be made."""
        found = self.book.permits("must", move)
        view = self.view(hand, asking, judged) if found else None
        return next((p for p in found if view and self.holds(p, view)), None)

    def holds(self, permit: c.Permit, view: View) -> bool:
        return permit.when is None or bool(self.oracle.compile_once(permit.when)(view))

    def view(self, hand: Hand, asking: Asking, judged: Judged | None) -> View:
        """The hand at the table; of a win with its best reading and its totals."""
        if judged is None:
            return View(hand, asking, NO_READING, self.oracle)
        groups = tuple((GROUP_NAMES[type_], kind) for type_, kind in judged.groups)
        names = self.book.rules.shape_names
        reading = Reading(names[judged.shape], groups, judged.win_group, _WAITS[judged.wait])
        return View(hand, asking, reading, self.oracle, totals=judged.totals)
