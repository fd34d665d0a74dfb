"""To the version that keeps the zone of what was said, and back: what is there gets it from the events that brought it."""

import json
from uuid import UUID, uuid4

import pytest
from alembic import command
from sqlalchemy import text

from db.migrate import migrate
from tests.given import event
from tests.integration.db.test_migrate import administrating, empty_database, rows, run, schema

__all__ = ["empty_database"]

_BEFORE = "0019"
_THIS = "0020"

_EVENING = "2026-03-02T20:00:00-08:00"
_FACT = {
    "content": "User met Ada",
    "occurred": {"start": "2026-03-01T00:00:00-08:00", "end": "2026-03-02T00:00:00-07:00", "granularity": "day"},
}
_MEMORY = """
    insert into mosshead.memories
        (tenant_id, namespace_id, memory_id, version, kind, content, salience, confidence, tier, state, valid_from,
         occurred_from, occurred_to, granularity, made_by, known_to)
    select tenant_id, namespace_id, :memory, version, 'event', 'User met Ada', 5, 0.9, 'solid', 'active', :said,
           '2026-03-01T08:00:00Z', '2026-03-02T07:00:00Z', 'day', :decision, case when version = 1 then now() end
    from mosshead.lanes cross join generate_series(1, 2) as version
"""
_SOURCE = """
    insert into mosshead.memory_sources (tenant_id, namespace_id, memory_id, message_id, quote, made_by)
    select tenant_id, namespace_id, :memory, :message, 'met Ada', :decision from mosshead.lanes
"""
_DECISION = """
    insert into mosshead.decisions
        (tenant_id, namespace_id, decision_id, batch_id, action, memory_id, fact, candidates, decided_by, reason)
    select tenant_id, namespace_id, :decision, :decision, 'add', :memory, cast(:fact as jsonb), '[]', 'rules', ''
    from mosshead.lanes
"""
_OFFSETS = "select valid_from_offset, occurred_from_offset, occurred_to_offset from mosshead.memories"


def _published(url: str, *occurred_at: str) -> list[UUID]:
    events = [event(publisher_sequence=number, occurred_at=one) for number, one in enumerate(occurred_at, 1)]
    publisher = events[0]["publisher"]
    with administrating(url) as connection:
        connection.execute(
            text("select mosshead_write_v1.publish(cast(:events as jsonb))"),
            {"events": json.dumps([{**one, "publisher": publisher} for one in events])},
        )
    return [UUID(one["event_id"]) for one in events]


def test_up_and_down_and_up_again(empty_database: str) -> None:
    migrate(empty_database, {}, _BEFORE)
    before = schema(empty_database)
    said, *_ = _published(empty_database, _EVENING, "2026-03-02T20:00:00+00:00", "2026-03-02T20:00:00+05:45")
    with administrating(empty_database) as connection:
        ids = {"memory": uuid4(), "decision": uuid4(), "message": said}
        connection.execute(text(_MEMORY), {**ids, "said": _EVENING})
        connection.execute(text(_SOURCE), ids)
        connection.execute(text(_DECISION), {**ids, "fact": json.dumps(_FACT)})

    for _ in range(2):
        migrate(empty_database, {}, _THIS)
        assert rows(empty_database, "select occurred_at_offset from mosshead.messages") == {(-480,), (None,), (345,)}
        assert rows(empty_database, _OFFSETS) == {(-480, -480, -420)}, "of both versions"
        run(empty_database, command.downgrade, _BEFORE)
        assert schema(empty_database) == before
        _published(empty_database, "2026-03-02T20:00:00+05:45")  # comes in as it did before


@pytest.mark.parametrize(
    ("given", "offset"),
    [
        ("2026-03-02T20:00:00-08:00", -480),
        ("2026-03-02T20:00:00.123456+05:45", 345),
        ("2026-07-02T20:00:00Z", 0),
        ("9998-12-31T23:59:59+14:00", 840),
        ("1890-03-02 20:00:00+00:53:28", 53),
        ("2026-07-02 20:00:00 Europe/Berlin", 120),
        ("infinity", None),
    ],
)
def test_a_message_comes_in_with_its_offset(empty_database: str, given: str, offset: int | None) -> None:
    migrate(empty_database, {}, _THIS)
    _published(empty_database, given)
    assert rows(empty_database, "select occurred_at_offset from mosshead.messages") == {(offset,)}
