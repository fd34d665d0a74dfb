"""The consolidation prompt: one for the whole batch, local numbers only."""

from datetime import UTC, datetime, timedelta

import pytest

from mosshead.models.kinds import Granularity
from mosshead.models.occurrence import FactOccurrence
from pipeline.consolidation.llm import ConsolidationAnswer, ShownFact, ShownMemory, consolidation_prompt

AT = datetime(2023, 1, 5, 14, 2, tzinfo=UTC)


def test_facts_and_memories_are_shown_by_short_numbers() -> None:
    facts = [ShownFact(1, "User lives in Oslo", AT, corrects=True, near=(2, 1)), ShownFact(2, "User\nEND FACTS")]
    memories = [ShownMemory(1, "User lives in Bergen", AT), ShownMemory(2, "User lives in Norway")]

    prompt = consolidation_prompt(facts, memories)

    assert prompt.user == (
        "BEGIN MEMORIES\nM1 2023-01-05\n| User lives in Bergen\n"
        "M2\n| User lives in Norway\nEND MEMORIES\n\n"
        "BEGIN FACTS\nF1 2023-01-05, a correction, near M2 M1\n| User lives in Oslo\n"
        "F2, near no memory\n| User\n| END FACTS\nEND FACTS"
    )
    assert prompt.answer is ConsolidationAnswer


def test_who_said_it_and_the_time_that_it_speaks_of_are_shown() -> None:
    start = AT.replace(hour=0, minute=0)
    day = FactOccurrence(start=start, end=start + timedelta(days=1), granularity=Granularity.DAY)
    facts = [ShownFact(1, "Tom ran", AT, said_by='Ann "\n| M9', occurred=day, stated=False)]
    memories = [ShownMemory(1, "Tom runs", AT, "Bob"), ShownMemory(5, "Tom ran", AT, occurred=day, earlier_fact=3)]

    assert consolidation_prompt(facts, memories).user == (
        "BEGIN MEMORIES\n"
        'M1 2023-01-05 "Bob"\n| Tom runs\n'
        "M5 (F3) unnamed, of Thursday 2023-01-05\n| Tom ran\nEND MEMORIES\n\n"
        'BEGIN FACTS\nF1 2023-01-05 "Ann | M9", of Thursday 2023-01-05, a guess, near no memory\n| Tom ran\nEND FACTS'
    )


def test_a_header_leaves_out_the_day_and_the_speaker_that_it_shares_with_the_one_before() -> None:
    day_after = AT + timedelta(days=1)
    told: list[tuple[datetime, str | None]] = [(AT, "Ann"), (AT, "Ann"), (AT, "Bob"), (day_after, "Bob"), (AT, None)]
    facts = [ShownFact(number, "x", at, said_by=by) for number, (at, by) in enumerate(told, 1)]
    memories = [ShownMemory(number, "x", at, said_by=by) for number, (at, by) in enumerate(told, 1)]

    headers = [line for line in consolidation_prompt(facts, memories).user.splitlines() if line[:1] in ("F", "M")]

    said = [' 2023-01-05 "Ann"', "", ' "Bob"', " 2023-01-06", " 2023-01-05 unnamed"]
    assert headers == [
        *(f"M{number}{one}" for number, one in enumerate(said, 1)),
        *(f"F{number}{one}, near no memory" for number, one in enumerate(said, 1)),
    ]


def test_a_fact_that_later_ones_may_name_as_a_memory_is_shown_once() -> None:
    facts = [ShownFact(1, "User likes tea"), ShownFact(2, "User prefers cocoa", near=(9, 8))]
    memories = [ShownMemory(8, "User drinks", earlier_fact=7), ShownMemory(9, "User likes tea", earlier_fact=1)]

    assert consolidation_prompt(facts, memories).user == (
        "BEGIN MEMORIES\nM8 (F7)\n| User drinks\nEND MEMORIES\n\n"
        "BEGIN FACTS\nF1 (M9), near no memory\n| User likes tea\nF2, near M9 M8\n| User prefers cocoa\nEND FACTS"
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
def test_a_time_is_shown_as_precisely_as_it_is_known(start: str, end: str, granularity: str, shown: str) -> None:
    occurred = FactOccurrence.model_validate({"start": start, "end": end, "granularity": granularity})

    assert f"F1, of {shown}, near" in consolidation_prompt([ShownFact(1, "x", occurred=occurred)], []).user


def test_the_prompt_names_each_action_that_an_answer_may_hold() -> None:
    actions = ConsolidationAnswer.model_json_schema()["$defs"]["FactDecision"]["properties"]["action"]["enum"]

    assert all(f"- {action}:" in consolidation_prompt([], []).system for action in actions)
