"""Random conditions, numbers and lines of flows: every built-in word in every place, right or wrong."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pyengine.language import core as c
from pyengine.language import vocabulary
from pyengine.language.load import check_source
from pyengine.language.source import Source

STANCES = "声明 飘: 0 .. 3 = 1\n声明 报: 是否 = 否\n"
LIMITED = "选项 顶: 1 .. 3 | 无 = 2\n选项 开: 是否 = 是\n"


def _words(*kinds: str) -> list[str]:
    return [entry.word for kind in kinds for entry in vocabulary.of_kind(kind)]


@dataclass
class Writer:
    """Writes expressions that are right by the grammar; whether they mean anything is for the checker to say.

    truths, numbers  what may stand by itself
    """

    rng: random.Random
    truths: list[str]
    numbers: list[str]

    def one(self, *texts: str) -> str:
        return self.rng.choice(texts)

    def number(self, depth: int) -> str:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.3:
            return rng.choice([*self.numbers, "0", "1", "2", "7", "1000000000", "顶"])
        choices: list[Callable[[], str]] = [
            lambda: f"({self.number(depth - 1)} {self.one('+', '-', '×', '^')} {self.number(depth - 1)})",
            lambda: f"{self.one('min', 'max')}({self.number(depth - 1)}, {self.number(depth - 1)})",
            lambda: f"(若 {self.truth(depth - 1)} 则 {self.number(depth - 1)} 否则 {self.number(depth - 1)})",
            lambda: f"几个 ({self.truth(depth - 1)})",
        ]
        return rng.choice(choices)()

    def truth(self, depth: int) -> str:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.4:
            return rng.choice([*self.truths, "开", "是", "否", "顶 是 无"])
        choices: list[Callable[[], str]] = [
            lambda: f"(非 {self.truth(depth - 1)})",
            lambda: f"({self.truth(depth - 1)} {self.one('且', '或')} {self.truth(depth - 1)})".replace("  ", " "),
            lambda: f"({self.number(depth - 1)} {self.one('=', '!=', '<', '>=')} {self.number(depth - 1)})",
            lambda: f"(若 {self.truth(depth - 1)} 则 {self.truth(depth - 1)} 否则 {self.truth(depth - 1)})",
        ]
        return rng.choice(choices)()


class FlowWriter(Writer):
    """Lines of flows."""

    def __init__(self, rng: random.Random) -> None:
        seats = _words("role", "seats")
        roles = ("庄家", "胡者", "放炮者", "马", "下家")
        owners = [f"{role}的{word}" for role in roles for word in ("庄家", "已胡", "听牌", "报", "同伴")]
        sides = ["付者的庄家", "收者的庄家", "付者的报", "收者的已胡", "付者的同伴", "收者的同伴", "庄家的内账"]
        # Mostly what is known at every event, so that enough of what is written is right.
        known = "未胡 已胡 在场 庄家 胡者 放炮者 杠者 点杠者 首家 首胡者 自摸 点炮 杠后 末张 即时 报 同伴".split()
        truths = [*known * 6, *seats, *_words("flag"), "花猪", "内账", *owners, *sides]
        numbers = ["胡分", "牌值", "底分", "飘", "加码", "余牌"] * 6
        super().__init__(
            rng,
            truths,
            [*numbers, "付者的飘", "收者的飘", "庄家的飘", "收者的大叫", "付者的小叫", "根数", *_words("money")],
        )

    def party(self) -> str:
        draw = self.rng.random()
        if draw < 0.4:
            return self.one(
                "胡者", "在场", "庄家", "放炮者", "杠者", "外账", "首家", "每个 外账", *_words("role", "account")
            )
        if draw < 0.8:
            return "每个 " + self.one(*self.truths)
        return f"每个 ({self.truth(2)})"

    def line(self) -> str:
        when = f" 当 {self.truth(2)}" if self.rng.random() < 0.4 else ""
        fund = self.one("杠钱", "本杠", "甲钱", "那款")
        draw = self.rng.random()
        if draw < 0.65:
            amount = f"max(0, {self.number(3)})" if self.rng.random() < 0.8 else self.number(3)
            return f"{self.party()} 付 {self.party()}: {amount}{self.one('', ' 记 杠钱', ' 记 甲钱')}{when}"
        if draw < 0.8:
            return f"{self.party()} 退 {fund}{self.one('', ' 连已转')}{when}"
        if draw < 0.96:
            return f"{self.party()} 转 {fund}{self.one('', ' 平分')} 给 {self.party()}{when}"
        return f"{self.one('每个 马', '马', '每个 在场')} 随 {self.one('所叫', '所叫', '胡者')}{when}"

    def lets(self) -> list[str]:
        """Names through which lines reach what they could not say in one place."""
        fund = f"令 那款 = 若 {self.one('付者的庄家', '自摸', '庄家', '已胡', '几个 (在场) > 2')} 则 杠钱 否则 本杠"
        return [f"令 同伴 = {self.truth(1)}", f"令 内账 = {self.truth(2)}", f"令 加码 = {self.number(2)}", fund]


class HandWriter(Writer):
    """Conditions and numbers of hands."""

    def __init__(self, rng: random.Random) -> None:
        flags = _words("flag", "role", "seats")
        super().__init__(rng, [*flags, "报", "大"], [*_words("number"), "飘", "多少"])

    def tiles(self) -> str:
        names = [*_words("suit", "class"), "幺九", "定缺牌", "定缺牌"]
        bare = self.one("[123万 5筒]", "[258万 258筒 258条]", "[19万 19筒 19条]", "[1112万]")
        return bare if self.rng.random() < 0.4 else "/".join(self.rng.sample(names, self.rng.choice((1, 1, 2))))

    def group(self) -> str:
        suit, rank = self.one("万", "筒", "条"), self.rng.randint(1, 7)
        shown = self.one("run", "three", "four", "two", "two")
        digits = (
            f"{rank}{rank + 1}{rank + 2}" if shown == "run" else str(rank) * {"three": 3, "four": 4, "two": 2}[shown]
        )
        return digits + suit

    def truth(self, depth: int) -> str:
        draw = self.rng.random()
        domain = self.one(*_words("domain"))
        if draw < 0.15:
            groups = " ".join(self.group() for _ in range(self.rng.choice((1, 1, 2, 3))))
            return f"有 {domain} [{groups}]{self.one('', ' 换色', ' 移位', ' 换色 移位')}"
        if draw < 0.3:
            return f"{self.one('有 D 是', 'D 都是', '有 D 含', 'D 都含')} {self.tiles()}".replace("D", domain)
        if draw < 0.35:
            return f"胡张 {self.one('是', '不是')} {self.tiles()}"
        if draw < 0.4:
            value = self.one("边张/卡张", "单钓", "暗杠/巴杠", "七对", "基本")
            return f"{self.one('听法 是', '杠类 是', '胡型 不是')} {value}"
        return super().truth(depth)

    def number(self, depth: int) -> str:
        draw = self.rng.random()
        if draw < 0.1:
            return f"(几个 {self.one(*_words('domain'))} 是 {self.tiles()})"
        if draw < 0.2:
            field, sign = self.one("张数", "未杠张数"), self.one("=", "<", ">=")
            return f"(几个 牌种 其 {field} {sign} {self.number(0)})"
        return super().number(depth)

    def fan(self, name: str) -> str:
        per = f" 每个 {self.one(*_words('domain'))} 是 {self.tiles()}" if self.rng.random() < 0.1 else ""
        unit = self.one("番", "番", "倍", "分", "底")
        value = f"1{unit}" if self.rng.random() < 0.6 else f"{self.rng.randint(1, 3)}{unit} × {self.number(1)}"
        return f"番种 {name} = {value} 当 {self.truth(3)}{per}"

    def lets(self) -> list[str]:
        return [f"令 大 = {self.truth(1)}", f"令 多少 = {self.number(1)}"]


def without_mistakes(
    head: str, sentences: list[str], tail: Callable[[list[str]], str]
) -> tuple[c.Rules, list[str], set[str]]:
    """The rules of a head, of those sentences that the checker has nothing against, and of a tail made for them.

    With them the sentences, each of one line, and the codes of what it had against the others.
    """
    codes: set[str] = set()
    first = head.count("\n") + 1
    while True:
        text = head + "\n".join([*sentences, tail(sentences)])
        rules, found = check_source(Source("random.rule", text), Path(), lints=False)
        if rules:
            return rules, sentences, codes
        codes |= {d.code for d in found}
        # A name is right or wrong where it is used.
        through = [next((r.span for r in d.related if r.note == "through"), d.span) for d in found]
        wrong = {span.line - first for span in through if span and span.source.name == "random.rule"}
        kept = [text for number, text in enumerate(sentences) if number not in wrong]
        assert len(kept) < len(sentences), found
        sentences = kept
