"""Prompt versions through the real stages: set by hand, restored, improved by feedback; nothing is overwritten."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine, text

from config.settings import settings
from db.keys import BatchRef, LaneRef, VersionConflict
from mosshead import InvalidEvent, Namespace, NotFound, PromptConflict
from mosshead.contrib.prompts import Prompts
from mosshead.store import decisions
from tests.fake_openai import FakeOpenAI, Fault
from tests.forming import Forming, carry_through
from tests.given import Worker
from workers.dependencies import parts
from workers.reflection import prompts as improving
from workers.reflection.kinds import ReflectionDue
from workers.tasks import StageFailed

TEXT = "You help {user}.\nAnswer in full sentences."
BETTER = "You help {user}.\nAnswer in one sentence."
SAID = [{"role": "user", "content": "What do I owe?"}, {"role": "assistant", "content": "Let me see. 20."}]


@pytest.fixture
def slow(fake: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make feedback wait for a quiet hour, or for three entries."""
    monkeypatch.setenv("MOSSHEAD_REFLECTION_DEBOUNCE_SECONDS", "3600")
    monkeypatch.setenv("MOSSHEAD_PROMPT_FEEDBACK_MOST", "3")
    settings.cache_clear()
    parts.cache_clear()


def learnt(text: str, *, reason: str = "shorter") -> dict[str, Any]:
    return {"lessons": ["Be short."], "prompt": text, "reason": reason}


def set_prompt(forming: Forming, text: str = TEXT, **more: Any) -> UUID:
    return forming.command(**{"type": "set_prompt", "name": "support", "template": text, **more})


def to_improve(forming: Forming) -> None:
    set_prompt(forming, optimizer="prompt_memory", instructions="Keep the first line.")


def give(forming: Forming, said: str = "too long", **more: Any) -> UUID:
    fields = {"type": "feedback", "prompt": "support", "messages": SAID, "feedback": said, "score": 0.2}
    return forming.command(**{**fields, **more})


def texts(namespace: Namespace) -> list[tuple[int, str, str]]:
    return [(one.version, one.text, one.made_by) for one in Prompts(namespace).versions("support")]


@pytest.fixture
def feedback(admin_engine: Engine, lane: LaneRef) -> Callable[[], list[tuple[str, int | None, bool]]]:
    """Return the feedback on prompts, with the version it led to, and whether it was used."""

    def rows() -> list[tuple[str, int | None, bool]]:
        statement = text("""
            select comment, version, used_at is not null as used from mosshead.prompt_feedback
            where tenant_id = :id order by position
        """)
        with admin_engine.connect() as connection:
            return [
                (row.comment, row.version, row.used) for row in connection.execute(statement, {"id": lane.tenant_id})
            ]

    return rows


def test_texts_become_versions_and_are_restored_as_versions(forming: Forming, sarah: Namespace) -> None:
    set_prompt(forming, reason="the first")
    set_prompt(forming, BETTER, optimizer="off", instructions="Be kind.")
    forming.command(type="roll_back_prompt", name="support", to=1)

    assert texts(sarah) == [(1, TEXT, "app"), (2, BETTER, "app"), (3, TEXT, "app")]
    first, _, latest = Prompts(sarah).versions("support")
    assert (first.reason, latest.reason, latest.restores) == ("the first", "back to version 1", 1)
    assert (latest.optimizer, latest.instructions) == ("off", "Be kind."), "these are not what is brought back"
    assert Prompts(sarah).all() == [latest]
    assert Prompts(sarah).get("support", version=1) == first
    assert first.template.text == TEXT
    assert Prompts(sarah).diff("support", 1, 2).splitlines() == [
        "--- support version 1 (app)",
        "+++ support version 2 (app)",
        "@@ -1,2 +1,2 @@",
        " You help {user}.",
        "-Answer in full sentences.",
        "+Answer in one sentence.",
    ]
    assert Prompts(sarah).diff("support", 1, 3) == ""
    decided = [(one.action, one.fact.get("version"), one.in_effect) for one in Prompts(sarah).decisions("support")]
    assert decided == [("set_prompt", 1, True), ("set_prompt", 2, True), ("roll_back_prompt", 3, True)]


def test_feedback_beyond_one_round_is_not_left_behind(
    fake: FakeOpenAI,
    forming: Forming,
    feedback: Callable[[], list[tuple[str, int | None, bool]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(improving, "_AT_ONCE", 2)
    for number in range(5):
        give(forming, f"too long {number}")  # before there is a text to improve
    fake.script("LessonsAnswer", learnt(BETTER), learnt(TEXT), learnt(BETTER))
    set_prompt(forming, optimizer="prompt_memory")
    assert [used for _, _, used in feedback()] == [True] * 5


def test_export_has_the_latest_version_and_that_of_a_time(forming: Forming, sarah: Namespace) -> None:
    set_prompt(forming, optimizer="gradient", when_to_update="on complaint")
    set_prompt(forming, BETTER, optimizer="off")
    first, latest = Prompts(sarah).versions("support")

    def exported(as_of: datetime | None = None) -> list[tuple[str, str, str]]:
        lines = map(json.loads, sarah.export(as_of=as_of))
        return [(one["name"], one["text"], one["optimizer"]) for one in lines if one["type"] == "prompt"]

    assert exported() == [("support", BETTER, "off")]
    assert exported(as_of=first.at) == [("support", TEXT, "gradient")]
    assert exported(as_of=first.at - timedelta(seconds=1)) == []
    assert exported(as_of=latest.at) == exported()


def test_impossible_command_is_refused_and_logged_with_the_reason(forming: Forming, sarah: Namespace) -> None:
    set_prompt(forming, follows=0)
    set_prompt(forming, BETTER, follows=0)
    set_prompt(forming, BETTER, follows=7)
    set_prompt(forming, TEXT)
    forming.command(type="roll_back_prompt", name="support", to=7)
    forming.command(type="roll_back_prompt", name="support", to=1)

    assert texts(sarah) == [(1, TEXT, "app")]
    assert [one.refused for one in Prompts(sarah).decisions("support")] == [
        None,
        "it should follow version 0, but the latest is version 1",
        "it should follow version 7, but the latest is version 1",
        "it says that already",
        "there is no such version",
        "it says that already",
    ]


def test_undo_of_a_prompts_decision_is_refused_with_the_alternative(forming: Forming, sarah: Namespace) -> None:
    decision_id = set_prompt(forming)
    event_id = forming.command(type="undo", decision_id=str(decision_id))
    assert texts(sarah) == [(1, TEXT, "app")]
    with sarah.session.transaction() as connection:
        undo = decisions.decision(connection, sarah.path, event_id)
    assert undo is not None
    assert undo.refused == "it is about a prompt: roll_back_prompt brings an earlier text back"


def test_second_of_two_edits_of_one_version_is_refused(forming: Forming, sarah: Namespace) -> None:
    set_prompt(forming)
    set_prompt(forming, "A {user}", follows=1)
    set_prompt(forming, "B {user}", follows=1)
    assert texts(sarah)[1:] == [(2, "A {user}", "app")]
    with pytest.raises(PromptConflict, match="should follow version 1 of 'support', which is at version 2; read it"):
        Prompts(sarah).set("support", "C {user}", version=1)
    with pytest.raises(PromptConflict, match="version 3 of 'support', which is at version 2"):
        Prompts(sarah).set("support", "C {user}", version=3)
    with pytest.raises(PromptConflict, match="version 1 of 'sales', which is not there yet"):
        Prompts(sarah).set("sales", "C", version=1)


def test_missing_prompt_is_reported(forming: Forming, sarah: Namespace) -> None:
    set_prompt(forming)
    with pytest.raises(NotFound, match="name: there is no prompt 'sales'"):
        Prompts(sarah).get("sales")
    with pytest.raises(NotFound, match=r"there is no version 2 of 'support' in .*; its versions are 1 to 1"):
        Prompts(sarah).get("support", version=2)
    with pytest.raises(NotFound, match="version: there is no version 2"):
        Prompts(sarah).roll_back("support", to=2)
    with pytest.raises(NotFound, match="there is no such prompt"):
        Prompts(sarah).diff("sales", 1, 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda sarah: Prompts(sarah).set("support", "Hi {"), r'template: not a template of syntax "format"'),
        (lambda sarah: Prompts(sarah).set("sup port", "Hi"), "name: string should match pattern"),
        (lambda sarah: Prompts(sarah).set("support", ""), "template: "),
        (lambda sarah: Prompts(sarah).set("support", "Hi", optimizer=cast(Any, "genetic")), "optimizer: "),
        (lambda sarah: Prompts(sarah).feedback("support"), "messages: missing; give the conversation"),
        (
            lambda sarah: Prompts(sarah).feedback("support", [{"role": "boss", "content": "x"}]),
            "messages: role: one of",
        ),
        (lambda sarah: Prompts(sarah).feedback("support", [{"role": "user"}]), r"messages\[0\].content: missing"),
        (lambda sarah: Prompts(sarah).feedback("support", feedback="x", score=7), "score: "),
    ],
    ids=["template", "name", "empty", "optimizer", "nothing said", "role", "content", "score"],
)
def test_unsuitable_argument_is_refused_by_its_name(
    sarah: Namespace, call: Callable[[Namespace], object], message: str
) -> None:
    with pytest.raises(InvalidEvent, match=message):
        call(sarah)


def test_feedback_makes_a_version_once(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, feedback: Callable[[], Any]
) -> None:
    to_improve(forming)
    fake.script("LessonsAnswer", learnt(BETTER))
    give(forming)

    assert texts(sarah) == [(1, TEXT, "app"), (2, BETTER, parts().settings.llm_model)]
    assert feedback() == [("too long", 2, True)]
    latest = Prompts(sarah).get("support")
    assert (latest.reason, latest.feedback_waiting, latest.instructions) == ("shorter", 0, "Keep the first line.")
    (decided,) = [one for one in Prompts(sarah).decisions("support") if one.action == "optimize_prompt"]
    assert (decided.fact["follows"], decided.fact["version"], decided.in_effect) == (1, 2, True)
    assert decided.decided_by == latest.made_by
    (asked,) = [request.prompt for request in fake.requests if request.schema == "LessonsAnswer"]
    assert "| What do I owe?" in asked
    assert "feedback, score 0.2 of 1\n| too long" in asked
    assert "| Keep the first line." in asked

    fake.script("LessonsAnswer", learnt("Help {user}."))
    give(forming, "still too long")
    (_, again) = [request.prompt for request in fake.requests if request.schema == "LessonsAnswer"]
    assert "| still too long" in again
    assert "\n| too long" not in again, "what was used is not used again"
    assert feedback() == [("too long", 2, True), ("still too long", 3, True)]


def test_feedback_without_a_lesson_is_used_and_makes_no_version(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, feedback: Callable[[], Any]
) -> None:
    to_improve(forming)
    fake.script("LessonsAnswer", learnt(TEXT, reason="all is well"))
    give(forming, "thanks", score=1)
    assert texts(sarah) == [(1, TEXT, "app")]
    assert feedback() == [("thanks", None, True)]
    decided = Prompts(sarah).decisions("support")[-1]
    assert (decided.action, decided.reason, decided.in_effect) == ("optimize_prompt", "all is well", False)


def test_text_that_breaks_the_template_is_never_stored_and_is_tried_three_times(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, feedback: Callable[[], Any]
) -> None:
    to_improve(forming)
    for number in (1, 2, 3):
        fake.script("LessonsAnswer", learnt("Be brief."), learnt("Be brief, {boss}."))
        give(forming, f"too long {number}")
        assert texts(sarah) == [(1, TEXT, "app")]
    assert feedback() == [("too long 1", None, True), ("too long 2", None, False), ("too long 3", None, False)]
    assert Prompts(sarah).get("support").feedback_waiting == 2
    refused = Prompts(sarah).decisions("support")[-1].refused
    assert refused == "it lost variables of the template: {user}"


@pytest.mark.parametrize("more", [{"optimizer": "off"}, {"name": "another"}], ids=["off", "no such prompt"])
def test_unusable_feedback_waits(
    *, fake: FakeOpenAI, forming: Forming, sarah: Namespace, feedback: Callable[[], Any], more: dict[str, str]
) -> None:
    set_prompt(forming, **more)
    give(forming)
    assert feedback() == [("too long", None, False)]
    assert not fake.calls["LessonsAnswer"]

    fake.script("LessonsAnswer", learnt(BETTER))
    set_prompt(forming, optimizer="prompt_memory")
    assert Prompts(sarah).get("support").text == BETTER


def test_feedback_waits_without_an_llm(
    forming: Forming, sarah: Namespace, feedback: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    to_improve(forming)
    give(forming)
    assert (feedback(), texts(sarah)) == ([("too long", None, False)], [(1, TEXT, "app")])

    with FakeOpenAI() as fake:
        monkeypatch.setenv("OPENAI_BASE_URL", fake.base_url)
        settings.cache_clear()
        parts().engine.dispose()
        parts.cache_clear()
        fake.script("LessonsAnswer", learnt(BETTER))
        forming.command(type="reflect", kind="prompt")
        assert Prompts(sarah).get("support").text == BETTER


def test_feedback_is_neither_lost_nor_blocking_while_the_llm_is_down(
    *,
    fake: FakeOpenAI,
    forming: Forming,
    sarah: Namespace,
    feedback: Callable[[], Any],
    admin_engine: Engine,
    lane: LaneRef,
) -> None:
    to_improve(forming)
    fake.script("LessonsAnswer", Fault.status(503), learnt(BETTER))
    with pytest.raises(StageFailed):
        give(forming)
    assert feedback() == [("too long", None, False)]

    with admin_engine.begin() as connection:
        connection.exec_driver_sql("delete from mosshead.breakers")
        connection.exec_driver_sql("update mosshead.batches set due_at = now() where stage = 'reflect'")
        batch_id = connection.exec_driver_sql(
            "select batch_id from mosshead.batches where stage = 'reflect'"
        ).scalar_one()
    carry_through(BatchRef(lane, batch_id))
    assert Prompts(sarah).get("support").text == BETTER


def test_much_feedback_is_processed_before_it_is_quiet(
    fake: FakeOpenAI, slow: None, forming: Forming, sarah: Namespace
) -> None:
    to_improve(forming)
    fake.script("LessonsAnswer", learnt(BETTER))
    for number in (1, 2):
        give(forming, f"no {number}")
        assert Prompts(sarah).get("support").feedback_waiting == number
    give(forming, "no 3")
    assert (Prompts(sarah).get("support").text, fake.calls["LessonsAnswer"]) == (BETTER, 1)


def test_prompt_that_was_edited_meanwhile_is_not_overwritten(
    *, fake: FakeOpenAI, slow: None, forming: Forming, sarah: Namespace, worker: Worker, feedback: Callable[[], Any]
) -> None:
    to_improve(forming)
    give(forming)
    fake.script("LessonsAnswer", learnt(BETTER))
    due = ReflectionDue(BatchRef(worker.lane, uuid4()), "support", ())
    store = improving.prepare(due, parts().model, parts())
    set_prompt(forming, "Edited by hand, {user}.", optimizer="off")

    with pytest.raises(VersionConflict), worker.transaction() as connection:
        store(connection)
    assert Prompts(sarah).get("support").text == "Edited by hand, {user}."
    assert feedback() == [("too long", None, False)], "it is still to be used"


def test_another_namespace_has_its_own_prompts(forming: Forming, memory: Any, sarah: Namespace) -> None:
    set_prompt(forming)
    tenant, _ = sarah.path.parts
    other = memory.namespace(tenant, "bob")
    assert (Prompts(other).all(), Prompts(other).versions("support"), Prompts(other).decisions("support")) == (
        [],
        [],
        [],
    )
