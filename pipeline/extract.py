"""Facts from messages: by the LLM, or, without one, by the offline rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.facts import Background, Fact, Message
from pipeline.offline import extract_offline
from pipeline.ports import LanguageModel
from pipeline.prompts.extraction import extraction_prompt
from pipeline.prompts.grounding import facts_of
from recollect.kinds import Role


@dataclass(frozen=True, slots=True)
class Extraction:
    """The facts of a batch, and how many that the LLM proposed were refused, by reason."""

    facts: tuple[Fact, ...]
    refused: Mapping[str, int] = field(default_factory=dict)


def extract(messages: Sequence[Message], background: Background, model: LanguageModel | None) -> Extraction:
    """What is worth remembering of a batch of messages. One call to the model for the whole batch; none where no user spoke.

    Raises what the model raises.
    """
    if not any(message.role is Role.USER and message.content.strip() for message in messages):
        return Extraction(())
    if model is None:
        return Extraction(tuple(extract_offline(messages, background)))
    grounded = facts_of(model.answer(extraction_prompt(messages, background)), messages, background)
    return Extraction(grounded.facts, {str(reason): count for reason, count in grounded.refused.items()})
