"""Who it is that "she is called Mia" names: the nearest one without a name, and in doubt nobody."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from mosshead.models.kinds import Role
from pipeline.models import Background, Fact, Message
from pipeline.rules_en import extract_offline

SAID_AT = datetime(2023, 5, 10, 14, 30, tzinfo=UTC)


def user(*texts: str) -> list[Fact]:
    said = [Message(n, UUID(int=n), "c", Role.USER, None, text, SAID_AT) for n, text in enumerate(texts, 1)]
    return extract_offline(said, Background())


def aliases(facts: list[Fact]) -> set[str]:
    return {alias for fact in facts for mention in fact.mentions for alias in mention.aliases}


@pytest.mark.parametrize(
    ("texts", "named", "then"),
    [
        (("My sister Eva had a baby. She's called Mia.", "Mia has a cold."), "Eva's baby", "Mia has a cold"),
        (("My sister Eva gave birth to a boy. They named him Leo.", "He has a cold."), "Eva's son", "Leo has a cold"),
        (("Anna is my friend.", "We got a dog, she's called Luna.", "She weighs 30 kg."), "User's dog", "weighs 30 kg"),
        (("My colleague Tom likes tea.", "I have a new boss, he's called Frank.", "He's strict."), "User's boss", None),
        (("My neighbour Tom has a dog. He's called Rex.", "Rex has a cold."), "Tom's dog", "Rex has a cold"),
        (("Anna is my friend. My brother has a new girlfriend. She is called Zoe.",), "User's brother's girlfriend", None),
        (("My friend Anna loves tea.", "I adopted a kitten! We call her Miso."), "User's kitten", None),
        (("There's a new manager at work. She's named Priya.",), "User's manager", None),
        (("Our new intern started today. He's called Raj.",), "User's new intern", None),
        (("My company is Acme. I started a podcast. It's called Tea Time.",), "User's podcast", None),
        (("My friend Anna is a vet. We bought a boat, she's called Serenity.",), "User's boat", None),
        (("Eva is here.", "I have a son and a daughter. She is called Ida.", "Ida hates tea."), "User's daughter", "hates tea"),
    ],
)  # fmt: skip
def test_the_nearest_one_without_a_name_is_named(texts: tuple[str, ...], named: str, then: str | None) -> None:
    facts = user(*texts)
    assert any(fact.content.startswith(f"{named} is called") for fact in facts)
    assert then is None or facts[-1].content.endswith(then)
    assert aliases(facts) == set()


def test_a_name_is_told_of_the_one_without_and_not_of_the_one_who_has_one() -> None:
    assert [fact.content for fact in user("My sister Eva had a baby girl. Her name is Mia.")][
        -1
    ] == "Eva's baby's name is Mia"


@pytest.mark.parametrize(
    "texts",
    [
        ("My friend Anna is a teacher. She's called Annie.",),
        ("My friend Anna is a teacher.", "Her name is Mia."),
        ("Anna is my boss. She's called Annie.",),
        ("I have a dog and a cat. She's called Luna.",),
        ("My friend Anna has a flat. It's called Luna.",),
        ("We got a dog.", "I work in Leeds.", "I like tea.", "My boss Anna is kind. She's called Luna."),
        ("My friend Anna is here. I called her Monday.",),
        ("My friend Anna is a nurse. There's a new girl in my class. She's called Luna.",),
    ],
)
def test_in_doubt_nobody_is_named(texts: tuple[str, ...]) -> None:
    facts = user(*texts)
    assert aliases(facts) == set()
    assert not {"Annie", "Mia", "Luna"} & {mention.name for fact in facts for mention in fact.mentions}


@pytest.mark.parametrize(
    "said",
    [
        *("Everyone calls her Annie.", "She goes by Annie.", "She's also known as Annie.", "She is nicknamed Annie."),
        *("Her friends call her Annie.", "She's better known as Annie."),
    ],
)
def test_who_has_a_name_gets_another_by_the_words_for_other_names(said: str) -> None:
    assert aliases(user(f"My friend Anna is a teacher. {said}")) == {"Annie"}
