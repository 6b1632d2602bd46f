"""Records of play are replayed: for cases, and for the files that `rulespec replay` is given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyengine.language.diagnostics import Diagnostic, InputError
from pyengine.notation.games import GameExpectation
from pyengine.notation.records import Record, RecordMove, write_move

if TYPE_CHECKING:
    from pyengine.engine.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that came out otherwise than expected."""

    what: str
    expected: Any
    actual: Any


def run_record(record: Record, expect: GameExpectation, rules: Any) -> tuple[Any, list[Difference]]:
    """The settled game of a record, or what is otherwise than expected of a part of one."""
    if not expect.is_of_part:
        return rules.replay(record), []
    if expect.because and not expect.illegal:
        return None, _refused_whole(record, expect.because, rules)
    from pyengine.engine.replay import Replay

    found = []
    replay = Replay(rules, record)
    try:
        replay.play_moves()
        if expect.illegal:
            replay.close()
    except InputError as error:
        if expect.illegal is None:
            raise
        found += _refused(record, expect, error.diagnostics[0])
    else:
        found += [Difference("illegal", _text(expect.illegal), "–")] if expect.illegal else []
    for key, moves, wanted in (("can", expect.can, True), ("cannot", expect.cannot, False)):
        wrong = [_text(move) for move in moves if replay.can(move) != wanted]
        if wrong:
            legal = [replay.shown(seat) for seat in replay.play.pending]
            found.append(Difference(key, wrong, legal))
    return None, found


def _refused_whole(record: Record, because: str, rules: Any) -> list[Difference]:
    """How a record comes out that is to be refused, if not with that code."""
    try:
        rules.replay(record)
    except InputError as error:
        code = error.diagnostics[0].code
        return [] if code == because else [Difference("because", because, code)]
    return [Difference("because", because, "–")]


def _refused(record: Record, expect: GameExpectation, wrong: Diagnostic) -> list[Difference]:
    """How the first illegal move differs from the expected one."""
    assert expect.illegal
    found = []
    move = next((m for m in record.moves if wrong.span == m.span), None)
    if move is None or _text(move) != _text(expect.illegal):
        found.append(Difference("illegal", _text(expect.illegal), _text(move) if move else wrong.code))
    if expect.because and expect.because != wrong.code:
        found.append(Difference("because", expect.because, wrong.code))
    return found


def _text(move: RecordMove) -> str:
    return write_move(move.seat, move.verb, move.tile)


@dataclass(frozen=True, slots=True)
class Replayed:
    """A record that was replayed: its settled game, or why it is refused."""

    id: str
    result: Any = None
    diagnostics: tuple[Diagnostic, ...] = field(default=())


def replay_file(rules: Ruleset, path: Path, options: dict[str, str]) -> Iterator[Replayed]:
    """Every record of a file; InputError where the file itself cannot be read."""
    from pyengine.tools.recordfile import load_records

    for named in load_records(path):
        try:
            result = rules.with_options({**named.options, **options}).replay(named.record)
            yield Replayed(named.id, result)
        except InputError as error:
            yield Replayed(named.id, None, tuple(error.diagnostics))
