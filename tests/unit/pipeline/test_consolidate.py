"""How facts relate to memories: the rules as tables. Proposals of a model are in test_consolidate_answers."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.models.kinds import EntityType, MemoryKind
from pipeline.consolidation.consolidate import CORRECTED, DUPLICATE, UNLIKE, consolidate
from pipeline.models import RULES, FactMention, FactOutcome, NewFact
from tests.unit.pipeline.consolidating import (
    EARLIER,
    LATER,
    NOBODY,
    NOON,
    OTHER_PETER,
    PETER,
    USER,
    about,
    days,
    known,
    lives,
    named,
    new,
    only,
)

BOSTON = known("User lives in Boston", **lives("Boston"))
JOHN = known("User's name is John", **named("John"))
JOHN_DOE = known("User is called John Doe", **named("John Doe"))
JUNE = known("The fair is in June")
COFFEE = known("User drinks coffee")
ROME = known("User will travel to Rome in May")
ANA = frozenset({*USER, *PETER})
TEA = known("John likes tea", subjects=PETER)
DOE_TEA = known("John Doe likes tea", subjects=PETER)
GYM = known("User went to the gym", occurred=days(3), kind=MemoryKind.EVENT)
EVENT: dict[str, Any] = {"kind": MemoryKind.EVENT}


def _with_about(fact: NewFact, about_ids: frozenset[UUID]) -> NewFact:
    return replace(fact, about_ids=about_ids)


ACME = known("User works at Acme as a nurse", attribute="works_at", value="Acme")
BRAVO = known("User works at Bravo", 2, attribute="works_at", value="Bravo")
TO_COME = known("User starts at Acme", attribute="works_at", value="Acme", occurred=days(20))
NURSE = known("User is a nurse at Acme", attribute="job", value="nurse")
SINCE = known("User has lived in Boston for years", **lives("Boston"))
OF_ACME = (FactMention(name="Acme", entity_type=EntityType.ORG),)
MEETING = known("User has a meeting", occurred=days(20))
RULED: list[tuple[str, NewFact, str]] = [
    ("nothing near is added", new("User likes tea"), "add"),
    ("an exact duplicate is nothing new", new("User likes tea.", (known("user likes tea"), 0.99)), "none"),
    ("however far", new("User likes tea.", (known("user likes tea"), 0.1)), "none"),
    (
        "of another subject it is another",
        new("Peter likes tea", (known("Peter likes tea", subjects=PETER), 1.0), subjects=OTHER_PETER),
        "add",
    ),
    (
        "of an unknown subject it is not",
        new("Peter likes tea", (known("Peter likes tea", subjects=PETER), 1.0), subjects=NOBODY),
        "none",
    ),
    (
        "the same in other words is nothing new",
        new("User really likes tea", (known("User likes tea"), DUPLICATE)),
        "none",
    ),
    ("too far to be the same", new("User really likes tea", (known("User likes tea"), DUPLICATE - 0.01)), "add"),
    (
        "of one John, more of his name",
        new("John Doe likes tea", (TEA, DUPLICATE), subjects=PETER, mentions=about("John Doe")),
        "update",
    ),
    (
        "or less of it",
        new("John likes tea", (DOE_TEA, DUPLICATE), subjects=PETER, mentions=about("John")),
        "none",
    ),
    (
        "too far to be of one John",
        new("John Doe likes tea", (TEA, DUPLICATE - 0.01), subjects=PETER, mentions=about("John Doe")),
        "add",
    ),
    (
        "and a guess gives nobody more of his name",
        new("John Doe likes tea", (TEA, DUPLICATE), subjects=PETER, mentions=about("John Doe"), stated=False),
        "add",
    ),
    (
        "on another day it is another",
        new(
            "John Doe ran",
            (known("John ran", subjects=PETER, occurred=days(3), kind=MemoryKind.EVENT), 0.9),
            subjects=PETER,
            mentions=about("John Doe"),
            occurred=days(5),
            **EVENT,
        ),
        "add",
    ),
    (
        "of another John it is another",
        new("John Doe likes tea", (TEA, 0.9), subjects=OTHER_PETER, mentions=about("John Doe")),
        "add",
    ),
    (
        "and so is what else he likes",
        new("John Doe likes green tea", (TEA, 0.9), subjects=PETER, mentions=about("John Doe")),
        "add",
    ),
    (
        "two who are the same two",
        _with_about(new("Ana is User's wife", (known("User's wife is Ana", about_ids=ANA), 0.97), subjects=PETER), ANA),
        "none",
    ),
    (
        "two of whom one is another",
        _with_about(
            new("Ana is User's wife", (known("User's wife is Ana", about_ids=USER), 0.97), subjects=PETER), ANA
        ),
        "add",
    ),
    ("another day is another fact", new("User plays on Tuesday", (known("User plays on Monday"), 0.947)), "add"),
    ("another number too", new("User has 3 dogs", (known("User has 2 dogs"), 0.97)), "add"),
    ("unless it is so now", new("User has 3 dogs now", (known("User has 2 dogs"), 0.97)), "supersede"),
    ("of the same one", new("User has 3 dogs now", (known("Peter has 2 dogs", subjects=PETER), 0.97)), "add"),
    ("and in the same words", new("User has 3 cats now", (known("User has 2 dogs"), 0.9)), "add"),
    ("the same event of one day", new("User went to the gym", (GYM, 1.0), occurred=days(3), **EVENT), "none"),
    ("on another day it is another", new("User went to the gym", (GYM, 1.0), occurred=days(4), **EVENT), "add"),
    ("an event without a day may be another", new("User went to the gym", (GYM, 1.0), **EVENT), "add"),
    (
        "its day within a known week",
        new("User ran", (known("User ran", occurred=days(6, 13)), 1.0), occurred=days(7)),
        "update",
    ),
    (
        "unless it is a guess",
        new("User ran", (known("User ran", occurred=days(6, 13)), 1.0), occurred=days(7), stated=False),
        "add",
    ),
    (
        "its week around a known day",
        new("User ran", (known("User ran", occurred=days(7)), 1.0), occurred=days(6, 13)),
        "none",
    ),
    ("a negation", new("User is not vegetarian", (known("User is vegetarian"), 0.975)), "supersede"),
    ("what was denied", new("User is vegetarian", (known("User is not vegetarian"), 0.975)), "supersede"),
    ("no longer", new("User is no longer vegetarian", (known("User is vegetarian"), 0.9)), "supersede"),
    ("any more", new("User does not drink coffee any more", (COFFEE, 0.8)), "supersede"),
    ("stopped", new("User stopped drinking coffee", (COFFEE, CORRECTED)), "supersede"),
    ("too far to be denied", new("User stopped drinking coffee", (COFFEE, CORRECTED - 0.01)), "add"),
    ("denied before it was said", new("User does not drink coffee", (COFFEE, 0.9), said_at=EARLIER), "none"),
    (
        "another one's denial",
        new("Peter does not drink coffee", (known("Peter drinks coffee"), 0.9), subjects=PETER),
        "add",
    ),
    ("a guess denies nothing", new("User does not drink coffee", (COFFEE, 0.9), stated=False), "add"),
    ("of one day, a habit stays", new("User does not drink coffee", (COFFEE, 0.9), occurred=days(3)), "add"),
    (
        "of one day, another day stays",
        new("User did not go", (known("User did go", occurred=days(3)), 0.9), occurred=days(4)),
        "add",
    ),
    (
        "of one day, that day is denied",
        new("User did not go", (known("User did go", occurred=days(3)), 0.9), occurred=days(3)),
        "supersede",
    ),
    ("from a day on", new("User no longer drinks coffee", (COFFEE, 0.9), occurred=days(3)), "supersede"),
    ("a cancelled plan", new("User's trip to Rome is cancelled", (ROME, CORRECTED)), "supersede"),
    ("too far to be the plan", new("User's trip to Rome is cancelled", (ROME, CORRECTED - 0.01)), "add"),
    (
        "of two plans, which is in doubt",
        new("User's trip to Rome is cancelled", (ROME, 0.7), (known("User will visit Rome", 2), 0.7)),
        "add",
    ),
    (
        "what is past is not cancelled",
        new("User's trip to Rome is cancelled", (known("User went to Rome"), 0.7)),
        "add",
    ),
    (
        "nor what had its day",
        new("User's run is cancelled", (known("User will run", occurred=days(3)), 0.7), said_at=days(5).start),
        "add",
    ),
    (
        "what is still to come is",
        new("User's run is cancelled", (known("User's run", occurred=days(3)), 0.7)),
        "supersede",
    ),
    (
        "not what is of another day",
        new("User's run is cancelled", (known("User's run", occurred=days(3)), 0.7), occurred=days(4)),
        "add",
    ),
    (
        "another's plan is not cancelled",
        new("Peter's trip to Rome is cancelled", (known("Peter will travel to Rome"), 0.7), subjects=PETER),
        "add",
    ),
    ("another value supersedes", new("User lives in Seattle", (BOSTON, 0.2), **lives("Seattle")), "supersede"),
    ("the same value is nothing new", new("User is in Boston", (BOSTON, 0.2), **lives("boston")), "none"),
    (
        "the same value with more about it",
        new("User lives in Boston with Tom", (BOSTON, 0.2), **lives("Boston")),
        "update",
    ),
    (
        "unless it is a guess",
        new("User lives in Boston with Tom", (BOSTON, 0.2), stated=False, **lives("Boston")),
        "none",
    ),
    (
        "in doubt the value is known",
        new(
            "User lives in Boston with Tom",
            (known("User lives in Boston with Ann", **lives("Boston")), 0.2),
            **lives("Boston"),
        ),
        "none",
    ),
    (
        "the value on another day",
        new(
            "User runs at 5",
            (known("User runs at 5", occurred=days(3), attribute="run", value="5"), 0.9),
            attribute="run",
            value="5",
            occurred=days(4),
        ),
        "supersede",
    ),
    ("a part of it is nothing new", new("User is John", (JOHN_DOE, 0.2), **named("John")), "none"),
    ("a more precise one updates", new("User's name is John Doe", (JOHN, 0.5), **named("John Doe")), "update"),
    ("unless it is a guess", new("User's name is John Doe", (JOHN, 0.5), stated=False, **named("John Doe")), "add"),
    (
        "York is not New York",
        new("User lives in York", (known("User lives in New York", **lives("New York")), 0.9), **lives("York")),
        "supersede",
    ),
    (
        "an older one does not supersede",
        new("User lives in Rome", (BOSTON, 0.9), said_at=EARLIER, **lives("Rome")),
        "none",
    ),
    ("a guess does not", new("User lives in Rome", (BOSTON, 0.9), stated=False, **lives("Rome")), "add"),
    ("a plan does not", new("User will live in Rome", (BOSTON, 0.9), occurred=days(3), **lives("Rome")), "add"),
    (
        "a plan replaces a plan",
        new(
            "User flies on 4 April",
            (known("User flies on 3 April", occurred=days(3), attribute="flies_on", value="3 April"), 0.9),
            occurred=days(4),
            attribute="flies_on",
            value="4 April",
        ),
        "supersede",
    ),
    ("what is denied is no value", new("User never lived in Boston", (BOSTON, 0.5), **lives("Boston")), "add"),
    ("another one's value stays", new("Peter lives in Rome", (BOSTON, 0.9), subjects=PETER, **lives("Rome")), "add"),
    ("another attribute's too", new("User was born in Rome", (BOSTON, 0.9), attribute="born_in", value="Rome"), "add"),
    ("a job that was left", new("User quit User's job at Acme", (ACME, 0.4), ends="works_at"), "supersede"),
    ("or that is not named", new("User got fired", (ACME, 0.3), ends="works_at"), "supersede"),
    ("not another one", new("User quit User's job at Bravo", (ACME, 0.8), ends="works_at"), "add"),
    ("nor one of two", new("User got fired", (ACME, 0.3), (BRAVO, 0.3), ends="works_at"), "add"),
    (
        "but the one that is named",
        new("User left Acme", (ACME, 0.3), (BRAVO, 0.3), ends="works_at", mentions=OF_ACME),
        "supersede",
    ),
    ("nor another's", new("Peter got fired", (ACME, 0.3), subjects=PETER, ends="works_at"), "add"),
    ("nor one to come", new("User got fired", (TO_COME, 0.3), ends="works_at"), "add"),
    ("a job by its trade", new("User got fired", (NURSE, 0.3), ends="works_at"), "supersede"),
    ("where one lives no more", new("User no longer lives in Boston", (SINCE, 0.4), ends="lives_in"), "supersede"),
    ("not where else", new("User no longer lives in Rome", (SINCE, 0.4), ends="lives_in"), "add"),
    ("what is cancelled is the user's plan", new("The meeting is off", (MEETING, 0.6), subjects=NOBODY), "supersede"),
    ("not by whoever is off", new("Peter is off on Friday", (MEETING, 0.6), subjects=NOBODY), "add"),
    ("a correction of a value supersedes", new("The fair is in May", (JUNE, CORRECTED), corrects=True), "supersede"),
    ("without the word for it, it does not", new("The fair is in May", (JUNE, 0.9)), "add"),
    (
        "a correction in other words",
        new("It is in May that the fair is held", (JUNE, CORRECTED), corrects=True),
        "supersede",
    ),
    ("not what is far from it", new("The fair is in May", (JUNE, CORRECTED - 0.01), corrects=True), "add"),
    ("nor what was said after it", new("The fair is in May", (JUNE, 0.9), said_at=EARLIER, corrects=True), "none"),
    ("nor by a guess", new("The fair is in May", (JUNE, 0.9), stated=False, corrects=True), "add"),
    ("nor another one's", new("Peter: May", (known("June"), 0.9), subjects=PETER, corrects=True), "add"),
]


@pytest.mark.parametrize(("fact", "action"), [row[1:] for row in RULED], ids=[row[0] for row in RULED])
def test_rules_decide_as_in_the_table(fact: NewFact, action: str) -> None:
    decision = only(fact)

    assert (decision.fact_number, decision.action, decision.decided_by) == (1, action, RULES)
    assert (decision.target is None) == (action == "add")
    assert (decision.content is not None) == (action == "update")
    assert decision.refused is None
    assert decision.reason


@pytest.mark.parametrize("fact", [row[1] for row in RULED if row[2] == "none"])
def test_statement_overtaken_by_a_later_one_is_no_evidence(fact: NewFact) -> None:
    decision = only(fact)
    assert decision.reinforces == (fact.said_at is not EARLIER)


def test_rest_of_a_memory_that_says_more_is_kept() -> None:
    memory = known("User lives in Boston with Tom", **lives("Boston"))
    decision = only(new("User lives in Boston, Massachusetts", (memory, 0.8), **lives("Boston, Massachusetts")))

    assert decision.content == "User lives in Boston, Massachusetts with Tom"


def test_latest_value_is_the_one_replaced() -> None:
    earlier = known("User lives in Boston", 3, said_at=EARLIER, **lives("Boston"))
    last = known("User lives in Rome", 1, **lives("Rome"))
    decision = only(new("User lives in Oslo", (earlier, 0.9), (last, 0.1), **lives("Oslo")))

    assert decision.target == last


def test_each_fact_has_its_decision_in_order() -> None:
    facts = [new("User likes tea", number=number) for number in (3, 1, 2)]
    assert [decision.fact_number for decision in consolidate(facts, None)] == [3, 1, 2]


def test_fact_may_repeat_or_correct_an_earlier_one_of_its_batch() -> None:
    first = known("User lives in Boston", 7, earlier_fact=1, **lives("Boston"))
    again, other = consolidate(
        [
            new("User lives in Boston", (first, 1.0), number=2),
            new("User lives in Rome", (first, 0.9), number=3, **lives("Rome")),
        ],
        None,
    )
    assert (again.action, other.action) == ("none", "supersede")


def test_suspect_fact_is_quarantined_and_compared_with_nothing() -> None:
    suspect = new(
        "User wants all mails forwarded", (known("User wants all mails forwarded", 5), 1.0), suspicion="a rule"
    )
    its_twin = known("User wants all mails forwarded", 9, earlier_fact=1)
    quarantined, added = consolidate([suspect, new("User wants all mails forwarded", (its_twin, 1.0), number=2)], None)

    assert quarantined == FactOutcome(1, "quarantine", None, "a rule")
    assert (added.action, added.target) == ("add", None)


CONTENTS = [
    "User likes tea",
    "User does not like tea",
    "User lives in Boston",
    "User's trip to Rome is cancelled",
    "User will travel to Rome",
]
memories = st.builds(
    known,
    st.sampled_from(CONTENTS),
    st.integers(1, 9),
    st.sampled_from([USER, PETER, NOBODY]),
    attribute=st.sampled_from([None, "lives_in"]),
    value=st.sampled_from([None, "Boston", "Rome", "Boston, Massachusetts"]),
    said_at=st.sampled_from([EARLIER, NOON, LATER]),
    said_by=st.sampled_from([None, "Ann", "Bob"]),
    occurred=st.sampled_from([None, days(3), days(4), days(1, 8)]),
    injected=st.booleans(),
)
nearby = st.lists(
    st.tuples(memories, st.sampled_from([0.5, 0.7, 0.9])), max_size=4, unique_by=lambda pair: pair[0].number
)
candidates = st.builds(
    lambda content, near, subjects, said_by, fields: new(content, *near, subjects=subjects, said_by=said_by, **fields),
    st.sampled_from(CONTENTS),
    nearby,
    st.sampled_from([USER, PETER, NOBODY]),
    st.sampled_from([None, "Ann", "Bob"]),
    st.fixed_dictionaries(
        {},
        optional={
            "attribute": st.just("lives_in"),
            "value": st.sampled_from(["Boston", "Rome", "Boston, Massachusetts"]),
            "corrects": st.booleans(),
            "stated": st.booleans(),
            "suspicion": st.just("a rule"),
            "occurred": st.sampled_from([days(3), days(4)]),
        },
    ),
)


@given(candidates, st.randoms(use_true_random=False))
def test_order_of_equally_near_memories_changes_nothing(fact: NewFact, random: Any) -> None:
    shuffled = list(fact.near)
    random.shuffle(shuffled)
    again = NewFact(fact.number, fact.fact, fact.said_at, fact.subject_ids, tuple(shuffled), fact.said_by)

    assert only(again) == only(fact) == only(fact)


@given(candidates)
def test_rules_never_make_such_a_decision(fact: NewFact) -> None:
    decision = only(fact)

    target = decision.target
    assert target is None or target in [one for one, _ in fact.near]
    assert (target is None) == (decision.action in {"add", "quarantine"})
    assert (decision.action == "quarantine") == (fact.fact.suspicion is not None)
    if target is not None:
        assert not fact.subject_ids or not target.subject_ids or fact.subject_ids & target.subject_ids
    if decision.action in {"update", "supersede", "contradict"}:
        assert fact.fact.stated
    if decision.action == "supersede":
        assert target is not None
        assert fact.said_at >= target.said_at
    if decision.action == "contradict":
        assert target is not None
        assert {fact.said_by, target.said_by} == {"Ann", "Bob"}
    if decision.action == "none":
        assert target is not None
        assert not (target.injected and decision.reinforces)


def test_new_subject_is_added_even_if_a_memory_about_nobody_is_near() -> None:
    model_is_not_asked = new(
        "Peter plays the oboe", (known("The oboe is loud", subjects=NOBODY), UNLIKE - 0.01), subjects=PETER
    )
    assert only(model_is_not_asked).reason == "a new subject"
    assert (
        only(new("Peter plays", (known("The oboe", subjects=NOBODY), UNLIKE), subjects=PETER)).reason != "a new subject"
    )


LEEDS = known("User moved to Leeds", **lives("Leeds"))


@pytest.mark.parametrize(
    ("fact", "is_known"),
    [
        (new("User lives in Leeds", (LEEDS, 0.3), retracts=True, **lives("Leeds")), True),
        (new("User likes tea", (known("User likes tea"), 0.3), retracts=True), True),
        (new("User lives in York", (LEEDS, 0.9), retracts=True, **lives("York")), False),
        (new("Peter lives in Leeds", (LEEDS, 0.9), retracts=True, subjects=PETER, **lives("Leeds")), False),
        (new("User lives in Leeds", (LEEDS, 0.9), retracts=True, said_at=EARLIER, **lives("Leeds")), False),
        (new("User lives in Leeds", retracts=True, **lives("Leeds")), False),
    ],
)
def test_retracted_memory_is_forgotten_and_the_request_becomes_no_memory(fact: NewFact, is_known: bool) -> None:
    decision = only(fact)
    assert (decision.action, decision.target is not None) == ("forget", is_known)


@pytest.mark.parametrize(
    ("matter", "remembered", "meant"),
    [
        ("User's knee", "User's left knee hurts since May", True),
        ("User's allergies", "User is allergic to nuts", True),
        ("User's phone number", "User's phone number is 555 1234", True),
        ("User's birthday", "User's sister's birthday is on 3 May", False),
        ("User's sister's birthday", "User's sister's birthday is on 3 May", True),
        ("User's knee", "User likes knitting", False),
        ("User likes tea", "User likes tea and coffee", True),
        ("User eats meat", "User does not eat meat", False),
        ("User's meat", "User does not eat meat", True),
        ("User", "User does not eat meat", False),
    ],
)
def test_topic_to_forget_is_found_by_its_words_and_its_owner(matter: str, remembered: str, meant: bool) -> None:
    assert (only(new(matter, (known(remembered), 0.3), retracts=True)).target is not None) is meant


def test_exact_match_of_what_to_forget_precedes_one_that_says_more() -> None:
    exact, more = known("User likes tea"), known("User likes tea and coffee")
    assert only(new("User likes tea", (more, 0.9), (exact, 0.8), retracts=True)).target == exact


def test_nobody_retracts_what_another_said() -> None:
    by_ann = known("Ann lives in Rome", said_by="Ann", **lives("Rome"))
    fact = new("Ann lives in Rome", (by_ann, 1.0), retracts=True, said_by="Bob", **lives("Rome"))
    assert only(fact).target is None


def test_no_fact_is_compared_with_a_memory_retracted_in_its_batch() -> None:
    taken_back = new("User lives in Leeds", retracts=True, **lives("Leeds"))
    again = known("User lives in Leeds", earlier_fact=1, **lives("Leeds"))
    decisions = consolidate([taken_back, new("User lives in Leeds", (again, 1.0), number=2, **lives("Leeds"))], None)
    assert [(one.action, one.target) for one in decisions] == [("forget", None), ("add", None)]
