"""Wrap an anthropic client: its messages use memory, everything else is forwarded."""

from collections.abc import Callable
from copy import copy
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING, Any, TypeVar, Union, cast
from uuid import UUID

from mosshead.api.memory import Memory
from mosshead.contrib.anthropic_client.messages import AnthropicMessages
from mosshead.contrib.openai_client.calls import (
    NO_MESSAGES,
    Call,
    Face,
    Injection,
    Placement,
    Whose,
    wait,
    wait_async,
)
from mosshead.contrib.openai_client.client import ask, ask_async, injection_of
from mosshead.contrib.openai_client.streams import Forwarding

if TYPE_CHECKING:
    from concurrent.futures import Future

    from anthropic import Anthropic, AsyncAnthropic

    from mosshead.api.async_memory import AsyncMemory

_FORM: Any = AnthropicMessages()

_Client = TypeVar("_Client", bound="Anthropic | AsyncAnthropic")


def with_memory(
    client: _Client,
    memory: Union[Memory, "AsyncMemory", Face],
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

    Each ``create``, ``parse`` and ``stream`` of ``messages`` and ``beta.messages``, and each turn of ``tool_runner``, reads
    memory for the user's last message, puts notes in a fence before its text, and publishes the new messages and the answer.
    The arguments and errors are those of `mosshead.contrib.openai_client.with_memory` (docs/how-to/openai-client.md).
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
    return cast("_Client", AnthropicWithMemory(client, injection))


class AnthropicWithMemory(Forwarding):
    """The wrapped client."""

    __slots__ = ("_injection",)

    def __init__(self, inner: Any, injection: Injection) -> None:
        super().__init__(inner, _injection=injection)

    @property
    def messages(self) -> Any:
        return _Messages(self._inner.messages, self._injection, self)

    @property
    def beta(self) -> Any:
        return _Beta(self._inner.beta, self._injection, self)

    @property
    def with_raw_response(self) -> Any:
        """The package's own wrapper, built around this object so that its calls use memory."""
        return type(self._inner.with_raw_response)(self)

    def copy(self, **options: Any) -> Any:
        """Copy the client, with the same memory."""
        return AnthropicWithMemory(self._inner.copy(**options), self._injection)

    with_options = copy

    def __copy__(self) -> "AnthropicWithMemory":
        return AnthropicWithMemory(copy(self._inner), self._injection)


class _Part(Forwarding):
    """A part of the client. _client: The wrapped client, which the package's own helpers call."""

    __slots__ = ("_client", "_injection")

    def __init__(self, inner: Any, injection: Injection, client: AnthropicWithMemory) -> None:
        super().__init__(inner, _injection=injection, _client=client)

    @property
    def with_raw_response(self) -> Any:
        return type(self._inner.with_raw_response)(self)


class _Beta(_Part):
    __slots__ = ()

    @property
    def messages(self) -> Any:
        return _Messages(self._inner.messages, self._injection, self._client)


class _Messages(_Part):
    __slots__ = ()

    def create(self, **arguments: Any) -> Any:
        return self._ask(self._inner.create, arguments)

    def parse(self, **arguments: Any) -> Any:
        return self._ask(self._inner.parse, arguments)

    def stream(self, **arguments: Any) -> Any:
        """Return the package's stream manager, with memory; use it in a ``with`` statement."""
        return _StreamManager(self._inner.stream, Call(self._injection, _FORM, arguments))

    def tool_runner(self, **arguments: Any) -> Any:
        """Run the package's helper, which calls ``beta.messages`` of its client."""
        return type(self._inner).tool_runner(self, **arguments)

    def _ask(self, method: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        call = Call(self._injection, _FORM, arguments)
        return ask_async(method, call) if self._injection.asynchronous else ask(method, call)


class _StreamManager:
    """The context manager of a stream. On exit it publishes the turn with the answer received so far."""

    def __init__(self, method: Callable[..., Any], call: Call) -> None:
        self._method, self._call = method, call
        self._manager: Any = None
        self._stream: Any = None

    def __enter__(self) -> Any:
        self._call.look_up()
        self._manager = self._method(**self._call.arguments)
        self._stream = self._manager.__enter__()
        return self._stream

    def __exit__(self, *error: Any) -> None:
        try:
            self._manager.__exit__(*error)
        finally:
            wait(self._publish(), self._call.left)

    async def __aenter__(self) -> Any:
        await self._call.look_up_async()
        self._manager = self._method(**self._call.arguments)
        self._stream = await self._manager.__aenter__()
        return self._stream

    async def __aexit__(self, *error: Any) -> None:
        try:
            await self._manager.__aexit__(*error)
        finally:
            await wait_async(self._publish(), self._call.left)

    def _publish(self) -> "Future[None] | None":
        try:
            came = self._stream.current_message_snapshot
        except AssertionError:  # nothing was received
            return self._call.publish(NO_MESSAGES, cut=True)
        answer = self._call.injection.tried(NO_MESSAGES, self._call.form.answered, came)
        return self._call.publish(answer, cut=came.stop_reason is None)


def _is_asynchronous(client: object) -> bool:
    from anthropic import Anthropic, AsyncAnthropic  # an optional extra, and slow to import

    if not isinstance(client, Anthropic | AsyncAnthropic):
        raise TypeError(f"client: an anthropic.Anthropic or anthropic.AsyncAnthropic, got {type(client).__name__}")
    return isinstance(client, AsyncAnthropic)
