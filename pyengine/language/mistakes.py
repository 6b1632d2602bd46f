"""What a parse error means to its author: the diagnostic that tells most about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lark import Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from pyengine.language import vocabulary
from pyengine.language.diagnostics import Diagnostic, Related, closest, same_thing
from pyengine.language.patterns import as_group, token_kinds
from pyengine.language.source import Source, Span
from pyengine.language.syntax import declaration_words, keyword_pairs, keywords, spelling_of

MAX_SHOWN = 14

_UNIT = re.compile(r"番|倍|分|颗|底|fan|x|pt|base")
_AND, _OR = ("且", "and"), ("或", "or")
# Characters of other notations, and what they are here; empty where nothing is.
_QUOTES, _SIGNS = "'‘’「」『』《》", {"—": "-", "–": "-", ";": ",", "{": "(", "}": ")", "〔": "[", "〕": "]", "∶": ":"}
_MEANT = {
    **{"。": "", "&": "且", "＆": "且", "!": "非", "！": "非", "~": "..", "～": ".."},
    **{"﹤": "<", "﹥": ">", "≦": "<=", "≧": ">="},
    **_SIGNS,
    **dict.fromkeys(_QUOTES, '"'),
}


def diagnose(
    error: UnexpectedInput, source: Source, begin: int, previous: Token | None, accepted: set[str], apart: bool
) -> Diagnostic:
    """The diagnostic of a parse error in the declaration that begins at `begin`.

    `previous` is the token before; `accepted` are the terminals that could have stood here; `apart`:
    the declaration before is complete, and this starts a line.
    """
    return _Mistake(error, source, begin, previous, accepted, apart).diagnostic()


class _Mistake:
    def __init__(
        self,
        error: UnexpectedInput,
        source: Source,
        begin: int,
        previous: Token | None,
        accepted: set[str],
        apart: bool,
    ) -> None:
        self.source, self.code, self.previous = source, source.code, previous
        self.accepted, self.apart = accepted, apart
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
        self.english = re.search(r"^[ \t]*ruleset\b", self.code, re.MULTILINE) is not None

    def span(self, start: int, end: int) -> Span:
        return Span(self.source, start, end)

    @property
    def here(self) -> Span:
        return self.span(self.start, self.end)

    def diagnostic(self) -> Diagnostic:
        if self.type == "$END" and self.previous is None and self.begin == 0:
            return Diagnostic("E116", self.span(0, 0))
        tries = (
            *(self.string, self.tiles, self.bare_tiles, self.number, self.glued, self.logic, self.bracket, self.sign),
            *(self.no_head, self.bare_pattern, self.bare_field),
        )
        for attempt in tries:
            found = attempt()
            if found:
                return found
        if not self.type:
            return Diagnostic("E118", self.here, {"character": self.here.text})
        if self.is_next():
            at = self.span(self.previous.start_pos or 0, self.previous.end_pos or 0) if self.previous else self.here
            if self.expected() == (",",):  # Only where things are listed of which there must be several.
                return Diagnostic("E136", at)
            return Diagnostic("E102", at, {"expected": self.expected()})
        if self.text in ("规则", "ruleset"):
            return Diagnostic("E122", self.here)
        suggest = closest(self.text, self.words())
        if self.apart:
            return Diagnostic("E119", self.here, {"found": self.text}, (), suggest)
        return self.out_of_place(suggest)

    def out_of_place(self, suggest: tuple[str, ...]) -> Diagnostic:
        """A word or sign where others should stand."""
        before, expected = self.previous, self.expected()
        named = before is not None and before.type == "NAME"
        if before and named and self.type in ("NAME", "INT"):
            meant = same_thing(str(before), [k for k in keywords() if k.isascii() == before.isascii()])
            if meant and not vocabulary.find(str(before), *{entry.kind for entry in vocabulary.entries()}):
                place = self.span(before.start_pos or 0, before.end_pos or 0)
                return Diagnostic("E131", place, {"found": str(before)}, (), meant[:3])
        if self.previous and spelling_of().get(self.previous.type) in ("改", "override", "删", "drop"):
            if self.type == "NAME":
                return Diagnostic("E130", self.here, {"found": self.text, "expected": expected})
        if self.type == "STRING" and "NAME" in self.accepted:
            return Diagnostic("E132", self.here, {"found": self.here.text}, (), (self.text.strip('"'),))
        asked = re.search(r"(\S+)\s+(?:是|is|不是|is_not)\s*$", self.before)
        if asked and self.type in ("INT", "AMOUNT"):
            subject = self.begin + asked.start(1)
            return Diagnostic("E339", self.span(subject, subject + len(asked[1])), {"name": asked[1]})
        if self.accepted == {"STRING"}:
            run = re.compile(r"[^\s\"]+").match(self.source.text, self.start)
            end = run.end() if run else self.end
            text = self.source.text[self.start : end]
            return Diagnostic("E126", self.span(self.start, end), {"found": text}, (), (f'"{text}"',))
        missing = expected[0] if len(expected) == 1 else "," if named and "," in expected else ""
        if before and before.type == "INT" and "*" in expected and self.type == "NAME":
            missing = "×"
        if missing and not suggest and missing not in keywords() and not missing.startswith("token."):
            if re.match(r"\w", self.text):
                return Diagnostic("E129", self.here, {"found": self.text, "expected": missing})
            suggest = (missing,)
        return Diagnostic("E101", self.here, {"found": self.here.text, "expected": expected}, (), suggest)

    # ---- particular mistakes ----

    def string(self) -> Diagnostic | None:
        if self.text[:1] not in ('"', "“", "”") or self.type:
            return None
        line_end = self.code.find("\n", self.start)
        end = len(self.code) if line_end < 0 else line_end
        return Diagnostic("E108", self.span(self.start, self.start + len(self.code[self.start : end].rstrip())))

    def tiles(self) -> Diagnostic | None:
        """A tile that is none, inside brackets or behind 胡."""
        inside = self.before.rfind("[") > self.before.rfind("]")
        if inside and self.text == ",":
            return Diagnostic("E127", self.here)
        if not (inside or self.accepted == {"TILES"}) or not re.match(r"\w", self.text):
            return None
        if self.text in keywords() and (self.is_next() or "RSQB" in self.accepted):
            return None  # The bracket was not closed.
        whole = re.compile(r"\w+(?: +[万筒条字饼索mpsz](?!\w))?").match(self.code, self.start)
        assert whole
        meant = _as_tiles(whole.group())
        return Diagnostic("E105", self.span(self.start, whole.end()), {"tiles": whole.group()}, (), meant)

    def bare_tiles(self) -> Diagnostic | None:
        """Tiles without brackets where a set of them can stand: the lexer may have read their ranks as a number."""
        before = self.previous
        cut = before is not None and before.type == "INT" and before.end_pos == self.start
        start = (before.start_pos or 0) if before and cut else self.start
        word = r"[1-9]+[万筒条字mpsz]|[东南西北中发白]+"
        found = re.compile(rf"(?:{word})(?!\w)(?:[ /]+(?:{word})(?!\w))*").match(self.code, start)
        asked = re.search(r"(?:[是含]|\b(?:is|is_not|all_are|has|all_have))\s+$", self.code[self.begin : start])
        if found is None or not (asked if cut else "LSQB" in self.accepted):
            return None
        tiles = " ".join(re.split(r"[ /]+", found.group()))
        return Diagnostic("E128", self.span(start, found.end()), {"tiles": tiles}, (), (f"[{tiles}]",))

    def bare_pattern(self) -> Diagnostic | None:
        """A bracket of tiles without the domain whose members are looked at."""
        before = spelling_of().get(self.previous.type, "") if self.previous else ""
        among = before in ("有", "some", "几个", "count", "每个", "each")
        if self.text != "[" or not (among or {"有", "some"} & set(self.spelled())):
            return None
        found = re.compile(r"\[([^]\n]*)\](?:\s*(?:换色|移位|any_suit|shifted))*").match(self.code, self.start)
        if found is None:
            return None
        quantifier = before if among else self.in_language("有")
        kinds = [token_kinds(token) for token in found[1].split()]
        is_pattern = quantifier in ("有", "some") and all(kind and as_group(kind) for kind in kinds)
        domain = vocabulary.find("group" if is_pattern else "tile", "domain")
        assert domain
        words = [quantifier, domain.english if self.english else domain.word, found.group()]
        if not is_pattern:
            words.insert(2, self.in_language("是"))
        return Diagnostic("E133", self.span(self.start, found.end()), {}, (), (" ".join(words),))

    def bare_field(self) -> Diagnostic | None:
        """A number of each kind without 其."""
        whose = self.in_language("其")
        if self.type != "NAME" or not vocabulary.find(self.text, "field") or whose not in self.spelled():
            return None
        domain = self.previous if self.previous and self.previous.type == "NAME" else ""
        facts = {"found": self.text, "expected": whose}
        return Diagnostic("E129", self.here, facts, (), (f"{domain} {whose} {self.text}".strip(),))

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
        if whole is None or whole.end() < self.end or self.parts(whole.group()) or self.type in ("TILES", "AMOUNT"):
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
        if word in keywords() or any(word in (entry.word, *entry.aliases) for entry in vocabulary.entries()):
            return None
        keyword = max((k for k in keywords() if word.startswith(k) and word != k), key=len, default="")
        rest = word[len(keyword) :]
        if keyword and keyword in self.spelled() and not (keyword.isascii() and rest[0].isascii()):
            return [keyword, *(split_glued(rest, _declared(self.code)) or [rest])]
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
        if self.text == wanted and self.before.rstrip().endswith(bracket):
            whole = self.span(self.begin + opened, self.end)
            return Diagnostic("E135", whole, {"brackets": bracket + wanted})
        if self.text in (")", "]") and self.text != wanted:
            facts = {"bracket": bracket, "wanted": wanted}
            return Diagnostic("E107", self.here, facts, (self.opening(opened),), (wanted,))
        among_tiles = bracket == "[" and not re.match(r"\w", self.text)
        at_keyword = self.text in keywords() and wanted in self.expected()
        if self.type == "$END" or self.is_next() or among_tiles or at_keyword:
            return Diagnostic("E107", self.opening(opened).span, {"bracket": bracket, "wanted": wanted})
        return None

    def opening(self, opened: int) -> Related:
        return Related(self.span(self.begin + opened, self.begin + opened + 1), "opened")

    def sign(self) -> Diagnostic | None:
        """A sign of another notation."""
        if self.type == "$END":
            return None
        text = self.source.text[self.start]
        before = self.code[self.start - 1 : self.start]
        if self.code.startswith("//", self.start):
            return Diagnostic("E118", self.span(self.start, self.start + 2), {"character": "//"}, (), ("#",))
        if text in "/／÷%％":
            return Diagnostic("E109", self.here)
        if self.text in ("的", "'s"):
            return Diagnostic("E124", self.here)
        fraction = re.compile(r"\d+\.\d+\w*").match(self.code, self.previous.start_pos or 0) if self.previous else None
        if fraction and fraction.end() > self.start:
            return Diagnostic("E137", self.span(fraction.start(), fraction.end()), {"number": fraction.group()})
        if self.text in ("=", "|", "*") and before == self.text:
            twice = self.in_language({"=": "=", "|": "或", "*": "^"}[self.text])
            return Diagnostic("E118", self.span(self.start - 1, self.end), {"character": self.text * 2}, (), (twice,))
        if self.text in _MEANT and not self.type:
            end = self.end + (self.code[self.end : self.end + 1] == self.text)
            facts = {"character": self.source.text[self.start : end]}
            meant = self.in_language(_MEANT[self.text])
            return Diagnostic("E118", self.span(self.start, end), facts, (), (meant,) if meant else ())
        return None

    def in_language(self, word: str) -> str:
        return keyword_pairs().get(word, word) if self.english else word

    def no_head(self) -> Diagnostic | None:
        if self.accepted <= {name for name, text in spelling_of().items() if text in ("规则", "ruleset")}:
            return Diagnostic("E121", self.here, {"found": self.text}, (), closest(self.text, ("规则", "ruleset")))
        return None

    # ---- what could have stood here ----

    def is_next(self) -> bool:
        """Whether the text ends here, or a declaration starts, where the one before should go on."""
        line = self.code.rfind("\n", 0, self.start) + 1
        starts = self.text in declaration_words() and not self.code[line : self.start].strip()
        return self.type == "$END" or starts

    def spelled(self) -> list[str]:
        """The terminals that could have stood here as they are written, others by their names."""
        return [spelling_of().get(name, name) for name in self.accepted if name != "$END"]

    def words(self) -> list[str]:
        """The keywords that could have stood here, in the script of the word found; declarations start lines."""
        words = keywords() if self.apart else keywords() - declaration_words()
        return [word for word in self.spelled() if word in words and word.isascii() == self.text.isascii()]

    def expected(self) -> tuple[str, ...]:
        """What could have stood here in the file's language, declarations that could begin left out."""
        shown = [t for t in self.spelled() if t not in keywords() or t.isascii() == self.english]
        if "OP" in shown:
            shown.remove("=")  # It is shown among the signs that compare.
        inner = [word for word in shown if word not in declaration_words()]
        shown = sorted(inner or shown, key=_in_order)
        return tuple(f"token.{word}" if word in _TOKENS else word for word in shown[:MAX_SHOWN])


_TOKENS = ("NAME", "INT", "AMOUNT", "STRING", "TILES", "OP", "VERSION")


def _in_order(word: str) -> tuple[int, int, str]:
    """Names and amounts first, then keywords as the grammar lists them, then signs."""
    if word in _TOKENS:
        return (0 if word != "OP" else 2), _TOKENS.index(word), ""
    return (1, list(keyword_pairs()).index(word), "") if word in keywords() else (2, 99, word)


def _as_tiles(text: str) -> tuple[str, ...]:
    """Tiles written in another notation, as they are written here."""
    suits = {"饼": "筒", "索": "条", "萬": "万", "餅": "筒", "條": "条", "筒": "筒", "条": "条", "万": "万", "字": "字"}
    found = re.fullmatch(r"([1-9一二三四五六七八九]+) *([mpsz]|[" + "".join(suits) + "])子?", text)
    if found is None:
        return ()
    return (found[1].translate(str.maketrans("一二三四五六七八九", "123456789")) + suits.get(found[2], found[2]),)


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


# Keywords that join words; others, such as 胡 and 牌, are parts of many names.
_JOINING = frozenset(
    "且 或 非 若 则 否则 当 付 退 转 随 给 记 平分 连已转 不计 每个 几个".split()
    + "有 是 不是 含 其 都 都是 都含 换色 移位".split()
)


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
    return parts if parts and len(parts) > 1 and any(p in _JOINING for p in parts) else None
