"""Rule files are checked: what the language finds in them and what their examples show, for people or as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyengine.engine.many import Path
from pyengine.engine.ruleset import Ruleset, option_values
from pyengine.language.core import Rules
from pyengine.language.diagnostics import Diagnostic, InputError, Lang, as_json
from pyengine.language.load import check_source, open_source
from pyengine.tools.examples import Ran, run_examples
from pyengine.tools.show import Screen


@dataclass(frozen=True, slots=True)
class Checked:
    """A rule file and everything found in it; `rules` is None where there are errors."""

    name: str
    rules: Rules | None
    diagnostics: tuple[Diagnostic, ...]
    unreadable: bool = False
    examples: int = 0
    laws: int = 0

    @property
    def ok(self) -> bool:
        return not any(diagnostic.is_error for diagnostic in self.diagnostics)

    def as_json(self, lang: Lang) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "file": self.name,
            "ok": self.ok,
            "examples": self.examples,
            "laws": self.laws,
            "diagnostics": [as_json(diagnostic, lang) for diagnostic in self.diagnostics],
        }


def check_file(name: str) -> Checked:
    """The file of a rule set, by id or path, and what is to be said about it."""
    try:
        source, here = open_source(name)
    except InputError as error:
        return Checked(name, None, error.diagnostics, unreadable=True)
    rules, found = check_source(source, here)
    ran = run_examples(rules, name) if rules else Ran(0, 0, [])
    found += ran.diagnostics
    found.sort(key=lambda wrong: (wrong.span.source.name, wrong.span.start) if wrong.span else ("", 0))
    return Checked(source.name, rules, tuple(found), examples=ran.examples, laws=ran.laws)


def show_checked(screen: Screen, checked: Checked, verbose: bool) -> None:
    """The diagnostics of a file, or that there are none."""
    screen.diagnostics(checked.diagnostics)
    if not checked.diagnostics:
        screen.line(screen.say("show.checked", path=checked.name))
    if verbose and checked.rules:
        rules = checked.rules
        facts = {"title": rules.title, "fans": len(rules.fans), "options": len(rules.options)}
        screen.line(screen.say("show.checked_title", **facts))
        screen.line(screen.say("show.checked_examples", n=checked.examples, laws=checked.laws))
        if rules.is_playable:
            show_path(screen, Ruleset(rules, option_values(rules, {}), checked.name))


def show_path(screen: Screen, rules: Ruleset) -> None:
    """How batches of hands are scored under these rules, and why."""
    path = rules.batch_path()
    screen.line(screen.say(f"show.path.{path.reason}", **_sizes(path)))
    if path.folded and path.info["sees_win"]:
        won = rules.batch_path(won=True)
        screen.line(screen.say("show.path.won" if won.folded else "show.path.sees_win", **_sizes(won)))


def _sizes(path: Path) -> dict[str, int]:
    """Of the tables, as the messages name them."""
    if not path.folded:
        return {}
    sizes = {"suits": "n_suit_classes", "joined": "n_joined", "worths": "n_worths"}
    return {"kilobytes": path.info["bytes"] // 1024} | {name: path.info[own] for name, own in sizes.items()}
