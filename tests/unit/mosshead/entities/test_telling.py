"""What a message says of the entities it names."""

import pytest

from mosshead.entities.disambiguation import telling


def test_someone_replaces_the_mention_in_the_message_and_in_the_earlier_turns() -> None:
    told = telling("Is Ingrid's boat repaired?", "Ingrid", ["Ingrid rang from the yard.", "When?"])

    assert told.text == "someone rang from the yard. When? Is someone's boat repaired?"


def test_replacement_is_not_a_search_word() -> None:
    told = telling("Ask Ingrid", "Ingrid", ["Ingrid's sail is torn."])

    assert (told.words, told.scene_words) == (("ask",), ("sail", "torn"))


def test_function_words_are_left_out_and_each_word_is_listed_once() -> None:
    told = telling("Is the boat the one that Ingrid mended, the blue boat?", "Ingrid")

    assert told.words == ("boat", "mended", "blue")


def test_figures_are_no_words() -> None:
    assert telling("Ask Ingrid in room 56, or ५६", "Ingrid").words == ("ask", "room")


def test_words_of_earlier_turns_are_kept_apart() -> None:
    told = telling("Ask Ingrid", "Ingrid", ["The sail is torn."])

    assert (told.words, told.scene_words) == (("ask",), ("sail", "torn"))


def test_only_the_last_three_turns_make_the_scene() -> None:
    assert telling("Ask Ingrid", "Ingrid", ["flute", "oboe", "horn", "harp"]).scene_words == ("oboe", "horn", "harp")


def test_long_scene_loses_its_oldest_part() -> None:
    told = telling("Ask Ingrid", "Ingrid", ["before " * 200, "after"])

    assert told.text.endswith("after Ask someone")
    assert len(told.text) < 620


def test_name_within_another_word_stays() -> None:
    assert telling("Ann likes annotations", "Ann").text == "someone likes annotations"


@pytest.mark.parametrize(
    ("message", "described"),
    [
        ("Has Ingrid the stuntwoman got out of plaster?", {"stuntwoman"}),
        ("Book Ingrid, the glazier, for Thursday.", {"glazier"}),
        ("Ingrid from the polar survey wants her sledge", {"polar", "survey"}),
        ("Senator Ingrid spoke all night", {"senator"}),
        ("My cousin Ingrid is here", {"cousin"}),
    ],
)
def test_statement_of_who_the_bearer_is_is_a_description(message: str, described: set[str]) -> None:
    assert described <= telling(message, "Ingrid").described


@pytest.mark.parametrize(
    "message",
    [
        "Give Ingrid the keys",
        "Tell Ingrid the backdrops are gorgeous",
        "Mrs Ingrid was there",
        "Ingrid painted the door",
    ],
)
def test_statement_of_what_happens_to_the_bearer_is_no_description(message: str) -> None:
    assert not telling(message, "Ingrid").described
