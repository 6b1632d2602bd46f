"""The kernel's table beside the plain one: the same moves on the same wall."""

from __future__ import annotations

import random

from pyengine.engine.dealing import deal_wall, shuffled
from pyengine.engine.finish import table_game
from pyengine.engine.flows import EVENTS
from pyengine.engine.kernel import KernelError
from pyengine.engine.moves import Move
from pyengine.engine.play import Play
from pyengine.engine.ruleset import Ruleset

PHASES = ("swap", "void", "declare", "draw", "turn", "claim", "over")
PLACES = {"clockwise": 1, "across": 2, "counter": 3}
_FLAGS = {"late": 1, "after_kong": 4, "kong_chain": 8, "last_tile": 16, "first_turn": 32}


def numbered(play: Play, moves: list[Move]) -> int:
    """Moves as a set of their numbers."""
    tile = play.target[1] if play.target else None
    return sum(1 << move.number(tile) for move in moves)


def table_difference(rules: Ruleset, seed: int, eager: float = 0.7) -> str | None:
    """Plays a hand on both tables; how they differ, or None."""
    try:
        return _difference(rules, seed, eager)
    except KernelError as error:
        return f"seed {seed}: the kernel says {error}"


def _difference(rules: Ruleset, seed: int, eager: float) -> str | None:
    book, kernel = rules.playbook, rules.play_kernel
    rng = random.Random(seed)
    dealer, direction, wall = shuffled(book, seed)
    hands, rest, horses = deal_wall(book, dealer, wall)
    play = Play(book, dealer, hands, rest, direction, horses)
    table = kernel.deal(wall, dealer, PLACES[direction])
    trail: list[str] = []
    while True:
        for seat in range(book.players):
            legal = play.legal(seat) if seat in play.pending else []
            ours, theirs = kernel.legal(table, seat), numbered(play, legal)
            if ours != theirs:
                return f"seed {seed} seat {seat} after {trail[-8:]}: kernel {ours:x}, plain {theirs:x} {play.phase}"
        if play.is_over:
            break
        seat = rng.choice(play.pending)
        legal = play.legal(seat)
        wanted = [move for move in legal if move.verb not in ("discard", "pass")]
        move = rng.choice(wanted if wanted and rng.random() < eager else legal)
        tile = play.target[1] if play.target else None
        trail.append(f"{seat} {move.verb} {move.tile}")
        table = kernel.apply(table, seat, move.number(tile))
        play.apply(move)
    look = kernel.look(table)
    if PHASES[look.phase] != "over":
        return f"seed {seed}: the kernel goes on"
    events = [(EVENTS[e.kind], e.flags, e.winners, tuple(e.worth)) for e in look.events[0 : look.n_events]]
    plain = [
        (
            done.event.kind,
            sum(_FLAGS[flag] for flag in done.event.flags),
            sum(1 << seat for seat in done.event.winners),
            done.event.worth,
        )
        for done in play.done
    ]
    if events != plain:
        return f"seed {seed}: kernel {events}, plain {plain}"
    game = table_game(play)
    if play.done and play.done[-1].event.kind == "drawn":
        states = tuple((None, "ready", "not_ready", "pig", "won")[state] for state in look.states)
        calls = (tuple(look.best_call), tuple(look.least_call))
        if states != game.states or calls != (game.best_call, game.least_call):
            return f"seed {seed}: kernel {states} {calls}, plain {game.states} {game.best_call} {game.least_call}"
    if kernel.settle(table) != rules.ledger.settle(game):
        return f"seed {seed}: {kernel.settle(table)} {rules.ledger.settle(game)}"
    return None
