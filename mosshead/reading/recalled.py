"""Messages that were recalled, and the forms in which a prompt takes them. Pure."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, groupby
from typing import Literal
from uuid import UUID

from mosshead.contents import as_compared
from mosshead.fence import fenced
from mosshead.reading.contexts import message_note
from mosshead.reading.found import StoredMessage
from mosshead.results import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledMessage:
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
class Recalled:
    """What `Namespace.recall_messages` found.

    hits: best first. excerpts: the same with their neighbours, in the order of time, nothing twice; what the given history has
    anyway is left out. conversation: the one that was asked from.
    reason: why nothing was found, where the read did not end in time.
    """

    hits: tuple[RecalledMessage, ...]
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
    joined = [Excerpt(conversation=some[0].conversation, messages=some) for some in found if _holds(some, hits)]
    return tuple(sorted(joined, key=lambda one: (one.messages[0].said_at, one.messages[0].id)))


def before_and_after(message_range: int | tuple[int, int]) -> tuple[int, int]:
    """How many neighbours before and after each hit. Raises ValueError where it is neither a number nor a pair, from 0 to 50."""
    pair = message_range if isinstance(message_range, tuple | list) else (message_range, message_range)
    if len(pair) != 2 or not all(_is_count(one) for one in pair):
        raise ValueError(
            f"message_range: give a number or (before, after), each from 0 to {_MOST_AROUND}, got {message_range!r}"
        )
    return pair[0], pair[1]


Scope = Literal["thread", "resource"]
"""Where messages are recalled from: this conversation alone, or all of the namespace."""

_MOST_AROUND = 50


def _is_count(one: object) -> bool:
    return isinstance(one, int) and not isinstance(one, bool) and 0 <= one <= _MOST_AROUND


def _holds(messages: Sequence[StoredMessage], hits: Collection[UUID]) -> bool:
    return any(one.id in hits for one in messages)


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
