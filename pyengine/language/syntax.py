"""From text to a syntax tree: a thin façade over lark, and mistakes as diagnostics.

After a mistake the declaration that holds it is blanked and the rest is read again, so that one
run reports the mistakes of a whole file.
"""

from __future__ import annotations

import hashlib
import pickle
import re
from functools import cache
from pathlib import Path
from typing import Any

import lark
from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from pyengine import resources
from pyengine.language.diagnostics import Diagnostic, Related
from pyengine.language.source import Source, Span

MAX_MISTAKES = 20
MAX_DEPTH = 120

_OPTIONS: dict[str, Any] = {"parser": "lalr", "propagate_positions": True, "maybe_placeholders": True}


def parse(source: Source) -> tuple[Tree[Token] | None, list[Diagnostic]]:
    """The tree of what could be read (None where not even the head could), and all mistakes."""
    code = source.code
    diagnostics: list[Diagnostic] = []
    while True:
        try:
            tree = parser().parse(code)
            break
        except UnexpectedInput as error:
            found = _diagnose(error, source, code)
            diagnostics.append(found)
            assert found.span
            start, end = _declaration_around(code, found.span.start)
            if len(diagnostics) >= MAX_MISTAKES or start == 0 or not code[start:end].strip():
                return None, diagnostics
            blank = re.sub(r"[^\n]", " ", code[start:end])
            code = code[:start] + blank + code[end:]
    deep = _too_deep(tree)
    if deep is not None:
        return None, [*diagnostics, Diagnostic("E115", Span(source, *deep), {"limit": MAX_DEPTH})]
    return tree, diagnostics


@cache
def keywords() -> frozenset[str]:
    """Every keyword, Chinese and English."""
    return frozenset(
        terminal.pattern.value
        for terminal in parser().terminals
        if terminal.pattern.type == "str" and re.fullmatch(r"[^\W\d]['\w]*|'s", terminal.pattern.value)
    )


@cache
def keyword_pairs() -> dict[str, str]:
    """Each keyword's spelling in the other of the two languages."""
    pairs: dict[str, str] = {}
    for chinese, english in re.findall(r'^_\w+:\s*"([^"]+)"\s*\|\s*"([^"]+)"', _grammar_text(), re.MULTILINE):
        pairs[chinese] = english
        pairs[english] = chinese
    return pairs


# ---- the parser, from tables where the build left good ones -----------------------------------


@cache
def _grammar_text() -> str:
    return resources.grammar("rulespec.lark").read_text(encoding="utf-8")


def _fingerprint() -> str:
    return hashlib.sha256(f"{lark.__version__}\n{_OPTIONS}\n{_grammar_text()}".encode()).hexdigest()


@cache
def parser() -> Lark:
    """The parser of the grammar; making it anew takes a quarter of a second, loading it far less."""
    path = resources.parser_tables()
    try:
        content = path.read_bytes()
    except OSError:
        content = b""
    if content.startswith(_fingerprint().encode()):
        with path.open("rb") as file:
            file.seek(len(_fingerprint()))
            return Lark.load(file)
    return Lark(_grammar_text(), **_OPTIONS)


def write_tables(path: Path) -> None:
    """Saves the parser's tables; the build calls this."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(_fingerprint().encode())
        Lark(_grammar_text(), **_OPTIONS).save(file)


# ---- mistakes ----------------------------------------------------------------------------------

_UNITS = re.compile(r"(番|倍|分|颗|底|fan|x|pt|base)\b")
_AND, _OR = ("且", "and"), ("或", "or")


@cache
def _declaration_start() -> re.Pattern[str]:
    """A keyword that starts a declaration, at the start of a line."""
    chinese = "规则 牌 牌类 打法 许 禁 必 选项 声明 设 胡型 番种 择一 合称 令 结算 次序 改 删 例 保证".split()
    words = [w for word in chinese for w in (word, keyword_pairs()[word])]
    # 牌 and 胡型 also stand inside conditions, so a line that starts with one must go on as a declaration.
    return re.compile(r"^[ \t]*(?P<word>" + "|".join(sorted(words, key=len, reverse=True)) + r")(?=[\s\[\"])", re.MULTILINE)


def _declaration_around(code: str, offset: int) -> tuple[int, int]:
    """From the start of the declaration that holds an offset to the start of the next one."""
    starts = [m.start("word") for m in _declaration_start().finditer(code)]
    start = max((s for s in starts if s <= offset), default=0)
    end = min((s for s in starts if s > offset), default=len(code))
    return start, end


def _diagnose(error: UnexpectedInput, source: Source, code: str) -> Diagnostic:
    """The diagnostic that tells an author most about a parse error."""
    if isinstance(error, UnexpectedCharacters):
        return _bad_characters(error.pos_in_stream or 0, source, code)
    assert isinstance(error, UnexpectedToken)
    token = error.token
    if token.type == "$END":
        start, end = len(code.rstrip()), len(code.rstrip())
        if not code.strip():
            return Diagnostic("E116", Span(source, 0, 0))
        start = max(start - 1, 0)
    else:
        assert token.start_pos is not None and token.end_pos is not None
        start, end = token.start_pos, token.end_pos
    span = Span(source, start, end)
    begin, _ = _declaration_around(code, max(start - 1, 0))
    before = code[begin:start]
    special = _special_mistake(token, span, before, begin, code)
    if special:
        return special
    expected = _expected(error)
    facts = {"found": span.text if token.type != "$END" else "", "expected": " ".join(expected)}
    return Diagnostic("E102" if token.type == "$END" else "E101", span, facts)


def _special_mistake(token: Token, span: Span, before: str, begin: int, code: str) -> Diagnostic | None:
    source, text, start = span.source, str(token), span.start
    previous = re.search(r"(\S+)\s*$", before)
    if previous and re.fullmatch(r"\d+", previous[1]) and _UNITS.fullmatch(text):
        whole = Span(source, begin + previous.start(1), span.end)
        return Diagnostic("E103", whole, {"number": previous[1], "unit": text}, (), (previous[1] + text,))
    if previous and re.fullmatch(r"\d+", previous[1]) and token.type == "NAME" and begin + previous.end(1) == start:
        return Diagnostic("E117", Span(source, begin + previous.start(1), span.end), {"unit": text})
    if text == "/":
        return Diagnostic("E109", span)
    if text in _AND + _OR:
        others = _AND if text in _OR else _OR
        clash = _same_level(before, others)
        if clash is not None:
            at = begin + clash[0]
            other = Related(Span(source, at, at + len(clash[1])), "mixed")
            return Diagnostic("E104", span, {"one": clash[1], "two": text}, (other,))
    if token.type in ("INT", "NAME") and before.rstrip().endswith("[") or _inside_tiles(before):
        if re.match(r"[0-9]", text) or token.type == "INT":
            return Diagnostic("E105", span, {"tiles": text})
    for word, at in ((text, start), *([(previous[1], begin + previous.start(1))] if previous else [])):
        parts = split_glued(word)
        if parts:
            return Diagnostic("E106", Span(source, at, at + len(word)), {"word": word}, (), (" ".join(parts),))
    opened = _unclosed(before)
    if opened is not None and (token.type == "$END" or _declaration_start().match(code, _line_start(code, start))):
        at = begin + opened
        return Diagnostic("E107", Span(source, at, at + 1), {"bracket": code[at]})
    return None


def _bad_characters(offset: int, source: Source, code: str) -> Diagnostic:
    character = code[offset] if offset < len(code) else ""
    if character in ('"', "“", "”"):
        line_end = code.find("\n", offset)
        return Diagnostic("E108", Span(source, offset, len(code) if line_end < 0 else line_end))
    begin, _ = _declaration_around(code, max(offset - 1, 0))
    before = code[begin:offset]
    if character in "÷%":
        return Diagnostic("E109", Span(source, offset, offset + 1))
    run = re.match(r"[\w]+", code[offset:])
    span = Span(source, offset, offset + (len(run.group()) if run else 1))
    if run and (before.rstrip().endswith("[") or _inside_tiles(before)) and re.match(r"\d", run.group()):
        return Diagnostic("E105", span, {"tiles": run.group()})
    unit = re.match(r"(\d+)([^\W\d]+)", code[offset:])
    if unit:
        return Diagnostic("E117", Span(source, offset, offset + unit.end()), {"unit": unit[2]})
    return Diagnostic("E118", span, {"character": span.text})


def _inside_tiles(before: str) -> bool:
    return before.rfind("[") > before.rfind("]")


def _unclosed(before: str) -> int | None:
    """Where the innermost bracket that is still open stands."""
    stack: list[int] = []
    for match in re.finditer(r'"[^"\n]*"|#[^\n]*|[(\[\])]', before):
        if match.group() in "([":
            stack.append(match.start())
        elif match.group() in ")]" and stack:
            stack.pop()
    return stack[-1] if stack else None


def _same_level(before: str, words: tuple[str, ...]) -> tuple[int, str] | None:
    """The last of some keywords at the bracket level and in the clause where `before` ends."""
    depth = 0
    for match in reversed(list(re.finditer(r'"[^"\n]*"|[()]|[^\W\d]+', before))):
        text = match.group()
        if text == ")":
            depth += 1
        elif text == "(":
            if depth == 0:
                return None
            depth -= 1
        elif depth == 0 and text in words:
            return match.start(), text
    return None


def _line_start(code: str, offset: int) -> int:
    return code.rfind("\n", 0, offset) + 1


def split_glued(word: str) -> list[str] | None:
    """The parts of a word that has a keyword inside it, when all parts are words people use."""
    from pyengine.language import vocabulary

    known = {e.word for e in vocabulary.entries()}
    inner = {k for k in keywords() if not k.isascii()}
    if word in known or word in inner or word.isascii():
        return None

    def walk(rest: str) -> list[str] | None:
        if not rest:
            return []
        for length in range(len(rest), 0, -1):
            head = rest[:length]
            if head in known or head in inner or re.fullmatch(r"\d+(番|倍|分|颗|底)?", head):
                tail = walk(rest[length:])
                if tail is not None:
                    return [head, *tail]
        return None

    parts = walk(word) if len(word) <= 40 else None
    return parts if parts and len(parts) > 1 and any(p in inner for p in parts) else None


def _expected(error: UnexpectedToken) -> list[str]:
    """What could have stood there, as the author would write it."""
    names = {"NAME": "名字/name", "INT": "数/number", "AMOUNT": "3番", "STRING": '"…"', "TILES": "123万", "OP": "= < >"}
    values = {t.name: t.pattern.value for t in parser().terminals if t.pattern.type == "str"}
    english = str(error.token).isascii() and re.match(r"[a-z]", str(error.token)) is not None
    shown: list[str] = []
    for name in sorted(error.accepts or error.expected or ()):
        value = names.get(name) or values.get(name)
        if value is None or name == "$END":
            continue
        if value in keyword_pairs() and value.isascii() != english:
            continue
        shown.append(value)
    return shown[:14]


def _too_deep(tree: Tree[Token]) -> tuple[int, int] | None:
    """The place of a node that is nested beyond what later stages would follow."""
    stack: list[tuple[Tree[Token], int]] = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > MAX_DEPTH:
            return node.meta.start_pos, node.meta.end_pos
        stack += [(child, depth + 1) for child in node.children if isinstance(child, Tree)]
    return None
