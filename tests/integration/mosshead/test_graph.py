"""The entity graph: one recursive statement finds the same as a plain search, and ends on every graph."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine, text

from db import memories
from mosshead import Memory, Namespace
from mosshead.paths import NamespacePath
from mosshead.store.connection import tenant_transaction
from mosshead.store.entities import PART_OF, neighbours
from tests.given import NOON, Remembering

DAY = timedelta(days=1)
LATER = datetime(2100, 1, 1, tzinfo=UTC)
MOST = 7

Edge = tuple[int, str, int, int]
"""From an entity, by a predicate, to another, said on a day; entities and days count from 0."""

nodes = st.integers(0, MOST - 1)
relations = st.lists(st.tuples(nodes, st.sampled_from(["knows", "works_at"]), nodes, st.integers(0, 3)), max_size=25)
parents = st.lists(st.none() | nodes, min_size=MOST, max_size=MOST)


class World:
    """A namespace with entities and relations, written straight into the tables."""

    def __init__(self, engine: Engine, edges: list[Edge], belongs_to: list[int | None]) -> None:
        self.path = NamespacePath.of((f"tenant-{uuid4().hex}", "sarah"))
        self.ids = sorted(uuid4() for _ in range(MOST))
        self.parents = {self.ids[n]: self.ids[up] for n, up in enumerate(belongs_to) if up is not None}
        self.relations: list[dict[str, Any]] = [
            {"relation_id": uuid4(), "memory_id": uuid4(), "subject_id": self.ids[one], "predicate": predicate}
            | {"object_id": self.ids[other], "valid_from": NOON + day * DAY}
            for one, predicate, other, day in edges
        ]
        scope = {"tenant_id": self.path.tenant_id, "namespace_id": self.path.namespace_id}
        rows = [{**scope, "entity_id": one, "parent_id": self.parents.get(one), "name": str(one)} for one in self.ids]
        with tenant_transaction(engine, self.path.tenant_id) as connection:
            connection.execute(_ENTITY, rows)
            if self.relations:
                connection.execute(_RELATION, [{**scope, **one} for one in self.relations])

    def edges_of(self, node: UUID, fan_out: int) -> list[tuple[UUID, str, str, UUID | None]]:
        """Return an entity's edges: to its parent, by the latest relations, from its parts."""
        found: list[Any] = []
        for one in self.relations:
            for own, other, direction in (("subject_id", "object_id", "out"), ("object_id", "subject_id", "in")):
                if one[own] == node != one[other]:
                    order = (1, NOON - one["valid_from"], one["predicate"], one[other], ("in", "out").index(direction))
                    found.append(
                        ((*order, one["memory_id"]), (one[other], one["predicate"], direction, one["memory_id"]))
                    )
        for part, whole in self.parents.items():
            if part == node != whole:
                found.append(((0, DAY, "", whole), (whole, PART_OF, "out", None)))
            if whole == node != part:
                found.append(((2, DAY, "", part), (part, PART_OF, "in", None)))
        return [edge for _, edge in sorted(found, key=lambda pair: pair[0])[:fan_out]]

    def search(self, start: UUID, depth: int, fan_out: int) -> set[Any]:
        """Return every edge that reaches an entity on a shortest path, found breadth first."""
        distance = {start: 0}
        reached: set[Any] = set()
        level = [start]
        for far in range(1, depth + 1):
            further = [(node, *edge) for node in level for edge in self.edges_of(node, fan_out)]
            level = sorted({other for _, other, *_ in further if other not in distance})
            distance.update(dict.fromkeys(level, far))
            reached.update((far, *edge) for edge in further if distance[edge[1]] == far)
        return reached


_ENTITY = text("""
    insert into mosshead.entities (tenant_id, namespace_id, entity_id, name, entity_type, parent_id)
    values (:tenant_id, :namespace_id, :entity_id, :name, 'person', :parent_id)
""")
_RELATION = text("""
    insert into mosshead.relations
        (tenant_id, namespace_id, relation_id, subject_id, predicate, object_id, memory_id, valid_from)
    values (:tenant_id, :namespace_id, :relation_id, :subject_id, :predicate, :object_id, :memory_id, :valid_from)
""")


@given(
    edges=relations,
    belongs_to=parents,
    limits=st.tuples(st.integers(1, 4), st.integers(1, 6), st.none() | st.just(LATER)),
)
def test_one_statement_finds_the_same_as_a_plain_search(
    worker_engine: Engine,
    reader_engine: Engine,
    edges: list[Edge],
    belongs_to: list[int | None],
    limits: tuple[int, int, datetime | None],
) -> None:
    world = World(worker_engine, edges, belongs_to)
    depth, fan_out, as_of = limits
    with tenant_transaction(reader_engine, world.path.tenant_id) as connection:
        found = neighbours(connection, world.path, world.ids[0], depth=depth, fan_out=fan_out, as_of=as_of)
    told = [(one.distance, one.via, one.id, one.predicate, one.direction, one.memory_id) for one in found]

    assert set(told) == world.search(world.ids[0], depth, fan_out)
    assert len(told) == len(set(told))
    assert [one.distance for one in found] == sorted(one.distance for one in found)


@pytest.fixture
def sarah(memory: Memory, fresh_namespace: NamespacePath) -> Namespace:
    return memory.namespace(*fresh_namespace.parts)


def test_relation_names_the_memory_that_states_it_and_ends_with_it(remembering: Remembering, sarah: Namespace) -> None:
    barn = remembering.entity("Harp Barn")
    ada = remembering.entity("Ada", parent_id=barn)
    bo = remembering.entity("Bo")
    said = remembering.memory("Ada taught Bo", about={ada: ("subject", "sure"), bo: ("object", "sure")})
    with remembering.stamped() as (connection, stamp):
        memories.relate(connection, remembering.lane, said, [(uuid4(), ada, "taught", bo)], stamp, valid_from=NOON)
    before = datetime.now(UTC)

    (teacher, employer) = sarah.entities.neighbours("Bo")
    assert (teacher.name, teacher.predicate, teacher.direction, teacher.distance) == ("Ada", "taught", "in", 1)
    assert (teacher.via, teacher.memory_id, teacher.valid_from, teacher.valid_to) == (bo, said, NOON, None)
    assert (employer.name, employer.predicate, employer.direction, employer.distance) == (
        "Harp Barn",
        "part_of",
        "out",
        2,
    )
    assert (employer.via, employer.memory_id) == (ada, None)
    assert [one.name for one in sarah.entities.neighbours(bo, depth=1)] == ["Ada"]

    with remembering.stamped() as (connection, stamp):
        memories.end_relations(connection, remembering.lane, said, stamp, valid_to=NOON + DAY)
    assert sarah.entities.neighbours("Bo") == []
    assert [one.name for one in sarah.entities.neighbours(bo, as_of=before)] == ["Ada", "Harp Barn"]
    assert [one.name for one in sarah.entities.neighbours(ada)] == ["Harp Barn"]


def test_unsuitable_arguments_are_named(sarah: Namespace) -> None:
    with pytest.raises(ValueError, match="depth: from 1 to 4, got 5"):
        sarah.entities.neighbours(uuid4(), depth=5)
    with pytest.raises(ValueError, match="fan_out: from 1 to 200, got 0"):
        sarah.entities.neighbours(uuid4(), fan_out=0)
    with pytest.raises(ValueError, match="as_of: has no time zone"):
        sarah.entities.neighbours(uuid4(), as_of=datetime(2026, 1, 1))  # noqa: DTZ001 - that is the point
    assert sarah.entities.neighbours(uuid4()) == []
