"""Sichuan mahjong rules as data: load a rule file, score hands, list waits.

>>> import pyengine
>>> rules = pyengine.load("sichuan/classic", 封顶="16倍")
>>> rules.score("111333444m22266p", win="6p", by="点炮").total
'2倍'
"""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from pyengine.language.diagnostics import Diagnostic, InputError, RuleError, RulespecError

if TYPE_CHECKING:
    from pyengine.engine.ruleset import Ruleset

__all__ = [
    "Diagnostic",
    "InputError",
    "RuleError",
    "Ruleset",
    "RulespecError",
    "load",
    "pack",
    "pack_melds",
    "rulesets",
]

try:
    __version__ = version("rulespec")
except PackageNotFoundError:  # a checkout that was never installed
    __version__ = "0"


def load(name: str | os.PathLike[str], **options: object) -> Ruleset:
    """The rule set of an id (`sichuan/classic`) or of the path of a rule file.

    Options are given by name: `load("sichuan/classic", 封顶="16倍", 底分=5)`.  RuleError when the
    file has mistakes, InputError when there is no such rule set, option or value.
    """
    from pyengine.engine.ruleset import Ruleset, option_values
    from pyengine.language.load import load_rules

    name = os.fspath(name)
    rules = load_rules(name)
    return Ruleset(rules, option_values(rules, options), name)


def rulesets() -> list[tuple[str, str, str]]:
    """The rule sets that come with the package: (id, title, path)."""
    from pyengine.language.inherit import shipped

    return shipped()


def __getattr__(name: str) -> object:
    if name == "Ruleset":
        from pyengine.engine.ruleset import Ruleset

        return Ruleset
    if name in ("pack", "pack_melds"):
        from pyengine.engine import hands

        return getattr(hands, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
