"""Random rule files that are right: for what no shipped file happens to say.

Fans with random conditions and values, some of them counted, absorbing others or chosen among, in 番 or 倍;
a random condition to win, a cap, and money by the one or the other.
"""

from __future__ import annotations

import random

CLASSES = {
    "幺九": "[19万 19筒 19条]",
    "二五八": "[258万 258筒 258条]",
    "中心": "[456万 456筒 456条]",
    "单数": "[13579万 13579筒 13579条]",
    "字牌": "[东南西北中发白]",
}
FLAGS = ("自摸", "点炮", "抢杠", "杠后", "末张", "首巡", "门清")
GROUPS = ("顺子", "刻子", "杠", "明杠", "暗杠", "直杠", "暗刻", "明刻")
PATTERNS = (
    "有 组 [123万 456万 789万] 换色",
    "有 面子 [123万 123万] 换色 移位",
    "有 面子 [111万 222万] 换色 移位",
    "有 组 [567万 55万] 换色",
    "有 面子 [123万 123筒] 换色 移位",
)
OF_WIN = (
    "听法 是 卡张",
    "听法 是 边张/单钓",
    "胡张 是 {kinds}",
    "胡张自持 >= {n}",
    "胡张共持 = 3",
    "听张数 = 1",
    "听张余数 <= 2",
)


class Writer:
    """Writes one file.  `of_win` are questions about the winning tile, which not every file asks."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.honours = self.rng.random() < 0.25
        self.twins = self.rng.random() < 0.8
        self.orphans = self.honours and self.rng.random() < 0.5
        self.of_win = self.rng.random() < 0.3
        self.patterns = self.rng.random() < 0.3
        self.unit = self.rng.choice(("番", "倍"))
        self.fans = [f"番{n}" for n in range(self.rng.randint(3, 12))]

    def kinds(self) -> str:
        return self.rng.choice([name for name in CLASSES if name != "字牌" or self.honours])

    def atom(self) -> str:
        rng = self.rng
        choices = [
            f"花色数 {rng.choice(('=', '<=', '>'))} {rng.randint(1, 2)}",
            f"根数 >= {rng.randint(1, 3)}",
            f"副露数 = {rng.randint(0, 4)}",
            f"杠数 >= {rng.randint(1, 2)}",
            f"暗手张数 <= {rng.choice((2, 5, 8))}",
            f"定缺张数 = {rng.choice((0, 0, 1))}",
            f"牌 都是 {self.kinds()}",
            f"有 牌 是 {self.kinds()}",
            f"面子 都是 {rng.choice(GROUPS[:2])}",
            f"有 面子 是 {rng.choice(GROUPS)}",
            f"组 都含 {self.kinds()}",
            f"将 都是 {self.kinds()}",
            f"(几个 面子 是 {rng.choice(GROUPS)}) >= {rng.randint(1, 3)}",
            f"(几个 牌种 其 张数 = {rng.randint(1, 4)}) >= {rng.randint(1, 4)}",
            f"(几个 牌种 其 未杠张数 = 4) >= {rng.randint(1, 2)}",
            f"有 花色 是 {rng.choice('万筒条')}",
            "胡型 是 基本",
            rng.choice(FLAGS),
            rng.choice(FLAGS),
        ]
        if self.of_win:
            choices += [form.format(kinds=self.kinds(), n=rng.randint(1, 3)) for form in OF_WIN]
        if self.patterns:
            choices += rng.sample(PATTERNS, 2)
        return rng.choice(choices)

    def condition(self, depth: int = 0) -> str:
        rng = self.rng
        if depth == 2 or rng.random() < 0.45:
            return self.atom()
        if rng.random() < 0.25:
            return f"非 ({self.condition(depth + 1)})"
        word = rng.choice((" 且 ", " 或 "))
        return word.join(f"({self.condition(depth + 1)})" for _ in range(rng.randint(2, 3)))

    def fan(self, number: int) -> str:
        rng, name = self.rng, self.fans[number]
        value = f"{rng.randint(1, 4)}{self.unit}"
        form = rng.random()
        if form < 0.15:
            text = f"番种 {name} = {value} 每个 牌种 其 张数 = {rng.randint(3, 4)}"
        elif form < 0.25:
            text = f"番种 {name} = {value} 当 无他番"
        elif form < 0.35:
            text = f"番种 {name} = 1{self.unit} × (1 + 根数) 当 {self.condition()}"
        else:
            text = f"番种 {name} = {value} 当 {self.condition()}"
        if number and rng.random() < 0.3 and "无他番" not in text:
            text += f" 不计 {rng.choice(self.fans[:number])}"
        return text

    def text(self) -> str:
        rng = self.rng
        lines = ['规则 "随意"', "牌 万 筒 条 = 1..9 × 4"]
        if self.honours:
            lines.append("牌 字 = [东南西北中发白] × 4")
        lines += [f"牌类 {name} = {kinds}" for name, kinds in CLASSES.items() if name != "字牌" or self.honours]
        if self.orphans:
            lines.append("牌类 幺九字 = [19万 19筒 19条 东南西北中发白]")
        lines += ["打法 人数 = 4", "打法 手牌 = 13", "胡型 基本 = 4 面子 + 1 将"]
        if self.twins:
            when = f" 当 {rng.choice(('门清', '花色数 <= 2', '根数 = 0'))}" if rng.random() < 0.2 else ""
            lines.append(f"胡型 七对 = 7 对{when}")
        if self.orphans:
            lines.append("胡型 十三幺 = 各一 幺九字 + 1 幺九字")
        fans = [self.fan(n) for n in range(len(self.fans))]
        lines += fans
        ordinary = [name for name, text in zip(self.fans, fans, strict=True) if "无他番" not in text]
        if rng.random() < 0.4 and len(ordinary) > 1:
            lines.append(f"择一 牌型 = {', '.join(rng.sample(ordinary, min(3, len(ordinary))))}")
        total = "2 ^ (番数 - 1番)" if self.unit == "番" else "倍数"
        lines.append(f"令 牌值 = {total}")
        lines.append(f"令 胡分 = min(牌值, {rng.choice((4, 16, 1000))}) + (若 自摸 则 1 否则 0)")
        if rng.random() < 0.6:
            lines.append(f"令 可胡 = {self.condition()}")
        if rng.random() < 0.3:
            lines.append("令 可听 = 胡张自持 < 4")
        return "\n".join(lines) + "\n"


def random_rules(seed: int) -> str:
    return Writer(seed).text()
