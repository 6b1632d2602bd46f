"""Tiles drawn for people: plain text can be read back, colours tell the suits apart."""

from types import SimpleNamespace

from pyengine.notation import tiles
from pyengine.notation.hand import make_hand
from pyengine.tools.draw import draw, draw_hand, draw_reading

ALL_KINDS = (4,) * 34


def test_plain_tiles_are_read_back() -> None:
    kinds = tiles.parse("123m55p9s中东")
    assert draw(kinds).plain == "123万 55筒 9条 中东"
    assert tiles.parse(draw(kinds).plain) == kinds
    assert not draw(kinds).spans


def test_colours_tell_the_suits_apart() -> None:
    drawn = draw(tiles.parse("123m55p9s东"), color=True)
    assert drawn.plain == "一二三万 55筒 9条 东"
    assert [str(span.style) for span in drawn.spans] == ["red", "blue", "green", "bold"]
    assert tiles.parse(drawn.plain) == tiles.parse("123m55p9s东")


def test_a_hand_shows_its_melds_and_the_winning_tile() -> None:
    hand = make_hand("123m45666p", ["碰 5s", "暗杠 东"], win="6p", copies=ALL_KINDS, hand_size=13)
    assert draw_hand(hand).plain == "碰 555条 暗杠 东东东东 123万 4566筒 胡 6筒"


def test_a_reading_shows_where_the_winning_tile_went() -> None:
    groups = [("碰", "555s", False), ("暗杠", "7777p", True), ("顺子", "123m", True), ("将", "66p", True)]
    reading = SimpleNamespace(
        groups=[SimpleNamespace(type=t, tiles=tiles.parse(k), concealed=c) for t, k, c in groups], win_group=3
    )
    assert draw_reading(reading).plain == "碰 555条  暗杠 7777筒  123万  [66筒]"
