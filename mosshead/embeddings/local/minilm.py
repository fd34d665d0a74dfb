"""all-MiniLM-L6-v2 on the local processor: 384 dimensions, no key, no network.

Source of the pooling (mean of the tokens, then unit length, at most 256 tokens): the model's card and configuration.
"""

import os
from collections.abc import Callable, Container, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mosshead.embeddings.local.batches import EmbeddingBatches
from mosshead.embeddings.local.files import MODEL, TOKENIZER, WEIGHTS, check_model, find_model
from mosshead.embeddings.protocol import Vectors
from mosshead.fork_safety import Forkable, ForkSafeLock, watch
from mosshead.patterns import lazy_pattern, remembered
from mosshead.portions import portions
from mosshead.text import encodable, estimated_tokens

if TYPE_CHECKING:  # the model's runtime is loaded with the model
    from threadpoolctl import ThreadpoolController
    from tokenizers import Tokenizer

    from mosshead.embeddings.local.bert import Array, Bert

DIMENSIONS: Final = 384
MOST_TOKENS: Final = 256
"""Including the two framing tokens. Text beyond that does not affect the vector."""

_HEADS: Final = 12
_FRAME: Final = 2
MOST_CHARACTERS: Final = 16_384
"""Only this much of a longer text is tokenized: 256 tokens of ordinary text are about 1,200 characters."""

_CHUNK_TOKENS: Final = 2_048
"""Tokens computed at once. Larger chunks are not faster, and each token needs about 20 kB meanwhile."""

_LONGEST_WORD: Final = 100
"""A longer word is one unknown token."""

_UNKNOWN: Final = "[UNK]"
_WORD: Final = lazy_pattern(r"[a-z0-9]+|[^\sa-z0-9]")
"""For lowercase ASCII: what BERT's tokenizer looks up as a unit."""

_LOADING = ForkSafeLock()


@dataclass(frozen=True, slots=True)
class _Model:
    tokenizer: "Tokenizer"
    bert: "Bert"
    start: int
    end: int
    pieces: Callable[[str], int]
    """Counts the tokens of text between spaces, in lowercase ASCII; cached, since words recur."""

    @classmethod
    @lru_cache(1)
    def load(cls, folder: Path) -> "_Model":
        """Load a folder's model, once for all embedders of the process. Only one thread at a time may call it."""
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        from mosshead.embeddings.local.bert import Bert

        check_model(folder)
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        bert = Bert.of(load_file(folder / WEIGHTS), heads=_HEADS, longest=MOST_TOKENS)
        start, end = tokenizer.encode("").ids
        vocabulary = frozenset(tokenizer.get_vocab(with_added_tokens=False))
        return cls(tokenizer, bert, start, end, remembered(partial(_of_word, vocabulary)))

    def tokens(self, text: str) -> list[int]:
        # One text per call: the tokenizer's own batches start threads that a fork would lose, and warn about it.
        numbers: list[int] = self.tokenizer.encode(encodable(text), add_special_tokens=False).ids
        return numbers

    def count(self, line: str) -> int:
        """Count tokens faster than `tokens`. Text that the model does not know, such as Thai, counts by its length."""
        if not line.isascii() or not line.isprintable() or "[" in line:  # "[SEP]" is one token
            text = encodable(line)
            found = self.tokenizer.encode(text, add_special_tokens=False)
            spans = (span for token, span in zip(found.tokens, found.offsets, strict=True) if token == _UNKNOWN)
            return len(found) + sum(estimated_tokens(text[start:end]) - 1 for start, end in spans)
        return sum(map(self.pieces, line.lower().split()))

    def framed(self, text: str) -> list[int]:
        return [self.start, *self.tokens(text[:MOST_CHARACTERS])[: MOST_TOKENS - _FRAME], self.end]


def _of_word(vocabulary: Container[str], word: str) -> int:
    return sum(_pieces(vocabulary, part) for part in _WORD.findall(word))


def _pieces(vocabulary: Container[str], word: str) -> int:
    """Count pieces as WordPiece does: the longest known prefix, then the longest of the rest."""
    if word in vocabulary:
        return 1
    count, start = 0, 0
    while start < len(word):
        ends = range(len(word), start, -1)
        begun = "##" if start else ""
        start = next((end for end in ends if begun + word[start:end] in vocabulary), 0)
        if not start or len(word) > _LONGEST_WORD:
            return estimated_tokens(word)
        count += 1
    return count


class MiniLM:
    """The local embedder.

    Opening it only checks that the files exist; the weights (90 MB, 0.1 s) are loaded on first use, once per process. Opening
    raises ModelMissing if they are missing. The first use raises ConfigurationError if they are not the model's.
    """

    name = MODEL
    dimensions = DIMENSIONS

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or find_model()
        self._model: _Model | None = None
        self._batches = EmbeddingBatches(self._embed)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return vectors, shape (texts, 384); of longer texts, the first 256 tokens count. Threads share batches."""
        return self._batches.embed(texts)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        model = self._loaded()
        return unit_means(model.bert, [model.framed(text) for text in texts])

    def count_tokens(self, text: str) -> int:
        """Count all tokens exactly, without the two framing ones; unknown words count a token per four bytes."""
        return sum(map(self._loaded().count, filter(None, text.split("\n"))))

    def _loaded(self) -> _Model:
        if self._model is None:
            with _LOADING:
                self._model = _Model.load(self._folder)
        return self._model


def adapted_mean(adapter: Path, text: str) -> "Array":
    """Return the mean of a text's tokens in the model with low-rank changes, shape (384,). It shares the embedder's weights.

    adapter: a file with the changes as `Bert.adapted` takes them. Raises ModelMissing if the model is not installed.
    """
    model, bert = load_adapted(adapter)
    with on_one_thread():
        means = bert.encode([model.framed(text)])
    mean: Array = means[0]
    return mean


@lru_cache(1)
def load_adapted(adapter: Path) -> tuple[_Model, "Bert"]:
    """Load what `adapted_mean` needs, which it otherwise does with the first text."""
    import numpy as np

    with _LOADING:
        model = _Model.load(find_model())
    with np.load(adapter) as stored:
        changes = {name: stored[name].astype(np.float32) for name in stored.files}
    return model, model.bert.adapted(changes)


def unit_means(bert: "Bert", framed: Sequence[Sequence[int]]) -> Vectors:
    """Return the mean of each text's tokens at unit length. framed: their token ids, at least one per text."""
    import numpy as np

    vectors = np.empty((len(framed), len(bert.positions)), dtype=np.float32)
    with on_one_thread():
        # Sorted by length: attention computes texts of equal length as one block.
        places = sorted(range(len(framed)), key=lambda place: len(framed[place]))
        for chunk in portions(places, lambda place: len(framed[place]), most=_CHUNK_TOKENS):
            vectors[chunk] = bert.encode([framed[place] for place in chunk])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


CHOSEN: Final = "OPENBLAS_NUM_THREADS"
"""Setting this in the environment chooses the number of threads; it is then left alone."""


def on_one_thread() -> AbstractContextManager[None]:
    """Limit the process's BLAS to one thread within the block, and restore the previous number after the last such block.

    OpenBLAS, which numpy includes, spreads each product over all cores, and its threads spin while waiting. If cores are busy, or
    a container may use fewer than it sees, a short text then takes ten times as long as on one thread; otherwise threads save a
    third. numpy must be imported before. The limit applies to the whole process, including the app's own products.
    """
    return nullcontext() if CHOSEN in os.environ else _LIMIT


class _Limit(Forkable, AbstractContextManager[None]):
    """A limit shared by overlapping blocks; otherwise the second would take the first's one thread for the previous number."""

    def __init__(self) -> None:
        self._lock = ForkSafeLock()
        self._inside = 0
        self._before: list[int] = []
        watch(self)

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._before = [one.num_threads for one in _blas().lib_controllers]
                self._set([1] * len(self._before))
            self._inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._set(self._before)

    def after_fork_in_child(self) -> None:
        """Restore the threads: those inside do not exist in the child."""
        if self._inside:
            self._inside = 0
            self._set(self._before)

    def _set(self, threads: list[int]) -> None:
        for library, number in zip(_blas().lib_controllers, threads, strict=True):
            library.set_num_threads(number)


_LIMIT: Final = _Limit()


@lru_cache(1)
def _blas() -> "ThreadpoolController":
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")
