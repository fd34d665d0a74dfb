"""Which messages answer a question: by their own scores, and by their position."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.language.dates import Period
from mosshead.models.kinds import Role
from mosshead.models.messages import StoredMessage
from mosshead.search.messages import (
    MessageFound,
    QuestionCues,
    RankedMessage,
    ScannedMessages,
    asked_by,
    rank_messages,
)
from mosshead.search.scans import Spread
from mosshead.search.weights import MessageWeights

NOON = datetime(2024, 5, 8, 12, tzinfo=UTC)
ONE = Spread(mean=0.0, deviation=1.0)
W = MessageWeights()


def found(
    number: int,
    cosine: float = 0.0,
    with_before: float = 0.0,
    words: float = 0.0,
    *,
    conversation: str | None = "boat",
    content: str = "The boat is green.",
    speaker: str | None = None,
    place: int | None = None,
    said_at: datetime = NOON,
) -> MessageFound:
    """Return the message with a number: scores count as standard deviations with `ONE`."""
    message = StoredMessage(
        id=UUID(int=number),
        conversation=conversation,
        place=number if place is None else place,
        role=Role.USER,
        speaker=speaker,
        content=content,
        said_at=said_at,
    )
    return MessageFound(message=message, cosine=cosine, with_before=with_before, words=words)


def ranked(*those: MessageFound, question: QuestionCues | None = None, **more: Any) -> list[RankedMessage]:
    scanned = ScannedMessages(found=those, with_before=more.pop("with_before", ONE), words=more.pop("words", ONE))
    return rank_messages(scanned, asked=question or QuestionCues(), **{"lent": {}, **more})


def numbers(those: Sequence[RankedMessage]) -> list[int]:
    return [one.message.id.int for one in those]


def parts_of(number: int, those: Sequence[RankedMessage]) -> dict[str, float]:
    return next(one.parts for one in those if one.message.id.int == number)


def test_raw_scores_count_by_how_far_they_exceed_the_average() -> None:
    near, telling = found(0, cosine=0.6, conversation="a"), found(1, words=9.0, conversation="b")
    cosines, words = Spread(mean=0.2, deviation=0.1), Spread(mean=1.0, deviation=2.0)
    first, second = ranked(near, telling, with_before=cosines, words=words)

    assert (first.message.id.int, second.message.id.int) == (0, 1)
    assert second.parts["cosine"] == pytest.approx(W.cosine * -2.0)
    assert second.parts["words"] == pytest.approx(W.words * 4.0)
    assert first.parts["cosine"] == pytest.approx(W.cosine * 4.0)
    assert first.parts["with_before"] == pytest.approx(W.with_before * -2.0)


def test_equal_scores_say_nothing() -> None:
    assert "cosine" not in ranked(found(0, cosine=0.4), with_before=Spread(mean=0.4, deviation=0.0))[0].parts


def test_neighbours_lend_their_words_and_the_next_its_pair() -> None:
    there = ranked(found(0, words=2.0), found(1), found(2, with_before=3.0, words=4.0))

    assert parts_of(1, there)["words_before"] == pytest.approx(W.words_before * 2.0)
    assert parts_of(1, there)["words_after"] == pytest.approx(W.words_after * 4.0)
    assert parts_of(1, there)["with_after"] == pytest.approx(W.with_after * 3.0)


@pytest.mark.parametrize(
    ("conversation", "place"), [("train", 1), ("boat", 2)], ids=["another conversation", "not the next"]
)
def test_only_neighbours_of_one_conversation_lend(conversation: str, place: int) -> None:
    there = ranked(found(0, words=2.0, with_before=2.0), found(1, conversation=conversation, place=place))

    assert not {"words_before", "words_after", "with_after"} & parts_of(0, there).keys()
    assert not {"words_before", "words_after", "with_after"} & parts_of(1, there).keys()


def test_three_best_of_a_conversation_lend_to_all_of_it() -> None:
    there = ranked(*(found(place * 2, cosine=cosine) for place, cosine in enumerate((9.0, 6.0, 3.0, 0.0))))
    assert [one.parts["conversation"] for one in there] == pytest.approx([W.conversation * W.cosine * 6.0] * 4)


def test_conversation_of_two_lends_what_it_has() -> None:
    (first, _) = ranked(found(0, cosine=4.0), found(5, cosine=2.0))
    assert first.parts["conversation"] == pytest.approx(W.conversation * W.cosine * 3.0)


@pytest.mark.parametrize(
    ("question", "names", "by_ines"),
    [
        ("What did Ines paint?", (), True),
        ("What did ines paint?", (), True),
        ("What is Ines's boat called?", (), True),
        ("What did she paint?", ("Ines Moreau", "Ines"), True),
        ("What did Sam paint?", ("Sam",), False),
        ("What was painted?", (), False),
    ],
)
def test_messages_of_a_named_speaker_come_first(question: str, names: tuple[str, ...], by_ines: bool) -> None:
    there = ranked(
        found(0, speaker="Ines"), found(1, speaker="Lou"), found(2), question=asked_by(question, names, NOON)
    )
    assert {one.message.id.int for one in there if "speaker" in one.parts} == ({0} if by_ines else set())


def test_speaker_with_two_names_is_named_by_either_or_both() -> None:
    question = QuestionCues(words=asked_by("What does Moreau paint?", (), NOON).words)
    assert question.names_speaker("Ines Moreau")
    assert not question.names_speaker("Ines Mora")


def test_messages_of_the_named_time_come_first() -> None:
    then, later = found(0, conversation="a"), found(1, conversation="b", said_at=NOON + timedelta(days=90))
    there = ranked(later, then, question=asked_by("What was painted in May 2024?", (), NOON))
    assert numbers(there) == [0, 1]
    assert "when" not in there[1].parts


def test_yesterday_is_counted_from_the_local_day_of_the_question() -> None:
    asking = datetime(2024, 5, 10, 1, 30, tzinfo=timezone(timedelta(hours=2)))  # still the 9th in UTC
    (yesterday,) = asked_by("yesterday", (), asking).periods
    assert yesterday == Period(first=date(2024, 5, 9), last=date(2024, 5, 9))


def test_late_evening_message_belongs_to_its_local_day() -> None:
    seattle = timezone(-timedelta(hours=8))
    monday = found(0, conversation="a", said_at=datetime(2024, 5, 6, 20, tzinfo=seattle))  # 04:00 of Tuesday in UTC
    there = ranked(monday, question=asked_by("2024-05-07", (), NOON))
    assert there[0].parts["when"] == W.when / 2, "of the month, and before the day"
    assert ranked(monday, question=asked_by("2024-05-06", (), NOON))[0].parts["when"] == W.when


def test_question_counts_less_than_an_answer() -> None:
    there = ranked(found(0, content="Is the boat green? "), found(1))
    assert numbers(there) == [1, 0]
    assert there[1].parts["asks"] == W.asks


def test_memory_lends_to_its_source_message() -> None:
    there = ranked(found(0), found(1), lent={UUID(int=1): 3.0})
    assert numbers(there) == [1, 0]
    assert there[0].parts["lent"] == pytest.approx(W.lent * 3.0)


def test_empty_result_has_no_ranking() -> None:
    assert ranked() == []


SCORES = st.floats(min_value=-5, max_value=5)
FOUND = st.lists(
    st.builds(
        found,
        st.integers(0, 500),
        SCORES,
        SCORES,
        SCORES,
        conversation=st.sampled_from([None, "boat", "train"]),
        content=st.sampled_from(["Green.", "Green?"]),
        speaker=st.sampled_from([None, "Ines", "Sam"]),
    ),
    max_size=30,
    unique_by=lambda one: one.message.id,
)


@given(FOUND, st.integers(1, 40), st.randoms())
def test_ranking_is_explained_in_order_and_independent_of_retrieval(
    those: list[MessageFound], limit: int, chance: Any
) -> None:
    question = asked_by("What did Ines say in May 2024?", (), NOON)
    there = ranked(*those, question=question)
    assert {one.message.id for one in there} == {one.message.id for one in those}
    assert [one.score for one in there] == sorted((one.score for one in there), reverse=True)
    assert all(one.score == pytest.approx(sum(one.parts.values())) for one in there)

    chance.shuffle(those)
    assert ranked(*those, question=question, limit=limit) == there[:limit]
