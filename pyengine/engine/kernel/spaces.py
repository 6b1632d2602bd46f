"""The space of hands, as classes and one by one."""

from __future__ import annotations

from typing import Any, NamedTuple

from pyengine.engine._kernel import ffi, lib
from pyengine.engine.kernel.hands import Kernel
from pyengine.engine.kernel.shared import check, interruptible, suit_states, suit_tables


class SpaceSide(NamedTuple):
    """A rule set in a space of hands: its kernel, its facts by context, (n, 32) int32, and whether it is not told
    the winning tile though it asks for it."""

    kernel: Kernel
    facts: Any
    untold: bool = False


class SpaceTables(NamedTuple):
    """A space of hands as bytes of `CLASS` and, by side, of `PROOF` records and of uint32 numbers by class,
    context and group of tiles left; None of them where there is no space, and `info` says why (`mj_space_info`)."""

    info: dict[str, Any]
    classes: Any
    proofs: list[Any]
    numbers: list[Any]


KEYS: int = lib.MJ_KEYS
"""Numbers of keys: what of a hand decides which facts of a win may go with it (MJ_KEY_… in csrc/mj_space.h)."""
ALONE: int = lib.MJ_KEY_ALONE

CLASS = [
    ("count", "u8"),
    ("prints", "u8", 2),
    ("melds", "u4"),
    ("void", "u1"),
    ("key", "u1"),
    ("copies", "u1", 34),
    ("win", "u1"),
    ("left_matters", "u1"),
    ("left_low", "u1"),
    ("left_high", "u1"),
]
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


def space(
    sides: list[SpaceSide],
    legal: Any,
    claimed: Any,
    meld_types: int,
    voids: bool,
    prints: bool = False,
    bare: bool = False,
) -> SpaceTables:
    """Every hand there is as classes that the sides tell apart; `legal` is (contexts, KEYS) uint8, `claimed`
    one for each context.  With `bare` there are hands without a winning tile beside those that have it."""
    if legal.shape != (len(claimed), KEYS) or any(side.facts.shape[0] != len(claimed) for side in sides):
        raise ValueError("contexts of different numbers")
    spec = ffi.new("mj_space_spec *")
    kept = [ffi.from_buffer("int32_t[]", side.facts) for side in sides]
    for target, side, facts in zip(spec.sides, sides, kept, strict=False):
        target.program, target.facts, target.untold = side.kernel._program, facts, side.untold
    spec.n_sides, spec.n_contexts = len(sides), len(legal)
    spec.legal = truths = ffi.from_buffer("uint8_t[]", legal)
    spec.claimed = others = ffi.from_buffer("uint8_t[]", claimed)
    spec.meld_types, spec.voids, spec.prints, spec.bare = meld_types, voids, prints, bare
    out = ffi.new("mj_space **")
    told = ffi.new("mj_space_info *")
    tables, states = suit_tables(), suit_states()

    def make(stop: Any) -> int:
        spec.stop = stop
        status: int = lib.mj_space_new(tables, states, spec, out, told)
        return status

    check(interruptible(make))
    del truths, others, kept
    info = {name: getattr(told, name) for name, _ in ffi.typeof("mj_space_info").fields}
    info["n_verdicts"], info["group_of"] = list(info["n_verdicts"]), list(info["group_of"])
    if not out[0]:
        return SpaceTables(info, None, [], [])
    made = ffi.gc(out[0], lib.mj_space_free)
    n = info["n_classes"]
    classes = ffi.new("mj_hand_class[]", max(n, 1))
    check(lib.mj_space_classes(made, classes, n))
    proofs, numbers = [], []
    all_cells = n * len(legal) * info["n_groups"]
    for number, count in zip(range(len(sides)), info["n_verdicts"], strict=False):
        found = ffi.new("mj_proof[]", count)
        cells = ffi.new("uint32_t[]", max(all_cells, 1))
        check(lib.mj_space_verdicts(made, number, found, count, cells, all_cells))
        proofs.append(ffi.buffer(found))
        numbers.append(ffi.buffer(cells, 4 * all_cells))
    return SpaceTables(info, ffi.buffer(classes, n * ffi.sizeof("mj_hand_class")), proofs, numbers)


class Parts:
    """Every complete hand of melds and a pair or of pairs, one by one."""

    def __init__(self, kernel: Kernel, meld_types: int) -> None:
        out = ffi.new("mj_parts **")
        check(lib.mj_parts_new(suit_tables(), suit_states(), kernel._program, meld_types, out))
        self._parts = ffi.gc(out[0], lib.mj_parts_free)

    def hands(self, suits: int, first: int, words: Any, honours: Any, melds: Any) -> tuple[int, int]:
        """Writes hands of at most so many suits from number `first` on; how many, and how many there are."""
        n, total = ffi.new("uint32_t *"), ffi.new("uint64_t *")
        columns = [
            ffi.from_buffer(type_, array, require_writable=True)
            for type_, array in (("uint64_t[]", words), ("uint64_t[]", honours), ("uint32_t[]", melds))
        ]
        check(lib.mj_parts_hands(self._parts, suits, first, len(words), *columns, n, total))
        return n[0], total[0]
