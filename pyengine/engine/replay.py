"""A record of play is played again: each move checked, and what it says compared with what follows from it.

InputError names the first move that cannot be, with the rule that is against it and what could be done.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pyengine.engine.dealing import dealt
from pyengine.engine.finish import settled
from pyengine.engine.moves import Move
from pyengine.engine.play import Play
from pyengine.engine.settle import GameResult
from pyengine.engine.table import Impossible
from pyengine.language import core as c
from pyengine.language import vocabulary
from pyengine.language.diagnostics import Diagnostic, InputError, Related
from pyengine.language.source import Span
from pyengine.language.values import read_values
from pyengine.notation import tiles
from pyengine.notation.records import Record, RecordMove, write_move

if TYPE_CHECKING:
    from pyengine.engine.ruleset import Ruleset

MANY = 40  # legal moves that a message lists


class Replay:
    """A record on its way: `play` is the table as far as it has come."""

    def __init__(self, rules: Ruleset, record: Record) -> None:
        self.rules = rules
        self.record = record
        self.book = rules.playbook
        self.play = self._start()
        self.thrown: tuple[int, int, int] | None = None  # seat and tile of the last discard, kongs before it
        self._opening()

    def play_moves(self) -> None:
        """All moves of the record; what is still to be answered stays open."""
        for move in self.record.moves:
            self.move(move)

    def can(self, written: RecordMove) -> bool:
        """Whether a move could be made now."""
        return self.matching(written) is not None

    def run(self) -> Play:
        """Plays the whole record; InputError where a move cannot be, or where the hand is not over at its end."""
        self.play_moves()
        self.close()
        if not self.play.is_over:
            seat = self.play.pending[0]
            span = self.record.moves[-1].span if self.record.moves else self.record.spans[""]
            raise _refuse("E797", span, seat=seat, legal=self.shown(seat))
        return self.play

    # ---- the deal ----

    def _start(self) -> Play:
        record, book = self.record, self.book
        if record.dealer >= book.players:
            raise _refuse("E872", record.spans.get("dealer"), seat=record.dealer, players=book.players)
        deal, wall, horses = dealt(book, record)
        if record.direction and record.direction not in book.directions:
            raise _refuse("E755", record.spans["swap"], what="direction")
        return Play(book, record.dealer, deal, wall, record.direction or book.directions[0], horses)

    def _opening(self) -> None:
        """Swapped tiles, void suits and stances, which stand beside the moves."""
        record, play = self.record, self.play
        told = {"swap": record.swaps, "void": record.voids, "declare": record.stances}
        keys = {"swap": "swap", "void": "void", "declare": "stances"}
        verbs = {step.verb for step in self.book.steps}
        for verb, given in told.items():
            if given and verb not in verbs:
                raise _refuse("E755", record.spans[keys[verb]], what=keys[verb])
        while play.phase in told:
            verb = play.phase
            span = record.spans.get(keys[verb], record.spans[""])
            for seat in play.pending:
                if seat not in told[verb]:
                    raise _refuse("E756", span, what=keys[verb], seat=seat)
                for move in self._step(verb, seat, span):
                    if move not in play.legal(seat):
                        shown = tiles.NAMES[move.tile] if verb == "swap" and move.tile is not None else ""
                        raise _refuse("E757", span, what=keys[verb], seat=seat, tile=shown)
                    play.apply(move)

    def _step(self, verb: str, seat: int, span: Span) -> list[Move]:
        record = self.record
        if verb == "swap":
            if len(record.swaps[seat]) != 3:
                raise _refuse("E758", span, seat=seat, n=len(record.swaps[seat]))
            return [Move(seat, verb, kind) for kind in record.swaps[seat]]
        if verb == "void":
            return [Move(seat, verb, record.voids[seat])]
        name = self.book.steps[self.play.step].stance
        assert name
        declared = self.rules.rules.stances
        unknown = ("E888", {"known": " ".join(declared)})
        values, wrong = read_values(declared, record.stances[seat], unknown, lambda _: span)
        if wrong:
            raise InputError(wrong)
        value = values.get(name, declared[name].value)
        return [Move(seat, verb, self.book.declared(name).index(value))]

    # ---- moves ----

    def move(self, written: RecordMove) -> None:
        """One move of the record."""
        play = self.play
        if play.phase == "claim" and not (written.verb in _CLAIMS and written.seat in play.waiting):
            if not self._speaks_of_claim(written):
                self.close(written)
        if play.is_over:
            raise _refuse("E798", written.span, move=written.span.text)
        if written.verb == "pass" and play.phase == "turn":
            self._passed_turn(written)
            return
        move = self.matching(written)
        if move is None:
            raise InputError([self.why_not(written)])
        before = len(play.done)
        late = self._is_late(move)
        if move.verb not in _CLAIMS:
            self.thrown = None
        if move.verb == "discard" and move.tile is not None:
            self.thrown = move.seat, move.tile, play.chain
        play.apply(move)
        self.compare(written, before, late)

    def _speaks_of_claim(self, written: RecordMove) -> bool:
        """Whether a move that nobody has to answer still is about the tile to be claimed: it is told why not."""
        source, tile = self.play.target or (None, None)
        if written.verb in ("draw", "discard") or written.seat == source:
            return False
        return written.tile in (tile, None) or written.verb in ("chow", "pung", "direct_kong")

    def close(self, written: RecordMove | None = None) -> None:
        """Who has said nothing to a tile has declined it."""
        play = self.play
        while play.phase == "claim":
            seat = play.waiting[0]
            declined = Move(seat, "pass")
            if declined not in play.legal(seat):
                span = written.span if written else self.record.moves[-1].span
                demand = play.demanded(seat)
                related = (Related(demand.declaration.span, "rule"),) if demand else ()
                facts = {"seat": seat, "legal": self.shown(seat)}
                raise InputError([Diagnostic("E753", span, facts, related)])
            play.apply(declined)

    def matching(self, written: RecordMove) -> Move | None:
        """The legal move that was written."""
        play = self.play
        if written.seat not in play.pending:
            return None
        for move in play.legal(written.seat):
            if move.verb == written.verb and self._same_tile(move, written.tile):
                return move
        return None

    def _same_tile(self, move: Move, tile: int | None) -> bool:
        if move.verb == "draw":
            return tile == move.tile or (tile is None and self.play.wall is not None)
        if move.verb in ("win", "pass"):
            if tile is None:
                return True
            if self.play.target:
                return tile == self.play.target[1]
            state = self.play.seats[move.seat]
            return tile == state.drawn or (state.drawn is None and state.tiles[tile] > 0)
        return move.tile == tile

    def _passed_turn(self, written: RecordMove) -> None:
        """过 in one's own turn says that a self-draw was declined; there must have been one to decline."""
        play = self.play
        moves = play.legal(play.actor)
        wins = [move for move in moves if move.verb == "win"]
        if written.seat != play.actor or not wins or moves == wins:
            raise InputError([self.why_not(written)])

    def _is_late(self, move: Move) -> bool:
        return move.verb == "added_kong" and move.tile not in self.play.seats[move.seat].fresh

    # ---- what the record says ----

    def compare(self, written: RecordMove, before: int, late: bool) -> None:
        """What the record says of a move must be what follows from the moves."""
        play = self.play
        if not written.said:
            return
        true = {"late" if late else "at_once"} if written.verb == "added_kong" else set[str]()
        if written.verb == "win":
            if len(play.done) > before:
                event = play.done[-1 if play.done[-1].event.winners else -2].event
                true |= {event.kind, *event.flags}
            else:
                kind = play.win_kind(written.seat)
                true |= {kind, *play.flags(kind)}
        for fact in written.said:
            if fact not in true:
                follows = " ".join(sorted(map(_fact_word, true))) or "–"
                raise _refuse("E799", written.span, said=_fact_word(fact), true=follows)

    # ---- why not ----

    def shown(self, seat: int) -> str:
        """The legal moves of a seat, as a record would have them."""
        moves = self.play.legal(seat) if seat in self.play.pending else []
        shown = [self.written(move) for move in moves[:MANY]]
        return ", ".join(shown) + (" …" if len(moves) > MANY else "")

    def written(self, move: Move) -> str:
        tile = move.tile
        if move.verb == "win" and self.play.target:
            tile = self.play.target[1]
        return write_move(move.seat, move.verb, tile)

    def why_not(self, written: RecordMove) -> Diagnostic:
        """What is against a move, with everything that could be done instead."""
        play = self.play
        seat, span = written.seat, written.span
        pending = play.pending
        legal = "; ".join(filter(None, (self.shown(s) for s in pending)))
        facts: dict[str, object] = {"seat": seat, "move": span.text.strip("\"' "), "legal": legal}
        if seat >= play.players:
            return Diagnostic("E872", span, {"seat": seat, "players": play.players})
        if not play.plays(seat):
            return Diagnostic("E873", span, facts)
        if self._claims_what_was_left(written):
            with self._still_lying():
                return self._by_tiles(written, facts)
        claiming = play.phase == "claim"
        in_turn = {"turn": ("discard", "concealed_kong", "added_kong", "win", "pass"), "draw": ("draw",)}
        fits = _CLAIMS if claiming else in_turn.get(play.phase, ())
        if written.verb not in fits or (claiming and play.target and seat == play.target[0]):
            code = "E796" if seat not in pending else "E795"
            return Diagnostic(code, span, {**facts, "turn": " ".join(map(str, pending))})
        if not claiming and seat not in pending:
            return Diagnostic("E796", span, {**facts, "turn": " ".join(map(str, pending))})
        if written.verb == "draw":
            return Diagnostic("E754", span, facts)
        return self._by_tiles(written, facts)

    def _claims_what_was_left(self, written: RecordMove) -> bool:
        """Whether a move claims the last discard, which nobody took and the play has gone on from."""
        play = self.play
        if play.phase != "draw" or self.thrown is None or written.verb not in _CLAIMS or written.verb == "pass":
            return False
        source, tile, _ = self.thrown
        taken = any(answer.verb != "pass" for answer in play.answers.values())
        return not taken and written.seat != source and (written.verb == "chow" or written.tile in (tile, None))

    @contextmanager
    def _still_lying(self) -> Iterator[None]:
        """The table as it was when the last discard could still be claimed, to say what is against a claim."""
        play = self.play
        assert self.thrown
        source, tile, chain = self.thrown
        now = play.phase, play.target, play.robbing, play.chain
        play.phase, play.target, play.robbing, play.chain = "claim", (source, tile), False, chain
        play.shown[tile] -= 1
        try:
            yield
        finally:
            play.phase, play.target, play.robbing, play.chain = now
            play.shown[tile] += 1

    def _by_tiles(self, written: RecordMove, facts: dict[str, object]) -> Diagnostic:
        """A move of the right kind by the right seat that the tiles or the rules do not allow."""
        play = self.play
        seat, span = written.seat, written.span
        claiming = play.phase == "claim"
        if claiming and seat in play.answers:
            return Diagnostic("E759", span, facts)
        own = {**facts, "legal": self.shown(seat)}
        held = play.claims_by_tiles(seat) if claiming else play.moves_by_tiles(seat)
        if written.verb == "pass":
            wanted = [(move, name) for move, name in held if move.verb == "win" or claiming]
            demand = play.demanded(seat) if wanted else None
            return self._against("E753", span, own, demand) if demand else Diagnostic("E751", span, facts)
        if claiming and play.target and written.tile is not None and written.verb != "chow":
            if written.tile != play.target[1]:
                return Diagnostic("E794", span, {**facts, "tile": tiles.NAMES[play.target[1]]})
        for move, name in held:
            if move.verb == written.verb and self._same_tile(move, written.tile):
                refusal = play.refusal(move, name)
                if refusal is True:
                    return Diagnostic("E752", span, facts)
                if isinstance(refusal, c.Permit):
                    return self._against("E750", span, facts, refusal)
                return self._against("E753", span, own, play.demanded(seat))
        if written.verb == "discard" and written.tile is not None:
            return Diagnostic("E793", span, {**facts, "tile": tiles.NAMES[written.tile]})
        return Diagnostic("E789", span, {**facts, "hand": str(play.hand(seat, None)), "left": play.left})

    def _against(self, code: str, span: Span, facts: dict[str, object], permit: c.Permit | None) -> Diagnostic:
        related = (Related(permit.declaration.span, "rule"),) if permit else ()
        rule = " ".join(permit.declaration.span.text.split()) if permit else ""
        return Diagnostic(code, span, {**facts, "rule": rule}, related)


_CLAIMS = ("chow", "pung", "direct_kong", "win", "pass")


def _refuse(code: str, span: Span | None, **facts: object) -> InputError:
    return InputError([Diagnostic(code, span, facts)])


def replay(rules: Ruleset, record: Record) -> GameResult:
    """Plays a record to its end, settles it, and compares what it says of the end with what came of it."""
    play = Replay(rules, record).run()
    try:
        result = settled(play)
    except Impossible as problem:
        raise _refuse(problem.code, record.spans[""], **problem.facts) from None
    states = play.table.game.states if any(d.event.kind == "drawn" for d in play.done) else (None,) * 4
    found = []
    for seat, said in record.states.items():
        if said != states[seat]:
            facts = {"seat": seat, "said": _state_word(said), "true": _state_word(states[seat])}
            found.append(Diagnostic("E766", record.spans["states"], facts))
    if record.deltas is not None and record.deltas != result.deltas:
        facts = {"said": " ".join(map(str, record.deltas)), "true": " ".join(map(str, result.deltas))}
        found.append(Diagnostic("E767", record.spans["deltas"], facts))
    if record.next_dealer is not None and record.next_dealer != result.next_dealer:
        facts = {"said": record.next_dealer, "true": "–" if result.next_dealer is None else result.next_dealer}
        found.append(Diagnostic("E768", record.spans["next_dealer"], facts))
    if found:
        raise InputError(found)
    return result


def _fact_word(english: str) -> str:
    words = {e.english: e.word for e in (*vocabulary.win_flags(), *vocabulary.win_kinds())}
    return (words | {"late": "不即时", "at_once": "即时"}).get(english, english)


def _state_word(english: str | None) -> str:
    entry = vocabulary.find(english or "", "seats", "reserved")
    return entry.word if entry else "–"
