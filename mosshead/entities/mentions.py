"""Find what a message refers to, with or without naming it. Pure, by closed word lists; English only.

Names come from `entities.lookup`, pronouns and descriptions from `language.references`. An app may pass its own parser, such as
an LLM, with a time limit; if it is late, fails or returns nonsense, the heuristics are used.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import Any
from uuid import UUID

from mosshead.callbacks import answer_of
from mosshead.entities.lookup import NameMatch
from mosshead.language.name_spans import words_of
from mosshead.language.references import Layout, ReferenceForm, phrases
from mosshead.language.wordlists import GRAMMAR
from mosshead.patterns import lazy_pattern

PARSE_SECONDS = 1.0
"""Default time limit of an app-supplied parser, in seconds."""


class MentionKind(StrEnum):
    """How a mention refers."""

    ENTITY = "entity"
    PRONOUN = "pronoun"
    DESCRIPTION = "description"
    EARLIER = "earlier"
    PROCESS = "process"
    ATTRIBUTE = "attribute"
    CONCEPT = "concept"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """Words of a message that refer to something.

    start, end: Their offsets. entities: The candidates for a name, if any. of: The owner of an attribute, as named there.
    """

    kind: MentionKind
    text: str
    start: int
    end: int
    entities: tuple[UUID, ...] = ()
    of: str | None = None


Parser = Callable[[str], Any]
"""Takes the message, and returns mentions as mappings with ``kind`` and ``text``. It runs in its own thread."""

_FORMS = {
    ReferenceForm.PRONOUN: MentionKind.PRONOUN,
    ReferenceForm.BEFORE: MentionKind.EARLIER,
    ReferenceForm.OTHER_ONE: MentionKind.EARLIER,
    ReferenceForm.THAT_ONE: MentionKind.EARLIER,
    ReferenceForm.USUAL: MentionKind.PROCESS,
}
_PROCESS = lazy_pattern(
    r"\b(?:how (?:do|does|did|should|would|can) (?:i|we|you|one)\b[^.?!\n]*|what (?:do|should|must) (?:i|we|you) do\b[^.?!\n]*"
    r"|what(?:['’]s| is) the (?:procedure|process|drill|routine)\b[^.?!\n]*|do the same\b[^.?!\n]*|as (?:usual|always)\b"
    r"|the (?:usual|normal|standard|same) (?:way|process|procedure|routine|drill|steps|checks?)\b"
    r"|(?:check|see|make sure|verify) (?:if|that|whether)\b[^.?!\n]*)",
    re.IGNORECASE,
)
_ATTRIBUTE = lazy_pattern(r"['’]s?\s+(?P<attribute>[^\W\d_]+)")


def parse(
    message: str, found: Sequence[NameMatch], *, parser: Parser | None = None, seconds: float = PARSE_SECONDS
) -> tuple[Mention, ...]:
    """Find what a message refers to, in order of appearance.

    Args:
        found: The names in it; only those with text number 0 count.
        parser: Replaces the heuristics for everything but names; they are used if it has no valid answer in time.
        seconds: The parser's time limit.
    """
    names = list(_names(message, found))
    others = None
    if parser is not None:
        others = _checked(message, answer_of(lambda: parser(message), name="parser", seconds=seconds))
    if others is None:
        processes = (_mention(message, MentionKind.PROCESS, *one.span()) for one in _PROCESS.finditer(message))
        referring = (
            _mention(message, _FORMS.get(one.form, MentionKind.DESCRIPTION), one.place.start, one.place.end)
            for one in phrases(Layout(message))
        )
        others = [*referring, *processes, *_attributes(message, names)]
        others += _concepts(message, [*names, *others])
    taken = {(one.start, one.end) for one in names}
    kept = [one for one in others if (one.start, one.end) not in taken]
    return tuple(sorted((*names, *kept), key=lambda one: (one.start, -one.end, one.kind)))


def _names(message: str, found: Sequence[NameMatch]) -> Iterator[Mention]:
    places: dict[tuple[int, int], list[UUID]] = {}
    for match in found:
        if match.text == 0:
            places.setdefault((match.start, match.end), []).append(match.entity.entity_id)
    for (start, end), ids in places.items():
        yield _mention(message, MentionKind.ENTITY, start, end, entities=tuple(dict.fromkeys(ids)))


def _attributes(message: str, names: Sequence[Mention]) -> Iterator[Mention]:
    """Find attributes of a named entity, such as "Peter's content"."""
    for name in names:
        if match := _ATTRIBUTE.match(message, name.end):
            yield _mention(message, MentionKind.ATTRIBUTE, *match.span("attribute"), of=name.text)


def _concepts(message: str, others: Sequence[Mention]) -> Iterator[Mention]:
    """Return its content words: neither function words nor part of a name, a pronoun or an attribute."""
    said = sorted((one.start, one.end) for one in others if one.kind is not MentionKind.PROCESS)
    starts = [start for start, _ in said]
    reached = list(accumulate((end for _, end in said), max))
    for word in words_of(message):
        before = bisect_right(starts, word.start)
        if word.plain not in GRAMMAR and (before == 0 or reached[before - 1] <= word.start):
            yield _mention(message, MentionKind.CONCEPT, word.start, word.end)


def _checked(message: str, answer: Any) -> list[Mention] | None:
    """Convert the answer to mentions; None if any of it is malformed, or is not in the message."""
    if not isinstance(answer, list | tuple):
        return None
    checked = []
    for one in answer:
        kind, said = (one.get("kind"), one.get("text")) if isinstance(one, dict) else (None, None)
        start = message.find(said) if isinstance(said, str) and said else -1
        if not isinstance(kind, str) or kind not in set(MentionKind) or kind == MentionKind.ENTITY or start < 0:
            return None
        checked.append(_mention(message, MentionKind(kind), start, start + len(str(said))))
    return checked


def _mention(message: str, kind: MentionKind, start: int, end: int, **more: Any) -> Mention:
    return Mention(kind=kind, text=message[start:end], start=start, end=end, **more)
