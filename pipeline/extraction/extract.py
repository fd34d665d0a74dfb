"""Facts from messages: by the LLM, or, without one, by the offline rules."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mosshead.llm.protocol import AnswerTruncated, AnswerUnusable, LanguageModel
from pipeline.extraction.chunks import Portion, bearing, halves, latest, portions
from pipeline.extraction.grounding import Extraction, facts_of, joined, within_limits
from pipeline.extraction.prompt import extraction_prompt
from pipeline.models import Background, Message
from pipeline.rules_en import extract_offline
from pipeline.safety import guarded


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
        return within_limits(extract_offline(messages, background))
    earlier = bearing(background.earlier, messages)
    asked = [portion for portion in portions(messages, earlier) if portion.is_spoken]
    question = _Question(messages, background, model)
    return joined(answer for portion in asked for answer in question.ask(portion))


@dataclass(frozen=True, slots=True)
class _Question:
    """What every call of a batch shares. messages: whole, for what a part of one says is held against all of it."""

    messages: Sequence[Message]
    background: Background
    model: LanguageModel

    def ask(self, portion: Portion) -> list[Extraction]:
        """The answer to one call; where that is none, those to its halves."""
        try:
            return [self._answer(portion)]
        except (AnswerTruncated, AnswerUnusable):
            smaller = halves(portion)
            if smaller is None:
                raise
        return [self._answer(half) for half in smaller]

    def _answer(self, portion: Portion) -> Extraction:
        shown = replace(self.background, earlier=latest(portion.earlier))
        labels = {number: f"part {part} of {count}" for number, (part, count) in portion.parts.items()}
        answer = self.model.answer(extraction_prompt(portion.messages, shown, labels))
        numbers = {message.number for message in portion.messages}
        whole = [message for message in self.messages if message.number in numbers]
        return facts_of(answer, whole, replace(self.background, earlier=portion.earlier))
