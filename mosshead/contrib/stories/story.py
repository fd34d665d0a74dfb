"""A story as a value: its sentences, each with its evidence. Pure."""

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
"""Characters of a piece of evidence that are shown: a pasted page is not a sentence of a story."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryEvidence:
    """A memory or a message that a story may rest on; the other field is None.

    number: its place in order of time, from 1, used in citations. found_by: "subject", "connection", "topic", "replaced",
    "period" or "said". until: when a memory was replaced; None for current memories and messages.
    """

    number: int = 0
    memory: StoredMemory | None = None
    message: StoredMessage | None = None
    found_by: tuple[str, ...] = ()
    until: datetime | None = None

    @property
    def id(self) -> UUID:
        """The id of the memory or message."""
        return self._one.id

    @property
    def content(self) -> str:
        """The text of the memory or message."""
        return self._one.content

    @property
    def at(self) -> datetime:
        """When it happened, if known; else when it was said."""
        return self.memory.occurred.start if self.memory and self.memory.occurred else self._one.said_at

    @property
    def said_at(self) -> datetime:
        """When it was said, in the speaker's time zone."""
        return self._one.said_at

    @property
    def when(self) -> str:
        """The time in words."""
        return occurred_on(self.memory) if self.memory else said_on(self._one)

    @property
    def said(self) -> str:
        """The day on which it was said, in words."""
        return said_on(self._one)

    @property
    def speaker(self) -> str | None:
        """The speaker's name, if the app gave one that can be shown."""
        named = self.memory.said_by if self.memory else self.message.speaker if self.message else None
        return shown_name(named)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on its words: when it was said, until when it was true, and whether it is unsure."""
        said = f"said on {self.said}" if self.said != self.when else ""
        held = f"until {self.until:%-d %B %Y}" if self.until else ""
        unsure = "unsure" if self.memory and self.memory.tier == "hypothesis" else ""
        return tuple(filter(None, (said, held, unsure)))

    @property
    def shown(self) -> str:
        """Its content on one line, truncated if long."""
        line = one_line(self.content)
        return line if len(line) <= _LONGEST else f"{line[:_LONGEST].rstrip()} […]"

    @property
    def _one(self) -> StoredMemory | StoredMessage:
        one = self.memory or self.message
        assert one is not None  # noqa: S101 - it is made of one of the two
        return one


@dataclass(frozen=True, slots=True, kw_only=True)
class StorySentence:
    """A sentence of a story, and at least one piece of evidence, in order of time."""

    text: str
    citations: tuple[StoryEvidence, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of its evidence."""
        return tuple(one.number for one in self.citations)


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What is known about a request, told in order of time.

    intent: the kind of story. told_by: "model" for an LLM, "rules" for a chronicle in the memories' own words, None if there is
        nothing to tell.
    sentences: each rests on evidence. evidence: all that was found, cited or not, in order of time; tokens: its size.
    dropped: how many of the LLM's sentences were removed because the evidence does not support them.
    questions: set if it is unclear who is meant; nothing is told then.
    partial: events are still being processed, or the read timed out. reason: why there is no story, or why it is a chronicle
        although a model was given.
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
        """The sentences: an LLM's as running text, a chronicle's one per line. Empty if there are none."""
        return self._between.join(one.text for one in self.sentences)

    @property
    def cited_text(self) -> str:
        """The same, with the numbers of the evidence in brackets after each sentence."""
        return self._between.join(f"{one.text} [{', '.join(map(str, one.numbers))}]" for one in self.sentences)

    @property
    def _between(self) -> str:
        return " " if self.told_by == "model" else "\n"


def sentence(text: str) -> str:
    """End a text with a full stop if it has no end."""
    return text if re.search(r"[.!?…][\"'”’»)\]]*$", text) else f"{text}."
