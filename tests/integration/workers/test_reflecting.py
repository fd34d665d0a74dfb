"""Reflections: what was said is thought over once a conversation rests; nothing of it is dropped, and each is done once."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, text

from config.settings import settings
from db import lanes, leases
from db.lanes import REFLECT
from db.refs import LaneRef
from recollect import Namespace
from recollect.language_model import AnswerRefused, LanguageModel
from tests.fake_openai import FakeOpenAI
from tests.forming import Forming, carry_through
from tests.given import Hint, Publishing, Worker, claim, claimed, event
from workers import reflecting
from workers.dispatching import dispatch
from workers.parts import Parts, parts
from workers.reflection import Due, Reflection
from workers.stages import Store

LOST = "the machine is gone"


# What a kind of reflection looks like: what makes it dirty, what it makes of what was said, and how that is stored.


def dirtied(connection: Connection, lane: LaneRef, conversations: Sequence[str | None]) -> Iterable[str]:
    return {conversation or "" for conversation in conversations}


def prepare(due: Due, model: LanguageModel | None, parts: Parts) -> Store:
    said = [message.content for message in due.messages if message.conversation == (due.subject or None)]
    return partial(store, due=due, said=" / ".join(said))


def store(connection: Connection, *, due: Due, said: str) -> None:
    row = {"tenant_id": due.batch.lane.tenant_id, "subject": due.subject, "said": said}
    connection.execute(
        text("insert into public.gists (tenant_id, subject, said) values (:tenant_id, :subject, :said)"), row
    )


GIST = Reflection(dirtied=dirtied, prepare=prepare, needs_model=False)


@pytest.fixture(scope="module")
def gists_table(admin_engine: Engine) -> Iterator[None]:
    with admin_engine.begin() as connection:
        connection.exec_driver_sql("""
            create table public.gists (place bigint generated always as identity, tenant_id uuid, subject text, said text);
            grant select, insert on public.gists to recollect_worker
        """)
    yield
    with admin_engine.begin() as connection:
        connection.exec_driver_sql("drop table public.gists")


@pytest.fixture
def gists(
    gists_table: None, admin_engine: Engine, lane: LaneRef, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], list[tuple[str, str]]]:
    """The service knows of the kind "gist"; tells what it made, with of which conversation."""
    monkeypatch.setitem(reflecting.KINDS, "gist", GIST)

    def made() -> list[tuple[str, str]]:
        with admin_engine.connect() as connection:
            statement = text("select subject, said from public.gists where tenant_id = :id order by place")
            return [(row.subject, row.said) for row in connection.execute(statement, {"id": lane.tenant_id})]

    return made


@pytest.fixture
def slow(service: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reflection waits for a quiet hour, and for one and a half at most."""
    monkeypatch.setenv("RECOLLECT_REFLECTION_DEBOUNCE_SECONDS", "3600")
    monkeypatch.setenv("RECOLLECT_REFLECTION_DEBOUNCE_MOST_SECONDS", "5400")
    settings.cache_clear()
    parts.cache_clear()


@pytest.fixture
def pass_by(admin_engine: Engine, lane: LaneRef) -> Callable[[timedelta], None]:
    """For the timers, time goes by."""

    def pass_by(time: timedelta) -> None:
        with admin_engine.begin() as connection:
            for table, columns in (
                ("reflections", ["due_at", "dirty_since"]),
                ("lanes", ["ready_at", "reflections_due_at"]),
            ):
                earlier = ", ".join(f"{column} = {column} - cast(:time as interval)" for column in columns)
                statement = text(f"update recollect.{table} set {earlier} where tenant_id = :id")
                connection.execute(statement, {"id": lane.tenant_id, "time": time})

    return pass_by


HOUR = timedelta(hours=1)


@pytest.fixture
def rows(admin_engine: Engine, lane: LaneRef) -> Callable[[str], list[Any]]:
    """What a table holds of the lane's tenant."""

    def rows(table: str) -> list[Any]:
        with admin_engine.connect() as connection:
            statement = text(f"select * from recollect.{table} where tenant_id = :id")
            return list(connection.execute(statement, {"id": lane.tenant_id}))

    return rows


def test_after_a_quiet_time_all_that_was_said_is_seen_once_and_in_order(
    *,
    slow: None,
    forming: Forming,
    gists: Callable[[], list[tuple[str, str]]],
    pass_by: Callable[[timedelta], None],
    rows: Callable[[str], list[Any]],
) -> None:
    forming.say("I like figs", conversation="c")
    pass_by(HOUR / 2)
    forming.say("I like tea", "I like rice", conversation="c")
    pass_by(HOUR / 2)
    forming.send()
    assert gists() == [], "what is said in between puts it off"
    pass_by(HOUR / 2)
    forming.send()
    assert gists() == [("c", "I like figs / I like tea / I like rice")]
    assert (rows("reflections"), rows("reflection_batches")) == ([], [])

    forming.say("I like kale", conversation="c")
    pass_by(HOUR)
    forming.send()
    assert gists()[1:] == [("c", "I like kale")]


def test_what_is_never_quiet_is_reflected_upon_all_the_same(
    slow: None, forming: Forming, gists: Callable[[], list[tuple[str, str]]], pass_by: Callable[[timedelta], None]
) -> None:
    for said in ("figs", "tea", "rice"):
        assert gists() == []
        forming.say(f"I like {said}")
        pass_by(HOUR / 2)
    forming.say("I like kale")
    assert gists() == [("", "I like figs / I like tea / I like rice / I like kale")], "by the batch that comes then"
