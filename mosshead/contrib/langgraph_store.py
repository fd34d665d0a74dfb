"""`MossheadStore`: a LangGraph store whose items are documents of a namespace.

Each batch is answered by LangGraph's own `InMemoryStore`, filled with the stored items; it handles filters, wildcards and pages.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import numpy as np
from langchain_core.embeddings import Embeddings
from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchOp,
    ensure_embeddings,
)
from langgraph.store.memory import InMemoryStore

from mosshead.api.namespace import Namespace
from mosshead.bridge import Bridge, across, apart, crossed, run_across
from mosshead.contrib.kept_texts import HeldText, KeptTexts
from mosshead.contrib.openai_client.calls import Face
from mosshead.errors import InvalidEvent
from mosshead.models.memories import Decision
from mosshead.safety import texts_in

Place = tuple[tuple[str, ...], str]
"""LangGraph's namespace, and a key in it."""

Kept = dict[str, Any]
"""An item as stored."""

_T = TypeVar("_T")

_MOST_VECTORS = 10_000


class MossheadStore(BaseStore):
    """A store for ``graph.compile(store=…)``. All LangGraph namespaces are stored in one Mosshead namespace.

    Each change is an edit of a document, which `Namespace.undo` takes back. Items do not expire: there is no TTL. With an
    `AsyncNamespace`, only the async methods work (``aget``, ``aput``, …).
    """

    supports_ttl = False

    def __init__(self, namespace: Face, *, index: IndexConfig | None = None) -> None:
        """index: As for LangGraph's stores; by default the namespace's embedder, over whole values."""
        straight: Namespace
        self._bridge: Bridge | None
        straight, self._bridge = across(namespace)
        self._texts = KeptTexts(straight, "items", said=_said)
        embedder = straight.session.embedder

        def embed(texts: Sequence[str]) -> list[list[float]]:
            return list(embedder.embed(list(texts)))  # as arrays

        self.index_config: IndexConfig = index or {"embed": embed, "fields": ["$"]}
        self._embeddings = _CachedEmbeddings(ensure_embeddings(self.index_config["embed"]))

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations; reads see the state before the writes.

        Raises StoreUnavailable, and InvalidEvent: for an invalid item (nothing is stored), and for a held one (the others are
        stored).
        """
        if self._bridge and not crossed():
            raise TypeError("namespace: an AsyncNamespace is awaited; use aget, aput, asearch, …")
        given = [
            op._replace(namespace_prefix=tuple(op.namespace_prefix)) if isinstance(op, SearchOp) else op for op in ops
        ]
        reads = [op for op in given if not isinstance(op, PutOp)]
        puts = {(op.namespace, op.key): op for op in given if isinstance(op, PutOp)}
        named = [_name(op.namespace, op.key) for op in given if isinstance(op, GetOp | PutOp)]
        items = self._items(named if len(named) == len(given) else None)
        read = iter(apart(lambda: self._read(reads, items)))
        self._write(puts, items)
        return [None if isinstance(op, PutOp) else next(read) for op in given]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`, without blocking the event loop."""
        return await self._across(lambda: self.batch(ops))

    def decisions(self, namespace: tuple[str, ...], key: str) -> list[Decision]:
        """List the changes of an item, newest first. `Namespace.undo` reverts one."""
        return self._texts.decisions([_name(namespace, key)])

    def held(self) -> dict[Place, HeldText]:
        """Return the items that the guard held, by namespace and key: the last one put there, as JSON."""
        return {_place(name): one for name, one in self._texts.held().items()}

    def release(self, namespace: tuple[str, ...], key: str) -> None:
        """Accept a held item. Raises NotFound if there is none."""
        self._texts.release(_name(namespace, key))

    async def adecisions(self, namespace: tuple[str, ...], key: str) -> list[Decision]:
        """As `decisions`."""
        return await self._across(lambda: self.decisions(namespace, key))

    async def aheld(self) -> dict[Place, HeldText]:
        """As `held`."""
        return await self._across(self.held)

    async def arelease(self, namespace: tuple[str, ...], key: str) -> None:
        """As `release`."""
        await self._across(lambda: self.release(namespace, key))

    async def _across(self, call: Callable[[], _T]) -> _T:
        return await run_across(self._bridge, call)

    def _items(self, names: list[str] | None) -> dict[Place, Kept]:
        """Return the stored items, oldest first. names: Only these."""
        items = [json.loads(text) for text in self._texts.read(names).values()]
        items.sort(key=lambda item: str(item["created_at"]))
        return {(tuple(item["of"][:-1]), item["of"][-1]): item for item in items}

    def _read(self, reads: Sequence[Op], items: dict[Place, Kept]) -> list[Result]:
        """Return the answer of an `InMemoryStore` with the items."""
        sought = [op.namespace_prefix for op in reads if isinstance(op, SearchOp) and op.query]
        store = InMemoryStore(index={**self.index_config, "embed": self._embeddings} if sought else None)

        for place, item in items.items():
            is_sought = any(place[0][: len(prefix)] == prefix for prefix in sought)
            put = PutOp(*place, item["value"], index=item["index"] if is_sought else False)
            try:
                store.batch([put])
            except ValueError:  # fields that mean the whole value; the store does not accept them
                store.batch([put._replace(index=[""])])
        # Namespaces first: an in-memory store creates one when asked for it.
        answers = {
            id(op): store.batch([op])[0] for op in sorted(reads, key=lambda op: not isinstance(op, ListNamespacesOp))
        }
        for answer in answers.values():
            for found in answer if isinstance(answer, list) else [answer]:
                if isinstance(found, Item):
                    item = items[found.namespace, found.key]
                    found.created_at = datetime.fromisoformat(item["created_at"])
                    found.updated_at = datetime.fromisoformat(item["updated_at"])
        return [answers[id(op)] for op in reads]

    def _write(self, puts: dict[Place, PutOp], items: dict[Place, Kept]) -> None:
        now, changes = datetime.now(UTC).isoformat(), dict[str, str | None]()
        for place, op in puts.items():
            before = items.get(place)
            if op.value is not None:
                times = {"created_at": before["created_at"] if before else now, "updated_at": now}
                item = {"of": [*op.namespace, op.key], "value": op.value, "index": op.index, **times}
                changes[_name(*place)] = json.dumps(item, ensure_ascii=False)
            elif before:
                changes[_name(*place)] = None
        held = self._texts.write(changes) if changes else {}
        if held:
            reasons = ", ".join(dict.fromkeys(held.values()))
            raise InvalidEvent(
                f"value: {reasons}; it is set aside: held() shows it, and release(namespace, key) lets it in"
            )


class _CachedEmbeddings(Embeddings):
    """Caches the vectors of the latest texts."""

    def __init__(self, inner: Embeddings) -> None:
        self._inner = inner
        self._vectors: dict[str, Any] = {}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        kept = {text: vector for text in texts if (vector := self._vectors.get(text)) is not None}
        if missing := [text for text in dict.fromkeys(texts) if text not in kept]:
            fresh = (np.asarray(vector, dtype=np.float32) for vector in self._inner.embed_documents(missing))
            kept |= dict(zip(missing, fresh, strict=True))
            self._vectors |= kept
            for text in tuple(self._vectors)[:-_MOST_VECTORS]:
                self._vectors.pop(text, None)
        return [kept[text] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self._inner.embed_query(text)


def _said(item: str) -> Iterable[str]:
    return texts_in(json.loads(item)["value"])


def _name(namespace: tuple[str, ...], key: str) -> str:
    return json.dumps([*namespace, key], ensure_ascii=False)


def _place(name: str) -> Place:
    *namespace, key = json.loads(name)
    return tuple(namespace), key
