"""One call of the client as memory accompanies it: read before, publish after, and never in the way of the answer."""

import asyncio
import logging
import os
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import partial
from queue import SimpleQueue
from threading import BoundedSemaphore, RLock, Thread
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union
from uuid import UUID
from weakref import finalize

from mosshead.api.memory import Memory
from mosshead.api.namespace import Namespace
from mosshead.bridge import Awaited, Bridge, across
from mosshead.contrib.openai_client.apis import ApiForm, Arguments, CallRequest, Message
from mosshead.contrib.openai_client.conversations import ProfileBlock, cache_of
from mosshead.errors import InvalidNamespace, MossheadError, ReadTimeout, StoreUnavailable
from mosshead.events.envelope import MAX_INJECTED
from mosshead.models.context import Context

if TYPE_CHECKING:
    from mosshead.api.async_memory import AsyncMemory
    from mosshead.api.async_namespace import AsyncNamespace

_T = TypeVar("_T")

Face = Union[Namespace, "AsyncNamespace"]
"""A namespace; one of asyncio is read in the event loop, the other in a thread."""

Whose = Face | Sequence[str]
"""A namespace, or its parts where a `Memory` or an `AsyncMemory` is there to ask."""

Read = Context | Exception
"""What reading brings, or why it failed."""

Placement = Literal["message", "system"]
"""Where the notes go: into the user's last message, with a profile in the system prompt; or all into the system prompt."""

NO_MESSAGES: tuple[Message, ...] = ()

_FOR_PUBLISHING = 0.05
"""Of the time that the chat can spare, so many seconds are kept for publishing, or a quarter of it where that is less."""

_AHEAD = 5
"""So many of the last messages that are no memories yet are among the notes."""

_WARM_UP_SECONDS = 2.0
"""How long the first `with_memory` of a process waits for its connections and a first read, at most."""

_log = logging.getLogger("mosshead")


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """How memory accompanies the calls of a client, as `with_memory` was told. asynchronous: whether the calls are awaited."""

    asynchronous: bool
    memory: "Memory | AsyncMemory | Face"
    namespace: Whose | Callable[[], Whose] | None
    conversation: str | Callable[[], str]
    zone: tzinfo | Callable[[], tzinfo]
    budget: int
    seconds: float
    placement: Placement
    on_extract: Callable[[list[UUID]], object] | None
    on_error: Callable[[Exception], object] | None

    def whose(self, given: Whose | Callable[[], Whose] | None) -> Face:
        """The namespace of a call. given: what the call says, if it does. Raises InvalidNamespace where nobody says it."""
        chosen: Any = self.namespace if given is None else given
        if callable(chosen):
            chosen = chosen()
        memory: Any = self.memory
        if chosen is not None and isinstance(across(memory)[0], Memory) and not _is_namespace(chosen):
            if isinstance(chosen, str) or not isinstance(chosen, Sequence):
                raise InvalidNamespace(
                    f"namespace: a Namespace, or its parts such as ('acme', 'sarah_123'), got {type(chosen).__name__}"
                )
            chosen = memory.namespace(*chosen)
        face: Face = memory if chosen is None else chosen
        if not _is_namespace(face):
            raise InvalidNamespace(
                "namespace: say whose memory this is: with_memory(client, memory.namespace('acme', 'sarah_123')), or, where it "
                "was given a Memory, namespace=('acme', 'sarah_123') there or on the call"
            )
        if isinstance(face, Awaited) and not self.asynchronous:
            raise InvalidNamespace("namespace: an AsyncNamespace is for a client of asyncio; give this one a Namespace")
        return face

    def named(self, given: object) -> str:
        """The conversation of a call. given: what the call says, if it does; a name, or OpenAI's object with an id."""
        name = given.get("id") if isinstance(given, Mapping) else given
        if isinstance(name, str) and name:
            return name
        return self.conversation() if callable(self.conversation) else self.conversation

    def report(self, error: Exception) -> None:
        """Tell that the chat went on without memory. An error that is not ours may hold text, and is named by its type."""
        try:
            if self.on_error is not None:
                self.on_error(error)
                return
        except Exception as failed:  # noqa: BLE001 - the app's own callback must not fail its chat
            _log.warning("on_error failed: %s", type(failed).__name__)
        told = error if isinstance(error, MossheadError) else type(error).__name__
        _log.warning("the chat goes on without memory: %s", told)

    def tried(self, default: _T, step: Callable[..., _T], *given: Any) -> _T:
        """What a step makes of something from outside, or a default: nothing about memory fails the chat."""
        try:
            return step(*given)
        except Exception as error:  # noqa: BLE001 - the edge between memory and the chat
            self.report(error)
            return default


def _is_namespace(one: object) -> bool:
    return isinstance(across(one)[0], Namespace)


class Call:
    """One call. ``arguments`` are those for the client's own method. left: seconds that publishing may hold the chat."""

    def __init__(self, injection: Injection, form: ApiForm, arguments: Arguments) -> None:
        """Raises InvalidNamespace, and what the app's own callables raise: before anything is sent."""
        self._clock = partial(datetime.now, injection.zone() if callable(injection.zone) else injection.zone)
        self._begun, self._begun_at = time.monotonic(), self._clock()
        self.injection, self.form = injection, form
        self._whose: Namespace
        self._bridge: Bridge | None
        self._whose, self._bridge = across(injection.whose(arguments.pop("namespace", None)))
        own = arguments.get("conversation") if form.own_conversation else arguments.pop("conversation", None)
        self._conversation = injection.named(own)
        self._cache = cache_of(self._whose.session.engine)
        self._kept = self._cache.of(self._whose.session, self._conversation)
        self.arguments = form.settled(arguments)
        self.left = min(_FOR_PUBLISHING, injection.seconds / 4)
        self._asked = injection.tried(CallRequest(), form.asked, self.arguments)
        self._injected: dict[str, list[UUID]] = {}
        self._pieces, self._ended = form.pieces(), False

    @property
    def to_read(self) -> float:
        return max(0.0, self.injection.seconds - self.left - self._elapsed())

    def recall(self) -> Future[Read] | None:
        """Begin to read what is known; None where nothing is asked, or too many reads hang."""
        if not self._asked.text.strip():
            return None
        reading = BACKGROUND.read(self._read)
        if reading is None:
            reason = "too many reads hang, or the process gets no more threads; none is begun"
            self.injection.report(StoreUnavailable(f"MOSSHEAD_DATABASE_URL: {reason}"))
        return reading

    def recall_async(self) -> "Future[Read] | asyncio.Future[Read] | None":
        """The same, in the event loop where the namespace is of asyncio: its reads all end by themselves, and are not counted."""
        if self._bridge is None or not self._asked.text.strip():
            return self.recall()
        return in_the_loop(self._bridge.run(self._read))

    def look_up(self) -> None:
        """Read what is known, for as long as there is time, and put it into the prompt."""
        if (reading := self.recall()) is not None:
            self.remind(wait(reading, self.to_read))

    async def look_up_async(self) -> None:
        """The same, while the loop goes on."""
        if (reading := self.recall_async()) is not None:
            read = await wait_async(reading, self.to_read)
            self.remind(read)

    def remind(self, read: Read | None) -> None:
        """Put what was read into the prompt.

        read: None where it did not come in time; then the notes that were read last do, or else what the profile tells.
        """
        if read is None:
            read = ReadTimeout(
                f"timeout: {self.injection.seconds:g} s, which with_memory was given, were too short to read what is remembered; "
                "the answer has the conversation's last notes, or else the user's profile, if they were read before"
            )
        if isinstance(read, Exception):
            self.injection.report(read)
            read = self._kept.last
            self._kept.profile = self._kept.profile or self._cache.last_profile(self._whose.session)
        by_message = self.injection.placement == "message"
        profile = (by_message and self._kept.profile) or ProfileBlock()
        ids = list(profile.ids)
        if profile.text:
            self._put(self.form.in_system_prompt, profile.text)
        if read and (read.memories or read.messages):
            put = self.form.with_notes if by_message else self.form.in_system_prompt
            self._put(put, read.as_system_message()["content"])
            ids += [memory.id for memory in read.memories]
        if ids:
            self._injected = {"injected": list(dict.fromkeys(ids))[:MAX_INJECTED]}
        self.left = max(self.left, self.injection.seconds - self._elapsed())

    @property
    def injected(self) -> list[UUID]:
        """The memories that `remind` put into the prompt."""
        return self._injected.get("injected", [])

    def _put(self, put: Callable[[Arguments, str], Arguments], notes: str) -> None:
        self.arguments = self.injection.tried(self.arguments, put, self.arguments, notes)

    def add(self, piece: Any) -> None:
        """Gather an answer that comes in pieces."""
        self.injection.tried(None, self._pieces.add, piece)

    def end(self, *, exhausted: bool = False) -> Future[None] | None:
        """Publish what was gathered, once, at the first end that comes. exhausted: no piece was left to ask for."""
        if self._ended:
            return None
        self._ended = True
        answer = self.injection.tried(NO_MESSAGES, self._pieces.messages)
        return self.publish(answer, cut=not (exhausted or self._pieces.whole))

    def publish(self, answer: Sequence[Message], *, cut: bool = False) -> Future[None] | None:
        """Queue the turn: what is new of the messages, and the answer. cut: it did not come to its end. Never blocks."""
        mark: Message = {"metadata": {"cut": True}} if cut else {}
        turn = [
            *({**message, "occurred_at": self._begun_at, **self._injected} for message in self._asked.new),
            *({**message, "occurred_at": self._clock(), **mark, **self._injected} for message in answer),
        ]
        if not turn:
            return None
        publishing = BACKGROUND.publish(lambda: self._publish(turn))
        if publishing is None:
            self.injection.report(MossheadError("too many turns wait to be published; this one is dropped"))
        return publishing

    def _elapsed(self) -> float:
        return time.monotonic() - self._begun

    def _read(self) -> Read:
        # As long as the memory's own deadline lets it: a read that is cut off takes its connection with it, with all that it had
        # prepared, and the next would be late as well. One that is late warms the next.
        try:
            if self._kept.profile is None and self.injection.placement == "message":
                profile = self._cache.read_profile(self._whose)
                self._kept.profile = self._kept.profile or profile
            read = self._whose.context(
                self._asked.text,
                conversation=self._conversation,
                history=self._asked.history,
                budget=self.injection.budget,
                speaker=self._asked.speaker,
                include_pending=_AHEAD,
                now=self._begun_at,
                on_timeout="raise",
            )
            if read.memories or read.messages:
                self._kept.last = read  # also where it came too late for this answer
        except Exception as error:  # noqa: BLE001 - the edge of a thread; who waits for it tells it
            return error
        return read

    def _publish(self, turn: Sequence[Message]) -> None:
        ids = self.injection.tried(
            None, lambda: self._whose.publish_conversation(turn, conversation=self._conversation)
        )
        if ids is not None and self.injection.on_extract is not None:
            self.injection.tried(None, self.injection.on_extract, ids)


MOST_READS = 32
"""Reads at once; more of them hang only where each takes longer than its deadline, as the look-up of a host's name can."""

MOST_WAITING = 1_000
"""Turns that wait to be published. A spool takes one in less than a millisecond."""

_LAST_CALL_SECONDS = 2.0


class BackgroundThreads:
    def __init__(self) -> None:
        self._starting = RLock()
        self._end: finalize[..., BackgroundThreads] | None = None
        self._begin()

    def _begin(self) -> None:
        self._reads = BoundedSemaphore(MOST_READS)
        # Not a Queue, whose lock a garbage collection would need again that finds an abandoned stream while it is held.
        self._jobs: SimpleQueue[Callable[[], object]] = SimpleQueue()
        self._thread: Thread | None = None

    def read(self, job: Callable[[], _T]) -> Future[_T] | None:
        """Start a job, which raises nothing; None where too many are under way, or no thread is to be had."""
        slots, future = self._reads, _under_way(Future[_T]())
        if not slots.acquire(blocking=False):
            return None

        def run() -> None:
            try:
                future.set_result(job())
            finally:
                slots.release()

        try:
            Thread(target=run, name="mosshead-read", daemon=True).start()
        except RuntimeError:
            slots.release()
            return None
        return future

    def publish(self, job: Callable[[], object]) -> Future[None] | None:
        """Queue a job, which raises nothing, behind those that wait; None where too many do. Never blocks."""
        if self._jobs.qsize() >= MOST_WAITING:
            return None
        future = _under_way(Future[None]())

        def run() -> None:
            try:
                job()
            finally:
                future.set_result(None)

        self._jobs.put(run)
        self._start()
        return future

    def _start(self) -> None:
        with self._starting:
            if self._thread is not None:
                return
            started = Thread(target=_run, args=(self._jobs,), name="mosshead-publish", daemon=True)
            if self._end is None:
                # Before the end of a `Memory` that was there first, which ships for the last time then.
                self._end = finalize(self, _drain, self._jobs)
            if self._thread is None:
                self._thread = started
                try:
                    started.start()
                except RuntimeError:  # no thread is to be had: the next turn tries again, and brings what waits along
                    self._thread = None

    def after_fork_in_child(self) -> None:
        """What is under way is the parent's."""
        self._starting = RLock()
        self._begin()


def warm_up_reads(namespace: Namespace) -> None:
    """Connect and read, once for each `Memory`, so that the first call is no slower than others.

    Nothing is raised or told: where it fails, the call will say so.
    """
    cache = cache_of(namespace.session.engine)
    if cache.warm:
        return
    cache.warm = True

    def read() -> None:
        with suppress(Exception):
            # Twice: each connection of the pool prepares statements of its own.
            for question in ("Who am I?", "What did I say?"):
                namespace.context(question, on_timeout="raise")
            cache.read_profile(namespace)

    wait(BACKGROUND.read(read), _WARM_UP_SECONDS)


def _under_way(future: Future[_T]) -> Future[_T]:
    """Not to be cancelled, as asyncio would once nobody waits any more: the thread that brings the result would end of it."""
    future.set_running_or_notify_cancel()
    return future


def _run(jobs: SimpleQueue[Callable[[], object]]) -> None:
    while True:
        try:
            jobs.get()()
        except BaseException as error:  # noqa: BLE001 - an app's callback may raise what asyncio cancels with, or SystemExit
            _log.warning("a turn's callback ended by %s", type(error).__name__)


def _drain(jobs: SimpleQueue[Callable[[], object]]) -> None:
    """At the end of the interpreter: let what waits be published, for two seconds at most."""
    done = Future[None]()
    jobs.put(lambda: done.set_result(None))
    try:
        done.result(_LAST_CALL_SECONDS)
    except TimeoutError:
        return


BACKGROUND = BackgroundThreads()

os.register_at_fork(after_in_child=BACKGROUND.after_fork_in_child)


def wait(future: Future[_T] | None, seconds: float) -> _T | None:
    """What a thread has found, or None where it has not in time."""
    if future is None:
        return None
    try:
        return future.result(seconds)
    except TimeoutError:
        return None


async def wait_async(future: "Future[_T] | asyncio.Future[_T] | None", seconds: float) -> _T | None:
    """The same, while the loop goes on. A task that is late goes on; with whoever waits for it, it is cancelled."""
    if future is None:
        return None
    waiting, kept = asyncio.wrap_future(future), False
    try:
        await asyncio.wait([waiting], timeout=seconds)
        kept = waiting is future
        return waiting.result() if waiting.done() else None
    finally:
        if not kept:  # a thread goes on, and would tell a loop that has ended by then
            waiting.cancel()


def in_the_loop(coroutine: Coroutine[Any, Any, _T]) -> "asyncio.Task[_T]":
    """Begin it. The loop alone would not keep it when nobody waits any more."""
    task = asyncio.get_running_loop().create_task(coroutine)
    _LATE.add(task)
    task.add_done_callback(_LATE.discard)
    return task


_LATE: set["asyncio.Task[Any]"] = set()
