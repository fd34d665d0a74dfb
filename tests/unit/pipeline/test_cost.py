"""No message costs more than its length: its facts are bounded, and work that depends on one text is done once."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

from mosshead.language.dates import times_in
from mosshead.models.kinds import MemoryKind
from pipeline.extraction.extract import (
    MAX_FACTS,
    MAX_FACTS_BY_RULES,
    MAX_FACTS_OF_A_MESSAGE,
    MAX_PROPOSED,
    MAX_REFUSED,
    extract,
    facts_of,
)
from pipeline.extraction.mentions import MAX_MENTIONS
from pipeline.extraction.prompt import ExtractionAnswer
from pipeline.linking.link import MOST_SAID, surroundings
from pipeline.models import Background, Fact
from pipeline.rules_en import extract_offline
from pipeline.salience import score_all
from tests.factories import message
from tests.fake_answers import fact_like
from tests.steps import steps

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def likes(count: int, first: int = 0) -> str:
    return " ".join(f"I like tea{number}." for number in range(first, first + count))


def friends(count: int) -> str:
    return " ".join(f"My friend Ann{n}a Berg{n} lives in Rome{n}." for n in range(count))


def answered(*facts: dict[str, Any]) -> ExtractionAnswer:
    return ExtractionAnswer.model_validate({"facts": facts})


def test_message_with_many_statements_gives_the_first_and_the_rest_are_refused() -> None:
    more = MAX_REFUSED + 10
    found = extract([message(likes(MAX_FACTS_OF_A_MESSAGE + more))], Background(), None)

    assert [fact.content for fact in found.facts] == [f"User likes tea{n}" for n in range(MAX_FACTS_OF_A_MESSAGE)]
    assert found.refused == {"over_limit": more}
    assert [one.content for one in found.turned_down] == [
        f"User likes tea{MAX_FACTS_OF_A_MESSAGE + n}" for n in range(MAX_REFUSED)
    ]


def test_long_messages_share_the_facts_of_a_batch() -> None:
    messages = [message(likes(75, first=75 * number), number) for number in range(1, 4)]
    found = extract(messages, Background(), None)

    assert len(found.facts) == MAX_FACTS_BY_RULES
    assert found.refused == {"over_limit": 3 * 75 - MAX_FACTS_BY_RULES}


def test_full_message_leaves_the_next_one_its_facts() -> None:
    messages = [message(likes(MAX_FACTS_OF_A_MESSAGE + 5)), message("My sister Anna lives in Leeds.", 2)]
    found = extract(messages, Background(), None)

    assert any("Leeds" in fact.content for fact in found.facts)


def test_twice_as_many_new_names_take_about_twice_the_work() -> None:
    """The names that a message introduces are searched in the rest of it, without one pattern of all names for each."""
    once, twice = (steps(partial(extract_offline, [message(friends(count))], Background())) for count in (30, 60))
    assert twice < 2.4 * once


@pytest.mark.parametrize("quote", ["I have to call a client", ""])
def test_each_text_is_searched_for_cues_once_however_many_facts_it_gave(quote: str) -> None:
    fact = Fact(kind=MemoryKind.FACT, content="User has to call a client", sources=(1,), quote=quote)

    def searches(count: int) -> int:
        return steps(lambda: score_all(dict.fromkeys(range(count), fact), {1: "Remember this: " * 99}), of="search")

    assert searches(100) == searches(1)


def test_times_of_a_long_text_take_work_in_proportion_to_it() -> None:
    once, twice = (steps(partial(times_in, "on 3 May 2023, " * count, NOON)) for count in (150, 300))
    assert twice < 2.4 * once


MANY = 2 * MAX_PROPOSED


def test_answer_with_too_many_facts_has_only_the_first_checked_and_each_text_read_once() -> None:
    given = [fact_like(content=f"User likes tea{n}", quote=f"I like tea{n}", mentions=[]) for n in range(MANY)]
    answer, said = answered(*given), [message(likes(MANY))]

    def readings(count: int) -> int:
        few = answer.model_copy(update={"facts": answer.facts[:count]})
        return steps(lambda: facts_of(few, said, Background()), of="grounds")

    grounded = facts_of(answer, said, Background())
    assert len(grounded.facts) == MAX_FACTS
    assert sum(grounded.refused.values()) == MANY - MAX_FACTS
    assert set(grounded.refused) == {"over_limit"}
    assert readings(MANY) == readings(MAX_PROPOSED) == MAX_PROPOSED


def test_fact_with_thousands_of_mentions_is_about_the_first() -> None:
    names = [f"Ann{n}a" for n in range(500)]
    mentions: Sequence[dict[str, Any]] = [
        {"name": name, "entity_type": "person", "role": "about", "aliases": [], "parent": None, "description": None}
        for name in names
    ]
    given = fact_like(content="User knows many", quote="I know many", mentions=mentions)
    grounded = facts_of(answered(given), [message(f"I know many: {', '.join(names)}")], Background())

    (fact,) = grounded.facts
    assert [one.name for one in fact.mentions if one.name != "User"] == names[:MAX_MENTIONS]
    assert grounded.refused_entities == {"mentions_over_limit": 500 - MAX_MENTIONS}


@pytest.mark.parametrize("place", [0, 3_999, 4_000, 100_000, 199_990])
def test_words_around_a_fact_of_a_long_message_decide_its_subject(place: int) -> None:
    content = "x" * place + "Peter the roofer" + "y" * (200_000 - place)
    around = surroundings(content, "Peter the roofer")

    assert len(around) <= MOST_SAID
    assert "Peter the roofer" in around
    before = content[max(place - 1_000, 0) : place]
    assert f"{before}Peter the roofer" in around


def test_facts_of_a_long_message_share_what_is_read_for_them() -> None:
    content = likes(20_000)
    read = {surroundings(content, f"I like tea{number}.") for number in range(0, 20_000, 100)}
    assert sum(map(len, read)) <= 2 * len(content) + MOST_SAID


def test_short_message_is_read_whole() -> None:
    assert surroundings("Hi. Peter called.", "Peter called.") == "Hi. Peter called."


def test_quote_that_nobody_said_is_rejected_without_trying_each_place() -> None:
    """A pattern of its words would start again at each word of a repetitive text."""
    quote = "tea " * 300 + "coffee"
    given = fact_like(content="User likes tea", quote=quote, mentions=[])
    said = message("I like tea. " + "tea " * 2_000)

    assert steps(lambda: facts_of(answered(given), [said], Background()), of="compile") == 0
    assert not facts_of(answered(given), [said], Background()).facts[0].stated
