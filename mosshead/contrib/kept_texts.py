"""`KeptTexts`: texts by key, each in its own document, for extras that store files or items.

This process reads its own writes at once; other processes read them once the service has applied them.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2s
from typing import Any, Literal
from weakref import WeakKeyDictionary

from sqlalchemy import Engine

from mosshead.api.namespace import Namespace
from mosshead.bridge import apart
from mosshead.errors import InvalidEvent, NotFound
from mosshead.models.memories import Decision
from mosshead.redaction import redact_json
from mosshead.safety import instructs, suspicion_of
from mosshead.store import documents
from mosshead.store.pending import Pending

_MOST_WAITING = 1_000

_A_PHRASE = 4
"""Minimum number of words for judging a part of a text by itself."""

_WORD = re.compile(r"[^\W_]+")

_REMOVED: Mapping[str, Any] = {"name": None, "text": None, "held": None}


@dataclass(frozen=True, slots=True)
class HeldText:
    """A text that is set aside because it seems to steer a model. reason: the guard's, which quotes nothing."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class _Waiting:
    """This process's change to a document, and when it is in effect."""

    patch: Mapping[str, Any]
    pending: Pending


class KeptTexts:
    """The texts of one kind in a namespace. Cheap to make; safe to share between threads. Works across a bridge, too.

    The guard judges what is written. A text that it holds is set aside: the key keeps its previous text, `held` shows the new one
    to the app, and `release` accepts it.
    """

    def __init__(
        self,
        namespace: Namespace,
        kind: str,
        *,
        by: Literal["tool"] | None = None,
        said: Callable[[str], Iterable[str]] = lambda text: (text,),
    ) -> None:
        """kind: at most 20 letters, digits and underscores. by: who writes. said: the parts of a text that the guard judges."""
        self.namespace = namespace
        self._prefix, self._by, self._said = f"kept_{kind}_", by, said
        self._waiting = _OF_ENGINES.setdefault(namespace.session.engine, {})

    def read(self, keys: Iterable[str] | None = None) -> dict[str, str]:
        """Return the texts by key, in the order of the keys; optionally only those of some keys. Raises StoreUnavailable."""
        bodies = self._bodies(keys)
        return {key: body["text"] for key, body in bodies.items() if body.get("text") is not None}

    def held(self, keys: Iterable[str] | None = None) -> dict[str, HeldText]:
        """Return the latest held text of each key; optionally only those of some keys. Raises StoreUnavailable."""
        return {key: HeldText(**body["held"]) for key, body in self._bodies(keys).items() if body.get("held")}

    def write(self, changes: Mapping[str, str | None]) -> dict[str, str]:
        """Set texts, or remove those that are None, all or none. Return the held ones, by key, with the reason.

        A text stays held until the key accepts a text. Secrets are removed before the spool (see `redacted`). Raises InvalidEvent
        if a key looks like a secret or an instruction, or a text exceeds 16 KiB, and otherwise as `Namespace.publish`.
        """
        patches = apart(lambda: {key: self._patch(key, text) for key, text in changes.items()})
        self._publish(patches)
        return {key: patch["held"]["reason"] for key, patch in patches.items() if patch.get("held")}

    def move(self, moves: Mapping[str, str]) -> None:
        """Rename the keys of texts, including held ones. Nothing is judged again. Raises as `write`."""
        bodies = self._bodies(moves)
        there = {moves[key]: {**_REMOVED, **body, "name": _checked(moves[key])} for key, body in bodies.items()}
        self._publish({**dict.fromkeys(bodies, _REMOVED), **there})

    def release(self, key: str) -> None:
        """Accept the text held under a key. Raises NotFound if there is none, and otherwise as `Namespace.publish`."""
        held = self.held([key]).get(key)
        if held is None:
            raise NotFound("key: nothing is held under it; held() lists the held texts")
        self._publish({key: {"name": key, "text": held.text, "held": None}})

    def decisions(self, keys: Iterable[str]) -> list[Decision]:
        """List the decisions about the texts of some keys, newest first; `Namespace.undo` undoes one."""
        found = [one for key in keys for one in self.namespace.documents.decisions(self.name(key))]
        return sorted(found, key=lambda one: one.decided_at, reverse=True)

    def name(self, key: str) -> str:
        """Return the name of the document that holds a key's text."""
        return f"{self._prefix}{blake2s(key.encode(), digest_size=16).hexdigest()}"

    @staticmethod
    def redacted(text: str) -> str:
        """Return a text as it is stored, without secrets."""
        return str(redact_json(text))

    def _bodies(self, keys: Iterable[str] | None = None) -> dict[str, Mapping[str, Any]]:
        """Return the documents' bodies by key, including this process's writes."""
        names = None if keys is None else [self.name(key) for key in keys]
        session, path = self.namespace.session, self.namespace.path.parts
        waiting = {place: one for place, one in tuple(self._waiting.items()) if place[0] == path}
        if waiting:
            progress = session.progress()  # read first: the documents then contain whatever took effect meanwhile
            for place in [place for place, one in waiting.items() if one.pending.in_effect(progress)]:
                waiting.pop(place)
                self._waiting.pop(place, None)
        rows = session.fetch(documents.documents, names=names, prefix=self._prefix)
        bodies: dict[str, Mapping[str, Any]] = {row.schema_name: row.body for row in rows}
        for (_, name), one in waiting.items():
            if name.startswith(self._prefix) and (names is None or name in names):
                bodies[name] = {**bodies.get(name, {}), **one.patch}
        named = {body["name"]: body for body in bodies.values() if body.get("name") is not None}
        return dict(sorted(named.items()))

    def _patch(self, key: str, text: str | None) -> Mapping[str, Any]:
        """Return the document patch that stores a text."""
        if text is None:
            return {"text": None}
        kept, name = self.redacted(text), _checked(key)
        if reason := self._suspicion(kept):
            return {"name": name, "held": {"text": kept, "reason": reason}}
        return {"name": name, "text": kept, "held": None}

    def _suspicion(self, text: str) -> str | None:
        said = list(self._said(text))
        parts = [one for one in said if len(one.split()) >= _A_PHRASE] if len(said) > 1 else []
        return next((why for one in ("\n".join(said), *parts) if (why := suspicion_of(one, "", ()))), None)

    def _publish(self, patches: Mapping[str, Mapping[str, Any]]) -> None:
        session, path = self.namespace.session, self.namespace.path.parts
        session.publish_all([self._edit(key, patch) for key, patch in patches.items()])
        numbers = session.published()
        for key, patch in patches.items():
            place = (path, self.name(key))
            before = self._waiting.pop(place, None)  # to put it last
            whole = {**before.patch, **patch} if before else patch
            self._waiting[place] = _Waiting(whole, Pending(memory=None, closes={}, numbers=numbers))
        for place in tuple(self._waiting)[:-_MOST_WAITING]:
            self._waiting.pop(place, None)

    def _edit(self, key: str, patch: Mapping[str, Any]) -> dict[str, object]:
        return {"type": "edit_document", "document": self.name(key), "patch": patch, "by": self._by}


def _checked(key: str) -> str:
    """Check that a key may be shown to a model in a list. Raises InvalidEvent."""
    if (shown := KeptTexts.redacted(key)) != key:
        raise InvalidEvent(f"key: {shown!r} looks like a secret; choose another")
    if instructs(" ".join(_WORD.findall(key))):
        raise InvalidEvent("key: looks like an instruction; choose another")
    return key


_OF_ENGINES: WeakKeyDictionary[Engine, dict[tuple[tuple[str, ...], str], _Waiting]] = WeakKeyDictionary()
"""The waiting changes of each `Memory`, by namespace and document. Every step is one dict operation and needs no lock."""
