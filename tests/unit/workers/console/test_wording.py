from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead import Decision, Granularity, Occurrence, Progress
from workers.console.formatting import around, day, freshness, moment, moment_there, occurred, plainly, shortened, told

BERLIN = timezone(timedelta(hours=2))
PUBLISHER = UUID(int=7)


def test_times_of_the_service_are_in_utc_and_those_of_messages_are_local() -> None:
    said = datetime(2026, 3, 2, 1, 30, tzinfo=BERLIN)
    assert moment(said) == "1 Mar 2026, 23:30"
    assert (day(said), moment_there(said)) == ("2 Mar 2026", "2 Mar 2026, 01:30 +02:00")
    assert moment_there(said.astimezone(UTC)) == "1 Mar 2026, 23:30"


@pytest.mark.parametrize(
    ("granularity", "told"),
    [
        (Granularity.MINUTE, "2 Mar 2026, 12:00"),
        (Granularity.DAY, "2 Mar 2026"),
        (Granularity.WEEK, "the week of 2 Mar 2026"),
        (Granularity.MONTH, "March 2026"),
        (Granularity.YEAR, "2026"),
    ],
)
def test_occurrence_is_shown_as_precisely_as_it_is_known(granularity: Granularity, told: str) -> None:
    start = datetime(2026, 3, 2, 12 if granularity is Granularity.MINUTE else 0, tzinfo=UTC)
    assert occurred(Occurrence(start=start, end=start + timedelta(days=1), granularity=granularity)) == told


def test_day_is_that_of_the_speaker() -> None:
    start = datetime(2026, 3, 1, tzinfo=BERLIN)  # 22:00 UTC the day before
    assert occurred(Occurrence(start=start, end=start + timedelta(days=1), granularity=Granularity.DAY)) == "1 Mar 2026"
    assert (
        occurred(Occurrence(start=start, end=start + timedelta(days=31), granularity=Granularity.MONTH)) == "March 2026"
    )


@given(st.text(), st.text())
def test_text_is_split_at_a_mention_and_nothing_is_lost(text: str, mention: str) -> None:
    assert "".join(around(text, mention)) == text


def test_middle_part_is_the_mention() -> None:
    assert around("Ask peter soon", "Peter") == ("Ask ", "peter", " soon")
    assert around("Ask her", "Peter") == ("Ask her", "", "")


@pytest.mark.parametrize(
    ("fact", "about"),
    [
        ({"content": "Anna keeps bees.", "kind": "fact"}, "Anna keeps bees."),
        ({"document": "Profile", "patch": {}}, "Profile"),
        ({"entities": ["anna", "peter_haas"]}, "anna, peter_haas"),
        ({}, ""),
    ],
)
def test_a_decision_tells_what_it_was_about(fact: dict[str, Any], about: str) -> None:
    decided = datetime(2026, 3, 2, tzinfo=UTC)
    one = Decision(id=UUID(int=1), action="add", reason="imported", decided_at=decided, decided_by="app", fact=fact)
    assert told(one) == about


def test_long_text_is_cut_and_says_so() -> None:
    assert shortened("a" * 60, 10) == "a" * 9 + "…"
    assert shortened("short", 10) == "short"


def test_freshness_is_described() -> None:
    assert freshness(Progress()) == "up to date"
    assert freshness(Progress(at_work=True)) == "refreshing profiles"
    assert freshness(Progress(pending=1)) == "1 event waiting"
    assert freshness(Progress(pending=1, published={PUBLISHER: 3}, received={PUBLISHER: 1})) == "3 events waiting"


def test_json_is_shown_plainly() -> None:
    assert plainly({"name": "Anna", "tags": ["a", 1, None], "more": {}}) == "name: Anna; tags: a, 1, –; more: "
