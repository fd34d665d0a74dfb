"""Portions of a batch for one call each: nothing is lost or shown twice, and no call is larger than allowed."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.models.kinds import Role
from pipeline.extraction.prompt import CALL_TOKENS, EARLIER_TOKENS, Portion, bearing, cut, halves, latest, portions
from pipeline.models import Message
from tests.factories import NOON, message

CALL = 4 * CALL_TOKENS
EARLIER = 4 * EARLIER_TOKENS
WORD = "coffee "


def words(characters: int) -> str:
    return (WORD * (characters // len(WORD) + 1))[:characters]


def shown(portion: Portion) -> list[tuple[int, int, tuple[int, int] | None]]:
    return [(one.number, len(one.content), portion.parts.get(one.number)) for one in portion.messages]


def test_batch_that_fits_is_one_call() -> None:
    batch, before = [message("I like tea", 1), message(words(CALL - 100), 2)], [message("hi")]
    assert portions(batch, before) == [Portion(tuple(batch), tuple(before))]


def test_long_message_is_shown_in_equal_parts_each_in_its_own_call() -> None:
    found = portions([message(words(2 * CALL + 400))], [])
    assert [portion.parts for portion in found] == [{1: (1, 3)}, {1: (2, 3)}, {1: (3, 3)}]
    sizes = [len(portion.messages[0].content) for portion in found]
    assert max(sizes) - min(sizes) < 20
    assert [portion.earlier for portion in found] == [(), found[0].messages, (*found[0].messages, *found[1].messages)]


def test_messages_before_and_after_a_long_one_keep_their_place() -> None:
    batch = [message("one", 1), message(words(CALL + 400), 2), message("three", 3)]
    found = portions(batch, [])
    assert [[(number, part) for number, _, part in shown(portion)] for portion in found] == [
        [(1, None), (2, (1, 2))],
        [(2, (2, 2)), (3, None)],
    ]


def test_long_tool_result_is_shortened_and_so_not_split() -> None:
    assert len(portions([message(words(3 * CALL), 1, role=Role.TOOL), message("hi", 2)], [])) == 1


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("One two three.\n\nFour. Five six", ["One two three.", "Four. Five six"]),
        ("One two three. Four five six", ["One two three.", "Four five six"]),
        ("one two three four", ["one two", "three four"]),
        ("abcdefgh", ["abcd", "efgh"]),
        ("我住在北京。我喜欢喝茶。", ["我住在北京。", "我喜欢喝茶。"]),
    ],
)
def test_text_is_cut_in_the_least_harmful_place(text: str, pieces: list[str]) -> None:
    found = cut(text, 2)
    assert found == pieces


def test_halves_are_of_similar_size_and_the_first_precedes_the_second() -> None:
    batch = [message(words(100 * number), number) for number in range(1, 6)]
    first, second = halves(Portion(tuple(batch), (message("before", 9),))) or pytest.fail("not halved")
    assert first == Portion(tuple(batch[:3]), (message("before", 9),))
    assert second == Portion(tuple(batch[3:]), (message("before", 9), *batch[:3]))


def test_single_user_message_is_cut_whatever_others_say_around_it() -> None:
    batch = (
        message("A tool speaks.", 1, role=Role.TOOL),
        message("I like tea. I like ham.", 2),
        message("Noted.", 3, role=Role.ASSISTANT),
    )
    first, second = halves(Portion(batch)) or pytest.fail("not halved")
    assert [one.content for one in first.messages] == ["A tool speaks.", "I like tea."]
    assert [one.content for one in second.messages] == ["I like ham.", "Noted."]
    assert (first.parts, second.parts) == ({2: (1, 2)}, {2: (2, 2)})


def test_half_of_a_part_says_which_part_it_is() -> None:
    part = Portion((message("I like tea. I like ham."),), parts={1: (2, 3)})
    first, second = halves(part) or pytest.fail("not halved")
    assert (first.parts, second.parts) == ({1: (3, 6)}, {1: (4, 6)})


@pytest.mark.parametrize("batch", [(), (message("A"),), (message("I like tea", role=Role.ASSISTANT),)])
def test_indivisible_batch_is_not_halved(batch: tuple[Message, ...]) -> None:
    assert halves(Portion(batch)) is None


def test_latest_earlier_messages_are_shown_up_to_the_limit() -> None:
    before = [message("first", 1), message(words(EARLIER) + "tail", 2), message("last", 3)]
    shown_now = latest(before)
    assert [message.number for message in shown_now] == [2, 3]
    assert shown_now[0].content.startswith("[…] ")
    assert shown_now[0].content.endswith("tail")
    assert sum(len(message.content) for message in shown_now) <= EARLIER + 10


MESSAGES = st.lists(
    st.tuples(st.sampled_from(Role), st.integers(0, 2 * CALL), st.sampled_from([" ", "\n", "x"])),
    min_size=1,
    max_size=5,
).map(
    lambda given: [
        message((f"word{part}" * (size // 5 + 1))[:size], number, role=role)
        for number, (role, size, part) in enumerate(given, 1)
    ]
)


@given(batch=MESSAGES)
def test_everything_is_shown_once_in_order_and_in_portions_that_fit(batch: list[Message]) -> None:
    found = portions(batch, [])
    for whole in batch:
        pieces = [one.content for portion in found for one in portion.messages if one.number == whole.number]
        assert "".join("".join(pieces).split()) == "".join(whole.content.split())
    for portion in found:
        numbers = [message.number for message in portion.messages]
        assert numbers == sorted(set(numbers))
        spoken = [one for one in portion.messages if one.role in {Role.USER, Role.ASSISTANT}]
        assert sum(len(one.content) for one in spoken) <= CALL * 1.3
        both = halves(portion)
        assert both is None or all(half.is_spoken for half in both)


@pytest.mark.parametrize(
    ("conversation", "minutes", "bears"),
    [("c1", 100_000, True), ("c2", 59, True), ("c2", 60, True), ("c2", 61, False), (None, 61, False), (None, -1, True)],
)
def test_earlier_messages_are_of_the_same_conversation_or_the_last_hour(
    conversation: str | None, minutes: int, *, bears: bool
) -> None:
    before = replace(message("hi", 9), conversation=conversation, occurred_at=NOON - timedelta(minutes=minutes))

    assert bearing([before], [message("I like tea", 1), message("I like cocoa", 2)]) == ((before,) if bears else ())
