"""Tiles, melds and readings drawn for people.

On a terminal with colours 万 are red with Chinese numerals, 筒 blue, 条 green, honours bold; the
plain form, `123万 55筒 东`, can be read back as a hand.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.text import Text

from pyengine.notation import tiles
from pyengine.notation.hand import Hand
from pyengine.notation.melds import Meld

_NUMERALS = "一二三四五六七八九"
_STYLES = ("red", "blue", "green", "bold")


def draw(kinds: Iterable[int], color: bool = False) -> Text:
    """Tiles in the order given; neighbours of one suit share its sign."""
    drawn = Text()
    for piece in tiles.runs_of_suits(kinds):
        if drawn:
            drawn.append(" ")
        suit = piece[0] // 9
        text = tiles.chinese(piece)
        if color and suit == 0:
            text = "".join(_NUMERALS[kind] for kind in piece) + tiles.SUIT_WORDS[suit]
        drawn.append(text, _STYLES[suit] if color else None)
    return drawn


def draw_meld(meld: Meld, color: bool = False) -> Text:
    """`碰 555条`."""
    return Text(f"{meld.type} ").append_text(draw(meld.tiles, color))


def draw_hand(hand: Hand, color: bool = False) -> Text:
    """The melds, then the concealed tiles, the winning tile behind them: `碰 555条 123万 55筒 胡 6筒`."""
    rest = list(hand.concealed)
    if hand.win is not None and rest[hand.win]:
        rest[hand.win] -= 1
    parts = [draw_meld(meld, color) for meld in hand.melds]
    parts.append(draw(tiles.expand(rest), color))
    if hand.win is not None:
        parts.append(Text("胡 ").append_text(draw([hand.win], color)))
    return Text(" ").join(part for part in parts if part)


def draw_reading(reading: Any, color: bool = False) -> Text:
    """The groups of a reading, melds by their word, the group of the winning tile in brackets."""
    drawn = []
    for i, group in enumerate(reading.groups):
        text = draw(group.tiles, color)
        if not group.concealed or group.type == "暗杠":
            text = Text(f"{group.type} ").append_text(text)
        if i == reading.win_group:
            text = Text("[").append_text(text).append("]")
        drawn.append(text)
    return Text("  ").join(drawn)
