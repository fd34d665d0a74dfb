"""Keep secrets out of memories: `redact` removes them from a text before anything stores it or sends it on.

    redact("my password is hunter2")  ->  "my password is [redacted: password]"

A secret is recognized by its form (`tokens`, `numbers`), by the words around it (`passwords`), or by some of both.
docs/explanation/security.md lists what is redacted, where, and the limits.
"""

from mosshead.redaction.events import redact_event, redact_fields, redact_json
from mosshead.redaction.history import asking_speaker, redact_history
from mosshead.redaction.redact import redact

__all__ = ["asking_speaker", "redact", "redact_event", "redact_fields", "redact_history", "redact_json"]
