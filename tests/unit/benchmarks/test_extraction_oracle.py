"""The oracle's answers to the product's own prompts."""

import json
import urllib.request
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from benchmarks.extraction.oracle import Oracle
from mosshead.llm import Prompt
from pipeline.consolidation.llm import consolidation_prompt
from pipeline.extraction.prompt import ExtractionAnswer, extraction_prompt
from pipeline.models import Background, Message, NewFact
from tests.extraction_given import HOUR, NINE, case, gold, said, session
from tests.factories import message
from tests.unit.pipeline.consolidating import known, new

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
    """Return the answer to a prompt, over HTTP."""
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
    """Return a batch of user messages, each an hour after the one before."""
    return [
        message(one, number, **{"occurred_at": NINE + (number - 1) * HOUR, **given})
        for number, one in enumerate(contents, 1)
    ]


def facts_of(oracle: Oracle, shown: Sequence[Message]) -> list[tuple[str, tuple[int, ...]]]:
    answer: ExtractionAnswer = asked(oracle, extraction_prompt(shown, Background()))
    return [(fact.content, fact.sources) for fact in answer.facts]


def test_oracle_recognises_a_session_by_its_messages(oracle: Oracle) -> None:
    assert facts_of(oracle, messages("I live in Seattle")) == [("User lives in Seattle", (1,))]
    assert facts_of(oracle, messages("hm", "I live in Berlin now")) == [(BERLIN, (2,))]


def test_session_with_the_same_words_is_recognised_by_its_time(oracle: Oracle) -> None:
    later = messages("I live in Seattle", occurred_at=datetime.fromisoformat(LATER))
    assert facts_of(oracle, later) == [(AGAIN, (1,))]


def test_oracle_refers_to_messages_by_the_shown_numbers(oracle: Oracle) -> None:
    assert facts_of(oracle, messages("I live in Berlin now")) == [(BERLIN, (1,))]


def test_redacted_message_is_recognised_by_its_time_and_words(oracle: Oracle) -> None:
    assert facts_of(oracle, messages("I live in [hidden]")) == [("User lives in Seattle", (1,))]
    assert facts_of(oracle, messages("I live in [hidden]", occurred_at=NINE + HOUR)) == []
    assert facts_of(oracle, messages("We went to Rome")) == []


def decisions(oracle: Oracle, *facts: NewFact) -> list[Any]:
    answer = asked(oracle, consolidation_prompt(facts))
    return [(one.fact, one.action, one.memory) for one in answer.decisions]


SEATTLE = (known("User lives in Seattle", 3, said_at=NINE), 0.7)
TEA = (known("User likes tea", 4, said_at=NINE), 0.7)


def test_oracle_decides_by_local_numbers(oracle: Oracle) -> None:
    fact = new(BERLIN, TEA, SEATTLE, number=5, said_at=NINE + timedelta(days=9))
    assert decisions(oracle, fact) == [(5, "supersede", 3)]


def test_memory_that_is_not_shown_as_near_cannot_be_named(oracle: Oracle) -> None:
    fact, other = new(BERLIN, TEA, number=5, said_at=NINE + timedelta(days=9)), new("User sings", SEATTLE, said_at=NINE)
    assert decisions(oracle, other, fact) == [(1, "add", None), (5, "add", None)]


def test_unknown_fact_is_added(oracle: Oracle) -> None:
    unknown = new("User likes jazz", SEATTLE, said_at=NINE)
    assert decisions(oracle, unknown) == [(1, "add", None)]


def test_fact_of_the_same_batch_is_corrected() -> None:
    one_session = case(session(gold(), MOVED), store=[BERLIN])
    first = (known("User lives in Seattle", 9, said_at=NINE, earlier_fact=1), 0.7)
    facts = [
        new("User lives in Seattle", TEA, said_at=NINE),
        new(BERLIN, first, TEA, number=2, said_at=NINE),
    ]
    with Oracle([one_session]) as oracle:
        assert decisions(oracle, *facts) == [(1, "add", None), (2, "supersede", 9)]


def test_memory_is_recognised_by_its_content_before_this_batch() -> None:
    merged = "User lives in Seattle, Ballard"
    named = gold(id="f2", action="update", target="f1", merged=merged, quote="Ballard, to be precise", match=["live"])
    again = gold(id="f3", action="none", target="f2", content="User lives in Ballard", match=["ballard"])
    told = ("User lives in Seattle", again["content"])
    facts = [new(one, SEATTLE, number=n, said_at=NINE) for n, one in enumerate(told, 1)]
    with Oracle([case(session(gold()), session(named, again), store=[merged])]) as oracle:
        assert decisions(oracle, *facts) == [(1, "update", 3), (2, "none", 3)]
