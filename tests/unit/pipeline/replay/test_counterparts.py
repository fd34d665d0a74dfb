"""Counterparts in another generation: of a memory, an entity, a question."""

from uuid import UUID

import pytest

from pipeline.replay.models import KnownMemory
from pipeline.replay.translate import meant_by, person_of, question_of
from tests.unit.pipeline.replay.generations import (
    SAID,
    SAID_ELSEWHERE,
    SAID_LATER,
    lives_in,
    memory,
    person,
    question,
)


def ids(*numbers: int) -> tuple[UUID, ...]:
    return tuple(UUID(int=number) for number in numbers)


def counterparts_of(one: KnownMemory, others: list[KnownMemory]) -> tuple[UUID, ...]:
    return tuple(meant_by([one.memory_id], [one], others).memory_ids)


def test_memory_with_the_same_id_is_the_only_counterpart() -> None:
    remembered = memory(1, "User likes tea")

    assert counterparts_of(remembered, [memory(2, "User likes tea"), memory(1, "User is fond of tea")]) == ids(1)


@pytest.mark.parametrize(
    ("live", "shadow"),
    [
        (memory(1, "User likes tea and coffee"), memory(2, "User likes coffee and tea")),
        (
            memory(1, "User lives in Berlin.", **lives_in("Berlin")),
            memory(2, "User moved to berlin", **lives_in("berlin")),
        ),
        (memory(1, "User likes tea", cosine=1.0), memory(2, "User enjoys drinking tea", cosine=0.81)),
        (
            memory(1, "User lives in Berlin since May", **lives_in("Berlin")),
            memory(2, "User lives in Berlin", **lives_in("Berlin")),
        ),
    ],
)
def test_same_statement_of_a_message_is_a_counterpart(live: KnownMemory, shadow: KnownMemory) -> None:
    assert counterparts_of(live, [shadow]) == ids(2)
    assert counterparts_of(shadow, [live]) == ids(1)


@pytest.mark.parametrize(
    ("live", "shadow"),
    [
        (memory(1, "User likes tea"), memory(2, "User likes tea", SAID_LATER)),
        (memory(1, "User likes tea", cosine=1.0), memory(2, "User enjoys drinking tea", cosine=0.79)),
        (memory(1, "User likes tea", cosine=1.0), memory(2, "User does not like tea", cosine=0.98)),
        (memory(1, "User smokes", cosine=1.0), memory(2, "User stopped smoking", cosine=0.98)),
        (
            memory(1, "User lives in Berlin", **lives_in("Berlin")),
            memory(2, "User no longer lives in Berlin", **lives_in("Berlin")),
        ),
        (memory(1, "User has a meeting on Monday", cosine=1.0), memory(2, "User has a meeting on Friday", cosine=0.95)),
        (
            memory(1, "Peter lives in Berlin", **lives_in("Berlin")),
            memory(2, "Anna lives in Berlin", **lives_in("Berlin")),
        ),
        (
            memory(1, "User's brother Peter plays chess", cosine=1.0),
            memory(2, "User's sister-in-law Anna plays chess a lot", cosine=0.9),
        ),
        (memory(1, "User lives in Berlin", **lives_in("Berlin")), memory(2, "User lives there", **lives_in("Rome"))),
        (
            memory(1, "User lives in Berlin", **lives_in("Berlin")),
            memory(2, "User would never leave Berlin", **lives_in("Berlin")),
        ),
        (
            memory(1, "User lives in Berlin since May", **lives_in("Berlin")),
            memory(2, "User lives in Berlin since June", **lives_in("Berlin")),
        ),
        (memory(1, "User lives there", attribute="lives_in"), memory(2, "User has moved", attribute="lives_in")),
    ],
)
def test_different_statement_is_no_counterpart(live: KnownMemory, shadow: KnownMemory) -> None:
    assert counterparts_of(live, [shadow]) == counterparts_of(shadow, [live]) == ()


def test_memory_that_became_two_there_has_both_as_counterparts() -> None:
    whole = memory(1, "User lives in Berlin with her cat Tom", SAID, SAID_LATER)

    assert counterparts_of(
        whole, [memory(2, "User lives in Berlin"), memory(3, "User has a cat Tom", SAID_LATER)]
    ) == ids(2, 3)


@pytest.mark.parametrize(
    "other",
    [
        memory(2, "User has a cat Tom", SAID, SAID_ELSEWHERE),
        memory(2, "User has a dog Tom"),
        memory(2, "User does not live in Berlin"),
        memory(2, "User has no cat in Berlin"),
        memory(2, "It is so"),
        memory(2, "Tom lives with User's Berlin cat"),
    ],
)
def test_memory_with_more_content_more_sources_or_a_denial_is_no_part(other: KnownMemory) -> None:
    assert counterparts_of(memory(1, "User lives in Berlin with her cat Tom"), [other]) == ()


def test_most_similar_comes_first() -> None:
    others = [
        memory(2, "User lives in Berlin with Anna", cosine=0.85),
        memory(3, "User is a Berliner, living in Berlin", cosine=0.9),
        memory(4, "User has settled in Berlin", cosine=0.5, **lives_in("Berlin")),
        memory(5, "User lives in Berlin", active=False),
        memory(6, "User lives in Berlin"),
    ]

    live = memory(1, "User lives in Berlin", cosine=1.0, **lives_in("Berlin"))
    assert counterparts_of(live, others) == ids(6, 5, 4, 3, 2)


def test_entity_has_its_name_in_the_same_messages() -> None:
    live = person(1, "peter", "pete", sources=(SAID, SAID_LATER))
    more, fewer = person(2, "peter", sources=(SAID, SAID_LATER)), person(3, "pete", sources=(SAID,))

    assert person_of(live, [fewer, more, person(4, "anna", sources=(SAID, SAID_LATER))]) == more.entity_id
    assert person_of(live, [fewer, person(5, "peter", sources=(SAID_LATER,))]) is None
    assert person_of(live, [person(6, "peter", sources=(SAID_ELSEWHERE,))]) is None
    assert person_of(live, []) is None


def test_user_is_the_user_and_nobody_else() -> None:
    live, shadow = person(1, "sarah", is_user=True), person(2, "user", "sarah", is_user=True)

    assert person_of(live, [person(3, "sarah"), shadow]) == shadow.entity_id
    assert person_of(person(4, "user"), [shadow]) is None
    assert person_of(live, [person(3, "sarah")]) is None


def test_entity_with_the_same_id_is_the_same() -> None:
    assert person_of(person(1, "peter"), [person(2, "peter"), person(1, "anna")]) == UUID(int=1)


def test_entity_without_memories_is_the_only_one_of_its_name_and_type() -> None:
    brought, there = person(1, "acme", sources=(), entity_type="org"), person(2, "acme", entity_type="org")

    assert person_of(brought, [there, person(3, "acme")]) == there.entity_id
    assert person_of(brought, [there, person(3, "acme", entity_type="org")]) is None
    assert person_of(brought, [person(3, "acme")]) is None


def test_question_is_about_the_same_mention_in_the_same_message() -> None:
    live = question(1, "Peter")
    others = [question(2, "Anna"), question(3, "peter", SAID_LATER), question(4, "Peter's")]

    assert question_of(live, others) == UUID(int=4)
    assert question_of(live, others[:2]) is None
    assert question_of(live, [question(2, "Peter"), question(1, "Anna")]) == UUID(int=1)
    assert question_of(question(1, "Peter", None), [question(2, "Peter", None)]) is None
