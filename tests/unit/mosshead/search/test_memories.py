"""Which memories a message retrieves: by their words, by their subjects, and by scores lent by the best."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.entities.disambiguation import Disambiguation
from mosshead.language.dates import periods
from mosshead.models.kinds import MemoryKind
from mosshead.search.memories import (
    Bearing,
    MemoryFound,
    RankedMemory,
    not_ruled_out,
    other_of_two,
    rank_memories,
)
from tests.reading_given import NOW, entity, found, scanned

VERA, TRAM, BAND, OTHER_VERA = range(4)


def ranked(
    *those: MemoryFound, many: int = 4, parents: dict[int, int] | None = None, **asked: Any
) -> list[RankedMemory]:
    bearings = {
        entity(one): Bearing(memories=many, parent=entity((parents or {})[one]) if one in (parents or {}) else None)
        for one in range(8)
    }
    named = [entity(one) for one in asked.pop("named", ())]
    left_out = [entity(one) for one in asked.pop("left_out", ())]
    plausible = [entity(one) for one in asked.pop("plausible", ())]
    return rank_memories(
        scanned(*those, bearings=bearings), named=named, plausible=plausible, left_out=left_out, **asked
    )


def numbers(those: Sequence[RankedMemory]) -> list[int]:
    return [one.id.int - 1 for one in those]


def test_words_of_a_memory_count_next_to_its_vector() -> None:
    assert numbers(ranked(found(0, 1.0), found(1, 0.9, 2.0), found(2, 0.5))) == [1, 0, 2]


def test_memory_about_a_named_entity_precedes_a_merely_similar_one() -> None:
    about_her, alike = found(0, 0.0, 0.0, VERA), found(1, 2.0)
    assert numbers(ranked(about_her, alike)) == [1, 0]
    assert numbers(ranked(about_her, alike, named=[VERA])) == [0, 1]


def test_lasting_memory_says_more_of_an_entity_than_an_event() -> None:
    event, fact = found(0, 0.5, 0.0, VERA, kind=MemoryKind.EVENT), found(1, 0.0, 0.0, VERA)
    assert numbers(ranked(event, fact, named=[VERA])) == [1, 0]


def test_oldest_lasting_memory_has_its_own_place_among_many() -> None:
    later = [found(number, 0.4, 0.0, VERA, said_at=NOW) for number in range(1, 30)]
    first = found(0, 0.0, 0.0, VERA)
    assert numbers(ranked(*later, first, named=[VERA]))[0] == 0


def test_memory_about_other_namesakes_only_is_left_out() -> None:
    alone, both, nobody = found(0, 3.0, 0.0, OTHER_VERA), found(1, 0.0, 0.0, VERA, OTHER_VERA), found(2)
    kept = ranked(alone, both, nobody, named=[VERA], left_out=[OTHER_VERA])
    assert sorted(numbers(kept)) == [1, 2]


def test_best_memories_lend_to_others_of_the_same_entity() -> None:
    """Vera plays the cello; by day she drives a tram: the second answers what the cellist does, without mentioning a cello."""
    plays, drives, others = found(0, 4.0, 0.0, VERA), found(1, 0.0, 0.0, VERA), [found(n, 0.5) for n in range(2, 20)]
    assert numbers(ranked(plays, drives, *others))[:2] == [0, 1]


def test_lent_score_is_passed_on_to_a_second_entity() -> None:
    first, bridge, second = found(0, 6.0, 0.0, VERA), found(1, 0.0, 0.0, VERA, BAND), found(2, 0.0, 0.0, BAND)
    found_by = {one.id.int - 1: one.relevance.lent for one in ranked(first, bridge, second, found(3, 0.5))}
    assert found_by[1] > found_by[2] > 0 == found_by[3]


def test_entity_with_many_memories_lends_less() -> None:
    those = found(0, 4.0, 0.0, VERA), found(1, 0.0, 0.0, VERA)
    few, many = ({one.id: one.relevance.lent for one in ranked(*those, many=many)} for many in (2, 400))
    assert all(few[key] > 5 * many[key] for key in few)


@pytest.mark.parametrize(("parents", "counts"), [({}, False), ({VERA: BAND}, True), ({VERA: BAND, TRAM: BAND}, True)])
def test_process_of_the_named_persons_organisation_is_found(parents: dict[int, int], counts: bool) -> None:
    about = TRAM if TRAM in parents else BAND
    process, fact = found(0, 0.0, 0.0, about, kind=MemoryKind.PROCESS), found(1, 0.0, 0.0, about)
    hers = found(2, 0.0, 0.0, VERA)
    by_number = {one.id.int - 1: one.relevance for one in ranked(process, fact, hers, named=[VERA], parents=parents)}
    assert (by_number[0].process > 0, by_number[1].process) == (counts, 0)


def test_named_time_counts() -> None:
    then = found(0, 0.0, said_at=datetime(2026, 2, 16, tzinfo=UTC))
    other = found(1, 0.2, said_at=datetime(2025, 2, 1, tzinfo=UTC))
    assert numbers(ranked(then, other)) == [1, 0]
    assert numbers(ranked(then, other, periods=periods("What was it two weeks ago?", date(2026, 3, 2)))) == [0, 1]


@given(
    st.lists(st.tuples(st.floats(-3, 6), st.floats(0, 6), st.sets(st.integers(0, 3), max_size=3)), max_size=25),
    st.randoms(use_true_random=False),
)
def test_order_of_retrieval_does_not_matter(those: list[tuple[float, float, set[int]]], shuffled: Any) -> None:
    scanned = [found(number, cosine, words, *about) for number, (cosine, words, about) in enumerate(those)]
    in_order = ranked(*scanned, named=[VERA])
    shuffled.shuffle(scanned)
    assert ranked(*scanned, named=[VERA]) == in_order
    assert [one.relevance.total for one in in_order] == sorted((one.relevance.total for one in in_order), reverse=True)


@given(st.lists(st.floats(-3, 6), min_size=1, max_size=25), st.integers(0, 24))
def test_better_fit_never_loses_a_place(cosines: list[float], chosen: int) -> None:
    place = chosen % len(cosines)
    before = numbers(ranked(*(found(number, cosine, 0.0, number % 3) for number, cosine in enumerate(cosines))))
    cosines[place] += 1
    after = numbers(ranked(*(found(number, cosine, 0.0, number % 3) for number, cosine in enumerate(cosines))))
    assert after.index(place) <= before.index(place)


def test_oldest_memory_of_a_possible_entity_has_its_own_place() -> None:
    first, later = found(0, 0.0, 0.0, VERA), found(1, 0.4, 0.0, VERA, said_at=NOW)
    assert numbers(ranked(first, later)) == [1, 0]
    assert numbers(ranked(first, later, plausible=[VERA])) == [0, 1]


def test_nearly_as_likely_entity_is_not_ruled_out() -> None:
    likely = tuple((entity(number), score) for number, score in enumerate((0.6, 0.19, 0.17, 0.02)))
    settled = Disambiguation(status="resolved", entity_id=entity(0), scores=likely)
    assert not_ruled_out(settled) == (entity(1),)
    open_still = Disambiguation(status="ambiguous", plausible=(entity(2), entity(3)), scores=likely)
    assert not_ruled_out(open_still) == (entity(2), entity(3))


def test_other_namesake_is_shown_once_it_is_settled_who_is_meant() -> None:
    two = ((entity(0), 0.9), (entity(1), 0.01))
    settled = Disambiguation(status="resolved", entity_id=entity(0), scores=two)
    assert (not_ruled_out(settled), other_of_two(settled)) == ((), entity(1))
    assert other_of_two(Disambiguation(status="ambiguous", plausible=(entity(0), entity(1)), scores=two)) is None
    of_three = Disambiguation(status="resolved", entity_id=entity(0), scores=(*two, (entity(2), 0.01)))
    assert other_of_two(of_three) is None
