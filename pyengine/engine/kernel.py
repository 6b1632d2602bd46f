"""The binding to the C kernel: the only module that touches cffi.

It turns `Program` and hands into the structures of `csrc/mj.h` and results back into plain tuples.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from pyengine.engine._kernel import ffi, lib
from pyengine.engine.flows import EVENTS, FlowProgram
from pyengine.engine.ledger import Posting, Settlement
from pyengine.engine.playprogram import PlayProgram
from pyengine.engine.program import STAGES, Program
from pyengine.engine.table import TableEvent, TableGame
from pyengine.notation.hand import Hand
from pyengine.notation.melds import TYPES

NONE = 255
NULL = ffi.NULL
_HAND = struct.Struct("=34s34s8s4B32i")


class KernelError(Exception):
    """A status other than MJ_OK; `status` is its name."""

    def __init__(self, status: int, where: int | None = None) -> None:
        self.status: str = ffi.string(lib.mj_status_name(status)).decode()
        self.where = where
        super().__init__(self.status if where is None else f"{self.status} at {where}")


def _check(status: int, where: int | None = None) -> None:
    if status != lib.MJ_OK:
        raise KernelError(status, where)


@cache
def _tables() -> Any:
    """The tables of suits, which all programs share."""
    out = ffi.new("mj_tables **")
    _check(lib.mj_tables_new(out))
    return ffi.gc(out[0], lib.mj_tables_free)


@cache
def _states() -> Any:
    """The states of suits, which all folds share."""
    out = ffi.new("mj_states **")
    _check(lib.mj_states_new(_tables(), out))
    return ffi.gc(out[0], lib.mj_states_free)


@cache
def _near() -> Any:
    """The tables of nearness, which all programs share."""
    out = ffi.new("mj_near **")
    _check(lib.mj_near_new(_tables(), _states(), out))
    return ffi.gc(out[0], lib.mj_near_free)


def _nearness(n: int) -> tuple[Any, Any]:
    """The states and the tables of nearness; none of them for so few hands that making them does not pay."""
    if n < FEWEST_NEAR and not _near.cache_info().currsize:
        return ffi.NULL, ffi.NULL
    return _states(), _near()


FEWEST_NEAR = 1000

FOLD_REASONS = (
    "folded",
    "sees_suits_together",
    "sees_too_much",
    "odd_shape",
    "odd_tiles",
)
"""mj_fold_reason."""


class Judged(NamedTuple):
    """The kernel's result of one hand.  Groups are (mj_group_type, kind)."""

    win: bool
    complete: bool
    may_wait: bool
    money: int
    totals: tuple[int, int, int, int]
    counts: tuple[int, ...]
    found: tuple[int, ...]
    values: tuple[int, ...]
    shape: int
    groups: tuple[tuple[int, int], ...]
    wait: int
    win_group: int | None


_score_text = lib.mj_score_text
# mj_reading: groups, each as one number, then how many there are, shape, wait and winning group.
_GROUPS_OF = [struct.Struct(f"<{n}H").unpack_from for n in range(15)]
_AFTER_GROUPS = 28
_READING_SIZE = 32
_WORTH = struct.Struct("=q4q3B5x")  # mj_summary from behind its reading up to the fans
_COUNTED = struct.Struct("=qiI")
TYPE_MASK, TILE_SHIFT = 255, 8
"""A group in a result in short: its mj_group_type, and its lowest kind from this bit on."""


def reading_told(told: bytes) -> tuple[tuple[int, ...], int, int, int | None]:
    """Of a result in short the groups as numbers, shape, mj_wait and the place of the winning group."""
    win_group = told[_AFTER_GROUPS + 3]
    groups = _GROUPS_OF[told[_AFTER_GROUPS]](told)
    return groups, told[_AFTER_GROUPS + 1], told[_AFTER_GROUPS + 2], None if win_group == NONE else win_group


def worth_told(told: bytes) -> bytes:
    """Of a result in short what hands have in common: all but the reading."""
    return told[_READING_SIZE:]


def read_worth(told: bytes) -> tuple[int, list[int], bool, bool, list[tuple[int, int, int]]]:
    """That as money, totals, whether the hand wins, whether it is complete, and the value, count and number of
    each fan that counts."""
    money, *totals, win, complete, n = _WORTH.unpack_from(told)
    assert len(told) == _WORTH.size + n * _COUNTED.size
    return money, totals, win == 1, complete == 1, [*_COUNTED.iter_unpack(told[_WORTH.size :])]


class PackedHands:
    """A batch of hands as the kernel reads it (mj_batch).

    The arrays are C-contiguous and of the right sizes; `hands` has checked them.  Where a column is None,
    the value of `all_…` stands for every hand.
    """

    __slots__ = ("kept", "struct")

    def __init__(self, n: int, kinds: int, unit: int, columns: dict[str, Any], everybody: dict[str, int]) -> None:
        self.kept = {name: ffi.from_buffer(_COLUMNS[name], array) for name, array in columns.items()}
        self.struct = ffi.new("mj_batch *", {"n": n, "kinds": kinds, "unit": unit} | everybody | self.kept)

    def tell_facts(self, facts: Any) -> None:
        """Gives it the facts by situation, (384, 32) int32."""
        self.kept["facts"] = self.struct.facts = ffi.from_buffer("int32_t[]", facts)


_COLUMNS = {"words": "uint64_t[]", "melds": "uint32_t[]"} | dict.fromkeys(
    ("rows", "win", "voids", "by", "flags", "seen"), "uint8_t[]"
)


class Kernel:
    """A verified program, ready to judge hands; may be shared by threads."""

    def __init__(self, program: Program) -> None:
        n = len(program.fans)
        # mj_result, of its arrays by fan only what the program has.
        self._result = struct.Struct(f"=3Bx4x5q{n}i{256 - 4 * n}x{n}i{256 - 4 * n}x{n}q{512 - 8 * n}x28s4B")
        self._n_fans = n
        out = ffi.new("mj_program **")
        where = ffi.new("uint32_t *")
        spec, kept = _spec(program)
        status = lib.mj_program_new(spec, out, where)
        del kept  # The program holds copies of its own from here on.
        _check(status, where[0])
        self._program = ffi.gc(out[0], lib.mj_program_free)
        self._tables = _tables()
        self._summaries: list[tuple[Any, Any]] = []  # of calls that have returned, to be used again

    def score(self, hand: Hand, facts: list[int], claimed: bool) -> Judged:
        """The best reading of a hand of hand_size + 1 tiles."""
        result = ffi.new("mj_result *")
        _check(lib.mj_score(self._tables, self._program, _hand(hand, facts, claimed), result))
        return self._read(result)

    def score_text(self, text: bytes, win: int, void: int, claimed: bool, facts: Any) -> bytes:
        """A closed hand in the compact notation scored: its result in short, empty where it is not such a hand.

        `facts` are those of its situation, from `facts_of`.
        """
        try:
            kept = self._summaries.pop()
        except IndexError:  # None yet, or all in use by other threads.
            summary = ffi.new("mj_summary *")
            kept = summary, ffi.buffer(summary)
        size = _score_text(self._tables, self._program, text, len(text), win, void, claimed, facts, kept[0])
        told: bytes = kept[1][:size]
        self._summaries.append(kept)
        return told

    def _read(self, result: Any) -> Judged:
        """A result (mj_result) as a plain tuple."""
        n = self._n_fans
        read = self._result.unpack_from(ffi.buffer(result))
        groups, n_groups, shape, wait, win_group = read[-5:]
        return Judged(
            read[0] == 1,
            read[1] == 1,
            read[2] == 1,
            read[3],
            read[4:8],
            read[8 : 8 + n],
            read[8 + n : 8 + 2 * n],
            read[8 + 2 * n : 8 + 3 * n],
            shape,
            tuple(zip(groups[: 2 * n_groups : 2], groups[1 : 2 * n_groups : 2], strict=True)),
            wait,
            None if win_group == NONE else win_group,
        )

    def waits(self, hand: Hand) -> list[int]:
        """Kinds of the tile set that complete a waiting hand, a fifth copy included."""
        kinds = ffi.new("uint64_t *")
        _check(lib.mj_waits(self._tables, self._program, _hand(hand, [], False), kinds))
        return [kind for kind in range(34) if kinds[0] >> kind & 1]

    def shanten(self, hand: Hand) -> int:
        """Tiles still needed minus one: -1 complete, 0 waiting."""
        out = ffi.new("int *")
        _check(lib.mj_shanten(self._tables, self._program, _hand(hand, [], False), out))
        number: int = out[0]
        return number

    def readings(self, hand: Hand, claimed: bool) -> list[tuple[int, tuple[tuple[int, int], ...], int, int]]:
        """Every reading as (shape, groups, wait, win_group), in the order that settles ties."""
        packed = _hand(hand, [], claimed)
        n = ffi.new("uint32_t *")
        capacity = 64
        while True:
            found = ffi.new("mj_reading[]", capacity)
            status = lib.mj_readings(self._tables, self._program, packed, found, capacity, n)
            if status != lib.MJ_TOO_SMALL:
                break
            capacity = n[0]
        _check(status)
        return [
            (r.shape, tuple((g.type, g.tile) for g in r.groups[0 : r.n_groups]), r.wait, r.win_group)
            for r in found[0 : n[0]]
        ]

    def folds(self, facts: Any, unit: int, uses: int) -> tuple[Any, dict[str, int]]:
        """The program folded into tables for batches that have no more than `uses` says, and what is to be
        said of it (`mj_fold_info`); the tables are NULL where it cannot be folded."""
        out = ffi.new("mj_folds **")
        info = ffi.new("mj_fold_info *")
        table = ffi.from_buffer("int32_t[]", facts)
        near = _near() if uses & lib.MJ_FOR_WON else ffi.NULL  # shared, and never freed before its users
        _check(lib.mj_folds_new(self._tables, _states(), near, self._program, table, unit, uses, out, info))
        folds = ffi.gc(out[0], lib.mj_folds_free) if out[0] else ffi.NULL
        return folds, {name: getattr(info, name) for name, _ in ffi.typeof("mj_fold_info").fields}

    # Batches: the rows from start up to stop.  Each gives a status, and the row that it is about.

    def score_batch(self, hands: PackedHands, folds: Any, start: int, stop: int, columns: Any) -> tuple[int, int]:
        """Scores hands into columns that `worths` gives; `folds` are those of the hands' facts, or NULL."""
        row = ffi.new("uint64_t *")
        status = lib.mj_score_batch(self._tables, self._program, folds, hands.struct, start, stop, columns[0], row)
        return status, row[0]

    def count_batch(self, hands: PackedHands, rows: Any, counts: Any) -> tuple[int, int]:
        """How often each fan counts in some rows, (rows, fans) int32."""
        row = ffi.new("uint64_t *")
        numbers = ffi.from_buffer("uint64_t[]", rows)
        target = ffi.from_buffer("int32_t[]", counts, require_writable=True)
        status = lib.mj_count_batch(self._tables, self._program, hands.struct, numbers, len(rows), target, row)
        return status, row[0]

    def waits_batch(self, hands: PackedHands, start: int, stop: int, masks: Any) -> tuple[int, int]:
        """Kinds that complete each hand, as sets."""
        row = ffi.new("uint64_t *")
        target = ffi.from_buffer("uint64_t[]", masks, require_writable=True)
        near = _nearness(hands.struct.n)
        status = lib.mj_waits_batch(self._tables, self._program, *near, hands.struct, start, stop, target, row)
        return status, row[0]

    def values_batch(
        self, hands: PackedHands, folds: Any, start: int, stop: int, masks: Any, points: Any
    ) -> tuple[int, int]:
        """What each of those kinds makes the hand worth; -1 where it is no wait."""
        row = ffi.new("uint64_t *")
        kinds = ffi.from_buffer("uint64_t[]", masks)
        target = ffi.from_buffer("int64_t[]", points, require_writable=True)
        status = lib.mj_values_batch(self._tables, self._program, folds, hands.struct, start, stop, kinds, target, row)
        return status, row[0]

    def shanten_batch(self, hands: PackedHands, start: int, stop: int, out: Any) -> tuple[int, int]:
        """The shanten of each hand."""
        row = ffi.new("uint64_t *")
        target = ffi.from_buffer("int8_t[]", out, require_writable=True)
        near = _nearness(hands.struct.n)
        status = lib.mj_shanten_batch(self._tables, self._program, *near, hands.struct, start, stop, target, row)
        return status, row[0]


class SpaceSide(NamedTuple):
    """A rule set in a space of hands: its kernel, and its facts by context, (n, 32) int32."""

    kernel: Kernel
    facts: Any


class SpaceTables(NamedTuple):
    """A space of hands as bytes of `CLASS` and, by side, of `PROOF` records and of uint32 numbers by class
    and context; None of them where there is no space, and `info` says why (`mj_space_info`)."""

    info: dict[str, Any]
    classes: Any
    proofs: list[Any]
    numbers: list[Any]


CLASS = [("count", "u8"), ("prints", "u8", 2), ("melds", "u4"), ("void", "u1"), ("key", "u1"), ("copies", "u1", 34)]
PROOF = [
    ("points", "i8"),
    ("totals", "i8", 4),
    ("fans", "u8"),
    ("found", "u8"),
    ("probes", "u8", 4),
    ("ever", "u8", 4),
    ("win", "u4"),
    ("tied", "u4"),
]


def space(sides: list[SpaceSide], legal: Any, meld_types: int, voids: bool, prints: bool = False) -> SpaceTables:
    """Every hand there is as classes that the sides tell apart; `legal` is (contexts, 32) uint8."""
    spec = ffi.new("mj_space_spec *")
    kept = [ffi.from_buffer("int32_t[]", side.facts) for side in sides]
    for target, side, facts in zip(spec.sides, sides, kept, strict=False):
        target.program, target.facts = side.kernel._program, facts
    spec.n_sides, spec.n_contexts = len(sides), len(legal)
    spec.legal = truths = ffi.from_buffer("uint8_t[]", legal)
    spec.meld_types, spec.voids, spec.prints = meld_types, voids, prints
    out = ffi.new("mj_space **")
    told = ffi.new("mj_space_info *")
    _check(lib.mj_space_new(_tables(), _states(), spec, out, told))
    del truths, kept
    info = {name: getattr(told, name) for name, _ in ffi.typeof("mj_space_info").fields}
    info["n_verdicts"] = list(info["n_verdicts"])
    if not out[0]:
        return SpaceTables(info, None, [], [])
    made = ffi.gc(out[0], lib.mj_space_free)
    n = info["n_classes"]
    classes = ffi.new("mj_hand_class[]", max(n, 1))
    _check(lib.mj_space_classes(made, classes, n))
    proofs, numbers = [], []
    for number, count in zip(range(len(sides)), info["n_verdicts"], strict=False):
        found = ffi.new("mj_proof[]", count)
        cells = ffi.new("uint32_t[]", max(n * len(legal), 1))
        _check(lib.mj_space_verdicts(made, number, found, count, cells, n * len(legal)))
        proofs.append(ffi.buffer(found))
        numbers.append(ffi.buffer(cells, 4 * n * len(legal)))
    return SpaceTables(info, ffi.buffer(classes, n * ffi.sizeof("mj_hand_class")), proofs, numbers)


class Parts:
    """Every complete hand of melds and a pair or of pairs, one by one."""

    def __init__(self, kernel: Kernel, meld_types: int) -> None:
        out = ffi.new("mj_parts **")
        _check(lib.mj_parts_new(_tables(), _states(), kernel._program, meld_types, out))
        self._parts = ffi.gc(out[0], lib.mj_parts_free)

    def hands(self, suits: int, first: int, words: Any, honours: Any, melds: Any) -> tuple[int, int]:
        """Writes hands of at most so many suits from number `first` on; how many, and how many there are."""
        n, total = ffi.new("uint32_t *"), ffi.new("uint64_t *")
        columns = [
            ffi.from_buffer(type_, array, require_writable=True)
            for type_, array in (("uint64_t[]", words), ("uint64_t[]", honours), ("uint32_t[]", melds))
        ]
        _check(lib.mj_parts_hands(self._parts, suits, first, len(words), *columns, n, total))
        return n[0], total[0]


def worths(win: Any, totals: Any = None, points: Any = None, fans: Any = None) -> tuple[Any, list[Any]]:
    """Columns to be scored into (mj_worths), and what must live as long."""
    kept = [
        ffi.NULL if array is None else ffi.from_buffer(type_, array, require_writable=True)
        for type_, array in (("uint8_t[]", win), ("int32_t[]", totals), ("int64_t[]", points), ("uint64_t[]", fans))
    ]
    return ffi.new("mj_worths *", kept), kept


def facts_of(facts: list[int]) -> Any:
    """Facts as `score_text` takes them."""
    return ffi.new("int32_t[32]", facts)


def points_of_text(folds: Any, text: bytes, win: int, by: int) -> int:
    """What one payer pays for a closed hand in the compact notation; below 0 where it must be asked otherwise."""
    points: int = lib.mj_points_of_text(folds, text, len(text), win, by)
    return points


def pack(rows: Any, kinds: int, words: Any) -> tuple[int, int]:
    """Packs rows of copies into words; a status and the row that it is about."""
    row = ffi.new("uint64_t *")
    target = ffi.from_buffer("uint64_t[]", words, require_writable=True)
    return lib.mj_pack(ffi.from_buffer("uint8_t[]", rows), kinds, len(rows), target, row), row[0]


class FlowKernel:
    """A verified settlement program; may be shared by threads."""

    def __init__(self, program: FlowProgram) -> None:
        self._program = program
        out = ffi.new("mj_flows **")
        where = ffi.new("uint32_t *")
        spec, kept = _flow_spec(program)
        status = lib.mj_flows_new(spec, out, where)
        del kept
        _check(status, where[0])
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
        _check(status, out.event)
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
        _check(status)


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


def status_name(status: int) -> str:
    """The name of a status of the kernel."""
    name: str = ffi.string(lib.mj_status_name(status)).decode()
    return name


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
        _check(status, where[0])
        self._book = ffi.gc(out[0], lib.mj_book_free)

    def deal(self, wall: Sequence[int], dealer: int, direction: int) -> bytes:
        """A table dealt from a whole wall."""
        table = ffi.new("mj_table *")
        _check(lib.mj_table_deal(self._book, bytes(wall), len(wall), dealer, direction, table))
        return bytes(ffi.buffer(table))

    def look(self, table: bytes) -> Any:
        """The fields of a table (mj_table)."""
        return ffi.cast("mj_table *", ffi.from_buffer(table))

    def legal(self, table: bytes, seat: int) -> int:
        """The legal moves of a seat as a set of numbers of moves; 0 where it is not awaited."""
        moves = ffi.new("uint64_t[]", 4)
        _check(lib.mj_table_legal(self._book, self.look(table), seat, moves))
        return sum(moves[i] << 64 * i for i in range(4))

    def apply(self, table: bytes, seat: int, move: int) -> bytes:
        """The table after a move; KernelError when it is not legal."""
        after = ffi.new("mj_table *")
        ffi.buffer(after)[:] = table
        _check(lib.mj_table_apply(self._book, after, seat, move))
        return bytes(ffi.buffer(after))

    def settle(self, table: bytes) -> Settlement:
        """Settles a hand that is over."""
        out = ffi.new("mj_settlement *")
        postings = ffi.new("mj_posting[]", PLAY_POSTINGS)
        _check(lib.mj_table_settle(self._book, self.look(table), postings, PLAY_POSTINGS, out))
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
        _check(lib.mj_simulate(self._book, known, int(greedy), seed, n, target, kept, postings, PLAY_POSTINGS))


PLAY_POSTINGS = 4096
TABLE_SIZE: int = ffi.sizeof("mj_table")
PLAYED_SIZE: int = ffi.sizeof("mj_played")


@cache
def _distances() -> Any:
    """How far suits are from melds, which all books share."""
    out = ffi.new("mj_distances **")
    _check(lib.mj_distances_new(_tables(), out))
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


def count_hands() -> dict[str, int]:
    """The kernel's own counts of the space of hands (`mj_counts`)."""
    counts = ffi.new("mj_counts *")
    _check(lib.mj_count_hands(_tables(), counts))
    return {name: getattr(counts, name) for name, _ in ffi.typeof("mj_counts").fields}


def closed_hands(first: int, capacity: int) -> list[bytes]:
    """Rows of 27 copies: the closed 14-tile hands of at most two suits from number `first` on."""
    rows = ffi.new("uint8_t[]", 27 * capacity)
    n = ffi.new("uint32_t *")
    _check(lib.mj_closed_hands(_tables(), first, capacity, rows, n))
    data = bytes(ffi.buffer(rows, 27 * n[0]))
    return [data[i : i + 27] for i in range(0, len(data), 27)]


def _hand(hand: Hand, facts: list[int], claimed: bool) -> Any:
    melds = bytearray(8)
    for i, meld in enumerate(hand.melds):
        melds[2 * i] = TYPES[meld.type]
        melds[2 * i + 1] = meld.tile
    packed = ffi.new("mj_hand *")
    ffi.buffer(packed)[:] = _HAND.pack(
        bytes(hand.concealed),
        bytes(hand.seen),
        bytes(melds),
        len(hand.melds),
        NONE if hand.win is None else hand.win,
        NONE if hand.void is None else hand.void,
        claimed,
        *facts,
        *([0] * (32 - len(facts))),
    )
    return packed


def _spec(program: Program) -> tuple[Any, list[Any]]:
    """The program as mj_spec, and the arrays that must live while it is read."""
    shapes = ffi.new("mj_shape[]", len(program.shapes))
    for target, shape in zip(shapes, program.shapes, strict=True):
        target.n_melds, target.n_runs, target.n_triplets = shape.melds, shape.runs, shape.triplets
        target.n_pairs, target.n_twins = shape.pairs, shape.twins
        target.n_each, target.n_singles = len(shape.each_of), len(shape.singles)
        target.each_of = list(shape.each_of)
        target.singles = [count for count, _ in shape.singles]
        target.single_of = [kinds for _, kinds in shape.singles]
        target.when = lib.MJ_NO_REGISTER if shape.when is None else shape.when
    features = ffi.new("mj_feature[]", [(f.tiles, f.domain, f.types, f.kind, f.low, f.high) for f in program.features])
    alternatives = ffi.new(
        "mj_alternative[]", [(list(groups), len(groups), pattern) for pattern, groups in program.alternatives]
    )
    constants = ffi.new("int64_t[]", list(program.constants))
    code = [ffi.new("mj_op[]", list(program.code[stage])) for stage in STAGES]
    fans = ffi.new("mj_fan[]", [(f.count, f.value, f.unit, f.late, f.limit) for f in program.fans])
    absorptions = ffi.new("mj_absorption[]", list(program.absorptions))
    picks = ffi.new("mj_pick[]", [(fans,) for fans in program.picks])
    spec = ffi.new("mj_spec *")
    spec.copies = bytes(program.copies)
    spec.hand_size = program.hand_size
    spec.money, spec.may_win, spec.may_wait = program.money, program.may_win, program.may_wait
    spec.n_registers = program.n_registers
    probes = ffi.new("uint16_t[]", list(program.probes))
    arrays = {
        "shapes": shapes,
        "features": features,
        "alternatives": alternatives,
        "constants": constants,
        **{f"{stage}_code": block for stage, block in zip(STAGES, code, strict=True)},
        "fans": fans,
        "absorptions": absorptions,
        "picks": picks,
        "probes": probes,
    }
    for name, array in arrays.items():
        setattr(spec, name, array)
        setattr(spec, f"n_{name}", len(array))
    return spec, list(arrays.values())
