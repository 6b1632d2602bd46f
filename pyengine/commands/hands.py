"""Commands about rule files and hands: list, check, test, score, waits, explain.

What they need is imported by each of them, so that a help page comes at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pyengine.commands.frame import (
    FILE,
    JUDGED_BAD,
    NOT_DONE,
    Helped,
    current_lang,
    give_up,
    hand_options,
    json_option,
    many_option,
    new_screen,
    one_way,
    options_of,
    print_json,
    rules_argument,
    rulespec,
    seen_of,
    set_option,
    stances_of,
    telling,
    verbose_option,
)
from pyengine.language.diagnostics import Diagnostic

if TYPE_CHECKING:
    from pyengine import Ruleset


@rulespec.command("list", cls=Helped)
@click.argument("names", metavar="[RULES]...", nargs=-1)
@json_option
def list_rules(names: tuple[str, ...], json: bool) -> None:
    import pyengine

    if names:
        from pyengine.tools.sheet import sheet, show_sheet

        with telling(json):
            sheets = [sheet(name) for name in names]
        if json:
            print_json({"rulesets": sheets})
            return
        for found in sheets:
            show_sheet(new_screen(), found)
        return
    rulesets = pyengine.rulesets()
    if json:
        print_json({"rulesets": [{"id": i, "title": title, "path": str(path)} for i, title, path in rulesets]})
    else:
        new_screen().table([id_, title] for id_, title, _ in rulesets)


@rulespec.command("check", cls=Helped)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@verbose_option
@json_option
def check(files: tuple[str, ...], verbose: bool, json: bool) -> None:
    from pyengine.tools.checking import check_file, show_checked

    checked = [check_file(name) for name in files]
    if json:
        print_json({"files": [file.as_json(current_lang()) for file in checked]})
    else:
        for file in checked:
            show_checked(new_screen(), file, verbose)
    if any(file.unreadable for file in checked):
        raise click.exceptions.Exit(NOT_DONE)
    if any(not file.ok for file in checked):
        raise click.exceptions.Exit(JUDGED_BAD)


@rulespec.command("test", cls=Helped)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
@set_option
@verbose_option
@click.option("--coverage", is_flag=True)
@click.option("--write-missing", metavar="FILE", type=FILE)
@json_option
def test(
    paths: tuple[Path, ...],
    set_: tuple[str, ...],
    verbose: bool,
    coverage: bool,
    write_missing: Path | None,
    json: bool,
) -> None:
    from pyengine import resources
    from pyengine.tools.show import show_run
    from pyengine.tools.testing import run_files

    with telling(json):
        run = run_files(paths or (resources.rulesets(),), options_of(set_))
        covered = None
        if coverage or write_missing:
            from pyengine.tools import proving
            from pyengine.tools.progress import looking

            with looking(current_lang()):
                covered = proving.coverage_of(run, options_of(set_))
            proving.write_missing(covered, write_missing)
    if json:
        from pyengine.tools.show_coverage import coverage_as_json

        more = {} if covered is None else {"coverage": [coverage_as_json(found) for found in covered]}
        print_json(run.as_json(current_lang()) | more)
    else:
        show_run(new_screen(), run, verbose)
        if covered is not None:
            from pyengine.tools.show_coverage import show_coverage

            for found in covered:
                show_coverage(new_screen(), found)
    if run.totals["errors"]:
        raise click.exceptions.Exit(NOT_DONE)
    if run.totals["failed"]:
        raise click.exceptions.Exit(JUDGED_BAD)


@rulespec.command("score", cls=Helped)
@rules_argument
@click.argument("hand", metavar="HAND", nargs=-1)
@hand_options
@click.option("--win", metavar="TILE")
@click.option("--by", metavar="HOW", default="点炮")
@many_option("flag", "--flag", "FACT")
@click.option("--kong", metavar="KIND")
@click.option("--why", is_flag=True)
@click.option("--from", "source", metavar="FILE", type=FILE)
@click.option("--to", "target", metavar="FILE", type=FILE)
@click.option("--bad", metavar="FILE", type=FILE)
@click.option("--threads", metavar="N", type=click.IntRange(1, 256), default=1)
@click.option("--chunk", metavar="N", type=click.IntRange(1, 1 << 24), default=16_384)
@click.pass_context
def score(
    ctx: click.Context,
    rules: str,
    hand: tuple[str, ...],
    meld: tuple[str, ...],
    void: str | None,
    seen: tuple[str, ...],
    stance: tuple[str, ...],
    set_: tuple[str, ...],
    json: bool,
    win: str | None,
    by: str,
    flag: tuple[str, ...],
    kong: str | None,
    why: bool,
    source: Path | None,
    target: Path | None,
    bad: Path | None,
    threads: int,
    chunk: int,
) -> None:
    import pyengine

    with telling(json):
        one_way(ctx, hand, source, target)
        ruleset = pyengine.load(rules).with_options(options_of(set_))
        if source and target:
            _score_file(ruleset, source, target, bad, chunk, threads, json)
            return
        facts: dict[str, Any] = {"melds": meld, "void": void, "seen": seen_of(seen), "stances": stances_of(stance)}
        result = ruleset.score(" ".join(hand), win=win, by=by, flags=flag, kong=kong, **facts)
    if json:
        print_json(result.as_json() | ({"why": result.why(current_lang())} if why else {}))
    elif why:
        click.echo(result.why(current_lang()))
    else:
        from pyengine.tools.show import show_result

        show_result(new_screen(), result)


def _score_file(
    ruleset: Ruleset, source: Path, target: Path, bad: Path | None, chunk: int, threads: int, json: bool
) -> None:
    from pyengine.tools.progress import score_file_shown, summary

    done = score_file_shown(ruleset, source, target, bad, chunk, threads, current_lang())
    if json:
        print_json({"rows": done.rows, "bad": done.bad, "resumed": done.resumed, "to": str(target)})
    else:
        new_screen().line(summary(done, bad, current_lang()))
    if done.bad:
        raise click.exceptions.Exit(JUDGED_BAD)


@rulespec.command("waits", cls=Helped)
@rules_argument
@click.argument("hand", metavar="HAND", nargs=-1, required=True)
@hand_options
def waits(
    rules: str,
    hand: tuple[str, ...],
    meld: tuple[str, ...],
    void: str | None,
    seen: tuple[str, ...],
    stance: tuple[str, ...],
    set_: tuple[str, ...],
    json: bool,
) -> None:
    import pyengine
    from pyengine.tools.show import show_waits, waits_as_json

    with telling(json):
        facts: dict[str, Any] = {"melds": meld, "void": void, "seen": seen_of(seen), "stances": stances_of(stance)}
        found = pyengine.load(rules).with_options(options_of(set_)).waits(" ".join(hand), **facts)
    if json:
        print_json(waits_as_json(found))
    else:
        show_waits(new_screen(), found)


@rulespec.command("explain", cls=Helped)
@click.argument("code", metavar="CODE")
def explain(code: str) -> None:
    from pyengine.language import diagnostics as d

    page = d.help_text(code.upper(), current_lang())
    if page is None:
        known = d.closest(code.upper(), d.codes())
        give_up([Diagnostic("E914", None, {"word": code}, (), known)], False, current_lang())
    click.echo(f"{code.upper()}\n\n{page.rstrip()}")
