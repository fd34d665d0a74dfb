"""A context for a reader: the answer comes first, items about names come last, and nothing hides what says more."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mosshead.context.assemble import assemble, paths
from mosshead.context.reader import ReaderCues
from mosshead.embeddings.calibration import UnrelatedCosines
from mosshead.models.context import Context
from mosshead.models.kinds import Role
from mosshead.models.messages import StoredMessage
from mosshead.search.memories import Bearing, MemoryFound, rank_memories
from mosshead.search.messages import MessageFound, RankedMessage
from tests.reading_given import NOW, entity, found, message, scanned

VERA, OTHER = 0, 1
CUES = ReaderCues(cosines=UnrelatedCosines(mean=0.0, deviation=0.1), of_now=False)
FAR = [found(number) for number in range(100, 112)]
"""Enough for something to be cut."""


def said(one: StoredMessage, score: float) -> RankedMessage:
    """Return a message with its score, which is near by its own words."""
    raw = MessageFound(message=one, cosine=0.9, with_before=0.9, words=2.0)
    return RankedMessage(found=raw, score=score, _row=0, _parts={"words": np.array([score])})


def chosen(
    *those: MemoryFound,
    messages: Sequence[RankedMessage] = (),
    named: bool = False,
    cues: ReaderCues = CUES,
    budget: int = 1000,
) -> Context:
    names = {entity(VERA): "Vera"} if named else {}
    bearings = {entity(one): Bearing(memories=3) for one in (VERA, OTHER)}
    return assemble(
        paths(rank_memories(scanned(*those, bearings=bearings), named=list(names)), names),
        messages=messages,
        reader=cues,
        budget=budget,
        count_tokens=lambda text: len(text.split()),
        now=NOW,
        partial=False,
    )


def numbers(one: Context) -> list[int]:
    return [memory.id.int - 1 for memory in one.memories]


def test_item_far_from_the_best_is_not_shown_even_if_there_is_room() -> None:
    assert numbers(chosen(found(0, 6.0), found(1, 5.0), found(2, 1.0), *FAR)) == [0, 1]


def test_assistants_repetition_of_a_memory_has_no_line() -> None:
    memory = found(0, 6.0, content="Vera keeps seven bees in Ghent")
    echo = message(1, role=Role.ASSISTANT, content="You told me: Vera keeps seven bees in Ghent.")
    more = message(2, role=Role.ASSISTANT, content="Vera keeps bees, so honey from Antwerp is a fine present")
    shown = chosen(memory, messages=[said(echo, 9.0), said(more, 9.0)])
    assert [one.id for one in shown.messages] == [more.id]
    asked = replace(CUES, of_assistant=True)
    assert echo.id in {one.id for one in chosen(memory, messages=[said(echo, 9.0)], cues=asked).messages}


def test_fewer_than_ten_items_are_all_shown() -> None:
    assert numbers(chosen(found(0, 6.0), found(1, 1.0), found(2, 0.5))) == [0, 1, 2]


def test_lent_score_ranks_below_an_own_match() -> None:
    assert numbers(chosen(found(0, 6.0, 0.0, OTHER), found(1, 0.1, 0.0, OTHER), found(2, 5.0), *FAR)) == [0, 2, 1]


def test_lent_memories_are_left_out_next_to_messages() -> None:
    those = (found(0, 6.0, 0.0, OTHER), found(1, 0.1, 0.0, OTHER), *FAR)
    assert numbers(chosen(*those, messages=[said(message(1), 6.0)])) == [0]


def test_item_about_a_name_is_shown_at_any_distance() -> None:
    assert 1 in numbers(chosen(found(0, 9.0), found(1, -1.0, 0.0, VERA), *FAR, named=True))
    assert 1 not in numbers(chosen(found(0, 9.0), found(1, -1.0, 0.0, VERA), *FAR))


def test_message_that_says_more_replaces_its_memory() -> None:
    told = message(1, content="My dog Pepper is a beagle.")
    shown = chosen(found(0, 5.0, content="Pepper is User's dog", sources=(told.id,)), messages=[said(told, 4.0)])
    assert [one.message for one in shown.explain()] == [told]
    assert numbers(shown) == [0], "whose words are in the prompt, so that an echo of it is known for one"


def test_memory_that_says_all_of_its_message_replaces_it() -> None:
    told = message(1, content="My dog is called Pepper.")
    shown = chosen(found(0, 5.0, content="User's dog is called Pepper", sources=(told.id,)), messages=[said(told, 4.0)])
    assert numbers(shown) == [0]
    assert shown.messages == ()


def test_unrelated_message_gets_nothing() -> None:
    unrelated = ReaderCues(cosines=CUES.cosines, related=False)
    assert chosen(found(0, 6.0), messages=[said(message(1), 6.0)], cues=unrelated).text == ""


def test_memory_below_a_newer_line_about_a_change_of_the_same_person_is_marked_as_earlier() -> None:
    before = found(0, 6.0, content="User has an iPhone", said_at=NOW - timedelta(days=60), about=("User",))
    change = found(1, 5.0, content="User switched to Android", said_at=NOW - timedelta(days=2), about=("User",))
    of_now = replace(CUES, of_now=True)
    first, second = chosen(before, change, cues=of_now).text.splitlines()
    assert first == "- User switched to Android"
    assert second.startswith("- User has an iPhone (earlier, said ")
    theirs = found(0, 6.0, content="Vera has an iPhone", said_at=NOW - timedelta(days=60), about=("Vera",))
    assert "earlier" not in chosen(theirs, change, cues=of_now).text


PETERS = {0: "Peter, plumber", 1: "Peter, writer"}


def headed(*about: int, **more: Any) -> ReaderCues:
    """Return lines of the memories 0 and on, given which Peter each is about."""
    return replace(CUES, headings={found(number).memory.id: PETERS[one] for number, one in enumerate(about)}, **more)


def test_each_of_two_namesakes_has_a_heading_and_other_memories_have_one_below() -> None:
    cues = headed(0, 1, 0)
    shown = chosen(found(0, 6.0), found(1, 5.0), found(2, 4.0), found(3, 3.0), cues=cues)
    assert shown.text.splitlines() == [
        *("Peter, plumber:", "- fact 0", "- fact 2"),
        *("Peter, writer:", "- fact 1", "Besides:", "- fact 3"),
    ]
    assert shown.tokens == len(shown.text.split())
    assert [one.heading for one in shown.explain()][::2] == ["Peter, plumber", "Peter, writer"]
    fenced = shown.as_system_message()["content"].splitlines()
    assert fenced[2:4] == ["- Peter, plumber:", "- fact 0"]


def test_memory_about_no_namesake_needs_no_heading_above_them() -> None:
    cues = replace(CUES, headings={found(1).memory.id: PETERS[1]})
    assert chosen(found(0, 6.0), found(1, 5.0), cues=cues).text == "- fact 0\nPeter, writer:\n- fact 1"


def test_lines_have_no_headings_where_there_is_no_room_for_them() -> None:
    assert chosen(found(0, 6.0), found(1, 5.0), cues=headed(0, 1), budget=7).text == "- fact 0\n- fact 1"


def test_message_under_a_heading_needs_no_memory_that_says_who_is_meant() -> None:
    before, told = message(1, content="Peter the plumber came"), message(2, content="He likes rye bread, by the way.")
    likes = found(0, 5.0, content="Peter likes rye bread", sources=(before.id, told.id))
    plain = chosen(likes, messages=[said(told, 4.0)])
    assert len(plain.explain()) == 2
    cues = replace(CUES, headings={likes.memory.id: PETERS[0], told.id: PETERS[0]})
    assert [one.message for one in chosen(likes, messages=[said(told, 4.0)], cues=cues).explain()] == [told]


def test_small_budget_has_few_lines_if_messages_are_among_them_but_always_the_required_ones() -> None:
    messages = [said(message(number), 9.0 - number / 10) for number in range(20)]
    assert len(chosen(messages=messages, budget=300).explain()) == 8
    assert len(chosen(messages=messages, budget=480).explain()) == 12
    assert len(chosen(*(found(number, 6.0) for number in range(9)), budget=300).explain()) == 9


def test_memory_about_somebody_else_is_left_out_if_the_user_asks_about_themselves() -> None:
    cues = replace(CUES, of_others=frozenset({found(0).memory.id, message(1).id}))
    shown = chosen(found(0, 6.0), found(1, 5.0), messages=[said(message(1), 9.0), said(message(2), 8.0)], cues=cues)
    assert {one.content for one in shown.explain()} == {"fact 1", "said 2"}


def test_replaced_memory_is_below_the_current_ones_and_marked() -> None:
    old = message(1, content="I live in Oslo with my cat.", replaced=("User lives in Oslo",), said_at=NOW)
    new = message(2, content="I live in Ghent.")
    shown = chosen(messages=[said(old, 9.0), said(new, 8.0)], cues=replace(CUES, of_now=True))
    assert [one.message for one in shown.explain()] == [new, old]
    assert shown.text.splitlines()[1].endswith(
        "I live in Oslo with my cat. (earlier, no longer so: User lives in Oslo)"
    )


@given(
    scores=st.lists(st.floats(-2, 9), max_size=20),
    of_messages=st.lists(st.floats(-2, 9), max_size=20),
    budget=st.integers(1, 80),
)
def test_context_for_a_reader_is_within_its_budget_and_shows_nothing_twice(
    scores: list[float], of_messages: list[float], budget: int
) -> None:
    those = [found(number, score, 0.0, number % 2) for number, score in enumerate(scores)]
    shown = chosen(
        *those,
        messages=[said(message(number), score) for number, score in enumerate(of_messages)],
        named=True,
        budget=budget,
    )
    assert shown.tokens == len(shown.text.split()) <= budget
    lines = shown.text.splitlines()
    assert len(lines) == len(set(lines)) == len(shown.explain())
