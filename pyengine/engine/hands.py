"""Many hands at once: numpy in, numpy out, judged in C without the interpreter's lock.

Hands are rows of copies, (n, 27) or (n, 34) uint8, or packed words, (n,) uint64 or (n, 2) uint64.
A word holds three suits of 21 bits, each a number of nine digits in base 5, rank 1 the highest digit;
the second word holds the honours.  Adding a tile is adding a constant.

Melds are (n,) uint32, a byte for each of up to four melds from the lowest: 0 where there are no more,
else 1 + 34 k + kind with k = 0 for 吃 (kind is its lowest tile), 1 碰, 2 直杠, 3 巴杠, 4 暗杠.

How a hand was won is `by`, (n,) uint8: 0 自摸, 1 点炮, 2 抢杠, and `flags`, (n,) uint8: 1 杠后, 2 连杠,
4 末张, 8 首巡, 16 庄家, and 32 times the kong before, 1 直杠, 2 巴杠, 3 暗杠.  Whether these facts go
together is not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pyengine.engine import kernel as binding
from pyengine.engine.kernel import NONE, Columns, Kernel
from pyengine.engine.program import Program
from pyengine.engine.situation import KONG_NUMBERS, alone
from pyengine.language import core as c
from pyengine.language import vocabulary
from pyengine.language.diagnostics import InputError, refuse
from pyengine.notation import melds as notation
from pyengine.notation import tiles
from pyengine.notation.hand import Hand
from pyengine.notation.melds import Meld

if TYPE_CHECKING:
    from pyengine.engine.ruleset import Ruleset

BY = ("自摸", "点炮", "抢杠")
FLAGS = ("杠后", "连杠", "末张", "首巡", "庄家")
KONG_SHIFT = 5
SITUATIONS = len(BY) << 7
MAX_THREADS = 256
MAX_MELDS = 4
_MELD_TYPES = ("吃", "碰", "直杠", "巴杠", "暗杠")
_KONG_WORDS = (None, *KONG_NUMBERS)

Array = NDArray[Any]


@dataclass(frozen=True)
class ScoredHands:
    """What hands are worth; a hand that does not win has zeros.

    win     (n,) bool
    total   (n,) int32, the total of the unit that the rules count first (番 or 倍), before the cap
    points  (n,) int64, what one payer pays
    fans    (n,) uint64, a bit for each fan that counts, in the order of `Ruleset.fan_names`
    """

    win: NDArray[np.bool_]
    total: NDArray[np.int32]
    points: NDArray[np.int64]
    fans: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.win)


@dataclass(frozen=True)
class WaitsOfHands:
    """The waits of hands with their values.

    mask    (n,) uint64, bit k set where kind k completes the hand
    points  (n, 27 or 34) int64, what one payer pays for a win with that kind by 点炮, or where only an own
            draw may win, by 自摸, without the fans of a situation; -1 where it is no wait by the rules
    """

    mask: NDArray[np.uint64]
    points: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.mask)


# ---- arguments ----------------------------------------------------------------------------------


def _wrong(code: str, name: str, wanted: str, found: object) -> InputError:
    shown = f"{found.dtype} {found.shape}" if isinstance(found, np.ndarray) else f"{type(found).__name__} {found!r}"
    return refuse(code, name=name, wanted=wanted, found=shown)


@dataclass(frozen=True)
class _Hands:
    words: Array | None
    rows: Array | None
    kinds: int

    def count(self) -> int:
        array = self.rows if self.words is None else self.words
        return 0 if array is None else len(array)


def _hands(hands: object) -> _Hands:
    if isinstance(hands, np.ndarray):
        if hands.dtype == np.uint8 and hands.ndim == 2 and hands.shape[1] in (27, 34):
            return _Hands(None, np.ascontiguousarray(hands), hands.shape[1])
        if hands.dtype == np.uint64 and (hands.ndim == 1 or (hands.ndim == 2 and hands.shape[1] == 2)):
            return _Hands(np.ascontiguousarray(hands), None, 27 if hands.ndim == 1 else 34)
    raise _wrong("E934", "hands", "uint8 (n, 27), uint8 (n, 34), uint64 (n,), uint64 (n, 2)", hands)


def _column(name: str, given: object, n: int, dtype: type[np.generic]) -> Array:
    if isinstance(given, np.ndarray) and given.dtype == dtype and given.shape == (n,):
        return np.ascontiguousarray(given)
    raise _wrong("E935", name, f"{np.dtype(dtype)} ({n},)", given)


def _byte_or_all(name: str, given: object, n: int, read: Callable[[Any], int]) -> tuple[Array | None, int]:
    """A column of bytes, or one value for all hands."""
    if isinstance(given, np.ndarray):
        return _column(name, given, n, np.uint8), NONE
    return None, read(given)


def _read_by(given: object) -> int:
    entry = vocabulary.find(str(given), "flag")
    if entry is None or entry.word not in BY:
        raise refuse("E936", name="by", value=given, values=" ".join(BY))
    return BY.index(entry.word)


def _read_flags(given: object) -> int:
    words = given.replace(",", " ").split() if isinstance(given, str) else given
    if not isinstance(words, Iterable):
        raise refuse("E936", name="flags", value=given, values=" ".join(FLAGS))
    flags = 0
    for word in words:
        entry = vocabulary.find(str(word), "flag", "role")
        if entry is None or entry.word not in FLAGS:
            raise refuse("E936", name="flags", value=word, values=" ".join(FLAGS))
        flags |= 1 << FLAGS.index(entry.word)
    return flags


def _read_win(given: object) -> int:
    if given is None:
        return NONE
    kinds = tiles.kinds_in(given) if isinstance(given, str) else None
    if kinds is None or len(kinds) != 1:
        raise refuse("E936", name="win", value=given, values="1m … 7z")
    return int(kinds[0])


def _read_void(given: object) -> int:
    if given is None:
        return NONE
    suit = tiles.parse_suit(given.strip()) if isinstance(given, str) else None
    if suit not in (0, 1, 2):
        raise refuse("E936", name="void", value=given, values="m p s")
    return int(suit)


def pack(hands: Array) -> NDArray[np.uint64]:
    """Rows of copies as packed words: (n, 27) uint8 become (n,) uint64, (n, 34) become (n, 2).

    InputError that names the first row with more than four of a kind.
    """
    read = _hands(hands)
    if read.rows is None:
        raise _wrong("E934", "hands", "uint8 (n, 27), uint8 (n, 34)", hands)
    words = np.empty(read.count() if read.kinds == 27 else (read.count(), 2), np.uint64)
    _named(binding.pack(read.rows, read.kinds, words))
    return words


def pack_melds(melds: Iterable[str | Sequence[str | Meld]]) -> NDArray[np.uint32]:
    """The melds of each hand (`碰 5s 暗杠 7s`, or a list of melds) as words of melds."""
    words = []
    for row, own in enumerate(melds):
        found: list[Meld] = []
        for text in [own] if isinstance(own, str) else own:
            found += [text] if isinstance(text, Meld) else _read_melds(text)
        if len(found) > MAX_MELDS:
            raise refuse("E940", row=row)
        codes = [1 + 34 * _MELD_TYPES.index(meld.type) + meld.tile for meld in found]
        words.append(sum(code << 8 * place for place, code in enumerate(codes)))
    return np.array(words, np.uint32)


def _read_melds(text: str) -> list[Meld]:
    found, rest, wrong = notation.read(text, tiles.here(text, "melds"))
    if wrong:
        raise InputError(wrong)
    return found if not rest else [notation.parse_meld(text)]


# ---- a batch ------------------------------------------------------------------------------------


class Batch:
    """Checked arguments of a batch call."""

    def __init__(
        self,
        rules: Ruleset,
        hands: object,
        melds: object = None,
        win: object = None,
        by: object = "点炮",
        flags: object = (),
        void: object = None,
        seen: object = None,
        threads: int = 1,
    ) -> None:
        read = _hands(hands)
        self.n = n = read.count()
        self.kinds = read.kinds
        if not isinstance(threads, int) or not 1 <= threads <= MAX_THREADS:
            raise refuse("E936", name="threads", value=threads, values=f"1 … {MAX_THREADS}")
        self.threads = min(threads, max(n, 1))
        meld_words = None if melds is None else melds if isinstance(melds, np.ndarray) else pack_melds(melds)  # type: ignore[arg-type]
        win_column, all_win = _byte_or_all("win", win, n, _read_win)
        void_column, all_voids = _byte_or_all("void", void, n, _read_void)
        by_column, all_by = _byte_or_all("by", by, n, _read_by)
        flag_column, all_flags = _byte_or_all("flags", flags, n, _read_flags)
        if seen is not None:
            if not isinstance(seen, np.ndarray) or seen.dtype != np.uint8 or seen.shape != (n, self.kinds):
                raise _wrong("E935", "seen", f"uint8 ({n}, {self.kinds})", seen)
            seen = np.ascontiguousarray(seen)
        self.columns = Columns(
            read.words,
            read.rows,
            None if meld_words is None else _column("melds", meld_words, n, np.uint32),
            win_column,
            void_column,
            by_column,
            flag_column,
            seen,
            kinds=self.kinds,
            unit=rules.naming.units[0][0] if rules.naming.units else 0,
            all_win=all_win,
            all_voids=all_voids,
            all_by=all_by,
            all_flags=all_flags,
        )

    def run(self, work: Callable[[int, int], tuple[int, int]]) -> None:
        """Does the rows in as many parts as there are threads; InputError with the first row that is none."""
        if self.n == 0:
            return
        if self.threads == 1:
            _named(work(0, self.n))
            return
        edges = [self.n * part // self.threads for part in range(self.threads + 1)]
        with ThreadPoolExecutor(self.threads) as pool:
            results = list(pool.map(work, edges[:-1], edges[1:]))
        for (status, row), start in zip(results, edges, strict=False):
            _named((status, start + row))

    def hand(self, row: int) -> Hand:
        """A row as a single hand, for what only the plain way can do."""
        columns = self.columns
        concealed = _copies(columns, row)
        own = []
        word = 0 if columns.melds is None else int(columns.melds[row])
        while word:
            code = (word & 255) - 1
            if not 0 <= code < 170:
                raise refuse("E940", row=row)
            own.append(Meld(_MELD_TYPES[code // 34], code % 34))
            word >>= 8
        win, void, by, flags = (
            int(whole if column is None else column[row])
            for column, whole in (
                (columns.win, columns.all_win),
                (columns.voids, columns.all_voids),
                (columns.by, columns.all_by),
                (columns.flags, columns.all_flags),
            )
        )
        told = [0] * 34 if columns.seen is None else [*map(int, columns.seen[row]), *[0] * (34 - self.kinds)]
        for meld in own:
            for kind in set(meld.tiles):
                told[kind] = max(told[kind], sum(m.tiles.count(kind) for m in own))
        if by >= len(BY) or flags >= 128:
            raise refuse("E943", row=row)
        return Hand(
            concealed,
            tuple(own),
            None if win == NONE else win,
            BY[by],
            frozenset(flag for n, flag in enumerate(FLAGS) if flags >> n & 1),
            None if void == NONE else void,
            tuple(told),
            _KONG_WORDS[flags >> KONG_SHIFT],
        )


def _copies(columns: Columns, row: int) -> tuple[int, ...]:
    if columns.rows is not None:
        return (*map(int, columns.rows[row]), *[0] * (34 - columns.kinds))
    assert columns.words is not None
    words = np.atleast_1d(columns.words[row])
    numbers = [(int(words[0]) >> 21 * suit & 0x1FFFFF, 9) for suit in range(3)]
    numbers.append((int(words[1]) if len(words) > 1 else 0, 7))
    found = []
    for number, digits in numbers:
        found += [number // 5**place % 5 for place in reversed(range(digits))]
    return tuple(found)


def _named(result: tuple[int, int]) -> None:
    status, row = result
    if status:
        raise refuse(_CODES.get(binding.status_name(status), "E937"), row=row)


_CODES = {
    "bad word": "E937",
    "bad count": "E938",
    "bad size": "E939",
    "bad meld": "E940",
    "bad win tile": "E941",
    "bad suit": "E942",
    "bad situation": "E943",
}


# ---- the calls ----------------------------------------------------------------------------------


def facts_table(rules: Ruleset, program: Program) -> Array | None:
    """The program's facts by situation, (384, 32) int32; None where a fact depends on the tiles."""
    table = np.zeros((SITUATIONS, 32), np.int32)
    if any(fact.count is not None and _reads_tiles(rules.rules, fact.count) for fact in program.facts):
        return None
    blank = (0,) * 34
    for number in range(SITUATIONS) if program.facts else ():
        by, flags, kong = BY[number >> 7], number & 31, _KONG_WORDS[number >> KONG_SHIFT & 3]
        words = frozenset(flag for n, flag in enumerate(FLAGS) if flags >> n & 1)
        hand = Hand(blank, (), None, by, words, None, blank, kong)
        told = alone(hand, rules.stances)
        for slot, fact in enumerate(program.facts):
            table[number, slot] = rules.fact(fact, hand, told)
    return table


_OF_TILES = frozenset(
    """suit_count concealed_count exposed_count kong_count void_count root_count wait_count waits_left
    own_win_tiles own_win_tiles_all closed""".split()
)


def _reads_tiles(rules: c.Rules, expr: c.Expr) -> bool:
    """Whether what an expression is worth may depend on the tiles of a hand."""
    match expr:
        case c.Word():
            return expr.name in _OF_TILES
        case c.SymbolIs():
            return expr.symbol != "kong_kind"
        case c.TileIs() | c.Quantified() | c.PatternIn():
            return True
        case c.LetRef():
            return _reads_tiles(rules, rules.lets[expr.name].value)
    return any(_reads_tiles(rules, child) for child in c.children(expr))


def score_batch(
    rules: Ruleset, kernel: Kernel, batch: Batch, facts: Array | None, out: ScoredHands | None
) -> ScoredHands:
    """Scores every hand of a batch."""
    n = batch.n
    wanted = {"win": np.bool_, "total": np.int32, "points": np.int64, "fans": np.uint64}
    if out is None:
        out = ScoredHands(*(np.empty(n, dtype) for dtype in wanted.values()))
    for name, dtype in wanted.items():
        _check_out(f"out.{name}", getattr(out, name), (n,), dtype)
    table = np.zeros((SITUATIONS, 32), np.int32) if facts is None else facts

    def work(start: int, stop: int) -> tuple[int, int]:
        arrays = [getattr(out, name)[start:stop] for name in wanted]
        return kernel.score_batch(batch.columns, table, start, stop, *arrays)

    batch.run(work)
    if facts is None:  # Every row is a hand, then; what it is worth needs facts of its own.
        _score_one_by_one(rules, batch, out)
    return out


def _score_one_by_one(rules: Ruleset, batch: Batch, out: ScoredHands) -> None:
    unit = batch.columns.unit
    for row in range(batch.n):
        hand = batch.hand(row)
        judged = rules.judge(hand)
        out.win[row] = judged.win
        out.total[row] = max(-(2**31), min(2**31 - 1, judged.totals[unit])) if judged.win else 0
        out.points[row] = judged.money if judged.win else 0
        out.fans[row] = sum(1 << n for n, count in enumerate(judged.counts) if count) if judged.win else 0


def _check_out(name: str, array: object, shape: tuple[int, ...], dtype: type[np.generic]) -> None:
    if (
        not isinstance(array, np.ndarray)
        or array.dtype != dtype
        or array.shape != shape
        or not array.flags.c_contiguous
        or not array.flags.writeable
    ):
        raise _wrong("E935", name, f"{np.dtype(dtype)} {shape}", array)


def out_array(name: str, out: Array | None, shape: tuple[int, ...], dtype: type[np.generic]) -> Array:
    """The caller's array, checked, or a new one."""
    if out is None:
        return np.empty(shape, dtype)
    _check_out(name, out, shape, dtype)
    return out


def win_batch(
    rules: Ruleset, kernel: Kernel, batch: Batch, facts: Array | None, out: Array | None
) -> NDArray[np.bool_]:
    """Whether each hand of a batch wins."""
    wins = out_array("out", out, (batch.n,), np.bool_)
    if facts is None:
        wins[:] = score_batch(rules, kernel, batch, facts, None).win
        return wins

    def work(start: int, stop: int) -> tuple[int, int]:
        return kernel.score_batch(batch.columns, facts, start, stop, wins[start:stop], None, None, None)

    batch.run(work)
    return wins


def waits_batch(
    rules: Ruleset, kernel: Kernel, batch: Batch, facts: Array | None, values: bool, out: Any
) -> NDArray[np.uint64] | WaitsOfHands:
    """The waits of each hand of a batch, and with `values` what they are worth."""
    n, kinds = batch.n, batch.kinds
    masks = out_array("out.mask" if values else "out", out.mask if values and out else out, (n,), np.uint64)
    table = np.zeros((SITUATIONS, 32), np.int32) if facts is None else facts

    def find(start: int, stop: int) -> tuple[int, int]:
        return kernel.waits_batch(batch.columns, table, start, stop, masks[start:stop])

    batch.run(find)
    if not values:
        return masks
    points = out_array("out.points", out.points if out else None, (n, kinds), np.int64)

    def value(start: int, stop: int) -> tuple[int, int]:
        return kernel.values_batch(batch.columns, table, start, stop, masks[start:stop], points[start:stop])

    if facts is None:
        _value_one_by_one(rules, batch, points)
    else:
        batch.run(value)
    return WaitsOfHands(masks, points)


def _value_one_by_one(rules: Ruleset, batch: Batch, points: Array) -> None:
    points[:] = -1
    for row in range(batch.n):
        for wait in rules.waits(batch.hand(row)):
            points[row, tiles.NAMES.index(wait.tile)] = wait.points


def shanten_batch(kernel: Kernel, batch: Batch, out: Array | None) -> NDArray[np.int8]:
    """The shanten of each hand of a batch."""
    found = out_array("out", out, (batch.n,), np.int8)
    facts = np.zeros((SITUATIONS, 32), np.int32)

    def work(start: int, stop: int) -> tuple[int, int]:
        return kernel.shanten_batch(batch.columns, facts, start, stop, found[start:stop])

    batch.run(work)
    return found
