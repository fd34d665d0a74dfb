"""The commands about prompts: which there are, how one is and was, what changed, and back to an earlier text."""

from typing import Annotated

import typer
from rich.markup import escape
from rich.text import Text

from mosshead.cli.shell import In, Json, in_utc, new_table, open_namespace, print_answer, spelt_out

prompts_cli = typer.Typer(help="The prompts that the app keeps here, in versions.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="The prompt's name.")]


@prompts_cli.command("list")
def list_prompts(namespace: In, json_output: Json = False) -> None:
    """Every prompt as it is now."""
    with open_namespace(namespace) as opened:
        found = opened.prompts()
    shown = new_table("name", "version", "since (UTC)", "made by", "feedback waiting", "reason")
    for one in found:
        when, waiting = in_utc(one.at), str(one.feedback_waiting)
        shown.add_row(escape(one.name), str(one.version), when, escape(one.made_by), waiting, escape(one.reason))
    print_answer(json_output, {"prompts": found}, shown)


@prompts_cli.command()
def show(
    namespace: In,
    name: Name,
    version: Annotated[int | None, typer.Option(help="As it was; the latest by default.")] = None,
    json_output: Json = False,
) -> None:
    """The text of a prompt."""
    with open_namespace(namespace) as opened:
        found = opened.prompt(name, version=version)
    print_answer(json_output, {"prompt": found}, Text(spelt_out(found.text)))


@prompts_cli.command()
def versions(namespace: In, name: Name, json_output: Json = False) -> None:
    """Every version of a prompt, the first in front."""
    with open_namespace(namespace) as opened:
        found = opened.prompt_versions(name)
    shown = new_table("version", "since (UTC)", "made by", "reason")
    for one in found:
        shown.add_row(str(one.version), in_utc(one.at), escape(one.made_by), escape(one.reason))
    print_answer(json_output, {"versions": found}, shown)


@prompts_cli.command()
def diff(
    namespace: In,
    name: Name,
    old: Annotated[int, typer.Argument(help="A version.")],
    new: Annotated[int, typer.Argument(help="Another.")],
    json_output: Json = False,
) -> None:
    """What changed in a prompt from one version to another."""
    with open_namespace(namespace) as opened:
        found = opened.diff_prompt(name, old, new)
    print_answer(json_output, {"diff": found}, Text(spelt_out(found)))


@prompts_cli.command()
def rollback(
    namespace: In,
    name: Name,
    to: Annotated[int, typer.Argument(help="The version whose text comes back.")],
    wait: Annotated[float, typer.Option(help="Seconds to wait until it is carried out.")] = 0.0,
    json_output: Json = False,
) -> None:
    """Bring an earlier text back, as a new version."""
    with open_namespace(namespace) as opened:
        event_id = opened.roll_back_prompt(name, to=to)
        if wait:
            opened.wait(timeout=wait)
    print_answer(json_output, {"event_id": event_id}, f"published: {event_id}")
