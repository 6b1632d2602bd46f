"""Case files that the commands are given: by path, or all of a folder."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from pyengine.language.diagnostics import Diagnostic
from pyengine.language.inherit import is_shipped


def case_files(paths: Iterable[Path]) -> tuple[list[Path], list[Diagnostic]]:
    """The case files that some paths stand for, each once; folders are searched."""
    files: dict[Path, None] = {}
    found: list[Diagnostic] = []
    for path in paths:
        if path.suffix == ".rule" or (is_shipped(path.as_posix()) and not os.path.exists(path)):
            found.append(Diagnostic("E916", None, {"path": path}))
            continue
        if not os.path.isdir(path):  # Path.is_dir raises for names that no file can have.
            files[path] = None
            continue
        inside = sorted(p for suffix in ("yaml", "yml") for p in path.rglob(f"*.{suffix}") if _is_open(p, path))
        if not inside:
            found.append(Diagnostic("E913", None, {"path": path}))
        files |= dict.fromkeys(inside)
    return list(files), found


def _is_open(path: Path, folder: Path) -> bool:
    """Whether a path is outside hidden folders such as .git or .venv."""
    return not any(part.startswith(".") for part in path.relative_to(folder).parts)


def ruleset_of_case(word: str, case_file: Path) -> str:
    """What a case file calls its rules: an id, or a path, looked for from the case file's folder first."""
    beside = case_file.parent / word
    return str(beside) if beside.suffix == ".rule" and os.path.isfile(beside) else word
