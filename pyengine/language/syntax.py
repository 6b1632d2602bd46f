"""From text to a syntax tree: a thin façade over lark that reads on after a mistake.

The declaration that holds a mistake is left out and reading goes on at the next one, so that one
run reports the mistakes of a whole file.  What a mistake means to its author is told by `mistakes`.
"""

from __future__ import annotations

import hashlib
import pickle
import re
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import lark
from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput, UnexpectedToken

from pyengine import resources
from pyengine.language.diagnostics import Diagnostic
from pyengine.language.source import Source, Span
from pyengine.language.stack import END, Grammar, Production, Saved, Stack, grammar_of, refused
from pyengine.language.tokens import Lexicon, Scans, Terminal, lexicon_of, tokens

MAX_LENGTH = 200_000
MAX_MISTAKES = 20
MAX_DEPTH = 100  # of operators, 若 and lets, each in the one before
_MAX_TREE = MAX_DEPTH + 20  # with what stands around an expression
MAX_STACK = 1500  # states of the parser; a tree that it would have to be this deep for is refused anyway

_OPTIONS: dict[str, Any] = {"parser": "lalr", "maybe_placeholders": True}
_BEFORE_DECLARATION = ("改", "override", "删", "drop")
_DECLARATIONS = "牌 牌类 打法 许 禁 必 选项 声明 设 胡型 番种 择一 合称 令 结算 次序 改 删 例 保证".split()


class Parsed(NamedTuple):
    """What could be read of a text; the tree is None where not even the head could be."""

    tree: Tree[Token] | None
    diagnostics: list[Diagnostic]
    lost: frozenset[str]  # names of declarations that were left out


def parse(source: Source) -> Parsed:
    """The tree of what could be read, and all mistakes."""
    if len(source.text) > MAX_LENGTH:
        facts = {"length": len(source.text), "limit": MAX_LENGTH}
        return Parsed(None, [Diagnostic("E125", Span(source, 0, 0), facts)], frozenset())
    reader = _Reader(source)
    tree = reader.read()
    deep = _too_deep(tree) if tree else None
    if deep is not None:
        reader.diagnostics.append(Diagnostic("E115", Span(source, *deep), {"limit": MAX_DEPTH}))
        tree = None
    return Parsed(tree, reader.diagnostics, frozenset(reader.lost))


# ---- keywords ----------------------------------------------------------------------------------


@cache
def keywords() -> frozenset[str]:
    """Every keyword, Chinese and English."""
    return frozenset(keyword_pairs())


@cache
def keyword_pairs() -> dict[str, str]:
    """Each keyword's spelling in the other of the two languages."""
    pairs: dict[str, str] = {}
    for chinese, english in re.findall(r'^_\w+:\s*"([^"]+)"\s*\|\s*"([^"]+)"', _grammar_text(), re.MULTILINE):
        pairs[chinese] = english
        pairs[english] = chinese
    return pairs


@cache
def declaration_words() -> frozenset[str]:
    """The keywords that start a declaration, the head of the file not among them."""
    return frozenset(spelling for word in _DECLARATIONS for spelling in (word, keyword_pairs()[word]))


@cache
def _word_keywords() -> frozenset[str]:
    """The terminals of keywords that are words; 的 and 's stand between two words without spaces."""
    return frozenset(name for name, text in spelling_of().items() if text in keywords() and text not in ("的", "'s"))


@cache
def spelling_of() -> dict[str, str]:
    """The terminals that are plain text, by the name the grammar gave them."""
    return {t.name: t.text for t in _tables().lexicon.terminals.values() if t.text is not None}


# ---- the parser, from tables where the build left good ones -----------------------------------


@cache
def _grammar_text() -> str:
    return resources.grammar("rulespec.lark").read_text(encoding="utf-8")


class Tables(NamedTuple):
    """All that is needed to read a text without mistakes."""

    grammar: Grammar
    lexicon: Lexicon


def _fingerprint() -> bytes:
    """Of all that saved tables come from, and of what they are made of."""
    form = [kind._fields for kind in (Tables, Grammar, Production, Lexicon, Terminal)]
    return hashlib.sha256(f"{lark.__version__}\n{_OPTIONS}\n{form}\n{_grammar_text()}".encode()).digest()


@cache
def _saved() -> tuple[Tables, bytes] | None:
    """The tables as the build left them, with the parser that they are of; None where they are not good."""
    try:
        content = BytesIO(resources.parser_tables().read_bytes())
    except OSError:
        return None
    mark = _fingerprint()
    return (pickle.load(content), content.read()) if content.read(len(mark)) == mark else None


@cache
def _parser() -> Lark:
    """The parser of the grammar; making it anew takes a quarter of a second.  Each numbers its states its own way."""
    saved = _saved()
    return Lark.load(BytesIO(saved[1])) if saved else Lark(_grammar_text(), **_OPTIONS)


@cache
def _tables() -> Tables:
    saved = _saved()
    return saved[0] if saved else _tables_of(_parser())


def _tables_of(parser: Lark) -> Tables:
    return Tables(grammar_of(parser), lexicon_of(parser))


@cache
def _scans() -> Scans:
    return Scans(_tables().lexicon)


def write_tables(path: Path) -> None:
    """Saves the parser's tables; the build calls this."""
    path.parent.mkdir(parents=True, exist_ok=True)
    parser = Lark(_grammar_text(), **_OPTIONS)
    with path.open("wb") as file:
        file.write(_fingerprint())
        pickle.dump(_tables_of(parser), file)
        parser.save(file)


# ---- reading on after a mistake ------------------------------------------------------------------


@cache
def _declaration_start() -> re.Pattern[str]:
    """A keyword that starts a declaration, at the start of a line."""
    # 牌 and 胡型 also stand inside conditions, so these must go on as a declaration.
    others = sorted(declaration_words() - {"牌", "tiles", "胡型", "shape"}, key=len, reverse=True)
    named = [
        r"(?:牌|tiles)(?=(?:[ \t]+\w)+[ \t]*=)",
        r"(?:胡型|shape)(?=[ \t]+\w+[ \t]*=)",
        r"(?:" + "|".join(others) + r")(?=[\s\[\"])",
    ]
    return re.compile(r"^[ \t]*(?P<word>" + "|".join(named) + ")", re.MULTILINE)


class _Reader:
    """Feeds the parser token by token; at each declaration it notes the state to come back to."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.code = source.code
        self.diagnostics: list[Diagnostic] = []
        self.lost: set[str] = set()
        self.starts = [found.start("word") for found in _declaration_start().finditer(self.code)]
        self.stack = Stack(_tables().grammar)
        self.at = 0  # where tokens are read from
        self.start_set = frozenset(self.starts)
        self.begun: int | None = None  # where the present declaration starts; None in the head
        self.before = Saved([], [], [])
        self.previous: Token | None = None
        self.headless = False

    def read(self) -> Tree[Token] | None:
        while True:
            try:
                for token in tokens(self.code, self.at, _scans(), self.stack, self.otherwise):
                    self.look(token)
                    self.feed(token)
                    if len(self.stack.states) > MAX_STACK:
                        place = Span(self.source, token.start_pos or 0, token.end_pos or 0)
                        self.diagnostics.append(Diagnostic("E115", place, {"limit": MAX_DEPTH}))
                        return None
                tree = self.stack.feed(Token(END, "", len(self.code)))
                return None if self.headless else tree
            except UnexpectedInput as error:
                if not self.recover(error):
                    return None

    def otherwise(self, at: int) -> Iterator[Token]:
        """The tokens from a place on as lark's own lexer finds them; it knows what to raise where there is none."""
        lexing: Any = _parser().parse_interactive(self.code).lexer_thread
        lexing.state.line_ctr.char_pos = at
        return lexing.lex(self.stack)  # type: ignore[no-any-return]

    def look(self, token: Token) -> None:
        """Refuses what the lexer lets through: part of a longer word, a declaration as a name, a unit apart."""
        end = token.end_pos or 0
        if token.type in _word_keywords() and re.match(r"\w", self.code[end : end + 1]):
            whole = re.compile(r"\w+").match(self.code, token.start_pos or 0)
            assert whole
            raise refused(Token("NAME", whole.group(), whole.start(), end_pos=whole.end()))
        if token.type == "NAME" and token in declaration_words() and token.start_pos in self.start_set:
            raise refused(token)
        before = self.previous
        if token == "fan" and before and before.type == "INT" and "\n" not in self.code[before.end_pos : end]:
            raise refused(token)

    def feed(self, token: Token) -> None:
        self.stack.feed(token)
        if spelling_of().get(token.type) in declaration_words():
            within = self.previous is not None and spelling_of().get(self.previous.type) in _BEFORE_DECLARATION
            if not (within and self.begun is not None):
                # All declarations before this one are complete now: the state without this keyword.
                self.before = self.stack.saved(without=1)
                self.begun = token.start_pos
        self.previous = token

    def recover(self, error: UnexpectedInput) -> bool:
        """Reports a mistake and goes to where reading can go on; False where it cannot."""
        from pyengine.language.mistakes import diagnose

        at = _offset(error)
        accepted = self.acceptable()
        # What starts a line after a complete declaration belongs to no declaration, whatever it was meant to be.
        apart = "$END" in accepted and not self.code[self.code.rfind("\n", 0, at) + 1 : at].strip()
        found = diagnose(error, self.source, self.begun or 0, self.previous, accepted, apart)
        self.diagnostics.append(found)
        # A declaration that starts where the one before it should go on is not itself the mistake.
        resume = next((start for start in self.starts if start >= at), len(self.code))
        if apart:
            line = re.compile(r"^\w", re.MULTILINE).search(self.code, at + 1)
            resume = min(resume, line.start() if line else resume)
        if len(self.diagnostics) >= MAX_MISTAKES and resume < len(self.code):
            self.diagnostics.append(Diagnostic("E120", Span(self.source, resume, resume + 1), {"limit": MAX_MISTAKES}))
            return False
        if apart:
            self.lost |= _names(self.code[at:resume])
        elif self.begun is None:
            self.headless = True
            self.stack.clear()
            head = next(name for name, text in spelling_of().items() if text == "规则")
            self.stack.feed(Token(head, "规则", 0, end_pos=0))
            self.stack.feed(Token("STRING", '""', 0, end_pos=0))
        else:
            self.lost |= _names(self.code[self.begun : resume])
            self.stack.restore(self.before)
        self.previous = None
        self.at = resume
        return True

    def acceptable(self) -> set[str]:
        """The terminals that could stand here; lark's `accepts` leaves out those with Chinese names."""
        choices = (END, *_tables().lexicon.terminals)
        return {terminal for terminal in choices if self.stack.accepts(terminal)}


def _offset(error: UnexpectedInput) -> int:
    offset = error.token.start_pos if isinstance(error, UnexpectedToken) else error.pos_in_stream
    assert isinstance(offset, int)
    return offset


def _names(text: str) -> set[str]:
    """Names that a declaration left out would have declared, money that it would have marked among them."""
    head = re.split(r"[=:]", text, maxsplit=1)[0]
    return {*re.findall(r"\w+", head), *re.findall(r"\b(?:记|as)\s+(\w+)", text)}


def _too_deep(tree: Tree[Token]) -> tuple[int, int] | None:
    """The place of a node that is nested beyond what later stages would follow."""
    stack: list[tuple[Tree[Token], int]] = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > _MAX_TREE:
            return node.meta.start_pos, node.meta.end_pos
        stack += [(child, depth + 1) for child in node.children if isinstance(child, Tree)]
    return None
