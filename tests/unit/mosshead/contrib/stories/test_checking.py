"""Whatever an LLM answers, each kept sentence rests on evidence it was shown."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.contrib.stories.evidence import Piece, chosen
from mosshead.contrib.stories.prompt import StoryAnswer, ToldSentence
from mosshead.contrib.stories.requests import StoryIntent
from mosshead.contrib.stories.story import Story, StoryEvidence
from mosshead.contrib.stories.tell import checked
from tests.reading_given import LONG_AGO, memory

CONTENTS = ("Ada moved to Leeds", "Ada sold 2,400 prints", "Ada has a whippet")
REQUEST = "What happened with Ada in 2031?"
EVIDENCE, _ = chosen(
    [
        Piece(
            told=StoryEvidence(
                memory=memory(number, content=content, said_at=LONG_AGO + timedelta(days=number)),
                found_by=("topic",),
                until=LONG_AGO + timedelta(days=400) if number == 2 else None,
            ),
            score=0.0,
        )
        for number, content in enumerate(CONTENTS)
    ],
    budget=1000,
    count_tokens=len,
)
STORY = Story(intent=StoryIntent.TIMELINE, evidence=EVIDENCE)

SENTENCES = st.builds(
    ToldSentence,
    text=st.text(max_size=30)
    | st.sampled_from(["Ada moved.", "She sold 2400 prints", "In 1999 she sang [2].", "\u202e", " "]),
    evidence=st.lists(st.integers(-2, 6) | st.integers(), max_size=5).map(tuple),
)


def kept(text: str, *numbers: int) -> list[str]:
    answer = StoryAnswer(sentences=(ToldSentence(text=text, evidence=numbers),))
    return [one.text for one in checked(answer, STORY, REQUEST).sentences]


@given(st.lists(SENTENCES, max_size=8))
def test_each_citation_points_to_evidence_and_the_text_is_the_sentences(sentences: list[ToldSentence]) -> None:
    answer = StoryAnswer(sentences=tuple(sentences))
    found = checked(answer, STORY, REQUEST)

    assert len(found.sentences) + found.dropped == len(sentences)
    for one in found.sentences:
        assert one.citations
        assert set(one.citations) <= set(EVIDENCE)
        assert any(set(one.numbers) <= set(told.evidence) for told in sentences)
        assert one.text.strip() == one.text != ""
        assert "\n" not in one.text
    assert found.text == " ".join(one.text for one in found.sentences)


@given(st.lists(st.integers(), max_size=5))
def test_sentence_without_shown_evidence_is_dropped(numbers: list[int]) -> None:
    assert bool(kept("Ada moved to Leeds.", *numbers)) == any(number in {1, 2, 3} for number in numbers)


@pytest.mark.parametrize(
    ("text", "numbers", "told"),
    [
        ("Ada moved to Leeds on 4 May 2016.", (1,), True),
        ("Ada moved to Leeds on 2016-05-04.", (1,), True),
        ("Ada moved to Leeds in 2015.", (1,), False),
        ("Ada sold 2400 prints, or 2,400, or 2.400, or 2’400.", (2,), True),
        ("Ada sold 24 prints.", (2,), False),
        ("Ada sold 2,400 prints.", (1,), False),  # another piece says it
        ("Ada sold 2,400 prints.", (1, 2), True),
        ("In 2031 Ada moved to Leeds.", (1,), True),  # as it was asked
        ("Ada had a whippet until 8 June 2017.", (3,), True),
        ("Ada moved to Leeds ٤ times.", (1,), True),  # from 4 May
        ("Ada moved to Leeds ٩ times.", (1,), False),
        ("Ada moved 99999999999999999999 times.", (1,), False),
        ("3 moves.", (3,), False),  # its number is not part of its content
    ],
)
def test_figure_must_be_in_the_cited_evidence(text: str, numbers: tuple[int, ...], told: bool) -> None:
    assert bool(kept(text, *numbers)) is told


def test_bracketed_numbers_are_removed_and_repeated_sentences_are_told_once() -> None:
    assert kept("Ada moved to Leeds [1, 9].", 1) == ["Ada moved to Leeds."]
    assert kept("Ada moved to Leeds [1]", 1) == ["Ada moved to Leeds."]
    twice = StoryAnswer(sentences=(ToldSentence(text="Ada moved.", evidence=(1,)),) * 2)
    assert checked(twice, STORY, REQUEST).dropped == 1


def test_citations_follow_their_sentences_on_request() -> None:
    answer = StoryAnswer(sentences=(ToldSentence(text="Ada moved, and has a whippet", evidence=(3, 1, 7)),))
    assert checked(answer, STORY, REQUEST).cited_text == "Ada moved, and has a whippet. [1, 3]"
