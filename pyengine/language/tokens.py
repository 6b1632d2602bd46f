"""The tokens of a text, as lark's contextual lexer finds them, with fewer steps for each.

Lines and columns are not counted, all blanks between two tokens are skipped at once, whether a name is a keyword is
looked up, and states that look for the same share a pattern.  Which terminals may stand where is lark's to say, and
what stands where none may.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from lark import Lark, Token


class Scan(NamedTuple):
    """What is looked for in one state: terminals, and which texts of a terminal are keywords there."""

    match: Callable[[str, int], re.Match[str] | None]
    words: dict[str, dict[str, str]]


class Scans(dict[Any, Scan]):
    """By the state of the parser, made when it is first reached."""

    def __init__(self, parser: Lark) -> None:
        lexer: Any = parser.parse_interactive("").lexer_thread.lexer
        ignored = lexer.root_lexer.ignore_types
        blanks = [t.pattern.to_regexp() for t in parser.terminals if t.name in ignored]
        self.blanks = re.compile(f"(?:{'|'.join(blanks)})*")
        self._lexers: dict[Any, Any] = lexer.lexers
        texts = [t for t in parser.terminals if t.pattern.type == "str"]
        others = [t for t in parser.terminals if t.pattern.type != "str"]
        # A text that another terminal of its rank would match as a whole is looked up once that has matched.
        self._words = {
            other.name: {t.pattern.value: t.name for t in texts if t.priority == other.priority and is_whole(t)}
            for other in others
            for is_whole in [_wholly(other)]
        }
        self._shared: dict[tuple[str, ...], Any] = {}

    def __missing__(self, state: Any) -> Scan:
        terminals = self._lexers[state].terminals  # in the order in which they are tried
        here = {t.name for t in terminals}
        words = {
            name: {text: word for text, word in self._words[name].items() if word in here}
            for name in here & self._words.keys()
        }
        found = {word for own in words.values() for word in own.values()}
        tried = [t for t in terminals if t.name not in found]
        names = tuple(t.name for t in tried)
        if names not in self._shared:
            self._shared[names] = re.compile("|".join(f"(?P<{t.name}>{t.pattern.to_regexp()})" for t in tried)).match
        scan = self[state] = Scan(self._shared[names], {name: own for name, own in words.items() if own})
        return scan


def _wholly(terminal: Any) -> Callable[[Any], bool]:
    """Whether a text of another is one of a terminal."""
    match = re.compile(terminal.pattern.to_regexp()).match

    def is_whole(other: Any) -> bool:
        found = match(other.pattern.value)
        return found is not None and found.group() == other.pattern.value

    return is_whole


def tokens(code: str, lexing: Any, scans: Scans, stack: Any) -> Iterator[Token]:
    """The tokens from where lark's `lexing` stands on; `stack` tells the state of the parser.

    What is no token there raises what lark would.
    """
    counter, states = lexing.state.line_ctr, stack.states
    skip, end = scans.blanks.match, len(code)
    at: int = counter.char_pos
    while True:
        blanks = skip(code, at)
        at = blanks.end() if blanks else at
        if at == end:
            return
        match, words = scans[states[-1]]
        found = match(code, at)
        if found is None:
            counter.char_pos = at
            yield from lexing.lex(stack)
            return
        value, terminal, start = found.group(), found.lastgroup or "", at
        at += len(value)
        if terminal in words:
            terminal = words[terminal].get(value, terminal)
        yield Token(terminal, value, start, None, None, None, None, at)
