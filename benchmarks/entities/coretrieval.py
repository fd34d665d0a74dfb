"""Whether all that an answer needs stands in the context together, within a budget of tokens."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.entities.counting import Share, share
from benchmarks.entities.world import Together


@dataclass(frozen=True, slots=True)
class Fetched:
    """The ids, the world's own, that a row's context held, and that the plain vector list of the same budget held."""

    context: frozenset[str]
    vector: frozenset[str]


@dataclass(frozen=True, slots=True)
class TogetherScores:
    """all_groups: rows of which each group was there; vector_all_groups: the same of the plain vector list; by_kind: of both."""

    all_groups: Share
    vector_all_groups: Share
    by_kind: dict[str, tuple[Share, Share]]

    def as_json(self) -> dict[str, Any]:
        """Shares, and what they are taken of."""
        return {
            "all_groups": round(self.all_groups.part, 4),
            "vector_all_groups": round(self.vector_all_groups.part, 4),
            "by_kind": {
                kind: {"all_groups": ours.hits, "vector_all_groups": vector.hits, "of": ours.of}
                for kind, (ours, vector) in self.by_kind.items()
            },
            "counts": {"all_groups": self.all_groups.as_json(), "vector_all_groups": self.vector_all_groups.as_json()},
        }


def within(contents: Iterable[tuple[str, str]], budget: int, count_tokens: Callable[[str], int]) -> frozenset[str]:
    """The ids of those texts, best first, that a budget of tokens holds; what does not fit is passed over, as in a context.

    contents: id and text.
    """
    taken = set()
    tokens = 0
    for own, content in contents:
        cost = count_tokens(f"- {content}\n")
        if tokens + cost <= budget:
            taken.add(own)
            tokens += cost
    return frozenset(taken)


def score_together(fetched: Sequence[tuple[Together, Fetched]]) -> TogetherScores:
    """Hold what was fetched within one budget against what was needed."""
    judged = [(row.kind, _holds(row, one.context), _holds(row, one.vector)) for row, one in fetched]
    kinds = dict.fromkeys(kind for kind, _, _ in judged)
    return TogetherScores(
        all_groups=share([ours for _, ours, _ in judged]),
        vector_all_groups=share([vector for _, _, vector in judged]),
        by_kind={
            kind: (
                share([ours for one, ours, _ in judged if one == kind]),
                share([vector for one, _, vector in judged if one == kind]),
            )
            for kind in kinds
        },
    )


def _holds(row: Together, ids: frozenset[str]) -> bool:
    return all(ids & set(group) for group in row.needs)
