"""`KeptTexts`: texts by key, each in a document of its own, for extras that keep files or items.

This process reads its own writes at once; other processes read them once the service has applied them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2s
from uuid import UUID
from weakref import WeakKeyDictionary

from sqlalchemy import Engine

from mosshead.api.namespace import Namespace
from mosshead.errors import InvalidEvent
from mosshead.models.documents import KEPT
from mosshead.models.memories import Decision
from mosshead.redaction import redact_json
from mosshead.store import documents
from mosshead.store.pending import Pending

_MOST_WAITING = 1_000


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A text that this process wrote, or removed (None), and when that is in effect."""

    key: str
    text: str | None
    pending: Pending


class KeptTexts:
    """The texts of one kind in a namespace. Cheap to make; safe to share between threads."""

    def __init__(self, namespace: Namespace, kind: str) -> None:
        """kind: letters, figures and underscores, at most 20."""
        self.namespace = namespace
        self._prefix = f"{KEPT}{kind}_"
        self._waiting = _OF_ENGINES.setdefault(namespace.session.engine, {})

    def read(self, keys: Iterable[str] | None = None) -> dict[str, str]:
        """Return the texts by key, in the order of the keys, or those of some keys alone. Raises StoreUnavailable."""
        names = None if keys is None else [self.name(key) for key in keys]
        session, path = self.namespace.session, self.namespace.path.parts
        waiting = {place: one for place, one in tuple(self._waiting.items()) if place[0] == path}
        if waiting:
            progress = session.progress()  # first: what is in effect by then, the documents say
            for place in [place for place, one in waiting.items() if one.pending.in_effect(progress)]:
                waiting.pop(place)
                self._waiting.pop(place, None)
        bodies = [row.body for row in session.fetch(documents.documents, names=names, prefix=self._prefix)]
        texts: dict[str, str | None] = {body["name"]: body["text"] for body in bodies if "text" in body}
        waits = {name: one for (_, name), one in waiting.items() if name.startswith(self._prefix)}
        texts |= {one.key: one.text for name, one in waits.items() if names is None or name in names}
        return {key: text for key, text in sorted(texts.items()) if text is not None}

    def write(self, changes: Mapping[str, str | None]) -> list[UUID]:
        """Set texts, or remove those that are None, all or none; returns the ids of the edits, which `Namespace.undo` takes.

        Secrets are taken out before the spool (`redacted` says how). Raises InvalidEvent where a key reads as a secret or a text
        is beyond 16 KiB, and otherwise as `Namespace.publish`.
        """
        if secret := next((key for key in changes if self.redacted(key) != key), None):
            raise InvalidEvent(f"key: {self.redacted(secret)!r} reads as a secret; choose another")
        texts = {key: None if text is None else self.redacted(text) for key, text in changes.items()}
        session = self.namespace.session
        ids = session.publish_all([self._edit(key, text) for key, text in texts.items()])
        numbers = session.published()
        for key, text in texts.items():
            place = (self.namespace.path.parts, self.name(key))
            self._waiting.pop(place, None)  # to stand last
            self._waiting[place] = _Waiting(key, text, Pending(memory=None, closes={}, numbers=numbers))
        for place in tuple(self._waiting)[:-_MOST_WAITING]:
            self._waiting.pop(place, None)
        return ids

    def decisions(self, keys: Iterable[str]) -> list[Decision]:
        """List what was decided about the texts of some keys, newest first; `Namespace.undo` takes one back."""
        found = [one for key in keys for one in self.namespace.documents.decisions(self.name(key))]
        return sorted(found, key=lambda one: one.decided_at, reverse=True)

    def name(self, key: str) -> str:
        """Return the name of the document that holds a key's text."""
        return f"{self._prefix}{blake2s(key.encode(), digest_size=16).hexdigest()}"

    @staticmethod
    def redacted(text: str) -> str:
        """Return a text as it is kept, without secrets."""
        return str(redact_json(text))

    def _edit(self, key: str, text: str | None) -> dict[str, object]:
        patch = {"name": None if text is None else key, "text": text}
        return {"type": "edit_document", "document": self.name(key), "patch": patch}


_OF_ENGINES: WeakKeyDictionary[Engine, dict[tuple[tuple[str, ...], str], _Waiting]] = WeakKeyDictionary()
"""What waits of each `Memory`, by namespace and document. Every step is one operation on a dict, so that it needs no lock."""
