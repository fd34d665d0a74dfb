"""Random merges, splits, answers and deletions: undone in reverse order, all is as before, and undone again, as it was after.

Undone in any other order, nothing in effect refers to a deleted entity. Each example has its own namespace, written and changed
by the service's own statements.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast
from uuid import UUID, uuid4, uuid5

from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, Engine, text

from config.settings import Settings
from db import decisions, entities, memories, questions
from db.decisions import Stamp
from db.keys import TABLES, BatchRef, LaneRef
from db.questions import HeldRelation, NewQuestion, OtherQuestion
from mosshead.embeddings import Vectors
from mosshead.events import parse_event
from mosshead.paths import NamespacePath
from mosshead.store import export
from mosshead.store.connection import tenant_transaction
from tests.given import MODEL, NOON, direction, new_memory, registered
from tests.given import event as an_event
from workers.commands import dispatch as commands
from workers.dependencies import Parts, UsageLog

EXAMPLES = settings().max_examples // 2
"""12, since each writes and reads a namespace a dozen times; 500 with ``make thorough``."""

NAMES = ("Peter", "Peter Haas", "Sam")
ROLES = ("subject", "object", "about")

_indices = st.integers(0, 5)


def _memory(whom: st.SearchStrategy[int]) -> st.SearchStrategy[dict[str, Any]]:
    """Return a memory that is about some of the people."""
    link = st.tuples(whom, st.sampled_from(ROLES), st.sampled_from(("sure", "unsure")))
    candidates = st.lists(whom, min_size=1, max_size=3, unique=True)
    question = st.tuples(candidates, st.none() | candidates, st.sampled_from(ROLES))
    return st.fixed_dictionaries(
        {
            "links": st.lists(link, max_size=3, unique_by=lambda one: one[0]),
            "relations": st.lists(st.tuples(whom, whom), max_size=2),
            "asked": st.sampled_from((True, False)).flatmap(lambda asked: question if asked else st.none()),
        }
    )


_ENTITY = st.fixed_dictionaries(
    {
        "name": st.sampled_from(NAMES),
        "alias": st.none() | st.sampled_from(("Pete", "Haas")),
        "parent": st.none() | _indices,
        "description": st.none() | st.sampled_from(("a writer", "a baker")),
    }
)
_COMMAND = st.one_of(
    st.tuples(st.just("merge"), _indices, _indices),
    st.tuples(st.just("split"), _indices, st.sets(_indices, min_size=1, max_size=3)),
    st.tuples(st.just("answer"), _indices, st.none() | _indices),
    st.tuples(st.just("example"), _indices, st.just(None)),
    st.tuples(st.just("forget"), _indices, st.just(None)),
)
# With few entities, so that operations affect the same ones.
_few = st.integers(1, 2)
_CLOSE_COMMAND = st.one_of(
    st.tuples(st.just("merge"), _few, _few),
    st.tuples(st.just("split"), _few, st.sets(_few, min_size=1, max_size=2)),
    st.tuples(st.sampled_from(("answer", "forget")), _few, _few),
)


_SETTINGS = Settings()
_HOLDING = text(
    " union all ".join(
        f"""
            select '{table}' || cast(to_jsonb(one) - array['known_from', 'made_by', 'version'] as text)
            from mosshead.{table} as one where tenant_id = :tenant_id and known_to is null
        """
        for table in (*(one.name for one in TABLES), "entities", "memories")
    )
)
"""All current rows of every table that decisions change, without who made them and when."""


_GONE = text("""
    select distinct entity_id from mosshead.entities as was where tenant_id = :tenant_id and not exists (
        select from mosshead.entities as now
        where now.tenant_id = :tenant_id and now.entity_id = was.entity_id and now.known_to is null)
""")


class _Directions:
    """Embeds the words around a name; the vector does not matter here."""

    name = MODEL

    def embed(self, texts: list[str]) -> list[Vectors]:
        return [direction(1.0, len(one) % 3) for one in texts]


@dataclass
class World:
    """A namespace. people, remembered, asked: its entities, memories and questions, by index."""

    engine: Engine
    path: NamespacePath = field(default_factory=lambda: NamespacePath.of((f"tenant-{uuid4().hex}", "sarah")))
    people: list[UUID] = field(default_factory=list)
    remembered: list[UUID] = field(default_factory=list)
    asked: list[UUID] = field(default_factory=list)

    @property
    def lane(self) -> LaneRef:
        return LaneRef(self.path.tenant_id, self.path.namespace_id)

    def fill(self, people: list[dict[str, Any]], remembered: list[dict[str, Any]]) -> None:
        """Add people, then memories, each with what it states and asks."""
        self.people = [uuid4() for _ in people]
        for place, one in enumerate(people):
            parent = None if one["parent"] is None else self.person(one["parent"])
            entity = registered(
                one["name"],
                entity_id=self.people[place],
                description=one["description"],
                parent_id=parent if parent in self.people[:place] else None,
                is_user=place == 0,
                aliases=(one["alias"],) if one["alias"] else (),
            )
            with self.stamped() as (connection, stamp):
                entities.save(connection, self.lane, [entity], stamp)
        for place, one in enumerate(remembered):
            with self.stamped() as (connection, stamp):
                self._remember(connection, stamp, f"memory {place}", one)

    @contextmanager
    def stamped(self) -> Iterator[tuple[Connection, Stamp]]:
        """Open a transaction of the tenant, with the stamp of a decision made in it."""
        with tenant_transaction(self.engine, self.path.tenant_id) as connection:
            yield connection, decisions.stamps(connection, 1)[0]

    def _remember(self, connection: Connection, stamp: Stamp, content: str, one: dict[str, Any]) -> None:
        new = new_memory(content)
        self.remembered.append(new.memory_id)
        memories.add(connection, self.lane, new, stamp)
        message = uuid4()
        memories.add_sources(connection, self.lane, new.memory_id, {message: content}, stamp)
        about = {self.person(who): (role, certainty) for who, role, certainty in one["links"]}
        memories.link(connection, self.lane, new.memory_id, about, stamp)
        edges = [(uuid4(), self.person(a), "knows", self.person(b)) for a, b in one["relations"]]
        memories.relate(connection, self.lane, new.memory_id, edges, stamp, valid_from=NOON)
        if one["asked"]:
            candidates, others, role = one["asked"]
            peter, sam = uuid5(message, "Peter"), uuid5(message, "Sam")
            likes: list[HeldRelation] = [(None, "likes", self.person(candidates[0] + 1))]
            likes += [(None, "likes", OtherQuestion(sam))] if others else []
            self._ask(connection, stamp, new.memory_id, peter, message=message, who=candidates, role=role, states=likes)
            if others:
                liked: list[HeldRelation] = [(OtherQuestion(peter), "likes", None)]
                self._ask(connection, stamp, new.memory_id, sam, message=message, who=others, role=role, states=liked)

    def _ask(
        self,
        connection: Connection,
        stamp: Stamp,
        memory_id: UUID,
        question_id: UUID,
        *,
        message: UUID,
        who: list[int],
        role: str,
        states: list[HeldRelation],
    ) -> None:
        self.asked.append(question_id)
        asked = NewQuestion(
            question_id=question_id,
            message_id=message,
            mention="Peter",
            text="Which Peter do you mean?",
            candidates=list(dict.fromkeys(self.person(one) for one in who)),
            role=role,
            relations=states,
        )
        questions.ask(connection, self.lane, memory_id, asked, stamp)

    def person(self, place: int) -> UUID:
        return self.people[place % len(self.people)]

    def command(self, kind: str, one: int, other: Any) -> UUID | None:
        """Publish a command and apply it; return the event's id, or None if it was refused."""
        fields = self._fields(kind, one, other)
        if kind == "merge" and fields["entity_id"] == fields["into"]:
            return None
        event_id = self._carry_out("clarify" if kind in {"answer", "example"} else kind, fields)
        refused = self._refusal(event_id)
        event(f"{kind}: {refused}" if refused else kind)
        if refused is None and kind == "merge":
            self.people.remove(fields["entity_id"])
            self.check_names()
        elif refused is None and (kind == "split" or (kind == "answer" and other is None)):
            self.people.append(event_id)
        return None if refused else event_id

    def _fields(self, kind: str, one: int, other: Any) -> dict[str, Any]:
        if kind == "merge":
            return {"entity_id": self.person(one), "into": self.person(other)}
        if kind == "split":
            moving = [self.remembered[place % len(self.remembered)] for place in other]
            return {"entity_id": self.person(one), "memories": moving, "aliases": ["Petey"], "description": "else"}
        if kind == "forget":
            return {"memories": [self.remembered[one % len(self.remembered)]]}
        if kind == "answer":
            asked = self.asked[one % len(self.asked)] if self.asked else uuid4()
            return {"question_id": asked, "entity_id": None if other is None else self.person(other)}
        return {"mention": "Peter", "text": "Ask Peter about it", "entity_id": self.person(one)}

    def undo(self, decision_id: UUID) -> UUID:
        """Undo a decision; return the undo's id."""
        event_id = self.try_undo(decision_id)
        assert event_id is not None
        return event_id

    def try_undo(self, decision_id: UUID) -> UUID | None:
        """Undo a decision if possible; return the undo's id."""
        event_id = self._carry_out("undo", {"decision_id": decision_id})
        return None if self._refusal(event_id) else event_id

    def _carry_out(self, kind: str, fields: dict[str, Any]) -> UUID:
        envelope = an_event(self.path.parts)
        del envelope["role"], envelope["content"]
        command = parse_event({**envelope, "type": kind, **fields})
        parts = Parts(_SETTINGS, self.engine, cast(Any, _Directions()), None, UsageLog())
        store = commands.prepare(BatchRef(self.lane, uuid4()), cast(Any, command), parts)
        with tenant_transaction(self.engine, self.path.tenant_id) as connection:
            store(connection)
        return command.event_id

    def _refusal(self, event_id: UUID) -> str | None:
        statement = text("select refused from mosshead.decisions where decision_id = :id")
        with tenant_transaction(self.engine, self.path.tenant_id) as connection:
            return cast("str | None", connection.execute(statement, {"id": event_id}).scalar_one())

    def check_names(self) -> None:
        """Check that nothing in effect refers to a deleted entity."""
        with tenant_transaction(self.engine, self.path.tenant_id) as connection:
            gone = connection.execute(_GONE, {"tenant_id": self.path.tenant_id}).scalars().all()
        naming = [row for row in self.state()[1] for one in gone if str(one) in row]
        assert not naming, "something names who is no more"

    def state(self) -> tuple[str, Counter[str]]:
        """Return an export, and all current rows."""
        with tenant_transaction(self.engine, self.path.tenant_id) as connection:
            exported = "\n".join(export.export(connection, self.path))
            rows = connection.execute(_HOLDING, {"tenant_id": self.path.tenant_id}).scalars().all()
        return exported, Counter(rows)


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    people=st.lists(_ENTITY, min_size=2, max_size=5),
    remembered=st.lists(_memory(_indices), min_size=2, max_size=5),
    said=st.lists(_COMMAND, min_size=1, max_size=5),
)
def test_everything_can_be_undone_and_redone(
    worker_engine: Engine,
    people: list[dict[str, Any]],
    remembered: list[dict[str, Any]],
    said: list[tuple[str, int, Any]],
) -> None:
    world = World(worker_engine)
    world.fill(people, remembered)
    states = [world.state()]
    done = []
    for one in said:
        event_id = world.command(*one)
        if event_id is None:
            assert world.state() == states[-1], "what was refused changed something"
        else:
            done.append(event_id)
            states.append(world.state())
    undone = []
    for place, event_id in reversed([*enumerate(done)]):
        undone.append(world.undo(event_id))
        assert world.state() == states[place]
    for place, event_id in enumerate(reversed(undone), 1):
        world.undo(event_id)
        assert world.state() == states[place]


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    people=st.lists(_ENTITY, min_size=3, max_size=3),
    remembered=st.lists(_memory(_few), min_size=2, max_size=3),
    said=st.lists(_CLOSE_COMMAND, min_size=2, max_size=4),
    taken_back=st.lists(st.tuples(st.booleans(), _indices), min_size=2, max_size=4),
)
@example(
    people=[{"name": "Peter", "alias": None, "parent": None, "description": None}] * 3,
    remembered=[{"links": [(1, "subject", "sure")], "relations": [], "asked": None}] * 2,
    said=[("split", 1, {0}), ("merge", 1, 2)],
    taken_back=[(False, 0)],
)
def test_nothing_names_a_deleted_entity_in_any_order_of_undos(
    worker_engine: Engine,
    people: list[dict[str, Any]],
    remembered: list[dict[str, Any]],
    said: list[tuple[str, int, Any]],
    taken_back: list[tuple[bool, int]],
) -> None:
    world = World(worker_engine)
    world.fill(people, remembered)
    done = [event_id for one in said if (event_id := world.command(*one))]
    for again, place in taken_back:
        if not done:
            return
        before = world.state()
        undo = world.try_undo(done[place % len(done)])
        event("refused" if undo is None else "taken back")
        if undo is None:
            assert world.state() == before, "what was refused changed something"
            continue
        world.check_names()
        done.append(undo)
        if again:
            done.append(world.undo(undo))
            assert world.state() == before
