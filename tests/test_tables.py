"""The kernel's table against the plain one, hands played by the kernel, and tables that are none."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from support.play_tables import table_difference
from test_play import played, rules_of

import pyengine
from pyengine.engine.dealing import shuffled
from pyengine.engine.game import Game
from pyengine.engine.kernel import PLAYED_SIZE, TABLE_SIZE, KernelError
from pyengine.engine.many import FEWEST_FOLDED
from pyengine.engine.simulation import PLAYED, record_of
from pyengine.language.diagnostics import RuleError
from pyengine.language.load import load_rules
from pyengine.notation import tiles

PLAYABLE = [name for name, _, _ in pyengine.rulesets() if load_rules(name).is_playable]


@pytest.mark.parametrize("name", PLAYABLE)
def test_both_tables_play_the_same(name: str) -> None:
    rules = pyengine.load(name)
    for seed in range(12):
        assert table_difference(rules, seed, (0.3, 0.7, 0.95)[seed % 3]) is None


def test_a_robbed_tile_that_had_just_been_drawn_is_drawn_no_more() -> None:
    """A hand that ended so left a table that the kernel then took for none."""
    assert table_difference(pyengine.load("dazhong/standard"), 2615, 0.95) is None


@pytest.mark.parametrize("name", PLAYABLE)
def test_under_every_value_of_every_option_too(name: str) -> None:
    rules = pyengine.load(name)
    seed = 100
    for option in rules.rules.options.values():
        for alternative in option.alternatives:
            value = getattr(alternative, "high", alternative)
            if value != option.value:
                seed += 1
                changed = rules.with_options({option.name: "无" if value is None else value})
                assert table_difference(changed, seed) is None, (option.name, value)


TOWNS = {
    "declared": "声明 飘: 0 .. 2 = 0\n改 打法 开局 = 飘, 换三张, 定缺\n"
    "改 令 胡分 = 底分 × (min(牌值 × 翻, 封顶) + 飘)\n设 换三张 = 任意\n",
    "early end": "改 令 终局 = 几个 (已胡) >= 3 或 余牌 <= 12\n改 打法 多响 = 头胡\n打法 续摸 = 放炮者下家\n",
    "pung first": "改 打法 先后 = 碰, 吃, 胡, 杠\n许 吃 当 来自 是 上家/对家\n禁 吃 当 该张 是 定缺牌\n",
    "words": "禁 碰 当 来自 是 对家 且 几个 (已胡) = 1\n禁 打 当 庄家 且 该张 是 [1万] 且 几个 牌种 其 张数 = 2 > 3\n"
    "禁 暗杠 当 改叫\n必 碰 当 下家的已胡 或 门清\n禁 点炮 当 番数 < 2 且 胡分 <= 漏胡分 + 1\n"
    "禁 直杠 当 有 牌 是 [9万 9筒 9条] 且 花色数 = 3\n必 自摸 当 根数 > 0 或 杠数 > 0\n禁 过 当 副露数 = 2\n",
    "front": "改 打法 补牌 = 牌头\n禁 巴杠 当 非 即时\n禁 暗杠 当 非 该张 是 摸张\n"
    "禁 打 当 刚碰 且 定缺张数 = 0 且 该张 是 [2万] 且 花色数 = 2\n",
    "some held": "禁 碰 当 有 牌 是 [19万] 且 该张 是 [5万 5筒]\n禁 碰 当 非 (有 牌 是 [19万]) 且 该张 是 [2筒 3筒]\n"
    "必 碰 当 有 牌 是 [1筒] 且 该张 是 [7条]\n禁 点炮 当 有 牌 是 [5筒 5条] 且 番数 < 3\n"
    "禁 过 当 非 (有 牌 是 [46万] 或 该张 是 [8万])\n",
}


@pytest.mark.parametrize("town", TOWNS)
def test_tables_that_no_shipped_file_has(tmp_path: Path, town: str) -> None:
    rules = rules_of(tmp_path, TOWNS[town], '规则 "试" 继承 "sichuan/xuezhan"\n')
    for seed in range(20):
        assert table_difference(rules, seed) is None


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("size", [4, 7, 13])
def test_any_number_of_players_and_tiles(tmp_path: Path, players: int, size: int) -> None:
    melds = (size - 1) // 3
    head = f"""规则 "小"
牌 万 筒 条 = 1..9 × 4
牌 字 = [中发] × 4
打法 人数 = {players}
打法 手牌 = {size}
打法 开局 = 换三张, 定缺
打法 换三张 = 同色
打法 换向 = 顺, 逆, 对
打法 马 = 2
打法 胡后 = 留场
许 胡, 碰, 直杠, 暗杠, 巴杠, 吃
禁 碰, 直杠, 吃 当 已胡
禁 暗杠, 巴杠 当 已胡 且 改叫
禁 打 当 已胡 且 非 该张 是 摸张
胡型 基本 = {melds} 面子 + 1 将 当 花色数 < 4
番种 平胡 = 1番
番种 中 = 1番 当 有 面子 是 [中]
令 胡分 = 番数
令 终局 = 余牌 = 0
结算 自摸: 每个 在场 付 胡者: 胡分
结算 点炮: 放炮者 付 每个 胡者: 胡分
结算 叫: 每个 没叫 付 每个 听牌: 大叫
次序 流局 = 叫
结算 马: 每个 马 随 所叫
次序 终局 = 马
"""
    rules = rules_of(tmp_path, "", head)
    for seed in range(8):
        assert table_difference(rules, seed) is None


def test_the_first_round_is_over_when_a_seat_has_a_second_turn(tmp_path: Path) -> None:
    """A win passes seats over; such a seat draws its first tile in a later round, which is no 首巡 on either table."""
    head = """规则 "快"
牌 万 = 1..9 × 4
打法 手牌 = 4
打法 胡后 = 留场
许 胡
禁 打 当 已胡 且 非 该张 是 摸张
胡型 基本 = 1 面子 + 1 将
番种 平胡 = 1番
番种 起手 = 3番 当 首巡
令 胡分 = 番数
令 终局 = 余牌 = 0
结算 自摸: 每个 在场 付 胡者: 胡分
结算 点炮: 放炮者 付 每个 胡者: 胡分
"""
    rules = rules_of(tmp_path, "", head)
    late = 0
    for seed in range(60):
        assert table_difference(rules, seed, 1.0) is None

        def look(game: Game) -> None:
            nonlocal late
            play = game._play
            won = play.done[-1].event if play.done else None
            if won and won.kind == "self_draw" and won.winners[0] != play.dealer:
                late += play.seats[won.winners[0]].draws == 1 and "first_turn" not in won.flags

        played(rules, seed, look)
    assert late


def test_what_the_kernel_cannot_ask_is_told(tmp_path: Path) -> None:
    rules = rules_of(tmp_path, "禁 点炮 当 胡型 是 七对\n")
    with pytest.raises(RuleError) as caught:
        _ = rules.play_kernel
    assert caught.value.diagnostics[0].code == "E773"
    assert rules.new_game(1).legal()


# ---- hands played by the kernel -------------------------------------------------------------------


@pytest.mark.parametrize("name", PLAYABLE)
@pytest.mark.parametrize("greedy", [False, True])
def test_played_hands_are_hands(name: str, greedy: bool) -> None:
    """Their records replay to the same, tiles are conserved, and the money balances."""
    rules = pyengine.load(name)
    n = 6
    played = np.zeros(n, PLAYED)
    tables = bytearray(TABLE_SIZE * n)
    rules.play_kernel.simulate(greedy, 17, n, played, tables)
    for row in range(n):
        table = bytes(tables[row * TABLE_SIZE : (row + 1) * TABLE_SIZE])
        record = record_of(rules, table)
        result = rules.settle(record)
        assert tuple(played["deltas"][row][: len(result.deltas)]) == result.deltas
        next_dealer = played["next_dealer"][row]
        assert (None if next_dealer == 255 else next_dealer) == result.next_dealer
        look = rules.play_kernel.look(table)
        found: Counter[int] = Counter()
        for seat in look.seats[0 : rules.playbook.players]:
            found.update(tiles.expand(seat.tiles))
        found.update(tiles.expand(look.shown))
        found.update(look.wall[look.front : look.back])
        found.update(look.horses[0 : look.n_horses])
        assert tiles.counts(found.elements()) == rules.copies


def test_the_sizes_of_rows_agree() -> None:
    assert PLAYED.itemsize == PLAYED_SIZE


def test_the_same_seed_plays_the_same_hands() -> None:
    kernel = pyengine.load("sichuan/xuezhan").play_kernel
    one, other, part = np.zeros(50, PLAYED), np.zeros(50, PLAYED), np.zeros(10, PLAYED)
    kernel.simulate(True, 5, 50, one)
    kernel.simulate(True, 5, 50, other)
    kernel.simulate(True, 45, 10, part)
    assert (one == other).all()
    assert (one[40:] == part).all()


@pytest.mark.parametrize("greedy", [False, True])
@pytest.mark.parametrize("name", PLAYABLE)
def test_hands_come_to_the_same_looked_up_or_judged(name: str, greedy: bool) -> None:
    rules = pyengine.load(name)
    kernel, n = rules.play_kernel, 400
    judged, looked_up = np.zeros(n, PLAYED), np.zeros(n, PLAYED)
    kernel.simulate(greedy, 3, n, judged)
    many = np.zeros(FEWEST_FOLDED, PLAYED)
    kernel.simulate(greedy, 3, len(many), many)
    kernel.simulate(greedy, 3, n, looked_up)
    assert (judged == looked_up).all()
    assert (judged == many[:n]).all()


def test_wins_whose_facts_no_table_knows_are_judged(tmp_path: Path) -> None:
    rules = rules_of(tmp_path, TOWNS["declared"], '规则 "试" 继承 "sichuan/xuezhan"\n')
    kernel, n = rules.play_kernel, 400
    judged, many = np.zeros(n, PLAYED), np.zeros(FEWEST_FOLDED, PLAYED)
    kernel.simulate(False, 3, n, judged)
    kernel.simulate(False, 3, len(many), many)
    assert (judged == many[:n]).all()


# ---- hostile -------------------------------------------------------------------------------------


def test_illegal_moves_change_nothing() -> None:
    rules = pyengine.load("sichuan/xuezhan")
    kernel = rules.play_kernel
    dealer, _, wall = shuffled(rules.playbook, 1)
    table = kernel.deal(wall, dealer, 1)
    for seat in range(4):
        legal = kernel.legal(table, seat)
        for move in (*range(244), 244, 255, 1000, 2**31):
            if not legal >> move & 1:
                with pytest.raises(KernelError):
                    kernel.apply(table, seat, move)
    for seat in (4, 5, 255, 2**31):
        with pytest.raises(KernelError):
            kernel.legal(table, seat)
    for bad in (wall[1:], [*wall[1:], 40], [0] * 108, []):
        with pytest.raises(KernelError):
            kernel.deal(bad, dealer, 1)
    for place in ((4, 1), (0, 0), (0, 4)):
        with pytest.raises(KernelError):
            kernel.deal(wall, *place)


def test_a_table_of_any_bytes_is_refused_or_played() -> None:
    """Whatever is written into a table, the kernel stays within its bounds (run it with the sanitizers)."""
    rules = pyengine.load("sichuan/xueliu")
    kernel = rules.play_kernel
    rng = random.Random(3)
    tables = bytearray(TABLE_SIZE * 4)
    kernel.simulate(True, 1, 4, np.zeros(4, PLAYED), tables)
    for _ in range(400):
        dealer, _, wall = shuffled(rules.playbook, rng.randrange(1000))
        table = kernel.deal(wall, dealer, 1)
        for _ in range(rng.randrange(60)):
            seat = rng.choice([s for s in range(4) if kernel.legal(table, s)])
            legal = kernel.legal(table, seat)
            table = kernel.apply(table, seat, rng.choice([m for m in range(244) if legal >> m & 1]))
        broken = bytearray(table)
        for _ in range(rng.randrange(1, 4)):
            broken[rng.randrange(1200)] = rng.choice((0, 1, 4, 5, 33, 34, 127, 255))
        for seat in range(4):
            try:
                legal = kernel.legal(bytes(broken), seat)
                for move in [m for m in range(244) if legal >> m & 1][:6]:
                    kernel.apply(bytes(broken), seat, move)
            except KernelError:
                continue
    for _ in range(50):
        with pytest.raises(KernelError):
            kernel.legal(bytes(rng.randrange(256) for _ in range(TABLE_SIZE)), 0)
