"""Text: what a message says in words, and how text is compared, stored, encoded and counted. Pure.

A message's content is text, or a list of parts, of which some are text.

The chat completion API calls a part that is text ``text``; the responses API calls it ``input_text`` where a user said it, and
``output_text`` where an assistant did.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from mosshead.fencing import strip_fences
from mosshead.patterns import lazy_pattern

_COMPARED = 12_000
"""Characters. Reads know the head alone of what they are given, and its end may be redacted in another way."""

_TEXTS: Final = frozenset({"text", "input_text", "output_text"})


def text_of(content: object) -> str | None:
    """A content that is text, or its parts that are, each on a line of its own; None where it is neither text nor parts."""
    if not isinstance(content, list | tuple):
        return content if isinstance(content, str) else None
    parts: Iterable[Any] = (part.get("text") for part in content if isinstance(part, Mapping) and is_text(part))
    return "\n".join(part for part in parts if isinstance(part, str))


def as_compared(text: str) -> str:
    """A text as two are compared: an app sends a model what it publishes, but seldom with each blank as it was."""
    return " ".join(strip_fences(text[:MOST_CHARACTERS]).casefold().split())[:_COMPARED]


def turns_before(message: str, said: Sequence[str], most: int) -> tuple[str, ...]:
    """The latest turns before a message. Where they end with it, as the list does that a model is sent, it is none of them."""
    ends_with_it = bool(said) and as_compared(said[-1]) == as_compared(message)
    end = len(said) - ends_with_it
    return tuple(said[max(0, end - most) : end])


def by_one_name(parts: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Parts as the chat completion API names them, which is how they are stored: SQL reads no others (``mosshead.text_of``)."""
    return [{**part, "type": "text"} if is_text(part) else dict(part) for part in parts]


def is_text(part: Mapping[str, Any]) -> bool:
    """Whether a part of a content is text, in the words of either API."""
    kind = part.get("type")
    return isinstance(kind, str) and kind in _TEXTS


MOST_CHARACTERS = 16_384
"""Of a longer text the head is looked at, as embedders do: a question of a hundred kilobytes is a pasted document."""

UNSTORABLE = lazy_pattern(r"[\x00\ud800-\udfff]")
"""What Postgres cannot store: NUL, and half a surrogate pair."""

_BYTES_PER_TOKEN: Final = 4


def estimated_tokens(text: str) -> int:
    """A token per four bytes of UTF-8: about right for English, within a third for most other scripts."""
    return math.ceil(len(text.encode("utf-8", "replace")) / _BYTES_PER_TOKEN)


def encodable(text: str) -> str:
    """The text without lone surrogates, which neither UTF-8 nor a tokenizer can take; each becomes "?"."""
    return text.encode("utf-8", "replace").decode("utf-8")


def readable(name: str, given: object) -> str:
    """A text cut to its head, with "?" for what Postgres and a tokenizer cannot take. Raises ValueError where it is no text."""
    if not isinstance(given, str):
        raise ValueError(f"{name}: give a text, not {type(given).__name__}")  # noqa: TRY004 - as for all that does not fit
    return UNSTORABLE.sub("?", given[:MOST_CHARACTERS])
