"""Rule files that are right load in silence; files that are wrong are told what the recorded texts say.

`tests/bad/NAME.txt` is what an author sees in Chinese, `NAME.en.txt` in English.  After a change that
is meant, RULESPEC_RECORD=1 writes them anew: read the difference before it is committed.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from lark import Lark

from pyengine import resources
from pyengine.engine import ruleset as engine
from pyengine.engine.oracle import Oracle, Verdict
from pyengine.language import syntax, vocabulary
from pyengine.language.build import build
from pyengine.language.core import Compare, Rules
from pyengine.language.diagnostics import Diagnostic, Lang, RuleError, closest, codes, help_text, message, render
from pyengine.language.load import check_source, load_rules
from pyengine.language.source import Source, Span, read
from pyengine.notation.hand import Hand
from pyengine.tools.examples import LAW_HANDS, run_examples

TESTS = Path(__file__).resolve().parent
GOOD = sorted(path.stem for path in (TESTS / "good").glob("*.rule"))
BAD = sorted(path.stem for path in (TESTS / "bad").glob("*.rule"))
RECORD = bool(os.environ.get("RULESPEC_RECORD"))
LANGUAGES: tuple[Lang, Lang] = ("zh", "en")
HEAD = '规则 "试" 继承 "good/town.rule"\n'


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(TESTS)  # Messages name files from here, so that records are true everywhere.


def found_in(path: Path) -> tuple[Rules | None, list[Diagnostic]]:
    """What `rulespec check` finds in a file, its examples and laws tried as well."""
    rules, found = check_source(read(path), path.parent)
    return rules, found + (run_examples(rules, str(path)).diagnostics if rules else [])


# ---- right and wrong files -----------------------------------------------------------------------


@pytest.mark.parametrize("name", GOOD)
def test_a_right_file_loads_in_silence(name: str) -> None:
    rules, found = found_in(Path("good", f"{name}.rule"))
    assert not found, render(found, "zh")
    assert rules


@pytest.mark.parametrize("name", BAD)
def test_a_wrong_file_is_told_what_is_recorded(name: str) -> None:
    path = Path("bad", f"{name}.rule")
    _, found = found_in(path)
    assert found, "nothing is found in it"
    for lang in LANGUAGES:
        record = path.with_suffix(".txt" if lang == "zh" else ".en.txt")
        told = render(found, lang) + "\n"
        if RECORD and (lang == "zh" or record.exists()):
            record.write_text(told, encoding="utf-8")
        if lang == "zh" or record.exists():
            assert told == record.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["several", "keyword_misspelt_en"])
def test_several_mistakes_are_told_in_one_run(name: str) -> None:
    """Else an author mends one, checks, mends one, checks."""
    _, found = found_in(Path("bad", f"{name}.rule"))
    lines = [diagnostic.span.line for diagnostic in found if diagnostic.span]
    assert len(set(lines)) == len(lines) >= 4


def test_a_chain_that_is_too_long_is_the_one_thing_that_is_told(tmp_path: Path) -> None:
    for number in range(18):
        text = f'规则 "{number}" 继承 "{number + 1}.rule"\n改 番种 平胡 = 2番\n设 封顶 = 8倍\n'
        (tmp_path / f"{number}.rule").write_text(text, encoding="utf-8")
    _, found = check_source(read(tmp_path / "0.rule"), tmp_path)
    assert [diagnostic.code for diagnostic in found] == ["E223"]


def test_after_twenty_mistakes_the_rest_is_not_read() -> None:
    _, found = found_in(Path("bad", "twenty_five.rule"))
    assert [diagnostic.code for diagnostic in found] == ["E103"] * syntax.MAX_MISTAKES + ["E120"]


def test_what_is_underlined_is_what_stands_above_the_marks() -> None:
    """Marks under Chinese text are as wide as the text, so that they stand where a terminal shows it."""
    from rich.cells import cell_len

    for name in BAD:
        for diagnostic in found_in(Path("bad", f"{name}.rule"))[1]:
            if not diagnostic.span or "\n" in diagnostic.span.text or cell_len(diagnostic.span.text) > 60:
                continue
            line, marks = (text.split(" | ", 1)[1] for text in render([diagnostic], "zh").splitlines()[2:4])
            before = line[: line.index(diagnostic.span.text)] if line.count(diagnostic.span.text) == 1 else None
            assert before is None or marks.rstrip() == " " * cell_len(before) + "^" * max(
                1, cell_len(diagnostic.span.text)
            )


@pytest.mark.parametrize(
    ("tiles", "shape"), [("1..9 × 2", "2 刻子 + 1 将"), ("8..9 × 4", "2 顺子 + 1 将"), ("1..2 × 4", "2 刻子 + 1 将")]
)
def test_a_law_of_hands_that_chance_does_not_make(tiles: str, shape: str) -> None:
    """Tiles that make no hand, or hardly one, were looked for without end."""
    text = f'规则 "稀" v1.0\n牌 万 筒 条 = {tiles}\n打法 手牌 = 7\n胡型 刻 = {shape}\n番种 平 = 1番\n令 胡分 = 番数\n'
    rules, found = check_source(Source("rare.rule", text + '保证 "有番" 番数 >= 1番\n'), Path())
    assert rules
    assert not [diagnostic for diagnostic in found if diagnostic.is_error]
    assert run_examples(rules, "rare.rule").diagnostics == []


def test_a_hand_is_scored_once_for_all_laws(monkeypatch: pytest.MonkeyPatch) -> None:
    scored: list[Hand] = []
    score = Oracle.score

    def count(oracle: Oracle, hand: Hand, static: bool = False) -> Verdict:
        scored.append(hand)
        return score(oracle, hand, static)

    monkeypatch.setattr(Oracle, "score", count)
    laws = "".join(f'保证 "{n}" 根数 < {n}\n' for n in range(20, 40))
    rules, _ = check_source(Source("laws.rule", HEAD + laws), Path())
    assert rules
    assert run_examples(rules, "laws.rule").laws == 20
    assert len(scored) == LAW_HANDS


# ---- one language in two spellings -----------------------------------------------------------------


def test_keywords_are_pairs_one_to_one() -> None:
    text = resources.grammar("rulespec.lark").read_text(encoding="utf-8")
    lines = re.findall(r"^_\w+: *(\".*\")\s*$", text, re.MULTILINE)
    pairs = [re.findall(r'"([^"]+)"', line) for line in lines]
    assert all(len(pair) == 2 for pair in pairs)
    words = [word for pair in pairs for word in pair]
    assert len(set(words)) == len(words) == len(syntax.keyword_pairs())
    assert all(syntax.keyword_pairs()[syntax.keyword_pairs()[word]] == word for word in words)
    assert [pair[1].isascii() for pair in pairs] == [True] * len(pairs)


def test_words_that_the_build_saved_are_used_while_they_are_those_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "words.yaml.tables"
    monkeypatch.setattr(resources, "saved", lambda name: kept)
    read = resources.data.__wrapped__
    words = read("words.yaml")
    resources.save("words.yaml", kept)
    assert read("words.yaml") == words
    mark, _, content = kept.read_bytes().partition(b"\n")
    kept.write_bytes(mark + b"\n[]")
    assert read("words.yaml") == []
    kept.write_bytes(b"0" * len(mark) + b"\n" + content)
    assert read("words.yaml") == words


def test_built_in_words_are_pairs_and_no_english_one_is_a_keyword() -> None:
    by_kind: dict[tuple[str, str], str] = {}
    allowed = {"tiles", "fan", "shape", "option"}
    for entry in vocabulary.entries():
        for word, other in ((entry.word, entry.english), (entry.english, entry.word)):
            key = (entry.kind + entry.type, word)
            assert by_kind.setdefault(key, other) == other, key
        assert entry.english not in set(syntax.keywords()) - allowed, entry.english


def test_the_grammar_has_no_conflict() -> None:
    """Without `strict` lark settles conflicts in silence, and a sentence may be read in two ways."""
    pytest.importorskip("interegular")
    text = resources.grammar("rulespec.lark").read_text(encoding="utf-8")
    Lark(text, parser="lalr", strict=True, maybe_placeholders=True)


def test_trees_and_their_places_are_those_that_lark_makes() -> None:
    text = resources.grammar("rulespec.lark").read_text(encoding="utf-8")
    by_lark = Lark(text, parser="lalr", maybe_placeholders=True, propagate_positions=True)
    for path in (*resources.rulesets().rglob("*.rule"), *(TESTS / "good").glob("*.rule")):
        source = read(path, path.name)
        ours = syntax.parse(source).tree
        assert ours is not None
        theirs = by_lark.parse(source.code)
        assert ours == theirs
        for one, other in zip(ours.iter_subtrees(), theirs.iter_subtrees(), strict=True):
            assert (one.data, one.meta.empty) == (other.data, other.meta.empty)
            if not one.meta.empty:
                assert (one.meta.start_pos, one.meta.end_pos) == (other.meta.start_pos, other.meta.end_pos), one


def test_english_keywords_give_the_same_model() -> None:
    chinese, english = (_model(Path("good", name)) for name in ("tour_zh.rule", "tour_keywords_en.rule"))
    assert chinese == english


def test_english_words_give_the_same_rules() -> None:
    chinese, english = (found_in(Path("good", name))[0] for name in ("tour_zh.rule", "tour_en.rule"))
    assert chinese
    assert english
    for field in dataclasses.fields(Rules):
        if field.name not in ("sources", "examples", "claims", "permits"):
            assert _plain(getattr(chinese, field.name)) == _plain(getattr(english, field.name)), field.name
    moves = [[(permit.moves, _plain(permit.when)) for permit in rules.permits] for rules in (chinese, english)]
    assert moves[0] == moves[1]
    laws = [[_plain(claim.law) for claim in rules.claims] for rules in (chinese, english)]
    assert laws[0] == laws[1]


def test_marks_of_a_pattern_stand_in_either_order() -> None:
    one, other = (
        check_source(Source("x.rule", f"{HEAD}番种 甲 = 1番 当 有 面子 [123万 123筒] {marks}\n"), Path())[0]
        for marks in ("换色 移位", "移位 换色")
    )
    assert one
    assert other
    assert _plain(one.fans["甲"]) == _plain(other.fans["甲"])


def test_a_number_may_stand_on_either_side_of_a_comparison() -> None:
    for written, turned in (("3 = 花色数", "花色数 = 3"), ("2 = 几个 牌种 其 张数 = 4", "几个 牌种 其 张数 = 4 = 2")):
        sides = []
        for condition in (written, turned):
            rules, found = check_source(Source("x.rule", f"{HEAD}番种 甲 = 1番 当 {condition}\n"), Path())
            assert rules, render(found, "zh")
            compare = rules.fans["甲"].when
            assert isinstance(compare, Compare)
            sides.append({_plain(compare.left), _plain(compare.right)})
        assert sides[0] == sides[1]


def _model(path: Path) -> Any:
    source = read(path)
    parsed = syntax.parse(source)
    assert parsed.tree
    assert not parsed.diagnostics
    return _plain(build(parsed.tree, source)[0])


def _plain(value: Any) -> Any:
    """Records as nested tuples without places; tiles and funds in one spelling."""
    if isinstance(value, (Span, Source)):
        return None
    if dataclasses.is_dataclass(value):
        return (type(value).__name__, *(_plain(getattr(value, f.name)) for f in dataclasses.fields(value)))
    if isinstance(value, (tuple, list)):
        return tuple(map(_plain, value))
    if isinstance(value, dict):
        return tuple((key, _plain(item)) for key, item in value.items())
    if isinstance(value, str) and re.fullmatch(r"[1-9]+[mpsz万筒条字]", value):
        return value.translate(str.maketrans("万筒条字", "mpsz"))
    return value


# ---- the catalogue of messages ----------------------------------------------------------------------


def raised_codes() -> set[str]:
    """Every code of the language, as its modules and the rule set raise them."""
    package = Path(engine.__file__).parents[1]
    files = [*(package / "language").glob("*.py"), package / "engine" / "ruleset.py", package / "tools" / "examples.py"]
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    return set(re.findall(r'"([EW][1-6]\d\d)"', text))


def generated(tmp_path: Path) -> Iterator[Diagnostic]:
    """What no file kept here can show: texts that are too long, and rules that the core refuses."""
    yield from check_source(Source("long.rule", HEAD + "# 长\n" * 100_000), Path())[1]
    for number in range(1, 20):
        head = f'规则 "{number}" 继承 "{number + 1}.rule"\n'
        (tmp_path / f"{number}.rule").write_text(head, encoding="utf-8")
    yield from check_source(read(tmp_path / "1.rule"), tmp_path)[1]
    with pytest.raises(RuleError) as parent:
        engine.Ruleset(load_rules("sichuan/settlement"), {}, "sichuan/settlement")
    yield from parent.value.diagnostics


def test_every_code_is_shown_by_some_file(tmp_path: Path) -> None:
    """A message that nobody has seen rendered is seldom right."""
    found = [d for name in BAD for d in found_in(Path("bad", f"{name}.rule"))[1]]
    found += generated(tmp_path)
    assert {diagnostic.code for diagnostic in found} >= raised_codes()
    for lang in LANGUAGES:
        told = render(found, lang)
        assert not re.search(r"[{}]", re.sub(r"(?m)^ *\d* \| .*$", "", told)), "a fact was not filled in"


def test_the_catalogue_has_every_code_and_no_other() -> None:
    language = {code for code in codes() if re.match(r"[EW][1-6]", code)}
    assert language == raised_codes()


def test_every_entry_of_the_catalogue_is_in_both_languages() -> None:
    seen: dict[tuple[str, str], str] = {}
    for path in sorted(resources.grammar("messages").glob("*.yaml")):
        for part, entries in yaml.safe_load(path.read_text(encoding="utf-8")).items():
            for key, entry in entries.items():
                assert seen.setdefault((part, key), path.name) == path.name, f"{key} stands in two files"
                assert {"zh", "en"} <= set(entry), key
                assert part != "codes" or {"help_zh", "help_en"} <= set(entry), key
                fields = [set(re.findall(r"{(\w+)}", entry[lang])) for lang in ("zh", "en")]
                assert part == "notes" or fields[0] == fields[1] or len(fields[0] ^ fields[1]) <= 1, key


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("code", sorted(code for code in codes() if re.match(r"[EW][1-6]", code)))
def test_right_examples_of_help_pages_are_right(code: str, lang: Lang) -> None:
    """An example that does not load is worse than none."""
    page = help_text(code, lang)
    assert page
    text = "\n".join(_examples(page, "对：" if lang == "zh" else "right:"))
    rules = text if re.match(r"规则|ruleset", text) else HEAD + text
    _, found = check_source(Source(code, rules + "\n"), Path())
    # The town has some of the names already, and an example need not use what it declares.
    unexpected = [d for d in found if d.code not in ("E205", "E206", "E227", "E404", "W601", "W602", "W603")]
    assert not unexpected, render(unexpected, "zh")


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("code", sorted(code for code in codes() if re.match(r"E8", code)))
def test_right_examples_of_pages_about_cases_are_yaml(code: str, lang: Lang) -> None:
    for example in _examples(help_text(code, lang) or "", "对：" if lang == "zh" else "right:"):
        if not re.match(r"结算|flow", example):
            lines = example.splitlines()
            margin = min((len(line) - len(line.lstrip()) for line in lines[1:]), default=0)
            assert yaml.safe_load("\n".join([lines[0], *(line[margin:] for line in lines[1:])]))


def _examples(page: str, mark: str) -> list[str]:
    """The rules behind a mark, the lines below that are indented further with them."""
    found: list[str] = []
    taken = False
    for line in page.splitlines():
        label = re.match(r"  (错：|对：|wrong:|right:) *(.*)", line)
        if label:
            taken = label[1] == mark
            found += [label[2]] if taken else []
        elif taken and line.startswith("   "):
            found[-1] += "\n" + line
        else:
            taken = False
    return found


def test_places_are_short_where_programmers_see_them() -> None:
    span = Span(Source("town.rule", HEAD + "番种 甲 = 1番"), len(HEAD), len(HEAD) + 2)
    assert repr(span) == "<Span town.rule:2:1>"
    assert repr(span.source) == "<Source town.rule>"


def test_a_range_of_one_value_is_that_value() -> None:
    source = Source("x.rule", HEAD + "选项 甲番: 2番 | 4番 = 3番\n")
    assert "可以是 2番 4番" in render(check_source(source, Path())[1], "zh")


def test_facts_are_shown_on_one_line_and_cut() -> None:
    told = message("E201", {"name": "甲\n乙" * 1000}, "zh")
    assert "\n" not in told
    assert len(told) < 500


# ---- suggestions ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "known", "meant"),
    [
        ("对对胡", ["大对子", "对", "清一色"], "大对子"),
        ("小七对", ["大对子", "七对"], "七对"),
        ("清一瑟", ["清一色", "混一色"], "清一色"),
        ("饼", ["万", "筒", "条"], "筒"),
        ("弯杠", ["直杠", "暗杠", "巴杠"], "巴杠"),
        ("如果", ["当", "若", "则"], "当"),
        ("黄庄", ["流局", "终局"], "流局"),
        ("overide", ["override", "order"], "override"),
    ],
)
def test_what_was_meant(written: str, known: list[str], meant: str) -> None:
    assert closest(written, known)[0] == meant


def test_nothing_is_suggested_for_what_is_like_nothing() -> None:
    assert closest("十三幺", ["自摸", "大对子"]) == ()
    assert closest("甲" * 10_000, ["甲" * 9_999]) == ()
