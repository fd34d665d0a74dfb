"""From what was said to a document's next version: the LLM proposes fields, and code takes those that are borne out and free."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from mosshead.kinds import Granularity, Role
from mosshead.language_model.objects import leaves
from mosshead.language_model.ports import LanguageModel
from mosshead.managing.fields import Sourced, read_fields
from mosshead.managing.patching import fields_of, merged, patch_between, without
from mosshead.managing.prompts import document_prompt
from mosshead.managing.talk import Talk
from mosshead.transcript import Turn
from pipeline.documents import Changed, Held, Mark, Misfit, barred, changed, settled
from pipeline.facts import Message, Occurrence, RecordSchema
from pipeline.guard import suspicion_of, texts_in
from pipeline.portions import portions
from pipeline.prompts.occurrences import words_for
from pipeline.prompts.vocabulary import Vocabulary
from pipeline.records import is_said
from pipeline.schemas import accepted, accepts
from pipeline.times import times_in

_A_PHRASE = 4
"""Words from which a text is more than a name, and is judged as a fact's content is."""

_WITHIN_A_DAY = frozenset({Granularity.MINUTE, Granularity.HOUR, Granularity.PART_OF_DAY, Granularity.DAY})


@dataclass(frozen=True, slots=True)
class Formed:
    """What comes of some messages. change: None where nothing changes. sources: the messages that bear it out.

    refused: how many of the LLM's proposals were not taken, by reason; reasons hold nothing of the conversation.
    """

    change: Changed | None
    sources: tuple[UUID, ...] = ()
    refused: Mapping[str, int] = field(default_factory=dict)


def form_document(
    shape: RecordSchema, held: Held, messages: Sequence[Message], model: LanguageModel, *, instructions: str = ""
) -> Formed:
    """The document after some messages, in order; one call to the model for as many as fit into one, none where no user spoke.

    A field is taken where a user's message bears it out, where it names nothing that was not said, where it is no instruction,
    and where nobody has edited it by hand since that was said. What is left has to fit the schema, or nothing is taken of it.
    Raises what the model raises.
    """
    forming = _Forming(shape, held, instructions)
    for portion in portions(messages, ()):
        if portion.is_spoken:
            forming.take(portion.messages, model)
    return forming.result()


@dataclass
class _Forming:
    """The document while portions of what was said are taken up one after the other."""

    shape: RecordSchema
    first: Held
    instructions: str
    now: Held = field(init=False)
    marked: dict[str, Mark] = field(default_factory=dict)
    sources: dict[UUID, None] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.now = replace(self.first, body=accepted(self.shape.schema, self.first.body))

    def take(self, messages: Sequence[Message], model: LanguageModel) -> None:
        """Ask about some messages, and take what of the answer can be taken."""
        talk = Talk(tuple(_turn(message) for message in messages))
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
        """What has come of it all."""
        change = None
        if self.marked:
            patch = patch_between(self.first.body, self.now.body)
            change = Changed(body=self.now.body, patch=patch, marked=self.marked)
        return Formed(change, tuple(self.sources), dict(self.refused))

    def _free(self, one: Sourced, cited: Sequence[Message], grounds: Vocabulary) -> dict[str, Any]:
        """A proposed field as a patch, without what may not be taken of it."""
        now = {one.name: self.now.body.get(one.name)}
        patch = patch_between(now, self._after(one))
        if any(map(_suspicious, texts_in(patch))):
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
        """The field after what is proposed: an object with that in it, or that alone, where the two are not of one kind."""
        held, whole = self.now.body.get(one.name), {one.name: one.value}
        within: dict[str, Any] = merged({one.name: held}, whole)
        if self._accepts(within) or not (self._accepts(whole) and self._is_of_another_kind(one, held)):
            return within
        return whole

    def _is_of_another_kind(self, one: Sourced, held: Any) -> bool:
        """Whether what is there is no object, or one with a field that has no place beside what is proposed."""
        if not (isinstance(held, Mapping) and isinstance(one.value, Mapping)):
            return True
        others = ({key: inner} for key, inner in held.items() if key not in one.value)
        return not all(self._accepts({one.name: {**one.value, **other}}) for other in others)

    def _accepts(self, part: Mapping[str, Any]) -> bool:
        return accepts(self.shape.schema, part)

    def _grounds(self, shown: Sequence[Message]) -> Vocabulary:
        held = [str(leaf) for leaf in leaves(dict(self.now.body)) if isinstance(leaf, str | int | float)]
        said = (text for message in shown for text in (message.content, message.speaker or ""))
        told = Vocabulary.of(["User", *said, *held])
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


def _turn(message: Message) -> Turn:
    return Turn(role=message.role, content=message.content, speaker=message.speaker, occurred_at=message.occurred_at)


def _days_in(messages: Sequence[Message]) -> Iterator[Occurrence]:
    """The days of which some messages speak, with "tomorrow" or "on Friday": a document has them written out."""
    for message in messages:
        for past in (True, False):
            for phrase in times_in(message.content, message.occurred_at, past=past):
                if phrase.occurred.granularity in _WITHIN_A_DAY:
                    yield phrase.occurred


def _said_at(cited: Sequence[Message]) -> datetime:
    """When a user said it, the last time."""
    return max(message.occurred_at for message in cited if message.role is Role.USER)


def _suspicious(text: str) -> bool:
    return len(text.split()) >= _A_PHRASE and suspicion_of(text, "", ()) is not None
