"""One call of the client as memory accompanies it: read before, publish after, and never in the way of the answer."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any, TypeVar
from uuid import UUID

from mosshead.errors import InvalidNamespace, MossheadError, ReadTimeout, StoreUnavailable
from mosshead.events.messages import MAX_INJECTED
from mosshead.injection.background import BACKGROUND
from mosshead.injection.forms import Arguments, Form
from mosshead.injection.turns import Asked, Message
from mosshead.memory import Memory
from mosshead.namespace import Namespace
from mosshead.reading.contexts import Context

_T = TypeVar("_T")

Whose = Namespace | Sequence[str]
"""A namespace, or its parts where a `Memory` is there to ask."""

_FOR_PUBLISHING = 0.05
"""Of the time that the chat can spare, so many seconds are kept for publishing, or a quarter of it where that is less."""

_log = logging.getLogger("mosshead")


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """How memory accompanies the calls of a client, as `mosshead.with_memory` was told."""

    memory: Memory | Namespace
    namespace: Whose | Callable[[], Whose] | None
    conversation: str | Callable[[], str]
    zone: tzinfo | Callable[[], tzinfo]
    budget: int
    seconds: float
    on_extract: Callable[[list[UUID]], object] | None
    on_error: Callable[[Exception], object] | None

    def whose(self, given: Whose | Callable[[], Whose] | None) -> Namespace:
        """The namespace of a call. given: what the call says, if it does. Raises InvalidNamespace where nobody says it."""
        chosen = self.namespace if given is None else given
        if callable(chosen):
            chosen = chosen()
        if isinstance(chosen, Namespace):
            return chosen
        if isinstance(self.memory, Memory) and chosen is not None:
            return self.memory.namespace(*_parts(chosen))
        if isinstance(self.memory, Namespace) and chosen is None:
            return self.memory
        raise InvalidNamespace(
            "namespace: say whose memory this is: with_memory(client, memory.namespace('acme', 'sarah_123')), or, where it was "
            "given a Memory, namespace=('acme', 'sarah_123') there or on the call"
        )

    def named(self, given: object) -> str:
        """The conversation of a call. given: what the call says, if it does; a name, or OpenAI's object with an id."""
        name = given.get("id") if isinstance(given, Mapping) else given
        if isinstance(name, str) and name:
            return name
        return self.conversation() if callable(self.conversation) else self.conversation

    def clock(self) -> Callable[[], datetime]:
        """The time, as the user of a call has it."""
        zone = self.zone() if callable(self.zone) else self.zone
        return lambda: datetime.now(zone)

    def report(self, error: Exception) -> None:
        """Tell that the chat went on without memory. An error that is not ours may hold text, and is named by its type."""
        try:
            if self.on_error is not None:
                self.on_error(error)
                return
        except Exception as failed:  # noqa: BLE001 - the app's own callback must not fail its chat
            _log.warning("on_error failed: %s", type(failed).__name__)
        _log.warning("the chat goes on without memory: %s", _told(error))

    def tried(self, default: _T, step: Callable[..., _T], *given: Any) -> _T:
        """What a step makes of something from outside, or a default: nothing about memory fails the chat."""
        try:
            return step(*given)
        except Exception as error:  # noqa: BLE001 - the edge between memory and the chat
            self.report(error)
            return default


class Call:
    """One call. ``arguments`` are those for the client's own method. left: seconds that publishing may hold the chat."""

    def __init__(self, injection: Injection, form: Form, arguments: Arguments) -> None:
        """Raises InvalidNamespace, and what the app's own callables raise: before anything is sent."""
        self._clock = injection.clock()
        self._begun, self._begun_at = time.monotonic(), self._clock()
        self.injection, self.form = injection, form
        self._whose = injection.whose(arguments.pop("namespace", None))
        own = arguments.get("conversation") if form.own_conversation else arguments.pop("conversation", None)
        self._conversation = injection.named(own)
        self.arguments = form.settled(arguments)
        self.left = min(_FOR_PUBLISHING, injection.seconds / 4)
        self._asked = injection.tried(Asked(), form.asked, self.arguments)
        self._injected: list[UUID] = []

    @property
    def streams(self) -> bool:
        """Whether the answer comes in pieces."""
        return self.arguments.get("stream") is True

    @property
    def to_read(self) -> float:
        """How many seconds a read may take from now."""
        return max(0.0, self.injection.seconds - self.left - self._elapsed())

    def recall(self) -> Future[Context | Exception] | None:
        """Begin to read what is known; None where nothing is asked, or too many reads hang."""
        if not self._asked.text.strip():
            return None
        reading = BACKGROUND.read(self._read)
        if reading is None:
            reason = "too many reads hang, or the process gets no more threads; none is begun"
            self.injection.report(StoreUnavailable(f"MOSSHEAD_DATABASE_URL: {reason}"))
        return reading

    def remind(self, read: Context | Exception | None) -> None:
        """Put what was read into the prompt. read: None where it did not come in time."""
        if read is None:
            read = ReadTimeout("seconds: what is remembered was not read in time")
        if isinstance(read, Exception):
            self.injection.report(read)
        elif read.memories or read.messages:
            notes = read.as_system_message()["content"]
            self.arguments = self.injection.tried(self.arguments, self.form.with_notes, self.arguments, notes)
            self._injected = [memory.id for memory in read.memories][:MAX_INJECTED]
        self.left = max(self.left, self.injection.seconds - self._elapsed())

    def publish(self, answer: Sequence[Message], *, cut: bool = False) -> Future[None] | None:
        """Queue the turn: what is new of the messages, and the answer. cut: it did not come to its end. Never blocks."""
        mark: Message = {"metadata": {"cut": True}} if cut else {}
        turn = [
            *({**message, "occurred_at": self._begun_at} for message in self._asked.new),
            *({**message, "occurred_at": self._clock(), **mark} for message in answer),
        ]
        if not turn:
            return None
        publishing = BACKGROUND.publish(lambda: self._publish(turn))
        if publishing is None:
            self.injection.report(MossheadError("too many turns wait to be published; this one is dropped"))
        return publishing

    def _elapsed(self) -> float:
        return time.monotonic() - self._begun

    def _read(self) -> Context | Exception:
        # As long as the memory's own deadline lets it: a read that is cut off takes its connection with it, with all that it had
        # prepared, and the next would be late as well. One that is late warms the next.
        try:
            return self._whose.context(
                self._asked.text,
                conversation=self._conversation,
                history=self._asked.history,
                budget=self.injection.budget,
                now=self._begun_at,
                strict=True,
            )
        except Exception as error:  # noqa: BLE001 - the edge of a thread; who waits for it tells it
            return error

    def _publish(self, turn: Sequence[Message]) -> None:
        injected = {"injected": self._injected} if self._injected else {}
        messages = [{**message, **injected} for message in turn]
        ids = self.injection.tried(
            None, lambda: self._whose.publish_conversation(messages, conversation=self._conversation)
        )
        if ids is not None and self.injection.on_extract is not None:
            self.injection.tried(None, self.injection.on_extract, ids)


def _parts(whose: Whose) -> Sequence[str]:
    if isinstance(whose, str) or not isinstance(whose, Sequence):
        raise InvalidNamespace(
            f"namespace: a Namespace, or its parts such as ('acme', 'sarah_123'), got {type(whose).__name__}"
        )
    return whose


def _told(error: Exception) -> str:
    return str(error) if isinstance(error, MossheadError) else type(error).__name__
