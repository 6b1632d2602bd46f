"""The pages about rule files and case files: what they show is run, and comes out as they say.

A fence of a page says what its block is:

    ```rule                   declarations that go on from sichuan/xuezhan (what starts with 规则 is a whole file)
    ```rule on BASE           the same, from another rule set, or from a block that has a name
    ```rule as NAME           the block is kept as NAME.rule, for later blocks of the page
    ```rule error E101        it has exactly these mistakes
    ```yaml game BASE         a game: it is settled, and its `expect` compared
    ```yaml game BASE error E878
    ```text ledger            the postings of the game before
    ```yaml cases             a whole case file: all its cases pass
    ```yaml cases error E835  it has exactly these mistakes
    ```yaml as NAME           kept as NAME.yaml, for the commands of the page
    ```console                commands, and what they print; `$ echo $?` shows the exit status of the last one,
                              a line of … stands for any number of lines

A `yaml cases` block may be kept as well: ```yaml cases as NAME.

Words after them in one fence may be joined: ```rule on 小镇 as 飘.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

import pyengine
from pyengine import cli
from pyengine.engine.settle import GameResult, account
from pyengine.language import core as c
from pyengine.language import diagnostics as d
from pyengine.language import vocabulary
from pyengine.language.diagnostics import Diagnostic, InputError
from pyengine.language.load import check_source
from pyengine.language.source import Source
from pyengine.language.syntax import keyword_pairs
from pyengine.tools.casefile import GameCase, load_cases
from pyengine.tools.cases import run_cases
from pyengine.tools.examples import run_examples
from pyengine.tools.reference import places, reference, snippet
from pyengine.tools.testing import run_files

DOCS = Path(__file__).parent.parent / "docs"
PAGES = ("language.md", "write-your-own.md", "cases.md", "records.md", "proofs.md")
_FENCE = re.compile(r"^```(?P<info>.+)\n(?P<text>(?:(?!```).*\n)*?)```$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page; `before` are the blocks above it that have names, by file name."""

    page: str
    line: int
    kind: str
    text: str
    facts: dict[str, str]
    before: dict[str, Block] = field(default_factory=dict, repr=False)
    game: Block | None = field(default=None, repr=False)

    @property
    def base(self) -> str:
        return self.facts.get("on", "sichuan/xuezhan")

    @property
    def rule(self) -> str:
        """The block as a whole rule file."""
        return snippet(self.text, f"{self.base}.rule" if f"{self.base}.rule" in self.before else self.base)


def blocks(page: str) -> list[Block]:
    text = (DOCS / page).read_text(encoding="utf-8")
    found: list[Block] = []
    named: dict[str, Block] = {}
    game: Block | None = None
    for match in _FENCE.finditer(text):
        kind, *words = match["info"].split()
        if kind in ("yaml", "text") and words[:1] != ["as"]:
            kind = words[0] if words else kind
            words = ["on", *words[1:]] if kind == "game" else words[1:]
        facts = dict(zip(words[::2], words[1::2], strict=True))
        line = text.count("\n", 0, match.start()) + 1
        block = Block(page, line, kind, match["text"], facts, dict(named), game)
        game = block if kind == "game" else game
        if "as" in facts:
            named[f"{facts['as']}.{'rule' if kind == 'rule' else 'yaml'}"] = block
        found.append(block)
    return found


def _id(block: Block) -> str:
    return f"{block.page}:{block.line}"


ALL = [block for page in PAGES for block in blocks(page)]


def of_kind(*kinds: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("block", [b for b in ALL if b.kind in kinds], ids=_id)


@pytest.fixture
def folder(block: Block, tmp_path: Path) -> Path:
    """A folder with the files that the page has named so far."""
    for name, named in block.before.items():
        text = named.rule if named.kind == "rule" else named.text
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def check(text: str, here: Path) -> tuple[c.Rules | None, list[Diagnostic]]:
    """A rule file and everything wrong with it: its examples are run, and its own laws tried."""
    source = Source("the block", text)
    rules, found = check_source(source, here)
    if rules is not None:
        own = tuple(claim for claim in rules.claims if claim.declaration.span.source is source)
        found += run_examples(replace(rules, claims=own), "the block").diagnostics
    return rules, found


def errors(found: list[Diagnostic]) -> list[Diagnostic]:
    return [diagnostic for diagnostic in found if diagnostic.is_error]


# ---- words -------------------------------------------------------------------------------------


def test_the_page_of_words_is_up_to_date() -> None:
    page = (DOCS / "words.md").read_text(encoding="utf-8")
    assert page == reference(), "python -m pyengine.tools.reference > docs/words.md"


@pytest.mark.parametrize("entry", vocabulary.entries(), ids=lambda e: f"{e.kind}-{e.word}")
def test_every_word_is_explained_and_its_example_comes_out(entry: vocabulary.Entry, tmp_path: Path) -> None:
    assert entry.zh
    assert entry.en
    assert not re.search(r"[。.]$", entry.zh + entry.en)
    assert any(spelling in entry.example for spelling in (entry.word, *entry.aliases))
    rules, found = check(snippet(entry.example), tmp_path)
    assert rules
    assert not found, d.render(found, "en")


@pytest.mark.parametrize(
    "entry",
    [e for e in vocabulary.entries() if e.kind in ("flag", "number", "role", "seats", "money")],
    ids=lambda e: e.word,
)
def test_words_stand_where_the_page_says(entry: vocabulary.Entry, tmp_path: Path) -> None:
    condition = entry.word if entry.kind in ("flag", "role", "seats") else f"{entry.word} > 0"

    def fits(text: str) -> bool:
        return check(snippet(text), tmp_path)[0] is not None

    flow = f"结算 试: 庄家 付 外账: 1 当 {condition}\n改 次序 终局 = 试, 叫马"
    assert fits(flow) == ("结算" in places(entry))
    assert fits(f"番种 试 = 1番 当 {condition}") or "番种" not in places(entry)
    assert fits(f"改 令 胡分 = 若 {condition} 则 1 否则 2") or "胡分" not in places(entry)


def test_every_keyword_is_in_the_table() -> None:
    page = (DOCS / "language.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", page.partition("\n## Keywords")[2], re.MULTILINE)
    pairs = keyword_pairs()
    assert {(zh, pairs[zh]) for zh, _ in rows} == set(rows)
    assert {word for row in rows for word in row} == set(pairs)


# ---- pages -------------------------------------------------------------------------------------


def test_every_section_opens_in_chinese() -> None:
    for page in PAGES:
        for section in re.split(r"^##+ .*\n", (DOCS / page).read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            assert re.match(r"\n*[^\n]*[\u4e00-\u9fff][^\n]*。\n", section), section[:80]


@of_kind("rule")
def test_rules_of_the_pages_are_as_they_say(block: Block, folder: Path) -> None:
    _, found = check(block.rule, folder)
    wanted = {block.facts["error"]} if "error" in block.facts else set()
    assert {wrong.code for wrong in errors(found)} == wanted, d.render(found, "en")


def settle(block: Block, folder: Path) -> GameResult:
    """The game of a block; its file goes on for the rules that its fence names."""
    text = "".join(f"  {line}\n" for line in block.text.splitlines())
    file, found = load_cases(Source("the block", f"ruleset: x\ngames:\n- id: game\n{text}"))
    assert not found, d.render(found, "en")
    (case,) = file.cases
    assert isinstance(case, GameCase)
    named = block.before.get(f"{block.base}.rule")
    rules = pyengine.load(str(folder / f"{block.base}.rule") if named else block.base)
    outcome = run_cases(replace(file, ruleset="x"), lambda _, options: rules.with_options(options))[0]
    if "error" in block.facts:
        raise InputError(list(outcome.diagnostics))
    assert outcome.status == "passed", (outcome.differences, d.render(outcome.diagnostics, "en"))
    result: GameResult = outcome.result
    return result


@of_kind("game")
def test_games_of_the_pages_come_out(block: Block, folder: Path) -> None:
    if "error" in block.facts:
        with pytest.raises(InputError) as error:
            settle(block, folder)
        assert {wrong.code for wrong in error.value.diagnostics} == {block.facts["error"]}
    else:
        settle(block, folder)


@of_kind("ledger")
def test_ledgers_of_the_pages_come_out(block: Block, folder: Path) -> None:
    assert block.game
    postings = [
        f"{account(p.payer)} → {account(p.receiver)} {p.amount} {p.flow} {p.state}"
        for p in settle(block.game, folder).ledger
    ]
    assert [" ".join(line.split()) for line in block.text.splitlines()] == postings


@of_kind("cases")
def test_case_files_of_the_pages_come_out(block: Block, folder: Path) -> None:
    path = folder / "the block.yaml"
    path.write_text(block.text, encoding="utf-8")
    run = run_files([path], {})
    found = [*run.diagnostics, *(wrong for outcome in run.outcomes for wrong in outcome.diagnostics)]
    wanted = {block.facts["error"]} if "error" in block.facts else set()
    assert {wrong.code for wrong in found} == wanted, d.render(found, "en")
    assert not [(outcome.case.id, outcome.differences) for outcome in run.outcomes if outcome.status == "failed"]
    assert run.outcomes or wanted


@of_kind("yaml")
def test_a_block_that_is_only_kept_is_shown_by_a_command(block: Block) -> None:
    assert any(b.kind == "console" and f"{block.facts['as']}.yaml" in b.text for b in blocks(block.page))


# The keys of case files: what is known where, asked by a key that is not.
_KEYS = {
    "The file": ["zzz: 1"],
    "Every case": ["hands: [{zzz: 1}]", "waits: [{zzz: 1}]", "games: [{zzz: 1}]"],
    "Hands": ["hands: [{zzz: 1}]"],
    "What a hand must come to": ["hands: [{expect: {zzz: 1}}]"],
    "Waits": ["waits: [{zzz: 1}]", "waits: [{expect: {zzz: 1}}]"],
    "Games": ["games: [{zzz: 1}]", "games: [{expect: {zzz: 1}}]", "games: [{expect: {horses: [{seat: 0, zzz: 1}]}}]"],
    "Kongs": ["games: [{events: [{kong: 巴杠, zzz: 1}]}]"],
    "Wins": [
        "games: [{events: [{win: 自摸, zzz: 1}]}]",
        "games: [{events: [{win: 点炮, zzz: 1}]}]",
        "games: [{events: [{win: 点炮, winners: [{zzz: 1}]}]}]",
    ],
    "The end": ["games: [{events: [{end: 流局, zzz: 1}]}]", "games: [{events: [{end: 流局, seats: {0: {zzz: 1}}}]}]"],
    "A false win": ["games: [{events: [{foul: 诈和, zzz: 1}]}]"],
}


@pytest.mark.parametrize("section", _KEYS)
def test_every_key_of_case_files_is_in_its_table(section: str) -> None:
    page = (DOCS / "cases.md").read_text(encoding="utf-8")
    tables = {
        re.sub(r"[`:]", "", title): set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))
        for title, text in re.findall(r"^##+ (.+)\n((?:(?!##+ ).*\n)*)", page, re.MULTILINE)
    }
    known: list[set[str]] = []
    for text in _KEYS[section]:
        _, found = load_cases(Source("the block", text))
        (keys,) = [str(w.facts["known"]).split() for w in found if w.code == "E821" and w.facts["key"] == "zzz"]
        known.append(set(keys))
    if section == "Every case":
        assert tables[section] <= set.intersection(*known)
        return
    # What every case has stands in a table of its own, and what a hand has is not said again of waits.
    told = tables[section] | (tables["Every case"] if section in ("Hands", "Waits", "Games") else set())
    told |= tables["Hands"] if section == "Waits" else set()
    assert set.union(*known) <= told
    assert tables[section] <= set.union(*known)


@of_kind("console")
def test_commands_of_the_pages_print_what_they_show(
    block: Block, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("RULESPEC_LANG", "en")
    monkeypatch.setenv("COLUMNS", "120")
    status: object = None
    for command in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        line, _, expected = command.partition("\n")
        if line == "echo $?":
            assert expected.strip() == str(status)
            continue
        program, *arguments = shlex.split(line)
        assert program == "rulespec"
        with pytest.raises(SystemExit) as exit_:
            cli.main(arguments)
        status = exit_.value.code
        out, err = capsys.readouterr()
        assert _shows(_lines(expected), _lines(err + out)), err + out


def _shows(expected: list[str], actual: list[str]) -> bool:
    """Whether lines are as expected; a line of … stands for any number of them."""
    if "…" not in expected:
        return expected == actual
    cut = expected.index("…")
    before, after = expected[:cut], expected[cut + 1 :]
    if actual[:cut] != before:
        return False
    return any(_shows(after, actual[start:]) for start in range(cut, len(actual) + 1))


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]
