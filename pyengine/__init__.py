"""Sichuan mahjong rules as data: load a rule file, score hands, list waits.

>>> import pyengine
>>> rules = pyengine.load("sichuan/classic", 封顶="16倍")
>>> rules.score("111333444m22266p", win="6p", by="点炮").total
'2倍'
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyengine.engine.hands import pack, pack_melds
    from pyengine.engine.ruleset import Ruleset
    from pyengine.language.diagnostics import Diagnostic, InputError, RuleError, RulespecError

    __version__: str

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

# Where the names are that are looked up when they are first asked for: whoever imports one module
# of the package need not wait for the others.
_HOMES = {
    **dict.fromkeys(("Diagnostic", "InputError", "RuleError", "RulespecError"), "pyengine.language.diagnostics"),
    **dict.fromkeys(("pack", "pack_melds"), "pyengine.engine.hands"),
    "Ruleset": "pyengine.engine.ruleset",
}


def load(name: str | os.PathLike[str], **options: object) -> Ruleset:
    """The rule set of an id (`sichuan/classic`) or of the path of a rule file.

    Options are given by name: `load("sichuan/classic", 封顶="16倍", 底分=5)`.  RuleError when the
    file has mistakes, InputError when there is no such rule set, option or value.
    """
    from pyengine.engine.ruleset import Ruleset, option_values
    from pyengine.language.diagnostics import InputError, unfit
    from pyengine.language.load import load_rules

    if not isinstance(name, str | os.PathLike) or isinstance(name := os.fspath(name), bytes):
        raise InputError([unfit("name", "ruleset", name)])
    rules = load_rules(name)
    return Ruleset(rules, option_values(rules, options), name)


def rulesets() -> list[tuple[str, str, str]]:
    """The rule sets that come with the package: (id, title, path)."""
    from pyengine.language.inherit import shipped

    return shipped()


def __getattr__(name: str) -> object:
    if name == "__version__":
        return _version()
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("rulespec")
    except PackageNotFoundError:  # a checkout that was never installed
        return "0"
