"""Whatever the checker accepts, kernel and oracle do, and do the same: rules that nobody would write."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from support.any_words import LIMITED, STANCES, FlowWriter, HandWriter, without_mistakes
from support.batches import batch_difference
from support.compare import difference

from pyengine.engine.ledger import Settlement
from pyengine.engine.ruleset import Ruleset, option_values
from pyengine.engine.table import Impossible, TableGame
from pyengine.tools.random_games import random_games
from pyengine.tools.random_hands import complete_hands

# A flow of the file before and after all others of its event.
ORDERS = {
    "自摸": "次序 自摸 = 自摸, {}",
    "点炮": "改 次序 点炮 = {}, 呼叫转移, 点炮",
    "抢杠": "次序 抢杠 = 抢杠, {}",
    "暗杠": "次序 暗杠 = 暗杠, {}",
    "直杠": "次序 直杠 = {}, 直杠",
    "巴杠": "次序 巴杠 = 巴杠, {}",
    "诈和": "次序 诈和 = 诈和, {}",
    "流局": "改 次序 流局 = 查花猪, 查大叫, {}, 退税",
    "终局": "改 次序 终局 = {}, 叫马",
}
LINES = 60
"""Lines of one file, of which an option lets one act at a time."""


def settled(settle: Callable[[TableGame], Settlement], game: TableGame) -> Settlement | str:
    """What a game comes to: its ledger, or the code of why it cannot be."""
    try:
        return settle(game)
    except Impossible as problem:
        return problem.code


def named(sentence: str) -> str:
    return sentence.split()[1]


@pytest.mark.parametrize("event", ORDERS)
def test_lines_of_flows(event: str) -> None:
    writer = FlowWriter(random.Random(event))
    base = writer.one("xuezhan", "xueliu")
    money = writer.one("底分 × 牌值 + 飘", "5", "0 - 底分", "(0 - 2) ^ 3", "若 自摸 则 牌值 否则 1")
    head = (
        f'规则 "试" 继承 "sichuan/{base}"\n{STANCES}{LIMITED}选项 哪行: 0 .. {LINES} = 0\n'
        f"改 令 胡分 = {money}\n结算 款: 庄家 付 每个 在场: 1 记 甲钱\n"
    )
    flows = [f"结算 新{number} 当 哪行 = {number}: {writer.line()}" for number in range(1, LINES + 1)]

    def order(sentences: list[str]) -> str:
        return ORDERS[event].format(", ".join(["款", *(named(s) for s in sentences if s.startswith("结算"))])) + "\n"

    rules, kept, _ = without_mistakes(head, [*writer.lets(), *flows], order)
    lines = [sentence for sentence in kept if sentence.startswith("结算")]
    assert len(lines) >= 8
    plain = Ruleset(rules, option_values(rules, {}), "random.rule")
    for sentence in lines:
        changed = plain.with_options({"哪行": named(sentence).removeprefix("新")})
        for game in random_games(changed, 25, seed=len(sentence)):
            assert settled(changed.settle_table, game) == settled(changed.ledger.settle, game), (kept, sentence, game)


@pytest.mark.parametrize("seed", range(8))
def test_fans(seed: int) -> None:
    writer = HandWriter(random.Random(seed))
    head = f'规则 "试" 继承 "sichuan/basic"\n{STANCES}{LIMITED}'
    fans = [writer.fan(f"新{number}") for number in range(50)]
    rules, kept, _ = without_mistakes(head, [*writer.lets(), *fans], lambda _: "")
    assert len(kept) >= 8
    plain = Ruleset(rules, option_values(rules, {}), "random.rule")
    hands = list(complete_hands(plain, 400, seed=seed))
    for hand in hands:
        found = difference(plain, hand)
        assert found is None, (kept, found)
    # A batch knows no stances.
    assert batch_difference(plain, [replace(hand, stances=()) for hand in hands]) is None, kept
