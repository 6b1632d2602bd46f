"""What all commands share: help in two languages, arguments, how refusals are told, exit codes.

0 all well; 1 the input was judged and failed; 2 the command could not be carried out.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from pyengine.language.diagnostics import Diagnostic, Lang, RulespecError, default_lang

if TYPE_CHECKING:
    from pyengine.tools.show import Screen

F = TypeVar("F", bound=Callable[..., Any])

JUDGED_BAD = 1
NOT_DONE = 2


# ---- help pages and languages ------------------------------------------------------------------


def current_lang(ctx: click.Context | None = None) -> Lang:
    """The language that was asked for, else that of the locale."""
    ctx = ctx or click.get_current_context(silent=True)
    lang: Lang | None = ctx.find_root().meta.get("lang") if ctx else None
    return lang or default_lang()


def lang_in(arguments: list[str]) -> Lang | None:
    """The language that some arguments ask for, wherever it stands among them."""
    for before, argument in zip(["", *arguments], arguments, strict=False):
        value = argument if before == "--lang" else argument.partition("--lang=")[2]
        if value in ("zh", "en"):
            return "zh" if value == "zh" else "en"
    return None


class Helped(click.Command):
    """A command whose help is looked up in the language asked for."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.append(click.Option(["--lang"], type=click.Choice(["zh", "en"]), expose_value=False))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        lang = lang_in(args)
        if lang:
            ctx.find_root().meta["lang"] = lang
        return super().parse_args(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        self.look_up(ctx)
        return super().get_help(ctx)

    def look_up(self, ctx: click.Context) -> None:
        from pyengine.tools.texts import help_page

        lang = current_lang(ctx)
        self.help = help_page(f"help.{self.name}" if ctx.parent else "help", lang)
        for option in self.params:
            if isinstance(option, click.Option):
                option.help = help_page(f"help.{option.opts[-1].lstrip('-')}", lang)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        option = super().get_help_option(ctx)
        if option:
            from pyengine.tools.texts import help_page

            option.help = help_page("help.help", current_lang(ctx))
        return option


class NoSuchCommand(click.UsageError):
    def __init__(self, word: str, ctx: click.Context) -> None:
        super().__init__(word, ctx)
        self.word = word


class _Commands(Helped, click.Group):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args:
            click.echo(self.get_help(ctx), err=True)
            ctx.exit(NOT_DONE)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands and not args[0].startswith("-"):
            raise NoSuchCommand(args[0], ctx)
        return super().resolve_command(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        for command in self.commands.values():
            if isinstance(command, Helped):
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


def many_option(name: str, flag: str, metavar: str) -> Callable[[F], F]:
    return click.option(flag, name, multiple=True, metavar=metavar)


def together(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    def apply(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return apply


json_option = click.option("--json", "json", is_flag=True)
set_option = many_option("set_", "--set", "NAME=VALUE")
verbose_option = click.option("-v", "--verbose", is_flag=True)
rules_argument = click.argument("rules", metavar="RULES")
hand_options = together(
    many_option("meld", "--meld", "MELD"),
    click.option("--void", metavar="SUIT"),
    many_option("seen", "--seen", "TILE=N"),
    many_option("stance", "--stance", "NAME=VALUE"),
    set_option,
    json_option,
)
FILE = click.Path(path_type=Path)


def pairs_of(texts: Iterable[str], form: str) -> dict[str, str]:
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


def options_of(set_: Iterable[str]) -> dict[str, str]:
    return pairs_of(set_, "--set NAME=VALUE")


def stances_of(stance: Iterable[str]) -> dict[str, str]:
    return pairs_of(stance, "--stance NAME=VALUE")


def seen_of(seen: Iterable[str]) -> Mapping[str, Any] | None:
    """Copies as numbers where they are some; anything else is for the reader of hands to refuse."""
    pairs = pairs_of(seen, "--seen 3m=3")
    return {tile: int(n) if re.fullmatch("[0-9]{1,4}", n) else n for tile, n in pairs.items()} or None


_OF_FILES = ("source", "target", "bad", "threads", "chunk")
_OF_BOTH = ("rules", "set_", "json")


def one_way(ctx: click.Context, hand: tuple[str, ...], source: Path | None, target: Path | None) -> None:
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


def print_json(data: object) -> None:
    import json

    text = json.dumps(data, ensure_ascii=False)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(data)  # The same, every other character escaped as JSON does.
    click.echo(text)


def give_up(diagnostics: Iterable[Diagnostic], as_json: bool, lang: Lang) -> NoReturn:
    """Says why the command could not be carried out and ends it."""
    from pyengine.language import diagnostics as d

    if as_json:
        print_json({"error": [d.as_json(diagnostic, lang) for diagnostic in diagnostics]})
    else:
        color = sys.stderr is not None and sys.stderr.isatty() and "NO_COLOR" not in os.environ
        click.echo(d.render(diagnostics, lang, color), err=True)
    raise click.exceptions.Exit(NOT_DONE)


@contextmanager
def telling(as_json: bool) -> Iterator[None]:
    """What cannot be used is told, not raised."""
    try:
        yield
    except RulespecError as error:
        give_up(error.diagnostics, as_json, current_lang())


def new_screen() -> Screen:
    from pyengine.tools.show import Screen

    return Screen(current_lang())
