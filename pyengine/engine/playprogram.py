"""How a rule set is played, as numbers for the kernel: 打法 as fields, 许 禁 必 as code over sets of kinds.

A truth about a move becomes the set of kinds for which it holds when they are the tile that the move is
about, so one run of the code answers for all tiles at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyengine.engine.playbook import Playbook
from pyengine.engine.program import Fact, kinds_mask
from pyengine.language import core as c
from pyengine.language.specialise import Folder, Nowhere

if TYPE_CHECKING:
    from pyengine.engine.ruleset import Ruleset

# The numbers of csrc/mj.h.
ACTS = "discard pass chow pung direct_kong concealed_kong added_kong self_draw discard_win rob_added_kong".split()
_TRUTHS = """self_draw discard_win robbed_kong after_kong kong_chain last_tile first_turn at_once just_ponged
    passed_pung passed_win changes_waits discards_all_void winner discarder konger feeder nearest first_winner
    first_discarder dealer prev_seat across_seat next_seat unwon won in_play closed nobody receiver payer""".split()
_NUMBERS = """wall_left passed_fan passed_money suit_count concealed_count exposed_count kong_count void_count
    root_count fan_total multiplier point_total base_total own_win_tiles own_win_tiles_all kong_kind zero""".split()
WORDS = {name: number for number, name in enumerate([*_TRUTHS, *_NUMBERS])}
_OPS = {
    name: number
    for number, name in enumerate(
        """number truth word word_of value value_of stance stance_of this_in win_in from kong_kind some all tiles
        kinds suits seats copies add sub mul pow min max eq ne lt le and or not select select_set one""".split()
    )
}
_SETS = set("truth word word_of this_in win_in from kong_kind some all eq ne lt le and or not select_set".split())
# Nobody has these before the hands are looked at, and no move is a foul.
_NOBODYS = ("ready", "not_ready", "pig", "offender", "no_other_fan")
_ZEROS = ("best_call", "least_call", "worth")
_COMPARE = {"=": 0, "!=": 1, "<": 2, "<=": 3, ">": 4, ">=": 5}
_DEPENDENT = ("passed_pung", "changes_waits", "at_once")
NO_REGISTER = 65535
MAX_PLACES = 256

Op = tuple[int, int, int, int, int]
Question = tuple[int, int, int]
"""First instruction, how many, and the set that they work out."""


class Unplayable(Exception):
    """Something that the kernel's table cannot ask: `expr` is where.  The plain table can."""

    def __init__(self, expr: c.Expr) -> None:
        super().__init__(expr.span.text)
        self.expr = expr


@dataclass(frozen=True)
class PlayProgram:
    """A rule set's play as numbers (mj_book_spec)."""

    fields: dict[str, int]
    steps: tuple[int, ...]
    values: tuple[tuple[int, ...], ...]  # of each stance that is declared
    defaults: tuple[int, ...]
    directions: tuple[int, ...]
    ranks: tuple[int, ...]
    facts: tuple[int, ...]
    static_facts: tuple[int, ...]
    may: tuple[Question, ...]
    must: tuple[Question, ...]
    scoring: Question
    static_scoring: Question
    hand_over: Question
    pig: Question
    classes: tuple[tuple[int, bool, bool], ...]
    constants: tuple[int, ...]
    code: tuple[Op, ...]


def lower_play(rules: Ruleset) -> PlayProgram:
    """The play of a rule set for the kernel; Unplayable where only the plain table can."""
    return _Play(rules).program()


@dataclass
class _Block:
    """The code of one question; equal expressions share a place."""

    code: list[Op] = field(default_factory=list)
    known: dict[tuple[int, int, int, int], int] = field(default_factory=dict)
    n_sets: int = 0
    n_numbers: int = 0
    dependent: set[int] = field(default_factory=set)  # sets that differ between tiles


class _Play:
    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.book: Playbook = rules.playbook
        self.folder = Folder(rules.rules, rules.values)
        self.constants: dict[int, int] = {}
        self.classes: dict[tuple[int, bool, bool], int] = {}
        self.code: list[Op] = []
        self.block = _Block()
        self.stances = {name: n for n, name in enumerate(rules.rules.stances)}
        self.offset = 0  # the seat whose words are read, in places after the own one

    def program(self) -> PlayProgram:
        book, rules = self.book, self.rules
        if len(self.stances) > 8:
            raise Unplayable(c.Truth(rules.rules.sources[-1].head, True))
        may = tuple(self.allowed(act) for act in ACTS)
        must = tuple(self.any_of("must", act) for act in ACTS)
        scoring, facts = self.facts(rules.program.facts)
        static_scoring, static_facts = self.facts(rules.static_program.facts)
        declared = [
            tuple(int(v) if isinstance(v, int) else 0 for v in book.declared(name))
            if any(step.stance == name for step in book.steps)
            else (0,)
            for name in self.stances
        ]
        defaults = tuple(int(s.value) if isinstance(s.value, int) else 0 for s in rules.rules.stances.values())
        steps = tuple(
            {"swap": 0, "void": 1}.get(step.verb, 2 + self.stances.get(step.stance or "", 0)) for step in book.steps
        )
        places = {"clockwise": 1, "across": 2, "counter": 3}
        over = rules.rules.let("hand_over")
        return PlayProgram(
            fields={
                "players": book.players,
                "swap": {"no_swap": 0, "same_suit": 1, "any_tiles": 2}[book.swap],
                "replaces_front": int(book.replaces_from_front),
                "nearest_wins": int(book.nearest_wins),
                "after_discarder": int(book.after_discarder),
                "winners_stay": int(rules.ledger.stays),
                "first_win_ends": int(rules.ledger.first_win_ends),
                "horses": book.horses,
                "over_asks_wall": int(over is not None and self.asks_wall(over.value)),
            },
            steps=steps,
            values=tuple(declared),
            defaults=defaults,
            directions=tuple(places[name] for name in book.directions),
            ranks=tuple(book.ranks[verb] for verb in ("win", "direct_kong", "pung", "chow")),
            facts=facts,
            static_facts=static_facts,
            may=may,
            must=must,
            scoring=scoring,
            static_scoring=static_scoring,
            hand_over=self.truth_of("hand_over"),
            pig=self.truth_of("pig"),
            classes=tuple(self.classes),
            constants=tuple(self.constants),
            code=tuple(self.code),
        )

    # ---- questions ----

    def finished(self, place: int) -> Question:
        """The code of the block, which has worked out a set (or numbers: then no set)."""
        if max(self.block.n_sets, self.block.n_numbers) > MAX_PLACES:
            raise Unplayable(c.Truth(self.rules.rules.sources[-1].head, True))
        begin = len(self.code)
        self.code += self.block.code
        length = len(self.block.code)
        self.block = _Block()
        return begin, length, place

    def allowed(self, act: str) -> Question:
        """Where 许 holds and no 禁 does."""
        free = act in ("discard", "pass")
        may = self.conditions("may", act)
        ban = self.conditions("ban", act)
        if not free and not may:
            self.block = _Block()
            return 0, 0, NO_REGISTER
        place = self.truth(True) if free else self.chain(may, "or")
        if ban:
            place = self.op("and", place, self.op("not", self.chain(ban, "or")))
        return self.finished(place)

    def any_of(self, verb: str, act: str) -> Question:
        found = self.conditions(verb, act)
        if not found:
            self.block = _Block()
            return 0, 0, NO_REGISTER
        return self.finished(self.chain(found, "or"))

    def conditions(self, verb: str, act: str) -> list[int]:
        """The conditions of the permits that speak of an act and may hold."""
        found = []
        for permit in self.book.permits(verb, act):
            folded = self.folder.fold(permit.when) if permit.when else None
            if isinstance(folded, c.Truth) and not folded.value:
                continue
            found.append(self.truth(True) if folded is None else self.lower(folded))
        return found

    def facts(self, facts: tuple[Fact, ...]) -> tuple[Question, tuple[int, ...]]:
        """What the scoring program is told, as numbers."""
        places = []
        for fact in facts:
            if fact.count is not None:
                places.append(self.lower(self.folder.fold(fact.count)))
            elif fact.stance:
                places.append(self.stance(fact.word, fact.owner))
            else:
                is_number = fact.word in _NUMBERS or fact.word in _ZEROS
                word = c.Word(self.rules.rules.sources[-1].head, fact.word, not is_number, fact.owner)
                place = self.word(word)
                places.append(place if is_number else self.op("one", place))
        return self.finished(NO_REGISTER), tuple(places)

    def truth_of(self, reserved: str) -> Question:
        let = self.rules.rules.let(reserved)
        if let is None:
            return 0, 0, NO_REGISTER
        return self.finished(self.lower(self.folder.fold(let.value)))

    def asks_wall(self, expr: c.Expr) -> bool:
        """Whether the end of the hand can depend on how many tiles are left, while there are some."""
        folded = self.folder.fold(expr)
        if isinstance(folded, c.Compare) and folded.operator == "=":
            sides = (folded.left, folded.right)
            word = any(isinstance(e, c.Word) and e.name == "wall_left" for e in sides)
            if word and any(isinstance(e, c.Number) and e.value == 0 for e in sides):
                return False
        if isinstance(folded, c.Word):
            return folded.name == "wall_left"
        if isinstance(folded, c.LetRef):
            return self.asks_wall(self.rules.rules.lets[folded.name].value)
        return any(self.asks_wall(child) for child in c.children(folded))

    # ---- places ----

    def op(self, name: str, a: int, b: int = 0, d: int = 0) -> int:
        key = (_OPS[name], a, b, d)
        block = self.block
        if key in block.known:
            return block.known[key]
        if name in _SETS:
            place, block.n_sets = block.n_sets, block.n_sets + 1
            operands = {"and": (a, b), "or": (a, b), "not": (a,), "select_set": (a, b, d)}.get(name, ())
            dependent = name == "this_in" or (
                name in ("word", "word_of")
                and (_TRUTHS[a] in _DEPENDENT or (name == "word_of" and _TRUTHS[d] in _DEPENDENT))
            )
            if dependent or any(operand in block.dependent for operand in operands):
                block.dependent.add(place)
        else:
            place, block.n_numbers = block.n_numbers, block.n_numbers + 1
            if name in ("select", "one") and a in block.dependent:
                raise _Dependent
        block.known[key] = place
        block.code.append((_OPS[name], place, a, b, d))
        return place

    def number(self, value: int) -> int:
        return self.op("number", self.constants.setdefault(value, len(self.constants)))

    def truth(self, value: bool) -> int:
        return self.op("truth", int(value))

    def chain(self, places: list[int], name: str) -> int:
        result = places[0]
        for place in places[1:]:
            result = self.op(name, result, place)
        return result

    def class_of(self, tiles: c.TileClass) -> int:
        key = (kinds_mask(tiles.kinds), "void_tile" in tiles.words, "drawn_tile" in tiles.words)
        return self.classes.setdefault(key, len(self.classes))

    # ---- expressions ----

    def lower(self, expr: c.Expr) -> int:
        """The place of an expression: a set of a truth, a number of a number."""
        try:
            return self.lower_any(expr)
        except (_Dependent, Nowhere):
            raise Unplayable(expr) from None

    def lower_any(self, expr: c.Expr) -> int:
        match expr:
            case c.Number():
                return self.number(expr.value)
            case c.Truth():
                return self.truth(expr.value)
            case c.OptionRef() | c.OptionIs():
                return self.lower(self.folder.fold(expr))
            case c.Word():
                return self.word(expr)
            case c.StanceRef():
                place = self.stance(expr.name, expr.owner)
                is_truth = True in self.rules.rules.stances[expr.name].alternatives
                return self.op("ne", place, self.number(0)) if is_truth else place
            case c.LetRef():
                folded = self.folder.fold(expr)
                if isinstance(folded, c.LetRef):
                    inner = self.folder.lets[expr.name]
                    if isinstance(inner, Nowhere) or expr.owner is not None:
                        raise Unplayable(expr)
                    return self.lower(inner)
                return self.lower(folded)
            case c.Arithmetic():
                name = {"+": "add", "-": "sub", "*": "mul", "^": "pow"}[expr.operator]
                return self.op(name, self.lower(expr.left), self.lower(expr.right))
            case c.Extremum():
                return self.chain([self.lower(a) for a in expr.arguments], expr.function)
            case c.Compare():
                left, right = self.lower(expr.left), self.lower(expr.right)
                name, swapped = {
                    "=": ("eq", False),
                    "!=": ("ne", False),
                    "<": ("lt", False),
                    "<=": ("le", False),
                    ">": ("lt", True),
                    ">=": ("le", True),
                }[expr.operator]
                return self.op(name, right, left) if swapped else self.op(name, left, right)
            case c.SymbolIs():
                return self.negated(self.symbol(expr), expr.negated)
            case c.TileIs():
                name = "this_in" if expr.tile == "this_tile" else "win_in"
                return self.negated(self.op(name, self.class_of(expr.tiles)), expr.negated)
            case c.Quantified():
                return self.quantified(expr)
            case c.CountSeats():
                return self.count(expr)
            case c.Logic():
                return self.chain([self.lower(part) for part in expr.parts], expr.operator)
            case c.Not():
                return self.op("not", self.lower(expr.part))
            case c.If():
                return self.choice(expr)
        raise Unplayable(expr)

    def negated(self, place: int, negated: bool) -> int:
        return self.op("not", place) if negated else place

    def choice(self, expr: c.If) -> int:
        condition = self.lower(expr.condition)
        name = "select_set" if self.is_truth(expr.then) else "select"
        return self.op(name, condition, self.lower(expr.then), self.lower(expr.otherwise))

    def is_truth(self, expr: c.Expr) -> bool:
        match expr:
            case c.Word():
                return expr.is_truth
            case c.LetRef():
                return self.rules.rules.lets[expr.name].type == "truth"
            case c.If():
                return self.is_truth(expr.then)
            case c.OptionRef():
                return isinstance(self.rules.values[expr.name], bool)
            case c.StanceRef():
                return True in self.rules.rules.stances[expr.name].alternatives
            case c.Quantified():
                return expr.quantifier != "count"
        truths = (c.Truth, c.OptionIs, c.Compare, c.SymbolIs, c.TileIs, c.PatternIn, c.Logic, c.Not)
        return isinstance(expr, truths)

    def count(self, expr: c.CountSeats) -> int:
        """For how many seats a truth holds: a word by itself, anything else asked of one after the other."""
        word = expr.seats
        if isinstance(word, c.Word) and word.name in _TRUTHS and word.name not in _DEPENDENT and not word.owner:
            return self.op("seats", WORDS[word.name])
        before, total = self.offset, self.number(0)
        for n in range(self.book.players):
            self.offset = n
            total = self.op("add", total, self.op("one", self.lower(expr.seats)))
        self.offset = before
        return total

    def stance(self, name: str, owner: str | None) -> int:
        slot = self.stances[name]
        if owner in (None, "receiver", "payer"):
            return self.op("stance", slot, self.offset)
        return self.op("stance_of", slot, self.offset, self.role(owner or ""))

    def role(self, name: str) -> int:
        return WORDS[name if name in _TRUTHS else "nobody"]

    def word(self, expr: c.Word) -> int:
        name = "nobody" if expr.name in _NOBODYS else "zero" if expr.name in _ZEROS else expr.name
        if name not in WORDS:
            raise Unplayable(expr)
        is_truth = name in _TRUTHS
        if expr.owner in (None, "receiver", "payer"):
            return self.op("word" if is_truth else "value", WORDS[name], self.offset)
        return self.op("word_of" if is_truth else "value_of", WORDS[name], self.offset, self.role(expr.owner or ""))

    def symbol(self, expr: c.SymbolIs) -> int:
        if expr.symbol == "from_seat":
            bits = {"next_seat": 1, "across_seat": 2, "prev_seat": 4}
            return self.op("from", sum(bits[value] for value in expr.values))
        if expr.symbol == "kong_kind":
            bits = {"direct_kong": 2, "added_kong": 4, "concealed_kong": 8}
            return self.op("kong_kind", sum(bits[value] for value in expr.values))
        raise Unplayable(expr)

    def quantified(self, expr: c.Quantified) -> int:
        match expr.domain, expr.test:
            case "tile" | "tile_kind", c.TileTest() as test:
                number = self.class_of(test.tiles)
                if expr.quantifier != "count":
                    return self.op(expr.quantifier, number)
                return self.op("tiles" if expr.domain == "tile" else "kinds", number)
            case "tile_kind", c.CopiesTest() as test:
                field_ = 0 if test.field == "copies" else 1
                found = self.op("copies", field_, _COMPARE[test.operator], self.lower(test.value))
                if expr.quantifier == "count":
                    return found
                if expr.quantifier == "some":
                    return self.op("lt", self.number(0), found)
            case "suit", c.TileTest() as test:
                suits = sum(1 << suit for suit in range(3) if 9 * suit in test.tiles.kinds)
                found = self.op("suits", suits)
                if expr.quantifier == "count":
                    return found
                some = self.op("lt", self.number(0), found)
                if expr.quantifier == "some":
                    return some
                return self.op("and", some, self.op("eq", found, self.op("suits", 7)))
        raise Unplayable(expr)


class _Dependent(Exception):
    """A number that would differ between the tiles of a move."""
