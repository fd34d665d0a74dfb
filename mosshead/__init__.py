"""Mosshead: the long-term memory of chat apps.

    from mosshead import Memory

    memory = Memory.connect()
    sarah = memory.namespace("acme", "sarah_123")
    sarah.publish("I just moved to Seattle", role="user", conversation="c1")
    sarah.query("Where does she live?")

Publishing writes to a local spool and returns at once; reading calls no LLM. `AsyncMemory` is the asyncio version. Everything
in ``__all__`` is public; the changelog lists every change to it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from mosshead.errors import (
    AmbiguousName,
    ConfigurationError,
    DocumentConflict,
    EmbedderMismatch,
    EmbedderUnavailable,
    InvalidEvent,
    InvalidNamespace,
    MemoryChanged,
    ModelMissing,
    MossheadError,
    NotFound,
    PromptConflict,
    ReadTimeout,
    SchemaMismatch,
    SchemaOutdated,
    SpoolFull,
    SpoolUnavailable,
    StoreUnavailable,
    UndoRefused,
    WaitTimeout,
)

if TYPE_CHECKING:
    from mosshead.api.async_memory import AsyncMemory
    from mosshead.api.async_namespace import AsyncNamespace
    from mosshead.api.erasures import Receipt
    from mosshead.api.groups import NamespacedHit, NamespaceGroup
    from mosshead.api.memory import Memory
    from mosshead.api.namespace import Namespace
    from mosshead.entities.resolution import Resolution
    from mosshead.models.context import Context, Excerpt, MessageHits
    from mosshead.models.documents import Document, Record, StoredDocument
    from mosshead.models.kinds import EntityType, Granularity, MemoryKind, Role
    from mosshead.models.memories import (
        Decision,
        DecisionCandidate,
        Entity,
        Hit,
        Hits,
        Occurrence,
        Profile,
        Progress,
        Source,
        StoredMemory,
    )
    from mosshead.models.messages import StoredMessage
    from mosshead.models.questions import Candidate, Question
    from mosshead.paths import values
    from mosshead.search.rerank import Reranker
    from mosshead.serialization import to_json
    from mosshead.store.entities import Neighbour

__version__ = "0.1.0"

__all__ = [
    "AmbiguousName",
    "AsyncMemory",
    "AsyncNamespace",
    "Candidate",
    "ConfigurationError",
    "Context",
    "Decision",
    "DecisionCandidate",
    "Document",
    "DocumentConflict",
    "EmbedderMismatch",
    "EmbedderUnavailable",
    "Entity",
    "EntityType",
    "Excerpt",
    "Granularity",
    "Hit",
    "Hits",
    "InvalidEvent",
    "InvalidNamespace",
    "Memory",
    "MemoryChanged",
    "MemoryKind",
    "MessageHits",
    "ModelMissing",
    "MossheadError",
    "Namespace",
    "NamespaceGroup",
    "NamespacedHit",
    "Neighbour",
    "NotFound",
    "Occurrence",
    "Profile",
    "Progress",
    "PromptConflict",
    "Question",
    "ReadTimeout",
    "Receipt",
    "Record",
    "Reranker",
    "Resolution",
    "Role",
    "SchemaMismatch",
    "SchemaOutdated",
    "Source",
    "SpoolFull",
    "SpoolUnavailable",
    "StoreUnavailable",
    "StoredDocument",
    "StoredMemory",
    "StoredMessage",
    "UndoRefused",
    "WaitTimeout",
    "to_json",
    "values",
]

_LATER = {
    "mosshead.api.async_memory": "AsyncMemory",
    "mosshead.api.async_namespace": "AsyncNamespace",
    "mosshead.api.erasures": "Receipt",
    "mosshead.api.groups": "NamespacedHit NamespaceGroup",
    "mosshead.api.memory": "Memory",
    "mosshead.api.namespace": "Namespace",
    "mosshead.entities.resolution": "Resolution",
    "mosshead.models.context": "Context Excerpt MessageHits",
    "mosshead.models.documents": "Document Record StoredDocument",
    "mosshead.models.kinds": "EntityType Granularity MemoryKind Role",
    "mosshead.models.memories": (
        "Decision DecisionCandidate Entity Hit Hits Occurrence Profile Progress Source StoredMemory"
    ),
    "mosshead.models.messages": "StoredMessage",
    "mosshead.models.questions": "Candidate Question",
    "mosshead.paths": "values",
    "mosshead.search.rerank": "Reranker",
    "mosshead.serialization": "to_json",
    "mosshead.store.entities": "Neighbour",
}
"""Names imported on first use, by module. Importing any submodule runs this file, and most processes need few of the names."""

if not TYPE_CHECKING:  # with `__getattr__`, a type checker would accept any name

    def __getattr__(name: str) -> object:
        module = next((module for module, names in _LATER.items() if name in names.split()), None)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = globals()[name] = getattr(import_module(module), name)
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
