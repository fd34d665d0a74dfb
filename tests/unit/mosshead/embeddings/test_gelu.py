"""The activation compared with the standard library's erf."""

import math

import numpy as np

from mosshead.embeddings.local.bert import gelu


def test_gelu_is_within_a_millionth_of_the_exact_value_on_both_sides_of_a_block() -> None:
    values = np.linspace(-12, 12, 70_001, dtype=np.float32)
    exact = [x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in values.tolist()]

    assert np.abs(gelu(values.copy()) - exact).max() < 1e-6


def test_far_values_are_zero_or_themselves() -> None:
    far = np.array([[-1e4, -100.0], [100.0, 1e4]], dtype=np.float32)

    assert gelu(far.copy()).tolist() == [[0.0, 0.0], [100.0, 1e4]]


def test_gelu_works_in_place() -> None:
    values = np.ones((3, 5), dtype=np.float32)

    assert gelu(values) is values
    assert np.allclose(values, 0.8413447)
