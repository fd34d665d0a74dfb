"""To the thirteenth version and back: statistics lose their words, and a log of what was refused comes and goes."""

from uuid import UUID

from alembic import command
from sqlalchemy import text

from db.migrate import migrate
from tests.integration.db.test_migrate import EVENTS, administrating, empty_database, rows, run, schema

__all__ = ["empty_database"]

_BEFORE = "0012"
_WORDS = """
    select tablename, attname from pg_stats where schemaname = 'mosshead' and attname in ('content', 'payload', 'path')
      and (most_common_vals is not null or histogram_bounds is not null or most_common_elems is not null)
"""
_COUNTED = "select attname, n_distinct from pg_stats where schemaname = 'mosshead' and tablename = 'entity_aliases'"
_BARRIERS = """
    select relname from pg_class
    where relnamespace = 'mosshead_read_v1'::regnamespace and reloptions @> array['security_barrier=true']
"""
_REFUSED = f"""
    insert into mosshead.decisions (tenant_id, namespace_id, decision_id, batch_id, action, candidates, decided_by, reason)
    select tenant_id, namespace_id, id, '{UUID(int=9)}', action, '[]', 'rules', 'x' from mosshead.lanes
    cross join (values (uuid '{UUID(int=1)}', 'refuse'), (uuid '{UUID(int=2)}', 'add')) as told (id, action);
    insert into mosshead.candidate_facts (tenant_id, namespace_id, batch_id, number, fact, refused)
    select tenant_id, namespace_id, '{UUID(int=9)}', number, '{{}}', why from mosshead.lanes
    cross join (values (1, null), (2, 'ungrounded')) as found (number, why)
"""


def test_up_forgets_the_words_and_down_the_refusals(empty_database: str) -> None:
    migrate(empty_database, {}, _BEFORE)
    before = schema(empty_database)
    with administrating(empty_database) as connection:
        connection.execute(text("select mosshead_write_v1.publish(cast(:events as jsonb))"), {"events": EVENTS})
        connection.exec_driver_sql("analyze")
    assert ("messages", "content") in rows(empty_database, _WORDS)
    assert rows(empty_database, _BARRIERS) == set()

    migrate(empty_database, {})
    after = schema(empty_database)
    with administrating(empty_database) as connection:
        connection.exec_driver_sql(_REFUSED)
        connection.exec_driver_sql("analyze")
    assert rows(empty_database, _WORDS) == set()
    assert ("normalised", -0.5) in rows(empty_database, _COUNTED), "how many there are is still known"
    assert rows(empty_database, _BARRIERS) == {("scopes",), ("progress",)}

    run(empty_database, command.downgrade, _BEFORE)
    assert schema(empty_database) == before
    assert rows(empty_database, _BARRIERS) | rows(empty_database, _COUNTED) == set()
    assert rows(empty_database, "select decision_id from mosshead.decisions") == {(UUID(int=2),)}
    assert rows(empty_database, "select number from mosshead.candidate_facts") == {(1,)}
    with administrating(empty_database) as connection:
        connection.exec_driver_sql("analyze")
    assert ("messages", "content") in rows(empty_database, _WORDS)
    migrate(empty_database, {})
    assert schema(empty_database) == after
