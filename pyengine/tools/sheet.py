"""What a rule set holds, as a sheet: its options with their values, and its fans with what they ask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyengine.engine.formula import one_line
from pyengine.engine.ruleset import option_values
from pyengine.language import core as c
from pyengine.language.diagnostics import Lang
from pyengine.language.load import load_rules
from pyengine.language.values import show_value
from pyengine.tools.show import Screen


def sheet(name: str) -> dict[str, Any]:
    """A rule set as plain data with stable keys; RuleError or InputError when there is none."""
    rules = load_rules(name)
    values = option_values(rules, {})
    return {
        "id": name,
        "title": rules.title,
        "version": rules.version,
        "files": [source.name for source in reversed(rules.sources)],
        "options": [_option(option, values[option.name]) for option in rules.options.values()],
        "stances": [_option(stance, stance.value) for stance in rules.stances.values()],
        "fans": [_fan(fan) for fan in rules.fans.values()],
        "combos": [_combo(combo) for combo in rules.combos.values()],
    }


def _option(option: c.Option, value: c.OptionValue) -> dict[str, Any]:
    return {
        "name": option.name,
        "value": show_value(value, option.unit),
        "values": [show_value(alternative, option.unit) for alternative in option.alternatives],
        **_meta(option.meta),
    }


def _fan(fan: c.Fan) -> dict[str, Any]:
    return {
        "name": fan.name,
        "value": one_line(fan.value.span),
        "when": one_line(fan.when.span) if fan.when else None,
        "each": one_line(fan.per.span) if fan.per else None,
        "without": [f"{absorbed.count} {absorbed.fan}" if absorbed.count else absorbed.fan for absorbed in fan.without],
        **_meta(fan.meta),
    }


def _combo(combo: c.Combo) -> dict[str, Any]:
    parts = [f"{count} {fan}" if count > 1 else fan for fan, count in combo.parts]
    return {"name": combo.name, "parts": parts, **_meta(combo.meta)}


def _meta(meta: Any) -> dict[str, Any]:
    return {"alias": meta.alias, "cites": list(meta.cites), "notes": list(meta.notes)}


def show_sheet(screen: Screen, data: dict[str, Any]) -> None:
    """A sheet for people."""

    title = " ".join([data["title"], data["version"] or ""]).rstrip()
    screen.line(f"{title}  {' ← '.join(data['files'])}")
    parts: dict[str, Callable[[dict[str, Any]], list[str]]] = {
        "options": lambda option: [option["name"], option["value"], " | ".join(option["values"])],
        "stances": lambda stance: [stance["name"], stance["value"], " | ".join(stance["values"])],
        "fans": lambda fan: [_name(screen.lang, fan), fan["value"], _asks(fan)],
        "combos": lambda combo: [_name(screen.lang, combo), ", ".join(combo["parts"])],
    }
    for key, columns in parts.items():
        if data[key]:
            screen.line(screen.say(f"show.sheet_{key}"))
            screen.table([[*columns(entry), _remarks(entry)] for entry in data[key]], indent=2)


def _name(lang: Lang, declared: dict[str, Any]) -> str:
    return f"{declared['name']} {declared['alias']}" if declared["alias"] and lang == "en" else str(declared["name"])


def _asks(fan: dict[str, Any]) -> str:
    """The clauses of a fan in the words of its file."""
    when = f"当 {fan['when']}" if fan["when"] else ""
    without = f"不计 {', '.join(fan['without'])}" if fan["without"] else ""
    return " ".join(filter(None, [when, fan["each"], without]))


def _remarks(declared: dict[str, Any]) -> str:
    """Where something is from, and what the author notes."""
    return "; ".join([*declared["cites"], *declared["notes"]])
