"""The commands that erase for good, and show that it was done."""

from typing import Annotated

import typer

from mosshead.cli.shell import In, Json, console, in_utc, new_table, open_namespace, print_answer
from mosshead.erasing import Receipt
from mosshead.errors import InvalidEvent

erasing_cli = typer.Typer()


@erasing_cli.command()
def erase(  # noqa: PLR0917 - typer's options are its parameters
    namespace: In,
    memories: Annotated[list[str] | None, typer.Argument(help="The ids of memories.")] = None,
    conversation: Annotated[str | None, typer.Option("--conversation", "-c", help="All that was said there.")] = None,
    entity: Annotated[str | None, typer.Option(help="The id of somebody or something, with all that is known.")] = None,
    everything: Annotated[bool, typer.Option("--everything", help="All of the namespace.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    wait: Annotated[float, typer.Option(help="Seconds to wait for the receipt.")] = 30.0,
    json_output: Json = False,
) -> None:
    """Delete for good, with what rests on it; prints the receipt. It cannot be undone: 'mosshead forget' can."""
    if not yes and not _agreed():
        raise InvalidEvent("nothing was erased; answer y, or give --yes")
    with open_namespace(namespace) as opened:
        erasure_id = opened.erase(memories or (), conversation=conversation, entity=entity, everything=everything)
        if wait:
            opened.wait(timeout=wait)
        receipt = opened.receipt(erasure_id)
    if receipt is None:
        print_answer(json_output, {"event_id": erasure_id}, f"published: {erasure_id}")
    else:
        print_answer(json_output, {"receipt": receipt}, f"erased: {erasure_id}", *map(_row, receipt.rows.items()))


@erasing_cli.command()
def receipts(namespace: In, json_output: Json = False) -> None:
    """What was ever erased in a namespace, the latest first."""
    with open_namespace(namespace) as opened:
        found = opened.receipts()
    shown = new_table("erased (UTC)", "scope", "rows", "kept out since", "gone from the files", "receipt")
    for one in found:
        shown.add_row(*_shown(one))
    print_answer(json_output, {"receipts": found}, shown)


def _agreed() -> bool:
    return console.is_terminal and typer.confirm("This deletes for good. Go on?")


def _row(counted: tuple[str, int]) -> str:
    table, rows = counted
    return f"  {rows} of {table}"


def _shown(one: Receipt) -> tuple[str, ...]:
    rewritten = in_utc(one.rewritten_at) if one.rewritten_at else "not yet"
    return in_utc(one.erased_at), one.scope, str(sum(one.rows.values())), str(one.late), rewritten, str(one.id)
