"""Programs of rule files, and hands judged by them: one by one and in batches."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

from pyengine.engine._kernel import ffi, lib
from pyengine.engine.kernel.shared import NONE, NULL, check, near_tables, nearness, suit_states, suit_tables
from pyengine.engine.program import STAGES, Program
from pyengine.notation.hand import Hand
from pyengine.notation.melds import TYPES

_HAND = struct.Struct("=34s34s8s4B32i")
_score_text = lib.mj_score_text  # looked up once: it is called for every single hand

NEVER = 127  # no shape goes with the melds
FEWEST_IN_COLUMNS: int = lib.MJ_FEWEST_IN_COLUMNS
"""Rows of a call that are judged in columns where they are not looked up; fewer are judged one by one."""

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
        check(status, where[0])
        self._program = ffi.gc(out[0], lib.mj_program_free)
        self._tables = suit_tables()
        self._asked = 0  # for distances of single hands
        self._summaries: list[tuple[Any, Any]] = []  # of calls that have returned, to be used again

    def score(self, hand: Hand, facts: list[int], claimed: bool) -> Judged:
        """The best reading of a hand of hand_size + 1 tiles."""
        result = ffi.new("mj_result *")
        check(lib.mj_score(self._tables, self._program, _hand(hand, facts, claimed), result))
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

    @property
    def asks_win(self) -> bool:
        """Whether the program asks for the winning tile."""
        return bool(lib.mj_program_asks(self._program) & 1)

    @property
    def asks_claim(self) -> bool:
        """Whether the program asks if the winning tile was another's."""
        return bool(lib.mj_program_asks(self._program) & 2)

    def waits(self, hand: Hand) -> list[int]:
        """Kinds of the tile set that complete a waiting hand, a fifth copy included."""
        kinds = ffi.new("uint64_t *")
        check(lib.mj_waits(self._tables, self._program, _hand(hand, [], False), kinds))
        return [kind for kind in range(34) if kinds[0] >> kind & 1]

    def shanten(self, hand: Hand, tables: bool = True) -> int:
        """Tiles still needed minus one: -1 complete, 0 waiting, 127 never; `tables` may be used once there are
        many hands."""
        out = ffi.new("int *")
        self._asked += 1
        near = nearness(self._asked) if tables else (NULL, NULL)
        check(lib.mj_shanten_known(self._tables, self._program, *near, _hand(hand, [], False), out))
        number: int = out[0]
        return NEVER if number == NONE else number

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
        check(status)
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
        near = near_tables() if uses & lib.MJ_FOR_WON else ffi.NULL  # shared, and never freed before its users
        check(lib.mj_folds_new(self._tables, suit_states(), near, self._program, table, unit, uses, out, info))
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
        near = nearness(hands.struct.n)
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
        near = nearness(hands.struct.n)
        status = lib.mj_shanten_batch(self._tables, self._program, *near, hands.struct, start, stop, target, row)
        return status, row[0]


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


def count_hands() -> dict[str, int]:
    """The kernel's own counts of the space of hands (`mj_counts`)."""
    counts = ffi.new("mj_counts *")
    check(lib.mj_count_hands(suit_tables(), counts))
    return {name: getattr(counts, name) for name, _ in ffi.typeof("mj_counts").fields}


def closed_hands(first: int, capacity: int) -> list[bytes]:
    """Rows of 27 copies: the closed 14-tile hands of at most two suits from number `first` on."""
    rows = ffi.new("uint8_t[]", 27 * capacity)
    n = ffi.new("uint32_t *")
    check(lib.mj_closed_hands(suit_tables(), first, capacity, rows, n))
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
