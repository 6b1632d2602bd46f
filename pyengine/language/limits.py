"""How much the engine holds of what a file declares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyengine.language import model as m
from pyengine.language.diagnostics import Diagnostic
from pyengine.language.inherit import Table

MAX_FANS = 64
MAX_SHAPES = 16
MAX_STANCES = 8
MAX_CHOICES = 4096


def beyond_limits(table: Table) -> Iterator[Diagnostic]:
    """The first declaration of each kind that there is no room for."""
    options: list[Any] = table.of(m.OptionDecl)
    picks: list[Any] = table.of(m.PickDecl)
    limited: tuple[tuple[str, list[Any], int], ...] = (
        ("番种", table.of(m.FanDecl), MAX_FANS),
        ("胡型", table.of(m.ShapeDecl), MAX_SHAPES),
        ("声明", [d for d in options if d.stance], MAX_STANCES),
    )
    for keyword, declared, limit in limited:
        if len(declared) > limit:
            facts = {"what": (f"keyword.{keyword}",), "limit": limit, "count": len(declared)}
            yield Diagnostic("E403", declared[limit].name.span, facts)
    choices = 1
    for pick in picks:
        choices *= len(pick.fans)
        if choices > MAX_CHOICES:
            yield Diagnostic("E407", pick.name.span, {"limit": MAX_CHOICES})
            return
