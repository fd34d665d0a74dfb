"""What stands for a client of the openai package: two of its resources ask with memory, all else is the client's own."""

from collections.abc import Awaitable, Callable, Mapping
from copy import copy
from dataclasses import replace
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from uuid import UUID, uuid4

from mosshead.api.arguments import checked_limit, checked_seconds
from mosshead.api.memory import Memory, warm_up
from mosshead.api.namespace import Namespace
from mosshead.contrib.openai_client.apis import ApiForm, Chat, Responses
from mosshead.contrib.openai_client.calls import Call, Injection, Whose, wait, wait_async
from mosshead.contrib.openai_client.streams import Forwarding, followed

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI


def ask(method: Callable[..., Any], call: Call) -> Any:
    """The client's answer, with memory before and after it."""
    if (reading := call.recall()) is not None:
        call.remind(wait(reading, call.to_read))
    result, publishing = followed(method(**call.arguments), call)
    wait(publishing, call.left)
    return result


async def ask_async(method: Callable[..., Awaitable[Any]], call: Call) -> Any:
    """The same of a client that is awaited."""
    if (reading := call.recall()) is not None:
        read = await wait_async(reading, call.to_read)
        call.remind(read)
    result, publishing = followed(await method(**call.arguments), call)
    await wait_async(publishing, call.left)
    return result


class _WithMemory(Forwarding):
    """A client or a part of it. asynchronous: whether its methods are awaited. parts: those of its attributes that remember."""

    __slots__ = ("_asynchronous", "_injection", "_parts")

    def __init__(self, inner: Any, injection: Injection, *, asynchronous: bool, parts: "_Parts", **own: Any) -> None:
        super().__init__(inner, _injection=injection, _asynchronous=asynchronous, _parts=parts, **own)

    def __getattr__(self, name: str) -> Any:
        inner, part = super().__getattr__(name), self._parts.get(name)
        if part is None:
            return inner
        if isinstance(part, Mapping):
            return _WithMemory(inner, self._injection, asynchronous=self._asynchronous, parts=part)
        return _Resource(inner, self._injection, asynchronous=self._asynchronous, parts={}, _form=part)

    @property
    def with_raw_response(self) -> Any:
        """The package makes it of what it stands before; made of this, it asks with memory."""
        return type(self._inner.with_raw_response)(self)


_Parts = Mapping[str, "ApiForm | _Parts"]

_PARTS: _Parts = {
    "chat": {"completions": Chat()},
    "beta": {"chat": {"completions": Chat()}},  # another name of the same
    "responses": Responses(),
}


class ClientWithMemory(_WithMemory):
    """The client."""

    __slots__ = ()

    def copy(self, **options: Any) -> Any:
        """As the client's, with the same memory."""
        return self._of(self._inner.copy(**options))

    with_options = copy

    def _of(self, inner: Any) -> "ClientWithMemory":
        return ClientWithMemory(inner, self._injection, asynchronous=self._asynchronous, parts=self._parts)

    def __copy__(self) -> "ClientWithMemory":
        return self._of(copy(self._inner))

    def __enter__(self) -> Self:
        self._inner.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._inner.__exit__(*error)

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._inner.__aexit__(*error)


class _Resource(_WithMemory):
    """``chat.completions`` or ``responses``."""

    __slots__ = ("_form",)

    def create(self, **arguments: Any) -> Any:
        return self._ask(self._inner.create, arguments)

    def parse(self, **arguments: Any) -> Any:
        return self._ask(self._inner.parse, arguments)

    def stream(self, **arguments: Any) -> Any:
        """The package's helper, which asks by the ``create`` of what it is given."""
        injection = replace(self._injection, namespace=self._injection.whose(arguments.pop("namespace", None)))
        if not self._form.own_conversation:
            injection = replace(injection, conversation=injection.named(arguments.pop("conversation", None)))
        asking = _Resource(self._inner, injection, asynchronous=self._asynchronous, parts={}, _form=self._form)
        return type(self._inner).stream(asking, **arguments)

    def _ask(self, method: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        return (ask_async if self._asynchronous else ask)(method, Call(self._injection, self._form, arguments))


_Client = TypeVar("_Client", bound="OpenAI | AsyncOpenAI")


def with_memory(
    client: _Client,
    memory: Memory | Namespace,
    *,
    namespace: Whose | Callable[[], Whose] | None = None,
    conversation: str | Callable[[], str] | None = None,
    zone: tzinfo | Callable[[], tzinfo] = UTC,
    budget: int = 800,
    timeout: float = 0.3,
    on_extract: Callable[[list[UUID]], object] | None = None,
    on_error: Callable[[Exception], object] | None = None,
) -> _Client:
    """A client of the openai package that remembers: it is used as the one that is given, which stays as it is.

    Each ``create``, ``parse`` and ``stream`` of ``chat.completions`` and of ``responses`` reads what is known for the user's last
    message, puts it into a fence at the end of the system prompt, and publishes the user's message and the answer
    (docs/injection.md).

    memory: a namespace, or a `Memory` with ``namespace``.
    namespace: whose memory, by default: a `Namespace`, its parts, or a function that says so at each call. A call may name
    another with ``namespace=``, which is not sent.
    conversation: its name, or a function that says it; by default one of its own for this client. A call may name another with
    ``conversation=``, which is not sent. That of ``responses`` is OpenAI's own: it is sent, and is the name here, too.
    zone: that of the user's clock, or a function that says it at each call: what is said on a Monday evening is of a Monday then.
    budget: tokens of what is put into the prompt, at most, the fence apart.
    timeout: seconds that memory may add to an answer. Anything not read by then is left out.
    on_extract: called with the ids of the events of each turn that was published, in a thread of its own.
    on_error: called with what went wrong where the chat goes on without memory; by default the logger "mosshead" warns of it.
    The local embedding model is loaded now, where it is not yet (0.1 s).
    Raises TypeError and ValueError, which name what does not fit, InvalidNamespace, and ConfigurationError where the embedding
    model's files are not the right ones. The calls raise what the client raises, and InvalidNamespace where no namespace is said.
    """
    if not isinstance(memory, Memory | Namespace):
        raise TypeError(f"memory: a Memory, or one of its namespaces, got {type(memory).__name__}")
    _check_callable(on_extract=on_extract, on_error=on_error)
    injection = Injection(
        memory=memory,
        namespace=namespace,
        conversation=_conversation(conversation),
        zone=_zone(zone),
        budget=checked_limit(budget, "budget"),
        seconds=checked_seconds("timeout", timeout),
        on_extract=on_extract,
        on_error=on_error,
    )
    if namespace is not None and not callable(namespace):
        injection.whose(None)
    if isinstance(memory, Namespace):
        warm_up(memory.session.embedder)
    else:
        memory.warm_up()
    return cast("_Client", ClientWithMemory(client, injection, asynchronous=_is_asynchronous(client), parts=_PARTS))


def _is_asynchronous(client: object) -> bool:
    """Whether its methods are awaited. Raises TypeError where it is no client of the openai package."""
    from openai import AsyncOpenAI, OpenAI  # an optional extra, and slow to import

    if not isinstance(client, OpenAI | AsyncOpenAI):
        raise TypeError(f"client: an openai.OpenAI or openai.AsyncOpenAI, got {type(client).__name__}")
    return isinstance(client, AsyncOpenAI)


def _conversation(given: object) -> str | Callable[[], str]:
    if given is None:
        return str(uuid4())
    if callable(given) or (isinstance(given, str) and given):
        return cast("str | Callable[[], str]", given)
    raise TypeError(f"conversation: a name, or a function that says one, got {given!r}")


def _zone(given: object) -> tzinfo | Callable[[], tzinfo]:
    if isinstance(given, tzinfo) or callable(given):
        return cast("tzinfo | Callable[[], tzinfo]", given)
    raise TypeError(
        f"zone: a zone such as zoneinfo.ZoneInfo('Europe/Paris'), or a function that says one, got {given!r}"
    )


def _check_callable(**functions: object) -> None:
    for name, function in functions.items():
        if function is not None and not callable(function):
            raise TypeError(f"{name}: a function, got {type(function).__name__}")
