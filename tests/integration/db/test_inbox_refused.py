"""Events the intake refuses: stored as a dead letter with a reason and a number that counts, and never tried."""

import json
from base64 import b64encode
from hashlib import sha256
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError

from db import inbox
from db.keys import LaneRef
from tests.given import Publishing, claim, claimed, contents_of

NOBODY = LaneRef(UUID(int=0), UUID(int=0))


def letter(reason: str, body: bytes, event: dict[str, Any] | None = None) -> str:
    """Return the dead letter as `workers.intake` makes it."""
    return json.dumps(
        {
            "reason": reason,
            "digest": sha256(body).hexdigest(),
            "bytes": len(body),
            "body": b64encode(b"" if event else body).decode(),
            "event": event,
        }
    )


def refuse(engine: Engine, *letters: str) -> None:
    with engine.begin() as connection:
        inbox.refuse(connection, letters)


def dead_letters(engine: Engine, lane: LaneRef) -> list[tuple[UUID, str, str, int]]:
    statement = text("""
        select letter_id, origin, reason, times from mosshead.dead_letters
        where tenant_id = :tenant_id and namespace_id = :namespace_id order by died_at, letter_id
    """)
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(statement, lane.scope)]


def pending(engine: Engine, lane: LaneRef) -> int:
    with engine.connect() as connection:
        statement = text("select pending from mosshead.lanes where tenant_id = :tenant_id")
        return int(connection.execute(statement, lane.scope).scalar_one())


class TestAnEventWhoseEnvelopeCanBeRead:
    def test_its_number_counts_and_the_event_is_never_tried(
        self, ingest_engine: Engine, admin_engine: Engine, worker_engine: Engine, publishing: Publishing, lane: LaneRef
    ) -> None:
        bad = publishing.message("bad")
        publishing.send(publishing.message("good"))
        assert claim(worker_engine, lane) is None, "the first may still come"
        refuse(ingest_engine, letter("role: one of user", b"bad", bad))

        assert dead_letters(admin_engine, lane) == [(UUID(bad["event_id"]), "intake", "role: one of user", 1)]
        assert contents_of(worker_engine, claimed(worker_engine, lane)) == ["good"], "at once"
        assert pending(admin_engine, lane) == 1

    def test_repeated_event_is_counted(
        self, ingest_engine: Engine, admin_engine: Engine, publishing: Publishing, lane: LaneRef
    ) -> None:
        bad = publishing.message("bad")
        for reason in ("first", "second"):
            refuse(ingest_engine, letter(reason, b"bad", bad))
        assert dead_letters(admin_engine, lane) == [(UUID(bad["event_id"]), "intake", "second", 2)]

    @pytest.mark.parametrize("state", ["received", "done", "discarded"])
    def test_event_that_was_accepted_or_handled_before_is_no_dead_letter(
        self, ingest_engine: Engine, admin_engine: Engine, publishing: Publishing, lane: LaneRef, state: str
    ) -> None:
        known = publishing.message("known")
        publishing.send(known)
        with admin_engine.begin() as connection:
            statement = text("update mosshead.events set state = :state where tenant_id = :tenant_id")
            connection.execute(statement, {"state": state, **lane.scope})
        refuse(ingest_engine, letter("role: one of user", b"known", known))
        assert dead_letters(admin_engine, lane) == []

    def test_event_whose_number_is_taken_is_still_a_dead_letter(
        self, ingest_engine: Engine, admin_engine: Engine, worker_engine: Engine, publishing: Publishing, lane: LaneRef
    ) -> None:
        """As from a copied spool: it must not vanish."""
        publishing.send(publishing.message("good", number=1))
        bad = publishing.message("bad", number=1)
        refuse(ingest_engine, letter("role: one of user", b"bad", bad))

        assert dead_letters(admin_engine, lane) == [(UUID(bad["event_id"]), "intake", "role: one of user", 1)]
        with admin_engine.connect() as connection:
            kept = text("select payload ->> 'content' from mosshead.events where event_id = :id")
            assert connection.execute(kept, {"id": bad["event_id"]}).scalar_one() == "bad"
        assert contents_of(worker_engine, claimed(worker_engine, lane)) == ["good"]


class TestABodyThatNamesNoNamespace:
    def test_body_is_set_aside_and_counted_when_it_comes_again(
        self, ingest_engine: Engine, admin_engine: Engine, lane: LaneRef
    ) -> None:
        body = f"no event of {lane.tenant_id}".encode()
        for _ in range(2):
            refuse(ingest_engine, letter("event: not a JSON object", body))

        digest = UUID(sha256(body).hexdigest()[:32])
        found = [row for row in dead_letters(admin_engine, NOBODY) if row[0] == digest]
        assert found == [(digest, "intake", "event: not a JSON object", 2)]
        with admin_engine.connect() as connection:
            kept = text("select body from mosshead.refused where letter_id = :id")
            assert bytes(connection.execute(kept, {"id": digest}).scalar_one()) == body

    def test_two_bad_bodies_in_one_call_are_both_kept(
        self, ingest_engine: Engine, admin_engine: Engine, publishing: Publishing, lane: LaneRef
    ) -> None:
        bad, body = publishing.message("bad"), f"garbage of {lane.tenant_id}".encode()
        refuse(ingest_engine, letter("role: one of user", b"bad", bad), letter("event: not a JSON object", body))

        assert len(dead_letters(admin_engine, lane)) == 1
        assert UUID(sha256(body).hexdigest()[:32]) in {row[0] for row in dead_letters(admin_engine, NOBODY)}


@pytest.mark.parametrize("table", ["refused", "dead_letters", "events"])
def test_intake_may_refuse_but_not_read(ingest_engine: Engine, table: str) -> None:
    with pytest.raises(DBAPIError, match="permission denied"), ingest_engine.connect() as connection:
        connection.execute(text(f"select 1 from mosshead.{table}"))
