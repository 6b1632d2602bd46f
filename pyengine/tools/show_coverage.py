"""What cases leave out, as text for people and as plain data."""

from __future__ import annotations

from typing import Any

from pyengine.tools.coverage import Coverage
from pyengine.tools.show import Screen
from pyengine.tools.show_proofs import hand_as_json, show_won

MOST_SHOWN = 12


def show_coverage(screen: Screen, found: Coverage) -> None:
    """The shares that the cases show of a rule set, and the first of what they do not."""
    screen.line()
    screen.line(screen.say("coverage.head", title=found.rules.title, id=found.rules.id, n=found.cases))
    screen.line("  " + screen.say("coverage.conditions", seen=found.seen, n=found.conditions))
    screen.line("  " + screen.say("coverage.sets", seen=found.seen_sets, n=found.sets))
    share = 100 * found.seen_hands / found.hands if found.hands else 0
    hands = {"seen": f"{found.seen_hands:,}", "n": f"{found.hands:,}", "share": f"{share:.2f}"}
    screen.line("  " + screen.say("coverage.hands", **hands))
    if not found.missing:
        return
    screen.line("  " + screen.say("coverage.missing", n=len(found.missing)))
    screen.table(
        (
            [screen.say(f"coverage.{gap.what}"), gap.name, show_won(screen, gap.hand)]
            for gap in found.missing[:MOST_SHOWN]
        ),
        indent=4,
    )
    if len(found.missing) > MOST_SHOWN:
        screen.line("    " + screen.say("coverage.more", n=len(found.missing) - MOST_SHOWN))


def coverage_as_json(found: Coverage) -> dict[str, Any]:
    """Plain data with stable keys."""
    return {
        "ruleset": found.rules.id,
        "cases": found.cases,
        "conditions": {"seen": found.seen, "all": found.conditions},
        "fan_sets": {"seen": found.seen_sets, "all": found.sets},
        "hands": {"seen": found.seen_hands, "all": found.hands},
        "missing": [
            {"what": gap.what, "name": gap.name, "hands": gap.hands, "example": hand_as_json(gap.hand)}
            for gap in found.missing
        ],
    }
