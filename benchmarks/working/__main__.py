"""How long an access to working memory takes, in this process and on a Redis on this machine.

    python -m benchmarks.working [--entities 50] [--rounds 2000] [--json]

A Redis is started and removed. A session is filled, then each kind of access is made in turn, so that whatever else the machine
does befalls all of them alike; and on Redis a bare GET of the session with them, which is the least that any of them could take.
Prints one JSON object last: milliseconds of all accesses together and of each kind of them, and the mean of this process's
processor time, which a busy machine does not lengthen as it does the time that one waits for Redis.
"""

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import numpy as np
import typer
from redis import Redis
from rich.console import Console
from rich.table import Table

from mosshead.contrib.working_memory import InProcess, InRedis, Store, WorkingMemory
from workers.local.data_dir import held
from workers.local.redis import redis

_NAME = "benchmark"
_KEY = f"mosshead:working:-:{_NAME}"
_WARM = 50
_TITLE = "Minutes of the planning meeting, week"

Figures = dict[str, dict[str, float]]


def main(
    *,
    entities: Annotated[int, typer.Option(help="References in the session.", min=10, max=50)] = 50,
    rounds: Annotated[int, typer.Option(help="Accesses of each kind.", min=100)] = 2_000,
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Measure and report."""
    in_process = _measured(_session(InProcess(), entities), {}, entities, rounds)
    with TemporaryDirectory() as folder, held(Path(folder)) as data, redis(data) as url, Redis.from_url(url) as client:
        session, bare = _session(InRedis(client), entities), {"bare GET": lambda _: client.get(_KEY)}
        on_redis = _measured(session, bare, entities, rounds)
    console = Console(stderr=True, quiet=json_only)
    console.print(_table({"in process": in_process, "on Redis": on_redis}))
    report = {
        "entities": entities,
        "rounds": rounds,
        "in_process_ms": in_process.pop("all"),
        "redis_ms": on_redis.pop("all"),
        "each": {"in_process_ms": in_process, "redis_ms": on_redis},
    }
    print(json.dumps(report))


def _session(store: Store, entities: int) -> WorkingMemory:
    working = WorkingMemory(_NAME, capacity=50, store=store)
    for number in range(entities):
        working.add("page", number, f"{_TITLE} {number}")
    return working


def _measured(
    working: WorkingMemory, beside: Mapping[str, Callable[[int], object]], entities: int, rounds: int
) -> Figures:
    """By kind of access, and of all those of working memory, milliseconds: {"get": {"p50": …, "p99": …, "cpu": …}, …}."""
    kinds = {**_kinds(working, entities), **beside}
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in kinds}
    for number in range(-_WARM, rounds):
        for name, access in kinds.items():
            started, used = time.perf_counter(), time.thread_time()
            access(number)
            if number >= 0:
                taken[name].append((time.perf_counter() - started, time.thread_time() - used))
    every = [one for name, those in taken.items() if name not in beside for one in those]
    return {name: _figures(those) for name, those in {**taken, "all": every}.items()}


def _kinds(working: WorkingMemory, entities: int) -> dict[str, Callable[[int], object]]:
    return {
        "get": lambda number: working.get("page", number % entities),
        "get_recent": lambda _: working.get_recent("page"),
        "resolve": lambda _: working.resolve("Update that page's title"),
        "add": lambda number: working.add("page", number % entities, f"{_TITLE} {number % entities}"),
        "prompt_block": lambda _: working.prompt_block(),
    }


def _figures(seconds: list[tuple[float, float]]) -> dict[str, float]:
    wall, processor = np.array(seconds).T * 1000
    p50, p99 = np.percentile(wall, [50, 99])
    return {"p50": round(float(p50), 4), "p99": round(float(p99), 4), "cpu": round(float(processor.mean()), 4)}


def _table(of: dict[str, Figures]) -> Table:
    shares = ("p50", "p99", "cpu")
    table = Table("milliseconds", *(f"{where}, {share}" for where in of for share in shares))
    for name in dict.fromkeys(name for figures in of.values() for name in figures):
        told = [figures.get(name) for figures in of.values()]
        table.add_row(name, *(f"{one[share]:.3f}" if one else "" for one in told for share in shares))
    return table


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
