"""A least-recently-used cache for an embedder, so that recent texts are not embedded twice."""

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence

from mosshead.bridge import apart
from mosshead.embeddings.protocol import Embedder, Vectors
from mosshead.fork_safety import ForkSafeLock

Key = tuple[str, bytes]

_LOCK = ForkSafeLock()
"""One lock for all caches: it is held for microseconds, never while embedding."""


class CachedEmbedder:
    """An embedder that remembers its latest ``size`` vectors, keyed by model and text.

    It keeps digests instead of texts, so long messages need no more space. Within one call, equal texts are sent once. Two
    threads asking for the same new text at once may both embed it.
    """

    def __init__(self, embedder: Embedder, size: int = 1000) -> None:
        self._embedder = embedder
        self._size = size
        self._vectors: OrderedDict[Key, Vectors] = OrderedDict()

    @property
    def name(self) -> str:
        """The name of the wrapped embedder."""
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        """The dimensions of the wrapped embedder."""
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed as the wrapped embedder does, and pass its errors on; failures are not cached."""
        import numpy as np  # see `Vectors`

        keys = [(self.name, hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()) for text in texts]
        found = self._recall(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            fresh = apart(lambda: self._embedder.embed(list(missing.values())))
            # Copies, so that a cached vector does not keep the whole answer in memory.
            found |= {key: row.copy() for key, row in zip(missing, fresh, strict=True)}
            self._remember({key: found[key] for key in missing})
        return np.stack([found[key] for key in keys]) if keys else np.empty((0, self.dimensions), dtype=np.float32)

    def count_tokens(self, text: str) -> int:
        """Count as the wrapped embedder does."""
        return self._embedder.count_tokens(text)

    def _recall(self, keys: Iterable[Key]) -> dict[Key, Vectors]:
        with _LOCK:
            found = {key: self._vectors[key] for key in keys if key in self._vectors}
            for key in found:
                self._vectors.move_to_end(key)
        return found

    def _remember(self, fresh: Mapping[Key, Vectors]) -> None:
        with _LOCK:
            self._vectors.update(fresh)
            while len(self._vectors) > self._size:
                self._vectors.popitem(last=False)
