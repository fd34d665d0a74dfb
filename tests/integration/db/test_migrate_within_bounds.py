"""To the version in which the numbers and times of events are bounded, and back."""

import json
from datetime import UTC, datetime
from uuid import UUID, uuid4

import psycopg
import pytest
from alembic import command

from db.migrate import migrate
from mosshead.events import MAX_NUMBER
from tests.given import event
from tests.integration.db.test_migrate import empty_database, rows, run, schema

__all__ = ["empty_database"]

_BEFORE = "0022"
_THIS = "0023"


def publish(url: str, *events: dict[str, object]) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("select mosshead_write_v1.publish(%s)", [json.dumps(events)])


def test_up_and_down_and_up_again(empty_database: str) -> None:
    migrate(empty_database, {}, _BEFORE)
    before = schema(empty_database)
    publish(empty_database, event())
    migrate(empty_database, {}, _THIS)
    after = schema(empty_database)

    publish(empty_database, event(occurred_at="2098-01-01T00:00:00Z"))
    run(empty_database, command.downgrade, _BEFORE)
    assert schema(empty_database) == before
    migrate(empty_database, {}, _THIS)
    assert schema(empty_database) == after


def test_event_whose_number_is_beyond_the_bound_gets_another_and_is_not_lost(empty_database: str) -> None:
    migrate(empty_database, {}, _BEFORE)
    publisher, hostile = str(uuid4()), str(uuid4())
    publish(
        empty_database,
        event(content="first", publisher=publisher, publisher_sequence=1),
        event(content="highest", publisher=publisher, publisher_sequence=2**63 - 1),
        event(content="high", publisher=hostile, publisher_sequence=MAX_NUMBER + 1),
        event(content="at the bound", publisher=hostile, publisher_sequence=MAX_NUMBER),
        event(("globex", "tom"), content="elsewhere", publisher=hostile, publisher_sequence=2**63 - 1),
    )
    migrate(empty_database, {}, _THIS)

    found = rows(
        empty_database,
        """
        select payload ->> 'content', publisher_sequence, publisher_id::text = payload ->> 'publisher',
               publisher_sequence = (payload ->> 'publisher_sequence')::bigint, received_up_to >= publisher_sequence
        from mosshead.events join mosshead.publishers using (tenant_id, namespace_id, publisher_id)
        """,
    )
    assert found == {
        ("first", 1, True, True, True),
        ("highest", 1, True, True, True),
        ("high", 2, True, True, True),
        ("at the bound", MAX_NUMBER, True, True, False),
        ("elsewhere", 1, True, True, True),
    }


@pytest.mark.parametrize("number", [MAX_NUMBER + 1, 2**63 - 1])
def test_event_whose_number_is_beyond_the_bound_is_refused_by_sql(empty_database: str, number: int) -> None:
    migrate(empty_database, {}, _THIS)
    with pytest.raises(psycopg.errors.CheckViolation, match="events_number_within_bounds") as refused:
        publish(empty_database, event(content="I like coffee", publisher_sequence=number))
    assert "coffee" not in str(refused.value)
    publish(empty_database, event(publisher_sequence=MAX_NUMBER))


def test_times_of_old_events_stay_as_they_are(empty_database: str) -> None:
    migrate(empty_database, {}, _BEFORE)
    publish(empty_database, event(event_id=str(UUID(int=1)), occurred_at="2098-01-01T00:00:00Z"))
    migrate(empty_database, {}, _THIS)
    assert rows(empty_database, "select occurred_at, occurred_at_sent from mosshead.messages") == {
        (datetime(2098, 1, 1, tzinfo=UTC), None)
    }
