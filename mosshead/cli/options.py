"""The options that the commands of the library share, and what they do with them."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

import typer

from mosshead.api.memory import Memory
from mosshead.api.namespace import Namespace
from mosshead.cli.output import print_answer


def _opened(command: typer.Context, namespace: str) -> Namespace:
    """The namespace of a command, by the settings of the environment, until the command ends."""
    # What is published needs no Postgres, and what is read says itself where that is away.
    return command.with_resource(Memory.connect(check=False)).namespace(*namespace.split("/"))


In = Annotated[
    Namespace,
    typer.Option(
        "--namespace",
        "-n",
        envvar="MOSSHEAD_NAMESPACE",
        help="Tenant first, such as acme/sarah_123.",
        parser=str,
        callback=_opened,
    ),
]
AsOf = Annotated[
    datetime | None,
    typer.Option(
        "--as-of",
        formats=["%Y-%m-%dT%H:%M:%S.%f%z", "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%dT%H:%M%z"],
        help="As it was known then, such as 2026-03-02T09:00:00+00:00.",
    ),
]
Conversation = Annotated[str | None, typer.Option("--conversation", "-c")]
Wait = Annotated[float, typer.Option(help="Seconds to wait until it is carried out.")]


def print_published(
    namespace: Namespace, event_id: UUID, wait: float, *, as_json: bool, name: str = "event_id"
) -> None:
    """What was published, by the id that the command gives, once it is carried out. wait: so many seconds at most."""
    if wait:
        namespace.wait(timeout=wait)
    print_answer(as_json, {name: event_id}, f"published: {event_id}")
