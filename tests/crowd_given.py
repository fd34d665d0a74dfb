"""A service with many small namespaces and one large one, for tests of query plans."""

from sqlalchemy import create_engine, text

from mosshead.paths import NamespacePath
from mosshead.urls import sqlalchemy_url
from tests.given import MODEL

PATH = NamespacePath.of(("acme", "sarah"))
HELD = 400
"""Its rows in each table."""

_SPACES = f"""
    create temporary table space as
    select case number when 0 then cast(:tenant_id as uuid) else md5('tenant' || number / 3)::uuid end as tenant_id,
           case number when 0 then cast(:namespace_id as uuid) else md5('namespace' || number)::uuid end as namespace_id,
           md5(number || 'row' || place)::uuid as id, md5(number || 'entity' || place / 2)::uuid as entity_id,
           'chat ' || place / 5 as conversation_id
    from generate_series(0, 600) as number cross join generate_series(1, case number when 0 then {HELD} else 5 end) as place
"""
_VECTOR = "(select array_agg(1)::vector::halfvec from generate_series(1, 384))"
_ROWS = (
    "insert into mosshead.models values (:model, 384)",
    """insert into mosshead.messages (tenant_id, namespace_id, message_id, conversation_id, role, content, occurred_at)
       select tenant_id, namespace_id, id, conversation_id, 'user', 'Is it dry?', now() from space""",
    f"""insert into mosshead.turns (tenant_id, namespace_id, model, message_id, conversation_id, said_at, role, embedding,
                                     with_before, words)
        select tenant_id, namespace_id, :model, id, conversation_id, now(), 'user', {_VECTOR}, {_VECTOR}, '' from space""",
    """insert into mosshead.memories (tenant_id, namespace_id, memory_id, version, kind, content, salience, confidence, tier,
                                       state, valid_from)
       select tenant_id, namespace_id, id, 1, 'fact', 'It is dry', 0.5, 1, 'solid', 'active', now() from space""",
    f"""insert into mosshead.embeddings (tenant_id, namespace_id, model, owner_kind, owner_id, version, embedding, words)
        select tenant_id, namespace_id, :model, 'memory', id, 1, {_VECTOR}, '' from space""",
    """insert into mosshead.memory_entities (tenant_id, namespace_id, memory_id, entity_id, role, certainty)
       select tenant_id, namespace_id, id, entity_id, 'subject', 'sure' from space""",
    """insert into mosshead.memory_sources (tenant_id, namespace_id, memory_id, message_id, quote)
       select tenant_id, namespace_id, id, id, '' from space""",
    f"""insert into mosshead.traits (tenant_id, namespace_id, entity_id, model, owner_kind, owner_id, embedding, words)
        select tenant_id, namespace_id, entity_id, :model, 'memory', id, {_VECTOR}, '' from space""",
    """insert into mosshead.entities (tenant_id, namespace_id, entity_id, name, entity_type)
       select distinct tenant_id, namespace_id, entity_id, 'Ada', 'person' from space""",
    """insert into mosshead.entity_aliases (tenant_id, namespace_id, entity_id, alias, normalised)
       select distinct tenant_id, namespace_id, entity_id, 'Ada', 'ada' from space""",
)


def fill(url: str) -> None:
    """Fill a migrated database with 600 namespaces of 200 tenants, with five rows each, and one with 400.

    url: the administrator's. Also vacuum it; otherwise autovacuum would do so in some clones only.
    """
    engine = create_engine(sqlalchemy_url(url, "MOSSHEAD_ADMIN_URL"))
    with engine.begin() as connection:
        connection.exec_driver_sql("set session_replication_role = replica")
        connection.execute(text(_SPACES), {"tenant_id": PATH.tenant_id, "namespace_id": PATH.namespace_id})
        for statement in _ROWS:
            connection.execute(text(statement), {"model": MODEL} if ":model" in statement else {})
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("vacuum analyze")
    engine.dispose()
