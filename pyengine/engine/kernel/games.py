"""Settlement programs, and games settled by them."""

from __future__ import annotations

import struct
from typing import Any

from pyengine.engine._kernel import ffi, lib
from pyengine.engine.flows import EVENTS, FlowProgram
from pyengine.engine.kernel.shared import NONE, check
from pyengine.engine.ledger import Posting, Settlement
from pyengine.engine.table import TableEvent, TableGame


class FlowKernel:
    """A verified settlement program; may be shared by threads."""

    def __init__(self, program: FlowProgram) -> None:
        self._program = program
        out = ffi.new("mj_flows **")
        where = ffi.new("uint32_t *")
        spec, kept = _flow_spec(program)
        status = lib.mj_flows_new(spec, out, where)
        del kept
        check(status, where[0])
        self._flows = ffi.gc(out[0], lib.mj_flows_free)

    def settle(self, game: TableGame) -> Settlement:
        """Settles one game; KernelError with the number of the event when it cannot be."""
        packed = ffi.new("mj_game *")
        ffi.buffer(packed)[:] = self.pack_game(game)
        events = ffi.new("mj_event[]", max(len(game.events), 1))
        data = b"".join(map(pack_event, game.events))
        ffi.buffer(events, len(data))[:] = data
        out = ffi.new("mj_settlement *")
        capacity = 256
        while True:
            postings = ffi.new("mj_posting[]", capacity)
            status = lib.mj_settle(self._flows, packed, events, len(game.events), postings, capacity, out)
            if status != lib.MJ_TOO_SMALL or capacity > MAX_POSTINGS:
                break
            capacity *= 4
        check(status, out.event)
        return self.settlement(out, postings)

    def settlement(self, out: Any, postings: Any) -> Settlement:
        """An mj_settlement with its postings."""
        return Settlement(
            tuple(out.deltas),
            tuple(self._posting(postings[n]) for n in range(out.n_postings)),
            None if out.next_dealer == NONE else out.next_dealer,
            bool(out.is_over),
        )

    def _posting(self, posting: Any) -> Posting:
        line = self._program.lines[posting.line]
        return Posting(
            posting.event,
            line.flow,
            line.number,
            self._program.tags[posting.tag - 1] if posting.tag else None,
            posting.payer,
            posting.receiver,
            posting.amount,
            ("standing", "returned", "moved")[posting.state],
            None if posting.kong == NONE else posting.kong,
        )

    def pack_game(self, game: TableGame) -> bytes:
        """A game's head as mj_game."""
        stances = [
            int(own.get(name) or 0) if isinstance(own.get(name), int) else 0
            for own in game.stances
            for name in (*self._program.stances, *[""] * (8 - len(self._program.stances)))
        ]
        horses = [*game.horses, 0, 0, 0, 0][:4]
        states = [_STATES.index(state) for state in game.states]
        return _GAME.pack(
            game.players,
            game.dealer,
            sum(1 << seat for seat in game.out),
            len(game.horses),
            *horses,
            *states,
            *stances,
            *game.best_call,
            *game.least_call,
        )

    def settle_batch(self, games: Any, events: Any, starts: Any, deltas: Any, statuses: Any, dealers: Any) -> None:
        """Settles packed games; all arguments are C-contiguous buffers of the sizes that `batch` checks."""
        postings = ffi.new("mj_posting[]", BATCH_POSTINGS)
        n = len(statuses)
        status = lib.mj_settle_batch(
            self._flows,
            ffi.from_buffer("mj_game[]", games),
            ffi.from_buffer("mj_event[]", events),
            ffi.from_buffer("uint64_t[]", starts),
            n,
            len(events),
            ffi.from_buffer("int64_t[]", deltas, require_writable=True),
            ffi.from_buffer("uint8_t[]", statuses, require_writable=True),
            ffi.from_buffer("uint8_t[]", dealers, require_writable=True),
            postings,
            BATCH_POSTINGS,
        )
        check(status)


MAX_POSTINGS = 1 << 20
BATCH_POSTINGS = 1 << 16
_GAME = struct.Struct("=4B4B4B4x32i4q4q")
_EVENT = struct.Struct("=4BHH4q")
_STATES = (None, "ready", "not_ready", "pig", "won")
_FLAGS = {"late": 1, "robbed": 2, "after_kong": 4, "kong_chain": 8, "last_tile": 16, "first_turn": 32}
STATED = 64


def pack_event(event: TableEvent) -> bytes:
    """An event as mj_event."""
    flags = sum(_FLAGS[flag] for flag in event.flags) | (STATED if event.stated else 0)
    return _EVENT.pack(
        EVENTS.index(event.kind),
        NONE if event.seat is None else event.seat,
        NONE if event.source is None else event.source,
        sum(1 << seat for seat in event.winners),
        flags,
        0,
        *event.worth,
    )


def _flow_spec(program: FlowProgram) -> tuple[Any, list[Any]]:
    """The program as mj_flow_spec, and the arrays that must live while it is read."""
    constants = ffi.new("int64_t[]", list(program.constants))
    code = ffi.new("mj_op[]", list(program.code))
    lines = ffi.new("mj_line[]", len(program.lines))
    for target, line in zip(lines, program.lines, strict=True):
        target.verb, target.tag = line.verb, line.tag
        target.party_account, target.other_account = line.party_account, line.other_account
        target.each_party, target.each_other = line.each_party, line.each_other
        target.moved, target.evenly = line.moved, line.evenly
        target.party, target.other = line.party, line.other
        target.when, target.amount = line.when, line.amount
        target.pair_code, target.n_pair_code = line.pair_code
    spec = ffi.new("mj_flow_spec *")
    spec.winners_stay, spec.first_win_ends = program.winners_stay, program.first_win_ends
    spec.firings = list(program.firings)
    spec.over, spec.next_dealer = program.over, program.next_dealer
    spec.is_over, spec.dealer_next = program.is_over, program.dealer_next
    spec.n_registers = program.n_registers
    for name, array in (("constants", constants), ("code", code), ("lines", lines)):
        setattr(spec, name, array)
        setattr(spec, f"n_{name}", len(array))
    return spec, [constants, code, lines]
