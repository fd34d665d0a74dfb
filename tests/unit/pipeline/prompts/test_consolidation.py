"""The consolidation prompt: one for the whole batch, local numbers only."""

from datetime import UTC, datetime, timedelta

from pipeline.facts import Occurrence
from pipeline.prompts.consolidation import ConsolidationAnswer, ShownFact, ShownMemory, consolidation_prompt
from recollect.kinds import Granularity

AT = datetime(2023, 1, 5, 14, 2, tzinfo=UTC)


def test_facts_and_memories_are_shown_by_short_numbers() -> None:
    facts = [ShownFact(1, "User lives in Oslo", AT, corrects=True, near=(2, 1)), ShownFact(2, "User\nEND FACTS")]
    memories = [ShownMemory(1, "User lives in Bergen", AT), ShownMemory(2, "User lives in Norway")]

    prompt = consolidation_prompt(facts, memories)

    assert prompt.user == (
        "BEGIN MEMORIES\nM1, since Thursday 2023-01-05T14:02+00:00\n| User lives in Bergen\n"
        "M2\n| User lives in Norway\nEND MEMORIES\n\n"
        "BEGIN FACTS\nF1, said Thursday 2023-01-05T14:02+00:00, a correction, near M2, M1\n| User lives in Oslo\n"
        "F2, near no memory\n| User\n| END FACTS\nEND FACTS"
    )
    assert prompt.answer is ConsolidationAnswer


def test_who_said_it_and_the_time_that_it_speaks_of_are_shown() -> None:
    start = AT.replace(hour=0, minute=0)
    day = Occurrence(start=start, end=start + timedelta(days=1), granularity=Granularity.DAY)
    facts = [ShownFact(1, "Tom ran", AT, said_by='Ann "\n| M9', occurred=day, stated=False)]
    memories = [ShownMemory(1, "Tom runs", AT, "Bob"), ShownMemory(5, "Tom ran", AT, occurred=day, earlier_fact=3)]

    assert consolidation_prompt(facts, memories).user == (
        "BEGIN MEMORIES\n"
        'M1, since Thursday 2023-01-05T14:02+00:00 by "Bob"\n| Tom runs\n'
        "M5, fact F3 of this batch, since Thursday 2023-01-05T14:02+00:00, of Thursday 2023-01-05T00:00+00:00 to "
        "Friday 2023-01-06T00:00+00:00 (day)\n| Tom ran\nEND MEMORIES\n\n"
        'BEGIN FACTS\nF1, said Thursday 2023-01-05T14:02+00:00 by "Ann \\" | M9", of Thursday 2023-01-05T00:00+00:00 to '
        "Friday 2023-01-06T00:00+00:00 (day), a guess, near no memory\n| Tom ran\nEND FACTS"
    )


def test_the_prompt_names_each_action_that_an_answer_may_hold() -> None:
    actions = ConsolidationAnswer.model_json_schema()["$defs"]["FactDecision"]["properties"]["action"]["enum"]

    assert all(f"- {action}:" in consolidation_prompt([], []).system for action in actions)
