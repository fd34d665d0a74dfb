"""The context of a message: what two independent paths found, joined within a token budget.

Pure: `recollect.retrieval` fetches, this module joins. The paths do not compete for one top-K: what each of them must deliver
has its place first, and only the rest is ranked across paths.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from recollect.fence import fenced, one_line
from recollect.results import Hit, as_lines

GUARANTEED = 3
"""How many memories of each path have their place before the rest is ranked."""

_SIMILARITY_WEIGHT = 1.0
_SALIENCE_WEIGHT = 0.02  # per point of 0..10
_RECENCY = ((timedelta(days=7), 0.15), (timedelta(days=30), 0.08), (timedelta(days=90), 0.03))
_RECENCY_WEIGHT = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An entity that a question offers as its answer, with what tells it from the others."""

    entity_id: UUID
    name: str
    description: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What must be asked back, because the words fit several entities. `Namespace.clarify` takes it with its answer.

    id: of a question that the service holds open; None of one that a read asks.
    message: what the mention stands in. memories: what waits for the answer, where the service asks.
    """

    text: str
    mention: str
    candidates: tuple[Candidate, ...]
    id: UUID | None = None
    message: str = ""
    memories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """What one path found, best first. name: "entity" or "semantic"; subject: whose memories these are, on the entity path."""

    name: str
    hits: tuple[Hit, ...]
    subject: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a memory is in the context. paths: that found it; guaranteed: it had its place before ranking."""

    memory: Hit
    paths: tuple[str, ...]
    score: float
    guaranteed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a model should know to answer a message.

    memories: in the order in which the text shows them. questions: where it is open who is meant, and asking beats guessing.
    tokens: of ``text``, counted by the embedder's tokenizer. partial: events are still on their way.
    """

    memories: tuple[Hit, ...]
    questions: tuple[Question, ...]
    tokens: int
    partial: bool
    explanations: tuple[Explanation, ...]

    @property
    def text(self) -> str:
        """``- content`` lines to show; empty where nothing is known. For a prompt, take `as_system_message`."""
        return as_lines(self.memories)

    def as_system_message(self) -> dict[str, str]:
        """The memories as ``{"role": "system", "content": …}``, to stand before the turns: data inside a fence.

        Whatever a memory holds, it is one line of the fence and cannot end it. Where nothing is known, the fence is empty. The
        fence itself takes some 30 tokens more than `tokens`.
        """
        return {"role": "system", "content": fenced(memory.content for memory in self.memories)}

    def explain(self) -> tuple[Explanation, ...]:
        """For each memory of the context, how it came to be there."""
        return self.explanations


def join(
    paths: Sequence[Path],
    *,
    questions: Sequence[Question],
    budget: int,
    count_tokens: Callable[[str], int],
    now: datetime,
    partial: bool,
) -> Context:
    """Join what the paths found: no memory twice, each path's best first, the rest by score, as many as the budget holds.

    budget: tokens of ``Context.text`` at most. A memory that does not fit is passed over, and shorter ones may still fit.
    """
    explanations = []
    tokens = 0
    for explanation in _in_order(paths, now):
        cost = count_tokens(f"- {one_line(explanation.memory.content)}\n")
        if tokens + cost <= budget:
            explanations.append(explanation)
            tokens += cost
    return Context(
        memories=tuple(explanation.memory for explanation in explanations),
        questions=tuple(questions),
        tokens=tokens,
        partial=partial,
        explanations=tuple(explanations),
    )


def score(hit: Hit, now: datetime) -> float:
    """similarity · 1.0 + salience · 0.02, and a recency boost: said less than 7, 30 or 90 days ago. The base never decays."""
    age = now - hit.said_at
    boost = next((boost for limit, boost in _RECENCY if timedelta(0) <= age < limit), 0.0)
    return hit.similarity * _SIMILARITY_WEIGHT + hit.salience * _SALIENCE_WEIGHT + boost * _RECENCY_WEIGHT


def _in_order(paths: Sequence[Path], now: datetime) -> Iterator[Explanation]:
    found: dict[UUID, tuple[Hit, list[str]]] = {}
    for path in paths:
        for hit in path.hits:
            found.setdefault(hit.id, (hit, []))[1].append(f"{path.name}: {path.subject}" if path.subject else path.name)
    guaranteed = {hit.id: None for place in range(GUARANTEED) for path in paths for hit in path.hits[place : place + 1]}
    rest = sorted((key for key in found if key not in guaranteed), key=lambda key: (-score(found[key][0], now), key))
    for memory_id in (*guaranteed, *rest):
        hit, names = found[memory_id]
        yield Explanation(
            memory=hit,
            paths=tuple(dict.fromkeys(names)),
            score=round(score(hit, now), 4),
            guaranteed=memory_id in guaranteed,
        )
