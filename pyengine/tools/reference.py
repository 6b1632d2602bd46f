"""The page of built-in words, docs/words.md, made from `grammar/words.yaml`.

`python -m pyengine.tools.reference > docs/words.md` writes it anew; the tests compare the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pyengine import resources
from pyengine.language import vocabulary
from pyengine.language.vocabulary import Entry

BASE: str = resources.data("reference.yaml")["base"]
"""What a snippet goes on from that does not say what it is."""

_WHOLE = re.compile(r"(\s|#.*\n)*(规则|ruleset)\s")
_HEAD = f"""\
# Built-in words

这一页列出规则语言自带的全部词：写法、意思、用在哪里、怎样用。

This page lists every word that the language brings along: its spelling, its English synonym (which means the same
everywhere), what it is, where it may stand, what it means, and an example. It is made from `grammar/words.yaml` by
`python -m pyengine.tools.reference`; [language.md](language.md) explains how the words are put together.

Where a word may stand:

| place | means |
|---|---|
| 番种 | what judges one hand: 番种, 胡型, and the 令 that they read, among them 胡分 牌值 可胡 可听 |
| 胡分 | what is computed after the fans are counted: 令 胡分, 牌值, 可胡, 可听, and 保证 |
| 结算 | what settles a game: 结算, 次序, and the 令 终局, 下庄 |
| 花猪 | the 令 花猪, which sees the tiles of each seat: words of 番种 and of 结算 as well |
| 打法 | what may be done at the table: 打法, 许, 禁, 必 |
| 胡型, 选项, 例, 令, 牌 | that kind of declaration only |

*Situational* words tell how a hand happened to win. A fan that reads one is left out when a hand is valued that waits
(大叫, 小叫).

An example that does not start with 规则 goes on from `规则 "例" 继承 "{BASE}"`, so its hands also show the fans of
that rule set, such as 平胡. Every example is checked by the tests.
"""

_SECTIONS: dict[str, tuple[str, str, str, str]] = {
    "domain": (
        "可以一个个看的东西",
        "Domains",
        "有、都是、都含、几个、每个 一个个看的东西。",
        "What is gone through one by one.",
    ),
    "field": ("牌种的张数", "Fields", "写在 其 后面，问一种牌有几张。", "They stand behind 其, for each 牌种."),
    "class": (
        "牌和面子的类",
        "Classes",
        "写在 是、都是、含 后面，说一张牌或一组牌是哪一类。",
        "They stand behind 是, 都是 and 含; 牌类 declares more.",
    ),
    "suit": (
        "花色",
        "Suits",
        "四门牌，也用在 123万 这样的牌里。",
        "Classes of tiles, and the endings of tiles such as 123万.",
    ),
    "flag": ("条件", "Flags", "单独写就是一个条件：是，或者不是。", "Truths, which stand alone in conditions."),
    "symbol": (
        "用 是 来问的词",
        "Symbols",
        "要用 是 或 不是 来问，不能用等号。",
        "They are compared by 是 and 不是, never by =.",
    ),
    "value": ("用在 是 后面的值", "Values", "写在 是 的右边，或者作选项的值。", "What symbols and options can be."),
    "number": ("数", "Numbers", "整数，可以加减乘和比较。", "Whole numbers of the hand or the table."),
    "function": ("函数", "Functions", "几个数里取一个。", "Of two or more numbers."),
    "part": (
        "胡型的组成",
        "Parts of shapes",
        "胡型由这些加起来，还可以加文件自己的牌类。",
        "What a 胡型 is made of, beside the 牌类 of the file.",
    ),
    "role": (
        "座位：谁",
        "Roles",
        "按做了什么事认的座位。",
        "Seats by what they did; of a role that nobody has nothing is true.",
    ),
    "seats": (
        "座位：哪些家",
        "Seat sets",
        "各家是不是这样，看的是事件开始的时候。",
        "Truths of each seat, as they were when the event started.",
    ),
    "money": ("叫值", "Calls", "还没有胡的牌值多少。", "What a hand that has not won is worth."),
    "fund": (
        "款",
        "Funds",
        "收到过的一笔款，退 和 转 用。",
        "Money that has been received, for 退 and 转; 记 names more.",
    ),
    "account": ("账", "Accounts", "不是座位，但可以收付。", "What pays and is paid without being a seat."),
    "event": (
        "事件",
        "Events",
        "和事件同名的 结算 自动执行，次序 可以列几笔。",
        "A 结算 called like an event is run by it; 次序 runs several.",
    ),
    "move": ("动作", "Moves", "许、禁、必 和 先后 里写的动作。", "For 许, 禁, 必 and 先后."),
    "table_key": ("打法的项目", "Keys of 打法", "打法 能定的项目。", "What 打法 sets."),
    "table_value": ("打法的值", "Values of 打法", "打法 的项目可以是什么。", "What the keys of 打法 can be."),
    "reserved": (
        "引擎要读的 令",
        "Reserved lets",
        "这些名字的 令，引擎有固定的用处。",
        "Names of 令 that the engine reads.",
    ),
    "marker": (
        "例的结果",
        "Results of examples",
        "例 的等号后面，番种以外可以写的。",
        "What may stand in an example beside the names of fans.",
    ),
}

_BY_KIND: dict[str, tuple[str, ...]] = {
    "domain": ("番种", "打法"),
    "field": ("番种", "打法"),
    "class": ("番种", "打法"),
    "suit": ("牌", "番种", "打法"),
    "number": ("番种", "打法"),
    "function": ("番种", "结算", "打法"),
    "part": ("胡型",),
    "role": ("结算",),
    "seats": ("番种", "结算", "打法"),
    "money": ("结算",),
    "fund": ("结算",),
    "account": ("结算",),
    "event": ("结算",),
    "move": ("打法",),
    "table_key": ("打法",),
    "table_value": ("打法",),
    "reserved": ("令",),
    "marker": ("例",),
}
_BY_TYPE: dict[str, tuple[str, ...]] = {"听法": ("番种",), "来自": ("打法",), "杠类": ("番种", "结算")}
_BY_WORD: dict[str, tuple[str, ...]] = {
    "closed": ("番种", "打法"),
    "no_other_fan": ("番种",),
    "at_once": ("结算", "打法"),
    "wall_left": ("结算", "打法"),
    "discards_all_void": ("花猪", "打法"),
    "dealer": ("番种", "结算", "打法"),
    "waits_left": ("番种",),
    "void_suit": ("打法", "例"),
    "ready": ("结算",),
    "not_ready": ("结算",),
    "payer": ("付",),
    "receiver": ("付",),
    "horse": ("随",),
    "bound_seat": ("随",),
}


def snippet(text: str, base: str = BASE) -> str:
    """A whole rule file from an example: what does not start with 规则 goes on from `base`."""
    if _WHOLE.match(text):
        return text
    return f'规则 "例" 继承 "{base}"\n{text}'


def places(entry: Entry) -> tuple[str, ...]:
    """Where a word may stand."""
    if entry.kind == "role" and entry.english in ("prev_seat", "across_seat", "next_seat"):
        return ("下庄",)
    if entry.english in _BY_WORD:
        return _BY_WORD[entry.english]
    if entry.stage == "final":
        return ("胡分",)
    if entry.kind == "value":
        return _BY_TYPE.get(entry.type, ("选项",))
    if entry.kind == "symbol" and entry.english == "kong_kind":
        return _BY_TYPE["杠类"]
    if not entry.hand and entry.kind not in ("role", "money"):
        return ("打法",)
    return ("番种", "结算") if entry.fact else _BY_KIND.get(entry.kind, ("番种",))


def reference() -> str:
    """The page as Markdown."""
    return "\n".join([_HEAD, *_contents(), *(line for kind in _SECTIONS for line in _section(kind))]).rstrip() + "\n"


def _contents() -> Iterator[str]:
    yield "| | words |"
    yield "|---|---|"
    for kind, (zh, en, *_) in _SECTIONS.items():
        words = " ".join(entry.word for entry in vocabulary.of_kind(kind))
        yield f"| {zh} {en} | {words} |"
    yield ""


def _section(kind: str) -> Iterator[str]:
    zh, en, what_zh, what_en = _SECTIONS[kind]
    yield f"## {zh} — {en}\n"
    yield f"{what_zh}\n"
    yield f"{what_en}\n"
    for entry in vocabulary.of_kind(kind):
        yield from _entry(entry)


def _entry(entry: Entry) -> Iterator[str]:
    facts = [f"`{entry.english}`"]
    if entry.aliases:
        facts.append("also " + " ".join(entry.aliases))
    if entry.type != "–":
        low_high = f" {entry.range[0]} … {entry.range[1]}" if entry.range else ""
        facts.append(f"{entry.type}{low_high}")
    facts.append("in " + ", ".join(places(entry)))
    if entry.situational:
        facts.append("situational")
    yield f"### {entry.word}\n"
    yield " · ".join(facts) + "\n"
    yield f"{entry.zh}。\n"
    yield f"{entry.en[0].upper()}{entry.en[1:]}.\n"
    yield f"```rule\n{entry.example.rstrip()}\n```\n"


if __name__ == "__main__":
    print(reference(), end="")
