"""Joining what the paths found: guarantees first, nothing twice, never more than the budget."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.context import GUARANTEED, Context, Path, join, score
from recollect.kinds import MemoryKind
from recollect.results import Hit

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


def hit(
    number: int, similarity: float = 0.5, salience: float = 5, age: timedelta = timedelta(days=365), content: str = ""
) -> Hit:
    return Hit(
        id=UUID(int=number),
        version=1,
        kind=MemoryKind.FACT,
        content=content or f"memory {number}",
        salience=salience,
        confidence=0.9,
        tier="solid",
        said_at=NOW - age,
        similarity=similarity,
    )


def words(text: str) -> int:
    return len(text.split())


def joined(paths: Sequence[Path], budget: int = 1000) -> Context:
    return join(paths, questions=(), budget=budget, count_tokens=words, now=NOW, partial=False)


def numbers(context: Context) -> list[int]:
    return [memory.id.int for memory in context.memories]


def test_each_paths_best_have_their_place_before_anything_else_is_ranked() -> None:
    weak = Path(name="entity", subject="peter", hits=tuple(hit(number, 0.1) for number in range(1, 6)))
    strong = Path(name="semantic", hits=tuple(hit(number, 0.9) for number in range(11, 20)))
    context = joined([weak, strong])

    assert numbers(context)[: 2 * GUARANTEED] == [1, 11, 2, 12, 3, 13]
    assert numbers(context)[2 * GUARANTEED :] == [14, 15, 16, 17, 18, 19, 4, 5]
    assert [one.guaranteed for one in context.explain()].count(True) == 2 * GUARANTEED


def test_a_memory_that_two_paths_found_is_there_once_and_says_so() -> None:
    context = joined(
        [Path(name="entity", subject="peter", hits=(hit(1),)), Path(name="semantic", hits=(hit(1), hit(2)))]
    )

    assert numbers(context) == [1, 2]
    assert [one.paths for one in context.explain()] == [("entity: peter", "semantic"), ("semantic",)]


def test_a_memory_that_does_not_fit_is_passed_over_for_a_shorter_one() -> None:
    long = hit(1, content="one two three four five six seven")
    context = joined([Path(name="semantic", hits=(long, hit(2), hit(3)))], budget=6)

    assert numbers(context) == [2, 3]
    assert (context.tokens, context.text) == (6, "- memory 2\n- memory 3")


def test_nothing_known_is_an_empty_text() -> None:
    assert (joined([]).text, joined([]).tokens, joined([]).explain()) == ("", 0, ())


@pytest.mark.parametrize(
    ("days", "boost"),
    [(0, 0.15), (6.9, 0.15), (7, 0.08), (29, 0.08), (30, 0.03), (89, 0.03), (90, 0), (1000, 0), (-1, 0)],
)
def test_what_was_said_lately_counts_for_more(days: float, boost: float) -> None:
    base = score(hit(1), NOW)
    assert score(hit(1, age=timedelta(days=days)), NOW) - base == pytest.approx(0.2 * boost)


def test_more_similar_and_more_salient_count_for_more() -> None:
    assert score(hit(1, similarity=0.6), NOW) > score(hit(1, similarity=0.5), NOW)
    assert score(hit(1, salience=6), NOW) > score(hit(1, salience=5), NOW)


hits = st.builds(
    hit,
    st.integers(1, 12),
    st.floats(-1, 1),
    st.floats(0, 10),
    st.timedeltas(timedelta(0), timedelta(days=400)),
    st.lists(st.just("word"), min_size=1, max_size=8).map(" ".join),
)
path = st.lists(hits, max_size=8, unique_by=lambda one: one.id).map(lambda found: Path(name="p", hits=tuple(found)))
paths = st.lists(path, max_size=4)


@given(paths=paths, budget=st.integers(0, 60))
def test_never_over_budget_never_twice_and_never_of_nowhere(paths: list[Path], budget: int) -> None:
    context = joined(paths, budget)

    assert words(context.text) == context.tokens <= budget
    assert len(set(numbers(context))) == len(context.memories) == len(context.explain())
    assert set(numbers(context)) <= {one.id.int for path in paths for one in path.hits}


@given(paths=paths)
def test_with_room_for_all_all_are_there_and_each_paths_first_is_guaranteed(paths: list[Path]) -> None:
    context = joined(paths)

    assert set(numbers(context)) == {one.id.int for path in paths for one in path.hits}
    guaranteed = {one.memory.id.int for one in context.explain() if one.guaranteed}
    assert guaranteed == {one.id.int for path in paths for one in path.hits[:GUARANTEED]}
