"""The figures of one system: what it cost, and what of the evidence it found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.lag import lag_of
from benchmarks.peers.conversation import Asked, Conversation
from benchmarks.peers.telling import Cost, Found


@dataclass(frozen=True, slots=True)
class Row:
    """One system, told one conversation and asked its questions in one way.

    blocking_ms_per_message: what an app waits while it tells, shared by the messages. llm_calls, prompt_tokens: of the whole
    conversation, schemas and tools counted (`answering.prompt_tokens`). embedding_calls: while it was told, whatever the number
    of texts. search_p50_ms: with the embedding of the question. recall_at_10: `recall`.
    """

    blocking_ms_per_message: float
    llm_calls: int
    prompt_tokens: int
    embedding_calls: int
    search_p50_ms: float
    recall_at_10: float


def rows_of(
    name: str,
    cost: Cost,
    found: Sequence[Mapping[str, Found]],
    conversation: Conversation,
    *,
    prompts: Sequence[int],
    embedding_calls: int = 0,
) -> dict[str, Row]:
    """The figures of a system: under its name those of its first way to search, under ``NAME_WAY`` those of the others.

    found: for each question, by way. prompts: the tokens of each. embedding_calls: made for it outside of its own process.
    """
    turns = turns_of(conversation)
    return {
        f"{name}_{way}" if place else name: Row(
            blocking_ms_per_message=round(sum(cost.blocking_ms) / conversation.messages, 3),
            llm_calls=len(prompts),
            prompt_tokens=sum(prompts),
            embedding_calls=cost.embedding_calls + embedding_calls,
            search_p50_ms=lag_of(one[way].ms for one in found).p50,
            recall_at_10=round(recall(conversation.questions, [one[way].texts for one in found], turns), 3),
        )
        for place, way in enumerate(found[0])
    }


def turns_of(conversation: Conversation) -> dict[str, frozenset[str]]:
    """The ids of the turns that each fact came from, by its words, and of the turns themselves by theirs."""
    said = [(turn.content, [turn.id]) for session in conversation.sessions for turn in session]
    turns: dict[str, frozenset[str]] = {}
    for text, ids in [*said, *((fact.told.content, fact.turns) for fact in conversation.facts)]:
        turns[_words(text)] = turns.get(_words(text), frozenset()) | frozenset(ids)
    return turns


def recall(questions: Sequence[Asked], found: Sequence[Sequence[str]], turns: Mapping[str, frozenset[str]]) -> float:
    """The part of a question's evidence that what was found for it came from, on average over the questions.

    found: texts, for each question. turns: as of `turns_of`; a text that is neither a fact nor a turn came from none.
    """
    parts = [
        len(asked.evidence & frozenset[str]().union(*(turns.get(_words(text), frozenset()) for text in texts)))
        / len(asked.evidence)
        for asked, texts in zip(questions, found, strict=True)
    ]
    return sum(parts) / len(parts)


def _words(text: str) -> str:
    return " ".join(text.split())
