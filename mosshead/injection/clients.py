"""What stands for a client of the openai package: two of its resources ask with memory, all else is the client's own."""

from collections.abc import Awaitable, Callable
from copy import copy
from dataclasses import replace
from typing import Any, Self

from mosshead.injection.calls import Call, Injection
from mosshead.injection.forms import Chat, Form, Responses
from mosshead.injection.forwarding import Forwarding
from mosshead.injection.streams import followed
from mosshead.injection.waiting import wait, wait_async

_CHAT, _RESPONSES = Chat(), Responses()


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
    """A client or a part of it. asynchronous: whether its methods are awaited."""

    __slots__ = ("_asynchronous", "_injection")

    def __init__(self, inner: Any, injection: Injection, *, asynchronous: bool) -> None:
        super().__init__(inner)
        self._keep(_injection=injection, _asynchronous=asynchronous)

    @property
    def with_raw_response(self) -> Any:
        """The package makes it of what it stands before; made of this, it asks with memory."""
        return type(self._inner.with_raw_response)(self)

    def _resource(self, inner: Any, form: Form) -> "_Resource":
        return _Resource(inner, self._injection, asynchronous=self._asynchronous, form=form)


class _HoldsChat(_WithMemory):
    __slots__ = ()

    @property
    def chat(self) -> Any:
        """``chat.completions`` asks with memory."""
        return _ChatWithMemory(self._inner.chat, self._injection, asynchronous=self._asynchronous)


class ClientWithMemory(_HoldsChat):
    """The client."""

    __slots__ = ()

    @property
    def beta(self) -> Any:
        """``beta.chat`` is another name of ``chat``."""
        return _HoldsChat(self._inner.beta, self._injection, asynchronous=self._asynchronous)

    @property
    def responses(self) -> Any:
        """``responses`` asks with memory."""
        return self._resource(self._inner.responses, _RESPONSES)

    def copy(self, **options: Any) -> Any:
        """As the client's, with the same memory."""
        return ClientWithMemory(self._inner.copy(**options), self._injection, asynchronous=self._asynchronous)

    with_options = copy

    def __copy__(self) -> "ClientWithMemory":
        return ClientWithMemory(copy(self._inner), self._injection, asynchronous=self._asynchronous)

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


class _ChatWithMemory(_WithMemory):
    __slots__ = ()

    @property
    def completions(self) -> Any:
        return self._resource(self._inner.completions, _CHAT)


class _Resource(_WithMemory):
    """``chat.completions`` or ``responses``."""

    __slots__ = ("_form",)

    def __init__(self, inner: Any, injection: Injection, *, asynchronous: bool, form: Form) -> None:
        super().__init__(inner, injection, asynchronous=asynchronous)
        self._keep(_form=form)

    def create(self, **arguments: Any) -> Any:
        return self._ask(self._inner.create, arguments)

    def parse(self, **arguments: Any) -> Any:
        return self._ask(self._inner.parse, arguments)

    def stream(self, **arguments: Any) -> Any:
        """The package's helper, which asks by the ``create`` of what it is given."""
        injection = replace(self._injection, namespace=self._injection.whose(arguments.pop("namespace", None)))
        if not self._form.own_conversation:
            injection = replace(injection, conversation=injection.named(arguments.pop("conversation", None)))
        asking = _Resource(self._inner, injection, asynchronous=self._asynchronous, form=self._form)
        return type(self._inner).stream(asking, **arguments)

    def _ask(self, method: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        return (ask_async if self._asynchronous else ask)(method, Call(self._injection, self._form, arguments))
