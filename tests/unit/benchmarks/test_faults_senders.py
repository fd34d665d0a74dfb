"""The attacks by one sender in the fault runs: what they push, and when a chat beside them counts as served."""

import json
from base64 import b64decode
from collections import Counter
from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from benchmarks.faults.chat import FLOOR_SECONDS, Chat, median_seconds
from benchmarks.faults.checker import Verdict
from benchmarks.faults.history import Sent
from benchmarks.faults.hostile import Hostile, an_event, as_element, hostile_events, hostile_tasks
from benchmarks.faults.of_senders import expensive_contents, tasks_refused
from benchmarks.faults.report import Outcome, line
from benchmarks.faults.runs import CHAT, EVERYBODY, Report
from mosshead.events import parse_event
from mosshead.events.envelope import MAX_CONTENT_BYTES
from mosshead.paths import NamespacePath
from workers.intake import Accepted, judge
from workers.transport import JSON, as_message

EVENTS = hostile_events()
TASKS = hostile_tasks()
SERVED = Report("flood", Verdict(sent=9), Counter(), [], [], [Chat(3.0, 3.3), Chat(2.5, 5.0)], Counter(events=4))


def accepted(element: bytes) -> bool:
    message = json.loads(as_message(element))
    return message["content-type"] == JSON and isinstance(judge(b64decode(message["body"]), {}), Accepted)


@pytest.mark.parametrize("hostile", EVENTS, ids=lambda one: one.name)
def test_intake_refuses_each_hostile_event_that_may_not_pass_by_right(hostile: Hostile) -> None:
    assert not accepted(hostile.element) or hostile.by_right


def test_hostile_event_differs_from_one_that_the_intake_accepts() -> None:
    assert accepted(as_element(json.dumps(an_event()).encode()))


def test_corpus_has_24_kinds_of_events_and_12_of_tasks_that_must_be_refused() -> None:
    for corpus, least in ((EVENTS, 24), (TASKS, 12)):
        assert len({one.name for one in corpus}) == len(corpus)
        assert sum(not one.by_right for one in corpus) >= least


def test_expensive_contents_are_valid_messages() -> None:
    for content in expensive_contents().values():
        assert len(content.encode()) <= MAX_CONTENT_BYTES
        assert parse_event(an_event(content))


def said(begun: float) -> Sent:
    return Sent(uuid4(), "chatter/ann", "chat", 1, begun, begun)


def test_message_without_effect_has_waited_until_now() -> None:
    messages = [said(1.0), said(2.0), said(3.0)]
    effects: dict[UUID, float] = {messages[0].event_id: 2.0}

    assert median_seconds(messages, effects, now=60.0) == 57.0


def test_chat_is_served_within_three_times_its_control_and_no_control_counts_as_less_than_the_debounce() -> None:
    assert Chat(3.0, 9.0).served
    assert not Chat(3.0, 9.1).served
    assert Chat(0.1, 2.9 * FLOOR_SECONDS).served


def test_object_shows_the_worst_ratio_of_a_fault_and_what_was_refused() -> None:
    outcome = Outcome([1], [SERVED, replace(SERVED, chats=[Chat(4.0, 4.0)])], Verdict(), Verdict(lost=1), 1, [])
    shown = json.loads(json.dumps(outcome.as_json()))

    assert shown["chat_s"] == {"flood": {"control": 2.5, "attacked": 5.0, "ratio": 2.0}}
    assert shown["faults"][0]["refused"] == {"events": 8}
    assert line(SERVED).endswith("; 3.0 -> 3.3 s, 1.1 x, 2.5 -> 5.0 s, 2.0 x; 4 events refused")


def test_status_may_count_the_refused_tasks_by_reason() -> None:
    assert tasks_refused({"refused_tasks": 3}) == tasks_refused({"refused_tasks": {"why": 1, "whence": 2}}) == 3
    assert tasks_refused({}) is None


def test_chat_is_checked_for_its_own_tenant_and_the_other_apps_for_all() -> None:
    assert CHAT.tenants == [NamespacePath(("chatter", "person_0")).tenant_id]
    assert EVERYBODY.tenants is None
