"""What the answer models of all prompts share.

The API's strict mode wants every property required, no property beyond them, and no defaults; `Answer` and plain annotations
give exactly that, so that the schema sent is the schema checked.
"""

import json
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict

from mosshead.patterns import lazy_pattern

_UNSTORABLE = lazy_pattern(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

_UNSTORABLE_IN_LINES = lazy_pattern(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


class Answer(BaseModel):
    """Frozen, closed, and silent about its input when it does not fit: an answer repeats what users said."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


def storable(text: str) -> str:
    """The text trimmed, without the characters that Postgres refuses (NUL) or a terminal obeys (escapes)."""
    return _UNSTORABLE.sub(" ", text).strip()


def verbatim(text: str) -> str:
    """The same with its blanks and line ends as they are."""
    return _UNSTORABLE_IN_LINES.sub(" ", text)


def _as_text(given: Any) -> str:
    return given if isinstance(given, str) else json.dumps(given)


Text = Annotated[str, AfterValidator(storable)]
"""Text of an answer, made storable."""

JsonText = Annotated[Text, BeforeValidator(_as_text)]
"""JSON as text, because strict mode knows no free objects; or as it is, as models write it that are held to no schema."""

Verbatim = Annotated[str, AfterValidator(verbatim)]
"""Text of an answer that is looked for letter by letter, or put into another: its blanks at both ends count."""
