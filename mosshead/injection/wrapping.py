"""`with_memory`: the one function of this package that an app calls."""

from collections.abc import Callable
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING, TypeVar, cast
from uuid import UUID, uuid4

from mosshead.checks import checked_limit, checked_seconds
from mosshead.injection.calls import Injection, Whose
from mosshead.injection.clients import ClientWithMemory
from mosshead.memory import Memory
from mosshead.namespace import Namespace

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

_Client = TypeVar("_Client", bound="OpenAI | AsyncOpenAI")


def with_memory(
    client: _Client,
    memory: Memory | Namespace,
    *,
    namespace: Whose | Callable[[], Whose] | None = None,
    conversation: str | Callable[[], str] | None = None,
    zone: tzinfo | Callable[[], tzinfo] = UTC,
    budget: int = 800,
    seconds: float = 0.3,
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
    seconds: how much later than without memory an answer may come, at most. What is not read by then stays out.
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
        seconds=checked_seconds("seconds", seconds),
        on_extract=on_extract,
        on_error=on_error,
    )
    if namespace is not None and not callable(namespace):
        injection.whose(None)
    memory.warm_up()
    return cast("_Client", ClientWithMemory(client, injection, asynchronous=_is_asynchronous(client)))


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
