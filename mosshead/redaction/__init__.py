"""Secrets do not become memories: `redact` takes them out of a text before anything keeps it or sends it on.

    redact("my password is hunter2")  ->  "my password is [redacted: password]"

A secret is known by its own look (`tokens`, `numbers`), by what is said of it (`passwords`), or by both a little.
docs/explanation/security.md says what is redacted, where, and what is not promised.
"""

from mosshead.redaction.events import redact_event, redact_fields, redact_json
from mosshead.redaction.history import asking_speaker, redact_history
from mosshead.redaction.redact import redact

__all__ = ["asking_speaker", "redact", "redact_event", "redact_fields", "redact_history", "redact_json"]
