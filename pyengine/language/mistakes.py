"""What a parse error means to its author: the diagnostic that tells most about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lark import Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from pyengine.language import vocabulary
from pyengine.language.diagnostics import Diagnostic, Related, closest
from pyengine.language.source import Source, Span
from pyengine.language.syntax import declaration_words, keyword_pairs, keywords, spelling_of

MAX_SHOWN = 14

_UNIT = re.compile(r"番|倍|分|颗|底|fan|x|pt|base")
_AND, _OR = ("且", "and"), ("或", "or")
# Characters of other notations, and what they are here; empty where nothing is.
_MEANT = {
    "&": "且", "＆": "且", "!": "非", "！": "非", "~": "..", "～": "..", "—": "-", "–": "-", "−": "-", "。": "", ";": ",",
    "'": '"', "‘": '"', "’": '"', "「": '"', "」": '"', "『": '"', "』": '"', "《": '"', "》": '"', "{": "(", "}": ")",
    "﹤": "<", "﹥": ">", "≦": "<=", "≧": ">=", "〔": "[", "〕": "]", "∶": ":", "≤": "<=", "≥": ">=",
}  # fmt: skip


def diagnose(
    error: UnexpectedInput, source: Source, begin: int, previous: Token | None, starts: bool
) -> Diagnostic:
    """The diagnostic of a parse error in the declaration that begins at `begin`.

    `previous` is the token before; `starts`: a declaration should start here.
    """
    return _Mistake(error, source, begin, previous, starts).diagnostic()


class _Mistake:
    def __init__(
        self, error: UnexpectedInput, source: Source, begin: int, previous: Token | None, starts: bool
    ) -> None:
        self.error, self.source, self.code, self.previous = error, source, source.code, previous
        self.starts = starts
        if isinstance(error, UnexpectedToken):
            self.type, self.text = error.token.type, str(error.token)
            at = len(self.code) if self.type == "$END" else error.token.start_pos
            assert at is not None
            self.start, self.end = at, at + len(self.text)
        else:
            assert isinstance(error, UnexpectedCharacters) and error.pos_in_stream is not None
            self.type = ""
            self.start = error.pos_in_stream
            run = re.compile(r"\w+").match(self.code, self.start)
            self.end = run.end() if run else self.start + 1
            self.text = self.code[self.start : self.end]
        self.begin = begin
        self.before = self.code[begin : self.start]
        self.english = re.search(r"^\s*ruleset\b", self.code, re.MULTILINE) is not None

    def span(self, start: int, end: int) -> Span:
        return Span(self.source, start, end)

    @property
    def here(self) -> Span:
        return self.span(self.start, self.end)

    def diagnostic(self) -> Diagnostic:
        if not self.code.strip():
            return Diagnostic("E116", self.span(0, 0))
        tries = (self.string, self.tiles, self.number, self.glued, self.logic, self.bracket, self.sign, self.no_head)
        for attempt in tries:
            found = attempt()
            if found:
                return found
        if not self.type:
            return Diagnostic("E118", self.here, {"character": self.text})
        if self.is_next():
            at = self.span(self.previous.start_pos or 0, self.previous.end_pos or 0) if self.previous else self.here
            return Diagnostic("E102", at, {"expected": self.expected()})
        if self.text in ("规则", "ruleset"):
            return Diagnostic("E122", self.here)
        if self.starts:
            words = [w for w in declaration_words() if w.isascii() == self.text.isascii()]
            return Diagnostic("E119", self.here, {"found": self.text}, (), closest(self.text, [*words, *self.words()]))
        facts = {"found": self.text, "expected": self.expected()}
        return Diagnostic("E101", self.here, facts, (), closest(self.text, self.words()))

    # ---- particular mistakes ----

    def string(self) -> Diagnostic | None:
        if self.text[:1] not in ('"', "“", "”") or self.type:
            return None
        line_end = self.code.find("\n", self.start)
        end = len(self.code) if line_end < 0 else line_end
        return Diagnostic("E108", self.span(self.start, self.start + len(self.code[self.start : end].rstrip())))

    def tiles(self) -> Diagnostic | None:
        """A tile that is none, inside brackets."""
        if self.before.rfind("[") <= self.before.rfind("]") or not re.match(r"\w", self.text):
            return None
        if self.text in keywords() and re.match(r"\w", self.before[self.before.rfind("[") + 1 :].strip()[-1:] or "x"):
            return None  # The bracket was not closed.
        whole = re.compile(r"\w*").match(self.code, self.start)
        assert whole
        return Diagnostic("E105", self.span(self.start, whole.end()), {"tiles": whole.group()})

    def number(self) -> Diagnostic | None:
        """A unit apart from its number, or a unit that is none."""
        at, text = self.start, self.text
        if self.previous and self.previous.type == "INT" and _UNIT.fullmatch(text):
            start = self.previous.start_pos or 0
            facts = {"number": str(self.previous), "unit": text}
            return Diagnostic("E103", self.span(start, self.end), facts, (), (f"{self.previous}{text}",))
        if self.previous and self.previous.type == "INT" and self.previous.end_pos == at:
            at = self.previous.start_pos or 0
        whole = re.compile(r"(\d+)([^\W\d]\w*)").match(self.code, at)
        if whole is None or whole.end() < self.end or self.parts(whole.group()):
            return None
        facts = {"number": whole[1], "unit": whole[2]}
        return Diagnostic("E117", self.span(at, whole.end()), facts, (), self.amounts(whole[1], whole[2]))

    def amounts(self, number: str, unit: str) -> tuple[str, ...]:
        return tuple(number + sign for sign in closest(unit, ("番", "倍", "分", "底", "fan", "x", "pt", "base")))

    def glued(self) -> Diagnostic | None:
        """Words without spaces between them: here, or just before."""
        starts = [self.start]
        if self.previous and self.previous.end_pos is not None and self.previous.start_pos is not None:
            starts += [self.previous.start_pos]
        for start in starts:
            whole = re.compile(r"\w+").match(self.code, start)
            parts = whole and self.parts(whole.group())
            if whole and parts:
                span = self.span(start, whole.end())
                return Diagnostic("E106", span, {"word": whole.group()}, (), (" ".join(parts),))
        return None

    def parts(self, word: str) -> list[str] | None:
        return split_glued(word, _declared(self.code))

    def logic(self) -> Diagnostic | None:
        """且 and 或 side by side."""
        if self.text not in _AND + _OR:
            return None
        clash = _same_level(self.before, _AND if self.text in _OR else _OR)
        if clash is None:
            return None
        at = self.begin + clash[0]
        other = Related(self.span(at, at + len(clash[1])), "mixed", {"word": clash[1]})
        return Diagnostic("E104", self.here, {"one": clash[1], "two": self.text}, (other,))

    def bracket(self) -> Diagnostic | None:
        opened = _unclosed(self.before)
        if opened is None:
            if self.text in (")", "]"):
                return Diagnostic("E123", self.here, {"bracket": self.text})
            return None
        bracket = self.before[opened]
        wanted = ")" if bracket == "(" else "]"
        if self.text in (")", "]") and self.text != wanted:
            facts = {"bracket": bracket, "wanted": wanted}
            return Diagnostic("E107", self.here, facts, (self.opening(opened),), (wanted,))
        if self.type == "$END" or self.is_next() or (self.text in keywords() and wanted in self.expected()):
            return Diagnostic("E107", self.opening(opened).span, {"bracket": bracket, "wanted": wanted})
        return None

    def opening(self, opened: int) -> Related:
        return Related(self.span(self.begin + opened, self.begin + opened + 1), "opened")

    def sign(self) -> Diagnostic | None:
        """A sign of another notation."""
        text = self.source.text[self.start]
        before = self.code[self.start - 1 : self.start]
        if self.type == "$END":
            return None
        if text in "/／÷%％":
            return Diagnostic("E109", self.here)
        if self.text in ("的", "'s"):
            return Diagnostic("E124", self.here)
        if self.text in ("=", "|", "*") and before == self.text:
            twice = {"=": "=", "|": "或", "*": "^"}[self.text]
            return Diagnostic("E118", self.span(self.start - 1, self.end), {"character": self.text * 2}, (), (twice,))
        if text in _MEANT and not self.type:
            end = self.end + (self.code[self.end : self.end + 1] == text)
            meant = (_MEANT[text],) if _MEANT[text] else ()
            return Diagnostic("E118", self.span(self.start, end), {"character": self.source.text[self.start : end]}, (), meant)
        return None

    def no_head(self) -> Diagnostic | None:
        if self.previous is None and self.begin == 0:
            return Diagnostic("E121", self.here, {"found": self.text}, (), closest(self.text, ("规则", "ruleset")))
        return None

    # ---- what could have stood here ----

    def is_next(self) -> bool:
        """Whether the text ends here, or a declaration starts, where the one before should go on."""
        line = self.code.rfind("\n", 0, self.start) + 1
        starts = self.text in declaration_words() and not self.code[line : self.start].strip()
        return self.type == "$END" or starts

    def accepted(self) -> list[str]:
        assert isinstance(self.error, UnexpectedToken)
        spelled = spelling_of()
        shown = [spelled.get(name, name) for name in self.error.accepts or self.error.expected or ()]
        other = [t for t in shown if t in keyword_pairs() and t.isascii() != self.english]
        return sorted((t for t in shown if t not in other and t != "$END"), key=_in_order)

    def words(self) -> list[str]:
        return [word for word in self.accepted() if word in keywords()] if self.type else []

    def expected(self) -> tuple[str, ...]:
        """What could have stood here, declarations that could begin left out."""
        accepted = self.accepted()
        inner = [word for word in accepted if word not in declaration_words()]
        return tuple((inner or accepted)[:MAX_SHOWN])


def _in_order(word: str) -> tuple[int, str]:
    """Names and amounts first, signs, then keywords, so that lists read alike."""
    kinds = ("NAME", "INT", "AMOUNT", "STRING", "TILES", "OP", "VERSION")
    return (kinds.index(word), "") if word in kinds else (8 if word in keywords() else 7, word)


def _declared(code: str) -> set[str]:
    """Names that some declaration of a text seems to declare."""
    return set(re.findall(r"^[ \t]*(?:改[ \t]+|override[ \t]+)?\w+[ \t]+(\w+)[ \t]*[=:]", code, re.MULTILINE))


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
    for match in _backwards(before):
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


def _backwards(text: str) -> Iterator[re.Match[str]]:
    return reversed(list(re.finditer(r'"[^"\n]*"|#[^\n]*|[()]|[^\W\d]\w*', text)))


def split_glued(word: str, declared: Iterable[str] = ()) -> list[str] | None:
    """The parts of a word that has a keyword inside it, when all parts are words people use."""
    inner = {k for k in keywords() if not k.isascii()}
    known = {e.word for e in vocabulary.entries()} | set(declared)
    if word in known or word in inner or word.isascii() or len(word) > 40:
        return None
    split: dict[int, list[str] | None] = {len(word): []}
    for start in range(len(word) - 1, -1, -1):
        split[start] = None
        for end in range(len(word), start, -1):
            head, tail = word[start:end], split[end]
            if tail is not None and (head in known or head in inner or re.fullmatch(r"\d+(番|倍|分|颗|底)?", head)):
                split[start] = [head, *tail]
                break
    parts = split[0]
    return parts if parts and len(parts) > 1 and any(p in inner for p in parts) else None
