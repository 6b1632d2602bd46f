"""Proofs where the rules ask for the winning tile: counts are those of every hand with each of its tiles.

Without these an author whose town plays 绝张 or 夹五 would trust a proof that looked at other wins than there are.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.every_win import as_classes, every_hand, one_by_one, tables
from test_proofs import run, size

import pyengine
from pyengine.engine.ruleset import Ruleset
from pyengine.engine.space import Asked, Space, Unfolded
from pyengine.notation.hand import Hand
from pyengine.tools.prove import prove
from pyengine.tools.same import Compared, function_hash

LAST = "番种 绝张 = 2番 当 听张余数 = 1 且 胡张自持 = 0 且 听法 是 边张/卡张/两面"
FANS = {
    "last": LAST,
    "waits": "番种 独听 = 2番 当 听张数 = 1\n番种 将死 = 4番 当 听张余数 <= 3 且 听法 是 单钓/双碰",
    "amount": "令 胡分 = 番数 + min(听张余数, 6)",
    "tile": "番种 五 = 2番 当 胡张 是 [5万]\n番种 枯 = 4番 当 胡张自持 = 2\n番种 夹 = 8番 当 胡张共持 = 3",
    "claim": "番种 暗 = 2番 当 几个 面子 是 暗刻 >= 1 且 听张余数 = 2\n番种 多 = 4番 当 自摸 且 听张数 >= 3",
    "robbed": "番种 抢 = 2番 当 抢杠\n番种 抢钓 = 4番 当 抢杠 且 听法 是 单钓/卡张",
    "void": "番种 缺 = 2番 当 胡张 是 定缺牌 且 听法 是 边张/单钓\n令 可胡 = 自摸 或 几个 面子 是 暗刻 < 2",
}
TILES = {
    "one suit": "万 = 1..9 × 4",
    "two suits": "万 条 = 1..9 × 4",
    "honours": "万 = 1..9 × 4\n牌 字 = [东南西北中发白] × 4",
}


def small(folder: Path, fans: str, tiles: int = 4, suits: str = "one suit", table: str = "", more: str = "") -> Ruleset:
    """A town with hands of few tiles."""
    twins = f"胡型 对子 = {(tiles + 1) // 2} 对\n" if tiles % 2 else ""
    money = "" if "令 胡分" in fans else "令 胡分 = 番数\n"
    text = (
        f'规则 "小镇" v1.0\n牌 {TILES[suits]}\n打法 人数 = 4\n打法 手牌 = {tiles}\n{table}'
        f"胡型 基本 = {tiles // 3} 面子 + 1 将\n{twins}番种 平 = 1番\n{fans}\n{money}{more}"
        "结算 点炮: 放炮者 付 每个 胡者: 胡分\n结算 自摸: 每个 在场 付 胡者: 胡分\n"
    )
    path = folder / f"town{len(list(folder.iterdir()))}.rule"
    path.write_text(text, encoding="utf-8")
    return pyengine.load(str(path))


# ---- counts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("suits", TILES)
@pytest.mark.parametrize("fans", FANS)
def test_a_meld_and_a_pair_won_on_every_tile(tmp_path: Path, fans: str, suits: str) -> None:
    rules = small(tmp_path, FANS[fans], suits=suits)
    space = Space([Asked(rules)], bare=True)
    voids = (None, 0) if fans == "void" else (None,)
    assert space.told
    assert as_classes(space, voids) == one_by_one(rules, space.contexts, voids)


@pytest.mark.parametrize(
    ("fans", "melds"), [("last", "碰, 直杠, 暗杠"), ("waits", "吃"), ("amount", "碰"), ("robbed", "吃, 碰")]
)
def test_two_melds_and_a_pair_or_four_pairs(tmp_path: Path, fans: str, melds: str) -> None:
    rules = small(tmp_path, FANS[fans], tiles=7, table=f"许 {melds}, 点炮, 自摸\n")
    space = Space([Asked(rules)], bare=True)
    assert as_classes(space) == one_by_one(rules, space.contexts)


@pytest.mark.parametrize(("tiles", "suits"), [(7, "two suits"), (10, "one suit")])
def test_closed_hands(tmp_path: Path, tiles: int, suits: str) -> None:
    """More suits, more melds; two files at once are each what they are alone."""
    table = "许 点炮, 自摸\n"
    rules = small(tmp_path, FANS["last"], tiles, suits, table)
    other = small(tmp_path, FANS["waits"], tiles, suits, table)
    space = Space([Asked(rules), Asked(other)])
    assert as_classes(space, side=0) == one_by_one(rules, space.contexts, bare=False)
    assert as_classes(space, side=1) == as_classes(Space([Asked(other)]))


@pytest.mark.parametrize("tiles", [4, 7])
def test_only_a_tile_that_is_alone_is_robbed(tmp_path: Path, tiles: int) -> None:
    """Who robs a kong holds one of that kind, whether the winning tile is told or not."""
    rules = small(tmp_path, "番种 抢 = 2番 当 抢杠", tiles, table="许 碰, 暗杠, 点炮, 自摸\n")
    space = Space([Asked(rules)])
    assert not space.told
    untold = {key: n for key, n in one_by_one(rules, space.contexts).items() if not key[0][2]}
    assert as_classes(space) == untold
    robbed = next(fan for fan in prove(rules, depth=0).fans if fan.name == "抢")
    hands = [
        (h, [n + sum(m.tiles.count(k) for m in h.melds) for k, n in enumerate(h.concealed)]) for h in every_hand(rules)
    ]
    assert robbed.hands == sum(1 for hand, held in hands if 1 in held and rules.judge(hand).win)
    assert robbed.hands < len(hands)


def test_a_claim_is_not_refuted_by_a_win_that_cannot_be(tmp_path: Path) -> None:
    rules = small(tmp_path, "番种 抢 = 2番 当 抢杠 且 听法 是 双碰")
    proof = prove(rules, depth=0)
    assert next(fan for fan in proof.fans if fan.name == "抢").hands == 0
    assert "W951" in [diagnostic.code for diagnostic in proof.found]


def test_a_winning_tile_that_nobody_asks_for_is_not_told(tmp_path: Path) -> None:
    space = Space([Asked(small(tmp_path, "番种 清 = 2番 当 花色数 = 1"))], bare=True)
    assert not space.told
    assert space.n_groups == 1
    assert {hand.win for hand in (space.hand(n) for n in range(len(space.classes)))} == {None}


def test_hands_are_counted_with_each_tile(tmp_path: Path) -> None:
    rules = small(tmp_path, LAST)
    hands = list(every_hand(rules))
    assert Space([Asked(rules)]).hands == sum(1 for hand in hands for n in hand.concealed if n)


def test_the_large_space() -> None:
    proof = prove(pyengine.load("regional/chuannan"), depth=0)
    assert proof.told
    assert proof.left_out == ()
    assert proof.hands == 437_390_790
    assert next(fan for fan in proof.fans if fan.name == "绝张").hands == 144_852_480


# ---- what is found ---------------------------------------------------------------------------------


def wins(rules: Ruleset) -> list[Hand]:
    """Every hand with each winning tile and every number of tiles left."""
    found = []
    for plain in every_hand(rules):
        for win in (kind for kind, n in enumerate(plain.concealed) if n):
            told = Hand(plain.concealed, plain.melds, win, seen=plain.seen)
            found += [Hand(told.concealed, told.melds, win, seen=seen) for _, seen in tables(rules, told)]
    return found


def test_a_false_claim_is_refuted_by_the_smallest_win(tmp_path: Path) -> None:
    rules = small(tmp_path, LAST, more='保证 "绝张不是七万" 番数 < 3番 或 胡张 不是 [7万]\n')
    (law,) = prove(rules, depth=0).laws
    assert law.counterexample
    breaking = [hand for hand in wins(rules) if hand.win == 6 and rules.judge(hand).money == 3]
    assert law.broken == len({(hand.concealed, hand.melds, hand.win) for hand in breaking})
    assert min(map(size, breaking)) == size(law.counterexample)
    assert rules.score(law.counterexample).points == 3


def test_the_table_is_only_told_where_it_matters(tmp_path: Path) -> None:
    rules = small(tmp_path, LAST)
    space = Space([Asked(rules)])
    for number, cells in enumerate(space.verdicts[0]):
        for way in cells.nonzero()[0]:
            hand = space.hand(number, int(way))
            result = rules.score(hand)
            proof = space.proofs[0][cells[way]]
            assert (result.win, result.points) == (bool(proof["win"]), proof["points"])
            of_melds = tuple(sum(meld.tiles.count(kind) for meld in hand.melds) for kind in range(34))
            assert hand.seen == of_melds or space.classes["left_matters"][number]


@pytest.mark.parametrize(
    ("fan", "code", "facts"),
    [
        (
            "番种 怪 = 1番 当 听法 是 单钓 且 听张余数 = 1",
            "W951",
            {"name": "怪", "text": "听法 是 单钓 且 听张余数 = 1"},
        ),
        ("番种 怪 = 1番 当 听法 是 卡张 且 听张数 > 0", "W952", {"name": "怪", "text": "听张数 > 0"}),
        ("番种 怪 = 1番 当 听法 是 边张 或 (听法 是 边张 且 听张数 = 1)", "W953", None),
    ],
)
def test_mistakes_about_the_winning_tile(tmp_path: Path, fan: str, code: str, facts: dict[str, str] | None) -> None:
    found = {d.code: dict(d.facts) for d in prove(small(tmp_path, fan, tiles=7), depth=0).found}
    assert code in found
    assert facts is None or found[code] == facts


def test_a_clean_file(tmp_path: Path) -> None:
    fans = "番种 夹五 = 1番 当 听法 是 卡张 且 胡张 是 [5万]"
    assert prove(small(tmp_path, fans, tiles=7), depth=0).found == ()


# ---- equal and different ---------------------------------------------------------------------------


def test_a_difference_that_only_the_winning_tile_makes(tmp_path: Path) -> None:
    a, b = small(tmp_path, LAST), small(tmp_path, LAST.replace("= 1 且", "<= 2 且"))
    compared = Compared(a, b)
    differing = [hand for hand in wins(a) if a.judge(hand).money != b.judge(hand).money]
    assert compared.different == len({(hand.concealed, hand.melds, hand.win) for hand in differing})
    assert compared.example
    assert size(compared.example) == min(map(size, differing))
    assert a.score(compared.example).points != b.score(compared.example).points
    assert {(change.before, change.after) for change in compared.changes()} == {(1, 3)}
    assert function_hash(a) != function_hash(b)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("听张余数 = 1", "听张余数 < 2 且 听张余数 > 0"),
        ("听法 是 两面", "非 听法 是 边张/卡张/单钓/双碰 且 胡张自持 >= 0 且 听张数 > 0"),
        ("胡张自持 = 0", "(胡张自持 < 1 且 副露数 = 0) 或 (胡张自持 < 1 且 副露数 = 1)"),
        ("花色数 = 1", "花色数 = 1 或 听张余数 > 70"),
        ("听张余数 <= 1", "听张余数 <= 1 或 听张余数 >= 60"),
    ],
)
def test_the_same_function_said_otherwise(tmp_path: Path, said: str, other: str) -> None:
    """Also where one of them looks at the winning tile, or at more numbers, for nothing."""
    a, b = (small(tmp_path, f"番种 甲 = 2番 当 {condition}") for condition in (said, other))
    assert Compared(a, b).equal
    assert function_hash(a) == function_hash(b)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("听张余数 = 1", "听张余数 = 2"),
        ("听法 是 边张", "胡张 是 [3万]"),
        ("胡张自持 = 1", "花色数 = 1"),
        ("末张", "听张数 > 0"),
    ],
)
def test_other_functions_have_other_hashes(tmp_path: Path, first: str, second: str) -> None:
    a, b = (small(tmp_path, f"番种 甲 = 2番 当 {condition}") for condition in (first, second))
    assert not Compared(a, b).equal
    assert function_hash(a) != function_hash(b)


def test_a_score_without_a_winning_tile_is_compared_as_well(tmp_path: Path) -> None:
    a, b = (
        small(tmp_path, "番种 甲 = 2番 当 听张数 = 0"),
        small(tmp_path, "番种 甲 = 2番 当 胡张 是 [1万] 且 花色数 > 1"),
    )
    compared = Compared(a, b)
    assert compared.example
    assert compared.example.win is None
    assert function_hash(a) != function_hash(b)


# ---- what is not told --------------------------------------------------------------------------------


def test_waits_under_shapes_with_conditions_are_not_told(tmp_path: Path) -> None:
    """How the winning tile fits in is; what else would have won is not, and fans that ask for it are left out."""
    shape = "胡型 清 = 4 对 当 花色数 = 1\n"
    table = "许 点炮, 自摸\n"
    rules = small(tmp_path, LAST, tiles=7, more=shape, table=table)
    with pytest.raises(Unfolded, match="unclear_waits"):
        Space([Asked(rules)])
    assert prove(rules, depth=0).left_out == ("绝张",)
    single = small(tmp_path, "番种 吊 = 2番 当 听法 是 单钓", tiles=7, more=shape, table=table)
    space = Space([Asked(single)])
    assert as_classes(space) == one_by_one(single, space.contexts, bare=False)


def test_tiles_left_of_other_waits_are_not_compared(tmp_path: Path) -> None:
    a = small(tmp_path, LAST, tiles=7)
    text = Path(a.id).read_text(encoding="utf-8").replace("胡型 对子 = 4 对\n", "")
    other = tmp_path / "other.rule"
    other.write_text(text, encoding="utf-8")
    with pytest.raises(Unfolded, match="other_waits"):
        Compared(a, pyengine.load(str(other)))


# ---- commands ------------------------------------------------------------------------------------------


def test_cases_that_are_written_tell_the_winning_tile_and_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = small(tmp_path, LAST)
    cases, written = tmp_path / "cases.yaml", tmp_path / "missing.yaml"
    cases.write_text(
        f"ruleset: {rules.id}\nhands:\n- {{id: plain, hand: 11m123m, expect: {{win: true}}}}\n", encoding="utf-8"
    )
    assert run("test", str(cases), "--write-missing", str(written)) == 0
    capsys.readouterr()
    assert "seen:" in written.read_text(encoding="utf-8")
    assert run("test", str(written), "--coverage", "--json") == 0
    (found,) = json.loads(capsys.readouterr().out)["coverage"]
    assert found["missing"] == []


def test_what_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = small(tmp_path, LAST)
    assert run("prove", rules.id, "--depth", "0") == 0
    assert "1134万 胡 2万 (点炮, seen on the table 2225555万)" in capsys.readouterr().out
    assert run("prove", rules.id, "--depth", "0", "--json") == 0
    proof = json.loads(capsys.readouterr().out)
    assert proof["winning_tiles"] is True
    example = proof["fans"][1]["example"]
    assert (example["win"], example["seen"]) == ("2m", {"2m": 3, "5m": 4})
    other = small(tmp_path, LAST.replace("= 1 且", "<= 2 且"))
    assert run("same", rules.id, other.id) == 1
    assert "--win " in capsys.readouterr().out
