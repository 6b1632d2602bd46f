"""Proofs: a mistake of each kind is found with the right hand, a file without it is clean, and counts are exact.

Without these an author would trust a proof that looked at other hands than there are.
"""

from __future__ import annotations

import json
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pyengine
from pyengine import cli
from pyengine.engine.kernel import Parts, count_hands
from pyengine.engine.kernel.shared import interruptible
from pyengine.engine.space import Asked, Space, Unfolded
from pyengine.language.load import load_rules
from pyengine.notation.hand import Hand
from pyengine.notation.melds import TYPES
from pyengine.tools.examples import run_examples
from pyengine.tools.meaning import changes_of_text
from pyengine.tools.prove import Proof, prove
from pyengine.tools.proving import compared
from pyengine.tools.random_hands import complete_hands
from pyengine.tools.same import Compared, function_hash
from pyengine.tools.show_proofs import hand_as_json

TOWN = """规则 "小镇" v1.0
牌 万 筒 条 = 1..9 × 4
打法 人数 = 4
打法 手牌 = 13
胡型 基本 = 4 面子 + 1 将
胡型 七对 = 7 对
令 可胡 = 花色数 <= 2
番种 平胡 = 1番 当 无他番
番种 对对胡 = 1番 当 面子 都是 刻子
番种 清一色 = 2番 当 花色数 = 1
番种 七对 = 2番 当 胡型 是 七对
合称 清对 = 清一色, 对对胡
合称 清七对 = 清一色, 七对
令 胡分 = 2 ^ min(番数, 4番)
结算 点炮: 放炮者 付 每个 胡者: 胡分
结算 自摸: 每个 在场 付 胡者: 胡分
保证 "清一色至少两番" 花色数 != 1 或 番数 >= 2番
"""


@pytest.fixture
def town(tmp_path: Path) -> Path:
    path = tmp_path / "town.rule"
    path.write_text(TOWN, encoding="utf-8")
    return path


def changed(town: Path, old: str, new: str) -> Path:
    """The town with something written otherwise, as another file."""
    assert old in TOWN
    path = town.with_name("changed.rule")
    path.write_text(TOWN.replace(old, new), encoding="utf-8")
    return path


def proof_of(path: Path) -> Proof:
    return prove(pyengine.load(str(path)))


def found(path: Path) -> dict[str, dict[str, object]]:
    return {diagnostic.code: dict(diagnostic.facts) for diagnostic in proof_of(path).found}


def size(hand: Hand) -> tuple[object, ...]:
    """The order of hands, said once more: melds, kinds, then suit by suit; last the winning tile."""
    kinds = set(np.flatnonzero(hand.concealed)) | {kind for meld in hand.melds for kind in meld.tiles}
    by_suit = []
    for first in (0, 9, 18, 27):
        concealed = tuple(-n for n in hand.concealed[first : first + 9])
        melds = sorted((m.tile, TYPES[m.type]) for m in hand.melds if first <= m.tile < first + 9)
        by_suit.append((concealed, (*melds, (99, 99))))
    return len(hand.melds), len(kinds), *by_suit, -1 if hand.win is None else hand.win


# ---- mistakes -----------------------------------------------------------------------------------


def test_a_file_without_mistakes_is_clean(town: Path) -> None:
    proof = proof_of(town)
    assert proof.found == ()
    assert [law.counterexample for law in proof.laws] == [None]
    assert {fan.name for fan in proof.fans if fan.hands} == {"平胡", "对对胡", "清一色", "七对"}


def test_a_fan_that_never_occurs_and_why(town: Path) -> None:
    path = changed(town, "番种 七对 =", "番种 三门 = 1番 当 门清 且 花色数 = 3\n番种 七对 =")
    assert found(path)["W951"] == {"name": "三门", "text": "花色数 = 3"}


def test_conditions_that_exclude_each_other_kill_together(town: Path) -> None:
    path = changed(town, "番种 七对 =", "番种 怪 = 1番 当 副露数 = 4 且 胡型 是 七对\n番种 七对 =")
    assert found(path)["W951"] == {"name": "怪", "text": "副露数 = 4 且 胡型 是 七对"}


def test_a_condition_that_always_holds_where_it_stands(town: Path) -> None:
    path = changed(town, "当 花色数 = 1", "当 花色数 <= 2 且 花色数 = 1")
    assert found(path) == {"W952": {"name": "清一色", "text": "花色数 <= 2"}}


def test_an_alternative_that_never_decides(town: Path) -> None:
    path = changed(town, "当 花色数 = 1", "当 花色数 = 1 或 (花色数 = 1 且 门清)")
    assert found(path)["W953"] == {"name": "清一色", "text": "花色数 = 1 且 门清"}


def test_what_the_author_has_noted_is_not_told_again(town: Path) -> None:
    path = changed(town, "当 花色数 = 1", '当 花色数 <= 2 且 花色数 = 1 注 "W952 给人看"')
    assert found(path) == {}


def test_a_fan_that_is_always_absorbed(town: Path) -> None:
    seven = "番种 七对 = 2番 当 胡型 是 七对"
    path = changed(town, seven, f"{seven} 不计 对子\n番种 对子 = 1番 当 胡型 是 七对")
    assert found(path)["W954"] == {"name": "对子"}


def test_an_overlap_of_which_nothing_is_said(town: Path) -> None:
    path = changed(town, "合称 清对 = 清一色, 对对胡\n", "")
    told = found(path)["W955"]
    assert (told["name"], told["others"]) == ("清一色", "对对胡")
    assert " 11122233344455m " in str(told["command"])
    settled = changed(
        town,
        "合称 清对 = 清一色, 对对胡\n",
        "  例 [111222333444万 55万] 胡 5万 = 对对胡, 清一色: 3番\n",
    )
    assert found(settled) == {}


def test_a_gap(town: Path) -> None:
    path = changed(town, "番种 平胡 = 1番 当 无他番\n", "")
    proof = proof_of(path)
    whole = proof_of(town)
    # Three triplets in a row are either 平胡 or 对对胡, for the same money.
    assert proof.gaps.hands + whole.ties.hands == next(fan.hands for fan in whole.fans if fan.name == "平胡")
    assert proof.gaps.example
    assert str(proof.gaps.example) == "11112222333m111p"
    assert [diagnostic.code for diagnostic in proof.found] == ["W957"]


def test_a_false_claim_is_refuted_by_the_smallest_hand(town: Path) -> None:
    path = changed(town, "番数 >= 2番", "番数 >= 3番")
    proof = proof_of(path)
    (law,) = proof.laws
    rules = proof.rules
    assert law.counterexample
    assert not proof.ok
    assert [diagnostic.code for diagnostic in proof.found] == ["E951"]
    breaking = [
        hand
        for hand in complete_hands(rules, 3000, seed=3)
        if rules.score(hand).win and len(rules.score(hand).fans) == 1 and rules.score(hand).fans[0].name == "清一色"
    ]
    assert breaking
    assert all(size(law.counterexample) <= size(hand) for hand in breaking)
    assert [fan.name for fan in rules.score(law.counterexample).fans] == ["清一色"]


def test_a_claim_that_the_options_leave_no_number_for_is_not_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "open.rule"
    path.write_text('规则 "敞" v1.0 继承 "sichuan/xuezhan"\n保证 "封顶内" 胡分 <= 封顶 + 1\n', encoding="utf-8")
    assert run("prove", str(path), "--set", "封顶=无", "--depth", "0", "--json") == 0
    laws = {law["text"]: law["holds"] for law in json.loads(capsys.readouterr().out)["laws"]}
    assert laws.pop("封顶内") is None
    assert all(laws.values())


# ---- equal, different, changed --------------------------------------------------------------------


def test_a_value_changed_by_one_is_found_with_the_smallest_hand(town: Path) -> None:
    other = changed(town, "番种 七对 = 2番", "番种 七对 = 3番")
    a, b = pyengine.load(str(town)), pyengine.load(str(other))
    compared = Compared(a, b)
    assert not compared.equal
    assert compared.example
    seven = [h for h in complete_hands(a, 2000, seed=1) if a.judge(h).money != b.judge(h).money]
    assert all(size(compared.example) <= size(hand) for hand in seven)
    assert a.score(compared.example).points != b.score(compared.example).points
    assert {(change.before, change.after) for change in compared.changes()} == {(4, 8)}
    assert function_hash(a) != function_hash(b)
    (text,) = changes_of_text(a, b)
    assert (text.kind, text.name) == ("fan", "七对")


def test_what_makes_no_difference_does_not_change_the_hash(town: Path) -> None:
    """Robbed kongs are told apart by the one only, and only some hands can rob."""
    flush = "番种 清一色 = 2番 当 花色数 = 1"
    other = changed(town, flush, f"{flush} 且 非 抢杠\n番种 清抢 = 2番 当 花色数 = 1 且 抢杠")
    a, b = pyengine.load(str(town)), pyengine.load(str(other))
    assert Compared(a, b).equal
    assert function_hash(a) == function_hash(b)
    worth = changed(town, flush, f"{flush}\n番种 清抢 = 1番 当 花色数 = 1 且 抢杠")
    assert function_hash(pyengine.load(str(worth))) != function_hash(a)


def test_a_win_that_costs_is_a_win(town: Path) -> None:
    money = "令 胡分 = 2 ^ min(番数, 4番)"
    one = pyengine.load(str(changed(town, money, "令 胡分 = 若 花色数 = 1 则 0 - 1 否则 1")))
    two = pyengine.load(str(changed(town, money, "令 胡分 = 若 花色数 = 1 则 0 - 2 否则 1")))
    none = pyengine.load(str(changed(town, "令 可胡 = 花色数 <= 2", "令 可胡 = 花色数 = 2")))
    assert len({function_hash(rules) for rules in (one, two, none)}) == 3
    (change,) = Compared(one, two).changes()
    assert (change.before, change.after, change.by) == (-1, -2, -1)
    assert not Compared(one, none).equal


def test_a_void_suit_that_the_tiles_do_not_have_is_none(tmp_path: Path) -> None:
    town = (
        '规则 "缺" v1.0\n牌 万 条 = 1..9 × 4\n打法 人数 = 4\n打法 手牌 = 4\n胡型 基本 = 1 面子 + 1 将\n'
        "番种 平 = 1番\n{}令 胡分 = min(番数, 1番)\n结算 点炮: 放炮者 付 每个 胡者: 胡分\n"
    )
    hashes = set()
    for n, fan in enumerate(("", "番种 缺 = 1番 当 定缺张数 > 0\n")):
        path = tmp_path / f"{n}.rule"
        path.write_text(town.format(fan), encoding="utf-8")
        hashes.add(function_hash(pyengine.load(str(path))))
    assert len(hashes) == 1


def test_the_same_function_said_otherwise(town: Path) -> None:
    other = changed(town, "当 花色数 = 1", "当 非 花色数 >= 2")
    a, b = pyengine.load(str(town)), pyengine.load(str(other))
    assert Compared(a, b).equal
    assert function_hash(a) == function_hash(b)
    assert [change.name for change in changes_of_text(a, b)] == ["清一色"]


def test_comments_and_keywords_change_nothing(town: Path) -> None:
    other = changed(town, "番种 七对 = 2番 当 胡型 是 七对", "# 七对\nfan 七对 = 2fan when win_shape is 七对")
    a, b = pyengine.load(str(town)), pyengine.load(str(other))
    assert changes_of_text(a, b) == []


def test_a_void_suit_that_only_one_looks_at(town: Path) -> None:
    other = changed(town, "令 可胡 = 花色数 <= 2", "令 可胡 = 花色数 <= 2 且 定缺张数 = 0")
    compared = Compared(pyengine.load(str(town)), pyengine.load(str(other)))
    assert not compared.equal
    assert compared.different > 0
    assert compared.example and compared.example.void == 0
    assert function_hash(compared.a) != function_hash(compared.b)


@pytest.mark.parametrize(
    "options", ["封顶=16倍", "自摸奖=加番", "点杠花=点炮", "直杠旁家=1", "底分=2", "封顶=无", "番制=翻番"]
)
def test_hashes_are_equal_exactly_when_hands_are_worth_the_same(options: str) -> None:
    name, _, value = options.partition("=")
    a = pyengine.load("sichuan/classic")
    b = a.with_options({name: value})
    assert (function_hash(a) == function_hash(b)) is Compared(a, b).equal


def test_rules_that_know_no_win_on_a_discard(town: Path) -> None:
    proof = proof_of(changed(town, "令 可胡 = 花色数 <= 2", "令 可胡 = 花色数 <= 2 且 自摸"))
    assert proof.by == "自摸"
    assert sum(hands for _, hands, _ in proof.values) == proof.hands
    assert all(hand.by == "自摸" for _, _, hand in proof.values)


def test_a_void_suit_with_which_nothing_wins(town: Path) -> None:
    """A hand of the only suit, which is void: it does not win, though without a void suit told it does."""
    text = TOWN.replace("万 筒 条", "万")
    other = text.replace("令 可胡 = 花色数 <= 2", "令 可胡 = 定缺张数 = 0")
    rules = []
    for name, content in (("one.rule", text), ("void.rule", other)):
        town.with_name(name).write_text(content, encoding="utf-8")
        rules.append(pyengine.load(str(town.with_name(name))))
    assert not Compared(*rules).equal
    assert function_hash(rules[0]) != function_hash(rules[1])


def test_rules_by_which_nothing_wins(town: Path) -> None:
    never = changed(town, "令 可胡 = 花色数 <= 2", "令 可胡 = 花色数 > 3")
    assert proof_of(never).hands == 0
    assert Compared(pyengine.load(str(never)), pyengine.load(str(never))).equal


def test_a_table_without_melds(town: Path) -> None:
    space = Space([Asked(pyengine.load(str(changed(town, "打法 人数 = 4", "打法 人数 = 4\n许 点炮, 自摸"))))])
    assert space.hands == count_hands()["closed"]


def test_hands_of_other_tiles_are_not_compared(town: Path) -> None:
    compared = Compared(pyengine.load(str(town)), pyengine.load("dazhong/standard"))
    assert compared.other_space
    assert not compared.equal


# ---- the space ------------------------------------------------------------------------------------


def test_hands_are_counted_exactly(town: Path) -> None:
    rules = pyengine.load(str(town))
    space = Space([Asked(rules)])
    types = sum(1 << TYPES[word] for word in ("碰", "直杠", "巴杠", "暗杠"))
    columns = (np.empty(1, np.uint64), np.empty(1, np.uint64), np.empty(1, np.uint32))
    _, total = Parts(rules.kernel, types).hands(2, 0, *columns)
    counts = count_hands()
    assert space.hands == total == 138_747_156 + counts["closed"] - counts["standard"]


def test_every_hand_is_written_once(town: Path) -> None:
    rules = pyengine.load(str(town))
    parts = Parts(rules.kernel, 0)
    n = count_hands()["closed"]
    words, honours, melds = np.empty(n + 1, np.uint64), np.empty(n + 1, np.uint64), np.empty(n + 1, np.uint32)
    assert parts.hands(2, 0, words, honours, melds) == (n, n)
    assert len(np.unique(words[:n])) == n
    assert bool(rules.score_batch(words[:n].copy()).win.all())


@pytest.mark.parametrize("name", ["sichuan/classic", "sichuan/xuezhan", "sichuan/sbr"])
def test_random_hands_are_worth_what_their_class_says(name: str) -> None:
    rules = pyengine.load(name)
    proof = prove(rules)
    most = {points for points, _, _ in proof.values}
    for hand in complete_hands(rules, 300, seed=5):
        result = rules.score(hand)
        if result.win and not hand.flags and hand.by == "点炮":
            assert result.points in most
    for fan in proof.fans:
        if fan.example:
            assert fan.name in [f.name for f in rules.score(fan.example).fans]


@pytest.mark.parametrize("name", [name for name, _, _ in pyengine.rulesets()])
def test_shipped_rule_sets_are_clean(name: str) -> None:
    from pyengine.language.load import load_rules

    if load_rules(name).is_playable:
        assert prove(pyengine.load(name)).found == ()


def test_fans_that_cannot_be_told_suit_by_suit_are_left_out(town: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = changed(town, "番种 七对 =", "番种 三色 = 1番 当 有 面子 [123万 123筒]\n番种 七对 =")
    assert proof_of(path).left_out == ("三色",)
    assert run("prove", str(path), "--depth", "0") == 0
    assert "left out: 三色" in capsys.readouterr().out


def test_rules_that_ask_too_much_elsewhere_are_not_proved(town: Path) -> None:
    path = changed(town, "令 可胡 = 花色数 <= 2", "令 可胡 = 花色数 <= 2 且 非 有 面子 [123万 123筒]")
    with pytest.raises(Unfolded):
        prove(pyengine.load(str(path)))


# ---- commands ---------------------------------------------------------------------------------------


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as status:
        cli.main(["--lang", "en", *arguments])
    assert isinstance(status.value.code, int)
    return status.value.code


def test_prove_says_what_it_found(town: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("prove", str(town)) == 0
    assert "Nothing to look at." in capsys.readouterr().out
    assert run("prove", str(changed(town, "番数 >= 2番", "番数 >= 3番")), "--json") == 1
    proof = json.loads(capsys.readouterr().out)
    assert proof["laws"][0]["holds"] is False
    assert proof["laws"][0]["counterexample"]["hand"]


def test_same_and_hash_agree(town: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = changed(town, "min(番数, 4番)", "min(番数, 3番)")
    assert run("same", str(town), str(town)) == 0
    assert run("same", str(town), str(other)) == 1
    assert "they differ" in capsys.readouterr().out
    assert run("diff", str(town), str(other)) == 0
    assert "let 胡分" in capsys.readouterr().out
    assert run("hash", str(town)) == 0
    first = capsys.readouterr().out
    assert run("hash", str(other)) == 0
    assert capsys.readouterr().out != first


def test_options_of_each_side(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("same", "sichuan/classic", "sichuan/classic", "--set-b", "封顶=无", "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert told["results"][0]["points"] == 8 < told["results"][1]["points"]


def test_what_cannot_be_proved_is_told(town: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = changed(town, "番种 七对 =", "番种 三色 = 1番 当 有 面子 [123万 123筒]\n番种 七对 =")
    assert run("same", str(path), str(town)) == 2
    assert "E952" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "changed_to", "place"),
    [
        ("番种 七对 =", "番种 三色 = 1番 当 有 面子 [123万 123筒]\n番种 七对 =", "番种 三色"),
        ("令 可胡 = 花色数 <= 2", "令 三 = 有 面子 [123万 123筒]\n令 可胡 = 三\n番种 三色 = 1番 当 三", "令 可胡 = 三"),
        ("胡型 七对", "胡型 怪 = 2 刻子 + 2 顺子 + 1 将\n胡型 七对", "胡型 怪"),
        ("牌 万 筒 条 = 1..9 × 4", "牌 万 条 = 1..9 × 4\n牌 筒 = 2..8 × 4", "牌 筒 = 2..8"),
    ],
)
def test_what_cannot_be_proved_is_told_at_its_place(
    town: Path, capsys: pytest.CaptureFixture[str], line: str, changed_to: str, place: str
) -> None:
    path = changed(town, line, changed_to)
    assert run("hash", str(path)) == 2
    told = capsys.readouterr().err
    assert "E952" in told
    assert place in told


def test_a_long_call_of_the_kernel_is_stopped() -> None:
    def call(stop: Any) -> int:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        while not stop[0]:
            time.sleep(0.001)
        return 0

    # What runs in the background may have been told to ignore it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            interruptible(call)
    finally:
        signal.signal(signal.SIGINT, before)


def test_hands_as_arguments() -> None:
    assert hand_as_json(None) is None


def test_what_shows_only_with_a_void_suit_is_counted_with_each(tmp_path: Path) -> None:
    """6,885 is how often the 4,077 hands hold a suit that may be the void one, counted by hand."""
    text = (
        '规则 "数" v1.0\n牌 万 筒 条 = 1..9 × 4\n打法 人数 = 4\n打法 手牌 = 4\n胡型 基本 = 1 面子 + 1 将\n'
        "番种 平 = 1番\n番种 底 = 3番 当 有 牌 是 定缺牌\n令 胡分 = 番数\n"
    )
    (tmp_path / "a.rule").write_text(text, encoding="utf-8")
    (tmp_path / "b.rule").write_text(text.replace("3番", "5番"), encoding="utf-8")
    proof = proof_of(tmp_path / "a.rule")
    assert [(fan.name, fan.hands) for fan in proof.fans] == [("平", 4_077), ("底", 6_885)]
    both = compared(str(tmp_path / "a.rule"), str(tmp_path / "b.rule"), {}, {})
    assert (both.different, both.among, both.hands) == (6_885, 3 * 4_077, 4_077)


def test_laws_about_the_winning_tile_are_asked_of_hands_that_tell_it(tmp_path: Path) -> None:
    """`check` and `prove` say the same of them."""
    text = (
        '规则 "律" v1.0\n牌 万 筒 条 = 1..9 × 4\n打法 人数 = 4\n打法 手牌 = 4\n胡型 基本 = 1 面子 + 1 将\n'
        '番种 平 = 1番\n令 胡分 = 番数\n保证 "有余" 听张余数 >= {n}\n'
    )
    for least, holds in ((1, True), (2, False)):
        path = tmp_path / f"{least}.rule"
        path.write_text(text.format(n=least), encoding="utf-8")
        ran = run_examples(load_rules(str(path)), str(path))
        assert [diagnostic.code for diagnostic in ran.diagnostics] == ([] if holds else ["E502"])
        (law,) = proof_of(path).laws
        assert (law.counterexample is None) is holds
