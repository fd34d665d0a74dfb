"""`MemorySession`: an OpenAI Agents SDK session with memory, stored as a conversation's messages.

It implements the SDK's protocol ``Session`` without importing the SDK. An item is a message of the conversation (`agents_items`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

from sqlalchemy import Engine

from mosshead.api.memory import warm_up
from mosshead.api.namespace import Namespace
from mosshead.arguments import checked_conversation, checked_limit, checked_seconds
from mosshead.bridge import Bridge, across, apart, run_across
from mosshead.contrib.agents_items import ITEM, Item, event_of, item_of
from mosshead.contrib.openai_client.apis import Responses, plain, text_of
from mosshead.contrib.openai_client.calls import Call, Face, Injection, wait_async, warm_up_reads
from mosshead.ids import uuid7
from mosshead.models.context import Context
from mosshead.models.kinds import Role
from mosshead.redaction import redact_json
from mosshead.store.connection import OF_NAMESPACE, Sql

_TICK, _LONG_AGO = timedelta(microseconds=1), datetime.min.replace(tzinfo=UTC)

_MOST_SESSIONS = 1_000


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
        namespace: Face,
        *,
        zone: tzinfo = UTC,
        budget: int = 800,
        timeout: float = 0.3,
        on_error: Callable[[Exception], object] | None = None,
    ) -> None:
        """session_id: the conversation. namespace: an async one is read in the event loop, a synchronous one in a thread.

        zone, budget, timeout, on_error: as for ``with_memory`` (docs/how-to/openai-client.md).
        Raises ValueError, which names the invalid argument.
        """
        self.session_id = session_id
        self.session_settings: Any = None
        if not checked_conversation(session_id):
            raise ValueError("session_id: is empty; pass the name of the conversation")
        self._namespace: Namespace
        self._bridge: Bridge | None
        self._namespace, self._bridge = across(namespace)
        self._zone = zone
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
        overlays = _OF_ENGINES.setdefault(self._namespace.session.engine, {})
        self._overlay = overlays.setdefault((self._namespace.path.parts, session_id), _Overlay())
        for place in tuple(overlays)[:-_MOST_SESSIONS]:
            overlays.pop(place, None)
        if isinstance(namespace, Namespace):  # an async one was loaded when it connected
            warm_up(namespace.session.embedder)
            warm_up_reads(namespace)

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Read the items in order. limit: Only the latest ones. Raises StoreUnavailable."""
        most = getattr(self.session_settings, "limit", None) if limit is None else limit
        return [item for _, item in await run_across(self._bridge, lambda: self._read(most))]

    async def add_items(self, items: list[Any]) -> None:
        """Publish items as messages of the conversation. For errors see `Namespace.publish`."""
        await run_across(self._bridge, lambda: self._add([plain(item) for item in items]))

    async def pop_item(self) -> Any:
        """Permanently erase the latest item and everything derived from it alone. Return it, or None if there is none."""
        return await run_across(self._bridge, self._pop)

    async def clear_session(self) -> None:
        """Permanently erase the conversation and everything derived from it alone. A new chat only needs a new ``session_id``."""
        await run_across(self._bridge, self._clear)

    async def remind(self, data: Any) -> Any:
        """Put notes into the input of a model call; a ``call_model_input_filter``. The notes are not stored in the session."""
        given = data.model_data
        call = Call(self._injection, Responses(), {"input": given.input, "instructions": given.instructions})
        said = [number for number, item in enumerate(given.input) if plain(item).get("role") == Role.USER]
        asked = (said[-1], text_of(plain(given.input[said[-1]]).get("content"))) if said else None
        # All calls of a turn, with tools in between, get the same notes, to keep the provider's prompt cache valid.
        if self._turn[0] != asked and (reading := call.recall_async()) is not None:
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
                  and (metadata ? '{ITEM}' or role <> 'tool' and content <> '')
                order by said_at desc, message_id desc limit %(limit)s
            """).rows(connection, self._namespace.path.ids, conversation=self.session_id, limit=most)
        stored = {row.message_id: (row.said_at, item_of(row.role, row.content, row.metadata)) for row in rows}
        for message_id in stored.keys() & added.keys():
            overlay.added.pop(message_id, None)
        known = {one: item for one, item in (added | stored).items() if one not in overlay.gone}
        items = [(one, item) for one, (_, item) in sorted(known.items(), key=lambda each: (each[1][0], each[0]))]
        return items if limit is None else items[max(0, len(items) - limit) :]

    def _add(self, items: list[Item]) -> None:
        events = apart(lambda: [event for item in items if (event := event_of(item)) is not None])
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
        kept = apart(
            lambda: [(redact_json(event["content"]) or "", redact_json(event["metadata"])) for event in events]
        )
        for event, (content, metadata) in zip(events, kept, strict=True):
            self._overlay.added[event["event_id"]] = (event["occurred_at"], item_of(event["role"], content, metadata))

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
