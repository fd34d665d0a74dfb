"""How fast conversations become memories: through the real queue and the real workers, by the offline rules.

    python -m benchmarks.ingest --data locomo.json [--json]

--data: a file of LoCoMo (snap-research/LoCoMo; CC BY-NC 4.0, so bring your own), each conversation of which becomes a namespace.
Both speakers speak as users, each by name, at the times of their sessions. Starts a machine of its own, checks afterwards that
every message stands in the inbox exactly once and took effect in order, and removes the machine.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import psycopg
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from config.logging import configure_logging
from config.settings import Settings
from db.schema.migrate import migrate
from mosshead import Memory, Namespace
from workers.local import Addresses, processes, servers

_SESSION_TIME = "%I:%M %p on %d %B, %Y"
_BETWEEN_TURNS = timedelta(seconds=20)
_PATIENCE_SECONDS = 1800.0
_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Result:
    """What a run shows. messages_per_second: from the first publish until all lanes are drained and all profiles refreshed.

    missing, doubled, out_of_order: published messages that the inbox lacks, holds twice, or holds in another order; undone: those
    that did not take effect. All four must be 0.
    """

    conversations: int
    messages: int
    publish_seconds: float
    seconds: float
    messages_per_second: float
    batches: int
    llm_calls: int
    memories: int
    entities: int
    missing: int
    doubled: int
    out_of_order: int
    undone: int

    @property
    def sound(self) -> bool:
        """Whether every message arrived once, in order, and took effect."""
        return not (self.missing or self.doubled or self.out_of_order or self.undone)


def main(
    data: Annotated[Path, typer.Option(help="A file of LoCoMo.", exists=True, dir_okay=False)],
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Drive conversations through the real queue and workers, and check what arrived."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        os.environ.pop(name, None)  # what is measured is the offline rules, at no cost
    conversations = dict(read_conversations(data))
    console = Console(stderr=True, quiet=json_only)
    folder = Path(tempfile.mkdtemp(prefix="mosshead-ingest-"))
    try:
        result = _run(conversations, folder, console)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps(asdict(result)))
    sys.exit(0 if result.sound else 1)


def read_conversations(data: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The conversations of a file of LoCoMo, by sample id, each as messages for `Namespace.publish_conversation`."""
    for sample in json.loads(data.read_text(encoding="utf-8")):
        conversation = sample["conversation"]
        numbers = sorted(
            int(key.split("_")[1]) for key in conversation if key.startswith("session_") and key.count("_") == 1
        )
        yield sample["sample_id"], [message for number in numbers for message in _session(conversation, number)]


def _session(conversation: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    started = datetime.strptime(conversation[f"session_{number}_date_time"], _SESSION_TIME).replace(tzinfo=UTC)
    for place, turn in enumerate(conversation[f"session_{number}"]):
        yield {
            "role": "user",
            "speaker": turn["speaker"],
            "content": turn.get("text", ""),  # a turn may be a picture alone
            "conversation": f"session-{number}",
            "occurred_at": started + place * _BETWEEN_TURNS,
            "metadata": {"turn": turn["dia_id"]},
        }


def _run(conversations: dict[str, list[dict[str, Any]]], folder: Path, console: Console) -> Result:
    settings = Settings(data_dir=folder, flower_port=0, database_url=None, broker_url=None, log_level="warning")
    configure_logging(settings)
    with servers(settings) as addresses:
        assert addresses.admin_url is not None
        migrate(addresses.admin_url, {})
        with processes(addresses, to_logs=True), _memory(addresses) as memory:
            namespaces = {name: memory.namespace("ingest", name) for name in conversations}
            started = time.monotonic()
            published = _publish(conversations, namespaces, console)
            publish_seconds = time.monotonic() - started
            _drain(namespaces, sum(map(len, published.values())), console)
            seconds = time.monotonic() - started
        return _result(addresses.admin_url, published, namespaces, publish_seconds, seconds)


def _memory(addresses: Addresses) -> Memory:
    return Memory.connect(database_url=addresses.database_url, broker_url=addresses.broker_url)


def _publish(
    conversations: dict[str, list[dict[str, Any]]], namespaces: dict[str, Namespace], console: Console
) -> dict[str, list[UUID]]:
    with _bar(console) as bar:
        task = bar.add_task("publishing", total=sum(map(len, conversations.values())))
        return {
            name: namespaces[name].publish_conversation(messages, on_sent=lambda: bar.advance(task))
            for name, messages in conversations.items()
        }


def _drain(namespaces: dict[str, Namespace], total: int, console: Console) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    with _bar(console) as bar:
        task = bar.add_task("consolidating", total=total)
        while time.monotonic() < deadline:
            progress = [namespace.progress() for namespace in namespaces.values()]
            done = sum(sum(one.consolidated.values()) for one in progress)
            bar.update(task, completed=done)
            if done == total and not any(one.pending or one.at_work for one in progress):
                return
            time.sleep(_POLL_SECONDS)
    raise TimeoutError(f"not drained after {_PATIENCE_SECONDS:g} s")


def _result(
    admin_url: str,
    published: dict[str, list[UUID]],
    namespaces: dict[str, Namespace],
    publish_seconds: float,
    seconds: float,
) -> Result:
    with psycopg.connect(admin_url) as connection:
        arrived = {name: _arrived(connection, namespace) for name, namespace in namespaces.items()}
        (batches, llm_calls, memories, entities), undone = _counts(connection), _undone(connection)
    messages = sum(map(len, published.values()))
    return Result(
        conversations=len(published),
        messages=messages,
        publish_seconds=round(publish_seconds, 2),
        seconds=round(seconds, 1),
        messages_per_second=round(messages / seconds, 1),
        batches=batches,
        llm_calls=llm_calls,
        memories=memories,
        entities=entities,
        missing=sum(len(set(sent) - set(arrived[name])) for name, sent in published.items()),
        doubled=sum(len(ids) - len(set(ids)) for ids in arrived.values()),
        out_of_order=sum(
            one != other for name, sent in published.items() for one, other in zip(sent, arrived[name], strict=False)
        ),
        undone=undone,
    )


def _arrived(connection: psycopg.Connection, namespace: Namespace) -> list[UUID]:
    """The ids of a namespace's events in the order in which their batches took them up."""
    rows = connection.execute(
        """
        select event.event_id from mosshead.events as event
        join mosshead.batches as batch using (tenant_id, namespace_id, batch_id)
        where event.namespace_id = %s order by batch.created_at, event.position
        """,
        (namespace.path.namespace_id,),
    )
    return [event_id for (event_id,) in rows]


def _counts(connection: psycopg.Connection) -> tuple[int, int, int, int]:
    row = connection.execute("""
        select (select count(*) from mosshead.batches), (select count(*) from mosshead.usage),
               (select count(*) from mosshead.memories where known_to is null and state = 'active'),
               (select count(*) from mosshead.entities)
    """).fetchone()
    assert row is not None
    batches, llm_calls, memories, entities = row
    return batches, llm_calls, memories, entities


def _undone(connection: psycopg.Connection) -> int:
    row = connection.execute("select count(*) from mosshead.events where state <> 'done'").fetchone()
    assert row is not None
    return int(row[0])


def _bar(console: Console) -> Progress:
    columns = (TextColumn("{task.description:14}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console)


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
