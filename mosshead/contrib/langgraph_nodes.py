"""Two LangGraph nodes: one puts notes from memory into the model's input, one publishes the turn."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime, tzinfo
from typing import Any
from uuid import UUID, uuid5

from langchain_core.messages import BaseMessage, SystemMessage, convert_to_openai_messages
from langchain_core.runnables import RunnableConfig

from mosshead.api.memory import warm_up
from mosshead.api.namespace import Namespace
from mosshead.arguments import checked_limit, checked_seconds
from mosshead.bridge import across
from mosshead.contrib.openai_client.apis import Chat, Message, storable, text_of
from mosshead.contrib.openai_client.calls import BACKGROUND, Call, Face, Injection, wait, wait_async, warm_up_reads
from mosshead.models.kinds import Role

_MOST_THREADS = 1_000


class _Nodes:
    """The common part of sync and async nodes."""

    _asynchronous: bool

    def __init__(
        self,
        namespace: Face | Callable[[RunnableConfig], Face],
        *,
        zone: tzinfo = UTC,
        budget: int = 800,
        timeout: float = 0.3,
        on_error: Callable[[Exception], object] | None = None,
    ) -> None:
        """namespace: A namespace, or a function that returns one for a run's config. The rest as for ``with_memory``.

        Raises ValueError, which names the invalid argument.
        """
        self._namespace, self._zone, self._on_error = namespace, zone, on_error
        self._budget, self._seconds = checked_limit(budget, "budget"), checked_seconds("timeout", timeout)
        self._injected: dict[tuple[object, str], list[UUID]] = {}
        if isinstance(namespace, Namespace):
            warm_up(namespace.session.embedder)
            warm_up_reads(namespace)

    def _call(self, state: Mapping[str, Any], config: RunnableConfig) -> Call:
        """Return the call for a state."""
        return Call(self._whose(config), _CHAT, {"messages": _plain(state["messages"])})

    def _told(self, state: Mapping[str, Any], config: RunnableConfig, call: Call) -> dict[str, Any]:
        """Return the state's messages with the notes."""
        messages: Sequence[BaseMessage] = state["messages"]
        plain = _plain(messages)
        self._injected[_place(self._whose(config))] = call.injected
        for place in tuple(self._injected)[:-_MOST_THREADS]:
            self._injected.pop(place, None)
        reminded = call.arguments["messages"]
        added = len(reminded) - len(plain)  # a new system message with the profile, if there was none
        told: list[BaseMessage] = [SystemMessage(one["content"]) for one in reminded[:added]]
        for message, before, after in zip(messages, plain, reminded[added:], strict=True):
            changes = {} if before == after else {"content": after["content"]}
            told.append(message.model_copy(update=changes) if changes else message)
        return {"llm_input_messages": told}

    def _publishing(self, state: Mapping[str, Any], config: RunnableConfig) -> Future[None] | None:
        """Start publishing the turn; return None if there is nothing to wait for."""
        messages: Sequence[BaseMessage] = state["messages"]
        injection = self._whose(config)
        (namespace, _), thread, plain = across(injection.memory), injection.named(None), _plain(messages)
        said = [number for number, one in enumerate(plain) if one["role"] == Role.USER]
        first = said[-1] if said else len(plain)
        injected = self._injected.get(_place(injection))
        more = {"injected": injected} if injected else {}
        now = datetime.now(self._zone)
        turn = [
            {**event, **more, "conversation": thread, "occurred_at": now, **_id_of(namespace, thread, message)}
            for message, one in zip(messages[first:], plain[first:], strict=True)
            if (event := _event_of(one)) is not None
        ]
        return BACKGROUND.publish(lambda: injection.tried(None, _publish, namespace, turn)) if turn else None

    def _whose(self, config: RunnableConfig) -> Injection:
        """Find a run's namespace and conversation in its config. Raises ValueError if the config has no thread."""
        thread = config.get("configurable", {}).get("thread_id")
        if not thread:
            raise ValueError("thread_id: missing; run the graph with {'configurable': {'thread_id': …}}")
        namespace = self._namespace(config) if callable(self._namespace) else self._namespace
        return Injection(
            asynchronous=self._asynchronous,
            memory=namespace,
            namespace=None,
            conversation=str(thread),
            zone=self._zone,
            budget=self._budget,
            seconds=self._seconds,
            placement="message",
            on_extract=None,
            on_error=self._on_error,
        )


class MemoryNodes(_Nodes):
    """The nodes of one namespace. Use ``graph.add_node("recall", nodes.recall)``, and ``nodes.publish`` after the model's node.

    The conversation is the ``thread_id`` of the graph's config. The state holds ``messages``.
    """

    _asynchronous = False

    def recall(self, state: Mapping[str, Any], config: RunnableConfig) -> dict[str, Any]:
        """Return ``llm_input_messages``: the state's messages with the notes, only for the model."""
        call = self._call(state, config)
        call.look_up()
        return self._told(state, config, call)

    def publish(self, state: Mapping[str, Any], config: RunnableConfig) -> dict[str, Any]:
        """Publish the turn, from the user's last message on. A node that runs again publishes nothing twice.

        If memory is unavailable, the graph continues: ``on_error`` is called, or the logger "mosshead" warns.
        """
        wait(self._publishing(state, config), self._seconds)
        return {}


class AsyncMemoryNodes(_Nodes):
    """`MemoryNodes` for an async graph; an `AsyncNamespace` is read in the event loop."""

    _asynchronous = True

    async def recall(self, state: Mapping[str, Any], config: RunnableConfig) -> dict[str, Any]:
        """As `MemoryNodes.recall`."""
        call = self._call(state, config)
        await call.look_up_async()
        return self._told(state, config, call)

    async def publish(self, state: Mapping[str, Any], config: RunnableConfig) -> dict[str, Any]:
        """As `MemoryNodes.publish`."""
        await wait_async(self._publishing(state, config), self._seconds)
        return {}


_CHAT = Chat()


def _place(injection: Injection) -> tuple[object, str]:
    """Return the namespace's path and the thread."""
    return across(injection.memory)[0].path.parts, injection.named(None)


def _plain(messages: Sequence[BaseMessage]) -> list[Message]:
    """Convert messages to the format of the chat completions API."""
    return [dict(one) for one in convert_to_openai_messages(list(messages))]


def _event_of(message: Message) -> Message | None:
    """Return the event of a message, or None if it has neither text nor tool calls."""
    content, calls = storable(text_of(message.get("content"))), message.get("tool_calls")
    if not (content or calls):
        return None
    kept = {name: message[name] for name in ("tool_call_id", "tool_calls") if message.get(name)}
    speaker = {"speaker": message["name"]} if message.get("name") else {}
    return {"type": "message", "role": message["role"], "content": content or None, **kept, **speaker}


def _id_of(namespace: Namespace, thread: str, message: BaseMessage) -> dict[str, Any]:
    """Derive the event's id from the message's id, if it has one."""
    return {"event_id": uuid5(namespace.path.home_id, f"{thread}\x1f{message.id}")} if message.id else {}


def _publish(namespace: Namespace, turn: Sequence[Message]) -> None:
    namespace.session.publish_all(turn)
