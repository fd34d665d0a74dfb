"""Changes that must not change the winner, whatever is known of the candidates."""

import random
from dataclasses import replace
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from mosshead.entities.disambiguation import CROWD, Disambiguation, Evidence, Telling, disambiguate

WORDS = ("anvil", "barge", "cello", "ditch", "ember", "flute")
OTHERS = tuple(UUID(int=1_000 + number) for number in range(3))

cosines = st.floats(min_value=-0.2, max_value=1.0, allow_nan=False)
evidence = st.builds(
    Evidence,
    nearest=cosines,
    words=st.frozensets(st.sampled_from(WORDS)),
    named=st.frozensets(st.sampled_from(OTHERS)),
    scene_named=st.frozensets(st.sampled_from(OTHERS)),
)
candidates = st.lists(evidence, min_size=1, max_size=12).map(
    lambda all_known: {UUID(int=number + 1): one for number, one in enumerate(all_known)}
)
strangers = st.sampled_from((0, 0, 30, 70))
tellings = st.builds(
    Telling,
    text=st.just("a text"),
    words=st.lists(st.sampled_from(WORDS), unique=True).map(tuple),
    described=st.frozensets(st.sampled_from(WORDS), max_size=2),
)


@given(tellings, candidates, st.randoms(use_true_random=False))
def test_order_of_the_candidates_does_not_matter(
    asked: Telling, known: dict[UUID, Evidence], shuffling: random.Random
) -> None:
    pairs = list(known.items())
    shuffling.shuffle(pairs)

    assert _rounded(disambiguate(asked, dict(pairs))) == _rounded(disambiguate(asked, known))


@given(tellings, candidates, strangers)
def test_candidate_that_is_meant_fits_the_text_best(
    asked: Telling, known: dict[UUID, Evidence], strangers: int
) -> None:
    known |= _crowd(strangers, least=-0.2, most=0.5)
    found = disambiguate(asked, known)

    probabilities = [probability for _, probability in found.scores]
    assert probabilities == sorted(probabilities, reverse=True)
    assert {key for key, _ in found.scores} == set(known)
    assert found.entity_id in {None, found.scores[0][0]}
    assert (found.status == "resolved") == (found.entity_id is not None)
    assert all(0 <= probability <= 1 for probability in probabilities)


@given(tellings, candidates)
def test_question_offers_two_to_four_of_the_candidates(asked: Telling, known: dict[UUID, Evidence]) -> None:
    found = disambiguate(asked, known)

    if found.status == "ambiguous":
        assert 2 <= len(found.plausible) <= 4
        assert found.plausible == tuple(key for key, _ in found.scores[: len(found.plausible)])
    else:
        assert not found.plausible


@given(tellings, candidates, cosines, strangers)
def test_better_fit_never_makes_a_candidate_less_likely(
    asked: Telling, known: dict[UUID, Evidence], nearer: float, strangers: int
) -> None:
    one = next(iter(known))
    known |= _crowd(strangers, least=-0.2, most=0.5)
    closer = replace(known[one], nearest=max(nearer, known[one].nearest))

    before, after = (dict(disambiguate(asked, these).scores)[one] for these in (known, {**known, one: closer}))

    assert after >= before - 1e-9


@given(tellings, candidates, st.integers(min_value=2, max_value=500))
def test_unrelated_candidates_change_no_winner(asked: Telling, known: dict[UUID, Evidence], strangers: int) -> None:
    crowd = {UUID(int=5_000 + number): Evidence(nearest=-0.3) for number in range(strangers)}
    before = disambiguate(asked, known)

    after = disambiguate(asked, {**known, **crowd})

    if before.entity_id is not None:
        assert after.entity_id not in set(crowd)


@given(tellings, candidates, st.integers(min_value=2, max_value=400), cosines)
def test_more_of_a_crowd_change_nothing_beyond_its_limit(
    asked: Telling, known: dict[UUID, Evidence], more: int, chance: float
) -> None:
    crowd = {UUID(int=5_000 + number): Evidence(nearest=chance) for number in range(CROWD + 1 + more)}
    few = dict(list(crowd.items())[: CROWD + 1])
    known = {key: Evidence(nearest=one.nearest) for key, one in known.items()}

    before, after = (disambiguate(asked, {**known, **strangers}) for strangers in (few, crowd))

    assert (before.status, before.entity_id) == (after.status, after.entity_id)


def test_good_fit_stands_out_of_a_crowd_that_fits_by_chance() -> None:
    asked = Telling(text="a text", words=("anvil", "barge", "cello", "ditch", "ember"))
    meant = {UUID(int=1): Evidence(nearest=0.35, words=frozenset({"anvil"}))}

    few, many = (
        disambiguate(asked, meant | _crowd(strangers, least=0.0, most=most))
        for strangers, most in ((40, 0.24), (490, 0.34))
    )

    assert few.entity_id == many.entity_id == UUID(int=1)


def _crowd(strangers: int, *, least: float, most: float) -> dict[UUID, Evidence]:
    """Return candidates with random cosines: few are near, most are not."""
    drawn = (least + (most - least) * (number / strangers) ** 0.5 for number in range(strangers))
    return {UUID(int=9_000 + number): Evidence(nearest=cosine) for number, cosine in enumerate(drawn)}


def _rounded(found: Disambiguation) -> tuple[object, ...]:
    return found.status, found.entity_id, found.plausible, tuple((key, round(score, 9)) for key, score in found.scores)
