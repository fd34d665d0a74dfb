"""To the twelfth version and back: indexes of large scopes stay, and those that only contexts use come and go."""

from alembic import command
from sqlalchemy import text

from db.migrate import migrate
from tests.integration.db.test_migrate import EVENTS, administrating, empty_database, rows, run, schema
from workers.operations.indexing import index_scopes

__all__ = ["empty_database"]

_LARGE = """
    insert into mosshead.models (model, dimensions, active) values ('m', 2, true);
    insert into mosshead.embeddings (tenant_id, namespace_id, model, owner_kind, owner_id, version, embedding)
    select tenant_id, namespace_id, 'm', 'memory', gen_random_uuid(), 1, '[1,0]' from mosshead.lanes;
    update mosshead.scopes set indexed = true;
    create index embeddings_of_scope_1 on mosshead.embeddings using hnsw ((embedding::halfvec(2)) halfvec_ip_ops)
    where model = 'm' and owner_kind = 'memory'
"""
_INDEXED = "select indexed from mosshead.scopes"
_INDEXES = "select indexname from pg_indexes where indexname ~ '_of_scope_'"


def test_up_waits_for_the_other_indexes_and_down_drops_them(empty_database: str) -> None:
    migrate(empty_database, {}, "0011")
    eleventh = schema(empty_database)
    with administrating(empty_database) as connection:
        connection.execute(text("select mosshead_write_v1.publish(cast(:events as jsonb))"), {"events": EVENTS})
        connection.exec_driver_sql(_LARGE)

    migrate(empty_database, {})
    twelfth = schema(empty_database)
    assert rows(empty_database, _INDEXED) == {(False,)}
    assert rows(empty_database, _INDEXES) == {("embeddings_of_scope_1",)}
    # Below none: its messages, too, of which there are none.
    assert index_scopes(empty_database, outgrown=-1, shrunk=0) is not None
    assert rows(empty_database, _INDEXED) == {(True,)}
    assert len(rows(empty_database, _INDEXES)) == 6

    run(empty_database, command.downgrade, "0011")
    ((kept,),) = rows(empty_database, _INDEXES)
    assert kept.startswith("embeddings_of_scope_")
    with administrating(empty_database) as connection:
        connection.exec_driver_sql(f"drop index mosshead.{kept}")
    assert schema(empty_database) == eleventh
    migrate(empty_database, {})
    assert schema(empty_database) | {one for one in twelfth if "embeddings_of_scope_1" in one} == twelfth
