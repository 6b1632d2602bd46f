"""The way in to the `rulespec` command: it is run, and whatever ends it becomes an exit code."""

from __future__ import annotations

import codecs
import errno
import os
import sys
from contextlib import suppress
from typing import NoReturn

import click

from pyengine.__main__ import INTERRUPTED
from pyengine.commands import games, hands, proofs  # noqa: F401 - each adds its commands
from pyengine.commands.frame import (
    NOT_DONE,
    NoSuchCommand,
    give_up,
    lang_in,
    rulespec,
)
from pyengine.language.diagnostics import Diagnostic, default_lang


def _usage_error(error: click.UsageError) -> Diagnostic:
    """A mistake in the command itself, as any other mistake is told."""
    from pyengine.language.diagnostics import closest

    if isinstance(error, click.NoSuchOption):
        known = [flag for p in error.ctx.command.params for flag in p.opts] if error.ctx else []
        return Diagnostic("E922", None, {"word": error.option_name}, (), closest(error.option_name, known))
    if isinstance(error, click.MissingParameter) and error.param:
        name = error.param.metavar or error.param.human_readable_name
        return Diagnostic("E923", None, {"word": name.removesuffix("...")})
    if isinstance(error, NoSuchCommand):
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
            give_up([Diagnostic("E925", None, facts)], False, lang_in(given) or default_lang())
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
            give_up([_usage_error(error)], "--json" in arguments, lang_in(arguments) or default_lang())
        except click.exceptions.Exit as exit_:
            return exit_.exit_code
    except click.exceptions.Abort:
        return INTERRUPTED
    except SystemExit:  # The commands themselves never exit; click and rich do for a broken pipe.
        raise BrokenPipeError from None
    return status if isinstance(status, int) else 0


if __name__ == "__main__":
    main()
