"""Recollect: the long-term memory of chat apps.

    from recollect import Memory

    memory = Memory.connect()
    sarah = memory.namespace("acme", "sarah_123")
    sarah.publish("I just moved to Seattle", role="user", conversation="c1")
    sarah.query("Where does she live?")

Publishing goes to a local spool and returns at once; reading is synchronous and calls no LLM. Everything in ``__all__`` is
public, and a change to it stands in the changelog.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from recollect.decisions import Considered, Decision, Related
from recollect.errors import (
    AmbiguousName,
    ConfigurationError,
    DocumentConflict,
    EmbedderMismatch,
    EmbedderUnavailable,
    InvalidEvent,
    InvalidNamespace,
    MemoryChanged,
    ModelMissing,
    NotFound,
    PromptConflict,
    QueueUnavailable,
    ReadTimeout,
    RecollectError,
    RecordMisfit,
    SpoolFull,
    SpoolUnavailable,
    StoreMismatch,
    StoreUnavailable,
    UndoRefused,
    WaitTimeout,
)
from recollect.kinds import EntityType, Granularity, MemoryKind, Role
from recollect.memory import Memory
from recollect.namespace import Namespace
from recollect.namespaces import values
from recollect.results import Entity, Hit, Hits, Occurrence, Profile, Progress, Source, StoredMemory

if TYPE_CHECKING:
    from recollect.asking import Candidate, Question
    from recollect.documents import Document, Record, StoredDocument
    from recollect.erasing import Receipt
    from recollect.graph import Neighbour
    from recollect.importing import Imported
    from recollect.injection import with_memory
    from recollect.json_values import to_json
    from recollect.mentions import Mention, MentionKind
    from recollect.prefixes import HitIn, Under
    from recollect.prompts.stored import StoredPrompt
    from recollect.reading.contexts import Context, Explanation
    from recollect.reading.found import StoredMessage
    from recollect.reading.recalled import Excerpt, Recalled, RecalledMessage
    from recollect.reading.reranking import Reranker
    from recollect.resolving import Resolved
    from recollect.stories.intents import StoryIntent
    from recollect.stories.story import Story, StoryEvidence, StorySentence
    from recollect.summaries import Summary
    from recollect.tracking import InFocus, Referring, Tracked, TrackedTurn
    from recollect.working import WorkingMemory

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
    "RecollectError",
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
    "recollect.asking": "Candidate Question",
    "recollect.documents": "Document Record StoredDocument",
    "recollect.erasing": "Receipt",
    "recollect.graph": "Neighbour",
    "recollect.importing": "Imported",
    "recollect.injection": "with_memory",
    "recollect.json_values": "to_json",
    "recollect.mentions": "Mention MentionKind",
    "recollect.prefixes": "HitIn Under",
    "recollect.prompts.stored": "StoredPrompt",
    "recollect.reading.contexts": "Context Explanation",
    "recollect.reading.found": "StoredMessage",
    "recollect.reading.recalled": "Excerpt Recalled RecalledMessage",
    "recollect.reading.reranking": "Reranker",
    "recollect.resolving": "Resolved",
    "recollect.stories.intents": "StoryIntent",
    "recollect.stories.story": "Story StoryEvidence StorySentence",
    "recollect.summaries": "Summary",
    "recollect.tracking": "InFocus Referring Tracked TrackedTurn",
    "recollect.working": "WorkingMemory",
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
