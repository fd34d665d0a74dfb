"""The forward pass of BERT in numpy: token ids in, one mean vector per text out.

Layout: activations have shape (features, tokens), which OpenBLAS multiplies faster for short sentences. The tokens of all texts
are concatenated without padding; attention handles texts of equal length as one block, so no mask is needed.

Source of the architecture: Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers" (2019), section 3, with layer
normalisation after each residual sum, as in Vaswani et al., "Attention Is All You Need" (2017), section 3.1.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

_EPSILON = np.float32(1e-12)


@dataclass(frozen=True, slots=True)
class Norm:
    """Scale and shift of a layer normalisation, each of shape (features, 1)."""

    scale: Array
    shift: Array


@dataclass(frozen=True, slots=True)
class Linear:
    """weight of shape (out, in), bias of shape (out, 1)."""

    weight: Array
    bias: Array

    def __call__(self, activations: Array) -> Array:
        result: Array = self.weight @ activations
        result += self.bias
        return result


@dataclass(frozen=True, slots=True)
class AdaptedLinear(Linear):
    """A linear map with a low-rank change (Hu et al., "LoRA", 2021): down of shape (rank, in), up of shape (out, rank)."""

    down: Array
    up: Array

    def __call__(self, activations: Array) -> Array:
        result = Linear.__call__(self, activations)
        result += self.up @ (self.down @ activations)
        return result


@dataclass(frozen=True, slots=True)
class Layer:
    """One transformer layer; ``attend`` stacks query, key and value, the query already scaled."""

    attend: Linear
    gather: Linear
    attended: Norm
    widen: Linear
    narrow: Linear
    narrowed: Norm


class Rows(Protocol):
    """A matrix whose rows are looked up a few at a time."""

    def __getitem__(self, rows: NDArray[np.intp], /) -> Array:
        """Return the rows with these numbers."""


@dataclass(frozen=True, slots=True)
class Bert:
    """A BERT model. words: rows, shape (vocabulary, features). positions: (features, positions), plus the first segment."""

    heads: int
    words: "Rows"
    positions: Array
    embedded: Norm
    layers: tuple[Layer, ...]

    @classmethod
    def of(cls, tensors: Mapping[str, Array], heads: int, longest: int, *, words: "Rows | None" = None) -> "Bert":
        """Arrange tensors named as in PyTorch's BertModel.

        longest: the most tokens of a text. words: the word rows, if they are no tensor.
        """
        positions = tensors["embeddings.position_embeddings.weight"][:longest]
        segment = tensors["embeddings.token_type_embeddings.weight"][0]
        layers = {name.split(".")[2] for name in tensors if name.startswith("encoder.layer.")}
        return cls(
            heads=heads,
            words=tensors["embeddings.word_embeddings.weight"] if words is None else words,
            positions=np.ascontiguousarray((positions + segment).T),
            embedded=_norm(tensors, "embeddings"),
            layers=tuple(_layer(tensors, number, heads) for number in range(len(layers))),
        )

    def adapted(self, changes: Mapping[str, Array]) -> "Bert":
        """Return the model with low-rank changes; it shares the weights.

        changes: for each layer and map its two matrices, such as ``0.widen.down`` and ``0.widen.up``.
        """
        layers = tuple(_adapted(layer, number, changes) for number, layer in enumerate(self.layers))
        return replace(self, layers=layers)

    def encode(self, texts: Sequence[Sequence[int]]) -> Array:
        """Return the mean of each text's last activations, shape (texts, features).

        texts: token ids, at least one per text, sorted by length: texts of equal length are computed as one block.
        """
        lengths = [len(text) for text in texts]
        blocks = tuple(_blocks(lengths))
        activations = self._embed(texts)
        for layer in self.layers:
            activations = self._through(layer, activations, blocks)
        return np.concatenate([_mean(activations, block) for block in blocks])

    def _embed(self, texts: Sequence[Sequence[int]]) -> Array:
        tokens = np.concatenate([np.asarray(text, dtype=np.intp) for text in texts])
        places = np.concatenate([np.arange(len(text)) for text in texts])
        activations = np.ascontiguousarray(self.words[tokens].T)
        activations += self.positions[:, places]
        return _normalise(activations, self.embedded)

    def _through(self, layer: Layer, activations: Array, blocks: Sequence["_Block"]) -> Array:
        gathered = layer.gather(_attention(layer.attend(activations), blocks, self.heads))
        gathered += activations
        attended = _normalise(gathered, layer.attended)
        narrowed = layer.narrow(gelu(layer.widen(attended)))
        narrowed += attended
        return _normalise(narrowed, layer.narrowed)


class _Block(NamedTuple):
    """Adjacent texts of ``length`` tokens each."""

    columns: slice
    texts: int
    length: int


def _blocks(lengths: Sequence[int]) -> Iterator[_Block]:
    start = 0
    for length, group in groupby(lengths):
        count = len(list(group))
        columns = slice(start, start + count * length)
        yield _Block(columns, count, length)
        start = columns.stop


def _attention(stacked: Array, blocks: Sequence[_Block], heads: int) -> Array:
    """Compute multi-head attention within each text. stacked: query, key, value, shape (3 · features, tokens)."""
    features = len(stacked) // 3
    result = np.empty((features, stacked.shape[1]), dtype=np.float32)
    for block in blocks:
        shape = (3, heads, features // heads, block.texts, block.length)
        query, key, value = stacked[:, block.columns].reshape(shape).transpose(0, 3, 1, 2, 4)
        mixed = value @ _softmax(key.swapaxes(-1, -2) @ query)
        result[:, block.columns] = mixed.transpose(1, 2, 0, 3).reshape(features, -1)
    return result


def _softmax(scores: Array) -> Array:
    """Apply softmax over the keys, in place. scores: shape (texts, heads, keys, queries), to reduce along whole rows."""
    scores -= scores.max(axis=-2, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-2, keepdims=True)
    return scores


def _normalise(activations: Array, norm: Norm) -> Array:
    """Normalise layers over the features, in place (Ba et al., "Layer Normalization", 2016)."""
    share = np.float32(1 / len(activations))
    averaging = np.full(len(activations), share)
    activations -= averaging @ activations
    variance = np.einsum("ft,ft->t", activations, activations)
    variance *= share
    variance += _EPSILON
    activations /= np.sqrt(variance)
    activations *= norm.scale
    activations += norm.shift
    return activations


def _mean(activations: Array, block: _Block) -> Array:
    texts = activations[:, block.columns].reshape(len(activations), block.texts, block.length)
    mean: Array = texts.mean(axis=2).T
    return mean


def _layer(tensors: Mapping[str, Array], number: int, heads: int) -> Layer:
    prefix = f"encoder.layer.{number}"
    return Layer(
        attend=_stacked(tensors, f"{prefix}.attention.self", heads),
        gather=_linear(tensors, f"{prefix}.attention.output.dense"),
        attended=_norm(tensors, f"{prefix}.attention.output"),
        widen=_linear(tensors, f"{prefix}.intermediate.dense"),
        narrow=_linear(tensors, f"{prefix}.output.dense"),
        narrowed=_norm(tensors, f"{prefix}.output"),
    )


def _stacked(tensors: Mapping[str, Array], prefix: str, heads: int) -> Linear:
    """Stack query, key and value into one product; the query includes the division by √(features per head)."""
    query, key, value = (_linear(tensors, f"{prefix}.{part}") for part in ("query", "key", "value"))
    scale = np.float32((len(query.weight) // heads) ** -0.5)
    return Linear(
        np.concatenate([query.weight * scale, key.weight, value.weight]),
        np.concatenate([query.bias * scale, key.bias, value.bias]),
    )


def _linear(tensors: Mapping[str, Array], prefix: str) -> Linear:
    return Linear(tensors[f"{prefix}.weight"], tensors[f"{prefix}.bias"][:, None])


def _adapted(layer: Layer, number: int, changes: Mapping[str, Array]) -> Layer:
    def changed(linear: Linear, name: str) -> Linear:
        down, up = (changes[f"{number}.{name}.{side}"] for side in ("down", "up"))
        return AdaptedLinear(linear.weight, linear.bias, down, up)

    return replace(
        layer,
        attend=changed(layer.attend, "attend"),
        gather=changed(layer.gather, "gather"),
        widen=changed(layer.widen, "widen"),
        narrow=changed(layer.narrow, "narrow"),
    )


def _norm(tensors: Mapping[str, Array], prefix: str) -> Norm:
    return Norm(tensors[f"{prefix}.LayerNorm.weight"][:, None], tensors[f"{prefix}.LayerNorm.bias"][:, None])


_BLOCK: Final = 32_768
"""Elements processed at a time: with two buffers they fit into the processor's cache, which doubles the speed."""

_SLOPE: Final = np.float32(0.3275911 / 2**0.5)
_HALVED: Final = tuple(np.float32(a / 2) for a in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592))


def gelu(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Apply GELU to each element, in place; returns ``values``, which must be contiguous."""
    flat = values.reshape(-1)
    for start in range(0, flat.size, _BLOCK):
        _apply(flat[start : start + _BLOCK])
    return values


def _apply(block: NDArray[np.float32]) -> None:
    size = np.abs(block)
    t = size * _SLOPE
    t += np.float32(1)
    np.reciprocal(t, out=t)
    tail = t * _HALVED[0]
    for coefficient in _HALVED[1:]:
        tail += coefficient
        tail *= t
    tail *= size
    np.square(size, out=size)
    size *= np.float32(-0.5)
    np.exp(size, out=size)
    tail *= size
    np.maximum(block, 0, out=block)
    block -= tail
