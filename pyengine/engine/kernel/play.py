"""Hands played by the kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from pyengine.engine._kernel import ffi, lib
from pyengine.engine.kernel.games import FlowKernel
from pyengine.engine.kernel.hands import Kernel
from pyengine.engine.kernel.shared import check, suit_tables
from pyengine.engine.ledger import Settlement
from pyengine.engine.playprogram import PlayProgram

TablesFor = Callable[[int], tuple[Any, Any]]
"""For so many hands: folds, which may be NULL, and the facts that they were made for."""


class PlayKernel:
    """Hands played by the kernel under one rule set; may be shared by threads.

    A table is bytes (mj_table): whoever keeps an earlier one can go back to it.
    """

    def __init__(
        self,
        program: PlayProgram,
        scoring: Kernel,
        static: Kernel,
        flows: FlowKernel,
        tables: tuple[TablesFor, TablesFor],
    ) -> None:
        self._kept = (scoring, static, flows)  # The book refers to them.
        self._flows = flows
        self._tables = tables
        spec, kept = _book_spec(program)
        out, where = ffi.new("mj_book **"), ffi.new("uint32_t *")
        status = lib.mj_book_new(
            spec,
            scoring._tables,
            _distances(),
            scoring._program,
            static._program,
            flows._flows,
            out,
            where,
        )
        del kept
        check(status, where[0])
        self._book = ffi.gc(out[0], lib.mj_book_free)

    def deal(self, wall: Sequence[int], dealer: int, direction: int) -> bytes:
        """A table dealt from a whole wall."""
        table = ffi.new("mj_table *")
        check(lib.mj_table_deal(self._book, bytes(wall), len(wall), dealer, direction, table))
        return bytes(ffi.buffer(table))

    def look(self, table: bytes) -> Any:
        """The fields of a table (mj_table)."""
        return ffi.cast("mj_table *", ffi.from_buffer(table))

    def legal(self, table: bytes, seat: int) -> int:
        """The legal moves of a seat as a set of numbers of moves; 0 where it is not awaited."""
        moves = ffi.new("uint64_t[]", 4)
        check(lib.mj_table_legal(self._book, self.look(table), seat, moves))
        return sum(moves[i] << 64 * i for i in range(4))

    def apply(self, table: bytes, seat: int, move: int) -> bytes:
        """The table after a move; KernelError when it is not legal."""
        after = ffi.new("mj_table *")
        ffi.buffer(after)[:] = table
        check(lib.mj_table_apply(self._book, after, seat, move))
        return bytes(ffi.buffer(after))

    def settle(self, table: bytes) -> Settlement:
        """Settles a hand that is over."""
        out = ffi.new("mj_settlement *")
        postings = ffi.new("mj_posting[]", PLAY_POSTINGS)
        check(lib.mj_table_settle(self._book, self.look(table), postings, PLAY_POSTINGS, out))
        return self._flows.settlement(out, postings)

    def simulate(self, greedy: bool, seed: int, n: int, played: Any, tables: Any = None) -> None:
        """Plays n hands into an array of PLAYED rows, and where it is given, tables of TABLE_SIZE bytes."""
        postings = ffi.new("mj_posting[]", PLAY_POSTINGS)
        target = ffi.from_buffer("mj_played[]", played, require_writable=True)
        kept = ffi.NULL if tables is None else ffi.from_buffer("mj_table[]", tables, require_writable=True)
        known, held = ffi.new("mj_known *"), [tables_for(n) for tables_for in self._tables]
        (known.folds, facts), (known.wait_folds, wait_facts) = held
        known.facts = ffi.from_buffer("int32_t[]", facts)
        known.wait_facts = ffi.from_buffer("int32_t[]", wait_facts)
        check(lib.mj_simulate(self._book, known, int(greedy), seed, n, target, kept, postings, PLAY_POSTINGS))


PLAY_POSTINGS = 4096
TABLE_SIZE: int = ffi.sizeof("mj_table")
PLAYED_SIZE: int = ffi.sizeof("mj_played")


@cache
def _distances() -> Any:
    """How far suits are from melds, which all books share."""
    out = ffi.new("mj_distances **")
    check(lib.mj_distances_new(suit_tables(), out))
    return ffi.gc(out[0], lib.mj_distances_free)


def _book_spec(program: PlayProgram) -> tuple[Any, list[Any]]:
    """The program as mj_book_spec, and the arrays that must live while it is read."""
    classes = ffi.new("mj_class[]", list(program.classes))
    constants = ffi.new("int64_t[]", list(program.constants))
    code = ffi.new("mj_op[]", list(program.code))
    spec = ffi.new("mj_book_spec *")
    for name, value in program.fields.items():
        setattr(spec, name, value)
    for name in ("steps", "directions", "facts", "static_facts"):
        values = getattr(program, name)
        setattr(spec, name, list(values))
        setattr(spec, f"n_{name}", len(values))
    spec.ranks, spec.n_stances = list(program.ranks), len(program.values)
    spec.n_values, spec.defaults = [len(values) for values in program.values], list(program.defaults)
    for slot, values in enumerate(program.values):
        spec.values[slot] = list(values)
    spec.may, spec.must = list(program.may), list(program.must)
    for name in ("scoring", "static_scoring", "hand_over", "pig"):
        setattr(spec, name, getattr(program, name))
    for name, array in (("classes", classes), ("constants", constants), ("code", code)):
        setattr(spec, name, array)
        setattr(spec, f"n_{name}", len(array))
    return spec, [classes, constants, code]
