"""One run: a world is loaded and asked about, by itself and, where wanted, in two crowds."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import psycopg
from rich.console import Console
from rich.progress import Progress

from benchmarks.entities.coretrieval import score_together
from benchmarks.entities.crowd import Size, commonest_name, crowd
from benchmarks.entities.disguise import disguise
from benchmarks.entities.expansions import Phrases, store_expansions
from benchmarks.entities.focus import score_focus
from benchmarks.entities.latency import Latency, measure
from benchmarks.entities.report import Scores
from benchmarks.entities.running import Asking
from benchmarks.entities.scaling import Crowded, InCrowd, smaller
from benchmarks.entities.who import Answer, score_who
from benchmarks.entities.world import Who, World, WorldEntity, WorldMemory
from benchmarks.rig import Rig
from mosshead import Memory
from mosshead.embeddings import MiniLM

_SEED = 5
_PATIENCE_SECONDS = 300.0
_PER_MEMORY_SECONDS = 0.1
_WARM_UP = 5


def run(
    world: World,
    service: Rig,
    *,
    budgets: Sequence[int],
    size: Size | None,
    phrases: Phrases,
    console: Console,
) -> Scores:
    """Ask a service about a world. budgets: tokens of contexts. size: of the larger crowd; None for no crowd.

    phrases: of its expansions.
    """
    with service.memory() as memory:
        asking = _loaded(memory, "world", world.entities, world.memories, console)
        store_expansions(service, asking.path, asking.renamed(phrases))
        count_tokens = MiniLM().count_tokens
        together = {
            budget: score_together(
                [(row, asking.together(row, budget=budget, count_tokens=count_tokens)) for row in world.together]
            )
            for budget in budgets
        }
        who = score_who([(row, asking.who(row)) for row in world.who])
        focus = score_focus([(talk, list(asking.talk(talk))) for talk in world.talks])
    crowded = Crowded(*(_in_crowd(world, service, one, console) for one in (smaller(size), size))) if size else None
    return Scores(who, together, focus, crowded)


def _loaded(
    memory: Memory, name: str, entities: Sequence[WorldEntity], memories: Sequence[WorldMemory], console: Console
) -> Asking:
    given = disguise(entities, memories, seed=_SEED)
    asking = Asking(memory.namespace("benchmark", name), given)
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(f"{name}: importing {len(memories):,} memories", total=None)
        asking.load(
            patience=_patience(memories),
            on_sent=lambda sent, of: bar.update(task, completed=sent, total=of),
        )
    return asking


def _patience(memories: Sequence[WorldMemory]) -> float:
    return _PATIENCE_SECONDS + _PER_MEMORY_SECONDS * len(memories)


def _in_crowd(world: World, service: Rig, size: Size, console: Console) -> InCrowd:
    """On a connection of its own, whose embedder remembers nothing of what was asked before."""
    others, known = crowd(world, size, seed=_SEED)
    entities, memories = [*world.entities, *others], [*world.memories, *known]
    with service.memory() as memory:
        started = time.monotonic()
        asking = _loaded(memory, f"crowd_of_{size.bearers}", entities, memories, console)
        loading = time.monotonic() - started
        service.await_refreshed(within=_patience(memories))  # profiles follow up to half a minute later
        answered, latency = _timed(asking, world.who, service)
    name = commonest_name(world)
    return InCrowd(
        bearers=sum(one.name == name for one in entities),
        entities=len(entities),
        memories=len(memories),
        loading=loading,
        answered=answered,
        latency=latency,
    )


def _timed(asking: Asking, rows: Sequence[Who], service: Rig) -> tuple[list[tuple[Who, Answer]], Latency]:
    embedder = MiniLM()
    answered: list[tuple[Who, Answer]] = []
    for row in rows[:_WARM_UP]:
        asking.who(row.model_copy(update={"text": f"Good morning, {row.mention}!", "history": ()}))
        embedder.embed([row.mention])
    with _round_trip(service) as connection:
        latency = measure(
            rows,
            resolve=lambda row: answered.append((row, asking.who(row))),
            embed=lambda row: embedder.embed([row.text]),
            round_trip=lambda _: connection.execute("select 1").fetchone(),
        )
    return answered, latency


@contextmanager
def _round_trip(service: Rig) -> Iterator[psycopg.Connection]:
    """A connection as the reader, which has been used."""
    with psycopg.connect(service.addresses.database_url, autocommit=True) as connection:
        connection.execute("select 1").fetchone()
        yield connection
