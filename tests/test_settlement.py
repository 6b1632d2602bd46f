"""Who pays whom: the kernel against the oracle, laws of every ledger, and games that cannot be."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pyengine
from pyengine.engine.ledger import OUTSIDE
from pyengine.engine.table import TableEvent, TableGame
from pyengine.language.load import load_rules
from pyengine.tools.random_games import random_games
from pyengine.tools.testing import run_files

PLAYABLE = [name for name, _, _ in pyengine.rulesets() if load_rules(name).is_playable]


def everything(rules: pyengine.Ruleset) -> list[pyengine.Ruleset]:
    """The rules, and the rules with each option of settlement at each of its values."""
    found = [rules]
    for option in rules.rules.options.values():
        for alternative in option.alternatives:
            value = getattr(alternative, "high", alternative)
            found.append(rules.with_options({option.name: "无" if value is None else value}))
    return found


@pytest.mark.parametrize("name", PLAYABLE)
def test_kernel_and_oracle_post_the_same(name: str) -> None:
    rules = pyengine.load(name)
    for game in random_games(rules, 2_000, seed=21):
        assert rules.settle_table(game) == rules.ledger.settle(game), game


@pytest.mark.parametrize("name", PLAYABLE)
def test_under_every_value_of_every_option_too(name: str) -> None:
    for rules in everything(pyengine.load(name)):
        for game in random_games(rules, 12, seed=22):
            assert rules.settle_table(game) == rules.ledger.settle(game), (rules.options, game)


@pytest.mark.parametrize("name", PLAYABLE)
def test_ledgers_balance(name: str) -> None:
    """Nobody pays himself, nothing appears or is lost, and what is given back is what was paid."""
    for rules in everything(pyengine.load(name))[::3]:
        for game in random_games(rules, 40, seed=23):
            settled = rules.settle_table(game)
            assert sum(settled.deltas) == 0
            outside = [p for p in settled.postings if OUTSIDE in (p.payer, p.receiver)]
            assert outside or sum(settled.deltas[:4]) == 0
            deltas = [0] * 9
            for posting in settled.postings:
                assert posting.amount > 0
                assert posting.payer != posting.receiver
                deltas[posting.payer] -= posting.amount
                deltas[posting.receiver] += posting.amount
            assert tuple(deltas) == settled.deltas
            flows = rules.rules.flows
            returned = Counter((p.payer, p.receiver, p.amount) for p in settled.postings if p.state == "returned")
            refunds = Counter(
                (p.receiver, p.payer, p.amount)
                for p in settled.postings
                if flows[p.flow].transfers[p.line].verb == "refund"
            )
            assert returned == refunds


def turned(game: TableGame, by: int) -> TableGame:
    """The same game with everybody sitting `by` seats further on."""

    def seat(number: int) -> int:
        return (number + by) % game.players

    def lanes(values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(values[(n - by) % game.players] if n < game.players else values[n] for n in range(4))

    events = tuple(
        replace(
            event,
            seat=None if event.seat is None else seat(event.seat),
            source=None if event.source is None else seat(event.source),
            winners=tuple(sorted(map(seat, event.winners))),
            worth=lanes(event.worth),
        )
        for event in game.events
    )
    return replace(
        game,
        events=events,
        dealer=seat(game.dealer),
        out=frozenset(map(seat, game.out)),
        horses=tuple(map(seat, game.horses)),
        states=lanes(game.states),
        best_call=lanes(game.best_call),
        least_call=lanes(game.least_call),
        stances=lanes(game.stances),
    )


@pytest.mark.parametrize("name", PLAYABLE)
def test_only_turn_order_matters_not_the_number_of_a_seat(name: str) -> None:
    rules = pyengine.load(name)
    for game in random_games(rules, 300, seed=24):
        deltas = rules.settle_table(game).deltas
        for by in (1, 2, 3):
            moved = rules.settle_table(turned(game, by)).deltas
            assert [moved[(seat + by) % 4] for seat in range(4)] == list(deltas[:4])


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_short_games_of_any_sort(data: st.DataObject) -> None:
    """Small games by hypothesis, which looks for the shortest that fails."""
    rules = pyengine.load(data.draw(st.sampled_from(PLAYABLE)))
    length = data.draw(st.integers(1, 4))
    (game,) = random_games(rules, 1, seed=data.draw(st.integers(0, 10_000)), length=length)
    settled = rules.settle_table(game)
    assert settled == rules.ledger.settle(game)
    assert sum(settled.deltas) == 0


STANCES = """规则 "声明" 继承 "sichuan/xuezhan"
声明 报叫: 是否 = 否
声明 飘: 0 .. 3 = 0
令 庄家报了 = 庄家 且 报叫
令 加 = (若 付者的报叫 则 1 否则 0) + (若 胡者的报叫 或 收者的报叫 则 2 否则 0) + 付者的飘 + 飘
改 结算 自摸: 每个 (在场 且 非 庄家的报叫) 付 每个 胡者: 胡分 + 加
              每个 (在场 且 报叫) 付 庄家: 4 当 庄家的庄家报了
改 结算 点炮: 放炮者 付 每个 胡者: 胡分 + 加
              每个 (在场 且 非 放炮者的报叫) 付 每个 (胡者 且 报叫): 8 当 非 杠者的报叫
改 结算 巴杠: 每个 (在场 且 报叫) 付 杠者: 几个 (未胡 且 报叫) 记 杠钱 当 首胡者的报叫 或 即时
"""


def test_what_players_have_declared_is_read_through_their_roles(tmp_path: Path) -> None:
    """A yes of a role is that of any of its seats; a role that nobody has has declared nothing."""
    path = tmp_path / "stances.rule"
    path.write_text(STANCES, encoding="utf-8")
    rules = pyengine.load(path)
    games = list(random_games(rules, 2_000, seed=30))
    assert len({rules.settle_table(game).deltas for game in games}) > 500
    for game in games:
        assert rules.settle_table(game) == rules.ledger.settle(game), game


def test_two_winners_of_whom_one_has_declared(tmp_path: Path) -> None:
    path = tmp_path / "stances.rule"
    head = '规则 "声明" 继承 "sichuan/xuezhan"\n声明 报叫: 是否 = 否\n'
    path.write_text(head + "改 结算 点炮: 放炮者 付 每个 胡者: 胡分 + (若 胡者的报叫 则 10 否则 0)\n", encoding="utf-8")
    winners = [{"seat": 0, "value": "2倍"}, {"seat": 2, "value": "1倍"}]
    game = {"stances": {"2": {"报叫": "是"}}, "events": [{"win": "点炮", "from": 1, "winners": winners}]}
    assert pyengine.load(path).settle(game).deltas == (12, -23, 11, 0)


def test_a_line_that_does_not_act_may_have_any_parties(tmp_path: Path) -> None:
    """Several seats without 每个 are refused when they would pay, not when the condition is false."""
    head = '规则 "试" 继承 "sichuan/xuezhan"\n选项 甲: 是否 = 否\n次序 自摸 = 自摸, 新\n'
    game = {"events": [CONCEALED, {"win": "自摸", "seat": 1, "value": "2倍"}]}
    for line in ("在场 退 杠钱", "在场 付 胡者: 1", "胡者 付 在场: 1", "在场 转 杠钱 给 胡者"):
        for when in ("甲", "自摸 且 甲", "点炮"):
            path = tmp_path / "idle.rule"
            path.write_text(f"{head}结算 新: {line} 当 {when}\n", encoding="utf-8")
            rules = pyengine.load(path)
            assert rules.settle(game).deltas == pyengine.load("sichuan/xuezhan").settle(game).deltas
        path.write_text(f"{head}结算 新: {line} 当 自摸\n", encoding="utf-8")
        with pytest.raises(pyengine.InputError) as error:
            pyengine.load(path).settle(game)
        assert error.value.diagnostics[0].code == "E879"


@pytest.mark.parametrize("money", ["0 ^ 0", "5", "0 - 底分", "(0 - 2) ^ 3"])
def test_what_a_game_tells_is_paid_where_money_is_constant(tmp_path: Path, money: str) -> None:
    path = tmp_path / "constant.rule"
    path.write_text(f'规则 "试" 继承 "sichuan/xuezhan"\n改 令 胡分 = {money}\n', encoding="utf-8")
    rules = pyengine.load(path)
    game = TableGame((TableEvent("self_draw", None, None, (2,), worth=(0, 0, 7, 0)),))
    assert rules.settle_table(game) == rules.ledger.settle(game)
    assert rules.settle_table(game).deltas[:4] == (-7, -7, 21, -7)


def test_a_winners_call_is_that_of_a_discard_at_every_seat(tmp_path: Path) -> None:
    path = tmp_path / "drawn.rule"
    money = "底分 × (牌值 + (若 自摸 则 100 否则 0))"
    path.write_text(
        f'规则 "试" 继承 "sichuan/xueliu"\n改 令 胡分 = {money}\n结算 新: 每个 没叫 付 每个 已胡: 大叫\n'
        "改 次序 流局 = 查花猪, 查大叫, 退税, 新\n",
        encoding="utf-8",
    )
    rules = pyengine.load(path)
    for seat in range(4):
        states = {other: {"state": "没叫"} for other in range(4) if other != seat}
        events = [{"win": "自摸", "seat": seat, "value": "2倍"}, {"end": "流局", "seats": states}]
        assert rules.settle({"events": events}).table_game.best_call[seat] == 2


def test_money_may_be_handed_on_to_the_outside_account(tmp_path: Path) -> None:
    path = tmp_path / "outside.rule"
    path.write_text(
        '规则 "试" 继承 "sichuan/xuezhan"\n结算 没收: 放炮者 转 杠钱 给 外账\n改 次序 点炮 = 没收, 呼叫转移, 点炮\n',
        encoding="utf-8",
    )
    rules = pyengine.load(path)
    result = rules.settle({"events": [{**CONCEALED, "seat": 1}, WIN]})
    assert result.deltas == (0, -2, -2, -2)
    assert "外账" in result.why("zh")


# ---- many at once -----------------------------------------------------------------------------


def test_a_batch_settles_as_each_game_by_itself() -> None:
    rules = pyengine.load("sichuan/xuezhan")
    games = list(random_games(rules, 500, seed=25))
    batch = rules.settle_batch(rules.pack_games(games))
    for game, deltas, dealer in zip(games, batch.deltas, batch.next_dealers, strict=True):
        settled = rules.ledger.settle(game)
        assert tuple(deltas) == settled.deltas[:4]
        assert (None if dealer == 255 else dealer) == settled.next_dealer


def test_games_that_cannot_be_are_named_and_the_others_settled() -> None:
    rules = pyengine.load("sichuan/xuezhan")
    games = list(random_games(rules, 5, seed=26))
    packed = rules.pack_games(games)
    events = packed.events.copy()
    events["kind"][int(packed.starts[2])] = 77
    broken = replace(packed, events=events)
    with pytest.raises(pyengine.InputError, match="2"):
        rules.settle_batch(broken)
    marked = rules.settle_batch(broken, errors="mark")
    assert list(np.flatnonzero(marked.statuses)) == [2]
    assert not marked.deltas[2].any()
    assert tuple(marked.deltas[3]) == rules.ledger.settle(games[3]).deltas[:4]


def test_any_bytes_are_a_status_and_never_a_crash() -> None:
    rules = pyengine.load("sichuan/xueliu")
    rng = np.random.default_rng(27)
    packed = rules.pack_games(list(random_games(rules, 200, seed=28)))
    for _ in range(200):
        games, events = packed.games.copy(), packed.events.copy()
        for array in (games, events):
            raw = array.view(np.uint8)
            raw[rng.integers(0, len(raw), 40)] = rng.integers(0, 256, 40)
        settled = rules.settle_batch(replace(packed, games=games, events=events), errors="mark")
        assert not settled.deltas[settled.statuses != 0].any()
    for starts in ([0, 5, 3], [1, 2, 3], [0, 2**63, 3]):
        with pytest.raises(pyengine.InputError):
            rules.settle_batch(
                replace(packed, games=packed.games[:2], starts=np.array(starts, np.uint64)), errors="mark"
            )


@pytest.mark.parametrize(
    "change",
    [
        {"games": np.zeros(3)},
        {"events": np.zeros((3, 2), np.uint8)},
        {"starts": np.zeros(4, np.int32)},
    ],
)
def test_wrong_arrays_are_refused(change: dict[str, Any]) -> None:
    rules = pyengine.load("sichuan/classic")
    packed = rules.pack_games(list(random_games(rules, 3, seed=29)))
    with pytest.raises(pyengine.InputError):
        rules.settle_batch(replace(packed, **change))
    with pytest.raises(pyengine.InputError):
        rules.settle_batch(packed, out=np.zeros((3, 4), np.int32))


@pytest.mark.parametrize(
    ("game", "code", "place"),
    [
        ({"horses": ["3m"]}, "E893", "[3m]"),
        ({"horses": ["1m", "2m", "3m", "4m", "5m"]}, "E892", "[1m"),
        ({"stances": {0: {"飘": 2}}}, "E889", "2"),
        ({"out": [0, 1, 2]}, "E877", "{win"),
    ],
)
def test_wrong_games_are_told_in_their_place(game: dict[str, Any], code: str, place: str) -> None:
    rules = pyengine.load("sichuan/classic", 封顶="8倍")
    event = {"win": "自摸", "seat": 3, "value": "2倍"}
    with pytest.raises(pyengine.InputError) as error:
        rules.settle({**game, "events": [event]})
    found = error.value.diagnostics[0]
    assert found.code == code
    assert found.span
    assert found.span.text.startswith(place)


def test_tables_of_three(tmp_path: Path) -> None:
    """Their games can be expected, and no fourth seat has a part in them."""
    path = tmp_path / "three.rule"
    path.write_text('规则 "三人" 继承 "sichuan/xuezhan"\n改 打法 人数 = 3\n', encoding="utf-8")
    cases = tmp_path / "three.yaml"
    win = "- {win: 自摸, seat: 0, value: 2倍}"
    cases.write_text(
        f"ruleset: three.rule\ngames:\n- id: a\n  events:\n  {win}\n  expect: {{deltas: [4, -2, -2]}}\n",
        encoding="utf-8",
    )
    assert run_files([cases], {}).totals["passed"] == 1
    rules = pyengine.load(path)
    drawn = {"end": "流局", "seats": {seat: {"state": "没叫"} for seat in range(4)}}
    for game in ({"dealer": 3, "events": [CONCEALED]}, {"out": [3], "events": [CONCEALED]}, {"events": [drawn]}):
        with pytest.raises(pyengine.InputError) as error:
            rules.settle(game)
        assert error.value.diagnostics[0].code == "E872"


def test_ways_to_write_a_winner_s_hand() -> None:
    """With the winning tile or without, melds in the text or beside it: the same hand."""
    rules = pyengine.load("sichuan/xuezhan")
    ways: list[dict[str, Any]] = [
        {"hand": "碰 1m 22233399m123p"},
        {"hand": "碰 1m 22233399m12p"},
        {"hand": "22233399m12p", "melds": "碰 1m"},
        {"hand": "22233399m123p", "melds": ["碰 1m"]},
    ]
    settled = [rules.settle({"events": [{"win": "自摸", "seat": 0, "tile": "3p", **way}]}) for way in ways]
    assert {game.deltas for game in settled} == {settled[0].deltas}
    two = {"win": "自摸", "seat": 0, "tile": "3p", "hand": "33399m12p", "melds": "碰 1m 碰 2m", "flags": "末张"}
    assert rules.settle({"events": [two]}).deltas[0] > settled[0].deltas[0]


@pytest.mark.parametrize("name", ["games", "events", "starts"])
def test_results_are_not_written_into_what_is_read(name: str) -> None:
    rules = pyengine.load("sichuan/classic")
    packed = rules.pack_games(list(random_games(rules, 300, seed=29)))
    memory = np.zeros(max(getattr(packed, name).nbytes, 4 * 8 * len(packed)) + 64, np.uint8)
    shared = memory[: getattr(packed, name).nbytes].view(getattr(packed, name).dtype)
    shared[:] = getattr(packed, name)
    out = memory[: 4 * 8 * len(packed)].view(np.int64).reshape(-1, 4)
    with pytest.raises(pyengine.InputError) as error:
        rules.settle_batch(replace(packed, **{name: shared}), out=out)
    assert error.value.diagnostics[0].code == "E947"


def test_no_games_are_no_rows() -> None:
    rules = pyengine.load("sichuan/classic")
    assert rules.settle_batch(rules.pack_games([])).deltas.shape == (0, 4)


# ---- games that cannot be ------------------------------------------------------------------------

WIN = {"win": "点炮", "from": 1, "winners": [{"seat": 0, "value": "2倍"}]}
CONCEALED = {"kong": "暗杠", "seat": 0, "tile": "5m"}


@pytest.mark.parametrize(
    ("events", "code"),
    [
        ([{"kong": "暗杠", "seat": 4, "tile": "1m"}], "E828"),
        ([{"kong": "直杠", "seat": 1, "tile": "1m"}], "E822"),
        ([{"kong": "直杠", "seat": 1, "from": 1, "tile": "1m"}], "E852"),
        ([CONCEALED, {"kong": "暗杠", "seat": 1, "tile": "5m"}], "E880"),
        ([WIN, {"win": "自摸", "seat": 0, "value": "2倍"}], "E873"),
        ([WIN, {"kong": "暗杠", "seat": 0, "tile": "1m"}], "E873"),
        ([WIN, {"win": "点炮", "from": 0, "winners": [{"seat": 2, "value": "1倍"}]}], "E873"),
        ([{"win": "点炮", "from": 1, "winners": [{"seat": 1, "value": "2倍"}]}], "E852"),
        ([{"win": "自摸", "seat": 0, "value": "2倍", "flags": ["杠后"]}], "E875"),
        ([{"kong": "巴杠", "seat": 0, "tile": "1m", "robbed": True}, CONCEALED], "E871"),
        ([{"kong": "巴杠", "seat": 0, "tile": "1m", "robbed": True}], "E871"),
        ([{"end": "流局", "seats": {s: {"state": "没叫"} for s in range(4)}}, CONCEALED], "E870"),
        ([{"end": "流局", "seats": {0: {"state": "没叫"}}}], "E876"),
        ([{"end": "流局", "seats": {s: {"state": "没叫" if s else "听牌"} for s in range(4)}}], "E883"),
        ([{"end": "流局", "seats": {s: {"state": "已胡"} for s in range(4)}}], "E886"),
        ([{"win": "自摸", "seat": 0, "value": "99999999999倍"}], "E884"),
        ([{"win": "自摸", "seat": 0, "value": "-2倍"}], "E846"),
        ([{"win": "自摸", "seat": 0, "value": "2"}], "E846"),
        ([{"win": "自摸", "seat": 0, "hand": "123m456m789m1p44p", "tile": "9p"}], "E7"),
        ([{"win": "自摸", "seat": 0, "hand": "123m456m789s123p44p", "tile": "4p"}], "E882"),
        ([{"win": "自摸", "seat": s, "value": "1倍"} for s in (0, 1, 2)] + [{"kong": "暗杠", "seat": 3}], "E877"),
        ([{"wim": "自摸", "seat": 0}], "E842"),
        ([{"win": None, "seat": 0}], "E822"),
        ([{"kong": None, "seat": 0}], "E822"),
        ([{"kong": "暗杠", "seat": "0"}], "E828"),
        ([{"kong": "暗杠", "seat": 0, "tile": "东"}], "E721"),
        ([{"kong": "暗杠", "seat": 0, "tile": f"{n}m"} for n in range(1, 6)], "E897"),
        ([{"kong": "暗杠", "seat": 0} for _ in range(300)], "E891"),
        ([{"win": "自摸", "seat": 0, "value": "9" * 5000 + "倍"}], "E846"),
        ([{"win": "自摸", "seat": 1, "value": "2倍", "flags": ["庄家"]}], "E896"),
        ([CONCEALED, {"win": "自摸", "seat": 0, "value": "2倍", "flags": ["首巡"]}], "E890"),
        ([CONCEALED, {"win": "自摸", "seat": 0, "hand": "111333444m22266p", "tile": "6p"}], "E894"),
        ([CONCEALED, {"win": "自摸", "seat": 1, "hand": "111333555m22266p", "tile": "6p"}], "E895"),
        ([{"win": "点炮", "from": 1, "winners": [{"seat": 0, "value": "2倍", "flags": ["末张"]}]}], "E821"),
        ([{"end": "终局"}, CONCEALED], "E870"),
        ([{"end": "终局", "seats": {0: {"state": "没叫"}}}], "E844"),
        ([{"end": "流局", "seats": {0: {"state": "没叫", "best": 3}}}], "E853"),
        ([{"end": "流局", "seats": {"00": {"state": "没叫"}}}], "E828"),
        ([{"foul": "诈和"}], "E822"),
        ("nonsense", "E8"),
    ],
)
def test_a_game_that_cannot_be_is_refused_with_its_place(events: Any, code: str) -> None:
    with pytest.raises(pyengine.InputError) as error:
        pyengine.load("sichuan/xuezhan").settle({"events": events})
    found = error.value.diagnostics[0]
    assert found.code.startswith(code), str(error.value)
    assert found.span is not None
    assert str(error.value)


def test_a_value_is_not_enough_where_money_depends_on_tiles(tmp_path: Any) -> None:
    path = tmp_path / "chips.rule"
    path.write_text('规则 "按根付" 继承 "sichuan/xuezhan"\n改 令 胡分 = 底分 × 番数 + 根数\n', encoding="utf-8")
    rules = pyengine.load(str(path))
    with pytest.raises(pyengine.InputError) as error:
        rules.settle({"events": [{"win": "自摸", "seat": 0, "value": "2倍"}]})
    assert error.value.diagnostics[0].code == "E881"
    hand = {"win": "自摸", "seat": 0, "hand": "123333m45678999p", "tile": "9p"}
    assert rules.settle({"events": [hand]}).deltas == (9, -3, -3, -3)


def test_hands_in_a_game_are_scored_in_their_situation() -> None:
    """The dealer, the kong before and the number of payers are the table's, not the hand's."""
    rules = pyengine.load("sichuan/classic", 点杠花="点炮")
    events = [
        {"kong": "直杠", "seat": 2, "from": 0, "tile": "1m"},
        {
            "win": "自摸",
            "seat": 2,
            "flags": ["杠后"],
            "tile": "9p",
            "hand": "345p678p99p456m",
            "melds": ["直杠 1m"],
        },
    ]
    result = rules.settle({"events": events})
    # 平胡 1 × 根 2 × 杠上花 2 = 4, paid by the feeder alone and without 自摸奖.
    assert result.deltas == (-6, 0, 6, 0)
    assert "杠上花" in result.why("zh")


def test_events_are_told_apart_by_numbers() -> None:
    rules = pyengine.load("sichuan/classic")
    game = TableGame((TableEvent("self_draw", None, None, (0,), worth=(4, 0, 0, 0), stated=True),))
    assert rules.settle_table(game).deltas[:4] == (15, -5, -5, -5)


# ---- one hand ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "paid"),
    [
        ({"by": "点炮"}, [(1, 0, 2)]),
        ({"hand": "111333m44455567p", "win": "6p", "by": "抢杠"}, [(1, 0, 1)]),
        ({"by": "自摸"}, [(1, 0, 3), (2, 0, 3), (3, 0, 3)]),
        ({"by": "点炮", "flags": ["杠后"], "kong": "暗杠"}, [(1, 0, 4)]),
        ({"by": "点炮", "flags": ["杠后"]}, None),
    ],
)
def test_who_pays_for_a_hand_that_is_scored_alone(facts: dict[str, Any], paid: list[tuple[int, ...]] | None) -> None:
    result = pyengine.load("sichuan/classic").score(**{"hand": "111333444m22266p", "win": "6p", **facts})
    told = result.as_json()["payments"]
    assert (told and [(p["payer"], p["receiver"], p["amount"]) for p in told]) == paid


def test_nobody_pays_for_what_does_not_win() -> None:
    assert pyengine.load("sichuan/classic").score("111333444m22269p").as_json()["payments"] == []
