"""The context of a message as a value, and how its text shows what is in it. Pure."""

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
"""What a line tells of what a message says that holds no longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a memory, or a message, is in a context; the other of the two is None.

    paths: that found it. guaranteed: it had its place before all was ranked.
    score: base + boost, or the score of the place that a reranker gave it. base: relevance, salience and strength, weighted, at
    any age; boost: for what was said lately.
    cosine, words: the raw scores, of which words is BM25; None of what nobody scored. parts: what each signal adds, in standard
    deviations, by its name in `Relevance` or `MessageWeights`. sources: the messages that a memory was taken from.
    heading: of the lines among which the text has it; empty where it has none.
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

    @property
    def content(self) -> str:
        """What is remembered, or was said."""
        return self.memory.content if self.memory else self.message.content if self.message else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a model should know to answer a message.

    memories: in the order in which the text shows them: what is of one subject together, the best first. messages: what was said,
    in the order of time.
    questions: where it is open who is meant, and asking beats guessing.
    ordered: the text has its lines in the order of ``explanations``, the best first, and not as above; behind the memories that
    it shows, ``memories`` has those that a message is shown in the place of, since their words are in the prompt, too.
    tokens: of ``text``, counted by the embedder's tokenizer.
    partial: events are still on their way; or the read did not end in time, and ``reason`` says so.
    """

    memories: tuple[Hit, ...]
    questions: tuple[Question, ...]
    tokens: int
    partial: bool
    explanations: tuple[Explanation, ...]
    messages: tuple[StoredMessage, ...] = ()
    ordered: bool = False
    reason: str | None = None

    @property
    def text(self) -> str:
        """``- content`` lines for memories and ``speaker, date: content`` lines for messages, the best first.

        What is about one of several with the same name stands under a heading that tells who that is.
        A context that fills its budget has all memories first, and then under a date for each conversation and day what was said.
        Empty where nothing is known. For a prompt, take `as_system_message`.
        """
        if self.ordered:
            return "\n".join(_lines_of_all(self.explanations))
        notes = (f"- {memory_note(memory)}" for memory in self.memories)
        return "\n".join((*notes, *_said(self.messages)))

    def as_system_message(self) -> dict[str, str]:
        """The same as ``{"role": "system", "content": …}``, to stand before the turns: data inside a fence.

        Whatever a memory or a message holds, it is one line of the fence and cannot end it. Where nothing is known, the fence is
        empty. It takes some 30 tokens more than `tokens`, and one more for each line of what was said, which it leads by "- ".
        """
        if self.ordered:
            lines = (one.removeprefix("- ") for one in _lines_of_all(self.explanations))
            return {"role": "system", "content": fenced(lines)}
        notes = (memory_note(memory) for memory in self.memories)
        return {"role": "system", "content": fenced((*notes, *_said(self.messages)))}

    def explain(self) -> tuple[Explanation, ...]:
        """For each memory and each message of the context, how it came to be there."""
        return self.explanations


def _lines_of_all(those: Iterable[Explanation]) -> Iterator[str]:
    """The lines of an ordered context, with the headings above them."""
    for heading, some in groupby(those, key=lambda one: one.heading):
        if heading:
            yield f"{heading}:"
        yield from map(context_line, some)


def context_line(one: Explanation) -> str:
    """Return a memory or a message as a line of an ordered context."""
    if one.message is not None:
        return dated_message_note(one.message)
    return f"- {memory_note(one.memory)}" if one.memory else ""


def day_heading(message: StoredMessage) -> str:
    """Return the line above the messages of one conversation and day."""
    return f"{said_on(message)}:"


def message_note(message: StoredMessage) -> str:
    """A message on one line; what it says that was replaced since is marked as earlier."""
    line = message_line(message.role, message.speaker, message.content)
    if not message.replaced:
        return line
    ended = "; ".join(short(one, _REPLACED_CHARACTERS) for one in message.replaced[:_REPLACED])
    return f"{line} (earlier, no longer so: {ended})"


def dated_message_note(message: StoredMessage) -> str:
    """A message on one line, with the day on which it was said."""
    who, _, what = message_note(message).partition(": ")
    return f"{who}, {said_on(message)}: {what}"


def group_of(message: StoredMessage) -> tuple[str, date]:
    """Conversation and day, by which a message has a heading of its own, unless it goes on under another (`_groups`)."""
    return message.conversation or "", message.said_at.date()


def in_order(messages: Sequence[StoredMessage]) -> tuple[StoredMessage, ...]:
    """Groups by their first message, and in each the order in which it was said."""
    return tuple(message for group in _groups(messages) for message in group)


def _groups(messages: Sequence[StoredMessage]) -> Iterable[Sequence[StoredMessage]]:
    """What shares a heading: what was said in a conversation on one day, by the calendar of who spoke or of who spoke first.

    An app may publish what the user says in their zone, and what the assistant says in the server's: no heading comes between.
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
    """A message that answers to what was asked. score: of the ranking, in standard deviations; similarity: cosine, -1 to 1."""

    message: StoredMessage
    score: float
    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Messages that stand together in a conversation: some that were recalled, with their neighbours, in order."""

    conversation: str | None
    messages: tuple[StoredMessage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageHits:
    """What `Namespace.messages.search` found.

    hits: best first. excerpts: the same with their neighbours, in the order of time, nothing twice; what the given history has
    anyway is left out. conversation: the one that was asked from.
    reason: why nothing was found, where the read did not end in time.
    """

    hits: tuple[MessageHit, ...]
    excerpts: tuple[Excerpt, ...]
    progress: Progress
    conversation: str | None = None
    reason: str | None = None

    @property
    def messages(self) -> tuple[StoredMessage, ...]:
        """The messages that were recalled, best first, without their neighbours."""
        return tuple(hit.message for hit in self.hits)

    @property
    def partial(self) -> bool:
        """Whether something that was published is not yet in effect, or the read did not end in time."""
        return self.reason is not None or self.progress.partial

    @property
    def text(self) -> str:
        """The excerpts as text: a line that says where and when, and under it ``speaker: content`` lines.

        An app's name of a conversation may hold anything, so other conversations are numbered here. `Excerpt.conversation` has
        their names. For a prompt, take `as_system_message`.
        """
        return "\n".join(self._shown(self.excerpts))

    def as_system_message(self) -> dict[str, str]:
        """The same as ``{"role": "system", "content": …}``, to stand before the turns: data inside a fence.

        Where nothing was found, the fence is empty.
        """
        return {"role": "system", "content": fenced(self._shown(self.excerpts))}

    def as_messages(self) -> list[dict[str, str]]:
        """At most two system messages to stand before the turns: from other conversations, and from earlier in this one.

        What was said is data inside a fence: no text in it can end the fence. Both say where and when it was said.
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
    """Join what was recalled and its neighbours to stretches without a gap, the earliest first.

    around: the hits and their neighbours. known: the contents of what the caller's history has, as they are compared; such a
    message is left out, and so is a neighbour that has lost its hit by that.
    """
    kept = {one.id: one for one in around if one.id in hits or as_compared(one.content) not in known}
    ordered = sorted(kept.values(), key=lambda one: (one.conversation or "", one.place, one.said_at, one.id))
    # In one stretch, a message's number less its place in the list is the same.
    stretches = groupby(enumerate(ordered), key=lambda pair: (pair[1].conversation, pair[1].place - pair[0]))
    found = (tuple(one for _, one in stretch) for _, stretch in stretches)
    joined = [
        Excerpt(conversation=some[0].conversation, messages=some)
        for some in found
        if any(one.id in hits for one in some)
    ]
    return tuple(sorted(joined, key=lambda one: (one.messages[0].said_at, one.messages[0].id)))


def _lines(excerpt: Excerpt, number: int | None) -> Iterator[str]:
    """number: of a conversation that is not the one that goes on."""
    first = excerpt.messages[0]
    if excerpt.conversation is None:
        where = "Outside any conversation"
    elif number is None:
        where = "Earlier in this conversation"
    else:
        where = f"In conversation {number}"
    yield f"{where}, {first.said_at:%-d %B %Y, %H:%M}:"
    yield from map(message_note, excerpt.messages)
