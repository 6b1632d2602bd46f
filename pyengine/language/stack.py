"""The stack of an LALR parser over lark's tables: tokens in, trees with their places out.

It does what lark's own does with the same tables and builders, in fewer steps: places are kept beside the stack
instead of being asked of every child, and only what a token is not shifted at once is tried out first.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedToken
from lark.parsers.lalr_analysis import Shift

END = "$END"


class Production(NamedTuple):
    """A rule of the grammar, to be reduced: how many symbols it takes, what it makes, and how."""

    size: int
    name: str
    build: Any


@cache
def _productions(parser: Lark) -> dict[int, Production]:
    """By the identity of lark's rules, which are slow to look up by value."""
    conf: Any = parser.parse_interactive("").parser_state.parse_conf
    found = [told for actions in conf.states.values() for action, told in actions.values() if action is not Shift]
    return {id(rule): Production(len(rule.expansion), rule.origin.name, conf.callbacks[rule]) for rule in found}


class Saved(NamedTuple):
    """A stack as it was."""

    states: list[Any]
    values: list[Any]
    places: list[tuple[int, int] | None]


class Stack:
    """The states of a parser, the values that have been made, and where each stands.

    `position` is read by lark's lexer, which looks only for what may come next.
    """

    def __init__(self, parser: Lark, conf: Any) -> None:
        self._table: Any = conf.states
        self._end: Any = conf.end_state
        self._productions = _productions(parser)
        self.states: list[Any] = [conf.start_state]
        self.values: list[Any] = []
        self.places: list[tuple[int, int] | None] = []

    @property
    def position(self) -> Any:
        return self.states[-1]

    def saved(self, without: int) -> Saved:
        """What there is but for so many of the last symbols."""
        return Saved(self.states[:-without], self.values[:-without], self.places[:-without])

    def restore(self, saved: Saved) -> None:
        self.states[:], self.values[:], self.places[:] = saved

    def clear(self) -> None:
        del self.states[1:], self.values[:], self.places[:]

    def accepts(self, terminal: str) -> bool:
        """Whether a terminal may come next."""
        return _advance(self._table, self._end, list(self.states), terminal)

    def feed(self, token: Token) -> Tree[Token] | None:
        """Takes a token in; the whole tree when it is the end.  UnexpectedToken leaves the stack as it was."""
        states, values, places, table = self.states, self.values, self.places, self._table
        terminal = token.type
        action, argument = table[states[-1]].get(terminal, (None, None))
        if action is not Shift and not self.accepts(terminal):
            raise refused(token)
        while action is not Shift:
            size, name, build = self._productions[id(argument)]
            place: tuple[int, int] | None = None
            if size:
                children = values[-size:]
                spans = [span for span in places[-size:] if span]
                if spans:
                    place = spans[0][0], spans[-1][1]
                del states[-size:], values[-size:], places[-size:]
            else:
                children = []
            value = build(children)
            if isinstance(value, Tree):
                meta = value.meta
                if place and meta.empty:  # A tree that is passed on as it is has a place of its own.
                    meta.start_pos, meta.end_pos = place
                    meta.empty = False
            else:
                place = _place(value) if isinstance(value, Token) else None
            states.append(table[states[-1]][name][1])
            values.append(value)
            places.append(place)
            if terminal == END and states[-1] == self._end:
                tree: Tree[Token] = value
                return tree
            action, argument = table[states[-1]][terminal]
        states.append(argument)
        values.append(token)
        places.append(_place(token))
        return None


def _advance(table: Any, end: Any, states: list[Any], terminal: str) -> bool:
    """Moves a stack of parser states over a terminal; False where it cannot stand there."""
    while True:
        action, argument = table[states[-1]].get(terminal, (None, None))
        if action is None:
            return False
        if action is Shift:
            return True
        if argument.expansion:
            del states[-len(argument.expansion) :]
        states.append(table[states[-1]][argument.origin.name][1])
        if terminal == END and states[-1] == end:
            return True


def _place(token: Token) -> tuple[int, int]:
    return token.start_pos or 0, token.end_pos or 0


def refused(token: Token) -> UnexpectedToken:
    return UnexpectedToken(token, set())  # type: ignore[no-untyped-call]
