"""Case files: what they say is read and run, and every mistake is told where it stands."""

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pyengine
from pyengine.language import diagnostics as d
from pyengine.language.source import Source
from pyengine.notation import yamlfile
from pyengine.notation.hand import Hand, make_hand
from pyengine.tools.casefile import CaseFile, normal_amount
from pyengine.tools.cases import GameCase, HandCase, Outcome, WaitCase, load_cases, run_cases
from pyengine.tools.files import case_files, ruleset_of_case

# ---- YAML --------------------------------------------------------------------------------------


def test_only_plain_words_are_anything_but_text() -> None:
    document, found = yamlfile.load(
        Source(
            "t",
            "a: 是\nb: yes\nc: 1:20\nd: 2020-01-01\ne: 6m\nf: 8倍\ng: true\nh: ~\ni: -5\nj: '5'\nk: {3m: 3}\nl: 007",
        )
    )
    assert not found
    assert document
    assert document.data == {
        "a": "是", "b": "yes", "c": "1:20", "d": "2020-01-01", "e": "6m", "f": "8倍",
        "g": True, "h": None, "i": -5, "j": "5", "k": {"3m": 3}, "l": "007",
    }  # fmt: skip


def test_every_value_knows_its_place() -> None:
    source = Source("t", "# 😀\n好: [6m, 你好]\nx:\n  y: 1\n\nz: 2\n")
    document, _ = yamlfile.load(source)
    assert document
    assert document.span("好", 1).text == "你好"
    assert document.span("好", 1).place == "t:2:9"
    assert document.key("x", "y").text == "y"
    assert document.span("x").text == "y: 1"
    assert document.span("nowhere", 3).text.startswith("好")


@pytest.mark.parametrize(
    ("text", "code", "at"),
    [
        ("", "E803", ""),
        ("a: 1\n---\nb: 2", "E804", "---"),
        ("a: &x [1]\nb: *x", "E806", "&x ["),
        ("a: !!python/object/apply:os.system [ls]", "E807", None),
        ("? [1]\n: 2", "E808", "["),
        ("a: 1\na: 2", "E809", "a"),
        ("id：foo\nb: 1", "E811", "："),
        ("a:\n\tb: 1", "E812", "\t"),
        ("a: [1, 2", "E813", ""),
        ("a: @x", "E814", "@"),
        ("a: b: c", "E815", ":"),
        ("- a\nb: 1", "E816", "b"),
        ("a: \x01", "E802", "\x01"),
        ("[" * 100_000, "E805", None),
        ("{a: " * 40, "E805", None),
        ("- " * 100_000, "E805", None),
    ],
)
def test_what_is_no_yaml_is_told(text: str, code: str, at: str | None) -> None:
    _, found = yamlfile.load(Source("t", text))
    assert found[-1].code == code
    assert at is None or (found[-1].span and found[-1].span.text == at)
    assert d.render(found, "zh") != d.render(found, "en")


def test_a_bomb_of_aliases_stays_small() -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 10)]
    document, found = yamlfile.load(Source("t", "\n".join(lines)))
    assert document is None
    assert [f.code for f in found] == ["E806"]


@given(st.text(alphabet="ab:{}[]-,?&*!|>'\"#%@` \n\t是：0", max_size=30) | st.text(max_size=30))
def test_any_text_is_read_or_told_to_be_wrong(text: str) -> None:
    document, found = yamlfile.load(Source("t", text))
    assert document or found
    d.render(found, "zh")
    load_cases(Source("t", text))


# ---- files -------------------------------------------------------------------------------------

HAND = "{id: a, hand: 123345789m23466p, win: 6p, expect: {win: true}}"


def read(text: str) -> tuple[CaseFile, list[str]]:
    file, found = load_cases(Source("t.yaml", text))
    d.render(found, "zh")
    return file, [f"{f.code} {f.span.text if f.span else None}" for f in found]


def test_a_file_of_all_three_kinds() -> None:
    file, found = read(
        "ruleset: x\nset: {地方番: 是, 底分: 5}\n"
        "hands:\n- id: a\n  source: 003\n  hand: 123345789m23466p\n  melds: [碰 5s]\n  win: 6p\n"
        "  by: 自摸\n  flags: [末张]\n  void: s\n  seen: {3m: 3}\n  set: {底分: 8倍}\n"
        "  expect: {win: true, fans: [根, 根], fans_include: 根, fans_exclude: [将对], total: 2 x, points: 3}\n"
        "waits:\n- {id: b, hand: 1111s, void: m, expect: {ting: false, waits: [], best: 0}}\n"
        "games:\n- {id: c, events: [{win: 自摸, seat: 0, value: 8倍}], expect: {deltas: [3, -1, -1, -1]}}\n"
    )
    assert found == []
    first, second, third = file.cases
    assert isinstance(first, HandCase)
    assert isinstance(second, WaitCase)
    assert isinstance(third, GameCase)
    assert first.options == {"地方番": "是", "底分": "8倍"}
    assert second.options == {"地方番": "是", "底分": "5"}
    assert (first.win, first.by, first.flags, first.void, first.seen) == ("6p", "自摸", ("末张",), "s", {"3m": 3})
    assert (first.expect.total, first.expect.fans, first.expect.fans_include) == ("2倍", ("根", "根"), ("根",))
    assert second.expect.waits == frozenset()
    assert third.game.expect.deltas == (3, -1, -1, -1)
    assert first.span.place == "t.yaml:4:7"


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"k{i}: 1\n" for i in range(5000)),
        "a: 1\n" * 5000,
        "hands:\n" + "".join(f"- {{id: a{i}, hannd: 1m}}\n" for i in range(500)),
        "games:\n- {id: a, horses: [" + "x, " * 5000 + "], events: [], expect: {deltas: [0, 0, 0, 0]}}\n",
        "games:\n- {id: a, events: [{end: 流局, seats: {" + ", ".join(f"x{i}: 1" for i in range(5000)) + "}}]}\n",
    ],
    ids=["unknown keys", "one key again", "cases", "tiles", "seats"],
)
def test_of_very_many_mistakes_the_first_are_told(text: str) -> None:
    _, found = load_cases(Source("many.yaml", "ruleset: sichuan/xuezhan\n" + text))
    assert len(found) == d.MAX_FOUND + 1
    assert found[-1].code == "E817"
    _, found = load_cases(Source("few.yaml", "ruleset: sichuan/xuezhan\n" + text[:120]))
    assert "E817" not in [diagnostic.code for diagnostic in found]


def test_a_broken_case_does_not_hide_the_others() -> None:
    file, found = read(
        f"ruleset: x\nhands:\n- {HAND}\n- {{id: b, hand: [1], melts: [], expect: {{}}}}\n- 5\n- {{hand: 1m}}\n"
    )
    assert [case.id for case in file.cases] == ["a"]
    assert file.broken == 3
    assert found == [
        "E823 [1]", "E821 melts", "E832 {}", "E827 5", "E822 {hand: 1m}", "E822 {hand: 1m}"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"hands: [{HAND}]", "E822"),
        ("ruleset: x", "E831"),
        ("ruleset：x", "E811"),
        ("[1, 2]", "E827"),
        (f"ruleset: x\nhand: [{HAND}]", "E821"),
        (f"ruleset: x\nhands: {HAND}", "E826"),
        (f"ruleset: x\nhands: [{HAND}, {HAND}]", "E829"),
        ("ruleset: x\nhands: [{id: '', hand: 1m, expect: {win: true}}]", "E830"),
        ("ruleset: x\nhands: [{id: a, hand: 1m, expect: {win: maybe}}]", "E825"),
        ("ruleset: x\nhands: [{id: a, hand: 1m, expect: {points: many}}]", "E824"),
        ("ruleset: x\nhands: [{id: a, hand: 1m, expect: {total: 5}}]", "E834"),
        ("ruleset: x\nhands: [{id: a, hand: 1m, seen: {3m: -1}, expect: {win: true}}]", "E824"),
        ("ruleset: x\nset: {a: [1]}\nhands: []", "E823"),
        ("ruleset: x\nwaits: [{id: a, hand: 1m, expect: {ting: true, waits: []}}]", "E833"),
        ("ruleset: x\nwaits: [{id: a, hand: 1m, expect: {waits: [5x]}}]", "E701"),
    ],
)
def test_mistakes_in_a_file(text: str, code: str) -> None:
    assert code in [line.split()[0] for line in read(text)[1]]


@pytest.mark.parametrize(
    ("event", "codes"),
    [
        ("{kong: 暗杠, seat: 0, tile: 5m}", []),
        ("{kong: direct_kong, seat: 0, from: 1, tile: 5m}", []),
        ("{kong: 弯杠, seat: 0, tile: 5m, late: true, robbed: false}", []),
        ("{win: 自摸, seat: 0, value: 8倍, flags: [杠后]}", []),
        ("{win: self_draw, seat: 0, hand: 123m 碰 5s, void: s}", []),
        (
            "{win: 点炮, from: 0, flags: [杠后], tile: 5m, "
            "winners: [{seat: 1, value: 2倍}, {seat: 2, hand: 12m, melds: [碰 1s]}]}",
            [],
        ),
        ("{win: 抢杠, from: 1, winners: [{seat: 2, value: 2x}]}", []),
        (
            "{end: 流局, seats: {0: {state: 花猪}, 1: {state: ready, best: 8}, "
            "2: {hand: 12m, void: s}, 3: {state: 未听}}}",
            [],
        ),
        ("{foul: 诈和, seat: 0}", []),
        ("{kong: 杠, seat: 4}", ["E734", "E828"]),
        ("{kong: 直杠, seat: 1}", ["E822"]),
        ("{kong: 直杠, seat: 1, from: 1}", ["E852"]),
        ("{kong: 暗杠, seat: 1, from: 2, late: true}", ["E844", "E844"]),
        ("{kong: 暗杠, seat: 1, tile: 55m}", ["E706"]),
        ("{win: 自摸, seat: 0}", ["E847"]),
        ("{win: 自摸, seat: 0, value: 8}", ["E846"]),
        ("{win: 自摸, seat: 0, value: 8倍, hand: 12m}", ["E848"]),
        ("{win: 自摸, from: 1, seat: 0, value: 8倍}", ["E844"]),
        ("{win: 点炮, winners: []}", ["E822", "E845"]),
        ("{win: 点炮, from: 0, winners: [{seat: 1, value: 1倍}, {seat: 1, value: 1倍}]}", ["E841"]),
        ("{win: 自抹, seat: 0, value: 8倍}", ["E730"]),
        ("{end: 流局, seats: {5: {state: 花猪}, 0: {state: 胖}, 1: {}}}", ["E828", "E850", "E851"]),
        ("{end: 完}", ["E849"]),
        ("{foul: 诈胡}", ["E849", "E822"]),
        ("{wins: 自摸}", ["E842"]),
        ("{win: 自摸, kong: 暗杠}", ["E843"]),
        ("{win: 自摸, seat: 0, value: 8倍, tail: 5m}", ["E821"]),
        ("5", ["E827"]),
    ],
)
def test_events_of_a_game(event: str, codes: list[str]) -> None:
    file, found = read(f"ruleset: x\ngames:\n- id: g\n  events:\n  - {event}\n  expect: {{next_dealer: 1}}\n")
    assert sorted(line.split()[0] for line in found) == sorted(codes)
    assert len(file.cases) == (not codes)


def test_the_head_of_a_game() -> None:
    file, found = read(
        "ruleset: x\ngames:\n- {id: g, out: [1], dealer: 2, horses: [6m, 7p], events: [], "
        "expect: {horses: [{seat: 1, delta: -25}]}}\n"
    )
    assert found == []
    (case,) = file.cases
    assert isinstance(case, GameCase)
    assert (case.game.out, case.game.dealer, case.game.horses) == ((1,), 2, (5, 15))
    assert case.game.expect.horses == ((1, -25),)
    _, found = read(
        "ruleset: x\ngames:\n- {id: g, out: [1, 1, 9], dealer: 4, horses: [6q], events: [], expect: {deltas: [1]}}\n"
    )
    assert [line.split()[0] for line in found] == ["E841", "E828", "E828", "E702", "E701", "E840"]


def test_a_record_of_play_is_a_game() -> None:
    text = "ruleset: x\nrecord: {dealer: 0, deal: {0: 1m}, moves: [0 打 3s]}\nexpect: {deltas: [0, 0, 0, 0]}\n"
    file, found = read(text)
    assert found == []
    (case,) = file.cases
    assert isinstance(case, GameCase)
    assert case.game.record
    (move,) = case.game.record.moves
    assert (move.seat, move.verb, move.tile, move.span.text) == (0, "discard", 20, "0 打 3s")


@pytest.mark.parametrize(
    ("expect", "codes"),
    [
        ("{can: [1 摸 9s], deltas: [0, 0, 0, 0]}", ["E854"]),
        ("{illegal: 0 打 3s, next_dealer: 0, horses: []}", ["E854", "E854"]),
        ("{because: E797, cannot: [1 摸 9s]}", ["E854"]),
        ("{illegal: 0 打 3s, because: E793, can: [1 摸 9s], cannot: [1 碰 3s]}", []),
    ],
)
def test_what_a_record_would_not_be_compared_with_is_refused(expect: str, codes: list[str]) -> None:
    text = f"ruleset: x\nrecord: {{deal: {{0: 1m}}, moves: [0 打 3s]}}\nexpect: {expect}\n"
    assert [line.split()[0] for line in read(text)[1]] == codes


def test_a_record_is_refused_as_a_whole_or_at_a_move() -> None:
    """Each expectation alone must fail when it is not met."""
    deal = "{0: 23456789m124589p, 1: 1238p123456789s, 2: 2356789m345689s, 3: 2356m123456789p}"

    def run_record(moves: str, expect: str, first: str = "0: s, ") -> list[str]:
        text = (
            f"ruleset: sichuan/xuezhan\nset: {{换三张: 不换}}\ngames:\n- id: a\n  record:\n    deal: {deal}\n"
            f"    void: {{{first}1: m, 2: p, 3: s}}\n    moves: [{moves}]\n  expect: {expect}\n"
        )
        cases, found = load_cases(Source("x.yaml", text))
        assert not found
        (outcome,) = run_cases(cases, lambda name, options: pyengine.load(name, **options))
        return [difference.what for difference in outcome.differences] or [outcome.status]

    assert run_record("0 打 5m", "{because: E797}") == ["passed"]
    assert run_record("0 打 5m", "{because: E756}") == ["because"]
    assert run_record("", "{because: E756}", first="") == ["passed"]
    assert run_record("", "{can: [0 打 5m]}", first="") == ["error"]
    assert run_record("0 打 9s", "{illegal: 0 打 9s, can: [0 打 5m]}") == ["passed"]
    assert run_record("0 打 9s", "{illegal: 0 打 9s, cannot: [0 打 5m]}") == ["cannot"]
    assert run_record("0 打 5m", "{illegal: 0 打 5m, can: [1 摸 1s]}") == ["illegal"]


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("2倍", "2倍"),
        ("2 x", "2倍"),
        ("3 fan", "3番"),
        ("5番 2 pt", "5番 2分"),
        ("4颗", "4分"),
        ("2", None),
        ("", None),
    ],
)
def test_totals_in_either_language(text: str, normal: str | None) -> None:
    assert normal_amount(text) == normal


# ---- running -----------------------------------------------------------------------------------


def fan(name: str, count: int = 1) -> SimpleNamespace:
    return SimpleNamespace(name=name, count=count, value="2倍")


class Rules:
    """Rules by which every hand is worth the same."""

    fan_names = ("甲", "乙", "丙")
    combos: Mapping[str, Any] = {"甲乙": (("甲", 1), ("乙", 2))}
    asked: Hand

    def hand(self, hand: str, waiting: bool = False, **facts: Any) -> Hand:
        return make_hand(hand, copies=(4,) * 27 + (0,) * 7, hand_size=13, waiting=waiting, **facts)

    def score(self, hand: Hand) -> Any:
        self.asked = hand
        fans = (fan("甲"), fan("乙", 2))
        return SimpleNamespace(win=True, fans=fans, total="8倍", points=8, combos=("甲乙",), reading=None)

    def waits(self, hand: Hand) -> Any:
        self.asked = hand
        fans = (fan("甲"),)
        return tuple(SimpleNamespace(tile=t, points=p, total=f"{p}倍", fans=fans) for t, p in (("2m", 1), ("4m", 2)))


RULES = Rules()


def load(ruleset: str, options: Mapping[str, str]) -> Rules:
    if ruleset != "x":
        raise d.refuse("E907", name=ruleset)
    if "错" in options:
        raise d.refuse("E908", None, ["对"], name="错", options="对", ruleset="x")
    if options.get("对") == "9":
        raise d.refuse("E909", name="对", value="9", values="1 2")
    return RULES


def run(text: str, ruleset: str = "x") -> list[Outcome]:
    file, found = load_cases(Source("t.yaml", f"ruleset: {ruleset}\n{text}"))
    assert found == []
    return run_cases(file, load)


def run_hand(expect: str, more: str = "") -> Outcome:
    (outcome,) = run(f"hands:\n- {{id: a, hand: 123345789m23466p, win: 6p, {more} expect: {expect}}}\n")
    return outcome


@pytest.mark.parametrize(
    "expect",
    [
        "{win: true, total: 8倍, points: 8}",
        "{fans: [乙, 甲, 乙]}",
        "{fans: [甲乙]}",
        "{fans_include: [乙, 乙]}",
        "{fans_include: [甲乙]}",
        "{fans_exclude: [丙]}",
        "{total: 8 x}",
    ],
)
def test_expectations_that_are_met(expect: str) -> None:
    assert run_hand(expect).status == "passed"


@pytest.mark.parametrize(
    ("expect", "what"),
    [
        ("{win: false}", "win"),
        ("{fans: [甲, 乙]}", "fans"),
        ("{fans: []}", "fans"),
        ("{fans: [甲乙, 乙]}", "fans"),
        ("{fans_include: [丙]}", "fans_include"),
        ("{fans_include: [乙, 乙, 乙]}", "fans_include"),
        ("{fans_exclude: [乙]}", "fans_exclude"),
        ("{fans_exclude: [甲乙]}", "fans_exclude"),
        ("{total: 8番}", "total"),
        ("{points: 9}", "points"),
    ],
)
def test_expectations_that_are_not_met(expect: str, what: str) -> None:
    outcome = run_hand(expect)
    assert outcome.status == "failed"
    assert [difference.what for difference in outcome.differences] == [what]


def test_a_hand_is_given_to_the_rules_with_its_facts() -> None:
    assert run_hand("{win: true}", "by: 自摸, flags: [末张], void: s, seen: {1m: 2},").status == "passed"
    assert (RULES.asked.by, RULES.asked.flags, RULES.asked.void, RULES.asked.seen[0]) == ("自摸", {"末张"}, 2, 2)
    assert RULES.asked.win == 14


def test_a_wrong_hand_is_told_in_the_case_file() -> None:
    outcome = run_hand("{win: true}", "melds: [碰 56s], flags: [末],")
    assert outcome.status == "error"
    assert [(x.code, x.span and x.span.text) for x in outcome.diagnostics] == [("E716", "碰 56s"), ("E731", "末")]


def test_fans_that_the_rules_do_not_have() -> None:
    outcome = run_hand("{fans: [甲丙], fans_exclude: [丁]}")
    assert outcome.status == "error"
    assert [x.code for x in outcome.diagnostics] == ["E835", "E835"]
    assert "甲乙" in outcome.diagnostics[0].suggestions


@pytest.mark.parametrize(("options", "code", "at"), [("{错: 1}", "E908", "错"), ("{对: 9}", "E909", "9")])
def test_options_that_the_rules_do_not_have(options: str, code: str, at: str) -> None:
    outcome = run_hand("{win: true}", f"set: {options},")
    assert outcome.status == "error"
    assert [(x.code, x.span and x.span.text) for x in outcome.diagnostics] == [(code, at)]


def test_rules_that_are_not_there() -> None:
    (outcome,) = run("hands:\n- {id: a, hand: 1m, expect: {win: true}}", ruleset="y")
    assert [(x.code, x.span and x.span.place) for x in outcome.diagnostics] == [("E907", "t.yaml:1:10")]


@pytest.mark.parametrize(
    ("expect", "differences"),
    [
        ("{ting: true, waits: [4m, 2m], best: 2}", []),
        ("{waits: [24m]}", []),
        ("{ting: false}", ["ting"]),
        ("{waits: [2m], best: 1}", ["waits", "best"]),
    ],
)
def test_waits(expect: str, differences: list[str]) -> None:
    (outcome,) = run(f"waits:\n- {{id: w, hand: 123345789m2346p, void: s, expect: {expect}}}\n")
    assert [difference.what for difference in outcome.differences] == differences
    assert outcome.status == ("failed" if differences else "passed")
    assert sum(RULES.asked.concealed) == 13


def test_games_are_settled_and_compared() -> None:
    game = "{id: g, events: [{kong: 暗杠, seat: 0}], expect: {deltas: [6, -2, -2, %d]}}"
    text = f"ruleset: sichuan/classic\ngames:\n- {game}"
    for last, status in ((-2, "passed"), (-3, "failed")):
        cases, found = load_cases(Source("x.yaml", text % last))
        assert not found
        (outcome,) = run_cases(cases, lambda name, options: pyengine.load(name).with_options(options))
        assert outcome.status == status


# ---- folders -----------------------------------------------------------------------------------


def test_folders_are_searched(tmp_path: Path) -> None:
    for name in ("b/c.yaml", "a.yaml", ".git/x.yaml", "b/d.yml", "e.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    files, found = case_files([tmp_path, tmp_path / "a.yaml"])
    assert [file.relative_to(tmp_path).as_posix() for file in files] == ["a.yaml", "b/c.yaml", "b/d.yml"]
    assert not found
    (tmp_path / "empty").mkdir()
    assert [x.code for x in case_files([tmp_path / "empty"])[1]] == ["E913"]


def test_a_case_file_may_name_rules_beside_it(tmp_path: Path) -> None:
    (tmp_path / "my.rule").write_text("")
    assert ruleset_of_case("my.rule", tmp_path / "a.yaml") == str(tmp_path / "my.rule")
    assert ruleset_of_case("sichuan/classic", tmp_path / "a.yaml") == "sichuan/classic"
