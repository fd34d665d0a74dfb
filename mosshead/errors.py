"""The exceptions that Mosshead raises on purpose.

    MossheadError
    ├── ConfigurationError      a setting is missing or wrong
    │   ├── EmbedderMismatch    the app and the service use different embedding models
    │   └── ModelMissing        the local embedding model is not installed
    ├── InvalidEvent            an event does not match the schema (also a ValueError)
    ├── InvalidNamespace        a namespace path is invalid (also a ValueError)
    ├── NotFound                no such memory, decision, entity or profile (also a LookupError)
    ├── AmbiguousName           several entities share the requested name (also a LookupError)
    ├── DocumentConflict        the document has moved past the version being edited (also a ValueError)
    ├── SchemaMismatch          stored data does not match the schema used to read it (also a ValueError)
    ├── MemoryChanged           a memory's text has changed since it was read (also a ValueError)
    ├── PromptConflict          a prompt has moved past the version being replaced (also a ValueError)
    ├── UndoRefused             a decision cannot be undone (also a ValueError)
    ├── QueueUnavailable        the event queue did not answer or did not accept an event (service only)
    ├── SpoolFull               the spool has reached its size limit
    ├── SpoolUnavailable        the spool file cannot be read or written
    ├── SignatureRefused        an event is not signed with its tenant's key (service only)
    ├── StoreUnavailable        Postgres, or the Redis of working memory, did not answer
    │   ├── SchemaOutdated      the database schema is too old for this version (also a ConfigurationError)
    │   └── ReadTimeout         a read timed out (also a TimeoutError)
    ├── EmbedderUnavailable     the embedding endpoint did not answer
    ├── ModelUnavailable        an LLM did not answer (`mosshead.llm.protocol`)
    ├── AnswerRefused           an LLM gave no usable answer (`mosshead.llm.protocol`)
    └── WaitTimeout             events are still being consolidated (also a TimeoutError)

Every message names the field or setting at fault and says how to fix it. No message contains conversation text.
"""


class MossheadError(Exception):
    """Base class of the exceptions that Mosshead raises on purpose."""


class ConfigurationError(MossheadError):
    """A setting is missing or wrong."""


class EmbedderMismatch(ConfigurationError):
    """The app and the service use different embedding models, so their vectors cannot be compared."""


class ModelMissing(ConfigurationError):
    """The local embedding model is not installed."""


class EmbeddingRefused(ConfigurationError):
    """The embedding endpoint rejected a request: wrong model, wrong dimensions, or a text it cannot embed."""


class InvalidEvent(MossheadError, ValueError):
    """An event does not match the schema. Neither it nor any event published with it was sent."""


class InvalidNamespace(MossheadError, ValueError):
    """A namespace path is empty, has an unresolved template, or contains a part that cannot be stored."""


class NotFound(MossheadError, LookupError):
    """The namespace has no such memory, decision, entity or profile."""


class AmbiguousName(MossheadError, LookupError):
    """Several entities in the namespace share this name; pass an id instead."""


class DocumentConflict(MossheadError, ValueError):
    """The document is no longer at the version being edited; nothing was published."""


class SchemaMismatch(MossheadError, ValueError):
    """A stored document or record does not match the schema used to read it; the message names the fields."""


class MemoryChanged(MossheadError, ValueError):
    """The text of a memory being replaced has changed since the version that was read."""


class PromptConflict(MossheadError, ValueError):
    """A prompt is no longer at the version that the new text replaces; read it again before retrying."""


class UndoRefused(MossheadError, ValueError):
    """A decision cannot be undone: it is not in effect, or later decisions build on it."""


class QueueUnavailable(MossheadError):
    """The event queue did not answer or did not accept an event. Apps never see this: their events stay in the spool."""


class SpoolFull(MossheadError):
    """The spool has reached its size limit. No event of this call was stored."""


class SpoolUnavailable(MossheadError):
    """The spool file cannot be read or written. No event of this call was stored."""


class SignatureRefused(MossheadError):
    """An event is unsigned, or not signed with its tenant's key; the intake rejects it."""


class StoreUnavailable(MossheadError):
    """Postgres, or the Redis of working memory, did not answer or refused the login."""


class SchemaOutdated(StoreUnavailable, ConfigurationError):
    """The database lacks tables or views that this version reads, or the login may not read them."""


class ReadTimeout(StoreUnavailable, TimeoutError):
    """A read did not finish within its time limit."""


class EmbedderUnavailable(MossheadError):
    """The embedding endpoint did not answer or refused the API key."""


class WaitTimeout(MossheadError, TimeoutError):
    """Published events are not consolidated yet. They are not lost; a later ``wait`` can succeed."""
