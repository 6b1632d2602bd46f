"""Commands about games: settle, replay, simulate."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pyengine.commands.frame import (
    JUDGED_BAD,
    Helped,
    current_lang,
    json_option,
    many_option,
    new_screen,
    options_of,
    pairs_of,
    print_json,
    rulespec,
    set_option,
    telling,
)

if TYPE_CHECKING:
    pass


@rulespec.command("settle", cls=Helped)
@click.argument("rules", metavar="RULES")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@set_option
@json_option
@click.option("--why", is_flag=True)
def settle(rules: str, file: Path, set_: tuple[str, ...], json: bool, why: bool) -> None:
    import pyengine
    from pyengine.tools.gamefile import load_games
    from pyengine.tools.show import show_settled

    with telling(json):
        options = options_of(set_)
        plain = pyengine.load(rules)
        settled = [
            (game.id, plain.with_options({**game.options, **options}).settle(game.game)) for game in load_games(file)
        ]
    if json:
        games = [
            {"id": id_, **result.as_json()} | ({"why": result.why(current_lang())} if why else {})
            for id_, result in settled
        ]
        print_json(games[0] if len(games) == 1 else {"games": games})
        return
    for id_, result in settled:
        show_settled(new_screen(), id_, result, why, len(settled) > 1)


@rulespec.command("replay", cls=Helped)
@click.argument("rules", metavar="RULES")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@set_option
@json_option
@click.option("--why", is_flag=True)
def replay(rules: str, file: Path, set_: tuple[str, ...], json: bool, why: bool) -> None:
    import pyengine
    from pyengine.language.diagnostics import as_json
    from pyengine.tools.replaying import replay_file
    from pyengine.tools.show import show_settled

    with telling(json):
        replayed = list(replay_file(pyengine.load(rules), file, options_of(set_)))
    if json:
        games = [
            {"id": r.id}
            | (r.result.as_json() if r.result else {"error": [as_json(d, current_lang()) for d in r.diagnostics]})
            | ({"why": r.result.why(current_lang())} if why and r.result else {})
            for r in replayed
        ]
        print_json(games[0] if len(games) == 1 else {"games": games})
    else:
        screen = new_screen()
        for game in replayed:
            if game.result:
                show_settled(screen, game.id, game.result, why, len(replayed) > 1)
            else:
                screen.diagnostics(game.diagnostics)
    if any(game.diagnostics for game in replayed):
        raise click.exceptions.Exit(JUDGED_BAD)


@rulespec.command("simulate", cls=Helped)
@click.argument("rules", metavar="RULES")
@click.option("-n", "hands", metavar="N", type=click.IntRange(1, 10**9), default=10_000)
@click.option("--policy", type=click.Choice(["random", "greedy"]), default="greedy")
@click.option("--seed", metavar="S", type=click.IntRange(0, 2**63 - 1), default=1)
@click.option("--against", metavar="RULES")
@many_option("vary", "--vary", "NAME=VALUE")
@click.option("--plot", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--records", metavar="FILE", type=click.Path(path_type=Path))
@set_option
@json_option
def simulate(
    rules: str,
    hands: int,
    policy: Any,
    seed: int,
    against: str | None,
    vary: tuple[str, ...],
    plot: Path | None,
    records: Path | None,
    set_: tuple[str, ...],
    json: bool,
) -> None:
    import pyengine
    from pyengine.tools import simulating

    def progress(done: int) -> None:
        if sys.stderr.isatty() and not json:
            click.echo(f"\r{done:,} / {hands:,}", nl=done >= hands, err=True)

    with telling(json):
        options, changes = options_of(set_), pairs_of(vary, "--vary NAME=VALUE")
        first = pyengine.load(rules).with_options(options)
        other = pyengine.load(against).with_options(options) if against else first
        second = other.with_options(changes) if against or changes else None
        names = (_named(rules, options), _named(against or rules, {**options, **changes}))
        result = simulating.simulate(first, second, names, hands, policy, seed, progress, plot is not None)
        if records:
            simulating.write_records(first, policy, seed, hands, records)
        if plot:
            simulating.draw_plot(result, plot)
    if json:
        print_json({"policy": policy, "seed": seed, **result.as_json()})
    else:
        simulating.show_simulated(new_screen(), result)


def _named(rules: str, options: Mapping[str, str]) -> str:
    return " ".join([rules, *(f"{name}={value}" for name, value in options.items())])
