"""Publishing within the app's own transaction: with it, or not at all."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from sqlalchemy import Engine, create_engine, select, text
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from mosshead import InvalidEvent, Memory, Namespace
from mosshead.paths import NamespacePath
from mosshead.store.connection import tenant_transaction
from mosshead.urls import sqlalchemy_url
from tests.pages import blocks
from workers.local import Addresses


@pytest.fixture
def app_engine(admin_engine: Engine, addresses: Addresses) -> Iterator[Engine]:
    """An app's own login, with the one right it needs and its own table."""
    with admin_engine.begin() as connection:
        connection.exec_driver_sql("create role chat_app login")
        (grant,) = (block.body for block in blocks("sql") if block.page.stem == "publish")
        connection.exec_driver_sql(grant.replace("your_role", "chat_app"))
        connection.exec_driver_sql("create table public.said (words text)")
        connection.exec_driver_sql('create table public.sent ("user" text primary key, text text)')
        connection.exec_driver_sql("grant all on public.said, public.sent to chat_app")
    assert addresses.admin_url is not None
    engine = create_engine(sqlalchemy_url(addresses.admin_url, "ADMIN").set(username="chat_app"))
    yield engine
    engine.dispose()
    with admin_engine.begin() as connection:
        connection.exec_driver_sql("drop table public.said, public.sent")
        connection.exec_driver_sql("drop role chat_app")


@pytest.fixture
def memory(addresses: Addresses) -> Iterator[Memory]:
    """A memory without a broker, which is not needed here."""
    with Memory.connect(database_url=addresses.database_url) as connected:
        yield connected


@pytest.fixture
def sarah(memory: Memory, fresh_namespace: NamespacePath) -> Namespace:
    return memory.namespace(*fresh_namespace.parts)


@pytest.fixture
def stored(worker_engine: Engine, fresh_namespace: NamespacePath) -> Any:
    """Return a function that reads the namespace's events in the inbox, in order."""

    def tell() -> list[tuple[int, str | None]]:
        with tenant_transaction(worker_engine, fresh_namespace.tenant_id) as connection:
            rows = connection.execute(
                text(
                    "select publisher_sequence, payload ->> 'content' from mosshead.events "
                    "where namespace_id = :id order by position"
                ),
                {"id": fresh_namespace.namespace_id},
            )
            return [(number, content) for number, content in rows]

    return tell


def test_event_is_published_when_the_app_commits(app_engine: Engine, sarah: Namespace, stored: Any) -> None:
    with Session(app_engine) as session:
        session.execute(text("insert into public.said values ('hi')"))
        sarah.publish("hi", session=session)
        assert stored() == []
        session.commit()
    assert stored() == [(1, "hi")]


def test_one_transaction_stores_the_apps_row_and_the_event(app_engine: Engine, sarah: Namespace, stored: Any) -> None:
    class Base(DeclarativeBase):
        """A table of the app."""

    class Message(Base):
        __tablename__ = "sent"
        user: Mapped[str] = mapped_column(primary_key=True)
        text: Mapped[str]

    code = next(block.body for block in blocks("python") if block.page.stem == "publish" and "Session(" in block.body)
    exec(code, {"Session": Session, "engine": app_engine, "Message": Message, "sarah": sarah})
    with Session(app_engine) as session:
        assert [one.text for one in session.scalars(select(Message))] == ["I just moved to Seattle"]
    assert stored() == [(1, "I just moved to Seattle")]


def test_rolled_back_event_is_not_published(app_engine: Engine, sarah: Namespace, stored: Any) -> None:
    with Session(app_engine) as session:
        sarah.publish("hi", session=session)
        session.rollback()
    with app_engine.connect() as connection:
        sarah.publish("hi", session=connection)
    assert stored() == []


def test_connection_publishes_too_and_the_inbox_continues_the_numbers(
    app_engine: Engine, memory: Memory, sarah: Namespace, stored: Any
) -> None:
    for content in "ab":
        with app_engine.begin() as connection:
            sarah.publish(content, conversation="c1", session=connection)
    with app_engine.begin() as connection:
        sarah.publish_conversation("User: c\nAssistant: d", conversation="c1", ended=True, session=connection)
        sarah.end_conversation("c2", session=connection)
        event = {"type": "message", "namespace": list(sarah.path.parts), "role": "user", "content": "e"}
        memory.publish(event, session=connection)
    assert stored() == [(1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, None), (6, None), (7, "e")]


def test_progress_counts_committed_events(app_engine: Engine, sarah: Namespace) -> None:
    with app_engine.begin() as connection:
        sarah.publish("hi", session=connection)
        assert not sarah.progress().partial
    assert (sarah.progress().pending, sarah.query("hi").partial) == (1, True)


def test_invalid_event_harms_nothing(app_engine: Engine, sarah: Namespace, stored: Any) -> None:
    with app_engine.begin() as connection:
        with pytest.raises(InvalidEvent):
            sarah.publish_conversation(
                [{"role": "user", "content": "a"}, {"role": "narrator", "content": "b"}], session=connection
            )
        sarah.publish("c", session=connection)
    assert stored() == [(1, "c")]


class AsyncSession:
    """Like SQLAlchemy's, which needs a package that the tests do not use otherwise."""

    async def execute(self, *_: object) -> None:
        """Run nothing until it is awaited."""


def test_async_session_is_refused_instead_of_losing_the_message(sarah: Namespace, stored: Any) -> None:
    with pytest.raises(ValueError, match=r"^session: AsyncSession is asynchronous.* await session.run_sync"):
        sarah.publish("hi", session=AsyncSession())
    assert stored() == []


def test_object_that_is_not_a_sqlalchemy_session_is_refused(addresses: Addresses, sarah: Namespace) -> None:
    with psycopg.connect(addresses.database_url) as driver:
        for other in (driver, driver.cursor(), object()):
            with pytest.raises(ValueError, match=r"^session: \w+ does not run SQLAlchemy statements"):
                sarah.publish("hi", session=other)  # type: ignore[arg-type]


def test_error_for_a_login_without_the_right_contains_no_text(
    reader_engine: Engine, addresses: Addresses, sarah: Namespace
) -> None:
    careless = create_engine(reader_engine.url)  # this engine shows parameters in its errors
    with careless.connect() as connection, pytest.raises(ProgrammingError, match="permission denied") as refused:
        sarah.publish("quetzalcoatlus", session=connection)
    careless.dispose()
    assert "quetzal" not in str(refused.value)
