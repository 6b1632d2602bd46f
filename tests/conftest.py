"""Tests find their helpers in `support`; messages are compared in one language unless a test says otherwise."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def _one_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULESPEC_LANG", "zh")


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few rows are already worth a thread."""
    from pyengine.engine import many

    monkeypatch.setattr(many, "LOOKED_UP", 64)
    monkeypatch.setattr(many, "IN_COLUMNS", 16)
