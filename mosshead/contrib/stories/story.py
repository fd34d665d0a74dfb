"""A story as a value: its sentences, each with what it rests on. Pure."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from mosshead.contrib.stories.requests import StoryIntent
from mosshead.fencing import one_line, shown_name
from mosshead.models.memories import StoredMemory
from mosshead.models.messages import StoredMessage
from mosshead.models.notes import occurred_on, said_on
from mosshead.models.questions import Question

_LONGEST = 600
"""Characters of a piece of evidence that are shown: a pasted page is no sentence of a story."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryEvidence:
    """A memory, or a message, that a story may rest on; the other of the two is None.

    number: its place in the order of time, from 1; citations name it. found_by: "subject", "connection", "topic", "replaced",
    "period" or "said". until: when a memory was replaced; None of what holds, and of a message.
    """

    number: int = 0
    memory: StoredMemory | None = None
    message: StoredMessage | None = None
    found_by: tuple[str, ...] = ()
    until: datetime | None = None

    @property
    def id(self) -> UUID:
        """The memory's, or the message's."""
        return self._one.id

    @property
    def content(self) -> str:
        """What is remembered, or was said."""
        return self._one.content

    @property
    def at(self) -> datetime:
        """When it happened, as far as that is known; else when it was said."""
        return self.memory.occurred.start if self.memory and self.memory.occurred else self._one.said_at

    @property
    def said_at(self) -> datetime:
        """When it was said, in the zone of where."""
        return self._one.said_at

    @property
    def when(self) -> str:
        """The same as people write it."""
        return occurred_on(self.memory) if self.memory else said_on(self._one)

    @property
    def said(self) -> str:
        """The day on which it was said, as people write it."""
        return said_on(self._one)

    @property
    def speaker(self) -> str | None:
        """Who said it, where the app named them by a name that can be shown."""
        named = self.memory.said_by if self.memory else self.message.speaker if self.message else None
        return shown_name(named)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is to be known beside its words: when it was said, until when it held, and that it is unsure."""
        said = f"said on {self.said}" if self.said != self.when else ""
        held = f"until {self.until:%-d %B %Y}" if self.until else ""
        unsure = "unsure" if self.memory and self.memory.tier == "hypothesis" else ""
        return tuple(filter(None, (said, held, unsure)))

    @property
    def shown(self) -> str:
        """Its content on one line, of a long one the head."""
        line = one_line(self.content)
        return line if len(line) <= _LONGEST else f"{line[:_LONGEST].rstrip()} […]"

    @property
    def _one(self) -> StoredMemory | StoredMessage:
        one = self.memory or self.message
        assert one is not None  # noqa: S101 - it is made of one of the two
        return one


@dataclass(frozen=True, slots=True, kw_only=True)
class StorySentence:
    """A sentence of a story, and what it rests on: one piece at least, in the order of time."""

    text: str
    citations: tuple[StoryEvidence, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of what it rests on."""
        return tuple(one.number for one in self.citations)


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What is known of what was asked, told in the order of time.

    intent: what kind of story it is. told_by: "model" where an LLM told it, "rules" where it is a chronicle in the memories' own
    words, None where there is nothing to tell.
    sentences: each rests on evidence. evidence: all that there was for it, cited or not, in the order of time; tokens: of that.
    dropped: how many sentences of the LLM's were not kept, as nothing that was shown bears them out.
    questions: where it is open who is meant; nothing is told then.
    partial: events are still on their way, or the read did not end in time. reason: why there is no story, or why it is a
    chronicle though an LLM was handed in.
    """

    intent: StoryIntent
    told_by: Literal["model", "rules"] | None = None
    sentences: tuple[StorySentence, ...] = ()
    evidence: tuple[StoryEvidence, ...] = ()
    questions: tuple[Question, ...] = ()
    tokens: int = 0
    dropped: int = 0
    partial: bool = False
    reason: str | None = None

    @property
    def text(self) -> str:
        """The sentences: of an LLM's one after the other, of a chronicle each on a line. Empty where there are none."""
        return self._between.join(one.text for one in self.sentences)

    @property
    def cited_text(self) -> str:
        """The same, with the numbers of the evidence in brackets behind each sentence."""
        return self._between.join(f"{one.text} [{', '.join(map(str, one.numbers))}]" for one in self.sentences)

    @property
    def _between(self) -> str:
        return " " if self.told_by == "model" else "\n"


def sentence(text: str) -> str:
    """A text with an end, where it has none."""
    return text if re.search(r"[.!?…][\"'”’»)\]]*$", text) else f"{text}."
