"""A settled game as text for people: every posting with its rule and arithmetic, a table by seat."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from pyengine.engine.formula import Formula
from pyengine.engine.ledger import FIRST_HORSE, OUTSIDE, Posting
from pyengine.language import core as c
from pyengine.language import vocabulary
from pyengine.language.diagnostics import default_lang
from pyengine.notation import tiles
from pyengine.notation.games import Event

if TYPE_CHECKING:
    from pyengine.engine.ruleset import Ruleset
    from pyengine.engine.settle import GameResult

_WORDS = {
    "zh": {
        "event": "{number}. {text}",
        "over": "终局",
        "nothing": "（不收付）",
        "seat": "{seat} 家",
        "outside": "外账",
        "horse": "马 {number}",
        "pays": "{payer} 付 {receiver} {amount}",
        "pay": "",
        "refund": "退还",
        "forward": "转给",
        "mirror": "随所叫",
        "returned": "，后来退回",
        "moved": "，后来转走",
        "table": "合计",
        "next": "下局庄家 {seat} 家",
        "from": "{seat} 家放",
        "late": "不即时",
        "robbed": "被抢",
        "bound": "{horse} 随 {seat} 家",
        "cited": "（据 {cites}）",
    },
    "en": {
        "event": "{number}. {text}",
        "over": "end of the hand",
        "nothing": "(nothing to pay)",
        "seat": "seat {seat}",
        "outside": "outside account",
        "horse": "horse {number}",
        "pays": "{payer} pays {receiver} {amount}",
        "pay": "",
        "refund": "given back",
        "forward": "handed on",
        "mirror": "as the seat it is bound to",
        "returned": ", given back later",
        "moved": ", handed on later",
        "table": "total",
        "next": "next dealer: seat {seat}",
        "from": "from seat {seat}",
        "late": "late",
        "robbed": "robbed",
        "bound": "{horse} is bound to seat {seat}",
        "cited": " (from {cites})",
    },
}


def explain_game(rules: Ruleset, result: GameResult, lang: str | None = None) -> str:
    """The whole ledger with reasons; `lang` is zh or en, by default that of the locale."""
    return "\n".join(_Ledger(rules, result, lang or default_lang()).lines())


class _Ledger:
    def __init__(self, rules: Ruleset, result: GameResult, lang: str) -> None:
        self.rules = rules
        self.result = result
        self.words = _WORDS["zh" if lang == "zh" else "en"]
        self.moments = rules.ledger.moments(result.table_game)

    def lines(self) -> Iterator[str]:
        events = [e for e in self.result.game.events if e.kind != "终局"]
        for number, event in enumerate(events):
            yield self.words["event"].format(number=number + 1, text=self.event(event))
            yield from self.hands(number)
            yield from self.postings(number)
        last = [p for p in self.result.ledger if p.event == len(events)]
        if last:
            yield self.words["over"]
            yield from self.postings(len(events))
        seats = [f"{self.account(seat)} {delta:+}" for seat, delta in enumerate(self.result.deltas)]
        horses = [f"{self.account(FIRST_HORSE + n)} {delta:+}" for n, (_, delta) in enumerate(self.result.horses)]
        yield f"{self.words['table']}  {'   '.join([*seats, *horses])}"
        for number, (seat, _) in enumerate(self.result.horses):
            yield self.words["bound"].format(horse=self.account(FIRST_HORSE + number), seat=seat)
        if self.result.next_dealer is not None:
            yield self.words["next"].format(seat=self.result.next_dealer)

    def hands(self, number: int) -> Iterator[str]:
        """What each hand that was given by its tiles was worth."""
        for (event, seat), hand in self.result.hands.items():
            if event == number:
                fans = [f"{f.name} {f.value}" + (f" × {f.count}" if f.count > 1 else "") for f in hand.fans]
                yield f"     {self.account(seat)}: {', '.join(fans)} → {hand.total} → {hand.points}"

    def event(self, event: Event) -> str:
        parts = [event.kind]
        if event.tile is not None:
            parts.append(tiles.CHINESE_NAMES[event.tile])
        if event.seat is not None and not event.seats:
            parts.append(self.account(event.seat))
        for winner in event.seats:
            told = self.state(winner.seat) if event.kind == "流局" else winner.value or winner.hand or ""
            parts.append(f"{self.account(winner.seat)} {told}".strip())
        if event.feeder is not None:
            parts.append(self.words["from"].format(seat=event.feeder))
        parts += [self.words[flag] for flag in ("late", "robbed") if getattr(event, flag)]
        parts += event.flags
        return "  ".join(parts)

    def state(self, seat: int) -> str:
        """How a seat stood at the drawn end, with what its best call was worth."""
        game = self.result.table_game
        state = game.states[seat] or ""
        entry = vocabulary.find(state, "seats", "reserved")
        call = f" {game.best_call[seat]}" if state == "ready" else ""
        return f"{entry.word if entry else ''}{call}"

    def account(self, number: int) -> str:
        if number < OUTSIDE:
            return self.words["seat"].format(seat=number)
        if number == OUTSIDE:
            return self.words["outside"]
        return self.words["horse"].format(number=number - FIRST_HORSE + 1)

    def postings(self, number: int) -> Iterator[str]:
        """The payments of one event; those of one line for one reason stand above that reason."""
        found = [p for p in self.result.ledger if p.event == number]
        if not found:
            yield f"     {self.words['nothing']}"
        for (_, _, reason), group in groupby(found, lambda p: (p.flow, p.line, self.reason(p))):
            for posting in group:
                paid = self.words["pays"].format(
                    payer=self.account(posting.payer), receiver=self.account(posting.receiver), amount=posting.amount
                )
                yield f"     {paid}{self.words.get(posting.state, '')}"
            yield f"         {reason}"

    def reason(self, posting: Posting) -> str:
        """The rule, how the amount came about, its source, and its line in the file."""
        line = self.line(posting)
        why = self.amount(line.amount, posting) if line.amount else self.words[line.verb]
        cites = self.words["cited"].format(cites="; ".join(line.meta.cites)) if line.meta.cites else ""
        tag = f" 记 {posting.tag}" if posting.tag else ""
        return f"{posting.flow}: {why}{tag}{cites}  {line.span.place}"

    def amount(self, amount: c.Expr, posting: Posting) -> str:
        """The amount of a line as this pair of seats saw it."""
        own = posting.receiver if posting.receiver < OUTSIDE else posting.payer
        moment = self.moments[posting.event].of(own, posting.payer if posting.payer < OUTSIDE else None)
        stated = "stated" in moment.flags
        money, value = (self.rules.rules.reserved.get(name) for name in ("win_money", "hand_value"))
        # What is told with the game is not worked out again: money, or with a stated value 牌值.
        told = value if stated else money
        formula = Formula(self.rules.rules, lambda e: self.rules.ledger.value(e, moment), frozenset({told or ""}))
        return "; ".join([formula.equation(amount), *formula.named()])

    def line(self, posting: Posting) -> c.Transfer:
        return self.rules.rules.flows[posting.flow].transfers[posting.line]
