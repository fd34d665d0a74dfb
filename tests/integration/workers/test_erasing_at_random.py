"""After random use of an app, one conversation is erased: none of its words remain, all else does, no reference dangles."""

import random
from collections.abc import Callable
from uuid import UUID

import pytest
from sqlalchemy import Engine, text

from db.keys import LaneRef
from mosshead import Namespace
from tests.forming import Forming
from tests.integration.db.test_vocabulary import kept
from tests.integration.workers.conftest import Find

__all__ = ["kept"]

WORDS = {"gone": ("quuxbury", "quuxology", "quuxhound"), "kept": ("norwich", "botany", "beagle")}
SAID = (
    "I live in {0}.",
    "I moved to {0}.",
    "I studied {1}.",
    "My sister Ruth has a {2}.",
    "Peter is a teacher of {1} in {0}.",
    "Peter Haas lives in {0}.",
    "I like tea.",
    "Actually, I live in {0}.",
    "I no longer live in {0}.",
    "Ruth works at {0} College with Peter.",
    "Remember that the {2} is called Rex.",
)

LOOSE = """
    select 'link of no memory' from mosshead.memory_entities as link where {of_lane} and not exists (
        select from mosshead.memories as one where {same} and one.memory_id = link.memory_id)
    union all select 'link to nobody' from mosshead.memory_entities as link where {of_lane} and not exists (
        select from mosshead.entities as one where {same} and one.entity_id = link.entity_id)
    union all select 'source of no memory' from mosshead.memory_sources as link where {of_lane} and not exists (
        select from mosshead.memories as one where {same} and one.memory_id = link.memory_id)
    union all select 'replaced by nothing' from mosshead.memories as link where {of_lane} and superseded_by is not null
        and not exists (select from mosshead.memories as one where {same} and one.memory_id = link.superseded_by)
    union all select 'vector of no memory' from mosshead.embeddings as link where {of_lane} and owner_kind = 'memory'
        and not exists (select from mosshead.memories as one
                        where {same} and one.memory_id = link.owner_id and known_to is null and state = 'active')
    union all select 'memory without a vector' from mosshead.memories as link where {of_lane} and known_to is null
        and state = 'active' and not exists (
        select from mosshead.embeddings as one where {same} and one.owner_id = link.memory_id and owner_kind = 'memory')
    union all select 'relation of nobody' from mosshead.relations as link where {of_lane} and not exists (
        select from mosshead.entities as one where {same} and one.entity_id in (link.subject_id, link.object_id))
    union all select 'alias of nobody' from mosshead.entity_aliases as link where {of_lane} and not exists (
        select from mosshead.entities as one where {same} and one.entity_id = link.entity_id)
    union all select 'trait of nobody' from mosshead.traits as link where {of_lane} and not exists (
        select from mosshead.entities as one where {same} and one.entity_id = link.entity_id)
    union all select 'two versions now' from mosshead.memories as link where {of_lane} and known_to is null
        group by memory_id having count(*) > 1
""".format(
    of_lane="link.tenant_id = :tenant_id and link.namespace_id = :namespace_id",
    same="one.tenant_id = :tenant_id and one.namespace_id = :namespace_id",
)


def live(forming: Forming, sarah: Namespace, chance: random.Random, acts: int = 12) -> list[str]:
    """Run some weeks of an app; return the messages of the conversation that is kept."""
    kept_messages = []
    for _ in range(acts):
        act = chance.random()
        known = sarah.memories()
        if act < 0.7 or not known:
            conversation = chance.choice(("gone", "kept"))
            said = chance.choice(SAID).format(*WORDS[conversation])
            forming.say(said, conversation=conversation)
            kept_messages += [said] if conversation == "kept" else []
        elif act < 0.8:
            forming.command(type="forget", memories=[str(chance.choice(known).id)])
        elif act < 0.9:
            decision = chance.choice(sarah.decisions.latest())
            forming.command(type="undo", decision_id=str(decision.id))
        else:
            one, other = chance.choice(sarah.entities.list()), chance.choice(sarah.entities.list())
            if one.id != other.id:
                forming.command(type="merge", entity_id=str(one.id), into=str(other.id))
    return kept_messages


def borne_out(sarah: Namespace) -> dict[UUID, str]:
    """Return the contents of memories without a source in the erased conversation."""
    told = [sarah.get(one.id) for one in sarah.memories()]
    return {
        one.id: one.content
        for one in told
        if all(sarah.messages.get(source.message_id).messages[0].conversation == "kept" for source in one.sources)
    }


@pytest.fixture
def rows(admin_engine: Engine, lane: LaneRef) -> Callable[[str], list[str]]:
    """Return a statement's rows in the namespace."""

    def rows(statement: str) -> list[str]:
        with admin_engine.connect() as connection:
            return list(connection.execute(text(statement), lane.scope).scalars())

    return rows


@pytest.mark.parametrize(
    "seed",
    [119, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in (145, *range(4)))],  # the first two found faults
)
def test_one_conversation_is_erased_and_everything_else_stays(
    forming: Forming,
    sarah: Namespace,
    find: Find,
    kept: Callable[[], int],
    rows: Callable[[str], list[str]],
    *,
    seed: int,
) -> None:
    said = live(forming, sarah, random.Random(seed))
    before = borne_out(sarah)

    forming.erase(conversation="gone")

    assert find("quux") == {}
    assert rows(LOOSE) == []
    assert sorted(rows("select content from mosshead.messages where namespace_id = :namespace_id")) == sorted(said)
    assert {one.id: one.content for one in sarah.memories()}.items() >= before.items()
    kept()
    for decision in sarah.decisions.latest():
        forming.command(type="undo", decision_id=str(decision.id))
    forming.send()
    assert find("quux") == {}
    assert rows(LOOSE) == []
    assert not sarah.progress().partial
