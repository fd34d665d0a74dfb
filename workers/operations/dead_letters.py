"""What an operator does with dead letters: `python -m workers dead list|show|requeue|discard`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from config.settings import Settings
from db import dead_letters
from db.dead_letters import DeadLetter
from mosshead.errors import NotFound
from mosshead.publishing.signing import TenantKey
from mosshead.store.connection import tenant_transaction
from workers.failures import is_of_values
from workers.intake.run import put_in, refusal_of
from workers.intake.validate import Arrival, RefusedMessage, judge, judge_event

Content = Mapping[str, Any] | bytes | None
"""Of a letter: the event, or the message's body where it is none, or nothing where it was erased."""


def letters(engine: Engine, ids: Sequence[UUID]) -> list[DeadLetter]:
    """The letters of some ids. Raises NotFound for the first that there is not."""
    with engine.begin() as connection:
        found = dead_letters.dead_letters(connection, letter_ids=ids)
    missing = [one for one in ids if one not in {letter.letter_id for letter in found}]
    if missing:
        raise NotFound(f"no dead letter {missing[0]}; 'python -m workers dead list' shows those that there are")
    return found


def all_letters(
    engine: Engine, *, tenant_id: UUID | None = None, reason: str | None = None, limit: int | None = None
) -> list[DeadLetter]:
    """All letters, the newest first, or those of a tenant, or those whose reason holds some text."""
    with engine.begin() as connection:
        return dead_letters.dead_letters(connection, tenant_id=tenant_id, reason=reason, limit=limit)


def content_of(engine: Engine, letter: DeadLetter) -> Content:
    """What a letter says. It may be text of a conversation: for the eyes of an operator who asked for it."""
    with tenant_transaction(engine, letter.lane.tenant_id) as connection:
        return _content(connection, letter)


def requeue(engine: Engine, letter: DeadLetter, settings: Settings, keys: Mapping[str, TenantKey]) -> str | None:
    """Try a letter once more; None where it is on its way again, else the reason why it stays dead.

    An event that a stage gave up returns to its place in its lane. What the intake refused is checked again as the intake does,
    under the settings and the code of now. Raises NotFound where somebody else dealt with it meanwhile.
    """
    try:
        with _locked(engine, letter) as connection:
            if letter.origin == "stage":
                dead_letters.revive(connection, letter)
                return None
            return _take_in(connection, letter, settings, keys)
    except DBAPIError as error:
        if not is_of_values(error):
            raise
        reason = refusal_of(error)
    with _locked(engine, letter) as connection:
        dead_letters.set_reason(connection, letter, reason)
    return reason


def discard(engine: Engine, letter: DeadLetter) -> None:
    """End a letter for good. Raises NotFound where somebody else dealt with it meanwhile."""
    with _locked(engine, letter) as connection:
        dead_letters.discard(connection, letter)


def _take_in(
    connection: Connection, letter: DeadLetter, settings: Settings, keys: Mapping[str, TenantKey]
) -> str | None:
    arrival = _judge_again(_content(connection, letter), keys)
    if isinstance(arrival, RefusedMessage):
        dead_letters.set_reason(connection, letter, arrival.reason)
        return arrival.reason
    dead_letters.forget(connection, letter)
    put_in(connection, [arrival], settings)
    return None


@contextmanager
def _locked(engine: Engine, letter: DeadLetter) -> Iterator[Connection]:
    with tenant_transaction(engine, letter.lane.tenant_id) as connection:
        if not dead_letters.lock(connection, letter):
            raise NotFound(f"the dead letter {letter.letter_id} is gone: somebody else requeued or discarded it")
        yield connection


def _content(connection: Connection, letter: DeadLetter) -> Content:
    event = dead_letters.event_of(connection, letter)
    return event if event is not None else dead_letters.body_of(connection, letter)


def _judge_again(content: Content, keys: Mapping[str, TenantKey]) -> Arrival:
    if isinstance(content, Mapping):
        # Its sender was told by its signature, where there was a key, before it was given a place in the inbox.
        text = json.dumps(content).encode()
        return judge_event(content, size=len(text), body=text)
    return judge(content or b"", keys)
