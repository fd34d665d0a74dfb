"""Text: what a message says in words, and how text is compared, stored, encoded and counted. Pure.

A message's content is text, or a list of parts, some of which are text. The chat completions API calls a text part ``text``; the
responses API calls it ``input_text`` for users and ``output_text`` for assistants.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from mosshead.fencing import strip_fences
from mosshead.patterns import lazy_pattern

_COMPARED = 12_000
"""Characters compared. Reads use only the beginning of their inputs, and its end may be redacted differently."""

_TEXTS: Final = frozenset({"text", "input_text", "output_text"})


def text_of(content: object) -> str | None:
    """Return a content's text, joining text parts by line ends; None if it is neither text nor parts."""
    if not isinstance(content, list | tuple):
        return content if isinstance(content, str) else None
    parts: Iterable[Any] = (part.get("text") for part in content if isinstance(part, Mapping) and is_text(part))
    return "\n".join(part for part in parts if isinstance(part, str))


def as_compared(text: str) -> str:
    """Normalise a text for comparison: what an app sends a model and what it publishes often differ in spaces."""
    return " ".join(strip_fences(text[:MOST_CHARACTERS]).casefold().split())[:_COMPARED]


def turns_before(message: str, said: Sequence[str], most: int) -> tuple[str, ...]:
    """Return the latest turns before a message, without the message itself if the list ends with it."""
    ends_with_it = bool(said) and as_compared(said[-1]) == as_compared(message)
    end = len(said) - ends_with_it
    return tuple(said[max(0, end - most) : end])


def by_one_name(parts: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rename parts as in the chat completions API, the stored form: SQL reads no others (``mosshead.text_of``)."""
    return [{**part, "type": "text"} if is_text(part) else dict(part) for part in parts]


def is_text(part: Mapping[str, Any]) -> bool:
    """Whether a part is text in either API."""
    kind = part.get("type")
    return isinstance(kind, str) and kind in _TEXTS


MOST_CHARACTERS = 16_384
"""Only the beginning of a longer text is used, as embedders do: a question of 100 kB is a pasted document."""

UNSTORABLE = lazy_pattern(r"[\x00\ud800-\udfff]")
"""What Postgres cannot store: NUL, and unpaired surrogates."""

_BYTES_PER_TOKEN: Final = 4


def estimated_tokens(text: str) -> int:
    """Estimate one token per four bytes of UTF-8: about right for English, within a third for most other scripts."""
    return math.ceil(len(text.encode("utf-8", "replace")) / _BYTES_PER_TOKEN)


def encodable(text: str) -> str:
    """Replace lone surrogates, which neither UTF-8 nor tokenizers accept, by "?"."""
    return text.encode("utf-8", "replace").decode("utf-8")


def readable(name: str, given: object) -> str:
    """Truncate a text, and replace what Postgres and tokenizers reject by "?". Raises ValueError if it is not text."""
    if not isinstance(given, str):
        raise ValueError(f"{name}: give a text, not {type(given).__name__}")  # noqa: TRY004 - as for all invalid arguments
    return UNSTORABLE.sub("?", given[:MOST_CHARACTERS])
