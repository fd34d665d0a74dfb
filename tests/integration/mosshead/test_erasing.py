"""`Namespace.erase` and its receipts, in the app's process and from a shell."""

from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.event import listen, remove

from mosshead import InvalidEvent, Memory, Namespace, NotFound
from tests.given import Publishing, Remembering
from tests.integration.mosshead.conftest import Taken
from tests.integration.mosshead.test_identity_commands import run
from tests.integration.mosshead.test_remembering import sarah, take_up

__all__ = ["run", "sarah", "take_up"]


def test_each_erasure_scope_is_published_as_an_event(sarah: Namespace, remembering: Remembering, taken: Taken) -> None:
    peter, tea = remembering.entity("Peter"), remembering.memory("User likes tea")
    ids = [
        sarah.erase(tea),
        sarah.erase([sarah.get(tea), str(tea)]),
        sarah.erase(conversation="c1"),
        sarah.erase(entity=str(peter)),
        sarah.erase(everything=True),
    ]
    sent = {UUID(one["event_id"]): one for one in taken(5)}
    assert [sent[one]["type"] for one in ids] == ["erase"] * 5
    assert [sent[one]["memories"] for one in ids] == [[str(tea)], [str(tea)], [], [], []]
    assert [sent[one].get("conversation") for one in ids] == [None, None, "c1", None, None]
    assert [sent[one].get("entity") for one in ids] == [None, None, None, str(peter), None]
    assert [sent[one]["everything"] for one in ids] == [False, False, False, False, True]


def test_one_message_is_erased_and_a_new_one_takes_its_place(
    sarah: Namespace, publishing: Publishing, taken: Taken
) -> None:
    said = publishing.message("I live in Quuxville.", conversation="c1", metadata={"app": 1}, sequence=7)
    publishing.send(said)
    old = UUID(said["event_id"])

    new = sarah.messages.replace(old, "I live in Leeds.")

    erasure, message = taken(2)
    assert (UUID(erasure["event_id"]), erasure["message"]) == (new.erasure_id, str(old))
    assert (UUID(message["event_id"]), message["content"]) == (new.message_id, "I live in Leeds.")
    kept = [message[name] for name in ("role", "conversation", "metadata", "sequence")]
    assert kept == ["user", "c1", {"app": 1}, 7]
    assert datetime.fromisoformat(message["occurred_at"]) == datetime.fromisoformat(said["occurred_at"])
    with pytest.raises(InvalidEvent, match="content"):
        sarah.messages.replace(old, "x" * 1_000_000)
    with pytest.raises(NotFound, match="message_id: there is no message"):
        sarah.messages.replace(uuid4(), "I live in Leeds.")
    assert list(sarah.progress().published.values()) == [2]


def test_unsuitable_request_is_refused_before_anything_is_published(sarah: Namespace, remembering: Remembering) -> None:
    user = remembering.entity("User", is_user=True)
    for given in ({}, {"conversation": "c1", "everything": True}, {"memories": [uuid4()], "entity": user}):
        with pytest.raises(
            InvalidEvent, match="memories: pass exactly one of memories, conversation, entity and everything"
        ):
            sarah.erase(**given)  # type: ignore[arg-type]
    with pytest.raises(InvalidEvent, match="entity: this is the user; pass everything=True to erase"):
        sarah.erase(entity=user)
    with pytest.raises(NotFound, match="memories: there is no memory"):
        sarah.erase(uuid4())
    with pytest.raises(NotFound, match="entity: there is no entity"):
        sarah.erase(entity=uuid4())
    with pytest.raises(NotFound, match="entity: 'Peter' is not an id"):
        sarah.erase(entity="Peter")
    assert sarah.progress().published == {}


def test_erased_memory_is_invisible_to_this_process_at_once(
    sarah: Namespace, remembering: Remembering, take_up: Callable[[int], None]
) -> None:
    tea = remembering.memory("User likes tea")
    sarah.erase(tea)
    assert sarah.get(tea).state == "withdrawn"

    figs = sarah.remember("User likes figs")
    assert [hit.content for hit in sarah.query("figs")] == ["User likes figs"]
    sarah.erase(everything=True)
    assert list(sarah.query("figs")) == []
    with pytest.raises(NotFound):
        sarah.get(figs)


def test_memory_remembered_and_forgotten_at_once_can_be_erased(sarah: Namespace, taken: Taken) -> None:
    figs = sarah.remember("User likes figs")
    sarah.forget(figs)
    sarah.erase(figs)
    first, *others = taken(3)
    assert [one["type"] for one in others] == ["forget", "erase"]
    # The erasure empties what the spool still has.
    assert (first["type"], "figs" in str(first)) in {("remember", True), ("import", False)}


def test_one_receipt_is_read_without_the_others(sarah: Namespace, admin_engine: Engine) -> None:
    ids = [uuid4() for _ in range(3)]
    with admin_engine.begin() as connection:
        connection.execute(
            text("""
                insert into mosshead.erasures (tenant_id, namespace_id, erasure_id, scope, asked_at, erased_at,
                                               position, publisher_sequence)
                values (:tenant_id, :namespace_id, :erasure_id, 'memories', now(), now(), 0, 0)"""),
            [{**sarah.path.ids, "erasure_id": one} for one in ids],
        )
    read: list[int] = []

    def count(_connection: object, cursor: Any, *_: object) -> None:
        read.append(cursor.rowcount)

    listen(sarah.session.engine, "after_cursor_execute", count)
    found = sarah.erasures.get(ids[1])
    remove(sarah.session.engine, "after_cursor_execute", count)
    assert found is not None
    assert (found.id, max(read)) == (ids[1], 1)
    assert {one.id for one in sarah.erasures.list()} == {*ids}


def test_erasure_in_a_rolled_back_session_hides_nothing(sarah: Namespace, ingest_engine: Engine) -> None:
    sarah.remember("User likes figs")
    with ingest_engine.connect() as connection:
        sarah.erase(everything=True, session=connection)
        connection.rollback()
    assert [hit.content for hit in sarah.query("figs")] == ["User likes figs"]


def test_erase_command_asks_for_confirmation(
    run: Callable[..., str], remembering: Remembering, memory: Memory, taken: Taken
) -> None:
    tea = remembering.memory("User likes tea")
    with pytest.raises(InvalidEvent, match="nothing was erased; answer y, or pass --yes"):
        run("erase", tea)
    assert run("erase", tea, "--yes", "--wait", 0).startswith("published: ")
    assert [one["type"] for one in taken(1)] == ["erase"]
    assert "receipt" in run("receipts")


def test_message_is_erased_from_a_shell(run: Callable[..., str], sarah: Namespace, taken: Taken) -> None:
    gone = str(uuid4())
    assert run("erase", "--message", gone, "--yes", "--wait", 0).startswith("published: ")
    assert [one["message"] for one in taken(1)] == [gone]
    with pytest.raises(InvalidEvent, match="--message: cannot be combined with other things to erase"):
        run("erase", "--message", gone, "--everything", "--yes")
    with pytest.raises(InvalidEvent, match="--with: needs --message"):
        run("erase", "--everything", "--with", "I live in Leeds.", "--yes")
