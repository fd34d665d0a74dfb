"""Fits the weights of the guard's classifier: logistic regression with an L2 penalty, by Adam over all texts at once."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.safety.classifier import BUCKETS, features, tokens_of
from pipeline.safety.readings import readings

_LOSS_WEIGHT = 10.0
"""Of the loss of a text beside half the squared length of the weights; 5 to 20 came out alike on held-out writers."""

_STEPS, _RATE = 250, 0.1
_OF_GRADIENT, _OF_SQUARE, _TINY = 0.9, 0.999, 1e-8
"""Adam's own: Kingma and Ba, Adam: A Method for Stochastic Optimization, 2015."""

_BIAS = -0.6
"""Added to the bias, as a fact that is held for nothing is a memory lost: below one in 100 messages of ordinary chat."""


def train(texts: Sequence[tuple[str, bool]]) -> NDArray[np.float16]:
    """Fit the weights to texts and whether each is to be held; shape (BUCKETS + 1,), the last one the bias.

    The result is the same each time: nothing is drawn at random.
    """
    rows, buckets, values = _as_arrays([next(readings(text), "") for text, _ in texts])
    wanted = np.array([held for _, held in texts], float)
    weights = np.zeros(BUCKETS + 1)
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, _STEPS + 1):
        odds = np.bincount(rows, weights=weights[buckets] * values, minlength=len(texts)) + weights[-1]
        wrong = _LOSS_WEIGHT * (1 / (1 + np.exp(-odds)) - wanted)
        gradient = np.append(weights[:-1], 0.0)
        gradient[:-1] += np.bincount(buckets, weights=values * wrong[rows], minlength=BUCKETS)
        gradient[-1] = wrong.sum()
        mean += (1 - _OF_GRADIENT) * (gradient - mean)
        square += (1 - _OF_SQUARE) * (gradient**2 - square)
        step_size = _RATE * (1 - step / _STEPS)
        weights -= step_size * (mean / (1 - _OF_GRADIENT**step)) / (np.sqrt(square / (1 - _OF_SQUARE**step)) + _TINY)
    weights[-1] += _BIAS
    return weights.astype(np.float16)


def _as_arrays(texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The features of the texts as three arrays of equal length: the text's place, the bucket, the value."""
    found = [(place, bucket, value) for place, text in enumerate(texts) for bucket, value in features(tokens_of(text))]
    rows, buckets, values = zip(*found, strict=True)
    return np.array(rows), np.array(buckets), np.array(values)
