"""Which lines of a message are its sender's own words."""

import pytest

from pipeline.rules_en.sentences import own_lines

OWN = "I live in Leeds."


def own(text: str) -> list[str]:
    return [line for line in own_lines(text.splitlines()) if line.strip()]


@pytest.mark.parametrize(
    "text",
    [
        "From: London\nTo: Oslo\nDate: 3 May\nI take my bike.",
        "Anna: my sister\nBen: loves tea, 7\nOslo: where we live",
        "Me: I live in Leeds.\nWork: I'm a nurse. I work nights.",
        "Note: I moved.\nNote: I have a dog.",
        "10:30 Dentist: I need to go.\nI live in Leeds.",
        "Gym 7:00\nI like it.\nDentist 10:30\nI live in Leeds.",
        "Leeds\n10:30\nI live in Leeds.",
        "I get up at 7:30\nI live in Leeds.",
        "Our flight leaves at 10:30\nI live in Leeds.",
        "Monday 10:30\nI see my doctor.",
        "My doctor said: no sugar. I take metformin.",
        "I told them: I live in Leeds. I work at Acme.",
        "Tom moved out: I live alone.",
    ],
)
def test_own_words_stay(text: str) -> None:
    assert own(text) == text.splitlines()


def test_answer_below_a_quoted_mail_is_ones_own() -> None:
    assert own(f"On 3 May 2024, at 10:12, Peter <p@example.com> wrote:\n> I moved.\n\n{OWN}") == ["> I moved.", OWN]


def test_answer_below_a_chat_is_ones_own() -> None:
    assert own(f"Tom: I live in Oslo.\nand I have a dog\n\n{OWN}") == [OWN]
    assert own(f"Tom: I live in Oslo.\nMe: {OWN}") == [f"Me: {OWN}"]


@pytest.mark.parametrize("said", ["Tom wrote", "Yesterday she told me", "My boss texted me back"])
def test_reported_words_after_a_colon_are_recognised(said: str) -> None:
    assert own(f"{said}: I live in Paris and I work at Google. My wife is Kim.") == [said]


@pytest.mark.parametrize(
    "text",
    [
        "said " * 6_000,
        "a " * 16_000 + "10:30",
        "may " * 9_000,
        "Ann\n" + "10:30\n" * 9_000,
        "x said" + " has" * 8_000 + " back" * 1_000,
        "10:30 " * 5_000,
        "a:" * 16_000,
    ],
)
def test_no_line_takes_long(text: str) -> None:
    assert own(text)
