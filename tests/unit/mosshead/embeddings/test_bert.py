"""The packed, features-first forward pass compared with the textbook's, on a small random network."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from mosshead.embeddings.local.bert import Array, Bert

FEATURES, WIDE, HEADS, WORDS, LAYERS, POSITIONS = 12, 20, 3, 30, 2, 9
Tensors = dict[str, Array]
PARTS = {
    "attend": [f"attention.self.{part}" for part in ("query", "key", "value")],
    "gather": ["attention.output.dense"],
    "widen": ["intermediate.dense"],
    "narrow": ["output.dense"],
}
"""The maps of a layer, and the tensors each is made of."""


@pytest.fixture(scope="module")
def tensors() -> Tensors:
    draw = np.random.default_rng(7)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (WORDS, FEATURES),
        "embeddings.position_embeddings.weight": (POSITIONS, FEATURES),
        "embeddings.token_type_embeddings.weight": (2, FEATURES),
        "embeddings.LayerNorm.weight": (FEATURES,),
        "embeddings.LayerNorm.bias": (FEATURES,),
    }
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        linear = {f"{layer}.attention.self.{part}": (FEATURES, FEATURES) for part in ("query", "key", "value")}
        linear[f"{layer}.attention.output.dense"] = (FEATURES, FEATURES)
        linear[f"{layer}.intermediate.dense"] = (WIDE, FEATURES)
        linear[f"{layer}.output.dense"] = (FEATURES, WIDE)
        for name, shape in linear.items():
            shapes |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
        for name in ("attention.output", "output"):
            shapes |= {f"{layer}.{name}.LayerNorm.{part}": (FEATURES,) for part in ("weight", "bias")}
    return {name: draw.standard_normal(shape, dtype=np.float32) for name, shape in shapes.items()}


def textbook(tensors: Tensors, text: Sequence[int]) -> Array:
    """Embed one text as in the textbook: tokens first, head by head, in float64."""
    t = {name: tensor.astype(np.float64) for name, tensor in tensors.items()}

    def linear(x: np.ndarray, name: str) -> np.ndarray:
        return np.asarray(x @ t[f"{name}.weight"].T + t[f"{name}.bias"])

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        spread = x.std(axis=1, keepdims=True)
        centred = (x - x.mean(axis=1, keepdims=True)) / np.sqrt(spread**2 + 1e-12)
        return np.asarray(centred * t[f"{name}.LayerNorm.weight"] + t[f"{name}.LayerNorm.bias"])

    def attend(x: np.ndarray, name: str) -> np.ndarray:
        query, key, value = (np.split(linear(x, f"{name}.{p}"), HEADS, axis=1) for p in ("query", "key", "value"))
        heads = []
        for q, k, v in zip(query, key, value, strict=True):
            weights = np.exp(q @ k.T / math.sqrt(FEATURES / HEADS))
            heads.append(weights / weights.sum(axis=1, keepdims=True) @ v)
        return np.concatenate(heads, axis=1)

    x = t["embeddings.word_embeddings.weight"][list(text)] + t["embeddings.token_type_embeddings.weight"][0]
    x = norm(x + t["embeddings.position_embeddings.weight"][: len(text)], "embeddings")
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        mixed = linear(attend(x, f"{layer}.attention.self"), f"{layer}.attention.output.dense")
        x = norm(x + mixed, f"{layer}.attention.output")
        wide = linear(x, f"{layer}.intermediate.dense")
        wide *= (1 + np.vectorize(math.erf)(wide / math.sqrt(2))) / 2
        x = norm(x + linear(wide, f"{layer}.output.dense"), f"{layer}.output")
    return np.asarray(x.mean(axis=0), dtype=np.float32)


def test_packed_texts_of_several_lengths_equal_those_of_the_textbook(tensors: Tensors) -> None:
    texts = [[5], [4, 9], [9, 4], [1, 2, 3], [29, 0, 29, 8, 7, 6, 5, 4, 3]]

    encoded = Bert.of(tensors, heads=HEADS, longest=POSITIONS).encode(texts)

    assert encoded.shape == (5, FEATURES)
    assert np.allclose(encoded, [textbook(tensors, text) for text in texts], atol=2e-5)


def test_word_order_counts(tensors: Tensors) -> None:
    forward, backward = Bert.of(tensors, heads=HEADS, longest=POSITIONS).encode([[4, 9], [9, 4]])

    assert np.abs(forward - backward).max() > 0.01


def test_weights_are_not_modified(tensors: Tensors) -> None:
    before = {name: tensor.copy() for name, tensor in tensors.items()}

    Bert.of(tensors, heads=HEADS, longest=POSITIONS).encode([[1, 2, 3]])

    assert all((before[name] == tensor).all() for name, tensor in tensors.items())


def test_adapted_model_equals_one_with_the_changes_in_its_weights(tensors: Tensors) -> None:
    draw = np.random.default_rng(8)
    shapes = {"attend": (3 * FEATURES, FEATURES), "gather": (FEATURES, FEATURES)}
    shapes |= {"widen": (WIDE, FEATURES), "narrow": (FEATURES, WIDE)}
    changes: Tensors = {}
    merged = dict(tensors)
    for number in range(LAYERS):
        for name, (out, into) in shapes.items():
            down, up = draw.standard_normal((2, into), np.float32), draw.standard_normal((out, 2), np.float32)
            changes |= {f"{number}.{name}.down": down, f"{number}.{name}.up": up}
            for part, change in zip(PARTS[name], np.split(up @ down, len(PARTS[name])), strict=True):
                scaled = change * np.float32((FEATURES // HEADS) ** 0.5 if part.endswith("query") else 1)
                merged[f"encoder.layer.{number}.{part}.weight"] = (
                    tensors[f"encoder.layer.{number}.{part}.weight"] + scaled
                )
    original = Bert.of(tensors, heads=HEADS, longest=POSITIONS)
    before = original.encode([[5, 4, 9]])

    adapted = original.adapted(changes).encode([[5, 4, 9]])

    assert np.allclose(adapted, Bert.of(merged, heads=HEADS, longest=POSITIONS).encode([[5, 4, 9]]), atol=2e-4)
    assert np.abs(adapted - before).max() > 0.01
    assert (original.encode([[5, 4, 9]]) == before).all()
