"""The tokens of a text, as lark's contextual lexer finds them, with fewer steps for each.

Lines and columns are not counted, all blanks between two tokens are skipped at once, whether a name is a keyword is
looked up, and states that look for the same share a pattern.  Which terminals may stand where is lark's to say, and
what stands where none may.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from lark import Lark, Token

from pyengine.language.stack import Stack


class Terminal(NamedTuple):
    """A kind of token: what it looks like, and its text if it is always the same."""

    name: str
    pattern: str
    text: str | None
    priority: int


class Lexicon(NamedTuple):
    """The terminals of a parser, and in which order they are tried in each of its states."""

    terminals: dict[str, Terminal]
    tried: dict[int, tuple[str, ...]]
    blanks: str


def lexicon_of(parser: Lark) -> Lexicon:
    """What the scans need of a parser."""
    lexer: Any = parser.parse_interactive("").lexer_thread.lexer
    terminals = {}
    for told in parser.terminals:
        text = told.pattern.value if told.pattern.type == "str" else None
        terminals[told.name] = Terminal(told.name, told.pattern.to_regexp(), text, told.priority)
    tried = {state: tuple(t.name for t in own.terminals) for state, own in lexer.lexers.items()}
    blanks = [t.pattern for name, t in terminals.items() if name in lexer.root_lexer.ignore_types]
    return Lexicon(terminals, tried, f"(?:{'|'.join(blanks)})*")


class Scan(NamedTuple):
    """What is looked for in one state: terminals, and which texts of a terminal are keywords there."""

    match: Callable[[str, int], re.Match[str] | None]
    words: dict[str, dict[str, str]]


class Scans(dict[int, Scan]):
    """By the state of the parser, made when it is first reached."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.blanks = re.compile(lexicon.blanks)
        self._lexicon = lexicon
        texts = [(t.name, t.text, t.priority) for t in lexicon.terminals.values() if t.text is not None]
        # A text that another terminal of its rank would match as a whole is looked up once that has matched.
        self._words = {
            other.name: {text: name for name, text, priority in texts if priority == other.priority and is_whole(text)}
            for other in lexicon.terminals.values()
            if other.text is None
            for is_whole in [_wholly(other)]
        }
        self._shared: dict[tuple[str, ...], Any] = {}

    def __missing__(self, state: int) -> Scan:
        here = self._lexicon.tried[state]
        words = {
            name: {text: word for text, word in self._words[name].items() if word in here}
            for name in here
            if name in self._words
        }
        found = {word for own in words.values() for word in own.values()}
        tried = tuple(name for name in here if name not in found)
        if tried not in self._shared:
            patterns = (f"(?P<{name}>{self._lexicon.terminals[name].pattern})" for name in tried)
            self._shared[tried] = re.compile("|".join(patterns)).match
        scan = self[state] = Scan(self._shared[tried], {name: own for name, own in words.items() if own})
        return scan


def _wholly(terminal: Terminal) -> Callable[[str], bool]:
    """Whether a text is one of a terminal."""
    match = re.compile(terminal.pattern).match

    def is_whole(text: str) -> bool:
        found = match(text)
        return found is not None and found.group() == text

    return is_whole


def tokens(
    code: str, at: int, scans: Scans, stack: Stack, otherwise: Callable[[int], Iterable[Token]]
) -> Iterator[Token]:
    """The tokens from a place on; `stack` tells the state of the parser.

    Where none is found, lark's from that place on take over: `otherwise` has them, and raises what lark would.
    """
    skip, end, states = scans.blanks.match, len(code), stack.states
    while True:
        blanks = skip(code, at)
        at = blanks.end() if blanks else at
        if at == end:
            return
        match, words = scans[states[-1]]
        found = match(code, at)
        if found is None:
            yield from otherwise(at)
            return
        value, terminal, start = found.group(), found.lastgroup or "", at
        at += len(value)
        if terminal in words:
            terminal = words[terminal].get(value, terminal)
        yield Token(terminal, value, start, None, None, None, None, at)
