"""A pattern is searched only where its letters are, and finds all the same what it would find everywhere."""

import importlib
import pkgutil

import pytest

import pipeline.safety
from pipeline.safety.readings import readings
from pipeline.safety.screen import Screen
from tests.injections_given import ATTACKS, LOOK_ALIKES

READINGS = [reading for texts in (*ATTACKS.values(), LOOK_ALIKES) for text in texts for reading in readings(text)]
SCREENS = [
    pytest.param(value, id=f"{module.name}.{name}")
    for module in pkgutil.iter_modules(pipeline.safety.__path__, "pipeline.safety.")
    for name, value in vars(importlib.import_module(module.name)).items()
    if isinstance(value, Screen)
]


@pytest.mark.parametrize("screen", SCREENS)
def test_screen_keeps_no_pattern_from_what_it_would_find(screen: Screen) -> None:
    for reading in READINGS:
        everywhere = [match.span() for _, pattern in screen.screened for match in pattern.finditer(reading)]
        assert [match.span() for match in screen.finditer(reading)] == everywhere


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"(?:ignore|forget) (?:your|the) rules?\b", "forget the rule", "forget the rule"),
        (r"(?:\bab|cd)+e?(?=f)", "xx cdf", "cd"),
        (r"\bnews?paper(?<!my newspaper)", "a newspaper", "newspaper"),
        (r"[\[(<]\s?sys", "<sys", "<sys"),
        (r"(?:x|) ?", "none", ""),
        (r"(?P<one>\w)(?P=one)", "aa", "aa"),
    ],
)
def test_screen_finds_what_a_pattern_finds(pattern: str, text: str, found: str) -> None:
    match = Screen(pattern).search(text)
    assert match is not None
    assert match.group() == found


def test_few_patterns_are_searched_in_a_plain_text() -> None:
    patterns = fitting = 0
    for screen in (param.values[0] for param in SCREENS):
        assert isinstance(screen, Screen)
        patterns += len(screen.screened)
        fitting += len(screen.fitting("my brother opened a bar by the harbour, and we had dinner there on sunday"))
    assert fitting < patterns / 5
