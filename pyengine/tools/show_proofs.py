"""Proofs and comparisons as text for people and as plain data."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from pyengine.engine.kernel import KernelError
from pyengine.engine.ruleset import Ruleset
from pyengine.engine.table import Impossible, TableGame
from pyengine.language.diagnostics import Lang, as_json
from pyengine.notation import tiles
from pyengine.notation.hand import Hand
from pyengine.tools.draw import draw, draw_hand
from pyengine.tools.explore import Explored, FlowsCompared, Found, game_text
from pyengine.tools.meaning import TextChange
from pyengine.tools.prove import Pair, Proof, Some
from pyengine.tools.same import Change, Compared
from pyengine.tools.show import Screen
from pyengine.tools.witness import score_command, seen_besides

MOST_CHANGES = 40
_MARKS = {"never": "·", "sometimes": "+", "implies": "→", "implied": "←", "same": "="}


# ---- hands --------------------------------------------------------------------------------------


def show_won(screen: Screen, hand: Hand) -> Text:
    """A hand and how it is won: `碰 222万 11万 (自摸, 杠后)`; behind it what lies on the table besides its melds."""
    told = [hand.by, *sorted(hand.flags)]
    told += [hand.kong] if hand.kong else []
    told += [f"{screen.say('prove.void')} {'万筒条'[hand.void]}"] if hand.void is not None else []
    own = [kind for meld in hand.melds for kind in meld.tiles]
    besides = [kind for kind, n in enumerate(hand.seen) for _ in range(n - own.count(kind))]
    told += [f"{screen.say('prove.seen')} {draw(besides).plain}"] if besides else []
    return draw_hand(hand, screen.color).append(f" ({', '.join(told)})")


def hand_as_json(hand: Hand | None) -> dict[str, Any] | None:
    """A hand as the arguments of `score`."""
    if hand is None:
        return None
    return {
        "hand": tiles.compact(tiles.expand(hand.concealed)),
        "melds": [str(meld) for meld in hand.melds],
        "win": None if hand.win is None else tiles.NAMES[hand.win],
        "by": hand.by,
        "flags": sorted(hand.flags),
        "kong": hand.kong,
        "seen": seen_besides(hand),
        "void": None if hand.void is None else "mps"[hand.void],
    }


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


# ---- prove --------------------------------------------------------------------------------------


def show_proof(screen: Screen, proof: Proof) -> None:
    """Everything that is known of a rule set's hands."""
    facts = {"hands": f"{proof.hands:,}", "classes": f"{proof.classes:,}", "contexts": proof.contexts}
    screen.line(screen.say("prove.head", title=proof.rules.title, **facts))
    if proof.told:
        screen.line(screen.say("prove.told"))
    if proof.left_out:
        screen.line(screen.say("prove.left_out", names=" ".join(proof.left_out)))
    _title(screen, "prove.fans")
    rows: list[list[Text | str]] = []
    for fan in proof.fans:
        name = proof.rules.display(fan.name, screen.lang)
        if fan.example:
            share = _percent(fan.hands, proof, fan.example)
            rows.append([name, _right(fan.hands), share, show_won(screen, fan.example)])
        else:
            why = "left_out_here" if fan.name in proof.left_out else "off" if fan.off else "dead"
            rows.append([name, _right(0), "", screen.say(f"prove.{why}")])
    screen.table(rows, indent=2)
    _show_pairs(screen, proof)
    screen.line()
    screen.line(screen.say("prove.values", by=proof.by))
    screen.table((_value_row(screen, proof, *value) for value in proof.values), indent=2)
    if proof.most:
        screen.line(
            Text("  ")
            .append(screen.say("prove.most", points=proof.most[0]))
            .append_text(show_won(screen, proof.most[1]))
        )
    for cap in proof.caps:
        reached = {"n": f"{cap.reached:,}", "share": _share(cap.reached, proof.hands), "cut": f"{cap.cut:,}"}
        screen.line("  " + screen.say("prove.cap", text=cap.text, limit=cap.limit, **reached))
    _title(screen, "prove.laws")
    for law in proof.laws:
        verdict = "refuted" if law.counterexample else "proved" if law.asked else "not_asked"
        line = Text("  ").append(screen.say(f"prove.{verdict}"))
        line.append(f" {law.name}")
        if law.counterexample:
            line.append("  ").append_text(show_won(screen, law.counterexample))
        screen.line(line)
    if not proof.laws:
        screen.line("  " + screen.say("prove.none"))
    _show_some(screen, "prove.gaps", proof.gaps)
    _show_some(screen, "prove.ties", proof.ties)
    if proof.explored:
        _show_games(screen, proof.explored)
    screen.line()
    screen.diagnostics(proof.found)
    if not proof.found:
        screen.line(screen.say("prove.clean"))


def _show_games(screen: Screen, explored: Explored) -> None:
    screen.line()
    screen.line(screen.say("flows.head", games=f"{explored.games:,}", depth=explored.depth))
    balanced = {"n": f"{explored.outside.games:,}"}
    screen.line("  " + screen.say("flows.outside" if explored.outside.games else "flows.balanced", **balanced))
    if not explored.overpaid.games:
        screen.line("  " + screen.say("flows.refunds"))
    for step in explored.steps:
        facts = {"event": step.event, "first": step.first, "second": step.second}
        if step.found.example:
            games = {"n": f"{step.found.games:,}", "game": game_text(step.found.example)}
            screen.line("  " + screen.say("flows.order", **facts, **games))
        else:
            screen.line("  " + screen.say("flows.any_order", **facts))


def some_games(found: Found) -> dict[str, Any]:
    """So many games, and the first of them as text."""
    return {"games": found.games, "example": game_text(found.example) if found.example else None}


def _games_as_json(explored: Explored) -> dict[str, Any]:
    some = some_games
    return {
        "depth": explored.depth,
        "games": explored.games,
        "impossible": some(explored.impossible),
        "unbalanced": some(explored.unbalanced),
        "outside": some(explored.outside),
        "overpaid": some(explored.overpaid),
        "twice": some(explored.twice),
        "steps": [
            {"event": step.event, "flows": [step.first, step.second], **some(step.found)} for step in explored.steps
        ],
    }


def _title(screen: Screen, key: str) -> None:
    screen.line()
    screen.line(screen.say(key))


def _value_row(screen: Screen, proof: Proof, points: int, hands: int, example: Hand) -> list[Text | str]:
    return [_right(points, 6), _right(hands), _percent(hands, proof, example), show_won(screen, example)]


def _right(number: int, width: int = 13) -> str:
    return f"{number:>{width},}"


def _percent(part: int, proof: Proof, example: Hand | None) -> str:
    """Of all hands; nothing where there are only hands with a void suit told, which are counted with each."""
    return f"{_share(part, proof.hands):>8}" if example is None or example.void is None else ""


def _show_some(screen: Screen, key: str, some: Some) -> None:
    line = Text(screen.say(key, n=f"{some.hands:,}"))
    if some.example:
        line.append("  ").append_text(show_won(screen, some.example))
    screen.line(line)


def _show_pairs(screen: Screen, proof: Proof) -> None:
    """A triangle of marks: a row's fan against the fans before it, which the columns number."""
    relations: dict[tuple[str, str], str] = {}
    for pair in proof.pairs:
        relations[pair.a, pair.b] = _MARKS[pair.relation]
    names = [fan.name for fan in proof.fans if fan.there]
    if len(names) < 2:
        return
    _title(screen, "prove.pairs")
    rows: list[list[Text | str]] = [["", "", " ".join(f"{n:>2}" for n in range(1, len(names)))]]
    for n, name in enumerate(names):
        marks = " ".join(f" {relations[other, name]}" for other in names[:n])
        rows.append([f"{n + 1:>2}", proof.rules.display(name, screen.lang), marks])
    screen.table(rows, indent=2)
    screen.line("  " + screen.say("prove.marks"))


def proof_as_json(proof: Proof, lang: Lang) -> dict[str, Any]:
    """Plain data with stable keys."""

    def some(found: Some) -> dict[str, Any]:
        return {"hands": found.hands, "example": hand_as_json(found.example)}

    def pair(found: Pair) -> dict[str, Any]:
        return {
            "fans": [found.a, found.b],
            "relation": found.relation,
            "hands": found.both,
            "example": hand_as_json(found.example),
            "settled": found.settled or None,
        }

    return {
        "ruleset": proof.rules.id,
        "ok": proof.ok,
        "hands": proof.hands,
        "classes": proof.classes,
        "contexts": proof.contexts,
        "winning_tiles": proof.told,
        "left_out": list(proof.left_out),
        "fans": [
            {"name": f.name, "off": f.off, "hands": f.hands, "there": f.there, "example": hand_as_json(f.example)}
            for f in proof.fans
        ],
        "pairs": [pair(found) for found in proof.pairs],
        "laws": [
            {
                "text": law.name,
                "holds": law.counterexample is None if law.asked else None,
                "broken": law.broken,
                "counterexample": hand_as_json(law.counterexample),
            }
            for law in proof.laws
        ],
        "gaps": some(proof.gaps),
        "ties": some(proof.ties),
        "by": proof.by,
        "values": [{"points": points, "hands": n, "example": hand_as_json(hand)} for points, n, hand in proof.values],
        "most": None if proof.most is None else {"points": proof.most[0], "example": hand_as_json(proof.most[1])},
        "caps": [
            {
                "text": cap.text,
                "limit": cap.limit,
                "reached": cap.reached,
                "cut": cap.cut,
                "example": hand_as_json(cap.example),
            }
            for cap in proof.caps
        ],
        "settlement": _games_as_json(proof.explored) if proof.explored else None,
        "diagnostics": [as_json(diagnostic, lang) for diagnostic in proof.found],
    }


# ---- same and diff ---------------------------------------------------------------------------------


def show_same(screen: Screen, compared: Compared) -> None:
    """That two rule sets are equal, or the smallest hand on which they differ, with both reasons."""
    if compared.other_space:
        screen.line(screen.say("same.other_space"))
        return
    if compared.equal:
        screen.line(screen.say("same.equal", hands=f"{compared.hands:,}"))
        return
    hand = compared.example
    assert hand
    screen.line(screen.say("same.differ", n=f"{compared.different:,}", hands=f"{compared.among:,}"))
    screen.line(Text("  ").append_text(show_won(screen, hand)))
    for rules in (compared.a, compared.b):
        screen.line()
        screen.line(f"{rules.id}: {rules.title}")
        screen.line(rules.score(hand).why(screen.lang))
        screen.line(f"  {score_command(rules, hand)}")


def same_as_json(compared: Compared) -> dict[str, Any]:
    hand = compared.example
    return {
        "equal": compared.equal,
        "other_space": compared.other_space,
        "hands": compared.hands,
        "different": compared.different,
        "example": hand_as_json(hand),
        "results": [rules.score(hand).as_json() for rules in (compared.a, compared.b)] if hand else [],
    }


def show_diff(screen: Screen, texts: list[TextChange], compared: Compared, flows: FlowsCompared | None) -> None:
    """What changed in the text, and what hands are worth more or less for it."""
    screen.line(f"{compared.a.id}: {compared.a.title}  →  {compared.b.id}: {compared.b.title}")
    _title(screen, "diff.text")
    for change in texts:
        kind = screen.say(f"diff.kind.{change.kind}")
        if change.before is not None and change.after is not None:
            screen.line(f"  ~ {kind} {change.name}")
            screen.line(f"      {change.before}")
            screen.line(f"      {change.after}")
        else:
            sign = "-" if change.after is None else "+"
            said = change.after if change.before is None else change.before
            named = said if said and said.startswith(change.name) else f"{change.name}: {said}"
            screen.line(f"  {sign} {kind} {change.name if change.kind == 'permit' else named}")
    if not texts:
        screen.line("  " + screen.say("prove.none"))
    _show_hands(screen, compared)
    _title(screen, "diff.games")
    if flows is None:
        screen.line("  " + screen.say("diff.other_table"))
    elif flows.found.example is None:
        screen.line("  " + screen.say("diff.same_games", games=f"{flows.games:,}"))
    else:
        facts = {"n": f"{flows.found.games:,}", "games": f"{flows.games:,}", "game": game_text(flows.found.example)}
        screen.line("  " + screen.say("diff.other_games", **facts))
        for rules in (compared.a, compared.b):
            screen.line(f"    {rules.id}: {deltas_of(rules, flows.found.example)}")
    if flows and flows.only.example:
        facts = {"n": f"{flows.only.games:,}", "game": game_text(flows.only.example)}
        screen.line("  " + screen.say("diff.only", **facts))


def _show_hands(screen: Screen, compared: Compared) -> None:
    _title(screen, "diff.hands")
    if compared.other_space:
        screen.line("  " + screen.say("same.other_space"))
        return
    if compared.equal:
        screen.line("  " + screen.say("same.equal", hands=f"{compared.hands:,}"))
        return
    assert compared.example
    differ = Text("  " + screen.say("same.differ", n=f"{compared.different:,}", hands=f"{compared.among:,}"))
    screen.line(differ.append("  ").append_text(show_won(screen, compared.example)))
    for by in ("点炮", "自摸"):
        tally = compared.tally(by)
        facts = {"more": f"{tally.more:,}", "less": f"{tally.less:,}", "same": f"{tally.same:,}"}
        screen.line("  " + screen.say("diff.tally_seen" if compared.asks_the_table else "diff.tally", by=by, **facts))
    changes = compared.changes()
    screen.table([_change_row(screen, change) for change in changes[:MOST_CHANGES]], indent=2)
    if len(changes) > MOST_CHANGES:
        screen.line("  " + screen.say("show.more", n=len(changes) - MOST_CHANGES))


def _change_row(screen: Screen, change: Change) -> list[Text | str]:
    def shown(points: int | None) -> str:
        return screen.say("diff.no_win") if points is None else str(points)

    by = "" if change.by is None else f"{change.by:+d}"
    return [
        f"{shown(change.before)} → {shown(change.after)}",
        by,
        _right(change.hands),
        show_won(screen, change.example),
    ]


def deltas_of(rules: Ruleset, game: TableGame) -> str:
    """What a game comes to for the seats, or that it cannot be."""
    try:
        deltas = rules.settle_table(game).deltas[: game.players]
    except (Impossible, KernelError):
        return "-"
    return " ".join(f"{delta:+d}" for delta in deltas)


def diff_as_json(texts: list[TextChange], compared: Compared, flows: FlowsCompared | None) -> dict[str, Any]:
    """Plain data with stable keys."""
    games = None
    if flows:
        games = {"games": flows.games, "different": some_games(flows.found), "only": some_games(flows.only)}
    return {
        "text": [{"kind": t.kind, "name": t.name, "before": t.before, "after": t.after} for t in texts],
        **same_as_json(compared),
        "changes": [
            {"before": c.before, "after": c.after, "hands": c.hands, "example": hand_as_json(c.example)}
            for c in compared.changes()
        ],
        "settlement": games,
    }
