"""Models that embed on the local processor."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from mosshead.embeddings.local.e5 import MultilingualE5
from mosshead.embeddings.local.minilm import MiniLM
from mosshead.embeddings.protocol import Embedder

LOCAL_EMBEDDERS: Final[Mapping[str, Callable[[], Embedder]]] = MappingProxyType(
    {"minilm": MiniLM, "e5": MultilingualE5}
)
"""What opens each, by its value for MOSSHEAD_EMBEDDER."""
