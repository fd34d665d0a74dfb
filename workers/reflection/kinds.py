"""What a kind of reflection is: what it does with what was said since it last ran.

`workers.reflection.run` has the table of them, and runs them; `db.reflections.NEWS` says what messages are news for.
"""

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Connection

from db.keys import BatchRef
from mosshead.llm import LanguageModel
from pipeline.models import Message
from workers.dependencies import Parts, Store


@dataclass(frozen=True, slots=True)
class ReflectionDue:
    """A reflection whose time has come.

    batch: under whose lease it runs, for the decision log. subject: of what its kind has several.
    messages: what took effect since the last one, in order, numbered from 1, without what must not be remembered; none where
        only commands touched it.
    """

    batch: BatchRef
    subject: str
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Reflection:
    """A kind of reflection.

    prepare: asks and computes, outside any transaction; what it returns stores, in the transaction that marks the messages as
        seen. Pure functions of `pipeline`, between statements of `db`. It may raise what a stage may raise (`workers.failures`).
    needs_model: without an LLM, or over the tenant's budget, it stays dirty and waits; else `prepare` is given None then.
    """

    prepare: Callable[[ReflectionDue, LanguageModel | None, Parts], Store]
    needs_model: bool = True


def store_nothing(connection: Connection) -> None:
    """What a kind returns where there is nothing to store, or the namespace does not ask for it any more."""
