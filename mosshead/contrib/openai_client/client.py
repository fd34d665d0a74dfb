"""Wrap an openai client: two of its resources use memory, everything else is forwarded."""

from collections.abc import Awaitable, Callable, Mapping
from copy import copy
from dataclasses import replace
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args
from uuid import UUID, uuid4

from mosshead.api.memory import Memory, warm_up
from mosshead.api.namespace import Namespace
from mosshead.arguments import checked_limit, checked_seconds
from mosshead.bridge import Awaited, across
from mosshead.contrib.openai_client.apis import ApiForm, Chat, Responses
from mosshead.contrib.openai_client.calls import (
    Call,
    Face,
    Injection,
    Placement,
    Whose,
    wait,
    wait_async,
    warm_up_reads,
)
from mosshead.contrib.openai_client.streams import Forwarding, followed

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

    from mosshead.api.async_memory import AsyncMemory


def ask(method: Callable[..., Any], call: Call) -> Any:
    """Read memory, call the client, publish the turn, and return the client's answer."""
    call.look_up()
    result, publishing = followed(method(**call.arguments), call)
    wait(publishing, call.left)
    return result


async def ask_async(method: Callable[..., Awaitable[Any]], call: Call) -> Any:
    """Do the same as `ask` for an async client."""
    await call.look_up_async()
    result, publishing = followed(await method(**call.arguments), call)
    await wait_async(publishing, call.left)
    return result


class _WithMemory(Forwarding):
    """A client or a part of it. part: Its wrapped attributes, or its API."""

    __slots__ = ("_injection", "_part")

    def __init__(self, inner: Any, injection: Injection, part: "_Parts | ApiForm") -> None:
        super().__init__(inner, _injection=injection, _part=part)

    def __getattr__(self, name: str) -> Any:
        inner = super().__getattr__(name)
        part = self._part.get(name) if isinstance(self._part, Mapping) else None
        if part is None:
            return inner
        return (_WithMemory if isinstance(part, Mapping) else _Resource)(inner, self._injection, part)

    @property
    def with_raw_response(self) -> Any:
        """The package's own wrapper, built around this object so that its calls use memory."""
        return type(self._inner.with_raw_response)(self)


_Parts = Mapping[str, "ApiForm | _Parts"]

_PARTS: _Parts = {
    "chat": {"completions": Chat()},
    "beta": {"chat": {"completions": Chat()}},  # an alias
    "responses": Responses(),
}


class ClientWithMemory(_WithMemory):
    __slots__ = ()

    def copy(self, **options: Any) -> Any:
        """Copy the client, with the same memory."""
        return self._of(self._inner.copy(**options))

    with_options = copy

    def _of(self, inner: Any) -> "ClientWithMemory":
        return ClientWithMemory(inner, self._injection, self._part)

    def __copy__(self) -> "ClientWithMemory":
        return self._of(copy(self._inner))


class _Resource(_WithMemory):
    __slots__ = ()

    def create(self, **arguments: Any) -> Any:
        return self._ask(self._inner.create, arguments)

    def parse(self, **arguments: Any) -> Any:
        return self._ask(self._inner.parse, arguments)

    def stream(self, **arguments: Any) -> Any:
        """Run the package's helper, which calls ``create`` on the object it is given."""
        injection = replace(self._injection, namespace=self._injection.whose(arguments.pop("namespace", None)))
        if not self._part.own_conversation:
            injection = replace(injection, conversation=injection.named(arguments.pop("conversation", None)))
        return type(self._inner).stream(_Resource(self._inner, injection, self._part), **arguments)

    def _ask(self, method: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        call = Call(self._injection, self._part, arguments)
        return ask_async(method, call) if self._injection.asynchronous else ask(method, call)


_Client = TypeVar("_Client", bound="OpenAI | AsyncOpenAI")


def with_memory(
    client: _Client,
    memory: "Memory | AsyncMemory | Face",
    *,
    namespace: Whose | Callable[[], Whose] | None = None,
    conversation: str | Callable[[], str] | None = None,
    zone: tzinfo | Callable[[], tzinfo] = UTC,
    budget: int = 800,
    timeout: float = 0.3,
    placement: Placement = "message",
    on_extract: Callable[[list[UUID]], object] | None = None,
    on_error: Callable[[Exception], object] | None = None,
) -> _Client:
    """Return a client with memory, used like the given one, which stays unchanged.

    Each ``create``, ``parse`` and ``stream`` of ``chat.completions`` and ``responses`` reads memory for the user's last message,
    puts notes in a fence before its text, and publishes the message and the answer. A profile of the user goes into the system
    prompt and stays the same for a conversation (docs/how-to/openai-client.md).

    This loads the local embedding model if needed (0.1 s). The first call with a `Memory` also connects and reads once, for at
    most two seconds. Calls raise what the client raises, and InvalidNamespace if no namespace is set.

    Args:
        memory: A namespace, or a `Memory` with ``namespace``. With AsyncOpenAI, async ones are read in the event loop.
        namespace: The default namespace: a `Namespace`, its parts, or a function that returns either. A call can override it
            with ``namespace=``, which is not sent.
        conversation: A name, or a function that returns one; by default a new name for this client. A call can override it
            with ``conversation=``, which is not sent. For ``responses``, OpenAI's own ``conversation`` is used and sent.
        zone: The user's time zone, or a function that returns it; used for dates and for words such as "today".
        budget: Maximum number of tokens of the notes, without the fence.
        timeout: Seconds that memory may add to an answer. On timeout, the conversation's previous notes are used.
        placement: "message", or "system" to append the notes to the system prompt without a profile; this defeats the
            provider's prompt cache.
        on_extract: Called in another thread with the event ids of each published turn.
        on_error: Called with each error that made the chat go on without memory; by default the logger "mosshead" warns.

    Raises:
        TypeError, ValueError: An argument is invalid; the error names it.
        InvalidNamespace: The namespace is invalid.
        ConfigurationError: The embedding model's files are not the expected ones.
    """
    injection = injection_of(
        memory,
        asynchronous=_is_asynchronous(client),
        namespace=namespace,
        conversation=conversation,
        zone=zone,
        budget=budget,
        timeout=timeout,
        placement=placement,
        on_extract=on_extract,
        on_error=on_error,
    )
    return cast("_Client", ClientWithMemory(client, injection, _PARTS))


def injection_of(
    memory: "Memory | AsyncMemory | Face",
    *,
    asynchronous: bool,
    namespace: Whose | Callable[[], Whose] | None,
    conversation: str | Callable[[], str] | None,
    zone: tzinfo | Callable[[], tzinfo],
    budget: int,
    timeout: float,
    placement: Placement,
    on_extract: Callable[[list[UUID]], object] | None,
    on_error: Callable[[Exception], object] | None,
) -> Injection:
    """Check the arguments of `with_memory` for any client, and load what the first call needs. For errors see there."""
    if not isinstance(across(memory)[0], Memory | Namespace):
        raise TypeError(f"memory: a Memory, or one of its namespaces, got {type(memory).__name__}")
    if isinstance(memory, Awaited) and not asynchronous:
        raise TypeError(f"memory: an {type(memory).__name__} is for a client of asyncio; give this one a Memory")
    for name, function in (("on_extract", on_extract), ("on_error", on_error)):
        if function is not None and not callable(function):
            raise TypeError(f"{name}: a function, got {type(function).__name__}")
    if placement not in get_args(Placement):
        raise ValueError(f"placement: one of {', '.join(get_args(Placement))}, got {placement!r}")
    conversation = str(uuid4()) if conversation is None else conversation
    injection = Injection(
        asynchronous=asynchronous,
        memory=memory,
        namespace=namespace,
        conversation=_or_function("conversation", conversation, str, "a name"),
        zone=_or_function("zone", zone, tzinfo, "a zone such as zoneinfo.ZoneInfo('Europe/Paris')"),
        budget=checked_limit(budget, "budget"),
        seconds=checked_seconds("timeout", timeout),
        placement=placement,
        on_extract=on_extract,
        on_error=on_error,
    )
    if namespace is not None and not callable(namespace):
        injection.whose(None)
    _warm_up(memory)
    return injection


def _warm_up(memory: "Memory | AsyncMemory | Face") -> None:
    if isinstance(memory, Awaited):
        return  # it was loaded when it connected, and this must not block the event loop
    if isinstance(memory, Namespace):
        warm_up(memory.session.embedder)
    else:
        memory.warm_up()
    warm_up_reads(memory if isinstance(memory, Namespace) else memory.namespace("mosshead", "warm-up"))


def _is_asynchronous(client: object) -> bool:
    from openai import AsyncOpenAI, OpenAI  # an optional extra, and slow to import

    if not isinstance(client, OpenAI | AsyncOpenAI):
        raise TypeError(f"client: an openai.OpenAI or openai.AsyncOpenAI, got {type(client).__name__}")
    return isinstance(client, AsyncOpenAI)


def _or_function(name: str, given: Any, kind: type, what: str) -> Any:
    """Return an argument that has the given type or is a function. Raises TypeError."""
    if callable(given) or (isinstance(given, kind) and given):
        return given
    raise TypeError(f"{name}: {what}, or a function that returns one, got {given!r}")
