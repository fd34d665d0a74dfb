"""The whole way with an LLM, a fake endpoint over real HTTP: what it is asked, what it costs, and how it fails."""

import contextlib
import io
import json
import re
from collections import Counter

from tests.acceptance.llm.conftest import API_KEY
from tests.acceptance.running import Running
from tests.acceptance.test_readme import python_with_output
from tests.fake_answers import fact_like
from tests.fake_openai import FakeOpenAI, Fault
from tests.pages import ROOT
from tests.unit.mosshead.contrib.managers.scripted import field_set, new


def test_each_batch_makes_one_extraction_call_and_at_most_one_consolidation_call(
    running: Running, fake: FakeOpenAI
) -> None:
    """Other tests share the machine, so calls are counted by their content, and rows by namespace."""
    sarah = running.memory.namespace("acme", "sarah")
    of_sarah = f"where namespace_id = '{sarah.path.namespace_id}'"
    for talk in range(3):
        for number in range(5):
            sarah.publish(f"I like dish {talk}-{number} very much", conversation=f"c{talk}")
            sarah.publish("Good to know!", role="assistant", conversation=f"c{talk}")
        sarah.wait(timeout=90)

    calls = Counter(request.schema for request in fake.requests if re.search("likes? dish", request.prompt))
    ((batches,),) = running.rows(f"select count(*) from mosshead.batches {of_sarah} and stage = 'done'")
    assert calls["ExtractionAnswer"] == batches >= 3
    assert 1 <= calls["ConsolidationAnswer"] <= batches
    assert calls["ProfileAnswer"] == 0
    assert len(sarah.memories()) == 15
    decided_by = {row for (row,) in running.rows(f"select distinct decided_by from mosshead.decisions {of_sarah}")}
    assert "gpt-4o-mini" in decided_by
    spent = dict(running.rows(f"select prompt, count(*) from mosshead.usage {of_sarah} group by prompt"))
    assert spent["extraction"] == batches


def test_model_outage_loses_nothing_and_counts_no_attempts(running: Running, fake: FakeOpenAI) -> None:
    fake.script("ExtractionAnswer", Fault.status(429, retry_after="1"), Fault("reset"))
    omar = running.memory.namespace("acme", "omar")

    omar.publish("I play the oboe")
    omar.wait(timeout=90)

    assert [memory.content for memory in omar.memories()] == ["User plays the oboe"]


def test_unusable_answers_become_dead_letters_and_the_lane_continues(running: Running, fake: FakeOpenAI) -> None:
    fake.script("ExtractionAnswer", Fault("refusal"))
    eve = running.memory.namespace("acme", "eve")
    eve.publish("I play the tuba")
    running.eventually(
        lambda: (
            running.rows(
                f"select reason from mosshead.events where state = 'dead' and namespace_id = '{eve.path.namespace_id}'"
            )
            == [("extract: AnswerDeclined: the model declined to answer",)]
        ),
        "the event is given up with its reason",
    )

    eve.publish("I play the harp")
    eve.wait(timeout=90)

    assert [memory.content for memory in eve.memories()] == ["User plays the harp"]


def test_code_of_the_documents_page_runs(running: Running, fake: FakeOpenAI) -> None:
    said = "I'm Sarah, I work as a vet and I was running for 30 minutes"
    record = {"name": "Workout", "data": json.dumps({"sport": "running", "minutes": 30})}
    fake.script(
        "RecordingAnswer",
        {"facts": [fact_like(content="User was running for 30 minutes", quote=said, record=record)]},
    )
    fake.script("DocumentAnswer", {"fields": [field_set("name", "Sarah"), field_set("job", "vet")]})
    told = {"observation": "User spoke of training.", "thoughts": "It may matter.", "action": "Listened."}
    fake.script("ManagerAnswer", {"changes": [new("Episode", **told, result="User ran for 30 minutes.")]})
    variables: dict[str, object] = {"sarah": running.memory.namespace("acme", "sarah_of_the_page")}
    for code, expected in python_with_output(ROOT / "docs" / "how-to" / "documents.md")[:2]:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "docs/how-to/documents.md", "exec"), variables)
        assert printed.getvalue() == expected


def test_wrong_api_key_is_reported_and_nothing_is_lost(running: Running, fake: FakeOpenAI) -> None:
    """Once the operator corrects the key, the waiting memories are formed."""
    fake.script("ExtractionAnswer", Fault.status(401))
    ann = running.memory.namespace("acme", "ann")
    ann.publish("I like tea")
    statement = f"select error from mosshead.batches where namespace_id = '{ann.path.namespace_id}'"
    running.eventually(
        lambda: any("OPENAI_API_KEY" in error for (error,) in running.rows(statement) if error),
        "the batch says what is wrong",
    )
    running.eventually(lambda: "OPENAI_API_KEY" in running.logs(), "the log does, too")
    assert API_KEY not in running.logs()
    ann.wait(timeout=90)
    assert [memory.content for memory in ann.memories()] == ["User likes tea"]
