"""例 and 保证: the examples of a rule file are run, its laws tried on hands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice

from pyengine.engine.compiled import probed
from pyengine.engine.oracle import Verdict
from pyengine.engine.ruleset import Ruleset, option_values
from pyengine.engine.score import Result
from pyengine.language import core as c
from pyengine.language import model as m
from pyengine.language import vocabulary
from pyengine.language.diagnostics import Diagnostic, Related, RulespecError, Said
from pyengine.language.source import Span
from pyengine.language.specialise import Nowhere
from pyengine.notation.hand import Hand, can_be
from pyengine.tools.random_hands import complete_hands
from pyengine.tools.witness import plainest, score_command

LAW_HANDS = 300
"""Random winning hands on which each law is tried beside the examples."""


@dataclass(frozen=True)
class Ran:
    """What running a rule set's examples and laws showed."""

    examples: int
    laws: int
    diagnostics: list[Diagnostic]


def run_examples(rules: c.Rules, name: str) -> Ran:
    """Runs every example of the file and tries every law of the chain; a parent alone has nothing to run."""
    if not rules.is_playable:
        return Ran(0, 0, [])
    try:
        plain = Ruleset(rules, option_values(rules, {}), name)
        assert plain.flows  # Made when a game is settled; what is wrong with it is to be told now.
    except RulespecError as error:
        return Ran(0, 0, list(error.diagnostics))
    diagnostics: list[Diagnostic] = []
    won: list[tuple[Ruleset, Hand]] = []
    for example in rules.examples:
        try:
            ruleset, hand = read_example(plain, example.declaration)
            result = ruleset.score(hand)
            diagnostics += _compare(ruleset, example, result)
            if result.win:
                won.append((ruleset, hand))
        except RulespecError as error:
            reasons = {d.span.place: d for d in error.diagnostics if d.span}
            diagnostics += reasons.values() or error.diagnostics
    if rules.claims:
        hands = filter(can_be, complete_hands(plain, 4 * LAW_HANDS, seed=1))
        won += [(plain, hand) for hand in islice(hands, LAW_HANDS)]
        diagnostics += _try_laws(rules, won)
    return Ran(len(rules.examples), len(rules.claims), diagnostics)


def read_example(rules: Ruleset, example: m.ExampleDecl) -> tuple[Ruleset, Hand]:
    """The rule set with the example's options, and its hand; InputError at the place in the file."""
    options: dict[str, object] = {}
    stances: dict[str, object] = {}
    facts: dict[str, str] = {}
    flags: list[str] = []
    spans: dict[str, Span] = {}
    for setting in example.settings:
        name = setting.name.text
        flag = vocabulary.find(name, "flag", "role", "table_value")
        if name in rules.options:
            options[name] = True if setting.value is None else setting.value.span.text
            spans[name] = setting.span
        elif name in rules.rules.stances:
            stances[name] = True if setting.value is None else setting.value.span.text
            spans[f"stances.{name}"] = setting.span
        elif flag and flag.english == "void_suit" and setting.value:
            facts["void"] = setting.value.span.text
            spans["void"] = setting.value.span
        elif flag and flag.win:
            facts["by"] = flag.word
            spans["by"] = setting.span
        elif flag:
            spans[f"flags.{len(flags)}"] = setting.span
            flags.append(flag.word)
    for number, meld in enumerate(example.melds):
        spans[f"melds.{number}"] = meld.span
    if example.tiles:
        spans["hand"] = example.tiles[0].span.to(example.tiles[-1].span)
    else:
        spans["hand"] = example.span
    if example.win:
        spans["win"] = example.win.span
    changed = rules.with_options(options, spans.get)
    hand = changed.hand(
        " ".join(word.text for word in example.tiles),
        melds=[f"{meld.kind.text} {meld.tiles.text}" for meld in example.melds],
        win=example.win.text if example.win else None,
        flags=flags,
        spans=spans,
        by=facts.get("by", "点炮"),
        void=facts.get("void"),
        stances=stances,
    )
    return changed, hand


def _compare(rules: Ruleset, example: c.Example, result: Result) -> Iterator[Diagnostic]:
    declaration = example.declaration
    loses = any(vocabulary.find(counted.name.text, "marker") for counted in declaration.fans)
    wanted = expected_fans(rules, declaration.fans)
    actual_fans = {fan.name: fan.count for fan in result.fans}
    worth = rules.oracle.evaluate(example.worth, result.hand) if example.worth else None
    if loses:
        ok = not result.win
    else:
        ok = result.win and wanted == actual_fans
        if worth is not None and ok:
            ok = worth == (result.points if example.unit is None else result.totals[c.UNITS.index(example.unit)])
    if not ok:
        end = example.worth.span if example.worth else declaration.fans[-1].span
        place = declaration.fans[0].span.to(end)
        facts = {"expected": " ".join(place.text.split()), "hand": str(result.hand), **_told(result)}
        related = tuple(
            Related(rules.rules.fans[name].span, "fan", {"name": name})
            for name in sorted(set(wanted) ^ set(actual_fans))
            if name in rules.rules.fans
        )
        yield Diagnostic("E501", place, facts, related)


def expected_fans(rules: Ruleset, fans: tuple[m.Counted, ...]) -> dict[str, int]:
    """Fans with their counts; a combination stands for its parts."""
    expected: dict[str, int] = {}
    combos: Mapping[str, tuple[tuple[str, int], ...]] = rules.combos
    for counted in fans:
        for name, count in combos.get(counted.name.text, ((counted.name.text, 1),)):
            expected[name] = expected.get(name, 0) + count * (counted.count or 1)
    return expected


def _told(result: Result) -> dict[str, object]:
    """A result as an example would write it (大对子, 2 根: 8倍), and what is paid, or why it is no win."""
    if not result.win:
        because = Said(*(result.why_not(lang) for lang in ("zh", "en")))
        return {"actual": ("example.no_win",), "more": ("example.because", because)}
    fans = ", ".join(f"{fan.count} {fan.name}" if fan.count > 1 else fan.name for fan in result.fans)
    return {"actual": f"{fans}: {result.total}", "more": ("example.pays", result.points)}


def _asks_win(claim: c.Claim, ruleset: Ruleset) -> bool:
    """Whether a law, or what it is asked of, may depend on the winning tile: then it is a law of hands that tell it."""
    try:
        return probed(ruleset, [claim.law])[1].asks_win
    except Nowhere:
        return ruleset.asks_win


def _breaks(claim: c.Claim, asks_win: bool, ruleset: Ruleset, hand: Hand, verdict: Verdict | None = None) -> bool:
    """Whether a hand wins and a law does not hold of it; `verdict` is what the hand is worth, where that is known."""
    if asks_win and hand.win is None:
        return False
    verdict = verdict or ruleset.oracle.score(hand)
    if not verdict.win or verdict.reading is None:
        return False
    return not ruleset.oracle.evaluate(claim.law, hand, verdict.reading, verdict.totals)


def _try_laws(rules: c.Rules, hands: list[tuple[Ruleset, Hand]]) -> Iterator[Diagnostic]:
    judged = [(ruleset, hand, ruleset.oracle.score(hand)) for ruleset, hand in hands]  # Once for all laws.
    for claim in rules.claims:
        asks_win = bool(hands) and _asks_win(claim, hands[0][0])
        found = next((known for known in judged if _breaks(claim, asks_win, *known)), None)
        if found:
            ruleset, hand, _ = found
            name, place = claim.declaration.name, claim.declaration.span
            witness = plainest(hand, partial(_breaks, claim, asks_win, ruleset))
            inherited = place.source != rules.sources[-1]
            facts = {"text": name.text, "command": score_command(ruleset, witness)}
            yield Diagnostic("E502", place, facts, (), (f"删 保证 {name.span.text}",) if inherited else ())
