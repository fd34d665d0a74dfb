import pytest

from mosshead.fencing import fenced
from mosshead.redaction import redact
from mosshead.text import MOST_CHARACTERS, as_compared, readable, turns_before


@pytest.mark.parametrize(
    "other", ["The lamp is  out", " The lamp\nis out\n", "the LAMP is out", f"{fenced(['It rains'])}\nThe lamp is out"]
)
def test_texts_that_differ_in_blanks_case_or_notes_are_the_same(other: str) -> None:
    assert as_compared(other) == as_compared("The lamp is out")


def test_long_text_equals_what_a_read_knows_of_it() -> None:
    secret = "my password is hunter2secret"
    long = "word " * (MOST_CHARACTERS // 5 - 2) + secret + " and more" * 9_000
    assert as_compared(redact(long)) == as_compared(redact(readable("text", long)))
    assert as_compared(f"Another {long}") != as_compared(long)


def test_earlier_turns_end_before_their_message() -> None:
    assert turns_before("Ask Peter", ["a", "b", "c", " ask  peter"], 2) == ("b", "c")
    assert turns_before("Ask Peter", ["a", "b", "c"], 2) == ("b", "c")
    assert turns_before("Ask Peter", ["Ask Peter", "b"], 2) == ("Ask Peter", "b")
    assert turns_before("Ask Peter", [], 2) == turns_before("Ask Peter", ["a"], 0) == ()
