"""The messages of the fault runs: each is one fact that no other resembles, and it is counted how often each is paid for."""

from datetime import UTC, datetime
from itertools import combinations
from uuid import uuid4

import numpy as np

from benchmarks.faults.app import message_of
from benchmarks.faults.llm import EXTRACTION, PaidModel, said_in
from mosshead.models.kinds import Role
from pipeline.extraction.extract import facts_of
from pipeline.extraction.prompt import ExtractionAnswer, extraction_prompt
from pipeline.models import Background, Message
from tests.fake_answers import answer_for, vector_for
from tests.fake_openai import Fault, Request

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
SAID = [message_of(uuid4()) for _ in range(30)]


def messages(said: list[str]) -> list[Message]:
    return [Message(number, uuid4(), "chat", Role.USER, None, text, NOON) for number, text in enumerate(said, 1)]


def prompt_about(said: list[str], earlier: list[str]) -> str:
    return extraction_prompt(messages(said), Background(earlier=tuple(messages(earlier)))).user


def test_each_message_is_one_fact_with_one_source() -> None:
    answer = ExtractionAnswer.model_validate(answer_for(EXTRACTION, prompt_about(SAID, [])))

    facts = facts_of(answer, messages(SAID), Background()).facts

    assert [fact.sources for fact in facts] == [(number,) for number in range(1, len(SAID) + 1)]


def test_no_message_is_near_enough_to_another_to_be_held_against_it() -> None:
    vectors = np.array([vector_for(text, 256) for text in SAID])

    assert max(float(one @ other) for one, other in combinations(vectors, 2)) < 0.8


def test_an_extraction_is_paid_for_its_own_messages_and_not_for_the_earlier_ones() -> None:
    assert said_in(prompt_about(SAID[:3], SAID[3:6])) == SAID[:3]


def test_a_message_that_is_asked_about_twice_is_paid_for_again_unless_nothing_was_answered() -> None:
    llm = PaidModel(pause=0)
    first, second = (Request("/", EXTRACTION, body(prompt_about(said, []))) for said in (SAID[:2], SAID[1:3]))
    with llm:
        llm.script(EXTRACTION, Fault.status(429))
        llm.take(first)
        assert llm.paid_again() == 0
        llm.take(first)
        assert llm.paid_again() == 0
        llm.take(second)
        assert llm.paid_again() == 1


def body(prompt: str) -> dict[str, object]:
    return {"messages": [{"role": "user", "content": prompt}]}
