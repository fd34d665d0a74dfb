"""Which language a text is in."""

import pytest

from mosshead.language.dates.spans import AFTER_EASTER, HOLIDAYS
from mosshead.language.lexicon import every_lexicon, is_english

POLISH = "Mieszkam w Krakowie od marca, moja siostra pracuje jako lekarka, a nasz pies je tylko suchą karmę i śpi obok pieca."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I live in Leeds, and my dog is called Bruno.", True),
        ("My teacher says naïve café in Zürich and Москва.", True),
        ("Ich wohne seit dem Frühling in Leipzig.", False),
        ("Je n'aime pas la pluie.", False),
        ("Мою сестру зовут Катя, она врач, see example.org", False),
        ("昨日は雨でした。", False),
        ("ฉันชอบอ่านหนังสือ", False),
        (POLISH, False),
        ("", None),
        ("12 34 56", None),
        ("Leeds United", None),
        ("Mieszkam obok pieca.", None),
    ],
)
def test_text_is_english_another_language_or_unknown(text: str, expected: bool | None) -> None:
    assert is_english(text) is expected


def test_holidays_fall_on_the_days_by_which_times_are_read() -> None:
    english = next(one for one in every_lexicon() if one.language == "en")
    days = {name.replace("'", " "): f"{month:02}-{day:02}" for name, (month, day) in HOLIDAYS.items()}
    days |= {name: f"easter{apart:+}" for name, apart in AFTER_EASTER.items()}

    assert {name: english.holidays.get(name) for name in days} == days
