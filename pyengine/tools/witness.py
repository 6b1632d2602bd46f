"""A hand that shows something: made as plain as it can be, and as the command that scores it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import replace

from pyengine.engine.ruleset import Ruleset
from pyengine.language.values import show_value
from pyengine.notation.hand import Hand
from pyengine.notation.tiles import NAMES


def plainest(hand: Hand, shows: Callable[[Hand], bool]) -> Hand:
    """The hand without the facts that are not needed for what it shows."""
    for leave_out in _WAYS:
        hand = next(filter(shows, leave_out(hand)), hand)
    return hand


def _of_melds(hand: Hand) -> tuple[int, ...]:
    """What lies on the table where nothing else is told: the own melds."""
    kinds = [kind for meld in hand.melds for kind in meld.tiles]
    return tuple(kinds.count(kind) for kind in range(len(hand.seen)))


def seen_besides(hand: Hand) -> dict[str, int]:
    """Copies on the table, by tile, of kinds of which more lie there than the own melds."""
    table = zip(NAMES, hand.seen, _of_melds(hand), strict=True)
    return {name: seen for name, seen, own in table if seen != own}


def _without_seen(hand: Hand) -> Iterator[Hand]:
    yield replace(hand, seen=_of_melds(hand))


def _without_flags(hand: Hand) -> Iterator[Hand]:
    # All of them first: some only stand beside others.
    yield replace(hand, flags=frozenset(), kong=None)
    for flag in sorted(hand.flags):
        yield replace(hand, flags=frozenset({flag}), kong=None)


def _without_kong(hand: Hand) -> Iterator[Hand]:
    yield replace(hand, kong=None)


def _without_void(hand: Hand) -> Iterator[Hand]:
    yield replace(hand, void=None)


def _without_stances(hand: Hand) -> Iterator[Hand]:
    yield replace(hand, stances=())
    for stance in hand.stances:
        yield replace(hand, stances=(stance,))


_WAYS: tuple[Callable[[Hand], Iterator[Hand]], ...] = (
    _without_flags,
    _without_kong,
    _without_seen,
    _without_void,
    _without_stances,
)


def score_command(rules: Ruleset, hand: Hand) -> str:
    """The command line that scores a hand under the options of a rule set."""
    words = ["rulespec", "score", rules.id, *str(hand).split()]
    words += ["--win", NAMES[hand.win]] if hand.win is not None else []
    words += ["--by", hand.by]
    for flag in sorted(hand.flags):
        words += ["--flag", flag]
    words += ["--kong", hand.kong] if hand.kong else []
    words += ["--void", "mps"[hand.void]] if hand.void is not None else []
    for name, seen in seen_besides(hand).items():
        words += ["--seen", f"{name}={seen}"]
    for name, value in hand.stances:
        words += ["--stance", f"{name}={show_value(value, rules.rules.stances[name].unit)}"]
    for name, value in rules.values.items():
        option = rules.rules.options[name]
        words += ["--set", f"{name}={show_value(value, option.unit)}"] if value != option.value else []
    return " ".join([*map(_quoted, words), "--why"])


def _quoted(word: str) -> str:
    # Chinese characters need no quotes, though shlex gives them some.
    return word if re.fullmatch(r"[\w@%+=:,./-]+", word) else shlex.quote(word)
