"""Requests to forget: most messages are recognised as none by their words alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.language import retractions
from mosshead.language.retractions import asks_to_forget, matter_to_forget, takes_back, to_be_forgotten

ASKED = """
forget that|just kidding|jks|I was only joking|ignore what I just said|strike my last message|disregard the previous one
don't remember this|do not store that|please forget that I live in Leeds|disregard the fact that I said that I'm vegan
don't save that I was ill|delete that I have a cat|please delete my phone number from your notes|wipe my address from memory
drop my birthday from your records|clear where I live from your memory|stop remembering my allergies|you can forget the trip
do not record my weight|don't memorise my age|that's no longer true, so forget it|erase everything you know about my job
remove what I told you about the diet|FORGET THAT|ForKget that|scratch that I said this|don't keep my email
"""


@pytest.mark.parametrize("text", [one for line in ASKED.strip().splitlines() for one in line.split("|")])
def test_request_to_forget_is_understood_by_its_sentences(text: str) -> None:
    heard = takes_back(text, answering=True) or to_be_forgotten(text) is not None or matter_to_forget(text) is not None
    assert asks_to_forget(text) == heard


@given(st.from_regex(retractions._TAKEN_BACK) | st.from_regex(retractions._FORGET_THAT))
def test_every_retraction_has_one_of_the_words_searched_first(text: str) -> None:
    sentence = " ".join(text.split())
    if takes_back(sentence, answering=True) or to_be_forgotten(sentence) is not None:
        assert retractions._may_ask(sentence)


@given(st.sampled_from(retractions._MATTERS).flatmap(st.from_regex))
def test_every_request_about_a_topic_has_one_of_them(text: str) -> None:
    if matter_to_forget(text) is not None:
        assert retractions._may_ask(text)


def test_statement_is_no_request_to_forget() -> None:
    assert not asks_to_forget("I keep forgetting my keys.")
    assert not asks_to_forget("I live in Leeds.")
