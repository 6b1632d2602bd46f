"""Hands played out: what must hold of every one, and tables that no shipped file has."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pyengine
from pyengine.engine.game import Game
from pyengine.engine.moves import MOVES, Move, move_of
from pyengine.language.diagnostics import InputError, RuleError
from pyengine.language.load import load_rules
from pyengine.notation import tiles

PLAYABLE = [name for name, _, _ in pyengine.rulesets() if load_rules(name).is_playable]
TOWN = """规则 "试" 继承 "sichuan/xuezhan"
设 换三张 = 不换
"""


def rules_of(tmp_path: Path, text: str, head: str = TOWN, **options: object) -> pyengine.Ruleset:
    path = tmp_path / "试.rule"
    path.write_text(head + text, encoding="utf-8")
    return pyengine.load(path, **options)


def pick(legal: tuple[Move, ...], rng: random.Random, eager: float = 0.7) -> Move:
    """A move that makes things happen: wins and melds are taken more often than chance would."""
    wanted = [move for move in legal if move.verb not in ("discard", "pass")]
    return rng.choice(wanted if wanted and rng.random() < eager else legal)


def played(rules: pyengine.Ruleset, seed: int, look: Callable[[Game], None] | None = None) -> Game:
    rng = random.Random(seed)
    game = rules.new_game(seed)
    while not game.is_over:
        seat = rng.choice(game.to_act)
        game.apply(pick(game.legal(seat), rng))
        if look:
            look(game)
    return game


def on_table(game: Game) -> Counter[int]:
    """Every tile that there is, wherever it lies."""
    play = game._play
    found: Counter[int] = Counter(play.wall)
    found.update(play.horses)
    for state in play.seats:
        found.update(tiles.expand(state.tiles))
        found.update(state.given if play.phase == "swap" else [])
    for kind, n in enumerate(play.shown):
        found[kind] += n
    if play.target and not play.robbing and play.phase == "claim":
        found[play.target[1]] += 1
    return +found


@pytest.mark.parametrize("name", PLAYABLE)
def test_tiles_are_conserved_and_every_hand_ends_in_balance(name: str) -> None:
    rules = pyengine.load(name)
    whole = Counter(dict(enumerate(rules.copies)))

    def look(game: Game) -> None:
        assert on_table(game) == +whole
        play = game._play
        for seat, state in enumerate(play.seats):
            holds = sum(state.tiles) + 3 * len(state.melds)
            own_turn = seat == play.actor and play.phase == "turn"
            if play.phase in ("turn", "claim") and not play.robbing:
                assert holds == rules.hand_size + own_turn

    for seed in range(6):
        game = played(rules, seed, look)
        assert (
            sum(game.settle().deltas) == 0 or "外账" in Path(rules.rules.sources[0].name).name or name.endswith("sbr")
        )


@pytest.mark.parametrize("name", PLAYABLE)
def test_a_written_record_replays_to_the_same_ledger(name: str) -> None:
    rules = pyengine.load(name)
    for seed in range(4):
        game = played(rules, seed)
        assert rules.settle(game.record()).as_json() == game.settle().as_json()
        without_wall = {key: value for key, value in game.record().items() if key != "wall"}
        assert rules.settle(without_wall).as_json() == game.settle().as_json()


@pytest.mark.parametrize("name", PLAYABLE)
def test_the_same_seed_is_the_same_hand(name: str) -> None:
    rules = pyengine.load(name)
    assert played(rules, 5).record() == played(rules, 5).record()


def test_moves_and_their_numbers() -> None:
    for number in range(MOVES):
        claimed = 12 if 104 <= number <= 108 else None
        move = move_of(number, 2, claimed)
        assert move.number(claimed) == number


def test_every_move_that_was_legal_was_made_by_somebody_awaited() -> None:
    game = pyengine.load("sichuan/xuezhan").new_game(3)
    with pytest.raises(InputError) as caught:
        game.apply(Move(game.to_act[0], "discard", 0))
    assert caught.value.diagnostics[0].code == "E771"
    with pytest.raises(InputError) as caught:
        game.settle()
    assert caught.value.diagnostics[0].code == "E772"
    with pytest.raises(InputError):
        pyengine.load("sichuan/xuezhan").new_game(3, dealer=4)


def test_moves_are_taken_back() -> None:
    rules = pyengine.load("sichuan/xueliu")
    rng = random.Random(5)
    game = rules.new_game(5)
    with pytest.raises(InputError):
        game.undo()
    for _ in range(60):
        before = (game.record(), game.legal(), game.to_act)
        game.apply(pick(game.legal(), rng))
        game.undo()
        assert (game.record(), game.legal(), game.to_act) == before
        game.apply(pick(game.legal(), rng))


def test_a_seat_sees_nothing_that_is_hidden() -> None:
    rules = pyengine.load("sichuan/xuezhan")

    def look(game: Game) -> None:
        for seat in range(4):
            seen = game.observe(seat)
            for other, view in enumerate(seen.seats):
                assert (view.hand is None) == (other != seat)
                if game._play.phase == "void" and other != seat:
                    assert view.void is None
            if seen.phase == "claim":
                assert set(seen.to_act) <= {seat}
            assert all(move.seat == seat for move in seen.legal)

    played(rules, 4, look)


# ---- the opening ---------------------------------------------------------------------------------


def test_the_first_dealer_is_drawn_by_lot_and_later_ones_are_named() -> None:
    """000 首局随机定庄，次局由首局第一位胡牌者坐庄."""
    rules = pyengine.load("sichuan/xuezhan")
    lots = Counter(rules.new_game(seed).observe(0).dealer for seed in range(200))
    assert set(lots) == set(range(rules.playbook.players))
    assert min(lots.values()) > 20  # A lot that favours nobody gives each about fifty.
    first = played(rules, 6)
    following = first.settle().next_dealer
    second = rules.new_game(7, following)
    assert second.observe(0).dealer == following
    assert sum(second._play.seats[following or 0].tiles) == rules.hand_size + 1


def test_the_way_of_the_swap_is_drawn_by_lot() -> None:
    """000 按系统或骰子点数决定顺时针、逆时针或对家互换."""
    rules = pyengine.load("sichuan/xuezhan")
    assert {rules.new_game(seed)._play.direction for seed in range(40)} == set(rules.playbook.directions)
    assert len(rules.playbook.directions) == 3


def test_tiles_are_swapped_then_suits_named_then_shown() -> None:
    """000 换牌完毕后，四家选定定缺门并公开展示; only then does the dealer discard."""
    game = pyengine.load("sichuan/xuezhan").new_game(1)
    phases = []
    while (phase := game.observe(0).phase) != "turn":
        phases += [phase] if phases[-1:] != [phase] else []
        assert not any(seat.void for seat in game.observe(0).seats[1:])
        game.apply(game.legal()[-1])
    assert phases == ["swap", "void"]
    assert game.to_act == (game.observe(0).dealer,)
    assert all(seat.void for seat in game.observe(0).seats)


def test_honours_are_never_chowed() -> None:
    """000 字牌绝对不能吃牌组成顺子: a record cannot even write such a run."""
    rules = pyengine.load("dazhong/standard")
    asked = 0

    def look(game: Game) -> None:
        nonlocal asked
        if game._play.phase != "claim" or game._play.target is None:
            return
        honour = game._play.target[1] >= 27
        asked += honour
        for seat in game.to_act:
            assert not honour or all(move.verb != "chow" for move in game.legal(seat))

    for seed in range(20):
        played(rules, seed, look)
    assert asked > 20


@pytest.mark.parametrize(("direction", "step"), [("顺", 1), ("逆", 3), ("对", 2)])
def test_three_tiles_go_the_way_that_was_drawn(tmp_path: Path, direction: str, step: int) -> None:
    rules = rules_of(tmp_path, f"改 打法 换向 = {direction}\n", 换三张="同色")
    game = rules.new_game(1)
    before = [list(state.tiles) for state in game._play.seats]
    given: dict[int, list[int]] = {}
    while game._play.phase == "swap":
        move = game.legal()[0]
        given.setdefault(move.seat, []).append(move.tile or 0)
        game.apply(move)
    for seat in range(4):
        assert len({kind // 9 for kind in given[seat]}) == 1
        want = Counter(tiles.expand(before[seat]))
        want.subtract(given[seat])
        want.update(given[(seat - step) % 4])
        assert Counter(tiles.expand(game._play.seats[seat].tiles)) == +want


def test_three_tiles_of_one_suit_or_of_any(tmp_path: Path) -> None:
    for choice, one_suit in (("同色", True), ("任意", False)):
        game = rules_of(tmp_path, "", 换三张=choice).new_game(1)
        seat = game.to_act[0]
        game.apply(game.legal(seat)[0])
        suits = {(move.tile or 0) // 9 for move in game.legal(seat)}
        assert (len(suits) == 1) == one_suit


def test_everybody_names_a_void_suit_before_the_first_discard() -> None:
    game = pyengine.load("sichuan/sbr").new_game(1)
    assert len(game.to_act) == 4
    for seat in reversed(range(4)):
        assert {move.verb for move in game.legal(seat)} == {"void"}
        game.apply(game.legal(seat)[seat % 3])
    assert game.to_act == (game._play.dealer,)


def test_stances_are_declared_where_the_opening_says_so(tmp_path: Path) -> None:
    text = "声明 飘: 0 .. 2 = 0\n改 打法 开局 = 飘, 定缺\n改 结算 点炮: 放炮者 付 每个 胡者: 胡分 + 收者的飘\n"
    rules = rules_of(tmp_path, text)
    game = rules.new_game(1)
    assert len(game.legal()) == 3
    for seat in range(4):
        game.apply(Move(seat, "declare", 2))
    assert [state.stances["飘"] for state in game._play.seats] == [2] * 4
    rng = random.Random(1)
    while not game.is_over:
        game.apply(pick(game.legal(), rng))
    assert game.record()["stances"]["1"] == {"飘": 2}
    assert rules.settle(game.record()).as_json() == game.settle().as_json()


def test_a_stance_of_too_many_values_cannot_be_declared(tmp_path: Path) -> None:
    rules = rules_of(tmp_path, "声明 飘: 0 .. 500 = 0\n改 打法 开局 = 飘\n")
    with pytest.raises(RuleError) as caught:
        rules.new_game(1)
    assert caught.value.diagnostics[0].code == "E791"


# ---- tables that no shipped file has ------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("size", [4, 7, 10, 13])
def test_any_number_of_players_and_tiles(tmp_path: Path, players: int, size: int) -> None:
    melds = (size - 1) // 3
    head = f"""规则 "小"
牌 万 筒 条 = 1..9 × 4
打法 人数 = {players}
打法 手牌 = {size}
打法 开局 = 换三张, 定缺
打法 换三张 = 同色
打法 换向 = 顺, 逆, 对
许 胡, 碰, 直杠, 暗杠, 巴杠, 吃
胡型 基本 = {melds} 面子 + 1 将
番种 平胡 = 1番
令 胡分 = 番数
令 终局 = 几个 (已胡) >= {players - 1} 或 余牌 = 0
结算 自摸: 每个 在场 付 胡者: 胡分
结算 点炮: 放炮者 付 每个 胡者: 胡分
"""
    rules = rules_of(tmp_path, "", head)
    for seed in range(4):
        game = played(rules, seed)
        assert sum(game.settle().deltas) == 0
        assert rules.settle(game.record()).as_json() == game.settle().as_json()


def test_more_hands_than_tiles(tmp_path: Path) -> None:
    head = '规则 "少"\n牌 万 = 1..9 × 4\n打法 手牌 = 13\n胡型 基本 = 4 面子 + 1 将\n番种 平胡 = 1番\n令 胡分 = 番数\n'
    with pytest.raises(RuleError) as caught:
        rules_of(tmp_path, "", head).new_game(1)
    assert caught.value.diagnostics[0].code == "E790"


def test_rules_that_leave_no_move_are_told(tmp_path: Path) -> None:
    game = rules_of(tmp_path, "禁 打 当 余牌 > 0\n改 打法 开局 = 换三张\n").new_game(1)
    with pytest.raises(InputError) as caught:
        game.legal()
    assert caught.value.diagnostics[0].code == "E792"


def at(rules: pyengine.Ruleset, moves: list[str], **hands: str) -> Any:
    """A table where these moves have been made; what a hand lacks is any tile, the wall is not known."""
    from pyengine.engine.replay import Replay
    from pyengine.language.source import Source
    from pyengine.notation import yamlfile
    from pyengine.notation.fields import Fields
    from pyengine.notation.records import read_record

    rest = Counter(dict(enumerate(rules.copies)))
    given = {seat: list(tiles.parse(hands.get(f"seat{seat}", ""))) for seat in range(4)}
    for kinds in given.values():
        rest.subtract(kinds)
    avoid = set(tiles.parse(hands.get("avoid", "")))
    for seat, kinds in given.items():
        for kind in sorted(rest, key=lambda k: (k * 7 + seat * 5) % 34):
            if len(kinds) < 13 + (seat == 0) and rest[kind] > 0 and kind not in avoid:
                kinds.append(kind)
                rest[kind] -= 1
    deal = ", ".join(f"{seat}: {tiles.compact(kinds)}" for seat, kinds in given.items())
    text = f"deal: {{{deal}}}\nmoves: [{', '.join(moves)}]\n"
    document, found = yamlfile.load(Source("x", text))
    assert document
    record = read_record(Fields(document, (), found))
    assert record and not found, found
    replay = Replay(rules, record)
    replay.play_moves()
    replay.close()
    return replay.play


NINE = "123456m1237844p"  # waits for 6p 9p
ALSO_NINE = "234456s2225578p"


def bare(tmp_path: Path, text: str) -> pyengine.Ruleset:
    return rules_of(tmp_path, "改 打法 开局 = 换三张\n" + text)


@pytest.mark.parametrize(("key", "after"), [("", 2), ("打法 续摸 = 胡者下家\n", 2), ("打法 续摸 = 放炮者下家\n", 2)])
def test_who_draws_after_several_winners(tmp_path: Path, key: str, after: int) -> None:
    rules = bare(tmp_path, key)
    play = at(rules, ["0 打 9p", "3 胡 9p", "1 胡 9p"], seat0="9p", seat1=ALSO_NINE, seat3=NINE, avoid="9p")
    assert (play.phase, play.actor) == ("draw", after)


@pytest.mark.parametrize(("key", "after"), [("", 3), ("打法 续摸 = 放炮者下家\n", 1)])
def test_who_draws_after_a_winner(tmp_path: Path, key: str, after: int) -> None:
    rules = bare(tmp_path, key)
    play = at(rules, ["0 打 9p", "2 胡 9p"], seat0="9p", seat2=NINE, avoid="9p")
    assert (play.phase, play.actor) == ("draw", after)


def test_nearest_winner_alone(tmp_path: Path) -> None:
    rules = bare(tmp_path, "改 打法 多响 = 头胡\n")
    play = at(rules, ["0 打 9p", "3 胡 9p", "1 胡 9p"], seat0="9p", seat1=ALSO_NINE, seat3=NINE, avoid="9p")
    assert play.done[-1].event.winners == (1,)
    # Who wanted to win and came second has declined nothing.
    assert play.seats[3].passed_money == -1


def test_priority_is_the_files(tmp_path: Path) -> None:
    rules = bare(tmp_path, "改 打法 先后 = 碰, 胡, 杠\n")
    play = at(rules, ["0 打 9p", "3 胡 9p", "2 碰 9p"], seat0="9p", seat2="99p", seat3=NINE, avoid="9p")
    assert (play.phase, play.actor) == ("turn", 2)


def test_a_replacement_comes_from_the_tail_or_the_front(tmp_path: Path) -> None:
    for key, place in (("", -1), ("改 打法 补牌 = 牌头\n", 0)):
        rules = bare(tmp_path, key)
        game = rules.new_game(1)
        rng = random.Random(1)
        while not (kongs := [move for move in game.legal() if move.verb in ("concealed_kong", "direct_kong")]):
            game = game if not game.is_over else rules.new_game(rng.randrange(1000))
            game.apply(rng.choice(game.legal()))
        wall = list(game._play.wall or ())
        game.apply(kongs[0])
        while game._play.phase == "claim":
            game.apply(Move(game.to_act[0], "pass"))
        assert game._play.seats[kongs[0].seat].drawn == wall[place]


def test_a_hand_may_end_before_its_wall(tmp_path: Path) -> None:
    rules = rules_of(tmp_path, "改 令 终局 = 几个 (已胡) >= 3 或 余牌 <= 20\n")
    game = played(rules, 2)
    assert game._play.left == 20
    assert game._play.done[-1].event.kind == "drawn"
