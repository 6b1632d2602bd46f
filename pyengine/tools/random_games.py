"""Random games that the table allows: for tests of settlement."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from pyengine.engine.ledger import LedgerOracle
from pyengine.engine.ruleset import Ruleset
from pyengine.engine.table import KONGS, Table, TableEvent, TableGame
from pyengine.tools.random_hands import stated


def random_games(rules: Ruleset, n: int, seed: int, length: int = 10) -> Iterator[TableGame]:
    """`n` games of at most `length` events with stated values, most of them to a drawn end."""
    rng = random.Random(seed)
    for _ in range(n):
        game = _game(rules.ledger, rng, length)
        if not rules.flows.values_settle:
            game = replace(game, events=tuple(replace(event, stated=False) for event in game.events))
        yield game


def _game(ledger: LedgerOracle, rng: random.Random, length: int) -> TableGame:
    players = int(ledger.rules.play.get("players", (4,))[0])
    seats = range(players)
    best = [rng.choice((1, 1, 2, 4, 8, 16)) for _ in range(4)]
    game = TableGame(
        (),
        players,
        rng.choice(seats),
        frozenset({rng.choice(seats)}) if rng.random() < 0.1 else frozenset(),
        tuple(rng.choice(seats) for _ in range(rng.choice((0, 0, 1, 2)))),
        tuple(rng.choice(("ready", "not_ready", "pig")) if seat < players else None for seat in range(4)),
        (best[0], best[1], best[2], best[3]),
        (1, 1, 1, 1),
        tuple({name: stated(stance, rng) for name, stance in ledger.rules.stances.items()} for _ in range(4)),
    )
    if ledger.is_over(ledger.table(game), TableEvent("hand_over")):
        game = replace(game, out=frozenset())  # Where the first win ends a hand nobody has won before.
    table = ledger.table(game)
    events: list[TableEvent] = []
    while len(events) < length and not (events and ledger.is_over(table, events[-1])):
        for event in _next(table, rng):
            table.check(len(events), event)
            table.finish(len(events), event)
            events.append(event)
    over = bool(events) and ledger.is_over(table, events[-1])
    if not over and rng.random() < 0.8:
        events.append(TableEvent("drawn"))
    return replace(game, events=tuple(events))


def _next(table: Table, rng: random.Random) -> list[TableEvent]:
    """One event, or a robbed kong with the win that robs it."""
    here = sorted(table.everybody if table.stays else table.everybody - table.won)
    seat = rng.choice(here)
    others = [other for other in here if other != seat]
    draw = rng.random()
    if draw < 0.02:
        return [TableEvent("false_win", seat)]
    if draw < 0.55 or not others:
        kind = rng.choice(KONGS)
        late = frozenset({"late"}) if kind == "added_kong" and rng.random() < 0.2 else frozenset()
        if kind == "added_kong" and others and rng.random() < 0.2:
            robbed = TableEvent(kind, seat, flags=late | {"robbed"})
            return [robbed, _win("robbed_kong", rng, others, seat)]
        source = rng.choice(others) if kind == "direct_kong" and others else None
        if kind == "direct_kong" and source is None:
            kind = "concealed_kong"
        return [TableEvent(kind, seat, source, flags=late)]
    if draw < 0.72:
        return [_win("self_draw", rng, [seat], None, seat in table.kongs)]
    return [_win("discard_win", rng, others, seat, seat in table.kongs)]


def _win(kind: str, rng: random.Random, candidates: list[int], source: int | None, konged: bool = False) -> TableEvent:
    many = 1 if kind == "self_draw" else min(len(candidates), rng.choice((1, 1, 1, 2, 3)))
    winners = tuple(sorted(rng.sample(candidates, many)))
    flags = {flag for flag in ("last_tile", "first_turn") if rng.random() < 0.05}
    if konged and rng.random() < 0.6:
        flags |= {"after_kong"} | ({"kong_chain"} if rng.random() < 0.2 else set())
    worth = [rng.choice((1, 2, 4, 8, 16, 64)) if seat in winners else 0 for seat in range(4)]
    return TableEvent(
        kind, None, source, winners, frozenset(flags), (worth[0], worth[1], worth[2], worth[3]), rng.random() < 0.8
    )
