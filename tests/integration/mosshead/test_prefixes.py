"""Reading across the namespaces of a tenant that share a prefix."""

from collections.abc import Callable
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine

from db import memories
from db.keys import LaneRef
from mosshead import InvalidNamespace, Memory
from mosshead.paths import NamespacePath
from tests.given import MINILM, MODEL, Publishing, Remembering

Knows = Callable[..., UUID]


@pytest.fixture
def tenant() -> str:
    return f"tenant-{uuid4().hex}"


@pytest.fixture
def knows(tenant: str, ingest_engine: Engine, worker_engine: Engine) -> Knows:
    """Return a function that adds a memory to a namespace of the tenant."""

    def remember(content: str, *parts: str, tenant: str = tenant) -> UUID:
        path = NamespacePath.of((tenant, *parts))
        Publishing(ingest_engine, path).say(content)
        remembering = Remembering(worker_engine, LaneRef(path.tenant_id, path.namespace_id))
        return remembering.memory(content, MINILM.embed([content])[0])

    return remember


def test_memories_of_all_namespaces_are_found_with_their_namespace(memory: Memory, tenant: str, knows: Knows) -> None:
    ladder = knows("The ladder hangs in the boat shed", "support", "ines")
    knows("Coffee is at ten", "support", "sam")
    knows("The ladder is on the roof", "sales", "ines")
    hits = memory.group(tenant, "support").query("Where is the ladder?", limit=2)

    assert (hits[0].id, str(hits[0].namespace)) == (ladder, f"{tenant}/support/ines")
    assert {hit.namespace.parts[1] for hit in hits} == {"support"}
    assert hits[0].similarity > hits[1].similarity


def test_threshold_and_limit_apply_to_all_namespaces_together(memory: Memory, tenant: str, knows: Knows) -> None:
    for name in ("ines", "sam"):
        knows("The ladder hangs in the boat shed", name)
        knows("Coffee is at ten", name)
    everywhere = memory.group(tenant)

    assert len(everywhere.query("The ladder hangs in the boat shed", threshold=0.9)) == 2
    assert len(everywhere.query("The ladder hangs in the boat shed", limit=1)) == 1
    assert everywhere.query(" \n") == []
    with pytest.raises(ValueError, match="limit: must be at least 1"):
        everywhere.query("The ladder", limit=0)


def test_namespaces_are_listed_in_order(memory: Memory, tenant: str, knows: Knows) -> None:
    for parts in (("support", "sam"), ("support", "ines"), ("supporting", "x")):
        knows("Coffee is at ten", *parts)

    assert [str(one) for one in memory.group(tenant, "support").namespaces()] == [
        f"{tenant}/support/ines",
        f"{tenant}/support/sam",
    ]
    assert memory.group(tenant, "nobody").namespaces() == []


def test_profile_vector_takes_no_place(memory: Memory, tenant: str, knows: Knows, worker_engine: Engine) -> None:
    ladder = knows("The ladder hangs in the boat shed", "support", "ines")
    path = NamespacePath.of((tenant, "support", "ines"))
    remembering = Remembering(worker_engine, LaneRef(path.tenant_id, path.namespace_id))
    with remembering.transaction() as connection:
        profile = {uuid4(): MINILM.embed(["Where is the ladder?"])[0]}
        memories.set_vectors(connection, remembering.lane, MODEL, "profile", profile)

    assert [hit.id for hit in memory.group(tenant).query("Where is the ladder?", limit=1)] == [ladder]


def test_another_tenant_is_never_seen(memory: Memory, tenant: str, knows: Knows) -> None:
    knows("The ladder hangs in the boat shed", "support", "ines", tenant=f"tenant-{uuid4().hex}")

    assert memory.group(tenant).query("Where is the ladder?") == []


def test_prefix_needs_a_tenant(memory: Memory) -> None:
    with pytest.raises(InvalidNamespace, match="the tenant first"):
        memory.group()
    with pytest.raises(InvalidNamespace, match="is empty"):
        memory.group("acme", "")
