"""A namespace's documents as forming and editing see them: the body, and when and by whom each field was set.

Fields are named by JSON Pointers; see `mosshead.schemas`.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import reduce
from itertools import product
from typing import Any
from uuid import UUID

from mosshead.contrib.managers.prompts import Talk, document_prompt
from mosshead.contrib.managers.values import Sourced, read_fields
from mosshead.events.transcripts import TranscriptTurn
from mosshead.language.dates import times_in
from mosshead.llm.protocol import LanguageModel
from mosshead.models.kinds import Granularity, Role
from mosshead.models.occurrence import FactOccurrence
from mosshead.safety import suspicion_of, texts_in
from mosshead.schemas import fields_of, merged, patch_between, removed, replaced, touches, value_at, without
from pipeline.extraction.dates import words_for
from pipeline.extraction.mentions import SourceVocabulary
from pipeline.extraction.prompt import portions
from pipeline.extraction.records import accepted, accepts, closed, fits, is_said, written_in
from pipeline.models import Message, RecordSchema

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Mark:
    """When a field was last set: the time it was said or edited.

    hand: the app edited it; otherwise it was formed. by: the decision that set it; None if that is not made yet.
    """

    at: datetime
    hand: bool
    by: UUID | None = None


@dataclass(frozen=True, slots=True)
class DocumentState:
    """A document as read. version: 0 if there is none yet. marks: of all fields ever set or removed."""

    body: Json = field(default_factory=dict)
    marks: Mapping[str, Mark] = field(default_factory=dict)
    version: int = 0


@dataclass(frozen=True, slots=True)
class Changed:
    """A changed document. patch: leads from the old body to the new. marked: the fields it sets or removes."""

    body: Json
    patch: Json
    marked: Mapping[str, Mark]


class Misfit(ValueError):
    """A change would make a document violate its schema."""


def edited(shape: RecordSchema, held: DocumentState, patch: Json, at: datetime) -> Changed:
    """Apply an app's edit: the named fields keep their values against earlier messages. Raises Misfit."""
    return changed(shape, held, patch, dict.fromkeys(fields_of(patch), Mark(at, hand=True)))


def changed(shape: RecordSchema, held: DocumentState, patch: Json, marked: Mapping[str, Mark]) -> Changed:
    """Apply a patch to a document. Raises Misfit."""
    body = merged(held.body, patch)
    if not fits(body, closed(shape.schema)):
        raise Misfit(f"does not fit the schema {shape.name}")
    return Changed(body=body, patch=patch, marked=marked)


def unformed(
    versions: Sequence[DocumentState], decisions: Collection[UUID], said: Mapping[UUID, str]
) -> tuple[list[DocumentState], set[UUID]]:
    """Remove the fields that some decisions set from a document's versions, as if never said. They may then violate their schema.

    Other fields may contain the removed values, such as a list that was extended. These are removed too, unless the other
    decision's own sources say them. said: those sources, by decision. Also returns the other decisions that had set removed
    values.
    """
    lost = set[str]()
    left, trimmed = list[DocumentState](), set[UUID]()
    for before, held in zip((DocumentState(), *versions), versions, strict=False):
        gone = {pointer for pointer, mark in held.marks.items() if mark.by in decisions}
        for pointer in gone:
            lost |= _texts(value_at(held.body, pointer)) - _texts(before.body)
        body: Json = reduce(removed, sorted(gone), held.body)
        for pointer, mark in held.marks.items():
            value = value_at(body, pointer)
            if mark.hand or mark.by is None or value is None:
                continue
            own = said.get(mark.by, "")
            kept = _without(value, [one for one in lost if not _holds(own, [one])])
            if kept is None:
                gone.add(pointer)
            if kept != value:
                body = removed(body, pointer) if kept is None else replaced(body, pointer, kept)
                trimmed.add(mark.by)
        left.append(replace(held, body=body, marks={key: mark for key, mark in held.marks.items() if key not in gone}))
    return left, trimmed


def _texts(value: Any) -> set[str]:
    return {one.casefold() for one in written_in(value) if one.strip()}


def _holds(value: Any, texts: Iterable[str]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(text)}(?!\w)", one) for text in texts for one in _texts(value))


def _without(value: Any, texts: Collection[str]) -> Any:
    """Remove the parts of a value that contain one of the texts; None if nothing remains."""
    if isinstance(value, list):
        return [one for one in value if not _holds(one, texts)] or (None if value else value)
    return None if _holds(value, texts) else value


def settled(marks: Mapping[str, Mark], marked: Mapping[str, Mark]) -> dict[str, Mark]:
    """Merge marks after a change: setting a field replaces the marks inside it."""
    within = tuple(f"{new}/" for new in marked)
    kept = {old: mark for old, mark in marks.items() if not (old in marked or old.startswith(within))}
    return kept | dict(marked)


def barred(marks: Mapping[str, Mark], fields: Iterable[str], said_at: datetime) -> set[str]:
    """Return the fields that a message of this time may not change, because they were edited by hand later."""
    edits = [pointer for pointer, mark in marks.items() if mark.hand and mark.at > said_at]
    return {one for one in fields if any(touches(one, edit) for edit in edits)}


_A_PHRASE = 4
"""From this many words on, a text is more than a name and is judged like a fact."""

_WITHIN_A_DAY = frozenset({Granularity.MINUTE, Granularity.HOUR, Granularity.PART_OF_DAY, Granularity.DAY})


@dataclass(frozen=True, slots=True)
class Formed:
    """The result of forming a document.

    change: None if nothing changes. sources: the supporting messages. refused: the number of refused proposals, by reason;
    reasons contain no conversation text.
    """

    change: Changed | None
    sources: tuple[UUID, ...] = ()
    refused: Mapping[str, int] = field(default_factory=dict)


def form_document(
    shape: RecordSchema,
    held: DocumentState,
    messages: Sequence[Message],
    model: LanguageModel,
    *,
    instructions: str = "",
) -> Formed:
    """Update a document from messages, in as few calls as they fit into; none if no user spoke.

    A field is accepted if a user's message supports it, it names nothing unsaid, it is no instruction, and nobody edited it by
    hand since. The rest must fit the schema, or nothing is accepted. Raises what the model raises.
    """
    forming = _Forming(shape, held, instructions)
    for portion in portions(messages, ()):
        if portion.is_spoken:
            forming.take(portion.messages, model)
    return forming.result()


@dataclass
class _Forming:
    """A document while portions of messages are processed."""

    shape: RecordSchema
    first: DocumentState
    instructions: str
    now: DocumentState = field(init=False)
    marked: dict[str, Mark] = field(default_factory=dict)
    sources: dict[UUID, None] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.now = replace(self.first, body=accepted(self.shape.schema, self.first.body))

    def take(self, messages: Sequence[Message], model: LanguageModel) -> None:
        """Ask about some messages and accept what can be accepted."""
        talk = talk_of(messages)
        prompt = document_prompt(
            talk,
            name=self.shape.name,
            schema=self.shape.schema,
            current=self.now.body or None,
            instructions=self.instructions,
        )
        fields, refused = read_fields(model.answer(prompt), talk.numbers, talk.spoken)
        self.refused.update(one.why for one in refused)
        grounds = self._grounds(messages)
        patch, marked, sources = dict[str, Any](), dict[str, Mark](), list[UUID]()
        for one in fields:
            cited = [messages[number - 1] for number in one.sources]
            free = self._free(one, cited, grounds)
            if free:
                patch |= free
                marked |= dict.fromkeys(fields_of(free), Mark(_said_at(cited), hand=False))
                sources += [message.event_id for message in cited]
        self._apply(patch, marked, sources)

    def result(self) -> Formed:
        change = Changed(self.now.body, patch_between(self.first.body, self.now.body), self.marked)
        return Formed(change if self.marked else None, tuple(self.sources), dict(self.refused))

    def _free(self, one: Sourced, cited: Sequence[Message], grounds: SourceVocabulary) -> dict[str, Any]:
        """Return a proposed field as a patch, without what may not be accepted."""
        now = {one.name: self.now.body.get(one.name)}
        patch = patch_between(now, self._after(one))
        phrases = (text for text in texts_in(patch) if len(text.split()) >= _A_PHRASE)
        if any(suspicion_of(text, "", ()) for text in phrases):
            self.refused["value: looks like an instruction"] += 1
            return {}
        if not is_said(patch, self.shape.schema, grounds):
            self.refused["value: names what nobody said"] += 1
            return {}
        edited = barred(self.now.marks, fields_of(patch), _said_at(cited))
        if edited:
            self.refused["name: was edited by hand since"] += len(edited)
        return without(patch, edited)

    def _after(self, one: Sourced) -> dict[str, Any]:
        """Merge a proposed object into the field, or replace the field if the two are of different kinds."""
        held, whole = self.now.body.get(one.name), {one.name: one.value}
        within: dict[str, Any] = merged({one.name: held}, whole)
        if self._accepts(within) or not (self._accepts(whole) and self._is_of_another_kind(one, held)):
            return within
        return whole

    def _is_of_another_kind(self, one: Sourced, held: Any) -> bool:
        """Whether the current value is no object, or has a field that cannot coexist with the proposed ones."""
        if not (isinstance(held, Mapping) and isinstance(one.value, Mapping)):
            return True
        others = ({key: inner} for key, inner in held.items() if key not in one.value)
        return not all(self._accepts({one.name: {**one.value, **other}}) for other in others)

    def _accepts(self, part: Mapping[str, Any]) -> bool:
        return accepts(self.shape.schema, part)

    def _grounds(self, shown: Sequence[Message]) -> SourceVocabulary:
        said = (text for message in shown for text in (message.content, message.speaker or ""))
        told = SourceVocabulary.of(["User", *said, *written_in(dict(self.now.body))])
        return told.with_all(map(words_for, set(_days_in(shown))))

    def _apply(self, patch: Mapping[str, Any], marked: Mapping[str, Mark], sources: Sequence[UUID]) -> None:
        if not patch:
            return
        try:
            change = changed(self.shape, self.now, patch, marked)
        except Misfit as error:
            self.refused[str(error)] += 1
            return
        self.now = replace(self.now, body=change.body, marks=settled(self.now.marks, marked))
        self.marked = settled(self.marked, marked)
        self.sources |= dict.fromkeys(sources)


def talk_of(messages: Sequence[Message]) -> Talk:
    """Convert messages to the form the managers show to a model."""
    turns = (
        TranscriptTurn(role=one.role, content=one.content, speaker=one.speaker, occurred_at=one.occurred_at)
        for one in messages
    )
    return Talk(tuple(turns))


def _days_in(messages: Sequence[Message]) -> Iterator[FactOccurrence]:
    """Yield the days that messages mention as "tomorrow" or "on Friday": documents write them out."""
    for message, past in product(messages, (True, False)):
        for phrase in times_in(message.content, message.occurred_at, past=past):
            if phrase.occurred.granularity in _WITHIN_A_DAY:
                yield phrase.occurred


def _said_at(cited: Sequence[Message]) -> datetime:
    return max(message.occurred_at for message in cited if message.role is Role.USER)
