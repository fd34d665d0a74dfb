"""What a message holds of other people's words is not the user's."""

import pytest

from pipeline.rules_en.sentences import own_lines

OWN = "I live in Leeds."


def own(text: str) -> list[str]:
    return [line for line in own_lines(text.splitlines()) if line.strip()]


@pytest.mark.parametrize(
    "pasted",
    [
        "-----Original Message-----\nFrom: Bob\n\nI work at Oracle.",
        "---------- Forwarded message ---------\nI work at Oracle.",
        "From: Bob Jones <bob@example.com>\nTo: Jane\n\nI work at Oracle.",
        "From: Bob Jones\nSent: Monday\nSubject: moving\n\nI work at Oracle.",
        "On Mon, 3 May 2024 at 10:12, Peter Smith <peter@example.com> wrote:\n\nI work at Oracle.",
        "[12/05/2024, 10:22:01] Zed: I live in Oslo. I work at Equinor.\nand I have a dog",
        "12/05/24, 10:23 - Zed: I am a doctor. I live in Rome.",
        "<zed> I live in Oslo. I work at Equinor.",
        "Speaker 1: I live in Oslo. I have two kids.\nSpeaker 2: ok. I am 40.",
        "Anna: I live in Rome. I hate tea.",
        "Mum: I'm allergic to nuts. My brother is Bob.",
        "Zed: hello. I work here.\nYan: hi\nZed: I have a dog.\nYan: I hate cats.",
        "Anna Lind  10:42 AM\nI live in Rome. I hate tea.\nI am a doctor",
        "Zed Okoro  10:42 AM\nI live in Rome.\n\nYan Wu  10:44 AM\nhi\n\nZed Okoro  10:45 AM\nI hate cats.",
        "Anna Lind\n  10:42 AM\nI live in Rome.",
        "Anna Lind\nYesterday at 10:42\nI live in Rome.",
        "zed — Today at 10:42 AM\nI live in Rome. I hate tea.",
        "Zed Okoro, [3.5.2024 10:42]\nI live in Rome.",
        "Zed Okoro, [23. Nov 2026 at 10:42:11]:\nI live in Rome.",
        "[10:42 AM] Zed Okoro\nI live in Rome.",
        "Zed Okoro Monday 10:42 AM\nI live in Rome.",
        "- Tom: I live in Paris",
        "| Tom | I live in Paris |",
    ],
)
def test_a_mail_and_a_chat_are_others_words(pasted: str) -> None:
    assert own(f"{OWN}\n\n{pasted}")[0] == OWN
    assert not any(" I " in f" {line}" for line in own(f"{OWN}\n\n{pasted}")[1:] if not line.startswith("Yan: hi"))


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
def test_what_one_writes_oneself_stays(text: str) -> None:
    assert own(text) == text.splitlines()


def test_an_answer_below_a_quoted_mail_is_one_s_own() -> None:
    assert own(f"On 3 May 2024, at 10:12, Peter <p@example.com> wrote:\n> I moved.\n\n{OWN}") == ["> I moved.", OWN]


def test_the_answer_below_a_chat_is_one_s_own() -> None:
    assert own(f"Tom: I live in Oslo.\nand I have a dog\n\n{OWN}") == [OWN]
    assert own(f"Tom: I live in Oslo.\nMe: {OWN}") == [f"Me: {OWN}"]


@pytest.mark.parametrize("said", ["Tom wrote", "Yesterday she told me", "My boss texted me back"])
def test_what_somebody_said_after_a_colon(said: str) -> None:
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
