"""How much memory a worker's processes hold, and how much of it each has to itself.

    python -m benchmarks.memory [--concurrency 2] [--tasks 100] [--llm] [--embedder minilm] [--json]

own: the unique set size, which is the private pages of /proc/PID/smaps_rollup and so what one more child costs. resident: with
what it shares with others. A child shares with its parent what neither has written to since the fork.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Annotated

import psutil
import typer

from benchmarks.rig import Rig, rig

_STAGES = 5
"""Tasks of a batch that passes all stages."""

_WITHIN_SECONDS = 900.0
_MB = 1e6


@dataclass(frozen=True, slots=True)
class Held:
    """Megabytes of a process: the worker's parent, or one of its children."""

    process: str
    own: float
    resident: float


def main(
    concurrency: Annotated[int, typer.Option(help="Children of the worker.")] = 2,
    tasks: Annotated[int, typer.Option(help="Tasks of each child, on average, before it is measured.")] = 100,
    llm: Annotated[bool, typer.Option("--llm", help="A made-up LLM in place of the offline rules.")] = False,
    embedder: Annotated[str, typer.Option(help="MOSSHEAD_EMBEDDER, such as openai:fake@256 with --llm.")] = "minilm",
    json_output: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Measure a worker that has started, and again after some tasks."""
    pause = (0.01, 0.02) if llm else None
    with rig(concurrency=concurrency, pause=pause, settings={"MOSSHEAD_EMBEDDER": embedder}) as service:
        found = {"started": list(held(service))}
        _work(service, messages=-(-tasks * concurrency // _STAGES))
        found[f"after {tasks} tasks"] = list(held(service))
    if json_output:
        print(json.dumps({moment: list(map(asdict, those)) for moment, those in found.items()}))
        return
    for moment, those in found.items():
        for one in those:
            print(f"{moment:20}{one.process:8}{one.own:7.1f} MB own{one.resident:8.1f} MB resident")


def held(service: Rig) -> Iterator[Held]:
    """What the worker's processes hold at this moment."""
    parent = psutil.Process(service.pids()["worker"])
    for name, one in [("parent", parent), *(("child", child) for child in parent.children())]:
        memory = one.memory_full_info()
        yield Held(name, memory.uss / _MB, memory.rss / _MB)


def _work(service: Rig, *, messages: int) -> None:
    with service.memory() as memory:
        for number in range(messages):
            memory.namespace("app", f"person_{number}").publish(
                f"From now on you should call me Ana{number}. I work as a nurse in Leeds, and I moved here on 3 May."
            )
        service.await_done(messages, within=_WITHIN_SECONDS)
        service.await_refreshed(within=_WITHIN_SECONDS)


if __name__ == "__main__":
    typer.run(main)
