"""Embedders: texts in, unit vectors out, by the local model or by any OpenAI-compatible endpoint."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, Self

from mosshead.embeddings.cache import CachedEmbedder
from mosshead.embeddings.local.e5 import MultilingualE5
from mosshead.embeddings.local.files import LOCAL_MODELS
from mosshead.embeddings.local.minilm import MiniLM
from mosshead.embeddings.openai import OpenAIEmbedder
from mosshead.embeddings.protocol import Embedder, Vectors
from mosshead.errors import ConfigurationError
from mosshead.llm.open import NO_KEY_NEEDED
from mosshead.patterns import lazy_pattern

__all__ = [
    "CachedEmbedder",
    "Embedder",
    "Endpoint",
    "MiniLM",
    "MultilingualE5",
    "OpenAIEmbedder",
    "Vectors",
    "open_embedder",
    "spec_of",
]

_ENDPOINT: Final = lazy_pattern(r"openai:(?P<model>[^@\s]+)(?:@(?P<dimensions>[0-9]{1,6}))?")


_LOCAL: Final[Mapping[str, Callable[[], Embedder]]] = MappingProxyType({"minilm": MiniLM, "e5": MultilingualE5})


class Endpoint(NamedTuple):
    """Where to embed, and with which key; where one is None, OPENAI_BASE_URL or OPENAI_API_KEY of the environment says."""

    base_url: str | None
    api_key: str | None

    @classmethod
    def chosen(
        cls, *, url: str | None, api_key: str | None, openai_api_key: str | None, openai_url: str | None
    ) -> Self:
        """An endpoint of its own, where the settings name one, else that of the LLM, whose key is shown to nobody else."""
        return cls(url, api_key or NO_KEY_NEEDED) if url else cls(openai_url, api_key or openai_api_key)


def spec_of(name: str) -> str:
    """What MOSSHEAD_EMBEDDER says for a model."""
    return next((one.spec for one in LOCAL_MODELS.values() if one.name == name), f"openai:{name}")


def open_embedder(spec: str, *, api_key: str | None = None, base_url: str | None = None) -> CachedEmbedder:
    """Open the embedder that MOSSHEAD_EMBEDDER names, with a cache of its latest vectors in front of it.

    spec: "minilm", "e5", "openai:MODEL" or "openai:MODEL@DIMENSIONS". api_key, base_url: for the endpoint; where they are None,
    OPENAI_API_KEY and OPENAI_BASE_URL of the environment.
    Nothing is loaded or asked yet. Raises ConfigurationError for a wrong spec, ModelMissing where the local model is not
    installed.
    """
    if spec in _LOCAL:
        return CachedEmbedder(_LOCAL[spec]())
    endpoint = _ENDPOINT.fullmatch(spec)
    if endpoint is None:
        raise ConfigurationError(
            f"MOSSHEAD_EMBEDDER: {spec!r} is none of minilm, e5, openai:MODEL and openai:MODEL@DIMENSIONS "
            "(such as openai:text-embedding-3-small@512)"
        )
    dimensions = int(endpoint["dimensions"]) if endpoint["dimensions"] else None
    return CachedEmbedder(OpenAIEmbedder(endpoint["model"], dimensions, api_key=api_key, base_url=base_url))
