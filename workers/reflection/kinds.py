"""A kind of reflection: what it does with the messages since it last ran.

`workers.reflection.run` lists the kinds and runs them; `db.reflections.NEWS` says which kinds messages trigger.
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

    batch: under whose lease it runs, for the decision log. subject: which of its kind's subjects it is about.
    messages: those that took effect since the last run, in order, numbered from 1, without what must not be remembered; none if
        only commands touched it.
    """

    batch: BatchRef
    subject: str
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Reflection:
    """A kind of reflection.

    prepare: asks and computes, outside any transaction; the function it returns stores the result, in the transaction that marks
    the messages as seen. It calls pure functions of `pipeline` between statements of `db`, and may raise what a stage may raise
    (`workers.failures`).
    needs_model: without an LLM, or over the tenant's budget, it stays dirty and waits; if False, `prepare` then gets None.
    """

    prepare: Callable[[ReflectionDue, LanguageModel | None, Parts], Store]
    needs_model: bool = True


def store_nothing(connection: Connection) -> None:
    """Store nothing: for kinds with no result, or that the namespace no longer asks for."""
