"""Files of games for `rulespec settle`: the games of a case file, or one game that is the whole file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pyengine.language.diagnostics import Diagnostic, InputError, from_unreadable
from pyengine.language.source import Unreadable, read
from pyengine.notation import yamlfile
from pyengine.notation.fields import Fields
from pyengine.notation.games import Game, read_game
from pyengine.tools.casefile import GameCase, load_cases, not_too_many


@dataclass(frozen=True, slots=True)
class NamedGame:
    """A game with the name and the options that its file gives it."""

    id: str
    options: Mapping[str, str]
    game: Game


def load_games(path: Path) -> list[NamedGame]:
    """The games of a YAML or JSON file; InputError with all that is wrong in it."""
    try:
        source = read(path)
    except Unreadable as error:
        raise InputError([from_unreadable(error)]) from None
    document, found = yamlfile.load(source)
    if document is None:
        raise InputError(found)
    if isinstance(document.data, dict) and "games" in document.data:
        cases, found = load_cases(source)
        games = [NamedGame(c.id, c.options, c.game) for c in cases.cases if isinstance(c, GameCase)]
    else:
        fields = Fields(document, (), found)
        for ignored in ("id", "source"):
            fields.text(ignored)
        options = fields.scalars("set") or {}
        game: Game = read_game(fields, expected=False)["game"]
        fields.text("ruleset")
        fields.done()
        games = [NamedGame(path.stem, options, game)]
    if found:
        raise InputError(not_too_many(found))
    if not games:
        raise InputError([Diagnostic("E915", None, {"path": path})])
    return games
