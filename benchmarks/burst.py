"""Two hundred messages at once: how few LLM calls they take, and whether they take effect once and in order.

    python -m benchmarks.burst [--json]

People in twenty namespaces say ten messages each, in turns by chance, as fast as the app can publish them. They go through the
library, the queue, the intake, the scheduler and four processes of a Celery worker, with default settings and an LLM whose
answers take 50 to 100 ms. Beside it the naive way, with the same messages, LLM and processes: a Celery task for each message.
"""

import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated
from uuid import UUID, uuid4

import typer
from rich.console import Console
from rich.table import Table

from benchmarks import burst_naive
from benchmarks.faults.checker import check
from benchmarks.faults.cluster import EFFECTS
from benchmarks.faults.history import Effect, Sent
from benchmarks.faults.supervisor import supervised
from benchmarks.rig import Rig, rig
from benchmarks.sentences import sentences
from mosshead import Memory
from workers.local import wait_until
from workers.local.processes import ROOT
from workers.local.supervisor import Program

_PROCESSES = 4
_PAUSE = (0.05, 0.1)
_MOST_CALLS = 45
_TENANT = "burst"
_NOBODY = UUID(int=0)
_PATIENCE_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Saying:
    """One message of the burst. number: its place in its namespace, from 1."""

    event_id: UUID
    namespace: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Naive:
    """What the naive tasks show. seconds: from the first send to the last effect."""

    llm_calls: int
    seconds: float
    out_of_order: int


@dataclass(frozen=True, slots=True)
class Result:
    """What a burst shows. seconds: from the first publish to the last effect, with the debounce of 2 s.

    llm_calls: for extraction and consolidation; each namespace knows something already, so both may be needed.
    """

    messages: int
    namespaces: int
    llm_calls: int
    seconds: float
    out_of_order: int
    lost: int
    doubled: int
    naive: Naive

    @property
    def holds(self) -> bool:
        """Whether all took effect once and in order, with few enough calls."""
        return not (self.out_of_order or self.lost or self.doubled) and self.llm_calls <= _MOST_CALLS


def main(
    namespaces: Annotated[int, typer.Option(min=1)] = 20,
    each: Annotated[int, typer.Option(min=1, help="Messages of each namespace.")] = 10,
    seed: Annotated[str, typer.Option(help="Of the messages and their turns.")] = "burst",
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Publish a burst through the whole service, and by the naive way."""
    sayings = burst(namespaces, each, seed)
    with rig(concurrency=_PROCESSES, pause=_PAUSE, app="benchmarks.faults.worker") as made:
        made.execute(EFFECTS)
        result = _measured(made, sayings, _naively(made, sayings))
    _show(result, Console(stderr=True, quiet=json_only))
    print(json.dumps(asdict(result)))
    sys.exit(0 if result.holds else 1)


def burst(namespaces: int, each: int, seed: str) -> list[Saying]:
    """The messages, in the order in which they are said: each namespace's own by number, the namespaces in turns by chance."""
    names = [f"person_{place}" for place in range(1, namespaces + 1)]
    turns = [name for name in names for _ in range(each)]
    random.Random(seed).shuffle(turns)  # noqa: S311 - no secret
    texts = {name: sentences(f"{seed}/{name}") for name in names}
    return list(_numbered((name, next(texts[name])) for name in turns))


def _numbered(said: Iterator[tuple[str, str]]) -> Iterator[Saying]:
    numbers = Counter[str]()
    for name, text in said:
        numbers[name] += 1
        yield Saying(uuid4(), name, numbers[name], text)


def _measured(made: Rig, sayings: Sequence[Saying], naive: Naive) -> Result:
    names = sorted({saying.namespace for saying in sayings})
    with made.memory() as memory:
        for name in names:
            memory.namespace(_TENANT, name).publish(next(sentences(name)), conversation="before")
        made.await_done(len(names), within=_PATIENCE_SECONDS)
        calls_before = made.model_calls()
        sent = [_publish(memory, saying) for saying in sayings]
        made.await_done(len(names) + len(sayings), within=_PATIENCE_SECONDS)
    event_ids = {saying.event_id for saying in sayings}
    effects = [effect for effect in _effects(made) if effect.event_id in event_ids]
    return result_of(sent, effects, made.model_calls() - calls_before, naive)


def result_of(sent: Sequence[Sent], effects: Sequence[Effect], llm_calls: int, naive: Naive) -> Result:
    """Judge what took effect."""
    verdict = check(sent, effects)
    return Result(
        messages=len(sent),
        namespaces=len({one.namespace for one in sent}),
        llm_calls=llm_calls,
        seconds=_seconds(sent, effects),
        out_of_order=verdict.out_of_order,
        lost=verdict.lost,
        doubled=verdict.doubled,
        naive=naive,
    )


def _publish(memory: Memory, saying: Saying) -> Sent:
    begun = time.time()
    memory.namespace(_TENANT, saying.namespace).publish(saying.text, conversation="chat", event_id=saying.event_id)
    return Sent(saying.event_id, saying.namespace, "app", saying.number, begun, time.time())


def _effects(made: Rig) -> list[Effect]:
    rows = made.rows("""
        select event_id, publisher_id, publisher_sequence, extract(epoch from at)::float
        from benchmark.effects order by position
    """)
    return [Effect(*row) for row in rows]


def _seconds(sent: Sequence[Sent], effects: Sequence[Effect]) -> float:
    begun = min(one.begun for one in sent)
    return round(max((effect.at for effect in effects), default=begun) - begun, 2)


def _naively(made: Rig, sayings: Sequence[Saying]) -> Naive:
    """The same messages, each as a task, by a worker of its own on the same Redis."""
    burst_naive.app.conf.broker_url = made.addresses.broker_url
    calls_before = made.model_calls()
    _naive_log(made).touch()
    with supervised([_naive_worker(made)]):
        wait_until(lambda: " ready." in _naive_log(made).read_text(), _PATIENCE_SECONDS, "the naive worker")
        sent = [_send(saying) for saying in sayings]
        wait_until(lambda: len(_naive_effects(made)) >= len(sent), _PATIENCE_SECONDS, "the naive tasks")
    effects = _naive_effects(made)
    return Naive(
        llm_calls=made.model_calls() - calls_before,
        seconds=_seconds(sent, effects),
        out_of_order=check(sent, effects).out_of_order,
    )


def _naive_worker(made: Rig) -> Program:
    addresses = {"NAIVE_BROKER_URL": made.addresses.broker_url, "NAIVE_DATABASE_URL": made.addresses.admin_url or ""}
    options = (f"--concurrency={_PROCESSES}", "--loglevel=info")
    return Program(
        name="naive",
        command=[sys.executable, "-m", "celery", "-A", "benchmarks.burst_naive", "worker", *options],
        env={**os.environ, **addresses},
        cwd=ROOT,
        log=_naive_log(made),
    )


def _naive_log(made: Rig) -> Path:
    return made.addresses.data_dir / "logs" / "naive.log"


def _send(saying: Saying) -> Sent:
    begun = time.time()
    burst_naive.remember.delay(str(saying.event_id), saying.text)
    return Sent(saying.event_id, saying.namespace, "app", saying.number, begun, time.time())


def _naive_effects(made: Rig) -> list[Effect]:
    rows = made.rows("select event_id, extract(epoch from at)::float from benchmark.naive_effects order by position")
    return [Effect(event_id, _NOBODY, 0, at) for event_id, at in rows]


def _show(result: Result, console: Console) -> None:
    table = Table(title=f"{result.messages} messages in {result.namespaces} namespaces, {_PROCESSES} processes")
    for column in ("", "LLM calls", "seconds", "out of order", "lost", "doubled"):
        table.add_column(column, justify="right")
    mine = (result.llm_calls, result.seconds, result.out_of_order, result.lost, result.doubled)
    naive = (result.naive.llm_calls, result.naive.seconds, result.naive.out_of_order, "", "")
    table.add_row("Mosshead", *map(str, mine))
    table.add_row("a task for each message", *map(str, naive))
    console.print(table)


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
