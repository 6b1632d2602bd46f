"""Where the files are that belong to the package but are not Python.

In a wheel `grammar/` and `rulespec/` of the source tree are folders of `pyengine/data/`; in a
checkout they stand beside the package.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).resolve().parent


def _folder(name: str) -> Path:
    packaged = _PACKAGE / "data" / name
    return packaged if packaged.is_dir() else _PACKAGE.parent / name


def grammar(name: str) -> Path:
    """A file of `grammar/`."""
    return _folder("grammar") / name


def parser_tables() -> Path:
    """The grammar's tables as the build left them; may be missing or out of date."""
    return _PACKAGE / "data" / "parser.tables"


def rulesets() -> Path:
    """The folder of the shipped rule files; an id is a path under it without `.rule`."""
    return _folder("rulespec")


@cache
def data(name: str) -> Any:
    """A YAML file of `grammar/`, loaded once; treat it as constant."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with grammar(name).open(encoding="utf-8") as file:
        return yaml.load(file, Loader=loader)
