"""What the fault runs say of themselves."""

import json
from collections import Counter
from dataclasses import replace

import pytest

from benchmarks.faults.catalogue import FAULTS
from benchmarks.faults.checker import Verdict
from benchmarks.faults.report import Outcome, line, table
from benchmarks.faults.runs import Report

GOOD = Report("redis killed", Verdict(sent=10, late=1), Counter(redis=2), [1.0, 3.0, 2.0], [])
OTHER = Report("worker killed", Verdict(sent=5), Counter(worker=1), [], [])
OUTCOME = Outcome([1, 2], [GOOD, OTHER, GOOD], Verdict(sent=25, late=2), Verdict(sent=9, lost=3, out_of_order=1), 4, [])


def test_the_object_adds_up_by_fault_and_in_all() -> None:
    shown = json.loads(json.dumps(OUTCOME.as_json()))

    assert shown["sound"] is True
    assert {name: shown[name] for name in ("sent", "lost", "doubled", "out_of_order", "late")} == {
        "sent": 25,
        "lost": 0,
        "doubled": 0,
        "out_of_order": 0,
        "late": 2,
    }
    assert shown["kills"] == {"worker": 1, "redis": 4, "postgres": 0, "spool": 0, "intake": 0, "sweeper": 0}
    assert shown["recovery_s"] == {"redis killed": {"p50": 2.0, "max": 3.0}}
    assert [(one["name"], one["sent"], one["recovery_s"]) for one in shown["faults"]] == [
        ("redis killed", 20, {"p50": 2.0, "max": 3.0}),
        ("worker killed", 5, None),
    ]
    assert shown["mutants"] == {"caught": 4, "of": 4}
    assert shown["naive"] == {"sent": 9, "lost": 3, "doubled": 0, "out_of_order": 1}


@pytest.mark.parametrize("fault", ["lost", "doubled", "foreign", "out_of_order"])
def test_one_fault_anywhere_and_the_run_is_not_sound(fault: str) -> None:
    bad = replace(OTHER, verdict=Verdict(**{"sent": 5, fault: 1}))

    assert not replace(OUTCOME, reports=[GOOD, bad]).sound


def test_a_harness_that_would_see_nothing_is_not_sound() -> None:
    assert not replace(OUTCOME, naive=Verdict(sent=9)).sound
    assert not replace(OUTCOME, uncaught=["no epoch check"]).sound
    assert not replace(OUTCOME, reports=[replace(GOOD, broken=["no recovery"])]).sound


def test_what_was_doubled_after_its_verdict_is_seen_in_the_end() -> None:
    assert not replace(OUTCOME, total=Verdict(sent=25, doubled=1)).sound


def test_an_effect_that_nobody_sent_is_shown_as_doubled() -> None:
    assert replace(OUTCOME, total=Verdict(sent=25, foreign=2)).as_json()["doubled"] == 2


def test_people_get_a_row_for_each_fault_and_one_for_all() -> None:
    assert table(OUTCOME).row_count == 4
    assert line(GOOD) == (
        "redis killed: 10 sent, 0 lost, 0 doubled, 0 out of order, 1 late; recovered in 1.0, 3.0, 2.0 s"
    )
    assert line(replace(OTHER, broken=["no rain"])).endswith("recovered in - s; no rain")


def test_every_fault_has_a_name_of_its_own_and_a_full_run() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert all(fault.full for fault in FAULTS)
