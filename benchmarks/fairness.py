"""One tenant imports many messages while another chats: how long the chat waits, without and with the import beside it.

    python -m benchmarks.fairness [--messages 20000] [--json]

Both tenants publish through one process and one spool, and share a Celery worker of four processes, with default settings and an
LLM whose answers take 150 to 250 ms. The chat is eight people's, of whom one says something each second. The import has to
outlast the chat, or the run shows nothing.
"""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import cycle, islice
from threading import Event, Thread
from typing import Annotated

import psycopg
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.lag import Lag, lag_of
from benchmarks.rig import Rig, rig
from benchmarks.sentences import sentences
from mosshead import Memory
from mosshead.api.settings import client_settings, open_spool
from mosshead.paths import NamespacePath
from mosshead.publishing.queue import EventQueue
from mosshead.publishing.spool import Spool
from workers.local import wait_until

_PROCESSES = 4
_PAUSE = (0.15, 0.25)
_PEOPLE = 8
_EVERY_SECONDS = 1.0
_IMPORTER, _CHATTER = "importer", "chatter"
_MOST_DELAY_SECONDS = 2.0
_PATIENCE_SECONDS = 120.0
_SAMPLE_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Import:
    """The import, when the chat ended. publish_seconds: until the app had published all of it; None where it never had."""

    messages: int
    namespaces: int
    consolidated: int
    seconds: float
    publish_seconds: float | None


@dataclass(slots=True)
class Waiting:
    """The most events that waited at each place: in the spool, in the queue in Redis, in the inbox."""

    spool: int = 0
    queue: int = 0
    inbox: int = 0


@dataclass(frozen=True, slots=True)
class Talk:
    """A time of the chat. lag_s: from publish until it took effect; publish_ms: what the app waited for each."""

    lag_s: Lag
    publish_ms: Lag


@dataclass(frozen=True, slots=True)
class Result:
    """What a run shows."""

    imported: Import
    alone: Talk
    beside: Talk
    waiting: Waiting

    @property
    def holds(self) -> bool:
        """Whether the import, which was still going on, delayed the chat by two seconds at most."""
        going_on = 0 < self.imported.consolidated < self.imported.messages
        return going_on and self.beside.lag_s.p95 <= self.alone.lag_s.p95 + _MOST_DELAY_SECONDS

    def as_dict(self) -> dict[str, object]:
        """The JSON object."""
        return {
            "import": asdict(self.imported),
            "chat_lag_s": {"alone": asdict(self.alone.lag_s), "beside": asdict(self.beside.lag_s)},
            "chat_publish_ms": {"alone": asdict(self.alone.publish_ms), "beside": asdict(self.beside.publish_ms)},
            "spool_max": self.waiting.spool,
            "queue_max": self.waiting.queue,
            "inbox_max": self.waiting.inbox,
        }


def main(
    messages: Annotated[int, typer.Option(min=100, help="Of the import.")] = 20_000,
    namespaces: Annotated[int, typer.Option(min=1, help="Of the import.")] = 500,
    seconds: Annotated[
        float, typer.Option(min=10, help="Of the chat beside the import; alone, it lasts a third.")
    ] = 75,
    embedder: Annotated[str, typer.Option(help="MOSSHEAD_EMBEDDER.")] = "openai:fake@256",
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Chat alone, then beside an import."""
    with (
        rig(concurrency=_PROCESSES, pause=_PAUSE, settings={"MOSSHEAD_EMBEDDER": embedder}) as made,
        made.memory() as memory,
    ):
        made.warm_up(memory)
        alone = _talked(made, memory, "alone", seconds / 3)
        started = time.time()
        importing = _Importing(memory, conversations(messages, namespaces))
        with _watched(made) as waiting:
            importing.start()
            beside = _talked(made, memory, "beside", seconds)
        took = time.time() - started
        done = _consolidated(made)
        importing.stop()
    imported = Import(messages, namespaces, done, round(took, 1), importing.seconds)
    result = Result(imported, alone, beside, waiting)
    _show(result, Console(stderr=True, quiet=json_only))
    print(json.dumps(result.as_dict()))
    sys.exit(0 if result.holds else 1)


def conversations(messages: int, namespaces: int) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """The import: one conversation of each person, all of about the same length."""
    for place in range(namespaces):
        each = messages // namespaces + (place < messages % namespaces)
        name = f"imported_{place}"
        yield name, [{"role": "user", "content": text} for text in islice(sentences(name), each)]


class _Importing:
    """The import, in a thread of the app. seconds: that it took to publish all of it; None before that."""

    def __init__(self, memory: Memory, said: Iterator[tuple[str, list[dict[str, str]]]]) -> None:
        self.seconds: float | None = None
        self._memory = memory
        self._said = said
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="import")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        started = time.monotonic()
        for name, messages in self._said:
            if self._stopping.is_set():
                return
            self._memory.namespace(_IMPORTER, name).publish_conversation(messages, conversation="import")
        self.seconds = round(time.monotonic() - started, 1)


def _talked(made: Rig, memory: Memory, conversation: str, seconds: float) -> Talk:
    """Chat for so many seconds, then wait until all that was said took effect."""
    people = cycle([(f"person_{place}", sentences(f"{conversation}/{place}")) for place in range(_PEOPLE)])
    ends, waits, said = time.monotonic() + seconds, [], 0
    while time.monotonic() < ends:
        name, texts = next(people)
        begun = time.perf_counter()
        memory.namespace(_CHATTER, name).publish(next(texts), conversation=conversation)
        waits.append((time.perf_counter() - begun) * 1000)
        said += 1
        time.sleep(_EVERY_SECONDS)
    wait_until(lambda: len(_lags(made, conversation)) >= said, _PATIENCE_SECONDS, "the effect of the chat")
    return Talk(lag_s=lag_of(_lags(made, conversation)), publish_ms=lag_of(waits))


def _lags(made: Rig, conversation: str) -> list[float]:
    """Seconds from publish until it took effect, of what did. One machine has one clock."""
    rows = made.rows(
        """
        select extract(epoch from batch.applied_at - event.occurred_at)::float
        from mosshead.events as event join mosshead.batches as batch using (tenant_id, namespace_id, batch_id)
        where event.tenant_id = %s and event.conversation_id = %s and event.state = 'done'
        """,
        _tenant(_CHATTER),
        conversation,
    )
    return [lag for (lag,) in rows]


def _consolidated(made: Rig) -> int:
    statement = "select count(*) from mosshead.events where tenant_id = %s and state = 'done'"
    return int(made.rows(statement, _tenant(_IMPORTER))[0][0])


def _tenant(name: str) -> object:
    return NamespacePath((name, "anyone")).tenant_id


@contextmanager
def _watched(made: Rig) -> Iterator[Waiting]:
    """What waited where, looked at twice a second inside the block."""
    settings = client_settings(database_url=made.addresses.database_url, broker_url=made.addresses.broker_url)
    spool, queue = open_spool(settings), EventQueue(made.addresses.broker_url)
    waiting, over = Waiting(), Event()

    def watch() -> None:
        with made.database() as database:
            while not over.wait(_SAMPLE_SECONDS):
                _look(waiting, spool, queue, database)

    thread = Thread(target=watch, name="watch")
    thread.start()
    try:
        yield waiting
    finally:
        over.set()
        thread.join()
        spool.close()
        queue.close()


def _look(waiting: Waiting, spool: Spool, queue: EventQueue, database: psycopg.Connection) -> None:
    row = database.execute("select coalesce(sum(pending), 0) from mosshead.lanes").fetchone()
    waiting.inbox = max(waiting.inbox, int(row[0]) if row else 0)
    waiting.queue = max(waiting.queue, queue.length())
    waiting.spool = max(waiting.spool, spool.held().events)


def _show(result: Result, console: Console) -> None:
    table = Table(title="What the chat waited for")
    for column in ("", "p50", "p95", "max"):
        table.add_column(column, justify="right")
    rows: Sequence[tuple[str, Lag]] = (
        ("until it took effect, alone, s", result.alone.lag_s),
        ("beside the import, s", result.beside.lag_s),
        ("in publish, alone, ms", result.alone.publish_ms),
        ("beside the import, ms", result.beside.publish_ms),
    )
    for name, lag in rows:
        table.add_row(name, *(f"{value:g}" for value in (lag.p50, lag.p95, lag.max)))
    console.print(table)
    console.print(_about_the_import(result), soft_wrap=True)


def _about_the_import(result: Result) -> str:
    done, took, waiting = result.imported.consolidated, result.imported.seconds, result.waiting
    return (
        f"The import: {done:,} of {result.imported.messages:,} messages in {took:g} s, {done / took:.0f} a second; "
        f"at most {waiting.spool:,} waited in the spool, {waiting.queue:,} in Redis, {waiting.inbox:,} in the inbox.\n"
        f"A million would take {1_000_000 * took / max(done, 1) / 3600:.1f} hours at this rate. The chat's lag beside it depends "
        "on the share of the workers' processes that an import may have, on how busy the processors are, and on how many "
        "namespaces of the import wait; not on how many messages wait in each."
    )


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
