"""Facts from messages: by the LLM, or, without one, by the offline rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pipeline.facts import Background, Fact, Message
from pipeline.guard import guarded
from pipeline.offline import extract_offline
from pipeline.portions import Portion, bearing, halves, latest, portions
from pipeline.prompts.extraction import extraction_prompt
from pipeline.prompts.grounding import Grounded, facts_of, joined
from pipeline.prompts.refusals import RefusedFact
from recollect.language_model.ports import AnswerTruncated, AnswerUnusable, LanguageModel


@dataclass(frozen=True, slots=True)
class Extraction:
    """The facts of a batch, and what the LLM proposed in vain.

    turned_down: as facts. refused: how many of them, and of the records in those that stand, by reason; refused_entities: of the
        entities in them.
    """

    facts: tuple[Fact, ...]
    turned_down: tuple[RefusedFact, ...] = ()
    refused: Mapping[str, int] = field(default_factory=dict)
    refused_entities: Mapping[str, int] = field(default_factory=dict)


def extract(messages: Sequence[Message], background: Background, model: LanguageModel | None) -> Extraction:
    """What is worth remembering of a batch of messages.

    One call to the model for a batch that fits into one, and none where no user spoke. What the model cannot answer for its
    length, or gives no usable answer to, is asked once more in halves. Raises what the model raises; AnswerRefused is final.
    """
    found = _found(messages, background, model)
    return replace(found, facts=guarded(found.facts, messages))


def _found(messages: Sequence[Message], background: Background, model: LanguageModel | None) -> Extraction:
    if not Portion(tuple(messages)).is_spoken:
        return Extraction(())
    if model is None:
        return Extraction(tuple(extract_offline(messages, background)))
    earlier = bearing(background.earlier, messages)
    asked = [portion for portion in portions(messages, earlier) if portion.is_spoken]
    question = _Question(messages, background, model)
    grounded = joined(answer for portion in asked for answer in question.ask(portion))
    return Extraction(
        facts=grounded.facts,
        turned_down=grounded.turned_down,
        refused=_by_reason(grounded.refused),
        refused_entities=_by_reason(grounded.refused_entities),
    )


def _by_reason(refused: Mapping[Any, int]) -> dict[str, int]:
    return {str(reason): count for reason, count in refused.items()}


@dataclass(frozen=True, slots=True)
class _Question:
    """What every call of a batch shares. messages: whole, for what a part of one says is held against all of it."""

    messages: Sequence[Message]
    background: Background
    model: LanguageModel

    def ask(self, portion: Portion) -> list[Grounded]:
        """The answer to one call; where that is none, those to its halves."""
        try:
            return [self._answer(portion)]
        except (AnswerTruncated, AnswerUnusable) as refused:
            failure = refused
            smaller = halves(portion)
        if smaller is None:
            raise failure
        return [self._answer(half) for half in smaller]

    def _answer(self, portion: Portion) -> Grounded:
        shown = replace(self.background, earlier=latest(portion.earlier))
        labels = {number: f"part {part} of {count}" for number, (part, count) in portion.parts.items()}
        answer = self.model.answer(extraction_prompt(portion.messages, shown, labels))
        numbers = {message.number for message in portion.messages}
        whole = [message for message in self.messages if message.number in numbers]
        return facts_of(answer, whole, replace(self.background, earlier=portion.earlier))
