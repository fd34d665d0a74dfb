"""Whom the words of a conversation mean, once somebody was introduced by what he is to the user."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from mosshead.models.kinds import EntityType, Role
from pipeline.models import Background, Fact, FactMention, Message
from pipeline.rules_en import extract_offline

SAID_AT = datetime(2023, 5, 10, 14, 30, tzinfo=UTC)


def user(*texts: str, conversations: str = "") -> list[Fact]:
    where = conversations or "a" * len(texts)
    return extract_offline(
        [
            Message(n, UUID(int=n), name, Role.USER, None, text, SAID_AT)
            for n, (text, name) in enumerate(zip(texts, where, strict=True), 1)
        ],
        Background(),
    )


def mention(fact: Fact, name: str) -> FactMention:
    return next(found for found in fact.mentions if found.name == name)


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("He's allergic to latex.", "User's cousin Marcus is allergic to latex"),
        ("Marcus loves opera.", "User's cousin Marcus loves opera"),
        ("I'd rather travel with him.", "User would rather travel with User's cousin Marcus"),
        ("His birthday is on 3 June.", "Marcus's birthday is on 3 June"),
    ],
)
def test_a_later_message_tells_the_introduced_one_from_his_namesakes(said: str, content: str) -> None:
    fact = user("My cousin Marcus plays chess.", said)[-1]
    assert fact.content == content
    assert mention(fact, "Marcus").description == "User's cousin"


def test_a_namesake_of_another_conversation_stays_bare() -> None:
    fact = user("My cousin Marcus plays chess.", "Marcus loves opera.", conversations="ab")[-1]
    assert (fact.content, mention(fact, "Marcus").description) == ("Marcus loves opera", None)


def test_a_trade_means_the_one_of_that_trade() -> None:
    facts = user("My cousin Marcus is a baker.", "My neighbour Marcus plays chess.", "Marcus the baker loves opera.")
    assert mention(facts[-1], "Marcus").description == "User's cousin"


def test_a_trade_alone_describes() -> None:
    (fact,) = user("Lena the beekeeper moved, but Ida the baker loves opera.")
    assert mention(fact, "Ida").description == "baker"


def test_a_colleague_keeps_his_role_and_his_firm() -> None:
    fact = user("I own a bakery called Crumbs. Ida is one of our bakers.", "She's taken up judo.")[-1]
    assert fact.content == "Ida has taken up judo"
    assert (mention(fact, "Ida").description, mention(fact, "Ida").parent) == ("baker", "Crumbs")


def test_the_firm_of_one_conversation_is_the_users_own_in_the_next() -> None:
    fact = user("I own a bakery called Crumbs.", "Ben works for us on weekends.", conversations="ab")[-1]
    assert fact.content == "Ben works for Crumbs on weekends"
    assert mention(fact, "Crumbs").entity_type is EntityType.ORG
    assert fact.sources == (1, 2)


def test_the_first_name_becomes_another_name_of_the_full_one() -> None:
    fact = user("Ida joined the choir. Ida Holm, she used to be a judge.")[-1]
    assert fact.content == "Ida Holm used to be a judge"
    assert mention(fact, "Ida Holm").aliases == ("Ida",)


@pytest.mark.parametrize(
    ("texts", "content"),
    [
        (("My brother Jonas met Freya.", "She's taken up judo."), "Freya has taken up judo"),
        (("My aunt Freya adores Jonas.", "He's bought a boat."), "Jonas has bought a boat"),
        (("Robin is my dentist. She lives in Kiel.", "He loves opera."), None),
    ],
)
def test_a_pronoun_means_nobody_of_the_other_gender(texts: tuple[str, ...], content: str | None) -> None:
    told = [fact.content for fact in user(*texts) if fact.sources[-1] == len(texts)]
    assert told == ([content] if content else [])


def test_of_a_company_at_table_the_first_is_meant() -> None:
    fact = user("My uncle Ravi and Meera are visiting with the baby, Noah.", "He's hired an apprentice called Omar.")[
        -1
    ]
    assert fact.content == "User's uncle Ravi has hired an apprentice called Omar"


def test_an_introduction_is_told_once() -> None:
    facts = user("My cousin Marcus plays chess.", "My cousin Marcus loves opera.")
    assert [fact.content for fact in facts].count("Marcus is User's cousin") == 1
    assert facts[0].relations[0].predicate == "cousin_of"


@pytest.mark.parametrize(
    ("text", "name", "entity_type"),
    [
        ("Ida has a call with Nordwind.", "Nordwind", EntityType.ORG),
        ("Jonas bought a boat from Hansen Joinery.", "Hansen Joinery", EntityType.ORG),
        ("My uncle Ravi and Meera are visiting in June.", "Meera", EntityType.PERSON),
        ("We are visiting Jonas and the baby, Asha.", "Asha", EntityType.PERSON),
    ],
)
def test_what_sort_of_thing_a_name_is(text: str, name: str, entity_type: EntityType) -> None:
    facts = user("Nordwind Motors is our supplier.", text)
    assert mention(facts[-1], name).entity_type is entity_type


def test_a_place_that_only_says_which_is_no_entity() -> None:
    (fact,) = user("Jonas is running the Berlin marathon.")
    assert [found.name for found in fact.mentions] == ["Jonas"]


def test_two_who_are_named_together_are_two() -> None:
    fact = user("My uncle Ravi and Meera are visiting in June.")[-1]
    assert {found.name for found in fact.mentions} == {"Ravi", "Meera", "User"}
