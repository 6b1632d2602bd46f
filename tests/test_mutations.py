"""Whatever is in a rule file, it loads or is told what is wrong: never a traceback, never a wait.

The copies are made from a fixed seed, so that one that fails can be made again.
"""

from __future__ import annotations

import random
import re
import signal
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path

import pytest
from support.compare import difference

from pyengine.engine.ruleset import Ruleset, option_values
from pyengine.language import inherit, source, syntax
from pyengine.language.diagnostics import Diagnostic, Lang, as_json, from_unreadable, render
from pyengine.language.load import check_source
from pyengine.language.source import Source, Unreadable, decode
from pyengine.tools.examples import run_examples
from pyengine.tools.random_games import random_games
from pyengine.tools.random_hands import complete_hands

COPIES = 1000
HANGS = 300  # Seconds: far more than all files of a test need, however busy the machine is.

SHIPPED = {name: inherit.find(name, None)[0] for name in inherit.shipped_ids()}
WORDS = re.compile(r'"[^"\n]*"|\w+|[^\w\s]')
INSERTED = [
    *"()[]\"“”'#:,|=+-*/^<>.、。的\t\n\r\0\x1b\u200b\u3000🀄é",
    *("且", "或", "改", "若", "番种", "999999999999", "'s"),
]

Mutation = Callable[[random.Random, str], str]


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    """A file that is read for ever ends its test, with the place where it was."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(HANGS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def _word(mutate: Callable[[random.Random, str, re.Match[str]], str]) -> Mutation:
    @wraps(mutate)
    def mutation(chance: random.Random, text: str) -> str:
        words = list(WORDS.finditer(text))
        return mutate(chance, text, chance.choice(words)) if words else text

    return mutation


@_word
def deleted(_: random.Random, text: str, word: re.Match[str]) -> str:
    return text[: word.start()] + text[word.end() :]


@_word
def doubled(_: random.Random, text: str, word: re.Match[str]) -> str:
    return text[: word.end()] + " " + text[word.start() :]


@_word
def swapped(_: random.Random, text: str, word: re.Match[str]) -> str:
    following = WORDS.search(text, word.end())
    if following is None:
        return text
    middle = following.group() + text[word.end() : following.start()] + word.group()
    return text[: word.start()] + middle + text[following.end() :]


@_word
def replaced(chance: random.Random, text: str, word: re.Match[str]) -> str:
    other: str = chance.choice(WORDS.findall(text))
    return text[: word.start()] + other + text[word.end() :]


def cut(chance: random.Random, text: str) -> str:
    return text[: chance.randrange(len(text) + 1)]


def without_a_line(chance: random.Random, text: str) -> str:
    lines = text.splitlines(keepends=True)
    del lines[chance.randrange(len(lines))]
    return "".join(lines)


def inserted(chance: random.Random, text: str) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(INSERTED) + text[at:]


def spaces_lost(chance: random.Random, text: str) -> str:
    at = [match.start() for match in re.finditer(" ", text)]
    place = chance.choice(at)
    return text[:place] + text[place + 1 :]


def crossed(chance: random.Random, text: str) -> str:
    """The start of one file and the end of another."""
    other = Path(str(chance.choice(list(SHIPPED.values())))).read_text(encoding="utf-8")
    return text[: chance.randrange(len(text))] + other[chance.randrange(len(other)) :]


MUTATIONS = [deleted, doubled, swapped, replaced, cut, without_a_line, inserted, spaces_lost, crossed]


def random_bytes(chance: random.Random, data: bytes) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + chance.randbytes(chance.randrange(1, 6)) + data[at + chance.randrange(3) :]


ENCODINGS: list[Callable[[random.Random, bytes], bytes]] = [
    lambda _, data: data.decode().encode("gb18030"),
    lambda _, data: data.decode().encode("utf-16"),
    lambda _, data: data.decode().encode("utf-16-le"),
    lambda _, data: data.decode().encode("latin-1", "replace") + b"\xe9\xff",
    lambda _, data: b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"),
    lambda chance, data: data[: chance.randrange(len(data))],
    random_bytes,
]


@pytest.fixture(autouse=True)
def _bases_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bases are the shipped files each time; parsing them anew would be most of the work."""
    texts: dict[Path, Source] = {}
    parsed: dict[int, syntax.Parsed] = {}

    def read(path: Path, name: str | None = None) -> Source:
        if path not in texts:
            texts[path] = source.read(path, name)
        return texts[path]

    original = syntax.parse

    def parse(text: Source) -> syntax.Parsed:
        if not any(text is known for known in texts.values()):
            return original(text)
        if id(text) not in parsed:
            parsed[id(text)] = original(text)
        result = parsed[id(text)]
        return result._replace(diagnostics=list(result.diagnostics))

    monkeypatch.setattr(inherit, "read", read)
    monkeypatch.setattr(inherit, "parse", parse)


def found_in(data: bytes, name: str) -> list[Diagnostic]:
    try:
        text = decode(data, name)
    except Unreadable as error:
        return [from_unreadable(error)]
    rules, found = check_source(Source(name, text), None)
    assert rules is not None or any(d.is_error for d in found), "refused without a reason"
    return found


def tell(found: list[Diagnostic]) -> None:
    """Every diagnostic can be told, to people and to programs."""
    languages: tuple[Lang, Lang] = ("zh", "en")
    for lang in languages:
        assert render(found, lang) or not found
        for diagnostic in found:
            as_json(diagnostic, lang)


def test_a_damaged_file_loads_or_is_told_what_is_wrong() -> None:
    chance = random.Random(19491001)
    names = list(SHIPPED)
    for number in range(COPIES):
        name = chance.choice(names)
        data = Path(str(SHIPPED[name])).read_bytes()
        made = []
        if number % 5 == 0:
            encoding = chance.choice(ENCODINGS)
            data = encoding(chance, data)
        else:
            for _ in range(chance.randrange(1, 4)):
                mutation = chance.choice(MUTATIONS)
                made.append(mutation.__name__)
                data = mutation(chance, data.decode() or " x").encode()
        try:
            tell(found_in(data, f"{number}.rule"))
        except Exception as error:
            copy = data.decode(errors="replace")
            raise AssertionError(f"copy {number} of {name} ({', '.join(made)}):\n{copy}") from error


# ---- hostile files -------------------------------------------------------------------------------------

HEAD = '规则 "坏" 继承 "sichuan/xuezhan"\n'
LONG = "甲" * 10_000
HOSTILE = {
    "nested brackets": HEAD + "令 深 = " + "(" * 50_000 + "1" + ")" * 50_000,
    "opened brackets": HEAD + "令 深 = " + "(" * 100_000,
    "opened tile brackets": HEAD + "牌类 深 = " + "[" * 100_000,
    "closed brackets": HEAD + "令 深 = 1 " + ")" * 100_000,
    "a megabyte": HEAD + "番种 甲 = 1番\n" * 60_000,
    "a long file": HEAD + "".join(f"令 甲{n} = 根数 + {n}\n" for n in range(8_000)),
    "one long line": HEAD + "令 长 = " + " + ".join(["1"] * 40_000),
    "one long condition": HEAD + "令 长 = " + " 且 ".join(["自摸"] * 30_000),
    "a chain of choices": HEAD + "令 长 = " + "若 自摸 则 1 否则 " * 10_000 + "0",
    "a tower of choices": HEAD + "令 长 = " + "若 " * 40_000 + "自摸",
    "a tower of not": HEAD + "令 长 = " + "非 " * 80_000 + "自摸",
    "huge numbers": HEAD + f"令 大 = {'9' * 100_000} + 9{'0' * 300}番 ^ 99999999999",
    "a tower of powers": HEAD + "令 胡分大 = 999999999 ^ 999999999 ^ 999999999\n改 令 胡分 = 胡分大 × 胡分大",
    "a long name": HEAD + f"番种 {LONG} = 1番 不计 {LONG[1:]}, {LONG}乙\n令 {LONG} = {LONG[1:]}",
    "long unknown names": HEAD + "".join(f"番种 甲{n} = 1番 当 {'乙' * 55}{n}\n" for n in range(2_000)),
    "a long digit word": HEAD + "令 甲 = 且" + "1" * 36 + "x",
    "a long title": f'规则 "{LONG}" 继承 "{LONG}"\n',
    "many options": HEAD + "".join(f"选项 甲{n}: 0 .. 5 | 无 = 无\n" for n in range(3_000)),
    "many options read": HEAD
    + "".join(f"选项 甲{n}: 0 | 1 | 2 | 3 | 无 = 无\n令 乙{n} = 甲{n} + 1\n" for n in range(300)),
    "doubling lets": HEAD + "令 甲0 = 根数\n" + "".join(f"令 甲{n} = 甲{n - 1} + 甲{n - 1}\n" for n in range(1, 48)),
    "doubling lets in a fan": HEAD
    + "令 甲0 = 根数\n"
    + "".join(f"令 甲{n} = 甲{n - 1} + 甲{n - 1}\n" for n in range(1, 40))
    + "番种 多 = 1番 当 甲39 > 1\n改 结算 自摸: 每个 在场 付 胡者: 胡分 + 甲39\n",
    "a chain of lets": HEAD + "".join(f"令 甲{n} = 甲{n + 1} + 1\n" for n in range(3_000)) + "令 甲3000 = 0\n",
    "a circle of lets": HEAD + "".join(f"令 甲{n} = 甲{(n + 1) % 90} + 1\n" for n in range(90)),
    "a chain of fans": HEAD + "".join(f"番种 甲{n} = 1番 不计 甲{n + 1}\n" for n in range(3_000)) + "番种 甲3000 = 1番",
    "doubling funds": HEAD
    + "令 款0 = 若 自摸 则 本杠 否则 杠钱\n"
    + "".join(f"令 款{n} = 若 杠后 则 款{n - 1} 否则 款{n - 1}\n" for n in range(1, 40))
    + "结算 诈和: 犯者 退 款39\n",
    "doubling seats": HEAD
    + "令 家0 = 若 自摸 则 在场 否则 未胡\n"
    + "".join(f"令 家{n} = 若 杠后 则 家{n - 1} 否则 家{n - 1}\n" for n in range(1, 40))
    + "改 结算 自摸: 家39 付 胡者: 1 当 家39\n改 番种 根 = 若 家39 则 1番 否则 2番\n",
    "many mistakes": HEAD + "番种 甲 = 1 番\n" * 10_000,
    "many odd lines": HEAD + "甲乙 丙丁\n" * 10_000,
    "many patterns": HEAD + "番种 甲 = 1番 当 " + " 或 ".join(["有 组 [123万 456筒 789条 11万] 换色 移位"] * 2_000),
    "many quotes": HEAD + '番种 甲 = 1番 据 "' * 5_000,
    "only spaces": " \n" * 100_000,
    "only a letter": "甲" * 150_000,
    "surrogates and marks": HEAD + "番种 \U0001f004\u0301\u202e = 1番\ufeff 当 \x1b[31m自摸\x07",
    "null": HEAD + "\0",
    "nothing": "",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused(name: str) -> None:
    found = found_in(HOSTILE[name].encode(), "x.rule")
    tell(found)
    assert len(found) <= 130
    assert len(render(found, "zh")) < 200_000


# What a let in a chain stands for: the next one several times, and the last.
CHAINS = {
    "sum": ("甲 + 甲", "根数", "番种 乙 = 1番 × 甲0"),
    "both": ("甲 且 甲", "自摸", "番种 乙 = 1番 当 甲0"),
    "choice": ("若 甲 则 甲 否则 甲", "自摸", "番种 乙 = 1番 当 甲0"),
    "counted at the table": ("几个 (甲) > 2 或 几个 (甲) < 2", "庄家", "番种 乙 = 1番 当 几个 (甲0) > 1"),
    "seats": ("甲 或 甲", "在场", "改 结算 自摸: 每个 甲0 付 胡者: 胡分"),
    "counted seats": ("几个 (甲) > 2 或 几个 (甲) < 2", "在场", "改 结算 自摸: 每个 甲0 付 胡者: 胡分"),
    "of a role": ("庄家的甲 或 庄家的甲", "在场", "改 结算 自摸: 每个 甲0 付 胡者: 胡分"),
    "of a payment": ("付者的甲 或 收者的甲", "庄家", "改 结算 自摸: 每个 在场 付 胡者: 胡分 当 甲0"),
}


@pytest.mark.parametrize("chain", CHAINS)
def test_lets_that_read_another_twice_are_worked_out_once(chain: str) -> None:
    value, last, use = CHAINS[chain]
    n = 20
    lets = [f"令 甲{i} = {value.replace('甲', f'甲{i + 1}')}" for i in range(n)]
    text = "\n".join(['规则 "试" 继承 "sichuan/xuezhan"', *lets, f"令 甲{n} = {last}", use, ""])
    rules, found = check_source(Source("x.rule", text), Path())
    assert rules, found
    plain = Ruleset(rules, option_values(rules, {}), "x.rule")
    for hand in complete_hands(plain, 20, seed=1):
        assert difference(plain, hand) is None
    for game in random_games(plain, 20, seed=1):
        assert plain.settle_table(game) == plain.ledger.settle(game)


SUMS = [f"令 和{i} = max({', '.join(f'根数 + {n}' for n in range(90 * i, 90 * i + 90))})\n" for i in range(30)]
TOO_LARGE = {
    "sums": "".join(SUMS) + f"番种 少 = 1番 × 和0\n番种 多 = 1番 × max({', '.join(f'和{i}' for i in range(30))})\n",
    "lines": "结算 多:\n" + "庄家 付 外账: 1\n" * 600 + "次序 诈和 = 多, 诈和\n",
    "funds": "结算 多:\n" + "".join(f"庄家 付 外账: 1 记 款{n}\n" for n in range(260)) + "次序 诈和 = 诈和, 多\n",
    "steps": "结算 多:\n" + "".join(f"庄家 付 外账: 胡分 + {n}\n" for n in range(500)) + "次序 自摸 = 自摸, 多\n",
}


@pytest.mark.parametrize("text", TOO_LARGE.values(), ids=TOO_LARGE)
def test_rules_that_the_kernel_has_no_room_for_are_told_where(text: str) -> None:
    rules, found = check_source(Source("x.rule", f'规则 "试" 继承 "sichuan/xuezhan"\n{text}'), Path())
    assert rules, found
    found = run_examples(rules, "x.rule").diagnostics
    tell(found)
    assert [(d.code, d.span.text) for d in found if d.span] == [("E413", "多")]


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "x.rule"
    path.write_bytes(b"#" * (source.MAX_BYTES + 1))
    with pytest.raises(Unreadable) as error:
        source.read(path)
    assert error.value.reason == "E904"


def test_files_that_extend_one_another(tmp_path: Path) -> None:
    """Itself, in a circle, a folder, a long chain, a base that is no text."""
    (tmp_path / "self.rule").write_text('规则 "己" 继承 "self.rule"', encoding="utf-8")
    (tmp_path / "a.rule").write_text('规则 "甲" 继承 "b"', encoding="utf-8")
    (tmp_path / "b.rule").write_text('规则 "乙" 继承 "./a.rule"', encoding="utf-8")
    for number in range(50):
        (tmp_path / f"{number}.rule").write_text(f'规则 "{number}" 继承 "{number + 1}"', encoding="utf-8")
    (tmp_path / "gb.rule").write_bytes('规则 "国标"'.encode("gb18030"))
    (tmp_path / "on_gb.rule").write_text('规则 "上" 继承 "gb.rule"\n番种 甲 = 1番 当 乙', encoding="utf-8")
    (tmp_path / "on_folder.rule").write_text('规则 "上" 继承 ".."', encoding="utf-8")
    expected = {"self": "E210", "a": "E210", "b": "E210", "0": "E223", "on_gb": "E905", "on_folder": "E209"}
    for name, code in expected.items():
        text = source.read(tmp_path / f"{name}.rule")
        rules, found = check_source(text, tmp_path)
        tell(found)
        assert rules is None
        assert [d.code for d in found] == [code], name
        assert found[0].span
