"""The tokens of a text, by lark's contextual lexer with fewer steps for each.

Lines and columns are not counted, all blanks between two tokens are skipped at once, and whether a name is a keyword is
looked up.  What a text may hold where is lark's to say: its lexers are asked which terminal stands where.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from lark import Lark, Token

Match = Callable[[Any, int], "tuple[str, str] | None"]


class Scan(NamedTuple):
    """What is looked for in one state: by terminals, and which texts of a terminal are keywords."""

    match: Match
    words: dict[str, dict[str, str]]


class Scans(dict[Any, Scan]):
    """By the state of the parser, made when it is first reached."""

    def __init__(self, parser: Lark) -> None:
        lexer: Any = parser.parse_interactive("").lexer_thread.lexer
        ignored = lexer.root_lexer.ignore_types
        blanks = [t.pattern.to_regexp() for t in parser.terminals if t.name in ignored]
        self.blanks = re.compile(f"(?:{'|'.join(blanks)})*")
        self._lexers: dict[Any, Any] = lexer.lexers

    def __missing__(self, state: Any) -> Scan:
        lexer = self._lexers[state]
        match = lexer.scanner.match  # Making the scanner makes the callbacks, too.
        words = {
            terminal: {keyword.pattern.value: keyword.name for keyword in unless.scanner.terminals}
            for terminal, unless in lexer.callback.items()
        }
        scan = self[state] = Scan(match, words)
        return scan


def tokens(code: str, lexing: Any, scans: Scans, stack: Any) -> Iterator[Token]:
    """The tokens from where lark's `lexing` stands on; `stack` tells the state of the parser.

    What is no token there raises what lark would.
    """
    text, counter, states = lexing.state.text, lexing.state.line_ctr, stack.states
    skip, end = scans.blanks.match, len(code)
    at: int = counter.char_pos
    while True:
        blanks = skip(code, at)
        at = blanks.end() if blanks else at
        if at == end:
            return
        match, words = scans[states[-1]]
        found = match(text, at)
        if found is None:
            counter.char_pos = at
            yield from lexing.lex(stack)
            return
        value, terminal = found
        start, at = at, at + len(value)
        if terminal in words:
            terminal = words[terminal].get(value, terminal)
        yield Token(terminal, value, start, None, None, None, None, at)
