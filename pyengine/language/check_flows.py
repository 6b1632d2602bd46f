"""What is wrong with flows: words that no table knows, or not at this event or place, and parties that are none."""

from __future__ import annotations

from collections.abc import Iterator

from pyengine.language import core as c
from pyengine.language import vocabulary
from pyengine.language.diagnostics import Diagnostic, Related
from pyengine.language.source import Span

# Known only when the hands are looked at, at a drawn end and after it.
_AT_THE_END = ("ready", "not_ready", "pig", "best_call", "least_call")
# Seats beside the dealer; beside whom a line of a flow would mean nobody could tell.
_FROM_THE_DEALER = {"prev_seat", "across_seat", "next_seat"}
_ENDS = ("drawn", "hand_over")
# The two sides of one payment, and what belongs to a bet on a seat.
_SIDES = ("payer", "receiver")
_HORSES = ("horse", "bound_seat")


def check_flows(rules: c.Rules) -> Iterator[Diagnostic]:
    """Errors of flows, of 终局 and of 下庄."""
    for flow in rules.flows.values():
        events = [event for event in vocabulary.of_kind("event") if flow.name in fired(rules, event.word)]
        late = [event for event in events if event.english not in _ENDS]
        yield from _expression(rules, flow.when, late, all(line.verb == "pay" for line in flow.transfers))
        for line in flow.transfers:
            for expr, of_payment in _expressions(line):
                yield from _expression(rules, expr, late, of_payment)
            yield from _accounts(line)
            if line.verb == "mirror" and any(event.english != "hand_over" for event in events):
                yield Diagnostic("E418", line.span, {"event": events[0].word})
    for entry in vocabulary.of_kind("reserved"):
        let = rules.let(entry.english) if entry.english in ("hand_over", "next_dealer") else None
        if let:
            yield from _expression(rules, let.value, [entry])
    yield from _counts_of_hands(rules)
    money = rules.let("win_money")
    if money:
        for node, _ in reach(rules, money.value, (), through=frozenset()):
            if isinstance(node, (c.Word, c.StanceRef, c.LetRef)) and node.owner == "payer":
                yield Diagnostic("E420", node.span, {"name": node.span.text})


def fired(rules: c.Rules, event: str) -> tuple[str, ...]:
    return rules.orders[event].flows if event in rules.orders else (event,)


def _expressions(line: c.Transfer) -> Iterator[tuple[c.Expr | None, bool]]:
    """What a line reads, and whether it is read for one payment, which has a payer and a receiver."""
    yield line.party.seats, False
    yield line.other.seats if line.other else None, False
    yield line.amount, True
    yield line.when, line.verb == "pay"
    for condition, _ in line.fund.choices if line.fund else ():
        yield condition, False


def _accounts(line: c.Transfer) -> Iterator[Diagnostic]:
    """Parties that cannot do what the line says: horses only mirror, and nothing but seats has a fund."""
    party, other = line.party.account, line.other.account if line.other else None
    if line.verb == "mirror":
        if (party, other) != _HORSES:
            yield Diagnostic("E424", line.span)
        return
    for side in (line.party, line.other):
        if side and side.account in _HORSES:
            yield Diagnostic("E424", side.span)
    if party == "outside" and (line.verb != "pay" or other == "outside"):
        yield Diagnostic("E425", line.party.span)


def _counts_of_hands(rules: c.Rules) -> Iterator[Diagnostic]:
    """Seats are counted at the table, also where a fan or 胡分 counts them."""
    wins = [event for event in vocabulary.of_kind("event") if event.english in ("self_draw", "discard_win")]
    lets = [rules.let(name) for name in ("win_money", "hand_value", "may_win", "may_wait")]
    exprs = [let.value for let in lets if let]
    exprs += [shape.when for shape in rules.shapes.values() if shape.when]
    exprs += [e for fan in rules.fans.values() for e in (fan.value, fan.when, fan.per) if e]
    exprs += [claim.law for claim in rules.claims]
    for expr in exprs:
        for node, _ in reach(rules, expr, (), frozenset()):
            if isinstance(node, c.CountSeats):
                yield from _expression(rules, node.seats, wins)


def _expression(
    rules: c.Rules, expr: c.Expr | None, events: list[vocabulary.Entry], of_payment: bool = False
) -> Iterator[Diagnostic]:
    """`events` are those that fire the flow before the hands are looked at."""
    yield from _sides(rules, expr, of_payment)
    for node, path in reach(rules, expr, (), rules.told):
        related = tuple(Related(ref.span, "through", {"name": ref.name}) for ref in path)
        if isinstance(node, (c.Word, c.StanceRef, c.LetRef)) and node.owner in _HORSES:
            yield Diagnostic("E424", node.span, {}, related)
        match node:
            case c.Quantified() | c.PatternIn() | c.TileIs():
                yield Diagnostic("E416", node.span, {"name": _short(node.span)}, related)
            case c.SymbolIs() if node.symbol != "kong_kind":
                yield Diagnostic("E416", node.span, {"name": _short(node.span)}, related)
            case c.Word():
                yield from _word(node, events, related)
            case c.LetRef() if node.name == rules.reserved.get("pig") and events:
                yield Diagnostic("E417", node.span, {"name": node.name, "event": events[0].word}, related)
            case c.StanceRef() | c.LetRef() if _number_of_many(rules, node):
                yield Diagnostic("E419", node.span, {"name": node.span.text}, related)


def _sides(rules: c.Rules, expr: c.Expr | None, of_payment: bool) -> Iterator[Diagnostic]:
    """付者的 and 收者的 where there is no payment, or where each seat is looked at in turn."""
    for node, path in reach(rules, expr, (), rules.told):
        if of_payment and isinstance(node, c.CountSeats):
            yield from _sides(rules, node.seats, False)
        elif isinstance(node, (c.Word, c.StanceRef, c.LetRef)) and node.owner in _SIDES and not of_payment:
            related = tuple(Related(ref.span, "through", {"name": ref.name}) for ref in path)
            yield Diagnostic("E423", node.span, {"name": node.span.text}, related)


def _number_of_many(rules: c.Rules, node: c.StanceRef | c.LetRef) -> bool:
    """Whether it is a number of a role that several seats, or none, may have."""
    if node.owner in (None, "payer", "receiver"):
        return False
    return (
        not rules.stances[node.name].is_truth
        if isinstance(node, c.StanceRef)
        else rules.lets[node.name].type != "truth"
    )


def _word(node: c.Word, events: list[vocabulary.Entry], related: tuple[Related, ...]) -> Iterator[Diagnostic]:
    entry = vocabulary.find(node.name, "flag", "number", "role", "seats", "money")
    assert entry, "resolve knows every word"
    at_table = entry.kind in ("role", "seats", "money") or entry.fact or node.name in ("at_once", "wall_left")
    if node.name in _SIDES:
        yield Diagnostic("E423", node.span, {"name": entry.word}, related)
    elif node.name in _HORSES:
        yield Diagnostic("E424", node.span, {}, related)
    elif not at_table:
        yield Diagnostic("E416", node.span, {"name": entry.word}, related)
    elif _FROM_THE_DEALER & {node.name, node.owner} and not any(event.english == "next_dealer" for event in events):
        yield Diagnostic("E422", node.span, {"name": entry.word}, related)
    elif node.name in _AT_THE_END and events:
        yield Diagnostic("E417", node.span, {"name": entry.word, "event": events[0].word}, related)
    elif node.owner not in (None, "payer", "receiver") and not node.is_truth:
        yield Diagnostic("E419", node.span, {"name": node.span.text}, related)


def reach(
    rules: c.Rules,
    expr: c.Expr | None,
    path: tuple[c.LetRef, ...],
    through: frozenset[str],
    seen: set[str] | None = None,
) -> Iterator[tuple[c.Expr, tuple[c.LetRef, ...]]]:
    """Everything an expression reads and through which lets; those in `through` are not entered, others once."""
    seen = set(through) if seen is None else seen
    if expr is None:
        return
    yield expr, path
    if isinstance(expr, c.LetRef) and expr.name not in seen:
        seen.add(expr.name)
        yield from reach(rules, rules.lets[expr.name].value, (*path, expr), through, seen)
    for child in c.children(expr):
        yield from reach(rules, child, path, through, seen)


def _short(span: Span) -> str:
    return " ".join(span.text.split())
