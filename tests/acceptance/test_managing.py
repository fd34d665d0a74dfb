"""Managers over real HTTP: the code of their page runs, and a faulty endpoint loses nothing."""

import contextlib
import io
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from mosshead.contrib.managers import Note, create_memory_manager, create_profile_manager
from mosshead.llm import ModelUnavailable, open_model
from tests.acceptance.test_readme import python_with_output
from tests.fake_openai import FakeOpenAI, Fault
from tests.pages import ROOT
from tests.unit.mosshead.contrib.managers.scripted import change, field_set, new

TALK = "User: I like tea."
KNOWN = (uuid4(), Note(content="User likes coffee"))


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as served:
        monkeypatch.setenv("OPENAI_BASE_URL", served.base_url)
        yield served


def test_code_of_the_managers_page_runs(fake: FakeOpenAI) -> None:
    learnt = {"observation": "The build failed with error 12.", "thoughts": "Caches go stale."}
    learnt |= {"action": "Told the user to clear the cache.", "result": "The build passed."}
    fake.script(
        "ManagerAnswer",
        {"changes": [new("Recipe", dish="mushroom risotto", minutes=40)]},
        {"changes": [change("update", memory=1, data={"minutes": 30})]},
        {"changes": [new("Episode", **learnt)]},
    )
    fake.script(
        "DocumentAnswer",
        {"fields": [field_set("name", "Ana"), field_set("languages", ["Portuguese", "English"])]},
        {"fields": [field_set("languages", ["Portuguese", "English", "Greek"])]},
    )
    variables: dict[str, object] = {}
    for code, said in python_with_output(ROOT / "docs" / "how-to" / "documents.md")[2:]:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "docs/how-to/documents.md", "exec"), variables)
        assert printed.getvalue() == said


@pytest.mark.parametrize(
    "fault",
    [
        Fault("invalid_json"),
        Fault("misfit"),
        Fault("truncated"),
        Fault("refusal"),
        Fault("no_choices"),
        Fault.status(400),
    ],
    ids=lambda fault: str(fault.kind),
)
def test_unusable_answer_leaves_managed_memories_unchanged(fake: FakeOpenAI, fault: Fault) -> None:
    fake.script("ManagerAnswer", *[fault] * 5)
    fake.script("DocumentAnswer", *[fault] * 5)
    memories = create_memory_manager("openai:gpt-fake")(TALK, [KNOWN])
    profile = create_profile_manager("openai:gpt-fake", Note)(TALK, KNOWN[1])
    assert [(one.id, one.value) for one in memories] == [KNOWN]
    assert profile.value == KNOWN[1]
    assert len(memories.refused) == len(profile.refused) == 1
    assert "tea" not in memories.refused[0].why + profile.refused[0].why


@pytest.mark.parametrize(
    "fault",
    [Fault.status(429), Fault.status(500), Fault("reset"), Fault("html")],
    ids=lambda fault: str(fault.kind) + str(fault.code),
)
def test_unavailable_endpoint_is_left_to_the_caller_to_retry(fake: FakeOpenAI, fault: Fault) -> None:
    fake.script("ManagerAnswer", fault)
    manager = create_memory_manager(open_model("openai:gpt-fake", timeout=5))
    with pytest.raises(ModelUnavailable) as raised:
        manager(TALK, [KNOWN])
    assert "tea" not in str(raised.value)
    assert len(manager(TALK, [KNOWN])) == 1


def test_answer_with_good_and_bad_parts_applies_the_good_and_reports_the_bad(fake: FakeOpenAI) -> None:
    bad: list[Any] = [7, {"action": "insert"}, change("update", memory=9, data={}), change("delete", memory=1)]
    fake.script("ManagerAnswer", {"changes": [*bad, new("Note", content="User likes tea", importance=3)]})
    found = create_memory_manager("openai:gpt-fake")(TALK, [KNOWN])
    assert [one.value for one in found] == [KNOWN[1], Note(content="User likes tea", importance=3)]
    assert len(found.refused) == 4
