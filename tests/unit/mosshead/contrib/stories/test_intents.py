"""Which kind of story a request asks for, about what, and of which days."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.contrib.stories.requests import StoryIntent, asked_for

TODAY = date(2026, 3, 4)
TIMELINE, CONNECTION, CHANGE, PERIOD = StoryIntent

REQUESTS = {
    "How did Anna and I get to know each other?": (CONNECTION, "about Anna and I"),
    "How did Anna and I meet?": (CONNECTION, "about Anna and I meet"),
    "How do I know Priya?": (CONNECTION, "about I Priya"),
    "how are Priya and Owen connected?": (CONNECTION, "about Priya and Owen"),
    "What is the history between Tom and Peter?": (CONNECTION, "about Tom and Peter"),
    "Tell the story of the move to Lisbon": (TIMELINE, "about the move to Lisbon"),
    "Can you please tell me how Priya came to WOBS?": (TIMELINE, "about how Priya came to WOBS"),
    "Give me a timeline of Peter the plumber": (TIMELINE, "about Peter the plumber"),
    "Erzähl mir von Lissabon": (TIMELINE, "about Erzähl mir von Lissabon"),
    "How has my opinion of gift cards changed?": (CHANGE, "about my gift cards"),
    "How did Lantern develop?": (CHANGE, "about Lantern"),
    "What became of the team meeting?": (CHANGE, "about the team meeting"),
    "How has the price changed in 2024?": (CHANGE, "about the price in 2024"),
    "What happened with WOBS in 2023?": (PERIOD, "about WOBS in 2023"),
    "what has happened to the boiler since March 2023?": (PERIOD, "about the boiler since March 2023"),
}


@pytest.mark.parametrize("request_", REQUESTS)
def test_request_has_an_intent_and_a_topic(request_: str) -> None:
    asked = asked_for(request_, TODAY)
    assert (asked.intent, asked.topic) == REQUESTS[request_]
    assert not asked.bare


@pytest.mark.parametrize("request_", ["Tell me my life story", "How have I changed?", "What happened in May?", "story"])
def test_request_may_be_about_only_a_time_or_the_user(request_: str) -> None:
    assert asked_for(request_, TODAY).bare


def test_user_is_meant_by_the_question_and_not_by_its_addressee() -> None:
    assert asked_for("Tell me how Anna and I met", TODAY).own
    assert not asked_for("Tell me how Anna and Bo met", TODAY).own


def test_only_a_period_has_days() -> None:
    assert asked_for("What happened last year?", TODAY).days == ((date(2025, 1, 1), date(2025, 12, 31)),)
    assert asked_for("How has my view of it changed since 2023?", TODAY).days == ()


@given(st.text(max_size=80) | st.lists(st.sampled_from([*" ".join(REQUESTS).split(), "?", "İ"])).map(" ".join))
def test_any_text_asks_for_something(request_: str) -> None:
    asked = asked_for(request_, TODAY)
    assert asked.topic or not request_
    assert (asked.days == ()) == (asked.intent is not PERIOD)
    assert all(first <= last for first, last in asked.days)
