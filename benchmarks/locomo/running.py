"""Publishes conversations to a service, waits until they took effect, and asks their questions by the public face."""

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import chain
from statistics import fmean
from typing import LiteralString
from uuid import UUID

from rich.console import Console

from benchmarks.locomo.baselines import by_vector, by_words
from benchmarks.locomo.conversations import Conversation, Question
from benchmarks.locomo.report import Measured
from benchmarks.locomo.scoring import BUDGETS, KS, Answered
from benchmarks.locomo.unrelated import UNRELATED
from benchmarks.replaying_model import ReplayingModel
from benchmarks.rig import Rig, rig
from mosshead import Context, Memory, Namespace
from mosshead.embeddings import open_embedder

_PATIENCE_SECONDS = 3600.0
_MEMORIES: LiteralString = """
    select count(*) from mosshead.memories where known_to is null and state = 'active' and namespace_id = any(%s)
"""


def run(conversations: Sequence[Conversation], *, facts: bool, console: Console, fill: bool = False) -> Measured:
    """Measure on a service that is started for it. facts: with an LLM that finds what the data say; offline otherwise.

    fill: contexts that fill their budget.
    """
    with ExitStack() as stack:
        settings = {}
        if facts:
            told = list(chain.from_iterable(one.told for one in conversations))
            settings["OPENAI_BASE_URL"] = stack.enter_context(ReplayingModel(told)).base_url
        service = stack.enter_context(rig(concurrency=1, pause=None, settings=settings))
        memory = stack.enter_context(service.memory())
        return measure(conversations, service, memory, console=console, fill=fill)


def measure(
    conversations: Sequence[Conversation],
    service: Rig,
    memory: Memory,
    *,
    console: Console,
    within: float = _PATIENCE_SECONDS,
    fill: bool = False,
) -> Measured:
    """Measure on a running service in which nobody else's messages are on their way. within: seconds until all took effect."""
    events = service.received() + sum(len(one.turns) for one in conversations)
    published = [(one, _publish(memory, one)) for one in conversations]
    console.print(f"{sum(len(one.turns) for one in conversations)} messages published")
    service.await_done(events, within=within)
    answered = []
    for one, ids in published:
        console.print(f"{one.name}: {len(one.questions)} questions")
        answered += [_answered(_namespace(memory, one), question, ids, fill=fill) for question in one.questions]
    namespaces = [_namespace(memory, one) for one in conversations]
    return Measured(
        answered=answered,
        **_baselines(conversations, service),
        memories=int(service.rows(_MEMORIES, [one.path.namespace_id for one in namespaces])[0][0]),
        unrelated=_unrelated(namespaces, fill=fill),
    )


def _namespace(memory: Memory, conversation: Conversation) -> Namespace:
    return memory.namespace("locomo", conversation.name)


def _publish(memory: Memory, conversation: Conversation) -> dict[UUID, str]:
    """Publish all turns; returns the turn of each message."""
    messages = [
        {
            "role": "user",
            "speaker": turn.speaker,
            "content": turn.content,
            "conversation": turn.session,
            "occurred_at": turn.said_at,
        }
        for turn in conversation.turns
    ]
    ids = _namespace(memory, conversation).publish_conversation(messages)
    return {message: turn.id for message, turn in zip(ids, conversation.turns, strict=True)}


def _answered(namespace: Namespace, question: Question, turns: dict[UUID, str], *, fill: bool) -> Answered:
    recalled = namespace.messages.search(question.text, limit=max(KS), around=0)
    contexts = {budget: namespace.context(question.text, budget=budget, fill=fill) for budget in BUDGETS}
    return Answered(
        question=question,
        ranked=[turns[message.id] for message in recalled.messages],
        shown={budget: _shown(context, turns) for budget, context in contexts.items()},
        tokens={budget: context.tokens for budget, context in contexts.items()},
    )


def _shown(context: Context, turns: dict[UUID, str]) -> frozenset[str]:
    """The turns that a context shows, or from which a memory that it shows was taken."""
    sources = chain.from_iterable(one.sources for one in context.explain())
    return frozenset(turns[one] for one in (*(message.id for message in context.messages), *sources))


def _unrelated(namespaces: Sequence[Namespace], *, fill: bool) -> dict[int, float]:
    return {
        budget: fmean(one.context(text, budget=budget, fill=fill).tokens for one in namespaces for text in UNRELATED)
        for budget in BUDGETS
    }


def _baselines(conversations: Sequence[Conversation], service: Rig) -> dict[str, list[Answered]]:
    embedder = open_embedder("minilm")

    def words(texts: Sequence[str]) -> list[Counter[str]]:
        found = service.rows(
            "select array(select array[lexeme, cardinality(positions)::text] from unnest(to_tsvector('english', text))) "
            "from unnest(%s::text[]) with ordinality as given (text, number) order by number",
            list(texts),
        )
        return [Counter({word: int(often) for word, often in row[0]}) for row in found]

    return {
        "vector": [answer for one in conversations for answer in by_vector(one, embedder)],
        "bm25": [answer for one in conversations for answer in by_words(one, embedder, words)],
    }
