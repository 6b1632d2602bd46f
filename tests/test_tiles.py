"""Tiles as people write them: every accepted spelling, and mistakes told at their place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyengine.language.diagnostics import InputError
from pyengine.language.source import Source, Span
from pyengine.notation import tiles

KINDS = st.lists(st.integers(0, 33), max_size=20)


@pytest.mark.parametrize(
    "text",
    [
        "123m55p1z",
        "123m 55p 1z",
        "1m2m3m 5p5p 1z",
        "123万 55筒 东",
        "123万55饼东",
        "１２３万 ５５筒 １字",
        "一二三万 55筒 东",
        "123萬 55餅 東",
        "\t123m\n55p 1z ",
    ],
)
def test_every_spelling_of_the_same_tiles(text: str) -> None:
    assert tiles.parse(text) == (0, 1, 2, 13, 13, 27)


def test_bamboos_and_honours() -> None:
    assert tiles.parse("19s 19条 19索") == (18, 26) * 3
    assert (
        tiles.parse("1234567z")
        == tiles.parse("东南西北白发中")
        == tiles.parse("東南西北白發中")
        == tuple(range(27, 34))
    )


@given(KINDS)
def test_what_is_written_is_read_back(kinds: list[int]) -> None:
    assert list(tiles.parse(tiles.compact(kinds))) == kinds
    assert list(tiles.parse(tiles.chinese(kinds))) == kinds
    assert tiles.expand(tiles.counts(kinds)) == sorted(kinds)


def test_names() -> None:
    assert [tiles.NAMES[kind] for kind in (0, 17, 18, 33)] == ["1m", "9p", "1s", "7z"]
    assert [tiles.CHINESE_NAMES[kind] for kind in (0, 13, 27)] == ["1万", "5筒", "东"]
    assert tiles.chinese([0, 1, 2, 13, 13, 27]) == "123万 55筒 东"
    assert [tiles.parse_one(name) for name in tiles.NAMES] == list(range(34))


@pytest.mark.parametrize(
    ("text", "mistakes"),
    [
        ("123m45", [("E702", "45")]),
        ("m123p", [("E703", "m")]),
        ("120m", [("E704", "0")]),
        ("189z", [("E704", "8"), ("E704", "9")]),
        ("12m，34p", [("E701", "，")]),
        ("12m你好34p", [("E701", "你好")]),
        ("5b", [("E701", "b")]),
        ("12m 34 5x", [("E702", "34"), ("E702", "5"), ("E701", "x")]),
    ],
)
def test_a_mistake_is_told_at_its_place(text: str, mistakes: list[tuple[str, str]]) -> None:
    with pytest.raises(InputError) as caught:
        tiles.parse(text)
    assert [(d.code, d.span and d.span.text) for d in caught.value.diagnostics] == mistakes


def test_other_notations_are_recognised() -> None:
    with pytest.raises(InputError) as caught:
        tiles.parse("12w")
    assert caught.value.diagnostics[-1].suggestions == ("m",)


def test_the_place_is_that_of_the_file() -> None:
    source = Source("a.yaml", "hand: 12x\n")
    with pytest.raises(InputError) as caught:
        tiles.parse("12x", Span(source, 6, 9))
    assert caught.value.diagnostics[-1].span == Span(source, 8, 9)


@pytest.mark.parametrize("text", ["", "66p", "1m2m"])
def test_one_tile_is_one_tile(text: str) -> None:
    with pytest.raises(InputError) as caught:
        tiles.parse_one(text)
    assert caught.value.diagnostics[0].code == "E706"


def test_a_text_without_end_is_refused_at_once() -> None:
    with pytest.raises(InputError) as caught:
        tiles.parse("1" * 100_000 + "m")
    assert [d.code for d in caught.value.diagnostics] == ["E705"]


@given(st.text(alphabet="0123456789mpsz万筒条字东一九０１Mb板x， \n\t", max_size=12) | st.text(max_size=12))
def test_any_text_is_read_or_told_to_be_wrong(text: str) -> None:
    found = tiles.diagnose(text)
    assert bool(found) == (tiles.kinds_in(text) is None)
    assert all(0 <= d.span.start < d.span.end <= len(text) for d in found if d.span)
    assert str(InputError(found)) or not found


def test_void_suits() -> None:
    assert [tiles.parse_suit(mark) for mark in ("m", "筒", "索", "z", "字", "mm", "")] == [
        0,
        1,
        2,
        None,
        None,
        None,
        None,
    ]
