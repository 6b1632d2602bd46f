"""Many hands as arrays: what the arguments of a batch call may be, and what its results are.

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
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from pyengine.engine import crew
from pyengine.engine import kernel as binding
from pyengine.engine.crew import Work
from pyengine.engine.kernel import NONE, PackedHands, worths
from pyengine.engine.situation import KONG_NUMBERS
from pyengine.language import vocabulary
from pyengine.language.diagnostics import InputError, refuse, unfit
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
FOR_MELDS, FOR_VOIDS, FOR_WON = 1, 2, 8  # of csrc/mj.h
_BYTE, _WORD, _MELD_WORD = np.dtype(np.uint8), np.dtype(np.uint64), np.dtype(np.uint32)
_BOOL, _TOTAL, _POINTS = np.dtype(np.bool_), np.dtype(np.int32), np.dtype(np.int64)
_MELD_TYPES = ("吃", "碰", "直杠", "巴杠", "暗杠")
KONG_WORDS = (None, *KONG_NUMBERS)

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

    def columns(self, n: int) -> Any:
        """Its arrays as the kernel writes to them, once they have been found right for n hands."""
        known, columns = self.__dict__.get("_columns", (None, None))
        if known != n:
            for name, dtype in (("win", _BOOL), ("total", _TOTAL), ("points", _POINTS), ("fans", _WORD)):
                check_out(f"out.{name}", getattr(self, name), (n,), dtype)
            # What is kept here holds the arrays' memory where it is.
            columns = worths(self.win, self.total, self.points, self.fans)
            self.__dict__["_columns"] = n, columns
        return columns

    def __reduce__(self) -> tuple[type[ScoredHands], tuple[Array, ...]]:
        return ScoredHands, (self.win, self.total, self.points, self.fans)


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


def wrong_array(code: str, name: str, wanted: str, found: object) -> InputError:
    shown = f"{found.dtype} {found.shape}" if isinstance(found, np.ndarray) else f"{type(found).__name__} {found!r}"
    return refuse(code, name=name, wanted=wanted, found=shown)


def _is(array: object, dtype: np.dtype[Any], shape: tuple[int, ...]) -> bool:
    return isinstance(array, np.ndarray) and array.dtype == dtype and array.shape == shape


def _read_hands(hands: object) -> tuple[str, Array, int]:
    """What the array is, itself, and how many kinds its hands have."""
    if isinstance(hands, np.ndarray):
        if hands.dtype == _WORD and (hands.ndim == 1 or (hands.ndim == 2 and hands.shape[1] == 2)):
            return "words", np.ascontiguousarray(hands), 27 if hands.ndim == 1 else 34
        if hands.dtype == _BYTE and hands.ndim == 2 and hands.shape[1] in (27, 34):
            return "rows", np.ascontiguousarray(hands), hands.shape[1]
    raise wrong_array("E934", "hands", "uint8 (n, 27), uint8 (n, 34), uint64 (n,), uint64 (n, 2)", hands)


def _column(name: str, given: object, n: int, dtype: np.dtype[Any]) -> Array:
    if _is(given, dtype, (n,)):
        return np.ascontiguousarray(cast(Array, given))
    raise wrong_array("E935", name, f"{dtype} ({n},)", given)


def check_out(name: str, array: object, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """InputError unless results of this type and shape can be written to the caller's array."""
    if not _is(array, dtype, shape) or not cast(Array, array).flags.carray:
        raise wrong_array("E935", name, f"{dtype} {shape}", array)


def out_array(name: str, out: Array | None, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """The caller's array, checked, or a new one."""
    if out is None:
        return np.empty(shape, dtype)
    check_out(name, out, shape, dtype)
    return out


def _read_by(given: object) -> int:
    return _by_of(str(given))


@cache
def _by_of(given: str) -> int:
    entry = vocabulary.find(given, "flag")
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
    kinds = tiles.kinds_in(given) if isinstance(given, str) else None
    if kinds is None or len(kinds) != 1:
        raise refuse("E936", name="win", value=given, values="1m … 7z")
    return int(kinds[0])


def _read_void(given: object) -> int:
    suit = tiles.parse_suit(given.strip()) if isinstance(given, str) else None
    if suit not in (0, 1, 2):
        raise refuse("E936", name="void", value=given, values="m p s")
    return int(suit)


def pack(hands: Array) -> NDArray[np.uint64]:
    """Rows of copies as packed words: (n, 27) uint8 become (n,) uint64, (n, 34) become (n, 2).

    InputError that names the first row with more than four of a kind.
    """
    form, rows, kinds = _read_hands(hands)
    if form != "rows":
        raise wrong_array("E934", "hands", "uint8 (n, 27), uint8 (n, 34)", hands)
    words = np.empty(len(rows) if kinds == 27 else (len(rows), 2), np.uint64)
    name_row(binding.pack(rows, kinds, words))
    return words


def pack_melds(melds: Iterable[str | Sequence[str | Meld]]) -> NDArray[np.uint32]:
    """The melds of each hand (`碰 5s 暗杠 7s`, or a list of melds) as words of melds."""
    words = []
    if not isinstance(melds, Iterable):
        raise InputError([unfit("melds", "texts", melds)])
    for row, own in enumerate(melds):
        found: list[Meld] = []
        if not isinstance(own, Iterable):
            raise InputError([unfit(f"melds[{row}]", "texts", own)])
        for text in [own] if isinstance(own, str) else own:
            found += [text] if isinstance(text, Meld) else _read_melds(str(text))
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
    """Checked arguments of a batch call.

    columns    the arrays that were given, by the names of `mj_batch`
    everybody  what stands for every hand where there is no array
    """

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
        form, array, self.kinds = _read_hands(hands)
        self.n = n = len(array)
        if not isinstance(threads, int) or not 1 <= threads <= MAX_THREADS:
            raise refuse("E936", name="threads", value=threads, values=f"1 … {MAX_THREADS}")
        self.threads = threads
        self.columns = {form: array}
        self.everybody = {"all_win": NONE, "all_voids": NONE, "all_by": 1, "all_flags": 0}
        if melds is not None:
            words = melds if isinstance(melds, np.ndarray) else pack_melds(cast("Iterable[str]", melds))
            self.columns["melds"] = _column("melds", words, n, _MELD_WORD)
        if win is not None:
            self._tell("win", "win", win, _read_win)
        if void is not None:
            self._tell("void", "voids", void, _read_void)
        if by is not BY[1]:
            self._tell("by", "by", by, _read_by)
        if isinstance(flags, np.ndarray) or flags != ():
            self._tell("flags", "flags", flags, _read_flags)
        if seen is not None:
            if not _is(seen, _BYTE, (n, self.kinds)):
                raise wrong_array("E935", "seen", f"uint8 ({n}, {self.kinds})", seen)
            self.columns["seen"] = np.ascontiguousarray(cast(Array, seen))
        self.unit = rules.first_unit
        self.packed = PackedHands(n, self.kinds, self.unit, self.columns, self.everybody)

    def _tell(self, name: str, column: str, given: object, read: Callable[[Any], int]) -> None:
        if isinstance(given, np.ndarray):
            self.columns[column] = _column(name, given, self.n, _BYTE)
        else:
            self.everybody["all_" + column] = read(given)

    @property
    def uses(self) -> int:
        """What of a hand the batch has, as `Kernel.folds` counts it."""
        has_void = "voids" in self.columns or self.everybody["all_voids"] != NONE
        has_win = "win" in self.columns or self.everybody["all_win"] != NONE
        return ("melds" in self.columns) * FOR_MELDS + has_void * FOR_VOIDS + has_win * FOR_WON

    def run(self, work: Work, least: int) -> None:
        """Does the rows by as many threads as were asked for, each no less than `least`; InputError with the first
        row that is none."""
        if self.n:
            name_row(crew.run(self.n, self.threads, least, work))

    def hand(self, row: int) -> Hand:
        """A row as a single hand, for what only the plain way can do."""

        def told(column: str) -> int:
            return int(self.columns[column][row] if column in self.columns else self.everybody["all_" + column])

        own = []
        word = int(self.columns["melds"][row]) if "melds" in self.columns else 0
        while word:
            code = (word & 255) - 1
            if not 0 <= code < 170:
                raise refuse("E940", row=row)
            own.append(Meld(_MELD_TYPES[code // 34], code % 34))
            word >>= 8
        by, flags, win, void = told("by"), told("flags"), told("win"), told("voids")
        if by >= len(BY) or flags >= 128:
            raise refuse("E943", row=row)
        seen = [*map(int, self.columns["seen"][row]), *[0] * 7][:34] if "seen" in self.columns else [0] * 34
        for meld in own:
            for kind in set(meld.tiles):
                seen[kind] = max(seen[kind], sum(m.tiles.count(kind) for m in own))
        return Hand(
            self._copies(row),
            tuple(own),
            None if win == NONE else win,
            BY[by],
            frozenset(flag for n, flag in enumerate(FLAGS) if flags >> n & 1),
            None if void == NONE else void,
            tuple(seen),
            KONG_WORDS[flags >> KONG_SHIFT],
        )

    def _copies(self, row: int) -> tuple[int, ...]:
        if "rows" in self.columns:
            return (*map(int, self.columns["rows"][row]), *[0] * (34 - self.kinds))
        words = [int(word) for word in np.atleast_1d(self.columns["words"][row])]
        numbers = [(words[0] >> 21 * suit & 0x1FFFFF, 9) for suit in range(3)]
        numbers.append((words[1] if len(words) > 1 else 0, 7))
        return tuple(number // 5**place % 5 for number, digits in numbers for place in reversed(range(digits)))


def name_row(result: tuple[int, int]) -> None:
    """InputError that names the row where the kernel stopped, if it did."""
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
