"""Who is meant: by the single best fit, with a margin, and with "unknown" as an answer."""

from uuid import UUID

import numpy as np
import pytest

from recollect.resolution import MARGIN, Vector, resolve

ONE, TWO, THREE = (UUID(int=number) for number in (1, 2, 3))
TEXT = np.array([[1, 0]], np.float32)


def fits(*cosines: float) -> Vector:
    """Vectors that fit the text as well as said."""
    return np.array([[cosine, (1 - cosine**2) ** 0.5] for cosine in cosines], np.float32).reshape(-1, 2)


def test_nobody_of_that_name_is_unknown() -> None:
    assert resolve(TEXT, {}).status == "unknown"


def test_the_only_one_is_meant_even_if_nothing_is_known_of_it() -> None:
    assert resolve(TEXT, {ONE: fits()}).entity_id == ONE


@pytest.mark.parametrize(
    ("lead", "status", "meant"),
    [(MARGIN + 0.01, "resolved", TWO), (MARGIN - 0.01, "ambiguous", None), (0, "ambiguous", None)],
)
def test_the_best_must_lead_by_the_margin(lead: float, status: str, meant: UUID | None) -> None:
    found = resolve(TEXT, {ONE: fits(0.4), TWO: fits(0.4 + lead), THREE: fits(0.1)})
    assert (found.status, found.entity_id) == (status, meant)


def test_one_quirk_said_once_beats_many_memories_that_fit_less() -> None:
    assert resolve(TEXT, {ONE: fits(*[0.5] * 50), TWO: fits(0.1, 0.7)}).entity_id == TWO


def test_more_of_the_same_changes_nothing() -> None:
    few, many = (resolve(TEXT, {ONE: fits(*[0.5] * count), TWO: fits(0.52)}) for count in (1, 500))
    assert few.status == many.status == "ambiguous"


def test_one_of_whom_nothing_is_known_comes_last() -> None:
    found = resolve(TEXT, {ONE: fits(), TWO: fits(-0.5)})
    assert [key for key, _ in found.scores] == [TWO, ONE]


def test_each_text_that_tells_counts_alike() -> None:
    """The message fits neither better; what it calls for speaks of the second."""
    texts = np.array([[1, 0], [0, 1]], np.float32)
    first, second = np.array([[0.3, 0.0]], np.float32), np.array([[0.3, 0.0], [0.0, 0.4]], np.float32)
    assert resolve(texts[:1], {ONE: first, TWO: second}).status == "ambiguous"
    assert resolve(texts, {ONE: first, TWO: second}).entity_id == TWO
