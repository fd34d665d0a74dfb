"""The summary of a conversation, carried on from the old one by what was said since."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mosshead.language_model.ports import AnswerRefused, LanguageModel
from pipeline.facts import Message
from pipeline.prompts.summary import summary_prompt

MOST_TELLING = 8
"""So many memories make a summary by rules."""

_CHARACTERS = 1_500
_CALL_CHARACTERS = 24_000
_MESSAGE_CHARACTERS = 4_000


@dataclass(frozen=True, slots=True)
class SummedUp:
    """A new summary. refused: why the model's was not taken, if it was not."""

    text: str
    refused: str | None = None


def sum_up(old: str, said: Sequence[Message], telling: Sequence[str], model: LanguageModel | None) -> SummedUp:
    """The summary after what was said since the old one, oldest first.

    telling: what the memories hold of the whole conversation, the most salient of it in its order; this is the summary where
        there is no model, and where the model gives no usable answer.
    Raises ModelUnavailable.
    """
    if model is None:
        return SummedUp(_put_together(telling))
    text = old
    try:
        for portion in _portions(said):
            text = _cut(model.answer(summary_prompt(text, portion)).summary)
    except AnswerRefused as error:
        return SummedUp(_put_together(telling) or old, f"{type(error).__name__}: {error}")
    return SummedUp(text or old)


def _portions(said: Sequence[Message]) -> Iterator[list[Message]]:
    """What one call shows at a time; of a long message its head."""
    held: list[Message] = []
    for message in said:
        head = replace(message, content=message.content[:_MESSAGE_CHARACTERS], conversation=None)
        if held and sum(len(one.content) for one in (*held, head)) > _CALL_CHARACTERS:
            yield held
            held = []
        held.append(head)
    if held:
        yield held


def _put_together(telling: Sequence[str]) -> str:
    return _cut(" ".join(f"{memory.rstrip('. ')}." for memory in dict.fromkeys(telling)))


def _cut(text: str) -> str:
    """The text; of a longer one the sentences that fit, or as much of the first."""
    if len(text) <= _CHARACTERS:
        return text
    head = text[:_CHARACTERS]
    whole = max(head.rfind(mark) for mark in (". ", "! ", "? ", "。"))
    return head[: whole + 1] if whole > 0 else f"{head[:-1]}…"
