"""Commands that look at every hand: prove, same, diff, hash."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pyengine.commands.frame import (
    JUDGED_BAD,
    Helped,
    current_lang,
    json_option,
    many_option,
    new_screen,
    options_of,
    print_json,
    rules_argument,
    rulespec,
    set_option,
    telling,
    together,
)

if TYPE_CHECKING:
    pass

_depth = click.option("--depth", type=click.IntRange(0, 3), default=2)


@rulespec.command("prove", cls=Helped)
@rules_argument
@set_option
@_depth
@json_option
def prove(rules: str, set_: tuple[str, ...], depth: int, json: bool) -> None:
    from pyengine.tools import proving, show_proofs
    from pyengine.tools.progress import looking

    with telling(json), looking(current_lang()):
        proof = proving.proof_of(rules, options_of(set_), depth)
    if json:
        print_json(show_proofs.proof_as_json(proof, current_lang()))
    else:
        show_proofs.show_proof(new_screen(), proof)
    if not proof.ok:
        raise click.exceptions.Exit(JUDGED_BAD)


_two = together(
    click.argument("a", metavar="A"),
    click.argument("b", metavar="B"),
    set_option,
    many_option("set_a", "--set-a", "NAME=VALUE"),
    many_option("set_b", "--set-b", "NAME=VALUE"),
    json_option,
)


@rulespec.command("same", cls=Helped)
@_two
def same(a: str, b: str, set_: tuple[str, ...], set_a: tuple[str, ...], set_b: tuple[str, ...], json: bool) -> None:
    from pyengine.tools import proving, show_proofs
    from pyengine.tools.progress import looking

    with telling(json), looking(current_lang()):
        compared = proving.compared(a, b, options_of((*set_, *set_a)), options_of((*set_, *set_b)))
    if json:
        print_json(show_proofs.same_as_json(compared))
    else:
        show_proofs.show_same(new_screen(), compared)
    if not compared.equal:
        raise click.exceptions.Exit(JUDGED_BAD)


@rulespec.command("diff", cls=Helped)
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
    from pyengine.tools.progress import looking

    with telling(json), looking(current_lang()):
        compared = proving.compared(a, b, options_of((*set_, *set_a)), options_of((*set_, *set_b)))
    texts, flows = changes_of_text(compared.a, compared.b), compare_flows(compared.a, compared.b, depth)
    if json:
        print_json(show_proofs.diff_as_json(texts, compared, flows))
    else:
        show_proofs.show_diff(new_screen(), texts, compared, flows)


@rulespec.command("hash", cls=Helped)
@rules_argument
@set_option
@json_option
def hash_rules(rules: str, set_: tuple[str, ...], json: bool) -> None:
    from pyengine.tools import proving
    from pyengine.tools.progress import looking

    with telling(json), looking(current_lang()):
        digest = proving.hash_of(rules, options_of(set_))
    if json:
        print_json({"ruleset": rules, "hash": digest})
    else:
        click.echo(digest)
