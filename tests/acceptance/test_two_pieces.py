"""The core story: who somebody is, and a process taught another day, years and many memories later.

A context of 400 tokens contains both, whoever shares the name, and however much was said since.
"""

import itertools
import os
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, text

from db import decisions, entities, memories
from db.keys import LaneRef
from mosshead import Memory, Namespace
from mosshead.embeddings import MiniLM
from mosshead.store.connection import tenant_transaction
from tests.given import MODEL, new_memory, registered
from workers.local import Addresses

NAMES = ("Peter", "Anna", "Marek")
ABOUT_EACH, ALL, VARIANTS_TRIED = (
    (300, 10_000, 100) if os.environ.get("HYPOTHESIS_PROFILE") == "thorough" else (100, 1_000, 25)
)
"""Embedding ten thousand memories takes over a minute, so they run with `make thorough`."""

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
TAUGHT = datetime(2023, 1, 9, 9, tzinfo=UTC)
_BATCH = 500

Known = tuple[str, str, datetime, Sequence[UUID]]
"""Content, kind, time, and entities."""


@dataclass(frozen=True, slots=True)
class Story:
    """Two facts and a question that needs both. who, question: contain ``{name}``; who also ``{firm}``."""

    who: str
    process: str
    question: str


STORIES = (
    Story(
        "{name} is one of the writers at {firm}",
        "To check that content passes as human, run it through two detectors, then read it aloud to a colleague",
        "Check if {name}'s content is passing as human",
    ),
    Story(
        "{name} is one of the photographers at {firm}",
        "Before pictures go to print: look for the signed releases, then the resolution, then a proof on paper",
        "Can {name}'s pictures go to print?",
    ),
    Story(
        "{name} translates contracts for {firm}",
        "A translation is approved like this: a second translator compares the figures, then a lawyer signs each page",
        "Get {name}'s translation approved",
    ),
    Story(
        "{name} bakes the wedding cakes for {firm}",
        "When a cake is delivered, weigh it at the door, photograph the top, and have the hotel sign for it",
        "{name}'s cake is to be delivered tomorrow, what do we do?",
    ),
)
FIRMS = ("Wolf of Blog Street", "Tern & Daughters", "Quayside Studio", "Halden Works")
OTHERS = (
    "{name} is the plumber who mended the boiler",
    "{name} is the user's cousin in Tromsø",
    "{name} keeps goal for the user's football team",
    "{name} is the vet of the user's two cats",
)
DAYS = (
    "on Monday",
    "last night",
    "on the way home",
    "in the rain",
    "after lunch",
    "before the holidays",
    "twice",
    "again",
)
DEEDS = (
    "lost an umbrella", "bought a second-hand bicycle", "was late for the train", "told a joke about herons", "had a cold",
    "painted the kitchen yellow", "found a coin from 1962", "forgot a password", "won a raffle", "ordered too much soup",
    "repaired a lamp", "met an old teacher", "changed the phone number", "fell asleep in the cinema", "missed the bus",
    "saw a fox", "planted beans", "broke a cup", "asked for the bill", "borrowed a ladder", "sang in the car",
    "queued for stamps", "read a book on tides", "walked the dog", "burnt the toast", "sold a sofa", "sent a postcard",
    "took up chess", "swam in the lake", "lost at cards", "complained of the noise", "watched the moon", "cooked lentils",
    "wore a red hat", "visited a museum", "knitted a scarf", "cleaned the windows", "moved a bookshelf",
)  # fmt: skip
PEOPLE = tuple(
    f"{owner} {person}"
    for owner in ("the user's", "a friend's", "the neighbour's", "a colleague's")
    for person in ("aunt", "landlord", "dentist", "sister", "trainer", "tailor", "daughter", "lodger", "uncle")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class World:
    """A namespace with a thousand or ten thousand memories. bearers: two for each name, each with many memories."""

    namespace: Namespace
    engine: Engine
    lane: LaneRef
    embedder: MiniLM
    bearers: Mapping[str, tuple[UUID, UUID]]

    def add(self, known: Sequence[Known]) -> list[UUID]:
        """Add memories with vectors: content, kind, time, entities."""
        vectors = self.embedder.embed([content for content, *_ in known])
        with tenant_transaction(self.engine, self.lane.tenant_id) as connection:
            (stamp,) = decisions.stamps(connection, 1)
            new = [new_memory(content, kind=kind, valid_from=said, salience=2.0) for content, kind, said, _ in known]
            memories.add_all(connection, self.lane, [(one, stamp) for one in new])
            memories.set_vectors(
                connection,
                self.lane,
                MODEL,
                "memory",
                {one.memory_id: vector for one, vector in zip(new, vectors, strict=True)},
            )
            for one, (*_, about) in zip(new, known, strict=True):
                memories.link(connection, self.lane, one.memory_id, dict.fromkeys(about, ("subject", "sure")), stamp)
        return [one.memory_id for one in new]

    @contextmanager
    def also(self, known: Sequence[Known]) -> Iterator[None]:
        """Add memories within the block."""
        added = self.add(known)
        yield
        with tenant_transaction(self.engine, self.lane.tenant_id) as connection:
            for table, column in (
                ("embeddings", "owner_id"),
                ("memory_entities", "memory_id"),
                ("memories", "memory_id"),
            ):
                connection.execute(text(f"delete from mosshead.{table} where {column} = any(:ids)"), {"ids": added})


@pytest.fixture(scope="module")
def world(addresses: Addresses, worker_engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Later memories, embedded once."""
    with Memory.connect(
        database_url=addresses.database_url,
        broker_url=addresses.broker_url,
        spool_dir=tmp_path_factory.mktemp("spool"),
    ) as memory:
        yield _made(memory.namespace(f"tenant-{uuid4().hex}", "sarah"), worker_engine)


def _made(namespace: Namespace, worker_engine: Engine) -> World:
    lane = LaneRef(namespace.path.tenant_id, namespace.path.namespace_id)
    bearers = {}
    with tenant_transaction(worker_engine, lane.tenant_id) as connection:
        (stamp,) = decisions.stamps(connection, 1)
        for name in NAMES:
            both = registered(name), registered(name)
            bearers[name] = (both[0].entity_id, both[1].entity_id)
            for one in both:
                entities.save(connection, lane, [one], stamp)
    made = World(namespace, worker_engine, lane, MiniLM(), bearers)
    later = list(_later(bearers))
    for start in range(0, len(later), _BATCH):
        made.add(later[start : start + _BATCH])
    return made


def _later(bearers: Mapping[str, tuple[UUID, UUID]]) -> Iterator[Known]:
    rng = random.Random(11)
    deeds = list(itertools.product(DEEDS, DAYS))
    rng.shuffle(deeds)

    def said() -> datetime:
        return TAUGHT + timedelta(days=rng.uniform(30, 1140))

    for name, both in bearers.items():
        for bearer in both:
            for number, (deed, day) in enumerate(rng.sample(deeds, ABOUT_EACH)):
                yield f"{name} {deed} {day}", "fact" if number % 3 == 0 else "event", said(), (bearer,)
    sayings = list(itertools.product(PEOPLE, deeds))
    for person, (deed, day) in rng.sample(sayings, ALL - 2 * ABOUT_EACH * len(bearers)):
        yield f"{person[0].upper()}{person[1:]} {deed} {day}", "event", said(), ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A variant of the story. days: when each fact was said. first: who it is comes before the process."""

    name: str
    story: Story
    firm: str
    other: str
    days: tuple[int, int, int]
    first: bool
    turned: bool


VARIANTS = st.builds(
    Variant,
    name=st.sampled_from(NAMES),
    story=st.sampled_from(STORIES),
    firm=st.sampled_from(FIRMS),
    other=st.sampled_from(OTHERS),
    days=st.tuples(*[st.integers(0, 29)] * 3),
    first=st.booleans(),
    turned=st.booleans(),
)


@settings(
    max_examples=VARIANTS_TRIED,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(one=VARIANTS)
def test_context_contains_both_facts_among_many_later_ones(world: World, one: Variant) -> None:
    meant, namesake = world.bearers[one.name][:: -1 if one.turned else 1]
    who = one.story.who.format(name=one.name, firm=one.firm)
    known: list[Known] = [
        (who, "fact", TAUGHT + timedelta(days=one.days[0]), (meant,)),
        (one.story.process, "process", TAUGHT + timedelta(days=one.days[1]), ()),
        (one.other.format(name=one.name), "fact", TAUGHT + timedelta(days=one.days[2]), (namesake,)),
    ]
    with world.also(known if one.first else known[::-1]):
        context = world.namespace.context(one.story.question.format(name=one.name), budget=400, now=NOW)

    shown = {memory.content for memory in context.memories}
    assert {who, one.story.process} <= shown
    assert context.tokens <= 400
