"""`Context` and `MessageHits`: what a read returns, and how they render as text. Pure."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import count, groupby
from uuid import UUID

from mosshead.fencing import fenced, message_line, short
from mosshead.models.memories import Hit, Progress
from mosshead.models.messages import StoredMessage
from mosshead.models.notes import memory_note, said_on
from mosshead.models.questions import Question
from mosshead.text import as_compared

_REPLACED, _REPLACED_CHARACTERS = 2, 80
"""How many outdated statements a message line mentions, and how many characters of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a memory or a message is in a context. Either ``memory`` or ``message`` is set.

    Attributes:
        paths: The retrieval paths that found it.
        score: ``base + boost``, or the score from the reranker.
        base: Weighted relevance, salience and strength, regardless of age.
        boost: Added for recent items.
        guaranteed: It was included before ranking.
        cosine, words: The raw scores; ``words`` is BM25. None if not scored.
        parts: Each signal's contribution in standard deviations, by its name in `Relevance` or `MessageWeights`.
        sources: The messages that a memory was derived from.
        heading: The heading it is shown under; may be empty.
        earlier: A newer line above it tells of a change that may concern it.
    """

    memory: Hit | None = None
    message: StoredMessage | None = None
    paths: tuple[str, ...]
    score: float
    base: float
    boost: float = 0.0
    guaranteed: bool
    cosine: float | None = None
    words: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict, hash=False)
    sources: tuple[UUID, ...] = ()
    heading: str = ""
    earlier: bool = False

    @property
    def content(self) -> str:
        """The text of the memory or message."""
        return self.memory.content if self.memory else self.message.content if self.message else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a model should know to answer a message.

    Attributes:
        memories: Grouped by subject, best first, as in the text.
        messages: Related messages, in chronological order.
        questions: Ambiguous names that are worth asking the user about.
        ordered: If True, the lines of ``text`` follow ``explanations``, best first, and ``memories`` ends with those whose
            source message is shown instead.
        tokens: Number of tokens in ``text``, by the embedder's tokenizer.
        partial: Some events are not consolidated yet, or the read timed out; ``reason`` is then set.
        behind_seconds: As in `Progress`, if a replica answered.
    """

    memories: tuple[Hit, ...]
    questions: tuple[Question, ...]
    tokens: int
    partial: bool
    explanations: tuple[Explanation, ...]
    messages: tuple[StoredMessage, ...] = ()
    ordered: bool = False
    reason: str | None = None
    behind_seconds: float | None = None

    @property
    def text(self) -> str:
        """The context as lines, best first: ``- content`` for memories, ``speaker, date: content`` for messages.

        If several entities share a name, headings tell them apart. With ``fill=True``, memories come first, then messages under
        a date for each conversation and day. Empty if nothing is known. In a prompt, use `as_system_message`.
        """
        if self.ordered:
            return "\n".join(_lines_of_all(self.explanations))
        notes = (f"- {memory_note(memory)}" for memory in self.memories)
        return "\n".join((*notes, *_said(self.messages)))

    def as_system_message(self) -> dict[str, str]:
        """Return the text as a system message, ``{"role": "system", "content": …}``, to place before the turns.

        The text is fenced as data: each memory or message is one line and cannot close the fence. If nothing is known, the
        fence is empty. The fence adds about 30 tokens to `tokens`, plus one for each message line.
        """
        if self.ordered:
            lines = (one.removeprefix("- ") for one in _lines_of_all(self.explanations))
            return {"role": "system", "content": fenced(lines)}
        notes = (memory_note(memory) for memory in self.memories)
        return {"role": "system", "content": fenced((*notes, *_said(self.messages)))}

    def explain(self) -> tuple[Explanation, ...]:
        """Return why each memory and message is in the context."""
        return self.explanations


def _lines_of_all(those: Iterable[Explanation]) -> Iterator[str]:
    """Yield the lines of an ordered context, with their headings."""
    for heading, some in groupby(those, key=lambda one: one.heading):
        if heading:
            yield f"{heading}:"
        yield from map(context_line, some)


def context_line(one: Explanation) -> str:
    """Render a memory or a message as a line of an ordered context."""
    if one.message is not None:
        return f"{dated_message_note(one.message)}{' (earlier)' if one.earlier and not one.message.replaced else ''}"
    return f"- {memory_note(one.memory, earlier=one.earlier)}" if one.memory else ""


def day_heading(message: StoredMessage) -> str:
    """Return the line above the messages of one conversation and day."""
    return f"{said_on(message)}:"


def message_note(message: StoredMessage) -> str:
    """Render a message on one line, and mark statements in it that no longer hold."""
    line = message_line(message.role, message.speaker, message.content)
    if not message.replaced:
        return line
    ended = "; ".join(short(one, _REPLACED_CHARACTERS) for one in message.replaced[:_REPLACED])
    return f"{line} (earlier, no longer so: {ended})"


def dated_message_note(message: StoredMessage) -> str:
    """Render a message on one line, with its date."""
    who, _, what = message_note(message).partition(": ")
    return f"{who}, {said_on(message)}: {what}"


def group_of(message: StoredMessage) -> tuple[str, date]:
    """Return a message's conversation and day, the key of its heading unless `_groups` joins it to another group."""
    return message.conversation or "", message.said_at.date()


def in_order(messages: Sequence[StoredMessage]) -> tuple[StoredMessage, ...]:
    """Order messages by group, and chronologically within each group. Groups are ordered by their first message."""
    return tuple(message for group in _groups(messages) for message in group)


def _groups(messages: Sequence[StoredMessage]) -> Iterable[Sequence[StoredMessage]]:
    """Group messages that share a heading: one conversation and day, in the zone of the message or of the group's first one.

    An app may publish user messages in the user's zone and assistant messages in the server's; they stay in one group.
    """
    groups: dict[tuple[str, date], list[StoredMessage]] = {}
    latest: dict[str, list[StoredMessage]] = {}
    for one in sorted(messages, key=lambda one: (one.said_at, one.place, one.id)):
        group = latest.get(one.conversation or "")
        there = one.said_at if group is None else one.said_at.astimezone(group[0].said_at.tzinfo)
        if group is None or group[0].said_at.date() not in {one.said_at.date(), there.date()}:
            group = latest[one.conversation or ""] = groups.setdefault(group_of(one), [])
        group.append(one)
    return groups.values()


def _said(messages: Sequence[StoredMessage]) -> Iterator[str]:
    for group in _groups(messages):
        yield day_heading(group[0])
        yield from map(message_note, group)


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageHit:
    """A message found by a search. score: Ranking score in standard deviations. similarity: Cosine, -1 to 1."""

    message: StoredMessage
    score: float
    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Consecutive messages of a conversation: one or more hits with their neighbours, in order."""

    conversation: str | None
    messages: tuple[StoredMessage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageHits:
    """The result of `Namespace.messages.search`.

    Attributes:
        hits: Best first.
        excerpts: The hits with their neighbours, in chronological order, without duplicates or messages of the given history.
        conversation: The current conversation.
        reason: Set if the read timed out.
    """

    hits: tuple[MessageHit, ...]
    excerpts: tuple[Excerpt, ...]
    progress: Progress
    conversation: str | None = None
    reason: str | None = None

    @property
    def messages(self) -> tuple[StoredMessage, ...]:
        """The messages found, best first, without their neighbours."""
        return tuple(hit.message for hit in self.hits)

    @property
    def partial(self) -> bool:
        """Whether some published events are not consolidated yet, or the read timed out."""
        return self.reason is not None or self.progress.partial

    @property
    def text(self) -> str:
        """The excerpts as text: a heading with place and time, then ``speaker: content`` lines.

        Other conversations are numbered, since their names may contain anything; see `Excerpt.conversation` for the names. In a
        prompt, use `as_system_message`.
        """
        return "\n".join(self._shown(self.excerpts))

    def as_system_message(self) -> dict[str, str]:
        """Return the text, fenced as data, as a system message to place before the turns. The fence may be empty."""
        return {"role": "system", "content": fenced(self._shown(self.excerpts))}

    def as_messages(self) -> list[dict[str, str]]:
        """Return up to two system messages to place before the turns: from other conversations, and from earlier in this one.

        The excerpts are fenced as data, with place and time; no text in them can close the fence.
        """
        here = [one for one in self.excerpts if self.conversation is not None and one.conversation == self.conversation]
        elsewhere = [one for one in self.excerpts if one not in here]
        return [{"role": "system", "content": fenced(self._shown(some))} for some in (elsewhere, here) if some]

    def _shown(self, some: Sequence[Excerpt]) -> Iterator[str]:
        others = dict.fromkeys(
            one.conversation for one in self.excerpts if one.conversation not in {None, self.conversation}
        )
        numbers: dict[str | None, int] = dict(zip(others, count(1), strict=False))
        return (line for one in some for line in _lines(one, numbers.get(one.conversation)))


def excerpts(
    hits: Collection[UUID], around: Sequence[StoredMessage], *, known: Collection[str] = ()
) -> tuple[Excerpt, ...]:
    """Join hits and neighbours into consecutive excerpts, earliest first.

    Args:
        hits: The ids of the hits.
        around: The hits and their neighbours.
        known: Contents of the caller's history, normalised with `as_compared`; neighbours with these contents are left out.
    """
    kept = {one.id: one for one in around if one.id in hits or as_compared(one.content) not in known}
    ordered = sorted(kept.values(), key=lambda one: (one.conversation or "", one.place, one.said_at, one.id))
    # Within a run of consecutive messages, place minus list index is constant.
    stretches = groupby(enumerate(ordered), key=lambda pair: (pair[1].conversation, pair[1].place - pair[0]))
    found = (tuple(one for _, one in stretch) for _, stretch in stretches)
    joined = [
        Excerpt(conversation=some[0].conversation, messages=some)
        for some in found
        if any(one.id in hits for one in some)
    ]
    return tuple(sorted(joined, key=lambda one: (one.messages[0].said_at, one.messages[0].id)))


def _lines(excerpt: Excerpt, number: int | None) -> Iterator[str]:
    """Render an excerpt. number: Of its conversation, unless that is the current one."""
    first = excerpt.messages[0]
    if excerpt.conversation is None:
        where = "Outside any conversation"
    elif number is None:
        where = "Earlier in this conversation"
    else:
        where = f"In conversation {number}"
    yield f"{where}, {first.said_at:%-d %B %Y, %H:%M}:"
    yield from map(message_note, excerpt.messages)
