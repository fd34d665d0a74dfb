"""Mosshead: the long-term memory of chat apps.

    from mosshead import Memory

    memory = Memory.connect()
    sarah = memory.namespace("acme", "sarah_123")
    sarah.publish("I just moved to Seattle", role="user", conversation="c1")
    sarah.query("Where does she live?")

Publishing goes to a local spool and returns at once; reading is synchronous and calls no LLM. Everything in ``__all__`` is
public, and a change to it stands in the changelog.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from mosshead.decisions import Considered, Decision, Related
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
    QueueUnavailable,
    ReadTimeout,
    RecordMisfit,
    SpoolFull,
    SpoolUnavailable,
    StoreMismatch,
    StoreUnavailable,
    UndoRefused,
    WaitTimeout,
)
from mosshead.kinds import EntityType, Granularity, MemoryKind, Role
from mosshead.memory import Memory
from mosshead.namespace import Namespace
from mosshead.namespaces import values
from mosshead.results import Entity, Hit, Hits, Occurrence, Profile, Progress, Source, StoredMemory

if TYPE_CHECKING:
    from mosshead.asking import Candidate, Question
    from mosshead.documents import Document, Record, StoredDocument
    from mosshead.erasing import Receipt
    from mosshead.graph import Neighbour
    from mosshead.importing import Imported
    from mosshead.injection import with_memory
    from mosshead.json_values import to_json
    from mosshead.mentions import Mention, MentionKind
    from mosshead.prefixes import HitIn, Under
    from mosshead.prompts.stored import StoredPrompt
    from mosshead.reading.contexts import Context, Explanation
    from mosshead.reading.found import StoredMessage
    from mosshead.reading.recalled import Excerpt, Recalled, RecalledMessage
    from mosshead.reading.reranking import Reranker
    from mosshead.resolving import Resolved
    from mosshead.stories.intents import StoryIntent
    from mosshead.stories.story import Story, StoryEvidence, StorySentence
    from mosshead.summaries import Summary
    from mosshead.tracking import InFocus, Referring, Tracked, TrackedTurn
    from mosshead.working import WorkingMemory

__version__ = "0.1.0"

__all__ = [
    "AmbiguousName",
    "Candidate",
    "ConfigurationError",
    "Considered",
    "Context",
    "Decision",
    "Document",
    "DocumentConflict",
    "EmbedderMismatch",
    "EmbedderUnavailable",
    "Entity",
    "EntityType",
    "Excerpt",
    "Explanation",
    "Granularity",
    "Hit",
    "HitIn",
    "Hits",
    "Imported",
    "InFocus",
    "InvalidEvent",
    "InvalidNamespace",
    "Memory",
    "MemoryChanged",
    "MemoryKind",
    "Mention",
    "MentionKind",
    "ModelMissing",
    "MossheadError",
    "Namespace",
    "Neighbour",
    "NotFound",
    "Occurrence",
    "Profile",
    "Progress",
    "PromptConflict",
    "Question",
    "QueueUnavailable",
    "ReadTimeout",
    "Recalled",
    "RecalledMessage",
    "Receipt",
    "Record",
    "RecordMisfit",
    "Referring",
    "Related",
    "Reranker",
    "Resolved",
    "Role",
    "Source",
    "SpoolFull",
    "SpoolUnavailable",
    "StoreMismatch",
    "StoreUnavailable",
    "StoredDocument",
    "StoredMemory",
    "StoredMessage",
    "StoredPrompt",
    "Story",
    "StoryEvidence",
    "StoryIntent",
    "StorySentence",
    "Summary",
    "Tracked",
    "TrackedTurn",
    "Under",
    "UndoRefused",
    "WaitTimeout",
    "WorkingMemory",
    "to_json",
    "values",
    "with_memory",
]

_LATER = {
    "mosshead.asking": "Candidate Question",
    "mosshead.documents": "Document Record StoredDocument",
    "mosshead.erasing": "Receipt",
    "mosshead.graph": "Neighbour",
    "mosshead.importing": "Imported",
    "mosshead.injection": "with_memory",
    "mosshead.json_values": "to_json",
    "mosshead.mentions": "Mention MentionKind",
    "mosshead.prefixes": "HitIn Under",
    "mosshead.prompts.stored": "StoredPrompt",
    "mosshead.reading.contexts": "Context Explanation",
    "mosshead.reading.found": "StoredMessage",
    "mosshead.reading.recalled": "Excerpt Recalled RecalledMessage",
    "mosshead.reading.reranking": "Reranker",
    "mosshead.resolving": "Resolved",
    "mosshead.stories.intents": "StoryIntent",
    "mosshead.stories.story": "Story StoryEvidence StorySentence",
    "mosshead.summaries": "Summary",
    "mosshead.tracking": "InFocus Referring Tracked TrackedTurn",
    "mosshead.working": "WorkingMemory",
}
"""By module, the names that it is loaded for when one of them is first asked for: few apps use more than some of them."""

if not TYPE_CHECKING:  # a checker would take any name to be there

    def __getattr__(name: str) -> object:
        module = next((module for module, names in _LATER.items() if name in names.split()), None)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = globals()[name] = getattr(import_module(module), name)
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
