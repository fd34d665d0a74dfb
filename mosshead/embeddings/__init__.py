"""Embedders turn texts into unit vectors, with a local model or any OpenAI-compatible endpoint."""

from typing import Final, NamedTuple, Self

from mosshead.embeddings.cache import CachedEmbedder
from mosshead.embeddings.local import LOCAL_EMBEDDERS
from mosshead.embeddings.local.e5 import MultilingualE5
from mosshead.embeddings.local.files import LOCAL_MODELS
from mosshead.embeddings.local.minilm import MiniLM
from mosshead.embeddings.local.process import EmbedderProcess
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


class Endpoint(NamedTuple):
    """The embedding endpoint and its key; None means OPENAI_BASE_URL or OPENAI_API_KEY from the environment."""

    base_url: str | None
    api_key: str | None

    @classmethod
    def chosen(
        cls, *, url: str | None, api_key: str | None, openai_api_key: str | None, openai_url: str | None
    ) -> Self:
        """Return a dedicated endpoint if one is set, else that of the LLM, whose key is sent nowhere else."""
        return cls(url, api_key or NO_KEY_NEEDED) if url else cls(openai_url, api_key or openai_api_key)


def spec_of(name: str) -> str:
    """Return a model's value for MOSSHEAD_EMBEDDER."""
    return next((one.spec for one in LOCAL_MODELS.values() if one.name == name), f"openai:{name}")


def open_embedder(
    spec: str, *, api_key: str | None = None, base_url: str | None = None, own_process: bool = False
) -> CachedEmbedder:
    """Open the embedder named by MOSSHEAD_EMBEDDER, with a cache of recent vectors. Nothing is loaded or requested yet.

    Args:
        spec: "minilm", "e5", "openai:MODEL" or "openai:MODEL@DIMENSIONS".
        api_key: For the endpoint; by default OPENAI_API_KEY from the environment.
        base_url: Of the endpoint; by default OPENAI_BASE_URL from the environment.
        own_process: Whether a local model gets a process of its own.

    Raises:
        ConfigurationError: The spec is invalid.
        ModelMissing: The local model is not installed.
    """
    if spec in LOCAL_EMBEDDERS:
        local = LOCAL_EMBEDDERS[spec]()
        return CachedEmbedder(EmbedderProcess(spec, local) if own_process else local)
    endpoint = _ENDPOINT.fullmatch(spec)
    if endpoint is None:
        raise ConfigurationError(
            f"MOSSHEAD_EMBEDDER: {spec!r} is none of minilm, e5, openai:MODEL and openai:MODEL@DIMENSIONS "
            "(such as openai:text-embedding-3-small@512)"
        )
    dimensions = int(endpoint["dimensions"]) if endpoint["dimensions"] else None
    return CachedEmbedder(OpenAIEmbedder(endpoint["model"], dimensions, api_key=api_key, base_url=base_url))
