"""Rows of a table become hands: columns of texts in, arrays of a batch out, and what is wrong with each other row.

The fields are those of a hand in a case file.  Most rows are read a column at a time; a row in which
anything is not plain is read alone by `make_hand`, which decides what it is or what is wrong with it.
So every row comes out as `Ruleset.hand` would have it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pyengine.engine.codes import (
    WANTED,
    Codes,
    OwnMelds,
    by_code,
    copies_of_words,
    fits,
    flags_code,
    kong_code,
    packed_words,
    stance_of,
    suit_code,
    tile_code,
)
from pyengine.engine.hands import BY, FLAGS, KONG_SHIFT, MAX_MELDS, Batch, ScoredHands, pack_melds
from pyengine.engine.kernel import NONE
from pyengine.language.diagnostics import Diagnostic, InputError
from pyengine.language.source import Span
from pyengine.notation.columns import counts_of, without_melds
from pyengine.notation.hand import Hand, facts_agree, make_hand, split_list
from pyengine.notation.melds import KONGS
from pyengine.notation.tiles import KINDS

if TYPE_CHECKING:
    from pyengine.engine.ruleset import Ruleset

Column = Sequence[Any]
Places = Callable[[int], Mapping[str, Span]]


@dataclass(frozen=True)
class ScoredRows:
    """What rows are worth: `scored` are those of `rows`, in their order; `wrong` has the others.

    `fans` names the fans that count, as often as they do.
    """

    rows: NDArray[np.intp]
    scored: ScoredHands
    fans: list[tuple[str, ...]]
    wrong: Mapping[int, tuple[Diagnostic, ...]]


def score_rows(
    rules: Ruleset, columns: Mapping[str, Column], n: int, threads: int = 1, places: Places | None = None
) -> ScoredRows:
    """Scores `n` rows of a table.

    `columns` are some of FIELDS with a value for each row, None where there is none; `places` tells where
    the fields of a row stand, for messages.
    """
    return _Rows(rules, columns, n, places or (lambda row: {})).score(threads)


def _fans_of(rules: Ruleset, batch: Batch, fans: NDArray[np.uint64]) -> list[tuple[str, ...]]:
    """The names of the fans of each row of a batch: from the sets, but where one may count more than once."""
    names = rules.fan_names
    unique, where = np.unique(fans, return_inverse=True)
    known = [tuple(name for bit, name in enumerate(names) if word >> bit & 1) for word in unique.tolist()]
    found = [known[i] for i in where.tolist()]
    rows = np.flatnonzero(fans & np.uint64(rules.repeated_fans)).astype(np.uint64)
    for row, counts in zip(rows.tolist(), rules.count_batch(batch, rows).tolist(), strict=True):
        found[row] = _repeated(names, counts)
    return found


def _repeated(names: Sequence[str], counts: Sequence[int]) -> tuple[str, ...]:
    return tuple([name for name, count in zip(names, counts, strict=True) for _ in range(count)])


class _Rows:
    def __init__(self, rules: Ruleset, columns: Mapping[str, Column], n: int, places: Places) -> None:
        self.rules, self.columns, self.n, self.places = rules, columns, n, places
        self.plain = np.ones(n, np.bool_)
        self.wrong: dict[int, tuple[Diagnostic, ...]] = {}
        self.alone: dict[int, Hand] = {}  # hands that a batch cannot hold
        self.kinds = KINDS if any(rules.copies[27:]) else 27
        self._read_hands()
        self._read_facts()
        self._check()
        for row in np.flatnonzero(~self.plain).tolist():
            if row not in self.wrong:
                self._read_alone(row)

    # ---- a column at a time

    def _coded(self, name: str, codes: Codes, empty: int, dtype: type[np.generic] = np.uint8) -> NDArray[Any]:
        column = self.columns.get(name)
        if column is None:
            return np.full(self.n, empty, dtype)
        types = set(map(type, column))
        if list in types:
            column = [tuple(value) if isinstance(value, list) else value for value in column]
        if types <= {str, NoneType}:
            found = np.fromiter(map(codes.__getitem__, column), np.int64, self.n)
        else:
            found = np.array([codes.of(value) for value in column], np.int64)
        self.plain &= found >= 0
        found[found < 0] = empty
        return found.astype(dtype)

    def _read_hands(self) -> None:
        self.melds = OwnMelds()
        own = self._coded("melds", self.melds.codes, 0, np.int64)
        if "packed" in self.columns:
            self._read_packed()
        else:
            given = self.columns.get("hand") or [None] * self.n
            texts = [text if isinstance(text, str) else "?" for text in given]
            self.concealed, plain = counts_of(texts)
            others = np.flatnonzero(~plain).tolist()
            if others:
                split = [without_melds(texts[row]) for row in others]
                again, fits = counts_of([rest for rest, _ in split])
                for row, (_, melds), counts, fit in zip(others, split, again, fits, strict=True):
                    if fit and melds:
                        number = self.melds.joined(melds, int(own[row]))
                        if number >= 0:
                            own[row], self.concealed[row], plain[row] = number, counts, True
            self.plain &= plain
        self.own = own

    def _read_packed(self) -> None:
        """Copies from packed words; a word that is none is reported at once."""
        suits, honours = self.columns["packed"], self.columns.get("packed_honours")
        told = self.columns.get("hand") or [None] * self.n
        found, rows = np.zeros((self.n, 2), np.uint64), np.zeros(self.n, np.bool_)
        for row, word in enumerate(suits):
            more = honours[row] if honours is not None else None
            pair = packed_words(word, more)
            if pair:
                found[row], rows[row] = pair, told[row] is None
                continue
            if word is None and told[row] is not None:
                continue
            value = word if more is None else f"{word} {more}"
            code, field = ("E970", "hand") if word is None else ("E974", "packed")
            self.wrong[row] = (Diagnostic(code, self.places(row).get(field), {"value": value}),)
        self.concealed = copies_of_words(found)
        self.plain &= rows

    def _read_facts(self) -> None:
        self.win = self._coded("win", Codes(tile_code, NONE), NONE)
        self.by = self._coded("by", Codes(by_code, 1), 1)
        self.flags = self._coded("flags", Codes(flags_code, 0), 0)
        self.void = self._coded("void", Codes(suit_code, NONE), NONE)
        self.kong = self._coded("kong", Codes(kong_code, 0), 0)
        self._coded("stances", Codes(lambda told: -1, 0), 0)
        self.table: NDArray[np.uint8] | None = None
        seen = self.columns.get("seen")
        if seen is not None and any(value is not None for value in seen):
            self.table, plain = counts_of([text if isinstance(text, str) else "" for text in seen])
            others = [not (value is None or isinstance(value, str)) for value in seen]
            self.plain &= plain & ~np.array(others, np.bool_)

    def _check(self) -> None:
        """What `make_hand` checks, of all rows at once; rows in which something is wrong are not plain."""
        rules, own = self.rules, self.own
        copies = np.array(rules.copies, np.int64)
        shown = self.melds.shown()
        lengths = np.array([len(melds) for melds in self.melds.all])
        concealed = self.concealed.astype(np.int64)
        of_melds = shown[own].astype(np.int64)
        self.plain &= ((concealed + of_melds) <= copies).all(axis=1)
        self.plain &= concealed.sum(axis=1) == rules.hand_size + 1 - 3 * lengths[own]
        told = np.flatnonzero(self.win != NONE)
        self.plain[told] &= concealed[told, self.win[told]] > 0
        if self.table is not None:
            seen = self.table.astype(np.int64)
            on_table = np.where(seen > 0, seen, of_melds)
            self.plain &= (on_table >= of_melds).all(axis=1)
            self.plain &= ((on_table == 0) | (on_table + concealed <= copies)).all(axis=1)
        self._check_facts()

    def _check_facts(self) -> None:
        robs = self.by == BY.index("抢杠")
        asked = np.flatnonzero(((self.flags | self.kong) > 0) | robs)
        agreed: dict[tuple[int, ...], bool] = {}
        columns = (self.by[asked], self.flags[asked], self.kong[asked], self.own[asked])
        for row, *key in zip(asked.tolist(), *[column.tolist() for column in columns], strict=True):
            by, flags, kong, own = key
            if (by, flags, kong, own) not in agreed:
                named = frozenset(flag for n, flag in enumerate(FLAGS) if flags >> n & 1)
                before = KONGS[kong - 1] if kong else None
                agreed[by, flags, kong, own] = facts_agree(self.melds.all[own], BY[by], named, before)
            if not agreed[by, flags, kong, own]:
                self.plain[row] = False
        # A robbed tile is held once; rows that do not tell it are left to `make_hand`.
        told = self.win != NONE
        robbed = np.where(told, self.win, 0)
        held = self.concealed[np.arange(self.n), robbed] + self.melds.shown()[self.own, robbed]
        self.plain &= ~robs | (told & (held == 1))

    # ---- a row alone

    def _read_alone(self, row: int) -> None:
        facts = {name: column[row] for name, column in self.columns.items() if column[row] is not None}
        mistakes = _mistakes(facts)
        if mistakes:
            spans = self.places(row)
            self.wrong[row] = tuple(Diagnostic(code, spans.get(name), told) for code, name, told in mistakes)
            return
        if "packed" in facts:
            facts = {name: value for name, value in facts.items() if not name.startswith("packed")}
            facts["hand"] = self.concealed[row].tolist()
        if isinstance(facts.get("stances"), str):
            facts["stances"] = dict(stance_of(text) for text in split_list(facts["stances"]))
        try:
            hand = self._make(facts)
        except InputError:
            try:  # Once more, since finding the places of all fields takes longer than reading them.
                self._make({**facts, "spans": self.places(row)})
            except InputError as error:
                self.wrong[row] = error.diagnostics
            return
        if hand.stances or len(hand.melds) > MAX_MELDS:
            self.alone[row] = hand
        else:
            self._keep(row, hand)

    def _make(self, facts: Mapping[str, Any]) -> Hand:
        rules = self.rules
        return make_hand(**facts, copies=rules.copies, hand_size=rules.hand_size, declared=rules.rules.stances)

    def _keep(self, row: int, hand: Hand) -> None:
        """A hand that was read alone takes its place in the columns."""
        self.concealed[row] = hand.concealed
        self.melds.all.append(hand.melds)
        self.own[row] = len(self.melds.all) - 1
        self.win[row] = NONE if hand.win is None else hand.win
        self.by[row] = BY.index(hand.by)
        self.flags[row] = sum(1 << FLAGS.index(flag) for flag in hand.flags)
        self.kong[row] = KONGS.index(hand.kong) + 1 if hand.kong else 0
        self.void[row] = NONE if hand.void is None else hand.void
        if self.table is None and any(hand.seen):
            self.table = np.zeros((self.n, KINDS), np.uint8)
        if self.table is not None:
            self.table[row] = hand.seen

    # ---- all together

    def score(self, threads: int) -> ScoredRows:
        bad = [*self.wrong, *self.alone]
        together = np.setdiff1d(np.arange(self.n), np.array(bad, np.intp), assume_unique=True)
        own = self.own[together]
        batch = Batch(
            self.rules,
            np.ascontiguousarray(self.concealed[together][:, : self.kinds]),
            melds=pack_melds(self.melds.all)[own] if own.any() else None,
            win=self.win[together],
            by=self.by[together],
            flags=self.flags[together] | self.kong[together] << np.uint8(KONG_SHIFT),
            void=self.void[together],
            seen=None if self.table is None else np.ascontiguousarray(self.table[together][:, : self.kinds]),
            threads=threads,
        )
        scored = self.rules.judge_batch(batch)
        fans = _fans_of(self.rules, batch, scored.fans)
        if not self.alone:
            return ScoredRows(together, scored, fans, self.wrong)
        return ScoredRows(*self._with_others(together, scored, fans), self.wrong)

    def _with_others(
        self, together: NDArray[np.intp], scored: ScoredHands, named: list[tuple[str, ...]]
    ) -> tuple[NDArray[np.intp], ScoredHands, list[tuple[str, ...]]]:
        """The rows of the batch and those beside it, in their order."""
        unit = self.rules.naming.units[0][0] if self.rules.naming.units else 0
        found = []
        for hand in self.alone.values():
            judged = self.rules.judge(hand)
            fans = sum(1 << n for n, count in enumerate(judged.counts) if count)
            total = max(-(2**31), min(2**31 - 1, judged.totals[unit]))
            found.append((True, total, judged.money, fans) if judged.win else (False, 0, 0, 0))
            named.append(_repeated(self.rules.fan_names, judged.counts) if judged.win else ())
        rows = np.concatenate([together, np.array([*self.alone], np.intp)])
        order = np.argsort(rows)
        columns = []
        for more, name in zip(zip(*found, strict=True), ("win", "total", "points", "fans"), strict=True):
            column = getattr(scored, name)
            columns.append(np.concatenate([column, np.array(more, column.dtype)])[order])
        return rows[order], ScoredHands(*columns), [named[place] for place in order.tolist()]


def _mistakes(facts: Mapping[str, Any]) -> list[tuple[str, str, dict[str, object]]]:
    """What is wrong with the fields of a row before any of them is read: code, field, facts."""
    if "packed" in facts and "hand" in facts:
        return [("E965", "packed", {"name": "hand, packed"})]
    if "packed" not in facts and "hand" not in facts:
        return [("E970", "hand", {})]
    found: list[tuple[str, str, dict[str, object]]] = []
    for name, value in facts.items():
        if not fits(name, value):
            told = {"name": name, "value": value, "type": type(value).__name__, "wanted": WANTED[name]}
            found.append(("E971", name, told))
    names = (
        [stance_of(text)[0] for text in split_list(stances)] if isinstance(stances := facts.get("stances"), str) else []
    )
    twice = dict.fromkeys(name for name in names if names.count(name) > 1)
    return found + [("E912", "stances", {"name": name}) for name in twice]
