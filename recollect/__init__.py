"""Recollect: the long-term memory of chat apps.

    from recollect import Memory

    memory = Memory.connect()
    sarah = memory.namespace("acme", "sarah_123")
    sarah.publish("I just moved to Seattle", role="user", conversation="c1")
    sarah.query("Where does she live?")

Publishing goes to a local spool and returns at once; reading is synchronous and calls no LLM. Everything in ``__all__`` is
public, and a change to it stands in the changelog.
"""

from recollect.asking import Candidate, Question
from recollect.decisions import Considered, Decision, Related
from recollect.documenting import Document, Record
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
    QueueUnavailable,
    ReadTimeout,
    RecollectError,
    RecordMisfit,
    SpoolFull,
    SpoolUnavailable,
    StoreUnavailable,
    UndoRefused,
    WaitTimeout,
)
from recollect.graph import Neighbour
from recollect.importing import Imported
from recollect.injection import with_memory
from recollect.kinds import EntityType, Granularity, MemoryKind, Role
from recollect.memory import Memory
from recollect.mentions import Mention, MentionKind
from recollect.namespace import Namespace
from recollect.namespaces import values
from recollect.prefixes import HitIn, Under
from recollect.reading.contexts import Context, Explanation
from recollect.reading.found import StoredMessage
from recollect.reading.recalled import Excerpt, Recalled, RecalledMessage
from recollect.resolving import Resolved
from recollect.results import Entity, Hit, Hits, Occurrence, Profile, Progress, Source, StoredMemory
from recollect.tracking import InFocus, Referring, Tracked, TrackedTurn

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
    "Question",
    "QueueUnavailable",
    "ReadTimeout",
    "Recalled",
    "RecalledMessage",
    "RecollectError",
    "Record",
    "RecordMisfit",
    "Referring",
    "Related",
    "Resolved",
    "Role",
    "Source",
    "SpoolFull",
    "SpoolUnavailable",
    "StoreUnavailable",
    "StoredMemory",
    "StoredMessage",
    "Tracked",
    "TrackedTurn",
    "Under",
    "UndoRefused",
    "WaitTimeout",
    "values",
    "with_memory",
]
