"""Tenants and namespaces as an operator lists them: latest active first, without reading any tenant's rows."""

from uuid import uuid4

from sqlalchemy import Engine

from db import activity
from db.keys import LaneRef
from mosshead.paths import NamespacePath
from mosshead.store.connection import tenant_transaction
from tests.given import MINILM, Publishing, Remembering


def test_namespaces_are_listed_latest_active_first_with_counts(
    ingest_engine: Engine, worker_engine: Engine, publishing: Publishing, remembering: Remembering
) -> None:
    publishing.say("I like tea", "I like ham")
    (vector,) = MINILM.embed(["User likes tea"])
    remembering.memory("User likes tea", vector)
    remembering.entity("Anna")
    other = Publishing(ingest_engine, NamespacePath.of((publishing.path.parts[0], f"anna-{uuid4().hex}")))
    other.say("I like figs")
    tenant_id = publishing.path.tenant_id

    def listed() -> list[tuple[LaneRef, int, int]]:
        # No tenant is set, so tables with a policy would appear empty.
        with worker_engine.begin() as connection:
            found = activity.active_namespaces(connection, tenant_id=tenant_id, limit=10)
        return [(one.lane, one.memories, one.waiting) for one in found]

    lanes = [LaneRef(tenant_id, one.path.namespace_id) for one in (other, publishing)]
    assert listed() == [(lanes[0], 0, 1), (lanes[1], 1, 2)]
    publishing.say("I like milk")
    assert listed() == [(lanes[1], 1, 3), (lanes[0], 0, 1)]

    with worker_engine.begin() as connection:
        tenants = activity.active_tenants(connection, limit=100_000)
        newest = activity.active_namespaces(connection, limit=1)
    (tenant,) = [one for one in tenants if one.tenant_id == tenant_id]
    assert (tenant.namespaces, tenant.memories, tenant.waiting) == (2, 1, 4)
    assert [one.lane for one in newest] == [lanes[1]]
    assert tenants[0] == tenant

    with tenant_transaction(worker_engine, tenant_id) as connection:
        contents = activity.contents(connection, tenant_id, [one.namespace_id for one in lanes])
    assert contents[lanes[1].namespace_id] == (publishing.path.parts, 1)
    assert contents[lanes[0].namespace_id] == (other.path.parts, 0)
