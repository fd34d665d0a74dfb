"""Options shared by the library's commands."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

import typer

from mosshead.api.memory import Memory
from mosshead.api.namespace import Namespace
from mosshead.cli.output import print_answer


def _opened(command: typer.Context, namespace: str) -> Namespace:
    """Open the command's namespace with the settings of the environment; it is closed when the command ends."""
    # Publishing needs no Postgres, and reads report an outage themselves.
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
        help="Read what was known at this time, such as 2026-03-02T09:00:00+00:00.",
    ),
]
Conversation = Annotated[str | None, typer.Option("--conversation", "-c")]
Wait = Annotated[float, typer.Option(help="Seconds to wait until the service has applied it.")]


def print_published(
    namespace: Namespace, event_id: UUID, wait: float, *, as_json: bool, name: str = "event_id"
) -> None:
    """Print the id of what was published, after waiting up to ``wait`` seconds until the service has applied it."""
    if wait:
        namespace.wait(timeout=wait)
    print_answer(as_json, {name: event_id}, f"published: {event_id}")
