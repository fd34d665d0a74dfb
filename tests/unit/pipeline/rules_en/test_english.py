"""Which messages the rules read at all."""

import pytest

from pipeline.rules_en.english import is_english


@pytest.mark.parametrize(
    "text",
    [
        "I live in Leeds",
        "hi im sarah",
        "ok",
        "",
        "42",
        "My tía Rosa lives in Úbeda",
        "We had crème brûlée at Chez Nous",
        "I'm 34",
    ],
)
def test_english_is_read(text: str) -> None:
    assert is_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "Ich habe einen Hund und wohne in Leipzig",
        "i funghi non mi piacciono per niente",
        "vivo en Madrid con mi hermana",
        "j'ai deux enfants et je suis infirmière",
        "犬を飼い始めました",
        "Mam 67 lat i nie mam cukrzycy",
        "ik ga even over een week",
        "Quedamos a las once y once",
    ],
)
def test_other_languages_are_ignored(text: str) -> None:
    assert not is_english(text)
