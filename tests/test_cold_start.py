"""A program that loads rules and scores a hand waits for no more than that needs."""

from __future__ import annotations

import subprocess
import sys

LOAD = "import sys, pyengine; rules = pyengine.load('sichuan/xuezhan')"
SCORE = f"{LOAD}; rules.score('111333444m22266p', win='6p').points"

# Each takes as long to import as a rule file to read, or is far from what is asked for.
OTHERS = {
    *("numpy", "yaml", "click", "rich", "concurrent.futures"),
    *("pyengine.engine.flows", "pyengine.engine.ledger", "pyengine.engine.table", "pyengine.engine.settle"),
    *("pyengine.engine.oracle", "pyengine.engine.playprogram", "pyengine.engine.explain"),
    *("pyengine.engine.kernel.games", "pyengine.engine.kernel.play", "pyengine.engine.kernel.spaces"),
    *("pyengine.language.lint", "pyengine.language.mistakes", "pyengine.notation.games"),
}


def told(code: str, what: str) -> str:
    """What a fresh process says when it has done this."""
    run = subprocess.run([sys.executable, "-c", f"{code}; print({what})"], capture_output=True, text=True, check=True)
    return run.stdout.strip()


def test_loading_imports_only_what_it_needs() -> None:
    assert not OTHERS & set(told(LOAD, "*sys.modules").split())


def test_scoring_a_hand_imports_no_arrays_and_no_games() -> None:
    assert not {"numpy", "yaml", "pyengine.engine.ledger"} & set(told(SCORE, "*sys.modules").split())


def test_a_file_without_mistakes_needs_no_parser_but_its_tables() -> None:
    """Making lark's own takes as long as all the rest of loading."""
    parsers = "sys.modules['pyengine.language.syntax']._parser.cache_info().currsize"
    assert told(LOAD, parsers) == "0"
