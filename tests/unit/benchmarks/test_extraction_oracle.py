"""What the oracle answers to the product's own prompts."""

import json
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from benchmarks.extraction.oracle import Oracle
from mosshead.llm import Prompt
from mosshead.models.kinds import Role
from pipeline.consolidation.llm import ShownFact, ShownMemory, consolidation_prompt
from pipeline.extraction.prompt import ExtractionAnswer, extraction_prompt
from pipeline.models import Background, Message
from tests.extraction_given import HOUR, NINE, case, gold, said, session

BERLIN = "User lives in Berlin"
MOVED = gold(id="f2", content=BERLIN, quote="I live in Berlin now", match=["berlin"], action="supersede", target="f1")
AGAIN = "User lives in Seattle again"
LATER = (NINE + timedelta(days=9)).isoformat()
MESSAGES = [said("hm"), said("I live in Berlin now", at=LATER)]
CASES = [
    case(session(gold()), session({**MOVED, "from": [2]}, messages=MESSAGES), store=[BERLIN]),
    case(session(gold(content=AGAIN), messages=[said("I live in Seattle", at=LATER)]), id="another"),
]


@pytest.fixture
def oracle() -> Iterator[Oracle]:
    with Oracle(CASES) as serving:
        yield serving


def asked(oracle: Oracle, prompt: Prompt[Any]) -> Any:
    """The answer to a prompt, over HTTP."""
    body = {
        "model": "oracle",
        "messages": [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
        "response_format": {"type": "json_schema", "json_schema": {"name": prompt.answer.__name__}},
    }
    request = urllib.request.Request(f"{oracle.base_url}/chat/completions", json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=10) as response:
        content = json.load(response)["choices"][0]["message"]["content"]
    return prompt.answer.model_validate_json(content)


def messages(*contents: str, **given: Any) -> list[Message]:
    """What a batch holds, from the user, each an hour after the one before."""
    shown = [
        Message(n, uuid4(), "c1", Role.USER, None, one, NINE + (n - 1) * HOUR) for n, one in enumerate(contents, 1)
    ]
    return [replace(one, **given) for one in shown]


def facts_of(oracle: Oracle, shown: Sequence[Message]) -> list[tuple[str, tuple[int, ...]]]:
    answer: ExtractionAnswer = asked(oracle, extraction_prompt(shown, Background()))
    return [(fact.content, fact.sources) for fact in answer.facts]


def test_it_knows_a_session_by_its_messages(oracle: Oracle) -> None:
    assert facts_of(oracle, messages("I live in Seattle")) == [("User lives in Seattle", (1,))]
    assert facts_of(oracle, messages("hm", "I live in Berlin now")) == [(BERLIN, (2,))]


def test_of_two_sessions_with_the_same_words_it_takes_that_of_the_same_time(oracle: Oracle) -> None:
    later = messages("I live in Seattle", occurred_at=datetime.fromisoformat(LATER))
    assert facts_of(oracle, later) == [(AGAIN, (1,))]


def test_it_names_messages_by_the_numbers_that_are_shown(oracle: Oracle) -> None:
    assert facts_of(oracle, messages("I live in Berlin now")) == [(BERLIN, (1,))]


def test_a_message_with_something_hidden_is_known_by_its_time_and_words(oracle: Oracle) -> None:
    assert facts_of(oracle, messages("I live in [hidden]")) == [("User lives in Seattle", (1,))]
    assert facts_of(oracle, messages("I live in [hidden]", occurred_at=NINE + HOUR)) == []
    assert facts_of(oracle, messages("We went to Rome")) == []


def decisions(oracle: Oracle, facts: Sequence[ShownFact], memories: Sequence[ShownMemory]) -> list[Any]:
    answer = asked(oracle, consolidation_prompt(facts, memories))
    return [(one.fact, one.action, one.memory) for one in answer.decisions]


SEATTLE = ShownMemory(3, "User lives in Seattle", NINE)
TEA = ShownMemory(4, "User likes tea", NINE)


def test_it_decides_by_the_local_numbers(oracle: Oracle) -> None:
    fact = ShownFact(5, BERLIN, NINE + timedelta(days=9), near=(4, 3))
    assert decisions(oracle, [fact], [SEATTLE, TEA]) == [(5, "supersede", 3)]


def test_what_is_not_shown_as_near_cannot_be_named(oracle: Oracle) -> None:
    fact = ShownFact(5, BERLIN, NINE + timedelta(days=9), near=(4,))
    assert decisions(oracle, [fact], [SEATTLE, TEA]) == [(5, "add", None)]


def test_what_it_does_not_know_is_added(oracle: Oracle) -> None:
    unknown = ShownFact(1, "User likes jazz", NINE, near=(3,))
    assert decisions(oracle, [unknown], [SEATTLE]) == [(1, "add", None)]


def test_a_fact_of_the_same_batch_is_put_right() -> None:
    one_session = case(session(gold(), MOVED), store=[BERLIN])
    facts = [ShownFact(1, "User lives in Seattle", NINE, near=(4,)), ShownFact(2, BERLIN, NINE, near=(9, 4))]
    first = ShownMemory(9, "User lives in Seattle", NINE, earlier_fact=1)
    with Oracle([one_session]) as oracle:
        assert decisions(oracle, facts, [TEA, first]) == [(1, "add", None), (2, "supersede", 9)]


def test_a_memory_is_known_by_what_it_said_before_this_batch() -> None:
    merged = "User lives in Seattle, Ballard"
    named = gold(id="f2", action="update", target="f1", merged=merged, quote="Ballard, to be precise", match=["live"])
    again = gold(id="f3", action="none", target="f2", content="User lives in Ballard", match=["ballard"])
    facts = [ShownFact(n, one, NINE, near=(3,)) for n, one in enumerate(("User lives in Seattle", again["content"]), 1)]
    with Oracle([case(session(gold()), session(named, again), store=[merged])]) as oracle:
        assert decisions(oracle, facts, [SEATTLE]) == [(1, "update", 3), (2, "none", 3)]
