"""Everything that Mosshead raises on purpose.

    MossheadError
    ├── ConfigurationError      a setting is missing or wrong
    │   ├── EmbedderMismatch    the app embeds with another model than the service
    │   └── ModelMissing        the local embedding model is not installed
    ├── InvalidEvent            an event does not fit the schema (also a ValueError)
    ├── InvalidNamespace        a namespace path cannot be used (also a ValueError)
    ├── NotFound                no such memory, decision, entity or profile (also a LookupError)
    ├── AmbiguousName           several entities bear the name that was asked for (also a LookupError)
    ├── DocumentConflict        an edit is meant for another version of a document than there is (also a ValueError)
    ├── SchemaMismatch          what is stored does not fit the schema that it is read with (also a ValueError)
    ├── MemoryChanged           a memory says something else than what was read (also a ValueError)
    ├── PromptConflict          a prompt has another version than the one that was to be followed (also a ValueError)
    ├── UndoRefused             a decision cannot be taken back (also a ValueError)
    ├── QueueUnavailable        the event queue did not answer, or not take an event (the service)
    ├── SpoolFull               the spool holds as much as it may
    ├── SpoolUnavailable        the spool's file cannot be written or read
    ├── SignatureRefused        an event is not signed as its tenant's are (the service)
    ├── StoreUnavailable        Postgres, or the Redis of working memory, did not answer
    │   ├── SchemaOutdated      the database lacks what this version reads (also a ConfigurationError)
    │   └── ReadTimeout         a read did not end in time (also a TimeoutError)
    ├── EmbedderUnavailable     the embedding endpoint did not answer
    ├── ModelUnavailable        an LLM did not answer (`mosshead.llm.protocol`)
    ├── AnswerRefused           an LLM gave no usable answer (there, too)
    └── WaitTimeout             events are still being consolidated (also a TimeoutError)

Every message names the field or the setting at fault and what to do about it, and none carries text of a conversation.
"""


class MossheadError(Exception):
    """The root of all errors that Mosshead raises on purpose."""


class ConfigurationError(MossheadError):
    """A setting is missing or wrong."""


class EmbedderMismatch(ConfigurationError):
    """The app embeds with another model than the service; similarities between them would mean nothing."""


class ModelMissing(ConfigurationError):
    """The local embedding model is not installed."""


class EmbeddingRefused(ConfigurationError):
    """The embedding endpoint refused a request: a wrong model or wrong dimensions, or it cannot embed one of the texts."""


class InvalidEvent(MossheadError, ValueError):
    """An event does not fit the schema; nothing of it, nor of what was published with it, was sent."""


class InvalidNamespace(MossheadError, ValueError):
    """A namespace path is empty, has an unresolved template, or a part that cannot be stored."""


class NotFound(MossheadError, LookupError):
    """There is no such memory, decision, entity or profile in this namespace."""


class AmbiguousName(MossheadError, LookupError):
    """Several entities of the namespace bear this name; ask by id instead."""


class DocumentConflict(MossheadError, ValueError):
    """A document is at another version than the edit is meant for; nothing was published."""


class SchemaMismatch(MossheadError, ValueError):
    """A document or a record does not fit the schema that it is read with; the error names the fields."""


class MemoryChanged(MossheadError, ValueError):
    """A memory that is to be replaced says something else by now than at the version that was read."""


class PromptConflict(MossheadError, ValueError):
    """A prompt has another version by now than the one that the new text was to follow; read it, and decide again."""


class UndoRefused(MossheadError, ValueError):
    """A decision cannot be taken back: it is not in effect, or later ones build on it."""


class QueueUnavailable(MossheadError):
    """The event queue did not answer, or did not take an event. To an app it never comes: its spool waits."""


class SpoolFull(MossheadError):
    """The spool holds as much as it may; nothing of what was published together was stored."""


class SpoolUnavailable(MossheadError):
    """The spool's file cannot be written or read; nothing of what was published together was stored."""


class SignatureRefused(MossheadError):
    """An event is not signed, or not with a key of its tenant; the intake does not let it in."""


class StoreUnavailable(MossheadError):
    """Postgres, or the Redis of working memory, did not answer, or refused the login."""


class SchemaOutdated(StoreUnavailable, ConfigurationError):
    """The database has not what this version of the library reads, or the login may not read it."""


class ReadTimeout(StoreUnavailable, TimeoutError):
    """A read did not end within the time that it was given."""


class EmbedderUnavailable(MossheadError):
    """The embedding endpoint did not answer, or refused the key."""


class WaitTimeout(MossheadError, TimeoutError):
    """What was published is not consolidated yet; it is not lost, and a later ``wait`` can succeed."""
