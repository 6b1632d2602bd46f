"""The stack of an LALR parser over tables that lark made: tokens in, trees with their places out.

It does what lark's own does with the same tables and builders, in fewer steps: places are kept beside the stack
instead of being asked of every child, trees that are only passed through get none, and a token that is shifted
at once is not tried out first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedToken
from lark.parsers.lalr_analysis import Shift

END = "$END"


class Production(NamedTuple):
    """A rule of the grammar, to be reduced.

    size    how many symbols it takes
    name    what it makes
    build   makes a value of theirs
    vanishes  whether that becomes part of the tree around it, so that nobody asks where it stands
    """

    size: int
    name: str
    build: Any
    vanishes: bool


class Grammar(NamedTuple):
    """The tables of a parser, as plain as can be: they are saved and read in no time.

    table  by state, then by what comes next: the state that follows, or ~number of the production to be reduced by
    start, end  states
    """

    table: dict[int, dict[str, int]]
    productions: list[Production]
    start: int
    end: int

    def accepts(self, states: list[int], terminal: str) -> bool:
        """Whether a terminal may come next; `states` are used up."""
        while True:
            told = self.table[states[-1]].get(terminal)
            if told is None or told >= 0:
                return told is not None
            production = self.productions[~told]
            if production.size:
                del states[-production.size :]
            states.append(self.table[states[-1]][production.name])
            if terminal == END and states[-1] == self.end:
                return True


def grammar_of(parser: Lark) -> Grammar:
    """What the stack needs of a parser."""
    conf: Any = parser.parse_interactive("").parser_state.parse_conf
    # By identity: by value lark's rules are slow to look up.
    rules = {id(told): told for row in conf.states.values() for action, told in row.values() if action is not Shift}
    numbers = {number: place for place, number in enumerate(rules)}
    table = {
        state: {name: told if action is Shift else ~numbers[id(told)] for name, (action, told) in row.items()}
        for state, row in conf.states.items()
    }
    productions = [_production(rule, conf.callbacks[rule]) for rule in rules.values()]
    return Grammar(table, productions, conf.start_state, conf.end_state)


def _production(rule: Any, build: Any) -> Production:
    return Production(len(rule.expansion), rule.origin.name, build, rule.origin.name.startswith("_"))


class Saved(NamedTuple):
    """A stack as it was."""

    states: list[int]
    values: list[Any]
    places: list[tuple[int, int] | None]


class Stack:
    """The states of a parser, the values that have been made, and where each stands.

    `position` is read by lark's lexer, which looks only for what may come next.
    """

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self.states: list[int] = [grammar.start]
        self.values: list[Any] = []
        self.places: list[tuple[int, int] | None] = []

    @property
    def position(self) -> int:
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
        return self._grammar.accepts(list(self.states), terminal)

    def feed(self, token: Token) -> Tree[Token] | None:
        """Takes a token in; the whole tree when it is the end.  UnexpectedToken leaves the stack as it was."""
        states, values, places, grammar = self.states, self.values, self.places, self._grammar
        table, productions, terminal = grammar.table, grammar.productions, token.type
        told = table[states[-1]].get(terminal)
        if told is None or (told < 0 and not self.accepts(terminal)):
            raise refused(token)
        while told < 0:
            size, name, build, vanishes = productions[~told]
            place: tuple[int, int] | None = None
            if size == 1:
                value = build([values.pop()])
                place = places.pop()
                states.pop()
            elif size:
                value = build(values[-size:])
                spans = [span for span in places[-size:] if span]
                if spans:
                    place = spans[0][0], spans[-1][1]
                del states[-size:], values[-size:], places[-size:]
            else:
                value = build([])
            if isinstance(value, Tree):
                if place and not vanishes:
                    meta = value.meta
                    if meta.empty:  # A tree that is passed on as it is has a place of its own.
                        meta.start_pos, meta.end_pos = place
                        meta.empty = False
            else:
                place = _place(value) if isinstance(value, Token) else None
            top = table[states[-1]][name]
            states.append(top)
            values.append(value)
            places.append(place)
            if terminal == END and top == grammar.end:
                tree: Tree[Token] = value
                return tree
            told = table[top][terminal]
        states.append(told)
        values.append(token)
        places.append(_place(token))
        return None


def _place(token: Token) -> tuple[int, int]:
    return token.start_pos or 0, token.end_pos or 0


def refused(token: Token) -> UnexpectedToken:
    return UnexpectedToken(token, set())  # type: ignore[no-untyped-call]
