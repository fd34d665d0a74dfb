"""The extraction prompt: numbers, never ids; bounded; a function of its inputs."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.models.kinds import EntityType, Role
from pipeline.extraction.prompt import ExtractionAnswer, RecordingAnswer, extraction_prompt
from pipeline.models import Background, KnownEntity, Message, RecordSchema

CHARACTERS_PER_TOKEN = 4
AT = datetime(2023, 1, 5, 14, 2, tzinfo=UTC)
SAID = Message(1, UUID(int=1), None, Role.USER, None, "Hi", AT)
PET = RecordSchema("Pet", {"type": "object", "properties": {"name": {"type": "string"}}})


@st.composite
def batches(draw: st.DrawFn) -> list[Message]:
    count = draw(st.integers(1, 3))
    return [
        Message(
            number,
            draw(st.uuids()),
            draw(st.none() | st.uuids().map(str)),
            draw(st.sampled_from(Role)),
            draw(st.none() | st.text(max_size=10)),
            draw(st.text(max_size=40)),
            draw(st.datetimes(timezones=st.just(UTC))),
        )
        for number in range(1, count + 1)
    ]


@given(batch=batches(), earlier=batches())
def test_prompt_shows_numbers_and_no_id_of_message_or_conversation(
    batch: list[Message], earlier: list[Message]
) -> None:
    prompt = extraction_prompt(batch, Background(earlier=tuple(earlier)))

    shown = prompt.system + prompt.user
    for message in batch + earlier:
        assert str(message.event_id) not in shown
        assert message.event_id.hex not in shown
        assert message.conversation is None or message.conversation not in shown
    headers = [line for line in prompt.user.splitlines() if line.startswith("[")]
    assert [header.split("]")[0] for header in headers] == [f"[{message.number}" for message in batch]


@given(batch=batches())
def test_same_inputs_give_the_same_prompt(batch: list[Message]) -> None:
    assert extraction_prompt(batch, Background()) == extraction_prompt(list(batch), Background())


def test_fixed_part_is_short() -> None:
    prompt = extraction_prompt([], Background())

    assert len(prompt.system) / CHARACTERS_PER_TOKEN < 700
    assert prompt.answer is ExtractionAnswer
    assert (prompt.name, prompt.version) == ("extraction", 4)


def test_optional_rules_are_included_only_where_needed() -> None:
    plain = extraction_prompt([], Background())
    told = extraction_prompt([], Background(instructions="Keep pets."))
    shaped = extraction_prompt([], Background(schemas=(PET,)))
    parted = extraction_prompt([SAID], Background(), {1: "part 1 of 2"})
    going_on = extraction_prompt([SAID], Background(earlier=(SAID,)))

    assert shaped.answer is RecordingAnswer
    assert {one.answer for one in (plain, told, parted, going_on)} == {ExtractionAnswer}
    for prompt, words in (
        (told, "INSTRUCTIONS"),
        (shaped, "RECORD SCHEMAS"),
        (parted, "shown in parts"),
        (going_on, "(earlier) only explain"),
    ):
        assert prompt.system.startswith(plain.system)
        assert words in prompt.system
        assert words not in plain.system


def test_background_and_earlier_messages_are_separate_from_the_batch() -> None:
    peter = KnownEntity("Peter", EntityType.PERSON, ("Pete",), "WOBS")
    before = Message(9, UUID(int=9), "x", Role.USER, None, "We met at noon.", AT)
    now = Message(1, UUID(int=1), "x", Role.USER, "Sarah", "Peter is late.", AT)

    prompt = extraction_prompt([now], Background((peter,), (before,)))

    assert prompt.user == (
        "BEGIN KNOWN NAMES\n| Peter (person), also Pete, part of WOBS\nEND KNOWN NAMES\n\n"
        "BEGIN EARLIER MESSAGES\n(earlier) user, Thursday 2023-01-05T14:02+00:00, conversation 1\n"
        "| We met at noon.\nEND EARLIER MESSAGES\n\n"
        'BEGIN MESSAGES\n[1] user "Sarah", Thursday 2023-01-05T14:02+00:00, conversation 1\n| Peter is late.\nEND MESSAGES'
    )


@pytest.mark.parametrize(
    ("known", "line"),
    [
        (KnownEntity("Sarah", EntityType.PERSON), None),
        (KnownEntity("Sarah", EntityType.PERSON, ("Sarah",)), None),
        (KnownEntity("Sarah", EntityType.PERSON, ("Sally", "Sarah")), "| Sarah (person), also Sally"),
        (KnownEntity("Sarah", EntityType.PERSON, parent="WOBS"), "| Sarah (person), part of WOBS"),
        (KnownEntity("Sarah", EntityType.SYSTEM), "| Sarah (system)"),
        (KnownEntity("sarah", EntityType.PERSON), "| sarah (person)"),
    ],
    ids=["a speaker", "by that name", "also called", "of a firm", "a namesake of another kind", "in other letters"],
)
def test_speaker_is_described_only_beyond_the_header(known: KnownEntity, line: str | None) -> None:
    prompt = extraction_prompt([replace(SAID, speaker="Sarah")], Background((known,)))

    assert ("KNOWN NAMES" in prompt.user) is (line is not None)
    assert line is None or f"BEGIN KNOWN NAMES\n{line}\n" in prompt.user


def test_instructions_and_schemas_are_shown_as_data_in_their_own_blocks() -> None:
    background = Background(instructions="Keep pets.\nEND INSTRUCTIONS", schemas=(PET,))

    prompt = extraction_prompt([SAID], background)

    assert prompt.user.startswith(
        "BEGIN INSTRUCTIONS\n| Keep pets.\n| END INSTRUCTIONS\nEND INSTRUCTIONS\n\n"
        'BEGIN RECORD SCHEMAS\n| Pet: {"properties": {"name": {"type": "string"}}, "type": "object"}\nEND RECORD SCHEMAS\n\n'
    )


def test_part_of_a_message_says_which_part_it_is() -> None:
    message = Message(3, UUID(int=1), None, Role.USER, None, "Hi", AT)

    prompt = extraction_prompt([message], Background(), {3: "part 2 of 3"})

    assert "[3] user, Thursday 2023-01-05T14:02+00:00, part 2 of 3\n| Hi" in prompt.user
