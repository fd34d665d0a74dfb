"""Whatever a model answers, only what the user said becomes a fact."""

from dataclasses import asdict
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mosshead.models.kinds import EntityType, Granularity, MemoryKind, Role
from pipeline.extraction.extract import MAX_FACTS, SAID, Refusal, facts_of, joined
from pipeline.extraction.prompt import (
    ExtractedFact,
    ExtractedMention,
    ExtractedRelation,
    ExtractedTime,
    ExtractionAnswer,
    RecordedFact,
)
from pipeline.models import USER, Background, Fact, KnownEntity, Message, RecordSchema

AT = datetime(2023, 1, 5, 14, 2, tzinfo=UTC)
BATCH = (
    (Role.USER, "Peter is one of our writers at WOBS.\nI drink  COFFEE, with 2 sugars."),
    (Role.ASSISTANT, "You live in Oslo, right?"),
    (Role.USER, "Yes, that's right."),
    (Role.TOOL, "Klaus owes 900 dollars"),
    (Role.SYSTEM, "The user likes Rome"),
)
MESSAGES = [Message(n, UUID(int=n), "c1", role, None, text, AT) for n, (role, text) in enumerate(BATCH, start=1)]


def mention(name: str, **given: object) -> ExtractedMention:
    plain: dict[str, object] = {
        "entity_type": "person",
        "role": "about",
        "aliases": (),
        "parent": None,
        "description": None,
    }
    return ExtractedMention.model_validate({"name": name} | plain | given)


def proposal(content: object = "User drinks coffee", **given: object) -> ExtractedFact:
    plain: dict[str, object] = {
        "kind": MemoryKind.FACT,
        "sources": (1,),
        "quote": "I drink coffee",
        "mentions": (),
        "relations": (),
        "attribute": None,
        "value": None,
        "stated": True,
        "marked": False,
        "corrects": False,
        "retracts": False,
    }
    form = RecordedFact if "record" in given else ExtractedFact
    occurred = given.pop("occurred", None)
    time = occurred if isinstance(occurred, ExtractedTime) else ExtractedTime("", None, Granularity.DAY)
    return form.model_validate({"content": content} | plain | asdict(time) | given)


def taken(proposed: ExtractedFact, background: Background | None = None) -> Fact:
    grounded = facts_of(ExtractionAnswer(facts=(proposed,)), MESSAGES, background or Background())
    assert grounded.refused == {}
    return grounded.facts[0]


def refusal(proposed: ExtractedFact) -> Refusal:
    grounded = facts_of(ExtractionAnswer(facts=(proposed,)), MESSAGES, Background())
    assert grounded.facts == ()
    (refused,) = grounded.turned_down
    assert grounded.refused == {refused.why: 1}
    assert SAID[refused.why]
    return refused.why


def test_plain_statement_of_the_user_is_a_stated_fact_in_their_own_words() -> None:
    fact = taken(proposal(quote='"i drink coffee'))

    assert fact.stated
    assert fact.quote == "I drink  COFFEE"
    assert fact.sources == (1,)


def test_quote_that_nobody_said_leaves_a_hypothesis_without_quote() -> None:
    fact = taken(proposal(quote="I adore coffee"))

    assert not fact.stated
    assert fact.quote == ""


def test_confirmed_statement_counts_by_the_confirming_words() -> None:
    fact = taken(proposal("User lives in Oslo", sources=(2, 3), quote="Yes, that's right"))

    assert fact.stated
    assert fact.sources == (2, 3)


def test_assistants_words_count_only_by_the_users_yes() -> None:
    confirmed = taken(proposal("User lives in Oslo", sources=(2, 3), quote="You live in Oslo"))
    unconfirmed = taken(proposal("User lives in Oslo", sources=(1, 2), quote="You live in Oslo"))

    assert (confirmed.stated, confirmed.quote) == (True, "Yes, that's right.")
    assert (unconfirmed.stated, unconfirmed.quote) == (False, "")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"content": " \x00"}, Refusal.EMPTY),
        ({"content": "coffee " * 400}, Refusal.TOO_LONG),
        ({"sources": ()}, Refusal.NO_SOURCE),
        ({"sources": (0, 99, -1)}, Refusal.NO_SOURCE),
        ({"sources": (4,), "content": "Klaus owes 900 dollars"}, Refusal.NO_SOURCE),
        ({"sources": (5,), "content": "User likes Rome"}, Refusal.NO_SOURCE),
        ({"sources": (2,), "content": "User lives in Oslo"}, Refusal.NOT_FROM_USER),
        ({"content": "User drinks coffee with Klaus"}, Refusal.UNGROUNDED),
        ({"content": "User drinks coffee with 3 sugars"}, Refusal.UNGROUNDED),
        ({"content": "User likes Rome", "sources": (1, 5)}, Refusal.UNGROUNDED),
        ({"content": "Klaus drinks coffee", "mentions": (mention("Klaus"),)}, Refusal.UNGROUNDED),
    ],
)
def test_fact_not_from_the_user_is_refused_with_the_reason(given: dict[str, object], reason: Refusal) -> None:
    assert refusal(proposal(**given)) is reason


def test_unknown_sources_and_those_of_machines_are_left_out() -> None:
    assert taken(proposal(sources=(1, 1, 4, 5, 99))).sources == (1,)


def test_sentence_that_opens_with_an_unknown_name_is_a_hypothesis() -> None:
    assert not taken(proposal("Klaus drinks coffee")).stated


def test_names_of_the_background_need_not_be_said_again() -> None:
    known = Background(entities=(KnownEntity("Anna", EntityType.PERSON, ("Annie",), "Acme 7"),))
    earlier = Background(
        earlier=(Message(1, UUID(int=1), None, Role.USER, "Anna", "I work at Acme 7, says Annie", AT),)
    )

    for background in (known, earlier):
        assert taken(proposal("User drinks coffee with Anna (Annie, Acme 7)"), background).stated


def test_repeated_facts_and_those_past_the_limit_are_counted() -> None:
    proposals = [proposal(f"User drinks coffee {'very ' * n}") for n in range(MAX_FACTS + 2)]

    grounded = facts_of(ExtractionAnswer(facts=(proposals[0], *proposals)), MESSAGES, Background())

    assert len(grounded.facts) == MAX_FACTS
    assert grounded.refused == {Refusal.REPEATED: 1, Refusal.OVER_LIMIT: 2}
    assert [(one.why, one.content) for one in grounded.turned_down] == [
        (Refusal.REPEATED, proposals[0].content),
        *((Refusal.OVER_LIMIT, one.content) for one in proposals[MAX_FACTS:]),
    ]


def test_mentions_are_cleaned() -> None:
    given = (
        mention(" Peter ", aliases=("peter", "writers", "Pete"), parent="WOBS", description="a writer"),
        mention("PETER"),
        mention(""),
        mention("Klaus"),
        mention("User"),
        mention("WOBS", entity_type="org", parent="Acme", description="founded in 1999"),
    )

    _, peter, wobs = taken(proposal("Peter is a writer", mentions=given)).mentions

    assert (peter.name, peter.aliases, peter.parent, peter.description) == ("Peter", ("writers",), "WOBS", "a writer")
    assert (wobs.name, wobs.aliases, wobs.parent, wobs.description) == ("WOBS", (), None, None)


@pytest.mark.parametrize(
    ("content", "given", "attribute", "role"),
    [
        ("User drinks coffee", (), None, "subject"),
        ("Peter is one of User's writers", (), None, "about"),
        ("User's drink is coffee", (), "drink", "subject"),
        ("User's writer drinks coffee", (mention("Peter", role="subject"),), "drink", "about"),
        ("User's drink is coffee", (mention("user", role="object", entity_type="org", parent="WOBS"),), None, "object"),
        ("Peter is a writer", (), None, None),
    ],
)
def test_user_is_mentioned_even_if_the_model_forgot(
    content: str, given: tuple[ExtractedMention, ...], attribute: str | None, role: str | None
) -> None:
    fact = taken(proposal(content, mentions=given, attribute=attribute, value="coffee"))

    users = [mention for mention in fact.mentions if mention.name == USER]
    assert [mention.role for mention in users] == ([role] if role else [])
    assert all(mention.entity_type is EntityType.PERSON and mention.parent is None for mention in users)


def test_relations_hold_between_mentions_only() -> None:
    edges = [
        ("peter", "Works at", "WOBS"),
        ("User", "knows", "Peter"),
        ("Peter", "knows", "Klaus"),
        ("Peter", "is", "peter"),
    ]
    edges += [("peter", "works_at", "wobs"), ("Peter", "!", "WOBS"), ("me", "knows", "Peter")]
    relations = tuple(ExtractedRelation(subject=s, predicate=p, object=o) for s, p, o in edges)

    mentions = (mention("user"), mention("Peter"), mention("WOBS"))
    fact = taken(proposal("Peter is a writer", mentions=mentions, relations=relations))

    held = [(edge.subject, edge.predicate, edge.object) for edge in fact.relations]
    assert held == [("Peter", "works_at", "WOBS"), ("User", "knows", "Peter")]


@pytest.mark.parametrize(
    ("attribute", "value", "expected"),
    [
        ("Favourite drink", "coffee", ("favourite_drink", "coffee")),
        ("lives_in", "Rome", (None, None)),
        ("lives_in", None, (None, None)),
        (None, "coffee", (None, None)),
        ("sugars", "2", ("sugars", "2")),
        ("sugars", "3", (None, None)),
    ],
)
def test_attribute_needs_a_value_that_was_said(
    attribute: str | None, value: str | None, expected: tuple[str | None, str | None]
) -> None:
    fact = taken(proposal(attribute=attribute, value=value))

    assert (fact.attribute, fact.value) == expected


def test_invalid_time_costs_the_fact_nothing() -> None:
    wrong = ExtractedTime(start="next week", end=None, granularity=Granularity.WEEK)
    right = ExtractedTime(start="2023-01-04", end=None, granularity=Granularity.DAY)

    assert taken(proposal(occurred=wrong)).occurred is None
    assert taken(proposal("User drank coffee on 4 January 2023", occurred=right)).occurred is not None


PET = RecordSchema(
    "Drink", {"type": "object", "properties": {"name": {"type": "string"}}, "additionalProperties": False}
)


@pytest.mark.parametrize(
    ("name", "data", "refused"),
    [
        ("Drink", '{"name": "coffee"}', False),
        ("Drink", '{"name": "Chartreuse"}', True),
        ("Drink", '{"sugars": 2}', True),
        ("Drink", "coffee", True),
        ("Food", '{"name": "coffee"}', True),
    ],
)
def test_invalid_record_is_refused_and_its_fact_is_not(name: str, data: str, refused: bool) -> None:
    proposed = proposal(record={"name": name, "data": data})

    grounded = facts_of(ExtractionAnswer(facts=(proposed,)), MESSAGES, Background(schemas=(PET,)))

    (fact,) = grounded.facts
    assert (fact.record is None) is refused
    assert grounded.refused == ({Refusal.RECORD: 1} if refused else {})


def test_code_decides_about_a_time_and_the_content_may_not_contradict_it() -> None:
    batch = [Message(1, UUID(int=1), None, Role.USER, None, "I will meet Peter on Friday.", AT)]
    wrong = ExtractedTime(start="2023-01-13", end=None, granularity=Granularity.DAY)
    given = {"quote": "I will meet Peter on Friday", "kind": MemoryKind.EVENT, "occurred": wrong}
    plain, dated = proposal("User will meet Peter", **given), proposal("User will meet Peter on 13 January", **given)

    grounded = facts_of(ExtractionAnswer(facts=(plain, dated)), batch, Background())

    (fact,) = grounded.facts
    assert fact.occurred is not None
    assert (fact.occurred.start.isoformat(), fact.dated_by) == ("2023-01-06T00:00:00+00:00", "rules")
    assert grounded.refused == {Refusal.UNGROUNDED: 1}


def test_fact_in_two_answers_is_one() -> None:
    one = facts_of(ExtractionAnswer(facts=(proposal(),)), MESSAGES, Background())
    again = ExtractionAnswer(facts=(proposal("User drinks Coffee"), proposal("User lives in Rome")))
    other = facts_of(again, MESSAGES, Background())

    both = joined([one, other])

    assert both.facts == one.facts
    assert both.refused == {Refusal.REPEATED: 1, Refusal.UNGROUNDED: 1}


WORDS = st.sampled_from(
    ["User", "Peter", "Klaus", "WOBS", "coffee", "Oslo", "2", "900", "\x00", "is", "", "Peter is one of our writers"]
)
TEXTS = st.lists(WORDS, max_size=5).map(" ".join) | st.text(max_size=20)
MAYBE = st.none() | TEXTS
PROPOSALS = st.builds(
    ExtractedFact,
    kind=st.sampled_from(MemoryKind),
    content=TEXTS,
    sources=st.lists(st.integers(-2, 8), max_size=5).map(tuple),
    quote=TEXTS,
    start=st.datetimes().map(str) | MAYBE,
    end=MAYBE,
    granularity=st.sampled_from(Granularity),
    mentions=st.lists(
        st.builds(
            ExtractedMention,
            name=TEXTS,
            entity_type=st.sampled_from(EntityType),
            role=st.sampled_from(["subject", "object", "about"]),
            aliases=st.lists(TEXTS, max_size=2).map(tuple),
            parent=MAYBE,
            description=MAYBE,
        ),
        max_size=3,
    ).map(tuple),
    relations=st.lists(st.builds(ExtractedRelation, subject=TEXTS, predicate=TEXTS, object=TEXTS), max_size=2).map(
        tuple
    ),
    attribute=MAYBE,
    value=MAYBE,
    stated=st.booleans(),
    marked=st.booleans(),
    corrects=st.booleans(),
)


@settings(deadline=None)
@given(proposals=st.lists(PROPOSALS, max_size=4))
def test_no_answer_can_make_a_fact_without_the_user(proposals: list[ExtractedFact]) -> None:
    grounded = facts_of(ExtractionAnswer(facts=tuple(proposals)), MESSAGES, Background())

    roles = {message.number: message.role for message in MESSAGES}
    spoken = [message.content for message in MESSAGES if message.role is Role.USER]
    for fact in grounded.facts:
        assert {roles[number] for number in fact.sources} <= {Role.USER, Role.ASSISTANT}
        assert any(roles[number] is Role.USER for number in fact.sources)
        assert any(fact.quote in content for content in spoken)
        assert fact.quote or not fact.stated
        assert "Klaus" not in fact.content or fact.content.split()[0] == "Klaus" or "\x00" in fact.content
        names = {mention.name for mention in fact.mentions}
        assert "Klaus" not in names
        assert all({edge.subject, edge.object} <= names for edge in fact.relations)
        assert Fact.model_validate_json(fact.model_dump_json()) == fact
    assert len(grounded.facts) + sum(grounded.refused.values()) == len(proposals)
