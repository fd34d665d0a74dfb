"""`MemorySession`: an OpenAI Agents SDK session with memory, stored as a conversation's messages.

It has the SDK's protocol ``Session``, and imports nothing of the SDK. An item is a message of the conversation; what its text
does not say of it is in its metadata.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from functools import reduce
from operator import getitem
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

from sqlalchemy import Engine

from mosshead.api.memory import warm_up
from mosshead.api.namespace import Namespace
from mosshead.arguments import checked_conversation, checked_limit, checked_seconds
from mosshead.contrib.openai_client.apis import Responses, plain, storable, text_of, tool_call
from mosshead.contrib.openai_client.calls import Call, Injection, wait_async, warm_up_reads
from mosshead.events.envelope import MAX_METADATA_BYTES
from mosshead.ids import uuid7
from mosshead.models.context import Context
from mosshead.models.kinds import Role
from mosshead.redaction import redact_json
from mosshead.store.connection import OF_NAMESPACE, Sql
from mosshead.text import is_text

Item = dict[str, Any]
"""As the SDK has it: a message of the responses API, a call of a tool, what it returned, a thought."""

_ITEM, _WORDS = "agents_item", "agents_words"
"""Of a message's metadata: the item without its words, and the keys that lead to their place in it."""

_TICK, _LONG_AGO = timedelta(microseconds=1), datetime.min.replace(tzinfo=UTC)

_MOST_SESSIONS = 1_000

_log = logging.getLogger("mosshead")


@dataclass(slots=True)
class _Overlay:
    """This process's changes to a conversation that reads may not see yet: items added, and messages erased."""

    added: dict[UUID, tuple[datetime, Item]] = field(default_factory=dict)
    gone: dict[UUID, None] = field(default_factory=dict)
    latest: datetime = _LONG_AGO


class MemorySession:
    """A session for ``Runner.run(…, session=session)``. It is cheap; a web app can create one per request.

    Pass ``RunConfig(call_model_input_filter=session.remind)`` as well to put notes from memory into the model's input.
    """

    def __init__(
        self,
        session_id: str,
        namespace: Namespace,
        *,
        zone: tzinfo = UTC,
        budget: int = 800,
        timeout: float = 0.3,
        on_error: Callable[[Exception], object] | None = None,
    ) -> None:
        """session_id: the conversation. zone, budget, timeout, on_error: as for ``with_memory`` (docs/injection.md).

        Raises ValueError, which names what does not fit.
        """
        self.session_id = session_id
        self.session_settings: Any = None
        if not checked_conversation(session_id):
            raise ValueError("session_id: is empty; pass the name of the conversation")
        self._namespace, self._zone = namespace, zone
        self._injection = Injection(
            asynchronous=True,
            memory=namespace,
            namespace=None,
            conversation=session_id,
            zone=zone,
            budget=checked_limit(budget, "budget"),
            seconds=checked_seconds("timeout", timeout),
            placement="message",
            on_extract=None,
            on_error=on_error,
        )
        self._turn: tuple[object, Context | Exception | None] = (None, None)
        self._injected: list[UUID] = []
        overlays = _OF_ENGINES.setdefault(namespace.session.engine, {})
        self._overlay = overlays.setdefault((namespace.path.parts, session_id), _Overlay())
        for place in tuple(overlays)[:-_MOST_SESSIONS]:
            overlays.pop(place, None)
        warm_up(namespace.session.embedder)
        warm_up_reads(namespace)

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Read the items in order. limit: Only the latest ones. Raises StoreUnavailable."""
        most = getattr(self.session_settings, "limit", None) if limit is None else limit
        return [item for _, item in await asyncio.to_thread(self._read, most)]

    async def add_items(self, items: list[Any]) -> None:
        """Publish items as messages of the conversation. For errors see `Namespace.publish`."""
        await asyncio.to_thread(self._add, [plain(item) for item in items])

    async def pop_item(self) -> Any:
        """Permanently erase the latest item and everything derived from it alone. Return it, or None if there is none."""
        return await asyncio.to_thread(self._pop)

    async def clear_session(self) -> None:
        """Permanently erase the conversation and everything derived from it alone. A new chat only needs a new ``session_id``."""
        await asyncio.to_thread(self._clear)

    async def remind(self, data: Any) -> Any:
        """Put notes into the input of a model call; a ``call_model_input_filter``. The notes are not stored in the session."""
        given = data.model_data
        call = Call(self._injection, Responses(), {"input": given.input, "instructions": given.instructions})
        said = [number for number, item in enumerate(given.input) if plain(item).get("role") == Role.USER]
        asked = (said[-1], text_of(plain(given.input[said[-1]]).get("content"))) if said else None
        # All calls of a turn, with tools in between, get the same notes, to keep the provider's prompt cache valid.
        if self._turn[0] != asked and (reading := call.recall()) is not None:
            read = await wait_async(reading, call.to_read)
            self._turn = (asked, read)
        if asked is not None and self._turn[0] == asked:
            call.remind(self._turn[1])
            self._injected = call.injected
        reminded = {name: call.arguments[name] for name in ("input", "instructions")}
        return replace(given, **reminded)

    def _read(self, limit: int | None = None) -> list[tuple[UUID, Item]]:
        overlay, added = self._overlay, dict(self._overlay.added)  # copy before the read, which may not see these yet
        most = None if limit is None else limit + len(overlay.gone)
        with self._namespace.session.transaction() as connection:
            rows = Sql(f"""
                select message_id, role, content, metadata, coalesce(occurred_at_sent, occurred_at) as said_at
                from mosshead_read_v1.messages where {OF_NAMESPACE} and conversation_id = %(conversation)s
                  and (metadata ? '{_ITEM}' or role <> 'tool' and content <> '')
                order by said_at desc, message_id desc limit %(limit)s
            """).rows(connection, self._namespace.path.ids, conversation=self.session_id, limit=most)
        stored = {row.message_id: (row.said_at, _item_of(row.role, row.content, row.metadata)) for row in rows}
        for message_id in stored.keys() & added.keys():
            overlay.added.pop(message_id, None)
        known = {one: item for one, item in (added | stored).items() if one not in overlay.gone}
        items = [(one, item) for one, (_, item) in sorted(known.items(), key=lambda each: (each[1][0], each[0]))]
        return items if limit is None else items[max(0, len(items) - limit) :]

    def _add(self, items: list[Item]) -> None:
        events = [event for item in items if (event := _event_of(item)) is not None]
        if not events:
            return
        moment = max(datetime.now(UTC), self._overlay.latest + _TICK)
        for event in events:
            event |= {"conversation": self.session_id, "event_id": uuid7()}
            event["occurred_at"] = moment.astimezone(self._zone)
            if self._injected and event["role"] != Role.USER:  # the user speaks before notes are read
                event["injected"] = self._injected
            moment += _TICK
        self._namespace.session.publish_all(events)
        self._overlay.latest = moment
        for event in events:
            item = _item_of(event["role"], redact_json(event["content"]) or "", redact_json(event["metadata"]))
            self._overlay.added[event["event_id"]] = (event["occurred_at"], item)

    def _pop(self) -> Item | None:
        for message_id, item in reversed(self._read(1)):
            self._namespace.messages.erase(message_id)
            self._forget(message_id)
            return item
        return None

    def _clear(self) -> None:
        shown = [message_id for message_id, _ in self._read()]
        if shown:
            self._namespace.erase(conversation=self.session_id)
            self._forget(*shown)

    def _forget(self, *messages: UUID) -> None:
        for message_id in messages:
            self._overlay.added.pop(message_id, None)
        self._overlay.gone |= dict.fromkeys(messages)


_OF_ENGINES: WeakKeyDictionary[Engine, dict[tuple[tuple[str, ...], str], _Overlay]] = WeakKeyDictionary()


def _event_of(item: Item) -> dict[str, Any] | None:
    """An item as a message; None for one that cannot be kept as it is, such as encrypted thoughts, which read as secrets."""
    kind = item.get("type", "message")
    event: dict[str, Any] = {"type": "message", "role": Role.TOOL, "content": ""}
    if kind == "message" and item.get("role") in _ROLES:
        event["role"] = _ROLES[item["role"]]
    elif kind == "function_call":
        call = tool_call(item.get("call_id"), item.get("name"), item.get("arguments"))
        event |= {"role": Role.ASSISTANT, "content": None, "tool_calls": [call]}
    elif kind == "function_call_output":
        event["tool_call_id"] = item.get("call_id")
    places: list[list[Any]] = list(_words_in(item))
    metadata: dict[str, Any] = {_ITEM: item}
    if len(places) == 1:
        *path, last = places[0]
        metadata = {_ITEM: deepcopy(item), _WORDS: places[0]}
        holder = reduce(getitem, path, metadata[_ITEM])
        event["content"], holder[last] = storable(holder[last]), ""
    elif places:
        event["content"] = storable("\n".join(str(reduce(getitem, place, item)) for place in places))
    silent = not places and kind != "function_call"
    if len(str(metadata)) > MAX_METADATA_BYTES or (silent and redact_json(metadata) != metadata):
        _log.warning("an item of type %s is not kept: it is too large, or reads as a secret", kind)
        return None
    return event | {"metadata": metadata}


_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM, "developer": Role.SYSTEM}


def _words_in(item: Any) -> Iterator[list[Any]]:
    """Where an item's words stand: the keys that lead there."""
    for name in ("content", "output"):
        value = item.get(name)
        if isinstance(value, str):
            yield [name]
        elif isinstance(value, list):
            parts = (number for number, part in enumerate(value) if isinstance(part, Mapping) and is_text(part))
            yield from ([name, number, "text"] for number in parts if isinstance(value[number].get("text"), str))


def _item_of(role: str, content: str, metadata: Mapping[str, Any]) -> Item:
    """A message as an item; one that no session of the SDK published as a plain message."""
    if _ITEM not in metadata:
        return {"role": role, "content": content}
    item: Item = deepcopy(metadata[_ITEM])
    if _WORDS in metadata:
        *path, last = metadata[_WORDS]
        reduce(getitem, path, item)[last] = content
    return item
