"""Where the files are that belong to the package but are not Python.

In a wheel `grammar/` and `rulespec/` of the source tree are folders of `pyengine/data/`; in a
checkout they stand beside the package.
"""

from __future__ import annotations

import hashlib
import json
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


def saved(name: str) -> Path:
    """A YAML file of `grammar/` as the build left it, which is read in a fraction of the time; may be missing or out
    of date."""
    return _PACKAGE / "data" / f"{name}.tables"


@cache
def data(name: str) -> Any:
    """A YAML file of `grammar/`, loaded once; treat it as constant."""
    content = grammar(name).read_bytes()
    try:
        mark, _, kept = saved(name).read_bytes().partition(b"\n")
    except OSError:
        return _read_yaml(content)
    return json.loads(kept) if mark == _fingerprint(content) else _read_yaml(content)


def save(name: str, path: Path) -> None:
    """Writes what `saved` finds; the build calls this."""
    content = grammar(name).read_bytes()
    kept = json.dumps(_read_yaml(content), ensure_ascii=False).encode()
    assert json.loads(kept) == _read_yaml(content), f"{name} has more than JSON can say"
    path.write_bytes(_fingerprint(content) + b"\n" + kept)


def _fingerprint(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def _read_yaml(content: bytes) -> Any:
    import yaml

    return yaml.load(content, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
