"""What is wrong with a rule set as a whole: cycles, words out of place, what nothing reads or fires."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pyengine.language import core as c
from pyengine.language import model as m
from pyengine.language import vocabulary
from pyengine.language.check_flows import check_flows
from pyengine.language.diagnostics import Diagnostic, Related
from pyengine.language.inherit import Table
from pyengine.language.specialise import nowhere_in
from pyengine.language.values import show_value

MAX_TRIES = 1000  # choices of options that are tried for 无 in arithmetic
_WAIT_WORDS = ("wait_count", "waits_left")
_OF_HANDS = frozenset(
    ("closed", "no_other_fan", "win_shape", "wait_kind")
)  # words of hands that are flags and symbols, too


def check(rules: c.Rules) -> list[Diagnostic]:
    """Errors that make a resolved rule set unusable."""
    return [
        *_misplaced_words(rules),
        *_absorption(rules),
        *_unfired_flows(rules),
        *check_flows(rules),
        *_missing(rules),
    ]


def lint(rules: c.Rules, table: Table, used: set[tuple[str, str]]) -> list[Diagnostic]:
    """What an author should look at, in the last file of the chain."""
    from pyengine.language.lint import lint_overrides, lint_parties, lint_roles, lint_tiles, lint_units

    return [
        *_unused(rules, table, used),
        *lint_overrides(rules, table),
        *lint_units(rules),
        *lint_parties(rules),
        *lint_roles(rules),
        *lint_tiles(rules),
        *_unlimited(rules),
    ]


# ---- words out of place ------------------------------------------------------------------------


def _misplaced_words(rules: c.Rules) -> Iterator[Diagnostic]:
    for shape in rules.shapes.values():
        yield from _words(rules, shape.when, final=False, waits=False)
        yield from _told(rules, shape.when)
    for fan in rules.fans.values():
        for expr in (fan.value, fan.when, fan.per):
            yield from _words(rules, expr, final=False, fan=True)
    for name in ("win_money", "hand_value", "may_win", "may_wait"):
        let = rules.let(name)
        yield from _words(rules, let.value if let else None)
    for claim in rules.claims:
        yield from _words(rules, claim.law)


def _words(
    rules: c.Rules, expr: c.Expr | None, final: bool = True, waits: bool = True, fan: bool = False
) -> Iterator[Diagnostic]:
    """Words that are not known where a hand is judged.

    final: totals are known; waits: waits may be asked; fan: 无他番 has a meaning.
    """
    for node, path in _reach(rules, expr, (), set()):
        entry = _entry(node)
        if entry is None:
            continue
        related = tuple(Related(ref.span, "through", {"name": ref.name}) for ref in path)
        if not entry.hand:
            yield Diagnostic("E334", node.span, {"name": entry.word}, related)
        elif entry.stage == "final" and not final:
            yield Diagnostic("E335", node.span, {"name": entry.word}, related)
        elif entry.english in _WAIT_WORDS and not waits:
            yield Diagnostic("E336", node.span, {"name": entry.word}, related)
        elif entry.english == "no_other_fan" and not fan:
            yield Diagnostic("E338", node.span, {"name": entry.word}, related)
        elif entry.english == "void_tile" and not _counts_void_tiles(node):
            yield Diagnostic("E342", node.span, {"name": entry.word}, related)


def _told(rules: c.Rules, expr: c.Expr | None) -> Iterator[Diagnostic]:
    """What is told with a win or by the players: it is not known when a shape says what a hand waits for."""
    for node, path in _reach(rules, expr, (), set()):
        match node:
            case c.StanceRef():
                name = node.name
            case c.CountSeats():
                name = node.span.text
            case c.Word() | c.SymbolIs() if (entry := _entry(node)) and entry.english not in _OF_HANDS:
                name = entry.word
                if not entry.hand or entry.kind not in ("flag", "role", "seats", "symbol"):
                    continue
            case _:
                continue
        related = tuple(Related(ref.span, "through", {"name": ref.name}) for ref in path)
        yield Diagnostic("E343", node.span, {"name": name}, related)


def _counts_void_tiles(node: c.Expr) -> bool:
    """Whether a class with the void suit says only which tiles of the hand are of it: the one thing that is counted."""
    match node:
        case c.Quantified(domain="tile", test=c.TileTest(tiles=tiles)):
            return not tiles.kinds
    return False


def _reach(
    rules: c.Rules, expr: c.Expr | None, path: tuple[c.LetRef, ...], seen: set[str]
) -> Iterator[tuple[c.Expr, tuple[c.LetRef, ...]]]:
    """Everything an expression reads, and through which lets; each let is followed once.

    Seats are counted at the table, where every word of a seat is known.
    """
    if expr is None:
        return
    yield expr, path
    if isinstance(expr, c.CountSeats):
        return
    if isinstance(expr, c.LetRef):
        if expr.name not in seen:
            seen.add(expr.name)
            yield from _reach(rules, rules.lets[expr.name].value, (*path, expr), seen)
    for child in c.children(expr):
        yield from _reach(rules, child, path, seen)


def _entry(node: c.Expr) -> vocabulary.Entry | None:
    match node:
        case c.Word():
            return vocabulary.find(node.name, "flag", "number", "role", "seats", "money")
        case c.SymbolIs():
            return vocabulary.find(node.symbol, "symbol")
        case c.TileIs():
            return _least_known([vocabulary.find(node.tile, "symbol"), *_classes(node.tiles)])
        case c.Quantified(test=c.GroupTest(tiles=tiles) | c.TileTest(tiles=tiles)):
            return _least_known(_classes(tiles))
    return None


def _classes(tiles: c.TileClass) -> list[vocabulary.Entry | None]:
    return [vocabulary.find(word, "class") for word in sorted(tiles.words)]


def _least_known(entries: list[vocabulary.Entry | None]) -> vocabulary.Entry | None:
    """A word that a hand alone knows nothing of, if there is one among several."""
    return min((entry for entry in entries if entry), key=lambda entry: entry.hand, default=None)


# ---- absorption -----------------------------------------------------------------------------------


def _absorption(rules: c.Rules) -> Iterator[Diagnostic]:
    for fan in rules.fans.values():
        for absorbed in fan.without:
            if fan.late and not rules.fans[absorbed.fan].late:
                yield Diagnostic("E408", absorbed.span, {"name": fan.name, "absorbed": absorbed.fan})
    for pick in rules.picks.values():
        for name in pick.fans:
            if rules.fans[name].late:
                place = Related(rules.fans[name].span, "declared")
                yield Diagnostic("E414", pick.span, {"name": pick.name, "fan": name}, (place,))
    _, cycle = absorption_order(rules.fans.values())
    if cycle:
        first = rules.fans[cycle[0]]
        related = tuple(Related(rules.fans[name].span, "cycle", {"name": name}) for name in cycle[1:-1])
        yield Diagnostic("E402", first.span, {"cycle": " → ".join(cycle)}, related)


def absorption_order(fans: Iterable[c.Fan]) -> tuple[list[str], list[str]]:
    """Fans in an order in which each comes after all that may absorb it; or a cycle of names."""
    absorbs = {fan.name: [a.fan for a in fan.without] for fan in fans}
    done: dict[str, bool] = {}
    order: list[str] = []
    for start in absorbs:
        stack = [(start, iter(absorbs[start]))]
        if start in done:
            continue
        done[start] = False
        while stack:
            name, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                done[name] = True
                order.append(name)
                stack.pop()
            elif following not in done:
                done[following] = False
                stack.append((following, iter(absorbs[following])))
            elif not done[following]:
                path = [n for n, _ in stack]
                return [], [*path[path.index(following) :], following]
    return order[::-1], []


# ---- settlement and completeness ----------------------------------------------------------------


def _unfired_flows(rules: c.Rules) -> Iterator[Diagnostic]:
    events = {e.word for e in vocabulary.of_kind("event")}
    fired = {flow for order in rules.orders.values() for flow in order.flows}
    fired |= events - set(rules.orders)
    own_orders = [order for order in rules.orders.values() if order.span.source is rules.sources[-1]]
    for flow in rules.flows.values():
        if flow.name not in fired and flow.span.source is not rules.sources[-1] and own_orders:
            # An order of this file has left out a flow of its base: here is where the author can say so.
            facts = {"name": flow.name}
            drop = (f"删 结算 {flow.name}",)
            yield Diagnostic("E421", own_orders[0].span, facts, (Related(flow.span, "base"),), drop)
        elif flow.name in rules.orders and flow.name not in fired:
            related = (Related(rules.orders[flow.name].span, "order"),)
            yield Diagnostic("E415", flow.span, {"name": flow.name}, related)
        elif flow.name not in fired:
            yield Diagnostic("E404", flow.span, {"name": flow.name})


def _missing(rules: c.Rules) -> Iterator[Diagnostic]:
    """What a file that can be played must have; a file without 手牌 is a parent."""
    head = rules.sources[-1].head
    if rules.hand_size is None:
        return
    if "win_money" not in rules.reserved:
        yield Diagnostic("E405", head, {"name": "胡分"})
    if not rules.shapes:
        yield Diagnostic("E409", head)
    if not any(rules.copies):
        yield Diagnostic("E410", head)
    for shape in rules.shapes.values():
        for kinds in (*shape.each_of, *(s.kinds for s in shape.singles)):
            if any(not rules.copies[kind] for kind in kinds):
                yield Diagnostic("E411", shape.span, {"name": shape.name})
                break


# ---- lint ------------------------------------------------------------------------------------------


def _unused(rules: c.Rules, table: Table, used: set[tuple[str, str]]) -> Iterator[Diagnostic]:
    own = rules.sources[-1]
    reserved = {e.word for e in vocabulary.of_kind("reserved")}
    codes: dict[type, str] = {m.LetDecl: "W601", m.OptionDecl: "W602", m.KindDecl: "W603", m.ShapeDecl: ""}
    for space in ("word", "kind"):
        for name, declaration in table.space(space).items():
            code = codes[type(declaration)]
            if declaration.span.source is not own or (space, name) in used or name in reserved:
                continue
            yield Diagnostic(code, declaration.name.span, {"name": name})


def _unlimited(rules: c.Rules) -> Iterator[Diagnostic]:
    """无 in arithmetic, for each option that may be 无 and each value of each other option, one at a time."""
    standing = {name: option.value for name, option in rules.options.items()}
    seen: set[tuple[int, int]] = set()
    tries = 0
    for unlimited, limited in rules.options.items():
        if None not in limited.alternatives:
            continue
        for name, option in {unlimited: limited, **rules.options}.items():
            for alternative in option.alternatives if option is not limited else (None,):
                tries += 1
                if tries > MAX_TRIES:
                    return
                value = alternative.low if isinstance(alternative, c.Range) else alternative
                for diagnostic in nowhere_in(rules, {**standing, name: value, unlimited: None}):
                    assert diagnostic.span
                    if diagnostic.facts["option"] != unlimited:
                        continue  # Its turn comes, or has come.
                    place = (diagnostic.span.start, id(diagnostic.span.source))
                    if place in seen:
                        continue
                    seen.add(place)
                    settings = dict.fromkeys([f"{unlimited} = 无", f"{name} = {show_value(value, option.unit)}"])
                    facts = {**diagnostic.facts, "settings": ", ".join(settings)}
                    yield Diagnostic("E337", diagnostic.span, facts, diagnostic.related)
