"""Who would pay for a hand that is scored alone: its win settled as the one event of a game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pyengine.engine.situation import DISCARDER, ENGLISH, OTHER_DEALER, WINNER
from pyengine.engine.table import KONGS, SEATS, TableEvent, TableGame
from pyengine.language.diagnostics import RuleError
from pyengine.notation.melds import KONGS as KONG_WORDS

if TYPE_CHECKING:
    from pyengine.engine.ruleset import Ruleset
    from pyengine.language.core import OptionValue

BYSTANDER = 2
"""The seat that a direct kong came from: neither the winner nor a discarder."""


def payments(
    rules: Ruleset,
    points: int,
    by: str,
    told: frozenset[str] = frozenset(),
    konged: str | None = None,
    stances: tuple[tuple[str, OptionValue], ...] = (),
) -> list[dict[str, int]] | None:
    """Payer, receiver and amount of each payment for a win worth so much, of which `Hand` would tell the rest.

    The winner sits at seat 0, who discarded or was robbed at seat 1.  None after a kong of which the kind was not
    told, since who pays may depend on it, and where flows cannot be used under the options.
    """
    kind, flags = ENGLISH[by], {ENGLISH[flag] for flag in told}
    source = None if kind == "self_draw" else DISCARDER
    kong: tuple[TableEvent, ...] = ()
    if "after_kong" in flags and kind != "robbed_kong":
        if konged is None:
            return None
        word = dict(zip(KONG_WORDS, KONGS, strict=True))[konged]
        kong = (TableEvent(word, source or WINNER, BYSTANDER if word == "direct_kong" else None),)
    win = TableEvent(kind, None, source, (WINNER,), frozenset(flags - {"dealer"}), (points, 0, 0, 0))
    players = int(rules.rules.play.get("players", (SEATS,))[0])
    others: Mapping[str, Any] = rules.stances
    game = TableGame(
        (*kong, win),
        players,
        WINNER if "dealer" in flags else min(OTHER_DEALER, players - 1),
        stances=tuple({**others, **dict(stances)} if seat == WINNER else others for seat in range(SEATS)),
    )
    try:
        postings = rules.settle_table(game).postings
    except RuleError:
        return None  # Only its flows cannot be used under these options: the hand is worth what it is.
    return [
        {"payer": posting.payer, "receiver": posting.receiver, "amount": posting.amount}
        for posting in postings
        if posting.event == len(kong)
    ]
