"""A hand being played, in plain Python: what may be done, what a move does, and which events it makes.

This is the meaning of 打法 许 禁 必, and what the kernel's table must agree with.  Flags, timeliness and
states are derived here from the moves; nothing of them is ever told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pyengine.engine.kernel import Judged
from pyengine.engine.moves import Move
from pyengine.engine.permit import Asking, Permits
from pyengine.engine.playbook import Playbook
from pyengine.engine.seat import Done, SeatState
from pyengine.engine.standing import told_states
from pyengine.engine.table import Moment, Table, TableEvent, TableGame
from pyengine.engine.told import MELD_WORDS, words_of
from pyengine.language import core as c
from pyengine.language import vocabulary
from pyengine.language.diagnostics import Diagnostic, InputError
from pyengine.notation.hand import Hand
from pyengine.notation.melds import Meld
from pyengine.notation.tiles import KINDS

KONG_WORDS = ("", "直杠", "巴杠", "暗杠")
WIN_WORDS = {"self_draw": "自摸", "discard_win": "点炮", "robbed_kong": "抢杠"}
WIN_MOVES = {"self_draw": "self_draw", "discard_win": "discard_win", "robbed_kong": "rob_added_kong"}
_FLAG_WORDS = {e.english: e.word for e in vocabulary.win_flags()}


class Play:
    """A hand being played.

    `wall` is what is left of it, in drawing order; where it is not known it is None, and a draw may be
    any tile that nobody has seen yet.
    """

    def __init__(
        self,
        book: Playbook,
        dealer: int,
        hands: Sequence[Sequence[int]],
        wall: Sequence[int] | None,
        direction: str = "clockwise",
        horses: Sequence[int] = (),
    ) -> None:
        self.book = book
        self.rules = book.rules
        self.permits = Permits(book)
        self.ledger = book.rules.ledger
        self.players = book.players
        self.dealer = dealer
        self.direction = direction
        self.wall = None if wall is None else list(wall)
        self.horses = tuple(horses)
        defaults = self.rules.stances
        self.seats = [SeatState(list(hand), stances=dict(defaults)) for hand in hands]
        self.hidden = list(book.copies)  # tiles that nobody holds and that do not lie on the table
        for hand in hands:
            for kind, n in enumerate(hand):
                self.hidden[kind] -= n
        for kind in horses:
            self.hidden[kind] -= 1
        self.left = sum(self.hidden)
        self.shown = [0] * KINDS  # on the table: discards, melds, winning tiles
        self.claimed_any = False  # somebody has claimed a tile or konged
        self.table: Table = self.ledger.table(self._game())
        self.done: list[Done] = []
        self.is_over = False
        self.phase = "turn"
        self.actor = dealer
        self.step = 0
        self.waiting: list[int] = []  # seats that still have to act in this step, or to answer
        self.answers: dict[int, Move] = {}
        self.asked: dict[int, list[Move]] = {}
        self.target: tuple[int, int] | None = None  # seat and tile that may be claimed
        self.robbing = False
        self.chain = 0  # kongs of this turn so far
        self._open(0)

    def _game(self) -> TableGame:
        none: dict[str, c.OptionValue] = {}
        stances = tuple(self.seats[s].stances if s < self.players else none for s in range(4))
        bound = tuple((self.dealer + kind % 9) % self.players for kind in self.horses)
        return TableGame((), self.players, self.dealer, horses=bound, stances=stances)

    # ---- what may be done ----

    @property
    def pending(self) -> list[int]:
        """The seats whose move is awaited; any of them may come first."""
        if self.is_over:
            return []
        return list(self.waiting) if self.phase in ("swap", "void", "declare", "claim") else [self.actor]

    def legal(self, seat: int | None = None) -> list[Move]:
        """The moves of a seat whose move is awaited; of the first of them where none is named."""
        if not self.pending:
            return []
        seat = self.pending[0] if seat is None else seat
        if seat not in self.pending:
            return []
        match self.phase:
            case "swap":
                return [Move(seat, "swap", kind) for kind in self._swappable(seat)]
            case "void":
                return [Move(seat, "void", suit) for suit in range(3) if any(self.book.copies[9 * suit : 9 * suit + 9])]
            case "declare":
                values = self.book.declared(self._stance())
                return [Move(seat, "declare", number) for number in range(len(values))]
            case "draw":
                return [Move(seat, "draw", kind) for kind in self._drawable()]
            case "claim":
                return self.asked[seat]
        return self._of_turn(seat)

    def apply(self, move: Move) -> None:
        """Makes a move that is legal."""
        seat = self.seats[move.seat]
        match move.verb:
            case "swap":
                assert move.tile is not None
                seat.tiles[move.tile] -= 1
                seat.given.append(move.tile)
                if len(seat.given) == 3:
                    self._answered(move.seat)
            case "void":
                seat.void = move.tile
                self._answered(move.seat)
            case "declare":
                assert move.tile is not None
                seat.stances[self._stance()] = self.book.declared(self._stance())[move.tile]
                self._answered(move.seat)
            case "draw":
                self._draw(move)
            case _ if self.phase == "claim":
                self.answers[move.seat] = move
                self.waiting.remove(move.seat)
                if not self.waiting:
                    self._resolve()
            case "discard":
                self._discard(move)
            case "win":
                self._win("self_draw", (move.seat,), None, seat.drawn)
            case "concealed_kong":
                self._meld(move, 4)
                self._kong("concealed_kong", move.seat, None, move.tile, False)
            case "added_kong":
                self._announce(move)

    # ---- before the first discard ----

    def _stance(self) -> str:
        name = self.book.steps[self.step].stance
        assert name
        return name

    def _open(self, step: int) -> None:
        """Goes on with a step of 开局, or with the dealer's first turn."""
        self.step = step
        if step < len(self.book.steps):
            self.phase = self.book.steps[step].verb
            self.waiting = [(self.dealer + n) % self.players for n in range(self.players)]
        else:
            self.table.game = self._game()
            self.phase, self.actor = "turn", self.dealer

    def _answered(self, seat: int) -> None:
        """A seat has done its part of a step, which everybody does at once."""
        self.waiting.remove(seat)
        if self.waiting:
            return
        if self.phase == "swap":
            for giver, state in enumerate(self.seats):
                for kind in state.given:
                    self.seats[self.book.swap_target(giver, self.direction)].tiles[kind] += 1
        self._open(self.step + 1)

    def _swappable(self, seat: int) -> list[int]:
        state = self.seats[seat]
        held = [kind for kind in range(KINDS) if state.tiles[kind]]
        if self.book.swap == "any_tiles":
            return held
        if state.given:
            suits = {state.given[0] // 9}
            in_suit = [kind for kind in held if kind // 9 in suits]
            return in_suit or held
        suits = {suit for suit in range(4) if sum(state.tiles[9 * suit : 9 * suit + 9]) >= 3}
        # A small hand may have no suit with three tiles; then any go.
        return [kind for kind in held if kind // 9 in suits] or held

    # ---- drawing ----

    def _drawable(self) -> list[int]:
        if self.wall is None:
            return [kind for kind in range(KINDS) if self.hidden[kind]]
        return [self.wall[0 if self.chain == 0 or self.book.replaces_from_front else -1]]

    def _draw(self, move: Move) -> None:
        assert move.tile is not None
        if self.wall is not None:
            self.wall.pop(0 if self.chain == 0 or self.book.replaces_from_front else -1)
        self.hidden[move.tile] -= 1
        self.left -= 1
        seat = self.seats[move.seat]
        seat.tiles[move.tile] += 1
        seat.drawn = move.tile
        seat.draws += 1
        seat.fresh.add(move.tile)
        seat.just_ponged = False
        seat.passed_pungs.clear()
        seat.passed_fan = seat.passed_money = -1
        self.target = None
        self.phase = "turn"

    def _turn(self, seat: int) -> None:
        """The turn of the first seat from `seat` on that still plays."""
        while not self.plays(seat):
            seat = (seat + 1) % self.players
        self.actor, self.chain = seat, 0
        for state in self.seats:
            state.drawn = None
            state.fresh.clear()
        self.target = None
        if self.left == 0 or self._over_by_wall():
            self._drawn()
        else:
            self.phase = "draw"

    def plays(self, seat: int) -> bool:
        """Whether a seat takes part."""
        return self.ledger.stays or seat not in self.table.won

    def _over_by_wall(self) -> bool:
        """Whether 终局 holds with so many tiles left: a hand may end before its wall does."""
        let = self.rules.rules.let("hand_over")
        if let is None:
            return False
        moment = self.table.moment(TableEvent("hand_over"))
        told = replace(moment, numbers={**moment.numbers, "wall_left": (self.left,) * 4})
        return bool(self.ledger.value(let.value, told))

    def _drawn(self) -> None:
        unwon = self.players - len(self.table.won)
        if self.ledger.stays or unwon >= 2:
            self.table.game = told_states(self)
            self._happened(Done(TableEvent("drawn")))
        self._end()

    def _end(self) -> None:
        self.is_over, self.phase, self.waiting = True, "over", []

    # ---- a turn ----

    def _of_turn(self, seat: int) -> list[Move]:
        moves = self._options(self.moves_by_tiles(seat))
        if not moves:
            head = self.rules.rules.sources[-1].head
            raise InputError([Diagnostic("E792", head, {"seat": seat, "ruleset": self.rules.title})])
        return moves

    def moves_by_tiles(self, seat: int) -> list[tuple[Move, str]]:
        """Everything that the tiles would allow in one's own turn, with its name for 许 禁 必."""
        state = self.seats[seat]
        moves: list[tuple[Move, str]] = [(Move(seat, "discard", k), "discard") for k in range(KINDS) if state.tiles[k]]
        if self.left:
            moves += [(Move(seat, v, k), v) for v in ("concealed_kong", "added_kong") for k in self._kongs(seat, v)]
        if self.judged(seat) is not None:
            moves.append((Move(seat, "win"), "self_draw"))
        return moves

    def _kongs(self, seat: int, verb: str) -> list[int]:
        state = self.seats[seat]
        if verb == "concealed_kong":
            return [kind for kind in range(KINDS) if state.tiles[kind] == 4]
        return sorted(m.tile for m in state.melds if m.type == "碰" and state.tiles[m.tile])

    def _options(self, moves: list[tuple[Move, str]]) -> list[Move]:
        """Of the moves that the tiles allow those that the rule file does, and of these those it demands."""
        allowed = [(move, name) for move, name in moves if self.refusal(move, name) is False]
        demanded = [move for move, name in allowed if self.demand(move, name)]
        return demanded or [move for move, _ in allowed]

    def refusal(self, move: Move, name: str) -> c.Permit | bool:
        """False, or why the rule file does not let a seat make a move: the 禁, or True where 许 is lacking."""
        return self.permits.refused(name, *self._asking(move))

    def demand(self, move: Move, name: str) -> c.Permit | None:
        """The 必 by which a move has to be made."""
        return self.permits.must(name, *self._asking(move))

    def _discard(self, move: Move) -> None:
        assert move.tile is not None
        seat = self.seats[move.seat]
        seat.tiles[move.tile] -= 1
        seat.discards.append(move.tile)
        seat.drawn = None
        seat.just_ponged = False
        self.target, self.robbing = (move.seat, move.tile), False
        self._ask()

    def _announce(self, move: Move) -> None:
        """A 巴杠: it stands when nobody robs it."""
        assert move.tile is not None
        self.target, self.robbing = (move.seat, move.tile), True
        self._ask()

    def _meld(self, move: Move, taken: int) -> None:
        """Puts own tiles into a meld."""
        state = self.seats[move.seat]
        assert move.tile is not None
        meld = Meld(MELD_WORDS[move.verb], move.tile)
        if move.verb == "chow":
            assert self.target
            for kind in meld.tiles:
                state.tiles[kind] -= kind != self.target[1]
        else:
            state.tiles[move.tile] -= taken
        if move.verb == "added_kong":
            state.melds[state.melds.index(Meld("碰", move.tile))] = meld
            self.shown[move.tile] += 1
        else:
            state.melds.append(meld)
            for kind in meld.tiles:
                self.shown[kind] += 1
        self.claimed_any = True

    def _kong(self, verb: str, seat: int, source: int | None, tile: int | None, late: bool) -> None:
        """The event of a kong, and the tile that replaces it."""
        self.actor = seat
        self.chain += 1
        self.seats[seat].drawn = None
        self.seats[seat].just_ponged = False
        flags = frozenset({"late"}) if late else frozenset[str]()
        if not self._happened(Done(TableEvent(verb, seat, source, flags=flags), tile)):
            self.phase = "draw"

    # ---- claims ----

    def _ask(self) -> None:
        """Who may want the tile of a discard or of a 巴杠."""
        assert self.target
        source = self.target[0]
        self.asked, self.answers = {}, {}
        for n in range(1, self.players):
            seat = (source + n) % self.players
            if self.plays(seat):
                claims = self._claims(seat)
                if claims:
                    self.asked[seat] = claims
        self.waiting = list(self.asked)
        self.phase = "claim"
        if not self.waiting:
            self._resolve()

    def claims_by_tiles(self, seat: int) -> list[tuple[Move, str]]:
        """The claims that a seat's tiles would allow, with their names for 许 禁 必."""
        assert self.target
        tile = self.target[1]
        state = self.seats[seat]
        claims: list[tuple[Move, str]] = []
        if self.judged(seat) is not None:
            claims.append((Move(seat, "win"), "rob_added_kong" if self.robbing else "discard_win"))
        if self.robbing:
            return claims
        if state.tiles[tile] >= 3 and self.left:
            claims.append((Move(seat, "direct_kong", tile), "direct_kong"))
        if state.tiles[tile] >= 2:
            claims.append((Move(seat, "pung", tile), "pung"))
        for low in range(tile, tile - 3, -1):
            others = [kind for kind in range(low, low + 3) if kind != tile]
            if tile < 27 and low >= 0 and low // 9 == tile // 9 and low % 9 <= 6:
                if all(state.tiles[kind] for kind in others):
                    claims.append((Move(seat, "chow", low), "chow"))
        return claims

    def _claims(self, seat: int) -> list[Move]:
        moves = self._options(self.claims_by_tiles(seat))
        if not moves or self.demanded(seat):
            return moves
        declined = Move(seat, "pass")
        return [*moves, declined] if self.refusal(declined, "pass") is False else moves

    def demanded(self, seat: int) -> c.Permit | None:
        """The 必 that keeps a seat from declining."""
        for move, name in self.claims_by_tiles(seat) if self.target else self.moves_by_tiles(seat):
            demand = self.demand(move, name) if self.refusal(move, name) is False else None
            if demand:
                return demand
        return None

    def _resolve(self) -> None:
        """Everybody has answered: what the highest claim does, and what the others have declined."""
        assert self.target
        source, tile = self.target
        for seat, legal in self.asked.items():
            self._declined(seat, legal, self.answers[seat])
        # In turn order, however the answers came.
        claims = [answer for seat in self.asked if (answer := self.answers[seat]).verb != "pass"]
        ranks = self.book.ranks
        best = min((ranks[move.verb] for move in claims), default=None)
        first = [move for move in claims if ranks[move.verb] == best]
        wins = tuple(move.seat for move in first if move.verb == "win")
        robbing = self.robbing
        if wins:
            winners = wins[:1] if self.book.nearest_wins else wins
            if robbing:
                self.seats[source].tiles[tile] -= 1
                self.seats[source].drawn = None  # which may have been this tile
            self._win("robbed_kong" if robbing else "discard_win", winners, source, tile)
        elif robbing:
            late = tile not in self.seats[source].fresh
            self._meld(Move(source, "added_kong", tile), 1)
            self._kong("added_kong", source, None, tile, late)
        elif first:
            self._claim(first[0])
        else:
            self.shown[tile] += 1
            self._turn((source + 1) % self.players)

    def _claim(self, move: Move) -> None:
        assert self.target
        source, tile = self.target
        for state in self.seats:
            state.fresh.clear()
        self.chain = 0
        self._meld(move, 3 if move.verb == "direct_kong" else 2)
        self.target = None
        if move.verb == "direct_kong":
            self._kong("direct_kong", move.seat, source, tile, False)
        else:
            self.seats[move.seat].just_ponged = move.verb == "pung"
            self.actor, self.phase = move.seat, "turn"

    def _declined(self, seat: int, legal: list[Move], answer: Move) -> None:
        """Remembers a win or a pung that a seat could have had and did not want, till its next draw."""
        state = self.seats[seat]
        verbs = {move.verb for move in legal}
        if "win" in verbs and answer.verb != "win":
            judged = self.judged(seat)
            assert judged
            state.passed_fan = max(state.passed_fan, judged.totals[0])
            state.passed_money = max(state.passed_money, judged.money)
        if "pung" in verbs and answer.verb not in ("pung", "direct_kong", "win") and self.target:
            state.passed_pungs.add(self.target[1])

    # ---- wins ----

    def flags(self, kind: str) -> frozenset[str]:
        """The facts of a win by how the play went."""
        flags = set()
        if kind != "robbed_kong" and self.chain:
            flags |= {"after_kong"} | ({"kong_chain"} if self.chain > 1 else set())
        if kind != "robbed_kong" and self.left == 0:
            flags.add("last_tile")
        if not self.claimed_any and self._is_first_round():
            if kind == "self_draw" or (kind == "discard_win" and self._is_first_discard()):
                flags.add("first_turn")
        return frozenset(flags)

    def _is_first_round(self) -> bool:
        """Nobody has had a second turn.  A win may pass a seat over, whose first draw then comes in a later round."""
        return all(state.draws <= (seat != self.dealer) for seat, state in enumerate(self.seats))

    def _is_first_discard(self) -> bool:
        assert self.target
        source = self.target[0]
        return source == self.dealer and len(self.seats[source].discards) == 1

    def win_kind(self, seat: int) -> str:
        """How a seat would win now."""
        if self.target is None or self.target[0] == seat:
            return "self_draw"
        return "robbed_kong" if self.robbing else "discard_win"

    def judged(self, seat: int) -> Judged | None:
        """What a win of this seat would be worth now; None where there is none."""
        kind = self.win_kind(seat)
        source = None if kind == "self_draw" or self.target is None else self.target[0]
        event = TableEvent(kind, None, source, (seat,), self.flags(kind))
        found = self._best_win(seat, event)
        return found[1] if found else None

    def _best_win(self, seat: int, event: TableEvent) -> tuple[Hand, Judged] | None:
        """The hand of a winner at an event, and what it is worth."""
        state = self.seats[seat]
        moment = self.table.moment(event).of(seat)
        if event.kind != "self_draw":
            assert self.target
            kinds = [self.target[1]]
        elif state.drawn is not None:
            kinds = [state.drawn]
        elif seat == self.dealer and state.draws == 0 and not self.claimed_any:
            # Of the fourteen that were dealt any may count as the winning one: the best does.
            kinds = [kind for kind in range(KINDS) if state.tiles[kind]]
        else:
            return None
        best: tuple[Hand, Judged] | None = None
        for kind in kinds:
            hand = self.hand(seat, kind, event, moment)
            if sum(hand.concealed) + 3 * len(hand.melds) != self.book.hand_size + 1:
                return None
            judged = self.rules.judge(hand, situation=moment)
            if judged.win and (best is None or (judged.money, judged.totals) > (best[1].money, best[1].totals)):
                best = hand, judged
        return best

    def hand(self, seat: int, win: int | None, event: TableEvent | None = None, moment: Moment | None = None) -> Hand:
        """A seat's hand as notation has it, completed by a winning tile that is another's."""
        state = self.seats[seat]
        tiles = list(state.tiles)
        if event and event.kind != "self_draw" and win is not None:
            tiles[win] += 1
        words = {_FLAG_WORDS[flag] for flag in event.flags} if event else set()
        if seat == self.dealer:
            words.add("庄家")
        after_kong = event is not None and moment is not None and "after_kong" in event.flags
        return Hand(
            tuple(tiles),
            tuple(state.melds),
            win,
            WIN_WORDS[event.kind] if event else "点炮",
            frozenset(words),
            state.void,
            tuple(self.shown),
            KONG_WORDS[moment.kong_kind] if after_kong and moment else None,
            tuple(sorted(state.stances.items())) if state.stances else (),
        )

    def _win(self, kind: str, winners: tuple[int, ...], source: int | None, tile: int | None) -> None:
        """A win with all its winners.  The winning tile is set aside, the hand stays as it waited."""
        flags = self.flags(kind)
        event = TableEvent(kind, None, source, winners, flags)
        hands = {}
        worth = [0, 0, 0, 0]
        for seat in winners:
            found = self._best_win(seat, event)
            assert found
            hands[seat] = found
            worth[seat] = found[1].money
        if kind == "self_draw":
            tile = hands[winners[0]][0].win
            assert tile is not None
            self.seats[winners[0]].tiles[tile] -= 1
            self.seats[winners[0]].drawn = None
        assert tile is not None
        event = replace(event, worth=(worth[0], worth[1], worth[2], worth[3]))
        over = self._happened(Done(event, tile, hands))
        self.shown[tile] += 1
        if over:
            return
        after = winners[0] if source is None or not self.book.after_discarder else source
        self._turn((after + 1) % self.players)

    # ---- events ----

    def _happened(self, done: Done) -> bool:
        """Adds an event; whether the hand is over by it."""
        number = len(self.done)
        self.done.append(done)
        self.table.finish(number, done.event)
        over = self.ledger.is_over(self.table, done.event)
        if sum(self.plays(seat) for seat in range(self.players)) < 2:
            over = True
        if over:
            self._end()
        return over

    # ---- words ----

    def _asking(self, move: Move) -> tuple[Hand, Asking, Judged | None]:
        """The hand, the table, and for a win its worth, as a condition about a move sees them."""
        seat = move.seat
        claiming = self.phase == "claim" or (self.target is not None and self.target[0] != seat)
        source = self.target[0] if claiming and self.target else None
        tile = self.target[1] if claiming and self.target and move.tile is None else move.tile
        if move.verb == "chow" and self.target:
            tile = self.target[1]
        judged = None
        if move.verb == "win":
            kind = self.win_kind(seat)
            event = TableEvent(kind, None, source, (seat,), self.flags(kind))
            found = self._best_win(seat, event)
            assert found
            hand, judged = found
            tile = hand.win
        else:
            kong = move.verb.endswith("_kong")
            event = TableEvent(move.verb, seat if kong else None, source)
            hand = self.hand(seat, None)
        moment = self.table.moment(event)
        if move.verb == "added_kong" and move.tile not in self.seats[seat].fresh:
            moment = replace(moment, flags=moment.flags - {"at_once"})
        asking = Asking(seat, self.players, moment, words_of(self, move, tile), tile, self.seats[seat].drawn, source)
        return hand, asking, judged
