"""Fits the weights of the guard's classifier: logistic regression with an L2 penalty, by Adam over all texts at once."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mosshead.safety.classifier import BIAS, WEIGHT, features, known_features, tokens_of
from mosshead.safety.readings import readings

_LOSS_WEIGHT = 10.0
"""Of the loss of a text beside half the squared length of the weights; 5 to 20 came out alike on held-out writers."""

_STEPS, _RATE = 250, 0.1
_OF_GRADIENT, _OF_SQUARE, _TINY = 0.9, 0.999, 1e-8
"""Adam's own: Kingma and Ba, Adam: A Method for Stochastic Optimization, 2015."""

_FEWEST = 5
"""Texts in which a feature must occur to be known. With 8, more honest texts were held; 2 more than doubled the file."""


def train(texts: Sequence[tuple[str, bool]]) -> NDArray[np.void]:
    """Fit the weights to texts and whether each is to be held; returns entries of the type `WEIGHT`, the bias first.

    The result is the same each time: nothing is drawn at random.
    """
    tokens = [tokens_of(next(readings(text), "")) for text, _ in texts]
    counts = Counter(feature for one in tokens for kind in features(one) for feature in kind)
    known = sorted(feature for feature, count in counts.items() if count >= _FEWEST)
    fitted = _fit(*_as_arrays(tokens, known), np.array([held for _, held in texts], float), len(known))
    return np.array([(BIAS, fitted[-1]), *zip(known, fitted[:-1], strict=True)], WEIGHT)


def _fit(
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    values: NDArray[np.float64],
    wanted: NDArray[np.float64],
    size: int,
) -> NDArray[np.float64]:
    """Return the weights of the columns, and the bias behind them."""
    weights = np.zeros(size + 1)
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, _STEPS + 1):
        odds = np.bincount(rows, weights=weights[columns] * values, minlength=len(wanted)) + weights[-1]
        wrong = _LOSS_WEIGHT * (1 / (1 + np.exp(-odds)) - wanted)
        gradient = np.append(weights[:-1], 0.0)
        gradient[:-1] += np.bincount(columns, weights=values * wrong[rows], minlength=size)
        gradient[-1] = wrong.sum()
        mean += (1 - _OF_GRADIENT) * (gradient - mean)
        square += (1 - _OF_SQUARE) * (gradient**2 - square)
        step_size = _RATE * (1 - step / _STEPS)
        weights -= step_size * (mean / (1 - _OF_GRADIENT**step)) / (np.sqrt(square / (1 - _OF_SQUARE**step)) + _TINY)
    return weights


def _as_arrays(
    texts: Sequence[Sequence[str]], known: Sequence[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The known features of the texts as three arrays of equal length: the text's place, the feature's place, the value."""
    places = {feature: place for place, feature in enumerate(known)}
    found = [
        (row, places[feature], value)
        for row, tokens in enumerate(texts)
        for feature, value in known_features(tokens, places)
    ]
    rows, columns, values = zip(*found, strict=True)
    return np.array(rows), np.array(columns), np.array(values)
