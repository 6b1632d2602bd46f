"""One comparison of the kernel with the oracle."""

from __future__ import annotations

from pyengine.engine.ruleset import Ruleset
from pyengine.engine.score import GROUP_NAMES
from pyengine.notation.hand import Hand


def difference(rules: Ruleset, hand: Hand, static: bool = False) -> str | None:
    """How the kernel's judgement of a hand differs from the oracle's; None when it does not."""
    judged = rules.judge(hand, static)
    verdict = rules.oracle.score(hand, static)
    if judged.win != verdict.win or judged.complete != (verdict.reading is not None):
        return f"{hand}: kernel win={judged.win} complete={judged.complete}, oracle {verdict}"
    if verdict.reading is None:
        return None
    kernel = (judged.money, judged.totals, judged.counts, judged.found, judged.may_wait)
    oracle = (verdict.money, verdict.totals, verdict.counts, verdict.found, verdict.may_wait)
    groups = tuple((GROUP_NAMES[type_], kind) for type_, kind in judged.groups)
    if kernel != oracle or groups != verdict.reading.groups:
        return f"{hand} {hand!r}: kernel {kernel} {groups}, oracle {oracle} {verdict.reading.groups}"
    return None
