"""The consolidation prompt: one for the whole batch, with local numbers only."""

from datetime import UTC, datetime, timedelta

import pytest

from mosshead.models.kinds import Granularity
from mosshead.models.occurrence import FactOccurrence
from pipeline.consolidation.llm import ConsolidationAnswer, consolidation_prompt
from tests.unit.pipeline.consolidating import known, new

AT = datetime(2023, 1, 5, 14, 2, tzinfo=UTC)


def test_facts_and_memories_are_shown_by_short_numbers() -> None:
    near = [(known(content, number, said_at=AT), 0.7) for number, content in enumerate(("in Norway", "in Bergen"), 1)]
    facts = [
        new("User lives in Oslo", *reversed(near), said_at=AT, corrects=True),
        new("User\nEND FACTS", number=2, said_at=AT),
    ]

    prompt = consolidation_prompt(facts)

    assert prompt.user == (
        "BEGIN MEMORIES\nM1 2023-01-05\n| in Norway\nM2\n| in Bergen\nEND MEMORIES\n\n"
        "BEGIN FACTS\nF1 2023-01-05, a correction, near M2 M1\n| User lives in Oslo\n"
        "F2, near no memory\n| User\n| END FACTS\nEND FACTS"
    )
    assert prompt.answer is ConsolidationAnswer


def test_speaker_and_time_of_a_fact_are_shown() -> None:
    start = AT.replace(hour=0, minute=0)
    day = FactOccurrence(start=start, end=start + timedelta(days=1), granularity=Granularity.DAY)
    near = [
        (known("Tom runs", said_at=AT, said_by="Bob"), 0.7),
        (known("Tom ran", 5, said_at=AT, occurred=day, earlier_fact=3), 0.6),
    ]
    fact = new("Tom ran", *near, said_at=AT, said_by='Ann "\n| M9', occurred=day, stated=False)

    assert consolidation_prompt([fact]).user == (
        "BEGIN MEMORIES\n"
        'M1 2023-01-05 "Bob"\n| Tom runs\n'
        "M5 (F3) unnamed, of Thursday 2023-01-05\n| Tom ran\nEND MEMORIES\n\n"
        'BEGIN FACTS\nF1 2023-01-05 "Ann | M9", of Thursday 2023-01-05, a guess, near M1 M5\n| Tom ran\nEND FACTS'
    )


def test_header_omits_the_day_and_speaker_it_shares_with_the_one_before() -> None:
    day_after = AT + timedelta(days=1)
    told: list[tuple[datetime, str | None]] = [
        (AT, "Ann"),
        (AT, "Ann"),
        (AT, "Bob"),
        (day_after, "Bob"),
        (AT + timedelta(days=2), None),
    ]
    near = [(known("x", number, said_at=at, said_by=by), 0.7) for number, (at, by) in enumerate(told, 1)]
    facts = [
        new("x", one, number=number, said_at=at, said_by=by)
        for number, (one, (at, by)) in enumerate(zip(near, told, strict=True), 1)
    ]

    headers = [line for line in consolidation_prompt(facts).user.splitlines() if line[:1] in ("F", "M")]

    said = [' 2023-01-05 "Ann"', "", ' "Bob"', " 2023-01-06", " 2023-01-07 unnamed"]
    assert headers == [
        *(f"M{number}{one}" for number, one in enumerate(said, 1)),
        *(f"F{number}{one}, near M{number}" for number, one in enumerate(said, 1)),
    ]


def test_fact_that_later_ones_may_refer_to_is_shown_once() -> None:
    tea, drinks = (known("User likes tea", 9, earlier_fact=1), 0.7), (known("User drinks", 8, earlier_fact=7), 0.6)
    facts = [new("User likes tea", said_at=AT), new("User prefers cocoa", tea, drinks, number=2, said_at=AT)]

    assert consolidation_prompt(facts).user == (
        "BEGIN MEMORIES\nM8 (F7) 2026-03-02\n| User drinks\nEND MEMORIES\n\n"
        "BEGIN FACTS\nF1 (M9) 2023-01-05, near no memory\n| User likes tea\nF2, near M9 M8\n| User prefers cocoa\nEND FACTS"
    )


@pytest.mark.parametrize(
    ("start", "end", "granularity", "shown"),
    [
        ("2023-01-05T00:00+01:00", "2023-01-06T00:00+01:00", "day", "Thursday 2023-01-05"),
        ("2023-01-05T00:00+01:00", "2023-01-08T00:00+01:00", "day", "Thursday 2023-01-05 to Sunday 2023-01-08 (day)"),
        (
            "2023-05-01T00:00+02:00",
            "2023-06-01T00:00+02:00",
            "month",
            "Monday 2023-05-01 to Thursday 2023-06-01 (month)",
        ),
        (
            "2023-01-05T14:00+01:00",
            "2023-01-05T15:00+01:00",
            "hour",
            "Thursday 2023-01-05T14:00+01:00 to Thursday 2023-01-05T15:00+01:00 (hour)",
        ),
        (
            "2023-01-04T23:00+00:00",
            "2023-01-05T23:00+00:00",
            "day",
            "Wednesday 2023-01-04T23:00+00:00",
        ),
    ],
    ids=["a day", "days", "a month", "an hour", "a day of another zone"],
)
def test_time_is_shown_as_precisely_as_it_is_known(start: str, end: str, granularity: str, shown: str) -> None:
    occurred = FactOccurrence.model_validate({"start": start, "end": end, "granularity": granularity})

    assert f"F1 2023-01-05, of {shown}, near" in consolidation_prompt([new("x", said_at=AT, occurred=occurred)]).user


def test_prompt_names_each_action_of_an_answer() -> None:
    actions = ConsolidationAnswer.model_json_schema()["$defs"]["FactDecision"]["properties"]["action"]["enum"]

    assert all(f"- {action}:" in consolidation_prompt([]).system for action in actions)
