"""From the flows of a rule set to the kernel's settlement program.

Registers hold one value for each seat; what does not differ between seats stands in all of them.
Everything an event asks is computed when it starts, then its lines post.  What asks about the payer
of a pair is computed again for each payer, in the line's pair code.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from pyengine.engine.ledger import LedgerOracle
from pyengine.engine.program import Op, TooLarge
from pyengine.engine.table import KONGS, MANY_TILES
from pyengine.language import core as c
from pyengine.language.source import Span
from pyengine.language.specialise import Folder, Nowhere

EVENTS = "concealed_kong direct_kong added_kong self_draw discard_win robbed_kong false_win drawn hand_over".split()
WORDS = {
    name: number
    for number, name in enumerate(
        """winner discarder konger feeder offender nearest first_winner first_discarder dealer
        prev_seat across_seat next_seat unwon won in_play ready not_ready pig
        self_draw discard_win robbed_kong after_kong kong_chain last_tile first_turn at_once drawn stated
        kong_kind best_call least_call worth stance""".split()
    )
}
_STATE_WORDS = [WORDS[word] for word in ("ready", "not_ready", "pig", "best_call", "least_call")]
_NUMBERS = ("kong_kind", "best_call", "least_call", "worth", "stance")
_OPS = {
    name: number
    for number, name in enumerate(
        "word constant add sub mul pow min max eq ne lt le and or not select count payer".split()
    )
}
VERBS = ("pay", "refund", "forward", "mirror")
NO_REGISTER = 65535
OUTSIDE = 4
NONE = 255
THIS_KONG = 255
# What the kernel holds at most (csrc/mj.h): of one event steps, constants of all events among them; lines; tags.
_ROOM = {"steps": 1000, "lines": 512, "funds": 254}
# Each comparison as an instruction, and whether its sides change places.
_COMPARE = {
    "=": ("eq", False),
    "!=": ("ne", False),
    "<": ("lt", False),
    "<=": ("le", False),
    ">": ("lt", True),
    ">=": ("le", True),
}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a flow in numbers (mj_line), and where it stands in the rule file."""

    verb: int
    party_account: int
    other_account: int
    each_party: bool
    each_other: bool
    tag: int
    moved: bool
    evenly: bool
    party: int
    other: int
    when: int
    amount: int
    pair_code: tuple[int, int]
    flow: str
    number: int
    span: Span


Firing = tuple[int, int, int, int]
"""First instruction and how many, first line and how many."""


@dataclass(frozen=True)
class FlowProgram:
    """The settlement of a rule set as numbers."""

    winners_stay: bool
    first_win_ends: bool
    firings: tuple[Firing, ...]
    over: Firing
    next_dealer: Firing
    is_over: int
    dealer_next: int
    constants: tuple[int, ...]
    code: tuple[Op, ...]
    lines: tuple[Line, ...]
    n_registers: int
    tags: tuple[str, ...]  # tag number 1 is the first
    stances: tuple[str, ...]
    asks_states: bool  # some flow reads how seats stand at the end
    asks_horses: bool  # some flow has horses win and lose with a seat
    values_settle: bool  # stated values can be turned into money: 胡分 asks nothing else of a hand


def lower_flows(oracle: LedgerOracle) -> FlowProgram:
    """The settlement program of the rule set that an oracle settles by; TooLarge where the kernel has no room."""
    return _Flows(oracle).program()


@dataclass
class _Block:
    """The code of one firing; equal expressions share a register."""

    code: list[Op] = field(default_factory=list)
    known: dict[tuple[int, int, int, int], int] = field(default_factory=dict)
    lets: dict[str, int] = field(default_factory=dict)
    pair: list[Op] | None = None
    pair_known: dict[tuple[int, int, int, int], int] = field(default_factory=dict)
    pair_lets: dict[str, int] = field(default_factory=dict)
    pair_registers: set[int] = field(default_factory=set)
    next: int = 0


class NotOfTheTable(Exception):
    """An expression that asks about tiles, where only the table is known."""


class _Flows:
    def __init__(self, oracle: LedgerOracle) -> None:
        self.oracle = oracle
        self.rules = oracle.rules
        self.folder = Folder(self.rules, oracle.values, self.rules.told)
        self.constants: dict[int, int] = {}
        self.code: list[Op] = []
        self.lines: list[Line] = []
        self.tags: dict[str, int] = {}
        self.stances = {name: n for n, name in enumerate(self.rules.stances)}
        self.block = _Block()
        self.n_registers = 1
        self.values_settle = self._values_settle()

    def _values_settle(self) -> bool:
        """Whether 胡分 can be worked out from 牌值 and the event alone."""
        money = self.rules.let("win_money")
        if money is None or "hand_value" not in self.rules.reserved:
            return False
        try:
            self.lower(self.folder.some(money.value))
        except NotOfTheTable:
            return False
        finally:
            self.block = _Block()
        return True

    def program(self) -> FlowProgram:
        firings = tuple(self.firing(event) for event in EVENTS)
        over, is_over = self.alone("hand_over")
        dealer, dealer_next = self.alone("next_dealer")
        return FlowProgram(
            self.oracle.stays,
            self.oracle.first_win_ends,
            firings,
            over,
            dealer,
            is_over if is_over is not None else NO_REGISTER,
            dealer_next if dealer_next is not None else NO_REGISTER,
            tuple(self.constants),
            tuple(self.code),
            tuple(self.lines),
            self.n_registers,
            tuple(self.tags),
            tuple(self.stances),
            any(op[0] == _OPS["word"] and op[2] in _STATE_WORDS for op in self.code),
            any(VERBS[line.verb] == "mirror" for line in self.lines),
            self.values_settle,
        )

    def firing(self, event: str) -> Firing:
        self.block = _Block()
        first_line = len(self.lines)
        lines: list[tuple[Line, list[Op]]] = []
        for flow in self.oracle.flows_of(event):
            for number, transfer in enumerate(flow.transfers):
                lines += self.line(flow, number, transfer)
                self.look_for_room(flow.span, lines)
        begin = len(self.code)
        self.code += self.block.code
        length = len(self.code) - begin
        for line, pair in lines:
            self.lines.append(replace(line, pair_code=(len(self.code), len(pair)) if pair else (0, 0)))
            self.code += pair
        self.n_registers = max(self.n_registers, self.block.next)
        return begin, length, first_line, len(self.lines) - first_line

    def look_for_room(self, place: Span, lines: list[tuple[Line, list[Op]]]) -> None:
        steps = len(self.constants) + len(self.block.code) + max((len(pair) for _, pair in lines), default=0)
        counts = {"steps": steps, "lines": len(self.lines) + len(lines), "funds": len(self.tags)}
        for what, limit in _ROOM.items():
            if counts[what] > limit:
                raise TooLarge(place, what, counts[what], limit)

    def alone(self, reserved: str) -> tuple[Firing, int | None]:
        """The code of a reserved let by itself, and the register with its value."""
        let = self.rules.let(reserved)
        if let is None and reserved == "next_dealer":
            return (0, 0, 0, 0), None
        self.block = _Block()
        register = self.truth(self.folder.fold(let.value)) if let else self.constant_truth(False)
        if let:
            self.look_for_room(let.span, [])
        begin = len(self.code)
        self.code += self.block.code
        self.n_registers = max(self.n_registers, self.block.next)
        return (begin, len(self.code) - begin, 0, 0), register

    # ---- lines ----

    def line(self, flow: c.Flow, number: int, transfer: c.Transfer) -> list[tuple[Line, list[Op]]]:
        """A line of a flow; more than one where conditions choose its fund, none where it never acts."""
        conditions = [self.folder.fold(e) for e in (flow.when, transfer.when) if e is not None]
        if any(isinstance(e, c.Truth) and not e.value for e in conditions):
            return []
        conditions = [e for e in conditions if not isinstance(e, c.Truth)]
        funds = self.funds(transfer.fund) if transfer.fund else [([], None)]
        made = []
        for extra, tag in funds:
            self.block.pair, self.block.pair_known, self.block.pair_lets = [], {}, {}
            party, party_account = self.party(transfer.party)
            other, other_account = self.party(transfer.other) if transfer.other else (NO_REGISTER, NONE)
            amount = self.lower(self.folder.some(transfer.amount)) if transfer.amount else NO_REGISTER
            whens = [self.truth(e) for e in [*conditions, *extra]]
            when = self.all_of(whens) if whens else NO_REGISTER
            if transfer.verb == "pay":
                fund = self.tag(transfer.tag) if transfer.tag else 0
            else:
                fund = THIS_KONG if tag is None else self.tag(tag)
            made.append(
                (
                    Line(
                        VERBS.index(transfer.verb),
                        party_account,
                        other_account,
                        transfer.party.each,
                        bool(transfer.other and transfer.other.each),
                        0 if transfer.verb == "mirror" else fund,
                        transfer.moved,
                        transfer.evenly,
                        party,
                        other,
                        when,
                        amount,
                        (0, 0),
                        flow.name,
                        number,
                        transfer.span,
                    ),
                    self.block.pair,
                )
            )
        self.block.pair = None
        return made

    def tag(self, name: str) -> int:
        return self.tags.setdefault(name, len(self.tags) + 1)

    def funds(self, fund: c.Fund) -> list[tuple[list[c.Expr], str | None]]:
        """Each fund that conditions may choose, with the conditions under which it is the one."""
        found: list[tuple[list[c.Expr], str | None]] = []
        before: list[c.Expr] = []
        for condition, tag in fund.choices:
            folded = self.folder.fold(condition) if condition else c.Truth(fund.span, True)
            if isinstance(folded, c.Truth):
                if folded.value:
                    found.append((list(before), tag))
                    break
                continue
            found.append(([*before, folded], tag))
            before.append(c.Not(folded.span, folded))
        return found

    def party(self, party: c.Party) -> tuple[int, int]:
        """The register of a set of seats, or the account instead."""
        if party.seats is None:
            # Horses and the seats they are bound to are known to the kernel: MIRROR needs no party.
            return NO_REGISTER, OUTSIDE if party.account == "outside" else NONE
        return self.truth(self.folder.fold(party.seats)), NONE

    # ---- registers ----

    def op(self, name: str, a: int, b: int = 0, d: int = 0) -> int:
        key = (_OPS[name], a, b, d)
        block = self.block
        operands = () if name in ("word", "constant") else (a, b, d)[: _ARITY[name]]
        in_pair = name == "payer" or any(n in block.pair_registers for n in operands)
        known = block.pair_known if in_pair else block.known
        if key in known:
            return known[key]
        register = block.next
        block.next += 1
        if in_pair:
            if block.pair is None:
                raise NotOfTheTable
            block.pair_registers.add(register)
            block.pair.append((_OPS[name], register, a, b, d))
        else:
            block.code.append((_OPS[name], register, a, b, d))
        known[key] = register
        return register

    def constant(self, value: int) -> int:
        return self.op("constant", self.constants.setdefault(value, len(self.constants)))

    def constant_truth(self, value: bool) -> int:
        return self.op("eq", self.constant(1), self.constant(1 if value else 0))

    def all_of(self, registers: Iterable[int], name: str = "and") -> int:
        first, *rest = registers
        for register in rest:
            first = self.op(name, first, register)
        return first

    # ---- expressions ----

    def truth(self, expr: c.Expr) -> int:
        return self.lower(expr)

    def lower(self, expr: c.Expr) -> int:
        match expr:
            case c.Number():
                return self.constant(expr.value)
            case c.Truth():
                return self.constant_truth(expr.value)
            case c.OptionRef() | c.OptionIs():
                return self.lower(self.folder.fold(expr))
            case c.Word():
                return self.word(expr)
            case c.StanceRef():
                number = self.op("word", WORDS["stance"] + self.stances[expr.name])
                is_truth = self.rules.stances[expr.name].is_truth
                declared = self.op("ne", number, self.constant(0)) if is_truth else number
                return self.owned(declared, expr.owner, is_truth)
            case c.LetRef():
                return self.let(expr)
            case c.Arithmetic():
                name = {"+": "add", "-": "sub", "*": "mul", "^": "pow"}[expr.operator]
                return self.op(name, self.lower(expr.left), self.lower(expr.right))
            case c.Compare():
                name, swapped = _COMPARE[expr.operator]
                left, right = self.lower(expr.left), self.lower(expr.right)
                return self.op(name, right, left) if swapped else self.op(name, left, right)
            case c.Extremum():
                return self.all_of([self.lower(a) for a in expr.arguments], expr.function)
            case c.SymbolIs() if expr.symbol == "kong_kind":
                kind = self.op("word", WORDS["kong_kind"])
                among = [self.op("eq", kind, self.constant(KONGS.index(v) + 1)) for v in expr.values]
                register = self.all_of(among, "or")
                return self.op("not", register) if expr.negated else register
            case c.CountSeats():
                return self.op("count", self.truth(expr.seats))
            case c.Logic():
                return self.all_of([self.truth(part) for part in expr.parts], expr.operator)
            case c.Not():
                return self.op("not", self.truth(expr.part))
            case c.If():
                return self.op("select", *map(self.lower, (expr.condition, expr.then, expr.otherwise)))
        raise NotOfTheTable

    def word(self, expr: c.Word) -> int:
        if expr.name == "wall_left":
            drawn = self.op("word", WORDS["drawn"])
            return self.op("select", drawn, self.constant(0), self.constant(MANY_TILES))
        if expr.owner is None and expr.name in ("receiver", "payer"):
            return self.constant_truth(expr.name == "receiver")
        if expr.name not in WORDS:
            raise NotOfTheTable
        register = self.op("word", WORDS[expr.name])
        return self.owned(register, expr.owner, expr.name not in _NUMBERS)

    def owned(self, register: int, owner: str | None, is_truth: bool) -> int:
        """A word of the role that it is said to belong to."""
        if owner in (None, "receiver"):
            return register
        if owner == "payer":
            return self.op("payer", register)
        if not is_truth:
            raise NotOfTheTable  # The checker lets only truths belong to other roles.
        held = self.op("and", self.op("word", WORDS[owner or ""]), register)
        return self.op("lt", self.constant(0), self.op("count", held))

    def let(self, expr: c.LetRef) -> int:
        block = self.block
        register = block.lets.get(expr.name, block.pair_lets.get(expr.name))
        if register is None:
            register = self.let_value(expr.name)
            (block.pair_lets if register in block.pair_registers else block.lets)[expr.name] = register
        return self.owned(register, expr.owner, self.rules.lets[expr.name].type == "truth")

    def let_value(self, name: str) -> int:
        if name not in self.rules.told:
            self.folder.let(c.LetRef(self.rules.lets[name].span, name))
            folded = self.folder.lets[name]
            assert not isinstance(folded, Nowhere), "folding a name raises what its value does"
            return self.lower(folded)
        if name == self.rules.reserved.get("pig"):
            return self.op("word", WORDS["pig"])
        worth = self.op("word", WORDS["worth"])
        if name == self.rules.reserved.get("hand_value") or not self.values_settle:
            return worth
        stated = self.op("word", WORDS["stated"])
        return self.op("select", stated, self.lower(self.folder.some(self.rules.lets[name].value)), worth)


_ARITY = {"and": 2, "or": 2, "not": 1, "select": 3, "count": 1, "payer": 1} | dict.fromkeys(
    "add sub mul pow min max eq ne lt le".split(), 2
)
