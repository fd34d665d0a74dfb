"""A context for a reader: what answers leads, what a name calls for stands below, and nothing hides what says more."""

from collections.abc import Sequence
from dataclasses import replace

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
    """A message with its score, which is near by its own words."""
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


def test_what_is_far_from_the_best_is_not_shown_though_there_is_room() -> None:
    assert numbers(chosen(found(0, 6.0), found(1, 5.0), found(2, 1.0), *FAR)) == [0, 1]


def test_what_the_assistant_repeats_of_a_memory_has_no_line_of_its_own() -> None:
    memory = found(0, 6.0, content="Vera keeps seven bees in Ghent")
    echo = message(1, role=Role.ASSISTANT, content="You told me: Vera keeps seven bees in Ghent.")
    more = message(2, role=Role.ASSISTANT, content="Vera keeps bees, so honey from Antwerp is a fine present")
    shown = chosen(memory, messages=[said(echo, 9.0), said(more, 9.0)])
    assert [one.id for one in shown.messages] == [more.id]
    asked = replace(CUES, of_assistant=True)
    assert echo.id in {one.id for one in chosen(memory, messages=[said(echo, 9.0)], cues=asked).messages}


def test_of_fewer_than_ten_things_all_are_shown() -> None:
    assert numbers(chosen(found(0, 6.0), found(1, 1.0), found(2, 0.5))) == [0, 1, 2]


def test_what_is_lent_stands_below_what_answers_by_itself() -> None:
    assert numbers(chosen(found(0, 6.0, 0.0, OTHER), found(1, 0.1, 0.0, OTHER), found(2, 5.0), *FAR)) == [0, 2, 1]


def test_beside_what_was_said_nothing_is_lent() -> None:
    those = (found(0, 6.0, 0.0, OTHER), found(1, 0.1, 0.0, OTHER), *FAR)
    assert numbers(chosen(*those, messages=[said(message(1), 6.0)])) == [0]


def test_what_a_name_calls_for_is_shown_however_far_it_is() -> None:
    assert 1 in numbers(chosen(found(0, 9.0), found(1, -1.0, 0.0, VERA), *FAR, named=True))
    assert 1 not in numbers(chosen(found(0, 9.0), found(1, -1.0, 0.0, VERA), *FAR))


def test_a_message_that_says_more_than_its_memory_stands_for_it() -> None:
    told = message(1, content="My dog Pepper is a beagle.")
    shown = chosen(found(0, 5.0, content="Pepper is User's dog", sources=(told.id,)), messages=[said(told, 4.0)])
    assert [one.message for one in shown.explain()] == [told]
    assert numbers(shown) == [0], "whose words are in the prompt, so that an echo of it is known for one"


def test_a_memory_that_says_all_that_its_message_says_stands_for_it() -> None:
    told = message(1, content="My dog is called Pepper.")
    shown = chosen(found(0, 5.0, content="User's dog is called Pepper", sources=(told.id,)), messages=[said(told, 4.0)])
    assert numbers(shown) == [0]
    assert shown.messages == ()


def test_of_a_message_that_is_related_to_nothing_nothing_is_shown() -> None:
    unrelated = ReaderCues(cosines=CUES.cosines, related=False)
    assert chosen(found(0, 6.0), messages=[said(message(1), 6.0)], cues=unrelated).text == ""


@given(
    scores=st.lists(st.floats(-2, 9), max_size=20),
    of_messages=st.lists(st.floats(-2, 9), max_size=20),
    budget=st.integers(1, 80),
)
def test_a_context_for_a_reader_keeps_its_budget_and_shows_nothing_twice(
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
