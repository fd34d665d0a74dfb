"""Dead letters that an operator requeues or discards."""

import json
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine, text

from config.settings import Settings
from db import inbox, leases
from db.dead_letters import DeadLetter
from mosshead.errors import NotFound
from mosshead.paths import NamespacePath
from mosshead.publishing.signing import SigningKey, TenantKey, sign
from tests.given import LONG, Publishing, Worker, as_text, claim, claimed, contents_of
from workers.cli.dead_letters import content_of, discard, letters, requeue

APP = SigningKey("app-1", "0123456789abcdef" * 2)


@pytest.fixture
def dead(worker: Worker, publishing: Publishing) -> DeadLetter:
    """Return the dead letter of the first of two messages."""
    first, _ = publishing.say("one", "two")
    batch = claimed(worker.engine, worker.lane, messages=1)
    with worker.transaction() as connection:
        lease = leases.take(connection, batch, "extract", owner="a task", lasting=LONG)
        assert lease is not None
        inbox.mark_dead(connection, batch, "extract: why")
        leases.end(connection, lease, "dead")
    (letter,) = letters(worker.engine, [first])
    return letter


Refuse = Callable[..., DeadLetter]


@pytest.fixture
def refuse(ingest_engine: Engine, worker_engine: Engine) -> Refuse:
    """Refuse a message as the intake does, and return its letter."""

    def refused(body: bytes, event: dict[str, Any] | None = None) -> DeadLetter:
        letter = {
            "reason": "event: why",
            "digest": sha256(body).hexdigest(),
            "bytes": len(body),
            "body": b64encode(b"" if event else body).decode(),
            "event": event,
        }
        with ingest_engine.begin() as connection:
            inbox.refuse(connection, [json.dumps(letter)])
        letter_id = UUID(event["event_id"]) if event else UUID(sha256(body).hexdigest()[:32])
        return letters(worker_engine, [letter_id])[0]

    return refused


def pending(worker: Worker) -> int:
    with worker.transaction() as connection:
        statement = text("select pending from mosshead.lanes where tenant_id = :tenant_id")
        return int(connection.execute(statement, worker.lane.scope).scalar_one())


def dead_now(worker: Worker, letter: DeadLetter) -> list[str]:
    """Return the reason of a letter while it exists."""
    with worker.engine.begin() as connection:
        statement = text("select reason from mosshead.dead_letters where letter_id = :letter_id")
        return list(connection.execute(statement, letter.scope).scalars())


def test_event_given_up_by_a_stage_is_applied_in_its_place(worker: Worker, dead: DeadLetter, service: Settings) -> None:
    assert requeue(worker.engine, dead, service, {}) is None

    assert dead_now(worker, dead) == []
    assert pending(worker) == 2
    batch = claimed(worker.engine, worker.lane)
    assert contents_of(worker.engine, batch) == ["one"]
    worker.finish(batch)
    assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["two"]


def test_refused_event_that_is_valid_by_now_takes_its_place(
    worker: Worker, refuse: Refuse, publishing: Publishing, service: Settings
) -> None:
    """As after an update of the service, which then knows more types."""
    one = publishing.message("one", conversation="c1")
    letter = refuse(b"", one)
    publishing.say("two")

    assert requeue(worker.engine, letter, service, {}) is None
    assert dead_now(worker, letter) == []
    assert pending(worker) == 2
    assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["one", "two"]
    with worker.transaction() as connection:
        for table in ("messages", "conversations"):
            statement = text(f"select count(*) from mosshead.{table} where conversation_id = 'c1'")
            assert connection.execute(statement).scalar_one() == 1


def test_event_that_is_still_invalid_stays_with_its_new_reason(
    worker: Worker, refuse: Refuse, publishing: Publishing, service: Settings
) -> None:
    letter = refuse(b"", publishing.message("one", role="narrator"))

    still = requeue(worker.engine, letter, service, {})

    assert still == "event not accepted: role: one of user, assistant, system, tool"
    assert dead_now(worker, letter) == [still]
    content = content_of(worker.engine, letter)
    assert isinstance(content, dict)
    assert content["content"] == "one"
    assert claim(worker.engine, worker.lane) is None


@pytest.mark.usefixtures("picky")
def test_event_the_database_cannot_store_stays_whole(
    worker: Worker, refuse: Refuse, publishing: Publishing, service: Settings
) -> None:
    letter = refuse(b"", publishing.message("7"))

    still = requeue(worker.engine, letter, service, {})

    assert still == "event: the database cannot store it (DataError 22003)"
    assert dead_now(worker, letter) == [still]
    assert content_of(worker.engine, letter) is not None


def test_message_that_was_set_aside_is_checked_with_its_signature(
    *, worker: Worker, refuse: Refuse, publishing: Publishing, service: Settings, fresh_namespace: NamespacePath
) -> None:
    keys = {APP.kid: TenantKey(fresh_namespace.parts[0], APP.secret)}
    body = sign(as_text(publishing.message("one")), APP).encode()
    letter = refuse(body)
    assert content_of(worker.engine, letter) == body

    assert requeue(worker.engine, letter, service, {APP.kid: TenantKey("rival", APP.secret)}) == (
        "event: its namespace belongs to another tenant than its key"
    )
    assert content_of(worker.engine, letter) == body
    assert requeue(worker.engine, letter, service, keys) is None
    assert content_of(worker.engine, letter) is None
    assert dead_now(worker, letter) == []
    assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["one"]


def test_letter_that_another_operator_handled_is_gone(
    worker: Worker, dead: DeadLetter, refuse: Refuse, publishing: Publishing, service: Settings
) -> None:
    good = refuse(b"", publishing.message("good"))
    aside = refuse(as_text(publishing.message("aside")).encode())
    for letter in (dead, good, aside):
        assert requeue(worker.engine, letter, service, {}) is None
        with pytest.raises(NotFound, match=f"{letter.letter_id} is gone"):
            discard(worker.engine, letter)
        with pytest.raises(NotFound, match=f"{letter.letter_id} is gone"):
            requeue(worker.engine, letter, service, {})
    assert pending(worker) == 4


def test_discarded_event_blocks_nothing_and_a_discarded_message_is_deleted(
    worker: Worker, dead: DeadLetter, refuse: Refuse
) -> None:
    garbage = refuse(f"garbage of {uuid4()}".encode())
    for letter in (dead, garbage):
        discard(worker.engine, letter)
        assert dead_now(worker, letter) == []

    assert content_of(worker.engine, garbage) is None
    assert content_of(worker.engine, dead) is not None, "the log keeps what was published"
    assert pending(worker) == 1


def test_letters_are_selected_by_id_or_by_part_of_their_reason(worker: Worker, dead: DeadLetter) -> None:
    def ids(reason: str) -> list[UUID]:
        found = letters(worker.engine, tenant_id=dead.lane.tenant_id, reason=reason)
        return [letter.letter_id for letter in found]

    assert ids("WHY") == [letter.letter_id for letter in letters(worker.engine, [dead.letter_id])] == [dead.letter_id]
    assert ids("something else") == []
    missing = uuid4()
    with pytest.raises(NotFound, match=f"^no dead letter {missing}; 'mosshead service dead list'"):
        letters(worker.engine, [dead.letter_id, missing])
