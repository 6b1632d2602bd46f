"""Hands as people write them: read right, or refused with everything that is wrong."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyengine.language.diagnostics import Diagnostic, InputError, message
from pyengine.notation import tiles
from pyengine.notation.hand import Hand, Meld, make_hand
from pyengine.notation.melds import parse_meld

SICHUAN = (4,) * 27 + (0,) * 7
ALL_KINDS = (4,) * 34
PLAIN = "123345789m23466p"


def hand(text: str | Sequence[int] = PLAIN, melds: Any = (), copies: Sequence[int] = SICHUAN, **facts: Any) -> Hand:
    return make_hand(text, melds, copies=copies, hand_size=13, **facts)


def wrong(*args: Any, **facts: Any) -> list[Diagnostic]:
    with pytest.raises(InputError) as caught:
        hand(*args, **facts)
    for diagnostic in caught.value.diagnostics:
        # Every message finds its facts, in both languages.
        assert message(diagnostic.code, diagnostic.facts, "zh") != message(diagnostic.code, diagnostic.facts, "en")
    return list(caught.value.diagnostics)


def codes(*args: Any, **facts: Any) -> list[str]:
    return [diagnostic.code for diagnostic in wrong(*args, **facts)]


# ---- melds -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "type_", "tile"),
    [
        ("碰 5s", "碰", "5s"),
        ("碰5s", "碰", "5s"),
        ("碰 555s", "碰", "5s"),
        ("pung 5条", "碰", "5s"),
        ("Pung 5s", "碰", "5s"),
        ("吃 345s", "吃", "3s"),
        ("吃 534索", "吃", "3s"),
        ("chow 345s", "吃", "3s"),
        ("暗杠 7s", "暗杠", "7s"),
        ("暗杠 7777s", "暗杠", "7s"),
        ("concealed_kong 7s", "暗杠", "7s"),
        ("直杠 3m", "直杠", "3m"),
        ("点杠 3m", "直杠", "3m"),
        ("明杠 3m", "直杠", "3m"),
        ("direct_kong 3m", "直杠", "3m"),
        ("巴杠 2p", "巴杠", "2p"),
        ("弯杠 2p", "巴杠", "2p"),
        ("补杠 2p", "巴杠", "2p"),
        ("加杠 2p", "巴杠", "2p"),
        ("面下杠 2p", "巴杠", "2p"),
        ("added_kong 2222p", "巴杠", "2p"),
        ("碰 东", "碰", "1z"),
        ("碰东东东", "碰", "1z"),
        (" 碰  白 ", "碰", "5z"),
    ],
)
def test_every_way_to_write_a_meld(text: str, type_: str, tile: str) -> None:
    assert parse_meld(text) == Meld(type_, tiles.parse_one(tile))


def test_a_meld_is_written_as_it_is_read() -> None:
    for text in ("碰 5s", "吃 345s", "暗杠 7p", "直杠 1z", "巴杠 9m"):
        assert str(parse_meld(text)) == text


@pytest.mark.parametrize(
    ("text", "code", "suggestion"),
    [
        ("碰 56s", "E716", None),
        ("碰 345s", "E716", "吃 345s"),
        ("碰 55s", "E717", None),
        ("暗杠 777s", "E717", "碰 777s"),
        ("吃 3s", "E714", "吃 345s"),
        ("吃 34s", "E714", None),
        ("吃 89s1m", "E714", None),
        ("吃 123z", "E715", None),
        ("碰", "E713", "碰 5s"),
        ("555s", "E712", "碰 5s"),
        ("345s", "E712", "吃 345s"),
        ("pong 5s", "E710", "pung"),
        ("杠 5s", "E711", "暗杠"),
        ("kong 5s", "E711", "暗杠"),
        ("碰 5x", "E702", None),
        ("碰 8z", "E704", None),
        ("", "E712", None),
    ],
)
def test_a_meld_that_is_none_is_explained(text: str, code: str, suggestion: str | None) -> None:
    with pytest.raises(InputError) as caught:
        parse_meld(text)
    first = caught.value.diagnostics[0]
    assert first.code == code
    assert suggestion is None or suggestion in first.suggestions


def test_all_melds_are_looked_at() -> None:
    assert codes("66p", ["碰 56s", "吃 3s", "杠 5m", "碰 1m"]) == ["E716", "E714", "E711"]


# ---- tiles of a hand ---------------------------------------------------------------------------


def test_a_plain_hand() -> None:
    made = hand(win="6p")
    assert made == Hand(tiles.counts(tiles.parse(PLAIN)), (), 14)
    assert made.by == "点炮"
    assert sum(made.concealed) == 14
    assert hash(made) == hash(hand(win=14))


def test_melds_may_stand_in_the_text() -> None:
    inside = hand("碰 5s 暗杠 7777s 123m 45666p", win="6p")
    assert inside == hand("123m45666p", ["碰 5s", "暗杠 7s"], win="6p")
    assert inside == hand("123m45666p", "碰 5s 暗杠 7s", win="6p")
    assert str(inside) == "碰 5s 暗杠 7s 123m45666p"


def test_counts_are_a_hand() -> None:
    counts = tiles.counts(tiles.parse(PLAIN))
    assert hand(counts) == hand(counts[:27]) == hand(PLAIN)
    assert codes([1, 2, 3]) == ["E726"]
    assert codes([-1] * 34) == ["E726"]
    assert codes(["x"] * 34) == ["E726"]


def test_a_waiting_hand_has_one_tile_less() -> None:
    assert sum(hand("1112345678999m", waiting=True).concealed) == 13
    assert codes("11123456789999m", waiting=True) == ["E722"]


@pytest.mark.parametrize(("text", "melds"), [("123m", []), (PLAIN + "1m", []), (PLAIN, ["碰 1s"]), ("", [])])
def test_a_wrong_number_of_tiles_is_told_with_the_right_one(text: str, melds: list[str]) -> None:
    (found,) = wrong(text, melds)
    assert found.code == "E722"
    assert found.facts["need"] == 14 - 3 * len(melds)


def test_the_winning_tile_belongs_into_the_hand() -> None:
    (found,) = wrong("123345789m2346p", win="6p")
    assert found.code == "E723"
    assert hand(found.suggestions[0], win="6p")
    assert codes(win="6s") == ["E724"]
    assert codes(win="66p") == ["E706"]
    assert codes(win=34) == ["E727"]


def test_five_of_a_kind() -> None:
    (found,) = wrong("11111m345789m126p")
    assert (found.code, found.facts["tile"], found.facts["n"], found.facts["copies"]) == ("E720", "1m", 5, 4)
    (found,) = wrong("55s 123m 456m 789m", ["碰 5s"])
    assert (found.code, found.facts["tile"], found.facts["n"]) == ("E720", "5s", 5)
    assert codes("66p", ["碰 1m", "碰 1m", "碰 2m", "碰 3m"]) == ["E720"]


def test_honours_only_where_they_are_in_the_set() -> None:
    text = "123345789m234p11z"
    (found,) = wrong(text)
    assert (found.code, found.span and found.span.text) == ("E721", "1")
    assert hand(text, copies=ALL_KINDS)


def test_too_many_melds() -> None:
    assert codes("66p", ["碰 1m", "碰 2m", "碰 3m", "碰 4m", "碰 5m"]) == ["E725"]


def test_unknown_words_in_a_hand_are_told_where_they_stand() -> None:
    found = wrong("pong 5s 杠 7s 123m 4566p")
    assert [(d.code, d.span and d.span.text) for d in found][:2] == [("E710", "pong"), ("E711", "杠")]


# ---- facts -------------------------------------------------------------------------------------


def test_facts_in_chinese_and_english_are_the_same() -> None:
    melds = ["暗杠 1s", "巴杠 2s"]
    chinese = hand("123m45666p", melds, by="自摸", flags=["杠后", "连杠"], void="条", kong="巴杠")
    english = hand("123m45666p", melds, by="self_draw", flags=["after_kong", "kong_chain"], void=2, kong="added_kong")
    assert chinese == english
    assert chinese.flags == {"杠后", "连杠"}
    assert hand(flags="末张，庄家").flags == {"末张", "庄家"}


def test_unknown_facts() -> None:
    assert codes(by="自抹", flags=["海底", "自摸"], void="z", kong="杠") == ["E730", "E731", "E732", "E733", "E734"]
    assert wrong(by="自抹")[0].suggestions == ("自摸",)
    assert wrong(flags=["afterkong"])[0].suggestions == ("after_kong",)


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({"flags": ["连杠"]}, "E740"),
        ({"kong": "暗杠"}, "E740"),
        ({"by": "抢杠", "flags": ["杠后"]}, "E741"),
        ({"by": "抢杠", "kong": "暗杠"}, "E745"),
        ({"by": "抢杠", "flags": ["首巡"]}, "E742"),
        ({"flags": ["首巡", "杠后"]}, "E742"),
        ({"flags": ["首巡", "庄家"]}, "E743"),
        ({"by": "自摸", "flags": ["杠后"]}, "E744"),
    ],
)
def test_facts_that_exclude_each_other(facts: dict[str, Any], code: str) -> None:
    assert codes(**facts) == [code]


def test_a_robbed_tile_is_the_only_one_of_its_kind() -> None:
    assert hand("123m456m789m55p678s", win="1m", by="抢杠").win == 0
    assert codes("123m456m789m55p678s", win="5p", by="抢杠") == ["E747"]
    assert codes("123m456m678m55p", ["碰 1m"], win="1m", by="抢杠") == ["E747"]
    assert codes("111222333m444p55s", by="抢杠") == ["E748"]
    assert hand("111222333m456p55s", by="抢杠").win is None


def test_a_first_turn_has_no_melds() -> None:
    assert codes("123m45666p", ["暗杠 1s", "碰 2s"], by="自摸", flags=["首巡"]) == ["E742"]


def test_the_kong_before_the_win_is_an_own_one() -> None:
    melds = ["暗杠 1s", "碰 2s"]
    assert hand("123m45666p", melds, by="自摸", flags=["杠后"], kong="暗杠").kong == "暗杠"
    assert codes("123m45666p", melds, by="自摸", flags=["杠后"], kong="直杠") == ["E746"]
    assert codes("123m45666p", melds, by="自摸", flags=["杠后", "连杠"]) == ["E744"]
    # On a discard the kong was another's.
    assert hand("123m45666p", melds, flags=["杠后"], kong="直杠").kong == "直杠"


# ---- the table ---------------------------------------------------------------------------------


def test_own_melds_lie_on_the_table() -> None:
    made = hand("66p", ["碰 1m", "暗杠 2m", "碰 3m", "碰 4m"])
    assert made.seen[:4] == (3, 4, 3, 3)
    assert hand("66p", ["碰 1m", "碰 2m", "碰 3m", "碰 4m"], seen={"1m": 4, "9s": 2}).seen[:2] == (4, 3)
    assert hand().seen == (0,) * 34


def test_copies_seen() -> None:
    assert hand(seen="333s").seen[20] == 3
    assert hand(seen={"3条": 3}).seen[20] == 3
    assert hand(seen=[0] * 20 + [3] + [0] * 13).seen[20] == 3
    assert codes(seen={"6p": 3}) == ["E736"]
    assert codes(seen={"1z": 1}) == ["E721"]
    assert codes(seen={"1s": -1, "2x": 1, "3s": "viele"})[:2] == ["E735", "E702"]
    assert codes("66p", ["碰 1m", "碰 2m", "碰 3m", "碰 4m"], seen={"1m": 2}) == ["E737"]


# ---- anything ----------------------------------------------------------------------------------

PIECES = st.sampled_from(
    ["123m", "66p", "9z", "碰", "5s", "555s", "吃", "345s", "暗杠", "杠", "pong", "x", "東", "1", "m", "胡", "0p"]
)


@given(st.lists(PIECES, max_size=8), st.lists(PIECES | st.text(max_size=5), max_size=4), st.booleans())
def test_any_text_is_a_hand_or_refused(pieces: list[str], melds: list[str], waiting: bool) -> None:
    refusal: InputError | None = None
    try:
        made = hand(" ".join(pieces), melds, waiting=waiting)
    except InputError as error:
        refusal = error
    if refusal is None:
        assert hand(str(made), waiting=waiting).melds == made.melds
    else:
        assert refusal.diagnostics
        assert str(refusal)
