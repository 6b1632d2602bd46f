"""What is right by the grammar and most likely a slip: each lint looks for one kind, in the last file of a chain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pyengine.language import core as c
from pyengine.language import model as m
from pyengine.language import vocabulary
from pyengine.language.check_flows import fired, reach
from pyengine.language.diagnostics import Diagnostic, Related
from pyengine.language.inherit import Table
from pyengine.language.source import Span
from pyengine.language.specialise import COMPARISONS, Folder, Nowhere

# Of these one seat at most is meant; a winner shares a claimed tile with others.
_ONE_SEAT = ("discarder", "konger", "feeder", "offender", "nearest", "first_discarder", "payer", "receiver", "dealer")
_OF_A_HAND = (c.Word, c.StanceRef, c.SymbolIs, c.TileIs, c.Quantified, c.PatternIn, c.CountSeats)
_TOTALS = dict(zip(("fan_total", "multiplier", "point_total", "base_total"), c.UNITS, strict=True))
_VALUED_BY = ("win_money", "hand_value", "may_win", "may_wait")


# ---- 改 without 当 ------------------------------------------------------------------------------


def lint_overrides(rules: c.Rules, table: Table) -> Iterator[Diagnostic]:
    """A changed fan that had a condition and now counts in every hand, always with the same value."""
    for before, after in table.replaced:
        if not isinstance(before, m.FanDecl) or not isinstance(after, m.FanDecl):
            continue
        own = after.span.source is rules.sources[-1]
        if not own or after.when or after.per or not (before.when or before.per):
            continue
        if _is_constant(rules, rules.fans[after.name.text].value):
            lost = [clause for clause, there in (("当", before.when), ("每个", before.per)) if there]
            facts = {"name": after.name.text, "lost": tuple(f"keyword.{clause}" for clause in lost)}
            yield Diagnostic("W606", after.name.span, facts, (Related(before.span, "base"),))


def _is_constant(rules: c.Rules, expr: c.Expr) -> bool:
    """Whether an expression has one value for all hands of a table."""
    return not any(isinstance(node, _OF_A_HAND) for node, _ in reach(rules, expr, (), frozenset()))


# ---- units that are not made into money --------------------------------------------------------


def lint_units(rules: c.Rules) -> Iterator[Diagnostic]:
    """Fans in a unit whose total nothing reads under the options as they stand: what they are worth has no effect."""
    own, money = rules.sources[-1], rules.let("win_money")
    if money is None or not rules.is_playable:
        return
    folder = Folder(rules, {name: option.value for name, option in rules.options.items()})
    read = {_TOTALS[word] for name in _VALUED_BY for word in _words(folder, rules.let(name)) if word in _TOTALS}
    for unit in c.UNITS:
        fans = [fan for fan in rules.fans.values() if fan.unit == unit and _counts(folder, fan)]
        if unit in read or not fans:
            continue
        declared_here = [fan for fan in fans if fan.span.source is own]
        if declared_here:
            first, *others = declared_here
            related = (Related(money.span, "money"), *(Related(fan.span, "again") for fan in others[:2]))
            facts = {"name": first.name, "unit": m.UNIT_SIGNS[unit]}
            yield Diagnostic("W607", first.span, facts, related)
        elif money.span.source is own:
            facts = {"name": fans[0].name, "unit": m.UNIT_SIGNS[unit]}
            yield Diagnostic("W607", money.span, facts, (Related(fans[0].span, "declared"),))


def _counts(folder: Folder, fan: c.Fan) -> bool:
    """Whether a fan may be there under some options, and is worth anything."""
    try:
        when = folder.fold(fan.when) if fan.when else None
        value = folder.fold(fan.value)
    except Nowhere:
        return False
    never = isinstance(when, c.Truth) and not when.value
    return not never and not (isinstance(value, c.Number) and value.value == 0)


def _words(folder: Folder, let: c.Let | None) -> set[str]:
    """The built-in words that a let reads under the folder's options, through other lets too."""
    found: set[str] = set()
    stack = [let.value] if let else []
    seen: set[str] = set()
    while stack:
        try:
            folded = folder.fold(stack.pop())
        except Nowhere:
            continue
        for node in c.walk(folded):
            if isinstance(node, c.Word):
                found.add(node.name)
            elif isinstance(node, c.LetRef) and node.name not in seen:
                seen.add(node.name)
                stack.append(folder.rules.lets[node.name].value)
    return found


# ---- several seats without 每个 -------------------------------------------------------------------


def lint_parties(rules: c.Rules) -> Iterator[Diagnostic]:
    """A party without 每个 that may be several seats: the kernel refuses the game when they are."""
    nearest_wins = rules.play.get("many_winners") == ("nearest_wins",)
    for flow in rules.flows.values():
        events = [event for event in vocabulary.of_kind("event") if flow.name in fired(rules, event.word)]
        alone = nearest_wins or all(event.english == "self_draw" for event in events)
        one = dict.fromkeys([*_ONE_SEAT, *(["winner"] if alone else [])], True)
        for line in flow.transfers:
            if line.verb == "mirror" or _counts_seats(rules, flow.when) or _counts_seats(rules, line.when):
                continue
            for party in (line.party, line.other):
                if party and party.seats and not party.each and not _is_one(rules, party.seats, one):
                    if party.span.source is rules.sources[-1]:
                        text = _text(party.span)
                        each = "each" if {"pays", "refunds", "forwards"} & set(line.span.code.split()) else "每个"
                        yield Diagnostic("W608", party.span, {"party": text}, (), (f"{each} {text}",))


def lint_roles(rules: c.Rules) -> Iterator[Diagnostic]:
    """Lines by which nobody is ever paid: of a role that no event of the flow has, or from a seat to itself."""
    events_of = vocabulary.of_kind("event")
    roles = {role for event in events_of for role in event.roles}
    for flow in rules.flows.values():
        events = [event for event in events_of if flow.name in fired(rules, event.word)]
        nobody = roles - {role for event in events for role in event.roles}
        facts = {"event": " ".join(event.word for event in events)}
        alone = [*_ONE_SEAT, *(["winner"] if all(event.english == "self_draw" for event in events) else [])]
        for line in flow.transfers:
            parties = [party for party in (line.party, line.other) if party and party.seats]
            if line.span.source is not rules.sources[-1] or not events:
                continue
            for party in parties:
                assert party.seats
                if _is_nobody(rules, party.seats, nobody):
                    yield Diagnostic("W610", party.span, {"party": _text(party.span), **facts})
            match [party.seats for party in parties]:
                case [c.Word() as one, c.Word() as other] if one.name == other.name and one.name in alone:
                    yield Diagnostic("W611", line.span, {"party": _text(parties[0].span)})


def _is_nobody(rules: c.Rules, seats: c.Expr, nobody: set[str]) -> bool:
    """Whether a set of seats is empty whatever happens; `nobody` are roles that no seat has."""
    match seats:
        case c.Word():
            return seats.name in nobody
        case c.LetRef():
            return _is_nobody(rules, rules.lets[seats.name].value, nobody)
        case c.Logic(operator="and"):
            return any(_is_nobody(rules, part, nobody) for part in seats.parts)
        case c.Logic():
            return all(_is_nobody(rules, part, nobody) for part in seats.parts)
        case c.If():
            return _is_nobody(rules, seats.then, nobody) and _is_nobody(rules, seats.otherwise, nobody)
    return False


def _counts_seats(rules: c.Rules, condition: c.Expr | None) -> bool:
    """Whether a condition counts seats: then the author has thought of how many there are."""
    return any(isinstance(node, c.CountSeats) for node, _ in reach(rules, condition, (), frozenset()))


def _is_one(rules: c.Rules, seats: c.Expr, one: dict[str, bool]) -> bool:
    """Whether a set of seats has one member at most.  `one` says so of words and lets, and is added to."""
    match seats:
        case c.Word():
            return one.get(seats.name, False)
        case c.LetRef():
            if seats.name not in one:
                one[seats.name] = _is_one(rules, rules.lets[seats.name].value, one)
            return one[seats.name]
        case c.Logic(operator="and"):
            return any(_is_one(rules, part, one) for part in seats.parts)
        case c.If():
            return _is_one(rules, seats.then, one) and _is_one(rules, seats.otherwise, one)
        case c.Truth():
            return not seats.value
    return False


def _text(span: Span) -> str:
    return " ".join(span.text.split())


# ---- more tiles than there are --------------------------------------------------------------------


def lint_tiles(rules: c.Rules) -> Iterator[Diagnostic]:
    """Conditions that no hand can meet: they need tiles, or copies of tiles, that the tile set does not have."""
    if not any(rules.copies):
        return
    for expr in _expressions(rules):
        for node in c.walk(expr):
            if node.span.source is rules.sources[-1] and _never_holds(rules, node):
                yield Diagnostic("W612", node.span, {"text": _text(node.span)})


def _expressions(rules: c.Rules) -> Iterator[c.Expr]:
    """What is asked about hands."""
    yield from (let.value for let in rules.lets.values())
    yield from (shape.when for shape in rules.shapes.values() if shape.when)
    for fan in rules.fans.values():
        yield from (expr for expr in (fan.value, fan.when, fan.per) if expr)
    yield from (claim.law for claim in rules.claims)


def _never_holds(rules: c.Rules, node: c.Expr) -> bool:
    match node:
        case c.Quantified(test=c.CopiesTest(operator=operator, value=c.Number(value=value))):
            return not any(COMPARISONS[operator](n, value) for n in range(max(rules.copies) + 1))
        case c.Quantified(test=c.TileTest(tiles=tiles)):
            return _are_missing(rules, tiles)
        case c.Quantified(test=c.GroupTest(types=types, tiles=tiles)):
            return not types and _are_missing(rules, tiles)
        case c.PatternIn():
            return all(_are_too_many(rules, groups) for groups in node.alternatives)
    return False


def _are_missing(rules: c.Rules, tiles: c.TileClass) -> bool:
    return not tiles.words and not any(rules.copies[kind] for kind in tiles.kinds)


def _are_too_many(rules: c.Rules, groups: tuple[tuple[str, int], ...]) -> bool:
    """Whether groups need more copies of some tile than there are."""
    needed: Counter[int] = Counter()
    for type_, kind in groups:
        needed.update((kind, kind + 1, kind + 2) if type_ == "run" else (kind,) * _COPIES[type_])
    return any(n > rules.copies[kind] for kind, n in needed.items())


_COPIES = {"pair": 2, "triplet": 3, "kong": 4}
