"""Any endpoint with OpenAI's embeddings API. Requires ``pip install "mosshead[openai]"``."""

import os
from collections.abc import Collection, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ValidationError

from mosshead.bad_requests import BAD_REQUESTS, OfAll, of_every_request
from mosshead.deadline import remaining
from mosshead.embeddings.protocol import Vectors
from mosshead.errors import ConfigurationError, EmbedderUnavailable, EmbeddingRefused, MossheadError
from mosshead.llm.open import check_openai_installed, key_and_url
from mosshead.portions import portions
from mosshead.text import encodable, estimated_tokens

if TYPE_CHECKING:
    from openai import OpenAI, OpenAIError

DEFAULT_TIMEOUT: Final = 30.0
FEWEST_DIMENSIONS: Final = 256
MOST_DIMENSIONS: Final = 3072
BATCH_TEXTS: Final = 128

_BATCH_BYTES: Final = 256_000
_MOST_BYTES: Final = 8_000
"""Only the head of a longer text is embedded: a token has at least one byte, so this always fits OpenAI's 8,191 tokens."""


class _Row(BaseModel, hide_input_in_errors=True, defer_build=True):
    index: int
    embedding: list[float]


class _Answer(BaseModel, hide_input_in_errors=True, defer_build=True):
    data: list[_Row]


class OpenAIEmbedder:
    """An embedder behind HTTP.

    Requests are not retried here: the queue's lane and the reading app retry in their own ways.

    Args:
        model: Its name at the endpoint.
        dimensions: Requested from the endpoint, for models that can shorten vectors; otherwise learnt from the first answer.
        timeout: Seconds for one request (`mosshead.llm.openai`).
    """

    def __init__(
        self,
        model: str,
        dimensions: int | None = None,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        """Open without a request. Raises ConfigurationError for a missing package or key, or dimensions out of range."""
        self._model = model
        self._asked = dimensions
        self._dimensions = None if dimensions is None else _in_range(dimensions)
        asked_by = f"MOSSHEAD_EMBEDDER=openai:{self.name}"
        check_openai_installed(asked_by)
        self._endpoint = key_and_url(api_key, base_url, asked_by=asked_by)
        self._timeout = timeout
        self._client: tuple[int, OpenAI] | None = None

    @property
    def name(self) -> str:
        """The model's name, with "@" and the dimensions if requested."""
        return f"{self._model}@{self._asked}" if self._asked else self._model

    @property
    def dimensions(self) -> int:
        """The dimensions in the first answer, requested if there is none yet; raises what ``embed`` raises."""
        if self._dimensions is None:
            self.embed(["dimensions"])
        assert self._dimensions is not None  # noqa: S101  # embed sets it or raises
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts, at most 128 per request; of texts beyond 8,000 bytes, only the head.

        Raises:
            ConfigurationError: A setting is wrong (model, dimensions).
            EmbedderUnavailable: A failure that may pass (no answer, a refused key, a rate limit), or an invalid answer.
        """
        import numpy as np  # see `Vectors`

        requests = portions(
            map(_sendable, texts), lambda text: len(text.encode()), most=_BATCH_BYTES, most_items=BATCH_TEXTS
        )
        vectors = [self._request(batch) for batch in requests]
        return np.concatenate(vectors) if vectors else np.empty((0, self.dimensions), dtype=np.float32)

    def count_tokens(self, text: str) -> int:
        """Estimate with `estimated_tokens`."""
        return estimated_tokens(text)

    def _request(self, texts: list[str]) -> Vectors:
        vectors = _unit_vectors(self._answer(texts), len(texts))
        dimensions = vectors.shape[1]
        if self._dimensions is not None and dimensions != self._dimensions:
            raise ConfigurationError(
                f"MOSSHEAD_EMBEDDER=openai:{self.name}: the endpoint returned {dimensions} dimensions, "
                f"not {self._dimensions}; specify the model's dimensions"
            )
        self._dimensions = _in_range(dimensions)
        return vectors

    def _answer(self, texts: list[str]) -> bytes:
        from openai import OpenAIError, omit  # an optional extra, and slow to import

        try:
            response = self._connection().embeddings.with_raw_response.create(
                model=self._model,
                input=texts,
                dimensions=self._asked or omit,
                encoding_format="float",
                timeout=self._patience(),
            )
        except OpenAIError as error:
            failure = self._explain(error, texts)
        else:
            return response.content
        # Raised outside the handler: the endpoint's message may repeat the texts, and would be logged as the context.
        raise failure

    def _patience(self) -> float:
        left = remaining()
        return self._timeout if left is None else min(self._timeout, max(left, 0.001))

    def _connection(self) -> "OpenAI":
        """Return this process's client: connections must not be shared with the parent of a fork."""
        from mosshead.llm.openai import client_for_whole_calls

        if self._client is None or self._client[0] != os.getpid():
            self._client = os.getpid(), client_for_whole_calls(*self._endpoint, self._timeout)
        return self._client[1]

    def _explain(self, error: "OpenAIError", texts: Collection[str]) -> MossheadError:
        from openai import APIStatusError, APITimeoutError

        if isinstance(error, APIStatusError):
            kind = of_every_request(error.status_code, error.response.text, texts)
            return self._explain_status(error.status_code, kind)
        if isinstance(error, APITimeoutError):
            return EmbedderUnavailable(f"the embedding endpoint did not answer within {self._timeout:g} s")
        return EmbedderUnavailable(
            f"the embedding endpoint cannot be reached ({type(error).__name__}); check OPENAI_BASE_URL and the network"
        )

    def _explain_status(self, status: int, kind: OfAll | None) -> MossheadError:
        if kind == "key":
            return EmbedderUnavailable(f"the embedding endpoint refused the key ({status}); check OPENAI_API_KEY")
        if kind == "model":
            return ConfigurationError(
                f"MOSSHEAD_EMBEDDER: the endpoint does not know the model {self._model!r} ({status}); "
                "check its name, and OPENAI_BASE_URL, which usually ends in /v1"
            )
        if kind == "account" or status == HTTPStatus.TOO_MANY_REQUESTS:
            return EmbedderUnavailable(
                f"the embedding endpoint limits the rate, or the account has no credit ({status})"
            )
        if status in BAD_REQUESTS:
            return EmbeddingRefused(
                f"MOSSHEAD_EMBEDDER: the endpoint refused the request ({status}); check the model's name "
                f"{self._model!r} and the dimensions ({self._asked or 'none requested'})"
            )
        return EmbedderUnavailable(f"the embedding endpoint failed ({status})")


def _in_range(dimensions: int) -> int:
    if not FEWEST_DIMENSIONS <= dimensions <= MOST_DIMENSIONS:
        raise ConfigurationError(
            f"MOSSHEAD_EMBEDDER: {dimensions} dimensions; choose from {FEWEST_DIMENSIONS} to {MOST_DIMENSIONS}, "
            f"such as openai:text-embedding-3-small@512"
        )
    return dimensions


def _sendable(text: str) -> str:
    """Shorten a text, and replace an empty one: OpenAI refuses empty texts, with the whole request."""
    head = encodable(text).encode()[:_MOST_BYTES].decode(errors="ignore")
    return head or " "


def _unit_vectors(body: bytes, count: int) -> Vectors:
    """Return the answer's vectors in the order of the texts. Raises EmbedderUnavailable unless they are ``count`` vectors."""
    rows = None
    with suppress(ValidationError):
        rows = _Answer.model_validate_json(body).data
    if rows is None:
        raise EmbedderUnavailable(
            "the embedding endpoint returned something other than embeddings; check OPENAI_BASE_URL"
        )
    if sorted(row.index for row in rows) != list(range(count)):
        raise EmbedderUnavailable(
            f"the embedding endpoint returned {len(rows)} vectors for {count} texts, or numbered them wrongly"
        )
    if len({len(row.embedding) for row in rows}) != 1:
        raise EmbedderUnavailable("the embedding endpoint returned vectors of different lengths")
    import numpy as np

    vectors = np.array([row.embedding for row in sorted(rows, key=lambda row: row.index)])
    with np.errstate(over="ignore"):
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not (np.isfinite(norms).all() and norms.all()):
        raise EmbedderUnavailable("the embedding endpoint returned a vector that is zero or not finite")
    unit: Vectors = (vectors / norms).astype(np.float32)
    return unit
