"""Whether a message relates to what is known."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.context.reader import FEW, NEAR, relates
from mosshead.embeddings.local.files import MODEL

DAY = date(2026, 3, 2)
COSINES = st.floats(min_value=-1, max_value=1)


def related(text: str, nearest: float = 1.0, *, model: str = MODEL, somebody: bool = False) -> bool:
    return relates(text, [nearest, *[-1.0] * FEW], somebody=somebody, model=model, day=DAY)


def test_message_relates_to_something_near() -> None:
    assert related("Where do I keep the spare key?", NEAR[MODEL])
    assert not related("What is the capital of Peru?", NEAR[MODEL] - 0.01)


@given(COSINES)
def test_model_without_calibration_ignores_cosines(nearest: float) -> None:
    assert related("What is the capital of Peru?", nearest, model="openai/another@256")


@pytest.mark.parametrize(
    "text",
    ["hi", "Hello there!", "ok", "OK, thanks", "Thanks, that’s great!", "yes please", "lol", "Good morning :)", "¡Hi!"],
)
@given(nearest=COSINES)
def test_small_talk_relates_to_nothing_however_near_other_small_talk_is(text: str, nearest: float) -> None:
    assert not related(text, nearest)
    assert not related(text, nearest, model="openai/another@256")


@pytest.mark.parametrize(
    "text", ["thanks for the honey", "Is the roof okay?", "Good grief, the boiler", "好", "?", "🙂", "17"]
)
def test_message_that_says_more_is_no_small_talk(text: str) -> None:
    assert related(text)


@given(text=st.sampled_from(["ok", "What is the capital of Peru?"]), nearest=COSINES)
def test_message_that_names_or_means_somebody_relates_to_something(text: str, nearest: float) -> None:
    assert related(text, nearest, somebody=True)


@given(COSINES)
def test_message_that_names_a_time_relates_to_something(nearest: float) -> None:
    assert related("What happened in March 2024?", nearest)


@given(st.lists(COSINES, max_size=FEW))
def test_few_items_may_all_be_shown(cosines: list[float]) -> None:
    assert relates("ok", cosines, somebody=False, model=MODEL, day=DAY)
