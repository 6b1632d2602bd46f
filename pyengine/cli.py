"""The `rulespec` command: arguments in, tools called, exit codes out.

0 all well; 1 the input was judged and failed; 2 the command could not be carried out.
What the commands need is imported by each of them, so that a help page comes at once.
"""

from __future__ import annotations

import codecs
import errno
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from pyengine.__main__ import INTERRUPTED
from pyengine.language.diagnostics import Diagnostic, Lang, RulespecError, default_lang

if TYPE_CHECKING:
    from pyengine import Ruleset
    from pyengine.tools.show import Screen

F = TypeVar("F", bound=Callable[..., Any])

JUDGED_BAD = 1
NOT_DONE = 2


# ---- help pages and languages ------------------------------------------------------------------


def _lang(ctx: click.Context | None = None) -> Lang:
    """The language that was asked for, else that of the locale."""
    ctx = ctx or click.get_current_context(silent=True)
    lang: Lang | None = ctx.find_root().meta.get("lang") if ctx else None
    return lang or default_lang()


def _lang_in(arguments: list[str]) -> Lang | None:
    """The language that some arguments ask for, wherever it stands among them."""
    for before, argument in zip(["", *arguments], arguments, strict=False):
        value = argument if before == "--lang" else argument.partition("--lang=")[2]
        if value in ("zh", "en"):
            return "zh" if value == "zh" else "en"
    return None


class _Helped(click.Command):
    """A command whose help is looked up in the language asked for."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.append(click.Option(["--lang"], type=click.Choice(["zh", "en"]), expose_value=False))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        lang = _lang_in(args)
        if lang:
            ctx.find_root().meta["lang"] = lang
        return super().parse_args(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        self.look_up(ctx)
        return super().get_help(ctx)

    def look_up(self, ctx: click.Context) -> None:
        from pyengine.tools.texts import help_page

        lang = _lang(ctx)
        self.help = help_page(f"help.{self.name}" if ctx.parent else "help", lang)
        for option in self.params:
            if isinstance(option, click.Option):
                option.help = help_page(f"help.{option.opts[-1].lstrip('-')}", lang)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        option = super().get_help_option(ctx)
        if option:
            from pyengine.tools.texts import help_page

            option.help = help_page("help.help", _lang(ctx))
        return option


class _NoSuchCommand(click.UsageError):
    def __init__(self, word: str, ctx: click.Context) -> None:
        super().__init__(word, ctx)
        self.word = word


class _Commands(_Helped, click.Group):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args:
            click.echo(self.get_help(ctx), err=True)
            ctx.exit(NOT_DONE)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands and not args[0].startswith("-"):
            raise _NoSuchCommand(args[0], ctx)
        return super().resolve_command(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        for command in self.commands.values():
            if isinstance(command, _Helped):
                command.look_up(click.Context(command, parent=ctx))
        return super().get_help(ctx)


def _version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        import pyengine

        click.echo(f"rulespec {pyengine.__version__}")
        ctx.exit()


@click.group(cls=_Commands, name="rulespec", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version)
def rulespec() -> None: ...


# ---- arguments ---------------------------------------------------------------------------------


def _many(name: str, flag: str, metavar: str) -> Callable[[F], F]:
    return click.option(flag, name, multiple=True, metavar=metavar)


def _together(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    def apply(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return apply


_json = click.option("--json", "json", is_flag=True)
_set = _many("set_", "--set", "NAME=VALUE")
_verbose = click.option("-v", "--verbose", is_flag=True)
_rules = click.argument("rules", metavar="RULES")
_tiles = _together(
    _many("meld", "--meld", "MELD"),
    click.option("--void", metavar="SUIT"),
    _many("seen", "--seen", "TILE=N"),
    _many("stance", "--stance", "NAME=VALUE"),
    _set,
    _json,
)
_file = click.Path(path_type=Path)


def _pairs(texts: Iterable[str], form: str) -> dict[str, str]:
    """`--set` and `--seen`: name=value, each name once."""
    from pyengine.notation.tiles import here

    pairs: dict[str, str] = {}
    found = []
    for text in texts:
        name, equals, value = (part.strip() for part in text.replace("＝", "=", 1).partition("="))
        if not (name and equals and value):
            found.append(Diagnostic("E911", here(text, form.partition(" ")[0]), {"text": text, "form": form}))
        elif name in pairs:
            found.append(Diagnostic("E912", here(text, form.partition(" ")[0]), {"name": name}))
        pairs[name] = value
    if found:
        raise RulespecError(found)
    return pairs


def _options(set_: Iterable[str]) -> dict[str, str]:
    return _pairs(set_, "--set NAME=VALUE")


def _stances(stance: Iterable[str]) -> dict[str, str]:
    return _pairs(stance, "--stance NAME=VALUE")


def _seen(seen: Iterable[str]) -> Mapping[str, Any] | None:
    """Copies as numbers where they are some; anything else is for the reader of hands to refuse."""
    pairs = _pairs(seen, "--seen 3m=3")
    return {tile: int(n) if re.fullmatch("[0-9]{1,4}", n) else n for tile, n in pairs.items()} or None


_OF_FILES = ("source", "target", "bad", "threads", "chunk")
_OF_BOTH = ("rules", "set_", "json")


def _one_way(ctx: click.Context, hand: tuple[str, ...], source: Path | None, target: Path | None) -> None:
    """`score` has one hand or one file; what belongs to the other is refused."""
    from click.core import ParameterSource

    for_files = bool(source or target)
    if not for_files and not hand:
        raise RulespecError([Diagnostic("E923", None, {"word": "HAND"})])
    if for_files and not (source and target):
        raise RulespecError([Diagnostic("E923", None, {"word": "--to" if source else "--from"})])
    for param in ctx.command.params:
        name = param.name or ""
        given = name and ctx.get_parameter_source(name) is not ParameterSource.DEFAULT and ctx.params.get(name)
        if given and name not in _OF_BOTH and (name in _OF_FILES) is not for_files:
            word = param.opts[-1] if isinstance(param, click.Option) else "HAND"
            raise RulespecError([Diagnostic("E978", None, {"word": word})])


# ---- errors ------------------------------------------------------------------------------------


def _print_json(data: object) -> None:
    import json

    text = json.dumps(data, ensure_ascii=False)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(data)  # The same, every other character escaped as JSON does.
    click.echo(text)


def _give_up(diagnostics: Iterable[Diagnostic], as_json: bool, lang: Lang) -> NoReturn:
    """Says why the command could not be carried out and ends it."""
    from pyengine.language import diagnostics as d

    if as_json:
        _print_json({"error": [d.as_json(diagnostic, lang) for diagnostic in diagnostics]})
    else:
        color = sys.stderr is not None and sys.stderr.isatty() and "NO_COLOR" not in os.environ
        click.echo(d.render(diagnostics, lang, color), err=True)
    raise click.exceptions.Exit(NOT_DONE)


@contextmanager
def _told(as_json: bool) -> Iterator[None]:
    """What cannot be used is told, not raised."""
    try:
        yield
    except RulespecError as error:
        _give_up(error.diagnostics, as_json, _lang())


def _screen() -> Screen:
    from pyengine.tools.show import Screen

    return Screen(_lang())


# ---- commands ----------------------------------------------------------------------------------


@rulespec.command("list", cls=_Helped)
@click.argument("names", metavar="[RULES]...", nargs=-1)
@_json
def list_rules(names: tuple[str, ...], json: bool) -> None:
    import pyengine

    if names:
        from pyengine.tools.sheet import sheet, show_sheet

        with _told(json):
            sheets = [sheet(name) for name in names]
        if json:
            _print_json({"rulesets": sheets})
            return
        for found in sheets:
            show_sheet(_screen(), found)
        return
    rulesets = pyengine.rulesets()
    if json:
        _print_json({"rulesets": [{"id": i, "title": title, "path": str(path)} for i, title, path in rulesets]})
    else:
        _screen().table([id_, title] for id_, title, _ in rulesets)


@rulespec.command("check", cls=_Helped)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@_verbose
@_json
def check(files: tuple[str, ...], verbose: bool, json: bool) -> None:
    from pyengine.tools.checking import check_file, show_checked

    checked = [check_file(name) for name in files]
    if json:
        _print_json({"files": [file.as_json(_lang()) for file in checked]})
    else:
        for file in checked:
            show_checked(_screen(), file, verbose)
    if any(file.unreadable for file in checked):
        raise click.exceptions.Exit(NOT_DONE)
    if any(not file.ok for file in checked):
        raise click.exceptions.Exit(JUDGED_BAD)


@rulespec.command("test", cls=_Helped)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
@_set
@_verbose
@click.option("--coverage", is_flag=True)
@click.option("--write-missing", metavar="FILE", type=_file)
@_json
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

    with _told(json):
        run = run_files(paths or (resources.rulesets(),), _options(set_))
        covered = None
        if coverage or write_missing:
            from pyengine.tools import proving

            covered = proving.coverage_of(run, _options(set_))
            proving.write_missing(covered, write_missing)
    if json:
        from pyengine.tools.show_coverage import coverage_as_json

        more = {} if covered is None else {"coverage": [coverage_as_json(found) for found in covered]}
        _print_json(run.as_json(_lang()) | more)
    else:
        show_run(_screen(), run, verbose)
        if covered is not None:
            from pyengine.tools.show_coverage import show_coverage

            for found in covered:
                show_coverage(_screen(), found)
    if run.totals["errors"]:
        raise click.exceptions.Exit(NOT_DONE)
    if run.totals["failed"]:
        raise click.exceptions.Exit(JUDGED_BAD)


@rulespec.command("score", cls=_Helped)
@_rules
@click.argument("hand", metavar="HAND", nargs=-1)
@_tiles
@click.option("--win", metavar="TILE")
@click.option("--by", metavar="HOW", default="点炮")
@_many("flag", "--flag", "FACT")
@click.option("--kong", metavar="KIND")
@click.option("--why", is_flag=True)
@click.option("--from", "source", metavar="FILE", type=_file)
@click.option("--to", "target", metavar="FILE", type=_file)
@click.option("--bad", metavar="FILE", type=_file)
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

    with _told(json):
        _one_way(ctx, hand, source, target)
        ruleset = pyengine.load(rules).with_options(_options(set_))
        if source and target:
            _score_file(ruleset, source, target, bad, chunk, threads, json)
            return
        facts: dict[str, Any] = {"melds": meld, "void": void, "seen": _seen(seen), "stances": _stances(stance)}
        result = ruleset.score(" ".join(hand), win=win, by=by, flags=flag, kong=kong, **facts)
    if json:
        _print_json(result.as_json() | ({"why": result.why(_lang())} if why else {}))
    elif why:
        click.echo(result.why(_lang()))
    else:
        from pyengine.tools.show import show_result

        show_result(_screen(), result)


def _score_file(
    ruleset: Ruleset, source: Path, target: Path, bad: Path | None, chunk: int, threads: int, json: bool
) -> None:
    from pyengine.tools.progress import score_file_shown, summary

    done = score_file_shown(ruleset, source, target, bad, chunk, threads, _lang())
    if json:
        _print_json({"rows": done.rows, "bad": done.bad, "resumed": done.resumed, "to": str(target)})
    else:
        _screen().line(summary(done, bad, _lang()))
    if done.bad:
        raise click.exceptions.Exit(JUDGED_BAD)


@rulespec.command("waits", cls=_Helped)
@_rules
@click.argument("hand", metavar="HAND", nargs=-1, required=True)
@_tiles
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

    with _told(json):
        facts: dict[str, Any] = {"melds": meld, "void": void, "seen": _seen(seen), "stances": _stances(stance)}
        found = pyengine.load(rules).with_options(_options(set_)).waits(" ".join(hand), **facts)
    if json:
        _print_json(waits_as_json(found))
    else:
        show_waits(_screen(), found)


@rulespec.command("settle", cls=_Helped)
@click.argument("rules", metavar="RULES")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@_set
@_json
@click.option("--why", is_flag=True)
def settle(rules: str, file: Path, set_: tuple[str, ...], json: bool, why: bool) -> None:
    import pyengine
    from pyengine.tools.gamefile import load_games
    from pyengine.tools.show import show_settled

    with _told(json):
        options = _options(set_)
        plain = pyengine.load(rules)
        settled = [
            (game.id, plain.with_options({**game.options, **options}).settle(game.game)) for game in load_games(file)
        ]
    if json:
        games = [
            {"id": id_, **result.as_json()} | ({"why": result.why(_lang())} if why else {}) for id_, result in settled
        ]
        _print_json(games[0] if len(games) == 1 else {"games": games})
        return
    for id_, result in settled:
        show_settled(_screen(), id_, result, why, len(settled) > 1)


@rulespec.command("replay", cls=_Helped)
@click.argument("rules", metavar="RULES")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@_set
@_json
@click.option("--why", is_flag=True)
def replay(rules: str, file: Path, set_: tuple[str, ...], json: bool, why: bool) -> None:
    import pyengine
    from pyengine.language.diagnostics import as_json
    from pyengine.tools.replaying import replay_file
    from pyengine.tools.show import show_settled

    with _told(json):
        replayed = list(replay_file(pyengine.load(rules), file, _options(set_)))
    if json:
        games = [
            {"id": r.id}
            | (r.result.as_json() if r.result else {"error": [as_json(d, _lang()) for d in r.diagnostics]})
            | ({"why": r.result.why(_lang())} if why and r.result else {})
            for r in replayed
        ]
        _print_json(games[0] if len(games) == 1 else {"games": games})
    else:
        screen = _screen()
        for game in replayed:
            if game.result:
                show_settled(screen, game.id, game.result, why, len(replayed) > 1)
            else:
                screen.diagnostics(game.diagnostics)
    if any(game.diagnostics for game in replayed):
        raise click.exceptions.Exit(JUDGED_BAD)


@rulespec.command("simulate", cls=_Helped)
@click.argument("rules", metavar="RULES")
@click.option("-n", "hands", metavar="N", type=click.IntRange(1, 10**9), default=10_000)
@click.option("--policy", type=click.Choice(["random", "greedy"]), default="greedy")
@click.option("--seed", metavar="S", type=click.IntRange(0, 2**63 - 1), default=1)
@click.option("--against", metavar="RULES")
@_many("vary", "--vary", "NAME=VALUE")
@click.option("--plot", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--records", metavar="FILE", type=click.Path(path_type=Path))
@_set
@_json
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

    with _told(json):
        options, changes = _options(set_), _pairs(vary, "--vary NAME=VALUE")
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
        _print_json({"policy": policy, "seed": seed, **result.as_json()})
    else:
        simulating.show_simulated(_screen(), result)


def _named(rules: str, options: Mapping[str, str]) -> str:
    return " ".join([rules, *(f"{name}={value}" for name, value in options.items())])


# ---- proofs ------------------------------------------------------------------------------------


_depth = click.option("--depth", type=click.IntRange(0, 3), default=2)


@rulespec.command("prove", cls=_Helped)
@_rules
@_set
@_depth
@_json
def prove(rules: str, set_: tuple[str, ...], depth: int, json: bool) -> None:
    from pyengine.tools import proving, show_proofs

    with _told(json):
        proof = proving.proof_of(rules, _options(set_), depth)
    if json:
        _print_json(show_proofs.proof_as_json(proof, _lang()))
    else:
        show_proofs.show_proof(_screen(), proof)
    if not proof.ok:
        raise click.exceptions.Exit(JUDGED_BAD)


_two = _together(
    click.argument("a", metavar="A"),
    click.argument("b", metavar="B"),
    _set,
    _many("set_a", "--set-a", "NAME=VALUE"),
    _many("set_b", "--set-b", "NAME=VALUE"),
    _json,
)


@rulespec.command("same", cls=_Helped)
@_two
def same(a: str, b: str, set_: tuple[str, ...], set_a: tuple[str, ...], set_b: tuple[str, ...], json: bool) -> None:
    from pyengine.tools import proving, show_proofs

    with _told(json):
        compared = proving.compared(a, b, _options((*set_, *set_a)), _options((*set_, *set_b)))
    if json:
        _print_json(show_proofs.same_as_json(compared))
    else:
        show_proofs.show_same(_screen(), compared)
    if not compared.equal:
        raise click.exceptions.Exit(JUDGED_BAD)


@rulespec.command("diff", cls=_Helped)
@_two
@_depth
def diff(
    a: str,
    b: str,
    set_: tuple[str, ...],
    set_a: tuple[str, ...],
    set_b: tuple[str, ...],
    depth: int,
    json: bool,
) -> None:
    from pyengine.tools import proving, show_proofs
    from pyengine.tools.explore import compare_flows
    from pyengine.tools.meaning import changes_of_text

    with _told(json):
        compared = proving.compared(a, b, _options((*set_, *set_a)), _options((*set_, *set_b)))
    texts, flows = changes_of_text(compared.a, compared.b), compare_flows(compared.a, compared.b, depth)
    if json:
        _print_json(show_proofs.diff_as_json(texts, compared, flows))
    else:
        show_proofs.show_diff(_screen(), texts, compared, flows)


@rulespec.command("hash", cls=_Helped)
@_rules
@_set
@_json
def hash_rules(rules: str, set_: tuple[str, ...], json: bool) -> None:
    from pyengine.tools import proving

    with _told(json):
        digest = proving.hash_of(rules, _options(set_))
    if json:
        _print_json({"ruleset": rules, "hash": digest})
    else:
        click.echo(digest)


@rulespec.command("explain", cls=_Helped)
@click.argument("code", metavar="CODE")
def explain(code: str) -> None:
    from pyengine.language import diagnostics as d

    page = d.help_text(code.upper(), _lang())
    if page is None:
        known = d.closest(code.upper(), d.codes())
        _give_up([Diagnostic("E914", None, {"word": code}, (), known)], False, _lang())
    click.echo(f"{code.upper()}\n\n{page.rstrip()}")


# ---- the way in --------------------------------------------------------------------------------


def _usage_error(error: click.UsageError) -> Diagnostic:
    """A mistake in the command itself, as any other mistake is told."""
    from pyengine.language.diagnostics import closest

    if isinstance(error, click.NoSuchOption):
        known = [flag for p in error.ctx.command.params for flag in p.opts] if error.ctx else []
        return Diagnostic("E922", None, {"word": error.option_name}, (), closest(error.option_name, known))
    if isinstance(error, click.MissingParameter) and error.param:
        name = error.param.metavar or error.param.human_readable_name
        return Diagnostic("E923", None, {"word": name.removesuffix("...")})
    if isinstance(error, _NoSuchCommand):
        return Diagnostic("E921", None, {"word": error.word}, (), closest(error.word, rulespec.commands))
    return Diagnostic("E924", None, {"problem": error.format_message().rstrip(".")})


def main(arguments: list[str] | None = None) -> NoReturn:
    """Runs the command and ends the process."""
    given = sys.argv[1:] if arguments is None else arguments
    escaped = _escape_what_cannot_be_shown()
    try:
        if sys.stdout is None:  # It was closed before the command began.
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        status = _run(given)
        sys.stdout.flush()
        if escaped:
            from pyengine.tools.texts import say

            # In English, since Chinese cannot be shown.
            click.echo(say("show.escaped", "en", encoding=sys.stdout.encoding), err=True)
    except BrokenPipeError:
        status = _unheard(INTERRUPTED)
    except KeyboardInterrupt:
        status = _unheard(INTERRUPTED)
    except OSError as error:
        # Reading a file never ends here: what is wrong with it is told as a diagnostic.
        status = _unheard(NOT_DONE)
        with suppress(OSError, click.exceptions.Exit):
            facts = {"error": error.strerror or str(error)}
            _give_up([Diagnostic("E925", None, facts)], False, _lang_in(given) or default_lang())
    sys.exit(status)


def _escape_what_cannot_be_shown() -> list[str]:
    """On a terminal without Chinese, Chinese is written as escapes; what was is in the list afterwards."""
    escaped: list[str] = []

    def escape(error: UnicodeError) -> tuple[str | bytes, int]:
        escaped.append(str(getattr(error, "object", "")))
        return codecs.backslashreplace_errors(error)

    codecs.register_error("rulespec", escape)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="rulespec")
    return escaped


def _unheard(status: int) -> int:
    """Nobody reads any more.  The interpreter flushes once more at its end, into nothing."""
    with suppress(AttributeError, OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status


def _run(arguments: list[str]) -> int:
    try:
        status = rulespec.main(arguments, "rulespec", standalone_mode=False)
    except click.UsageError as error:
        try:
            _give_up([_usage_error(error)], "--json" in arguments, _lang_in(arguments) or default_lang())
        except click.exceptions.Exit as exit_:
            return exit_.exit_code
    except click.exceptions.Abort:
        return INTERRUPTED
    except SystemExit:  # The commands themselves never exit; click and rich do for a broken pipe.
        raise BrokenPipeError from None
    return status if isinstance(status, int) else 0


if __name__ == "__main__":
    main()
