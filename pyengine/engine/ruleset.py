"""A rule set that scores: the immutable object that `pyengine.load` gives.

What only games, play, explanations or batches need is imported where it is asked for: most short programs load rules
and score hands, and would wait for all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any, Literal, overload

from pyengine.engine.compiled import Compiled
from pyengine.engine.kernel import Judged, Kernel, KernelError
from pyengine.engine.program import Fact, Program, TooLarge
from pyengine.engine.score import Naming, Result, Wait
from pyengine.engine.situation import Situation, alone
from pyengine.language import core as c
from pyengine.language.diagnostics import Diagnostic, InputError, RuleError, unfit
from pyengine.language.load import rules_of_texts
from pyengine.language.source import Source, Span
from pyengine.language.specialise import Special, nowhere_in, specialise
from pyengine.language.values import read_values, show_value
from pyengine.notation.hand import Hand, Meld, make_hand
from pyengine.notation.tiles import NAMES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pyengine.engine.batch import PackedGames, SettledGames
    from pyengine.engine.flows import FlowProgram
    from pyengine.engine.game import Game as PlayedGame
    from pyengine.engine.hands import Batch, ScoredHands, WaitsOfHands
    from pyengine.engine.kernel import FlowKernel, PlayKernel
    from pyengine.engine.ledger import LedgerOracle, Settlement
    from pyengine.engine.many import Path
    from pyengine.engine.oracle import Oracle
    from pyengine.engine.plain import PlainHands
    from pyengine.engine.playbook import Playbook
    from pyengine.engine.settle import GameResult
    from pyengine.engine.table import Moment, TableGame
    from pyengine.notation.games import Game
    from pyengine.notation.records import Record

    Array = NDArray[Any]
    MeldsOfHands = Array | Sequence[str | Sequence[str | Meld]] | None

Melds = str | Iterable[str | Meld]
MAX_PAYMENTS = 1024  # remembered of each rule set


def option_values(
    rules: c.Rules, given: Mapping[str, object], span: Callable[[str], Span | None] | None = None
) -> dict[str, c.OptionValue]:
    """All option values, the given ones read and checked; InputError names every wrong one."""
    if not isinstance(given, Mapping):
        raise InputError([unfit("options", "mapping", given)])
    facts = {"options": " ".join(rules.options), "ruleset": rules.title}
    values, wrong = read_values(rules.options, given, ("E908", facts), span)
    if wrong:
        raise InputError(wrong)
    return {name: option.value for name, option in rules.options.items()} | values


class Ruleset:
    """A rule set under one choice of options.

    Immutable and hashable; may be shared by threads.  Two are equal when their text and options are.
    """

    def __init__(self, rules: c.Rules, values: Mapping[str, c.OptionValue], name: str) -> None:
        if not rules.is_playable:
            raise RuleError([Diagnostic("E412", rules.sources[-1].head, {"name": rules.title})])
        special, wrong = specialise(rules, values)
        if special is None:
            raise RuleError(wrong)
        self.id = name
        self.rules = rules
        self._values = dict(values)
        self._special: Special = special
        self._compiled = Compiled(self)

    @cached_property
    def _static(self) -> Compiled:
        return Compiled(self, static=True)

    @property
    def asks_win(self) -> bool:
        """Whether what a hand is worth may depend on which tile is the winning one."""
        return self.kernel.asks_win

    @property
    def special(self) -> Special:
        """The rules with their options decided."""
        return self._special

    @cached_property
    def _key(self) -> tuple[object, ...]:
        return (*(s.text for s in self.rules.sources), *sorted((n, repr(v)) for n, v in self._values.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ruleset) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __reduce__(self) -> tuple[Any, ...]:
        """By value: the texts of the rule files and the options, from which the same is made anywhere."""
        texts = tuple((source.name, source.text) for source in self.rules.sources)
        return _from_texts, (texts, tuple(self._values.items()), self.id)

    def __repr__(self) -> str:
        return f"<Ruleset {self.id} {self.title}>"

    # ---- what it is ----

    @property
    def title(self) -> str:
        return self.rules.title

    @property
    def copies(self) -> tuple[int, ...]:
        """Copies of each of the 34 kinds in the tile set."""
        return self.rules.copies

    @property
    def hand_size(self) -> int:
        """Tiles of a waiting hand."""
        return self.program.hand_size

    @property
    def fan_names(self) -> tuple[str, ...]:
        """The fans in the order of the file."""
        return self.program.fan_names

    @property
    def shape_names(self) -> tuple[str, ...]:
        """The winning shapes that the options leave, in the order of the file."""
        return self.program.shape_names

    @cached_property
    def naming(self) -> Naming:
        """What results call things."""
        return Naming(self.rules, self.fan_names, self.shape_names)

    @cached_property
    def first_unit(self) -> int:
        """The unit whose total a batch gives: the first that the fans are counted in."""
        return self.naming.units[0][0] if self.naming.units else 0

    @cached_property
    def units(self) -> frozenset[str]:
        """The units that its fans are counted in."""
        return frozenset(fan.unit for fan in self.rules.fans.values())

    @cached_property
    def repeated_fans(self) -> int:
        """The set of fans that may count more than once, a bit for each."""
        return sum(1 << n for n, name in enumerate(self.fan_names) if self.rules.fans[name].per)

    @property
    def combos(self) -> dict[str, tuple[tuple[str, int], ...]]:
        """Names of combinations (合称) with their parts."""
        return {name: combo.parts for name, combo in self.rules.combos.items()}

    @property
    def options(self) -> dict[str, str]:
        """Each option with its value as an author writes it."""
        return {name: show_value(value, self.rules.options[name].unit) for name, value in self._values.items()}

    @property
    def values(self) -> Mapping[str, c.OptionValue]:
        """Each option with its value as the engine holds it."""
        return self._values

    def display(self, name: str, lang: str) -> str:
        """A fan or combination by its name, in English followed by the display name that the file gives (译)."""
        declared = self.rules.fans.get(name) or self.rules.combos.get(name)
        alias = declared.meta.alias if declared else None
        return f"{name} {alias}" if alias and lang != "zh" else name

    @cached_property
    def oracle(self) -> Oracle:
        """The plain evaluator of the same rules, which explains and which the kernel is tested with."""
        from pyengine.engine.oracle import Oracle

        return Oracle(self.rules, self._values)

    def with_options(self, options: Mapping[str, object], span: Callable[[str], Span | None] | None = None) -> Ruleset:
        """The same rules with some options set otherwise."""
        if not options:
            return self
        return Ruleset(self.rules, {**self._values, **_changed(self.rules, options, span)}, self.id)

    # ---- games ----

    @cached_property
    def ledger(self) -> LedgerOracle:
        """The plain evaluator of the flows."""
        from pyengine.engine.ledger import LedgerOracle

        return LedgerOracle(self.rules, self._values)

    @cached_property
    def flows(self) -> FlowProgram:
        """The flows as the kernel's program."""
        from pyengine.engine.flows import lower_flows

        wrong = nowhere_in(self.rules, self._values)
        if wrong:
            raise RuleError(wrong)
        try:
            return lower_flows(self.ledger)
        except TooLarge as large:
            raise RuleError([Diagnostic("E413", large.place, large.facts)]) from None

    @cached_property
    def _flow_kernel(self) -> FlowKernel:
        from pyengine.engine.kernel import FlowKernel

        return FlowKernel(self.flows)

    def settle(self, game: Game | Mapping[str, Any]) -> GameResult:
        """Settles a game: the events of a hand, as in the `games:` of a case file, or a record of play.

        InputError names each event that cannot be, or the first illegal move; then nothing is settled.
        """
        from pyengine.engine.settle import settle

        if isinstance(game, Mapping) and "moves" in game:
            game = {"record": game}
        read = _game(game)
        return self.replay(read.record) if read.record else settle(self, read)

    def table_game(self, game: Game | Mapping[str, Any]) -> TableGame:
        """A game in numbers: its hands scored and its states told."""
        from pyengine.engine.settle import table_game

        return table_game(self, _game(game))

    def pack_games(self, games: Iterable[Game | Mapping[str, Any] | TableGame]) -> PackedGames:
        """Games as arrays for `settle_batch`; InputError where one cannot be read."""
        from pyengine.engine.batch import pack_games

        return pack_games(self, self._flow_kernel, games)

    def settle_batch(
        self, packed: PackedGames, errors: Literal["raise", "mark"] = "raise", out: Any = None
    ) -> SettledGames:
        """Settles many packed games: (n, 4) deltas.

        A game that cannot be is an InputError that names its row, or with errors="mark" a row of zeros
        with a status.  `out` is an (n, 4) int64 array to be written to.
        """
        from pyengine.engine.batch import settle_batch

        return settle_batch(self._flow_kernel, packed, errors, out)

    def settle_table(self, game: TableGame) -> Settlement:
        """Settles a game of which every event is known in numbers; Impossible when it cannot be."""
        try:
            return self._flow_kernel.settle(game)
        except KernelError:
            # The oracle finds the same fault, and says which rule and why.
            self.ledger.settle(game)
            raise

    # ---- play ----

    @property
    def program(self) -> Program:
        """The fans and their worth as the kernel's program."""
        return self._compiled.program

    @property
    def kernel(self) -> Kernel:
        """The kernel under that program."""
        return self._compiled.kernel

    @property
    def static_program(self) -> Program:
        """The same without the fans of a situation."""
        return self._static.program

    @cached_property
    def play_kernel(self) -> PlayKernel:
        """The kernel's table; RuleError where these rules ask what only the plain table knows."""
        from pyengine.engine.kernel import PlayKernel
        from pyengine.engine.playprogram import Unplayable, lower_play

        try:
            program = lower_play(self)
        except Unplayable as problem:
            raise RuleError([Diagnostic("E773", problem.expr.span, {"name": problem.expr.span.text})]) from None
        tables = (self._compiled.folds.for_play, self._static.folds.for_play)
        return PlayKernel(program, self.kernel, self._static.kernel, self._flow_kernel, tables)

    @cached_property
    def playbook(self) -> Playbook:
        """How the table is played, the options decided."""
        from pyengine.engine.playbook import Playbook

        return Playbook(self)

    def new_game(self, seed: int = 0, dealer: int | None = None) -> PlayedGame:
        """A hand dealt from a seed, to be played move by move; the dealer by lot unless one is named.

        >>> game = rules.new_game(seed=1)
        >>> while not game.is_over:
        ...     game.apply(game.legal()[0])
        >>> game.settle().deltas
        """
        from pyengine.engine.game import new_game

        return new_game(self, seed, dealer)

    def replay(self, record: Record) -> GameResult:
        """Checks a record of play move by move and settles it; InputError names the first illegal move."""
        from pyengine.engine.replay import replay

        return replay(self, record)

    def ask_of_seat(self, expr: c.Expr, hand: Hand) -> int | bool | None:
        """A condition about one seat at the end, such as 花猪, by its tiles."""
        return self.oracle.evaluate(expr, hand)

    # ---- hands ----

    def hand(self, hand: str | Sequence[int] | Hand, waiting: bool | None = False, **facts: Any) -> Hand:
        """A hand of these rules from text or counts; InputError says what is wrong with it."""
        if isinstance(hand, Hand):
            return hand
        return make_hand(
            hand, copies=self.copies, hand_size=self.hand_size, declared=self.rules.stances, waiting=waiting, **facts
        )

    def score(
        self,
        hand: str | Sequence[int] | Hand,
        melds: Melds = (),
        win: str | int | None = None,
        by: str = "点炮",
        flags: str | Iterable[str] = (),
        void: str | int | None = None,
        seen: str | Sequence[int] | Mapping[str, int] | None = None,
        kong: str | None = None,
        stances: Mapping[str, object] | None = None,
    ) -> Result:
        """What a hand is worth.

        hand   the concealed tiles, the winning tile among them: text (`123m55p`), or copies by kind
        melds  declared groups: `碰 5s`, `暗杠 7s`
        win    the winning tile; without it nothing that asks how the hand waited is true
        by     自摸, 点炮 (a discard) or 抢杠 (a robbed kong)
        flags  杠后, 连杠, 末张, 首巡, 庄家
        void   the void suit
        seen   tiles on the table outside the concealed part, as {"3m": 3}; own melds count in any case
        kong   直杠, 巴杠 or 暗杠: the kong just before the win
        stances what the winner has declared (声明), as {"飘": 2}; the others as the file has it by default

        InputError when the hand is none.  A hand that does not win is a result with `win` False.
        """
        if isinstance(hand, str) and not (melds or flags) and seen is None and kong is None and stances is None:
            result = self._plain.score(hand, win, by, void)
            if result is not None:
                return result
        if not isinstance(hand, Hand):
            hand = make_hand(
                hand,
                melds,
                win,
                by,
                flags,
                void,
                seen,
                kong,
                stances,
                copies=self.copies,
                hand_size=self.hand_size,
                declared=self.rules.stances,
            )
        return Result(self, hand, self.judge(hand))

    def points(
        self,
        hand: str | Sequence[int] | Hand,
        melds: Melds = (),
        win: str | int | None = None,
        by: str = "点炮",
        **more: Any,
    ) -> int:
        """What one payer pays for a hand, 0 when it does not win: `score(…).points`, for when no more is wanted.

        Arguments as of `score`.  The first call makes the tables that batches are looked up in.
        """
        if isinstance(hand, str) and not melds and not more:
            points = self._plain.points(hand, win, by)
            if points >= 0:
                return points
        return self.score(hand, melds, win, by, **more).points

    @cached_property
    def paid(self) -> Callable[..., list[dict[str, int]] | None]:
        """`payments.payments` under these rules, remembered: not to be changed by who asks."""
        from pyengine.engine.payments import payments

        return lru_cache(MAX_PAYMENTS)(partial(payments, self))

    @cached_property
    def _plain(self) -> PlainHands:
        from pyengine.engine.plain import PlainHands

        return PlainHands(self, self.kernel, self.program)

    def judge(self, hand: Hand, static: bool = False, situation: Situation | Moment | None = None) -> Judged:
        """The kernel's raw result; `static` leaves out the fans of a situation (查大叫).

        `situation` is the table around the hand; without it the hand is scored alone.
        """
        told = situation or alone(hand, self.stances)
        return (self._static if static else self._compiled).judge(hand, told)

    @cached_property
    def stances(self) -> dict[str, c.OptionValue]:
        return {name: stance.value for name, stance in self.rules.stances.items()}

    def fact(self, fact: Fact, hand: Hand, told: Situation | Moment) -> int:
        """What a program's fact is worth for a hand in its situation."""
        if fact.count is not None:
            if isinstance(told, Situation):
                return int(self.oracle.evaluate(fact.count, hand) or 0)
            return int(self.ledger.value(fact.count, told) or 0)
        if fact.stance:
            return int(told.stance(fact.word, fact.owner))
        return int(told.owned(fact.word, fact.owner))

    def waits(
        self,
        hand: str | Sequence[int] | Hand,
        melds: Melds = (),
        void: str | int | None = None,
        seen: str | Sequence[int] | Mapping[str, int] | None = None,
        stances: Mapping[str, object] | None = None,
    ) -> tuple[Wait, ...]:
        """The tiles with which a waiting hand may be won, each with its static value.

        The value is that of a win on a discard (where only an own draw may win: of that), without the
        fans of a situation.  Tiles that the rules do not count as waits (可听) are left out.
        """
        if not isinstance(hand, Hand):
            hand = self.hand(hand, waiting=True, melds=melds, void=void, seen=seen, stances=stances)
        found = []
        for kind in self.complete_with(hand):
            for by in ("点炮", "自摸"):
                complete = with_win(hand, kind, by)
                judged = self.judge(complete, static=True)
                if judged.win:
                    if judged.may_wait:
                        result = Result(self, complete, judged)
                        found.append(Wait(NAMES[kind], result.points, result.total, result.fans))
                    break
        return tuple(found)

    def complete_with(self, hand: Hand) -> list[int]:
        """The kinds that make a waiting hand a shape, whether or not it may then win."""
        return self.kernel.waits(hand)

    def shanten(self, hand: str | Sequence[int] | Hand, melds: Melds = ()) -> int:
        """Tiles that a hand still needs minus one: -1 is complete, 0 is waiting, 127 never, since no shape goes with
        the melds; with or without a drawn tile."""
        return self.kernel.shanten(self.hand(hand, waiting=None, melds=melds))

    # ---- many hands ----

    def score_batch(
        self,
        hands: Array,
        melds: MeldsOfHands = None,
        win: Array | str | None = None,
        by: Array | str = "点炮",
        flags: Array | str | Iterable[str] = (),
        void: Array | str | None = None,
        seen: Array | None = None,
        out: ScoredHands | None = None,
        threads: int = 1,
    ) -> ScoredHands:
        """What many hands are worth: arrays `.win` `.total` `.points` `.fans`, see `ScoredHands`.

        hands   (n, 27) or (n, 34) uint8 copies, or packed words as `pyengine.pack` makes them
        melds   (n,) uint32 words of melds (`pyengine.pack_melds`), or the texts of each hand's melds
        win     (n,) uint8 kinds of the winning tiles, 255 where not told; or one tile for all
        by      (n,) uint8, 0 自摸 1 点炮 2 抢杠; or one word for all
        flags   (n,) uint8, see `pyengine.engine.hands`; or the words for all
        void    (n,) uint8 void suits 0 1 2, or 255; or one suit for all
        seen    uint8 rows like those of hands: tiles on the table; own melds count in any case
        out     a result to be written over
        threads how many threads may judge parts of the hands at once; a few hands are not worth a second one

        InputError when an array is of the wrong type or shape, or names the first row that is no hand.
        """
        from pyengine.engine.hands import Batch

        return self.judge_batch(Batch(self, hands, melds, win, by, flags, void, seen, threads), out)

    def judge_batch(self, batch: Batch, out: ScoredHands | None = None) -> ScoredHands:
        """`score_batch` of arguments that have been read."""
        from pyengine.engine.many import score_batch

        return score_batch(self, self.kernel, batch, self._compiled.folds, out)

    def count_batch(self, batch: Batch, rows: NDArray[np.uint64]) -> NDArray[np.int32]:
        """How often each fan counts in some rows of a batch that has been judged, (rows, fans)."""
        from pyengine.engine.many import count_batch

        return count_batch(self, self.kernel, batch, self._compiled.folds, rows)

    def win_batch(
        self,
        hands: Array,
        out: NDArray[np.bool_] | None = None,
        *,
        melds: MeldsOfHands = None,
        win: Array | str | None = None,
        by: Array | str = "点炮",
        flags: Array | str | Iterable[str] = (),
        void: Array | str | None = None,
        seen: Array | None = None,
        threads: int = 1,
    ) -> NDArray[np.bool_]:
        """Whether each hand wins, (n,) bool; arguments as of `score_batch`."""
        from pyengine.engine.hands import Batch
        from pyengine.engine.many import win_batch

        batch = Batch(self, hands, melds, win, by, flags, void, seen, threads)
        return win_batch(self, self.kernel, batch, self._compiled.folds, out)

    @overload
    def waits_batch(
        self,
        hands: Array,
        *,
        values: Literal[False] = False,
        out: NDArray[np.uint64] | None = None,
        melds: MeldsOfHands = None,
        void: Array | str | None = None,
        seen: Array | None = None,
        threads: int = 1,
    ) -> NDArray[np.uint64]: ...

    @overload
    def waits_batch(
        self,
        hands: Array,
        *,
        values: Literal[True],
        out: WaitsOfHands | None = None,
        melds: MeldsOfHands = None,
        void: Array | str | None = None,
        seen: Array | None = None,
        threads: int = 1,
    ) -> WaitsOfHands: ...

    def waits_batch(
        self,
        hands: Array,
        *,
        values: bool = False,
        out: Any = None,
        melds: MeldsOfHands = None,
        void: Array | str | None = None,
        seen: Array | None = None,
        threads: int = 1,
    ) -> Any:
        """The kinds that complete each waiting hand, (n,) uint64 sets; with `values` also what each is worth.

        `melds`, `void`, `seen` and `threads` as of `score_batch`.  A kind is in the set whether or not the
        hand may then win, as in `complete_with`; the values are those of `waits`, -1 for what is no wait.
        """
        from pyengine.engine.hands import Batch
        from pyengine.engine.many import values_batch, waits_batch

        batch = Batch(self, hands, melds, void=void, seen=seen, threads=threads)
        if values:
            return values_batch(self, self._static.kernel, batch, self._static.folds, out)
        return waits_batch(self.kernel, batch, out)

    def shanten_batch(
        self, hands: Array, out: NDArray[np.int8] | None = None, *, melds: MeldsOfHands = None, threads: int = 1
    ) -> NDArray[np.int8]:
        """Tiles that each hand still needs minus one, (n,) int8: -1 complete, 0 waiting, 127 never.

        `melds` and `threads` as of `score_batch`.
        """
        from pyengine.engine.hands import Batch
        from pyengine.engine.many import shanten_batch

        return shanten_batch(self.kernel, Batch(self, hands, melds, threads=threads), out)

    def batch_path(self, won: bool = False) -> Path:
        """How `score_batch` judges hands: by tables, in columns or each by itself, and why.

        `won`: of hands that tell the winning tile, for which rules that ask how it came in have other tables.
        """
        return self._compiled.folds.path(won)

    def tables_for_one(self) -> Any:
        """The kernel's tables for hands without melds."""
        return self._compiled.folds.for_one

    def nearest_shape(self, hand: Hand) -> tuple[str, int]:
        """The shape that a hand is nearest to, and its shanten for that shape."""
        return self._compiled.nearest_shape(hand)


@lru_cache(maxsize=16)
def _from_texts(
    texts: tuple[tuple[str, str], ...], values: tuple[tuple[str, c.OptionValue], ...], name: str
) -> Ruleset:
    """A rule set that was pickled; remembered, since every task of a cluster brings it along."""
    return Ruleset(rules_of_texts(Source(*text) for text in texts), dict(values), name)


def _game(game: object) -> Game:
    """A game as events; InputError for what is none."""
    from pyengine.notation.games import Game, game_of_mapping
    from pyengine.notation.yamlfile import plain

    if isinstance(game, Game):
        return game
    if not isinstance(game, Mapping):
        raise InputError([unfit("game", "game", game)])
    return game_of_mapping(plain(game, "game"))


def with_win(hand: Hand, kind: int, by: str) -> Hand:
    """A waiting hand completed by a tile."""
    concealed = list(hand.concealed)
    concealed[kind] += 1
    return replace(hand, concealed=tuple(concealed), win=kind, by=by)


def _changed(
    rules: c.Rules, options: Mapping[str, object], span: Callable[[str], Span | None] | None
) -> dict[str, c.OptionValue]:
    values = option_values(rules, options, span)
    return {name: values[name] for name in options}
