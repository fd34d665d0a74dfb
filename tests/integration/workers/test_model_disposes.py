"""Whatever the LLM answers, code decides: only shown memories can change, nothing just vanishes, and every change can be undone.

Each example is a namespace in a transaction that is rolled back: the service's own statements on a real Postgres, and an LLM over
real HTTP that answers anything.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Self, cast
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, Engine, text

from config.settings import Settings
from db import candidates, inbox
from db import undo as undoing
from db.keys import BatchRef, LaneRef
from mosshead.embeddings import Vectors
from mosshead.llm import AnswerRefused
from mosshead.llm.openai import OpenAILanguageModel
from mosshead.models.kinds import EntityType, Granularity, MemoryKind
from mosshead.models.occurrence import FactOccurrence
from mosshead.paths import NamespacePath
from mosshead.store import export
from mosshead.store.connection import set_tenant
from pipeline.models import Fact, FactMention
from tests.fake_openai import FakeOpenAI
from tests.given import MODEL, NOON, direction
from tests.given import event as an_event
from workers import scheduler
from workers.commands import dispatch as commands
from workers.dependencies import Parts, UsageLog
from workers.stages.consolidate import apply
from workers.stages.consolidate import plan as deciding

NAMES = ("User", "Peter", "Ruth")
PLACES = ("Rome", "Oslo")
VERBS = ("lives in", "works in", "does not like")

Json = Any

_SCHEMA = "ConsolidationAnswer"
Found = list[tuple[Fact, Vectors]]

_JSON: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
_CONTENT = st.builds(lambda name, verb, place: f"{name} {verb} {place}", *map(st.sampled_from, (NAMES, VERBS, PLACES)))
_PROPOSED = st.fixed_dictionaries(
    {
        "fact": st.integers(-1, 5),
        "action": st.sampled_from(("add", "update", "supersede", "contradict", "none", "delete")),
        "memory": st.none() | st.integers(-1, 9),
        "content": st.none() | _CONTENT,
        "reason": st.just("because"),
    }
)
ANSWERS = st.fixed_dictionaries({"decisions": st.lists(_PROPOSED, max_size=5)}) | _JSON


@st.composite
def facts(draw: st.DrawFn) -> tuple[Fact, Vectors]:
    """Return a fact about one of a few people, with a vector near those of similar facts."""
    name, verb, place = (draw(st.sampled_from(words)) for words in (NAMES, VERBS, PLACES))
    day = NOON + timedelta(days=draw(st.integers(0, 1)))
    one_valued = draw(st.booleans())
    also = draw(st.sampled_from(((), (FactMention(name="Ana", entity_type=EntityType.PERSON),))))
    fact = Fact(
        kind=draw(st.sampled_from(MemoryKind)),
        content=f"{name} {verb} {place}",
        sources=(draw(st.integers(1, 2)),),
        quote=f"{verb} {place}",
        occurred=draw(
            st.none() | st.just(FactOccurrence(start=day, end=day + timedelta(1), granularity=Granularity.DAY))
        ),
        mentions=(
            FactMention(
                name=name, entity_type=EntityType.PERSON, role="subject", description=draw(st.sampled_from((None, "x")))
            ),
            FactMention(
                name=place, entity_type=EntityType.PLACE, role="object", aliases=draw(st.sampled_from(((), ("Town",))))
            ),
            *also,
        ),
        attribute=verb.replace(" ", "_") if one_valued else None,
        value=place if one_valued else None,
        stated=draw(st.booleans()),
        corrects=draw(st.booleans()),
        retracts=False,
        suspicion=draw(st.sampled_from((None, None, None, "an instruction"))),
    )
    axes = (1.0, 0.6 * NAMES.index(name), 0.5 * VERBS.index(verb), 0.2 * PLACES.index(place))
    return fact, direction(*axes)


@dataclass(frozen=True)
class Joined:
    """An engine whose transactions are steps of one that is rolled back at the end."""

    connection: Connection

    def connect(self) -> "Step":
        return Step(self.connection)

    def get_execution_options(self) -> dict[str, Any]:
        return {}


@dataclass
class Step:
    """A connection whose transaction is continued by others."""

    joined: Connection

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Neither commit nor close."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.joined, name)

    def commit(self) -> None:
        """As above."""

    def close(self) -> None:
        """As above."""


@dataclass
class Example:
    """A namespace that exists in one transaction."""

    parts: Parts
    connection: Connection
    path: NamespacePath
    published: int = 0

    @property
    def lane(self) -> LaneRef:
        return LaneRef(self.path.tenant_id, self.path.namespace_id)

    def batch(self, *events: dict[str, Any]) -> BatchRef:
        """Publish, and claim at once."""
        bodies = []
        for one in events:
            self.published += 1
            fields = an_event(self.path.parts, publisher=str(UUID(int=7)), publisher_sequence=self.published)
            bodies.append(json.dumps({**fields, "event_id": str(uuid4()), **one}))
        inbox.publish(self.connection, bodies, quiet=timedelta(0), most=timedelta(0))
        # The lane was published to in this very transaction, so it is due now.
        ((batch, _),) = scheduler.claim(self.connection, [self.lane], self.parts.settings)
        set_tenant(self.connection, self.path.tenant_id)
        return batch

    def form(self, found: Found, speakers: tuple[str | None, ...] = (None, None)) -> deciding.Plan:
        """Consolidate a batch of two messages in which these facts were found."""
        said = [{"speaker": speaker} if speaker else {} for speaker in speakers]
        batch = self.batch(*said)
        numbered = dict(enumerate(found, 1))
        candidates.store_facts(self.connection, batch, [fact.model_dump(mode="json") for fact, _ in found])
        vectors = {number: vector for number, (_, vector) in numbered.items()}
        candidates.store_vectors(self.connection, batch, MODEL, vectors)
        plan = deciding.decide(batch, self.parts)
        apply.apply(self.connection, batch=batch, plan=plan, debounce=Settings().reflection_debounce)
        self.release()
        return plan

    def undo(self, decision_id: UUID) -> str | None:
        """Undo a decision; return the reason if it was refused."""
        return commands.undo(
            self.connection, batch=BatchRef(self.lane, uuid4()), event_id=uuid4(), decision_id=decision_id
        )

    def release(self) -> None:
        """Free the lane, as after the last stage."""
        self.connection.execute(
            text("update mosshead.lanes set batch_id = null where tenant_id = :tenant_id"), self.scope
        )

    @property
    def scope(self) -> dict[str, Any]:
        return {"tenant_id": self.path.tenant_id}

    def log(self) -> list[Any]:
        """Return all decisions, in order."""
        statement = text("select * from mosshead.decisions where tenant_id = :tenant_id order by position")
        return list(self.connection.execute(statement, self.scope))

    def versions(self) -> dict[UUID, int]:
        """Return every memory that ever existed, with its latest version."""
        statement = text(
            "select memory_id, max(version) from mosshead.memories where tenant_id = :tenant_id group by 1"
        )
        return {row[0]: row[1] for row in self.connection.execute(statement, self.scope)}

    def open_versions(self) -> int:
        statement = text("select count(*) from mosshead.memories where tenant_id = :tenant_id and known_to is null")
        return int(self.connection.execute(statement, self.scope).scalar_one())

    def exported(self, before: Any = None) -> str:
        """Return what is known now, or was known just before a decision."""
        as_of = before.decided_at - timedelta(microseconds=1) if before else None
        return "\n".join(export.export(self.connection, self.path, as_of=as_of))


class Anything:
    """An LLM that gives each example's answer, whatever it is asked."""

    def __init__(self, fake: FakeOpenAI) -> None:
        self.model = OpenAILanguageModel("any-model", api_key="none", timeout=10, base_url=fake.base_url)
        self.answer: Json = None

    def will_answer(self, answer: Json) -> None:
        self.answer = answer


@pytest.fixture(scope="module")
def llm() -> Iterator[Anything]:
    with FakeOpenAI() as fake:
        anything = Anything(fake)
        with fake.answering(_SCHEMA, lambda _: anything.answer):
            yield anything


@pytest.fixture(scope="module")
def connection(admin_engine: Engine) -> Iterator[Connection]:
    with admin_engine.connect() as opened:
        yield opened


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    speakers=st.sampled_from([(None, None), ("Ana", "Ben")]),
    said=st.tuples(st.lists(facts(), min_size=1, max_size=2), st.lists(facts(), min_size=1, max_size=3), ANSWERS),
    data=st.data(),
)
def test_only_shown_memories_change_and_every_change_can_be_undone(
    connection: Connection,
    llm: Anything,
    speakers: tuple[str | None, ...],
    said: tuple[Found, Found, Json],
    data: st.DataObject,
) -> None:
    known, found, answer = said
    llm.will_answer(answer)
    example = _example(connection)
    try:
        example.form(known, speakers)
        earlier, before = example.versions(), len(example.log())
        example.parts = replace(example.parts, model=llm.model)
        try:
            plan = example.form(found, speakers)
        except AnswerRefused:
            event("refused")
            assert (example.versions(), len(example.log())) == (earlier, before), "a refused answer changed something"
            return
        _check_changes(example, plan, earlier, before)
        _check_undo(example, example.log()[before:], data)
    finally:
        connection.rollback()


def _example(connection: Connection) -> Example:
    chosen = Settings(debounce_seconds=0, gap_seconds=0)
    embedder = _Directions()
    parts = Parts(chosen, cast(Engine, Joined(connection)), cast(Any, embedder), None, UsageLog())
    return Example(parts, connection, NamespacePath.of((f"tenant-{uuid4().hex}", "sarah")))


class _Directions:
    """Embeds merged texts and the words around a name: the vectors of the facts are drawn."""

    name = MODEL

    def embed(self, texts: list[str]) -> list[Vectors]:
        return [direction(1.0, len(one) % 3, len(one) % 5) for one in texts]


def _check_changes(example: Example, plan: deciding.Plan, earlier: dict[UUID, int], before: int) -> None:
    now, log = example.versions(), example.log()[before:]
    shown = {row.memory_id: row.version for row in plan.similar.values()}
    changed = {key for key, version in earlier.items() if now[key] != version}
    assert changed <= set(shown), "a memory changed that was not shown"
    assert all(earlier[key] == shown[key] for key in changed), "it was not at the version that was read"
    assert set(earlier) <= set(now)
    assert example.open_versions() == len(now), "a memory is only gone, or there twice"
    assert len(log) == len(plan.facts), "one decision for each fact"
    made = {row.memory_id for row in log if row.action in {"add", "supersede", "contradict"}}
    assert set(now) - set(earlier) == made, "a memory without a decision"
    for row in log:
        event(row.action)


def _check_undo(example: Example, log: list[Any], data: st.DataObject) -> None:
    whole = example.exported()
    if len(log) > 1:
        _check_early_undo(example, data.draw(st.sampled_from(log[:-1])), log)
        assert example.exported() == whole
    for decision in (one for one in reversed(log) if one.action != "quarantine"):
        then = example.exported(decision)
        refused = example.undo(decision.decision_id)
        assert refused in {None, "it changed nothing"}
        assert example.exported() == then, "the undo did not bring back what was before"


def _check_early_undo(example: Example, early: Any, log: list[Any]) -> None:
    """Later decisions stay: either they build on this one and are named, or the undo can itself be undone."""
    refused = example.undo(early.decision_id)
    if refused is None:
        assert example.undo(example.log()[-1].decision_id) is None
        event("an early one undone, and that undone")
    elif refused.startswith("later decisions build on it: "):
        named = {UUID(one) for one in refused.removeprefix("later decisions build on it: ").split(", ")}
        assert named
        assert named <= {row.decision_id for row in log if row.position > early.position}
        event("an early one refused")


def test_decision_that_builds_on_a_changed_row_is_named(connection: Connection) -> None:
    fact = Fact(kind=MemoryKind.FACT, content="User lives in Rome", sources=(1,), quote="in Rome")
    example = _example(connection)
    try:
        example.form([(fact, direction(1.0))])
        example.form([(fact, direction(1.0))])
        first, second = example.log()
        assert example.undo(first.decision_id) == f"later decisions build on it: {second.decision_id}"
        done = undoing.find(connection, example.lane, first.decision_id)
        assert done is not None
        assert done.in_effect
    finally:
        connection.rollback()


def _told(content: str, message: int = 1, place: str | None = None) -> tuple[Fact, Vectors]:
    user = FactMention(name="User", entity_type=EntityType.PERSON, role="subject")
    held = {"attribute": "lives_in", "value": place} if place else {}
    fact = Fact(kind=MemoryKind.FACT, content=content, sources=(message,), quote=content, mentions=(user,), **held)
    return fact, direction(1.0, 0.05 * (len(content) % 3))


def _proposed(fact: int, action: str, content: str | None = None) -> Json:
    return {"fact": fact, "action": action, "memory": 1, "content": content, "reason": "because"}


@pytest.mark.parametrize(
    ("told", "proposed", "active"),
    [
        (
            [_told("User has a dog"), _told("User has a dog called Rex"), _told("User has a brown dog", 2)],
            [_proposed(1, "update", "User has a dog called Rex"), _proposed(2, "update", "User has a brown dog")],
            {"User has a dog called Rex", "User has a brown dog"},
        ),
        (
            [_told("User lives in Rome"), _told("User moved to Oslo"), _told("User lives in central Rome", 2)],
            [_proposed(1, "supersede"), _proposed(2, "update", "User lives in central Rome")],
            {"User moved to Oslo", "User lives in central Rome"},
        ),
        (
            [
                _told("User works at Acme as a designer"),
                _told("User works at Globex now"),
                _told("User is an engineer now", 2),
            ],
            [_proposed(1, "supersede"), _proposed(2, "supersede")],
            {"User works at Globex now", "User is an engineer now"},
        ),
        (
            [_told("User lives in Rome"), _told("User moved to Oslo"), _told("User dwells in Rome", 2)],
            [_proposed(1, "supersede"), _proposed(2, "none")],
            {"User moved to Oslo", "User dwells in Rome"},
        ),
        (
            [
                _told("User lives in Boston", place="Boston"),
                _told("User moved to Oslo", place="Oslo"),
                _told("User moved back to Boston", 2, place="Boston"),
            ],
            None,
            {"User moved back to Boston"},
        ),
    ],
    ids=["two updates", "update of what was replaced", "replaced twice", "none of what was replaced", "there and back"],
)
def test_two_facts_of_a_batch_about_one_memory_keep_each_others_content(
    connection: Connection,
    llm: Anything,
    told: Found,
    proposed: Json,
    active: set[str],
) -> None:
    example = _example(connection)
    now = text(
        "select content, reinforced from mosshead.memories "
        "where tenant_id = :tenant_id and known_to is null and state = 'active'"
    )
    try:
        example.form(told[:1])
        before = len(example.log())
        if proposed is not None:
            llm.will_answer({"decisions": proposed})
            example.parts = replace(example.parts, model=llm.model)
        example.form(told[1:])
        rows = list(connection.execute(now, example.scope))
        assert {row.content for row in rows} == active
        assert not any(row.reinforced for row in rows)
        for decision in reversed(example.log()[before:]):
            then = example.exported(decision)
            assert example.undo(decision.decision_id) is None
            assert example.exported() == then
    finally:
        connection.rollback()
