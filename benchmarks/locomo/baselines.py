"""What plain search finds of the same turns: by vector, and by BM25, each over "date speaker: text" and the question as it is."""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.locomo.conversations import Conversation, Turn
from benchmarks.locomo.scoring import BUDGETS, Answered, within
from mosshead.embeddings import Embedder

Words = Callable[[Sequence[str]], list[Counter[str]]]
"""The stemmed words of texts, with how often each occurs."""

_K1, _B = 1.2, 0.75
_MOST = 200


def by_vector(conversation: Conversation, embedder: Embedder) -> list[Answered]:
    """The turns nearest to each question."""
    turns = embedder.embed([_line(turn) for turn in conversation.turns])
    questions = embedder.embed([question.text for question in conversation.questions])
    return _answered(conversation, questions @ turns.T, embedder)


def by_words(conversation: Conversation, embedder: Embedder, words: Words) -> list[Answered]:
    """The turns with the highest BM25 for each question (Robertson and Zaragoza, 2009). embedder: counts tokens."""
    turns = words([_line(turn) for turn in conversation.turns])
    questions = words([question.text for question in conversation.questions])
    return _answered(conversation, bm25(turns, questions), embedder)


def bm25(texts: Sequence[Counter[str]], questions: Sequence[Counter[str]]) -> NDArray[np.float64]:
    """Shape (questions, texts)."""
    having = Counter(word for text in texts for word in text)
    lengths = np.array([text.total() for text in texts])
    norm = _K1 * (1 - _B + _B * lengths / max(1.0, lengths.mean()))
    scores = np.zeros((len(questions), len(texts)))
    for number, question in enumerate(questions):
        for word in question:
            often = np.array([text[word] for text in texts])
            rarity = np.log(1 + (len(texts) - having[word] + 0.5) / (having[word] + 0.5))
            scores[number] += rarity * often * (_K1 + 1) / (often + norm)
    return scores


def _answered(conversation: Conversation, scores: NDArray[np.floating], embedder: Embedder) -> list[Answered]:
    turns = {turn.id: turn for turn in conversation.turns}
    names = list(turns)
    costs = {name: embedder.count_tokens(f"{turn.speaker}: {turn.content}") for name, turn in turns.items()}
    headings = {name: _heading(turn, embedder) for name, turn in turns.items()}
    found = []
    for question, row in zip(conversation.questions, scores, strict=True):
        ranked = [names[place] for place in np.argsort(-row, kind="stable")[:_MOST]]
        shown = {budget: within(ranked, budget, costs.__getitem__, headings.__getitem__) for budget in BUDGETS}
        found.append(Answered(question=question, ranked=ranked, shown=shown))
    return found


def _line(turn: Turn) -> str:
    return f"{_day(turn)} {turn.speaker}: {turn.content}"


def _heading(turn: Turn, embedder: Embedder) -> tuple[str, int]:
    return f"{turn.session} {_day(turn)}", embedder.count_tokens(f"{_day(turn)}:")


def _day(turn: Turn) -> str:
    return f"{turn.said_at.day} {turn.said_at:%B %Y}"
