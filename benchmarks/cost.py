"""What a message costs: processor time by process, messages a second and lag, beside a Celery task that does nothing.

    python -m benchmarks.cost [--json]

The LLM answers at once, in a process that is not counted: what is left is the pipeline's own. Two loads: an import, 2,000
messages in 50 namespaces as fast as the app publishes them, and a chat, in which 20 people and their assistant say a message each
in turns, 5 pairs a second. The import is measured with the local embedder and the offline rules, too. The tasks that do nothing
go through the same worker and the same Redis in the same run.
"""

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Annotated, Any

import psutil
import redis
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.lag import Lag, lag_of
from benchmarks.noop import noop
from benchmarks.processor_time import milliseconds_each, processor_seconds
from benchmarks.rig import Rig, rig
from benchmarks.sentences import sentences
from mosshead import Memory
from workers.local import wait_until

_PROCESSES = 2
_AT_ONCE = (0.0, 0.0)
_FAKE, _LOCAL = "openai:fake@256", "minilm"
_TASKS = "mosshead:tasks:"
_PAIRS_A_SECOND = 5
_TALKING = 20
_IDLE_SECONDS = 5
_PATIENCE_SECONDS = 600.0
_KEYS = {"scheduler": "sweeper"}
"""Keys of the JSON that are not the names of their processes: figures of earlier versions have them."""

Spoken = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Row:
    """One load. seconds: from the first publish until the last message took effect, the debounce of 2 s included.

    processor_ms: by process, for each message; the publisher's until all was received, the others' until all was at rest.
    lag_s: from publish until it took effect. undone: messages without effect; must be 0.
    """

    load: str
    llm: str
    embedder: str
    messages: int
    namespaces: int
    batches: int
    seconds: float
    messages_per_second: float
    lag_s: Lag
    processor_ms: dict[str, float]
    undone: int


@dataclass(frozen=True, slots=True)
class Noop:
    """Tasks that do nothing. seconds: from the first send until the last was acknowledged."""

    tasks: int
    seconds: float
    tasks_per_second: float
    processor_ms: dict[str, float]


@dataclass(frozen=True, slots=True)
class Result:
    """What a run shows.

    idle_ms_per_second: by process, while nothing is published. processor_ratio: what a message of each load costs, in tasks that
    do nothing.
    """

    processors: int
    worker_processes: int
    idle_ms_per_second: dict[str, float]
    loads: tuple[Row, ...]
    noop: Noop

    @property
    def processor_ratio(self) -> dict[str, float]:
        """By load, LLM and embedder."""
        task = self.noop.processor_ms["total"]
        return {name_of(row): round(row.processor_ms["total"] / task, 1) for row in self.loads}


def main(
    messages: Annotated[int, typer.Option(min=50, help="Of the import.")] = 2000,
    seconds: Annotated[int, typer.Option(min=5, help="Of the chat.")] = 30,
    tasks: Annotated[int, typer.Option(min=100, help="That do nothing.")] = 5000,
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Measure the loads, and the tasks that do nothing."""
    with rig(
        concurrency=_PROCESSES, pause=_AT_ONCE, app="benchmarks.noop", settings={"MOSSHEAD_EMBEDDER": _FAKE}
    ) as made:
        idle = _idle(made)
        loads = [
            _measured(made, "import", imported(messages), seconds=0.0),
            _measured(made, "chat", spoken(_PAIRS_A_SECOND * seconds), seconds=seconds),
        ]
        noops = _noops(made, tasks)
    with rig(concurrency=_PROCESSES, pause=None, settings={"MOSSHEAD_EMBEDDER": _LOCAL}) as made:
        loads.append(_measured(made, "import", imported(messages), seconds=0.0))
    result = Result(psutil.cpu_count() or 1, _PROCESSES, idle, tuple(loads), noops)
    _show(result, Console(stderr=True, quiet=json_only))
    print(json.dumps({**asdict(result), "processor_ratio": result.processor_ratio}))
    sys.exit(1 if any(row.undone for row in loads) else 0)


def name_of(row: Row) -> str:
    """What tells a load from the others."""
    return f"{row.load}, {row.llm}, {row.embedder}"


def by_key(pids: Mapping[str, int]) -> dict[str, int]:
    """Processes by their key in the JSON."""
    return {_KEYS.get(name, name): pid for name, pid in pids.items()}


def imported(messages: int, namespaces: int = 50) -> list[Spoken]:
    """An import: namespace after namespace, each with the messages of one person."""
    each = messages // namespaces
    return [
        (name, {"role": "user", "content": text, "conversation": "import"})
        for name in (f"imported_{place}" for place in range(namespaces))
        for text in islice(sentences(name), each)
    ]


def spoken(pairs: int) -> list[Spoken]:
    """A chat: people in turns, each followed by the assistant."""
    people = {name: sentences(name) for name in (f"person_{place}" for place in range(_TALKING))}
    names = list(people)
    return [one for turn in range(pairs) for one in _pair(names[turn % _TALKING], next(people[names[turn % _TALKING]]))]


def _pair(name: str, text: str) -> Iterator[Spoken]:
    yield name, {"role": "user", "content": text, "conversation": "chat"}
    yield name, {"role": "assistant", "content": "I see. What else is new?", "conversation": "chat"}


def _idle(made: Rig) -> dict[str, float]:
    with made.memory() as memory:
        made.warm_up(memory)
    before = processor_seconds(by_key(made.pids()))
    time.sleep(_IDLE_SECONDS)
    return milliseconds_each(before, processor_seconds(by_key(made.pids())), _IDLE_SECONDS)


def _measured(made: Rig, load: str, said: Sequence[Spoken], *, seconds: float) -> Row:
    """One load, spread over so many seconds."""
    names = sorted({name for name, _ in said})
    with made.memory() as memory:
        there = made.warm_up(memory)
        before, own_before, started = processor_seconds(by_key(made.pids())), time.process_time(), time.time()
        _publish(memory, load, said, seconds / len(said))
        made.await_received(there + len(said), within=_PATIENCE_SECONDS)
        own = time.process_time() - own_before
        made.await_done(there + len(said), within=_PATIENCE_SECONDS)
        after = processor_seconds(by_key(made.pids()))
    lags, batches, ended = _effects(made, started)
    return Row(
        load=load,
        llm="offline rules" if made.model_port is None else "answers at once",
        embedder=_LOCAL if made.model_port is None else _FAKE,
        messages=len(said),
        namespaces=len(names),
        batches=batches,
        seconds=round(ended - started, 1),
        messages_per_second=round(len(said) / (ended - started), 1),
        lag_s=lag_of(lags),
        processor_ms=milliseconds_each({"publisher": 0.0, **before}, {"publisher": own, **after}, len(said)),
        undone=len(said) - len(lags),
    )


def _publish(memory: Memory, tenant: str, said: Sequence[Spoken], pause: float) -> None:
    due = time.monotonic()
    for name, message in said:
        memory.namespace(tenant, name).publish(**message)
        due += pause
        time.sleep(max(0.0, due - time.monotonic()))


def _effects(made: Rig, since: float) -> tuple[list[float], int, float]:
    """Of what was published since: the lags, the batches, and when the last took effect. One machine has one clock."""
    rows = made.rows(
        """
        select extract(epoch from batch.applied_at - event.occurred_at)::float, event.batch_id,
               extract(epoch from batch.applied_at)::float
        from mosshead.events as event join mosshead.batches as batch using (tenant_id, namespace_id, batch_id)
        where event.occurred_at >= to_timestamp(%s)
        """,
        since,
    )
    return [lag for lag, _, _ in rows], len({batch for _, batch, _ in rows}), max(at for _, _, at in rows)


def _noops(made: Rig, tasks: int) -> Noop:
    noop.app.conf.broker_url = made.addresses.broker_url
    with redis.Redis.from_url(made.addresses.broker_url) as client, noop.app.producer_pool.acquire() as producer:
        before, own_before, started = processor_seconds(by_key(made.pids())), time.process_time(), time.monotonic()
        for _ in range(tasks):
            noop.apply_async(queue="extract", producer=producer)
        own = time.process_time() - own_before
        wait_until(lambda: _all_acknowledged(client), _PATIENCE_SECONDS, "the tasks that do nothing")
        seconds, after = time.monotonic() - started, processor_seconds(by_key(made.pids()))
    counted = ("worker", "redis")
    return Noop(
        tasks=tasks,
        seconds=round(seconds, 2),
        tasks_per_second=round(tasks / seconds, 1),
        processor_ms=milliseconds_each(
            {"publisher": 0.0} | {name: before[name] for name in counted},
            {"publisher": own} | {name: after[name] for name in counted},
            tasks,
        ),
    )


def _all_acknowledged(client: redis.Redis) -> bool:
    return not client.llen(f"{_TASKS}extract") and not client.hlen(f"{_TASKS}unacked")


def _show(result: Result, console: Console) -> None:
    ratio = result.processor_ratio
    table = Table(title=f"Processor milliseconds for each message, on {result.processors} processors")
    table.add_column("")
    for row in result.loads:
        table.add_column(name_of(row).replace(", ", "\n"), justify="right")
    table.add_column("a task that\ndoes nothing", justify="right")
    spent = [*(row.processor_ms for row in result.loads), result.noop.processor_ms]
    for name in ("publisher", "intake", "scheduler", "worker", "postgres", "redis", "total"):
        table.add_row(name, *(f"{one.get(_KEYS.get(name, name), 0):.2f}" for one in spent))
    table.add_section()
    table.add_row("in such tasks", *(f"{ratio[name_of(row)]:g}" for row in result.loads), "1")
    rates = [*(row.messages_per_second for row in result.loads), result.noop.tasks_per_second]
    table.add_row("a second", *(f"{rate:g}" for rate in rates))
    table.add_row("messages in a batch", *(f"{row.messages / row.batches:.1f}" for row in result.loads), "")
    table.add_row("lag p50, s", *(f"{row.lag_s.p50:g}" for row in result.loads), "")
    table.add_row("lag p95, s", *(f"{row.lag_s.p95:g}" for row in result.loads), "")
    console.print(table)
    idle = ", ".join(f"{name} {spent:g}" for name, spent in result.idle_ms_per_second.items())
    console.print(f"At rest, milliseconds a second: {idle}", soft_wrap=True)


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
