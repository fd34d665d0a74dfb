"""One call of a client with memory: read before it, publish after it, and never fail or delay the answer."""

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
from mosshead.deadline import at_the_same_time
from mosshead.errors import InvalidNamespace, MossheadError, ReadTimeout, StoreUnavailable
from mosshead.events.envelope import MAX_INJECTED
from mosshead.models.context import Context

if TYPE_CHECKING:
    from mosshead.api.async_memory import AsyncMemory
    from mosshead.api.async_namespace import AsyncNamespace

_T = TypeVar("_T")

Face = Union[Namespace, "AsyncNamespace"]
"""A namespace; an async one is read in the event loop, a synchronous one in a thread."""

Whose = Face | Sequence[str]
"""A namespace; or, with a `Memory` or an `AsyncMemory`, its parts."""

Read = Context | Exception
"""The result of a read, or its error."""

Placement = Literal["message", "system"]
"""Where the notes go: into the user's last message, with a profile in the system prompt; or only into the system prompt."""

NO_MESSAGES: tuple[Message, ...] = ()

_FOR_PUBLISHING = 0.05
"""Seconds of the timeout reserved for publishing; at most a quarter of the timeout."""

_AHEAD = 5
"""How many recent messages are included in the notes before they are consolidated."""

_WARM_UP_SECONDS = 2.0
"""Maximum time that the first `with_memory` of a process spends on connecting and a first read."""

_log = logging.getLogger("mosshead")


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """The checked arguments of `with_memory`. asynchronous: Whether the client's calls are awaited."""

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
        """Return the namespace of a call. given: The call's own ``namespace=``. Raises InvalidNamespace if there is none."""
        chosen: Any = self.namespace if given is None else given
        if callable(chosen):
            chosen = chosen()
        memory: Any = self.memory
        if chosen is not None and isinstance(across(memory)[0], Memory) and not _is_namespace(chosen):
            if isinstance(chosen, str) or not isinstance(chosen, Sequence):
                raise InvalidNamespace(
                    f"namespace: pass a Namespace, or its parts such as ('acme', 'sarah_123'), got {type(chosen).__name__}"
                )
            chosen = memory.namespace(*chosen)
        face: Face = memory if chosen is None else chosen
        if not _is_namespace(face):
            raise InvalidNamespace(
                "namespace: missing; use with_memory(client, memory.namespace('acme', 'sarah_123')), or with a Memory pass "
                "namespace=('acme', 'sarah_123') there or on the call"
            )
        if isinstance(face, Awaited) and not self.asynchronous:
            raise InvalidNamespace("namespace: an AsyncNamespace is for a client of asyncio; give this one a Namespace")
        return face

    def named(self, given: object) -> str:
        """Return the conversation of a call. given: The call's own ``conversation=``: a name, or OpenAI's object with an id."""
        name = given.get("id") if isinstance(given, Mapping) else given
        if isinstance(name, str) and name:
            return name
        return self.conversation() if callable(self.conversation) else self.conversation

    def report(self, error: Exception) -> None:
        """Report that the chat goes on without memory. Foreign errors may contain text, so only their type is logged."""
        try:
            if self.on_error is not None:
                self.on_error(error)
                return
        except Exception as failed:  # noqa: BLE001 - the app's callback must not fail its chat
            _log.warning("on_error failed: %s", type(failed).__name__)
        told = error if isinstance(error, MossheadError) else type(error).__name__
        _log.warning("the chat goes on without memory: %s", told)

    def tried(self, default: _T, step: Callable[..., _T], *given: Any) -> _T:
        """Run a step and return its result; on any error, report it and return a default. Memory never fails the chat."""
        try:
            return step(*given)
        except Exception as error:  # noqa: BLE001 - the edge between memory and the chat
            self.report(error)
            return default


def _is_namespace(one: object) -> bool:
    return isinstance(across(one)[0], Namespace)


class Call:
    """One call. ``arguments`` are passed to the client's method. left: Seconds that publishing may delay the answer."""

    def __init__(self, injection: Injection, form: ApiForm, arguments: Arguments) -> None:
        """Raises InvalidNamespace, and errors of the app's callables, before anything is sent."""
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
        """Start reading memory. Return None if the user said nothing, or if too many reads are running."""
        if not self._asked.text.strip():
            return None
        reading = BACKGROUND.read(self._read)
        if reading is None:
            reason = "too many reads are hanging, or the process cannot start a thread; this answer has no new notes"
            self.injection.report(StoreUnavailable(f"MOSSHEAD_DATABASE_URL: {reason}"))
        return reading

    def recall_async(self) -> "Future[Read] | asyncio.Future[Read] | None":
        """Start reading memory, in the event loop if the namespace is async. Those reads have deadlines and are not limited."""
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
        """Put notes into the prompt. read: The result; on None (a timeout) or an error, use the previous notes or the profile."""
        if read is None:
            read = ReadTimeout(
                f"timeout: {self.injection.seconds:g} s, as given to with_memory, was too short to read memory; "
                "the answer uses the conversation's previous notes, or else the user's profile, if they were read before"
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
        """Collect a piece of a streamed answer."""
        self.injection.tried(None, self._pieces.add, piece)

    def end(self, *, exhausted: bool = False) -> Future[None] | None:
        """Publish the collected answer, once. exhausted: The stream was read to its end."""
        if self._ended:
            return None
        self._ended = True
        answer = self.injection.tried(NO_MESSAGES, self._pieces.messages)
        return self.publish(answer, cut=not (exhausted or self._pieces.whole))

    def publish(self, answer: Sequence[Message], *, cut: bool = False) -> Future[None] | None:
        """Queue the turn, which is the new messages and the answer. cut: The answer is incomplete. Never blocks."""
        mark: Message = {"metadata": {"cut": True}} if cut else {}
        turn = [
            *({**message, "occurred_at": self._begun_at, **self._injected} for message in self._asked.new),
            *({**message, "occurred_at": self._clock(), **mark, **self._injected} for message in answer),
        ]
        if not turn:
            return None
        publishing = BACKGROUND.publish(lambda: self._publish(turn))
        if publishing is None:
            self.injection.report(MossheadError("too many turns are waiting to be published; this one is dropped"))
        return publishing

    def _elapsed(self) -> float:
        return time.monotonic() - self._begun

    def _read(self) -> Read:
        # Use the memory's own deadline, not the chat's: an interrupted read loses its connection and prepared statements, which
        # would make the next one late, too. A late read warms up the next one.
        try:
            if self._kept.profile is None and self.injection.placement == "message":
                read, _ = at_the_same_time(self._read_context, self._read_profile)
            else:
                read = self._read_context()
            if read.memories or read.messages:
                self._kept.last = read  # even if it is too late for this answer
        except Exception as error:  # noqa: BLE001 - the edge of a thread; the caller reports it
            return error
        return read

    def _read_profile(self) -> None:
        profile = self._cache.read_profile(self._whose)
        self._kept.profile = self._kept.profile or profile

    def _read_context(self) -> Context:
        return self._whose.context(
            self._asked.text,
            conversation=self._conversation,
            history=self._asked.history,
            budget=self.injection.budget,
            speaker=self._asked.speaker,
            include_pending=_AHEAD,
            now=self._begun_at,
            on_timeout="raise",
        )

    def _publish(self, turn: Sequence[Message]) -> None:
        ids = self.injection.tried(
            None, lambda: self._whose.publish_conversation(turn, conversation=self._conversation)
        )
        if ids is not None and self.injection.on_extract is not None:
            self.injection.tried(None, self.injection.on_extract, ids)


MOST_READS = 32
"""Maximum concurrent reads. They pile up only if reads outlast their deadline, as DNS look-ups can."""

MOST_WAITING = 1_000
"""Maximum number of turns waiting to be published. The spool stores one in less than a millisecond."""

_LAST_CALL_SECONDS = 2.0


class BackgroundThreads:
    def __init__(self) -> None:
        self._starting = RLock()
        self._end: finalize[..., BackgroundThreads] | None = None
        self._begin()

    def _begin(self) -> None:
        self._reads = BoundedSemaphore(MOST_READS)
        # Not a Queue: garbage collection of an abandoned stream may publish while this thread already holds the Queue's lock.
        self._jobs: SimpleQueue[Callable[[], object]] = SimpleQueue()
        self._thread: Thread | None = None

    def read(self, job: Callable[[], _T]) -> Future[_T] | None:
        """Start a job, which must not raise. Return None if too many are running or no thread can be started."""
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
        """Queue a job, which must not raise. Return None if too many are waiting. Never blocks."""
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
                # Registered late, so that it runs before an earlier `Memory` ships its spool for the last time.
                self._end = finalize(self, _drain, self._jobs)
            if self._thread is None:
                self._thread = started
                try:
                    started.start()
                except (
                    RuntimeError
                ):  # no thread can be started: the next turn tries again and takes the waiting jobs along
                    self._thread = None

    def after_fork_in_child(self) -> None:
        """Start afresh: running and queued jobs belong to the parent."""
        self._starting = RLock()
        self._begin()


def warm_up_reads(namespace: Namespace) -> None:
    """Connect and read once per `Memory`, so that the first call is as fast as the others. Errors are left to the call."""
    cache = cache_of(namespace.session.engine)
    if cache.warm:
        return
    cache.warm = True

    def read() -> None:
        with suppress(Exception):
            # Twice, since each connection of the pool prepares its own statements.
            for question in ("Who am I?", "What did I say?"):
                namespace.context(question, on_timeout="raise")
            cache.read_profile(namespace)

    wait(BACKGROUND.read(read), _WARM_UP_SECONDS)


def _under_way(future: Future[_T]) -> Future[_T]:
    """Make a future uncancellable: asyncio would cancel it after a timeout, and setting its result would kill the thread."""
    future.set_running_or_notify_cancel()
    return future


def _run(jobs: SimpleQueue[Callable[[], object]]) -> None:
    while True:
        try:
            jobs.get()()
        except BaseException as error:  # noqa: BLE001 - an app's callback may raise CancelledError or SystemExit
            _log.warning("a turn's callback raised %s", type(error).__name__)


def _drain(jobs: SimpleQueue[Callable[[], object]]) -> None:
    """At interpreter exit, publish waiting turns for at most two seconds."""
    done = Future[None]()
    jobs.put(lambda: done.set_result(None))
    try:
        done.result(_LAST_CALL_SECONDS)
    except TimeoutError:
        return


BACKGROUND = BackgroundThreads()

os.register_at_fork(after_in_child=BACKGROUND.after_fork_in_child)


def wait(future: Future[_T] | None, seconds: float) -> _T | None:
    """Return a thread's result, or None on timeout."""
    if future is None:
        return None
    try:
        return future.result(seconds)
    except TimeoutError:
        return None


async def wait_async(future: "Future[_T] | asyncio.Future[_T] | None", seconds: float) -> _T | None:
    """Await a result, or return None on timeout. A late task keeps running; it is cancelled only with its caller."""
    if future is None:
        return None
    waiting, kept = asyncio.wrap_future(future), False
    try:
        await asyncio.wait([waiting], timeout=seconds)
        kept = waiting is future
        return waiting.result() if waiting.done() else None
    finally:
        if not kept:  # a thread keeps running, and might report to a loop that has ended by then
            waiting.cancel()


def in_the_loop(coroutine: Coroutine[Any, Any, _T]) -> "asyncio.Task[_T]":
    """Start a task and keep a reference, so that it survives even if nobody awaits it."""
    task = asyncio.get_running_loop().create_task(coroutine)
    _LATE.add(task)
    task.add_done_callback(_LATE.discard)
    return task


_LATE: set["asyncio.Task[Any]"] = set()
