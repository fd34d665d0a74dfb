"""No secret in what an app asks reaches an embedder."""

from collections.abc import Sequence

import pytest
from sqlalchemy import Engine

from mosshead import Namespace
from mosshead.api.session import Session
from mosshead.embeddings import MiniLM, Vectors
from mosshead.paths import NamespacePath
from tests.given import Remembering

ASKED = "Does Peter know that my pin is 4821?"


class Listening(MiniLM):
    """MiniLM with a record of all texts that it embedded."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Record the texts and embed them with MiniLM."""
        self.heard += texts
        return super().embed(texts)


@pytest.fixture
def listening() -> Listening:
    return Listening()


@pytest.fixture
def sarah(reader_engine: Engine, fresh_namespace: NamespacePath, listening: Listening) -> Namespace:
    return Namespace(Session(fresh_namespace, reader_engine, listening))


def test_query_is_embedded_without_its_secret(sarah: Namespace, listening: Listening) -> None:
    sarah.query(ASKED)
    assert listening.heard == ["Does Peter know that my pin is [redacted: PIN]?"]


def test_message_and_history_are_embedded_without_their_secrets(
    sarah: Namespace, listening: Listening, remembering: Remembering
) -> None:
    remembering.entity("Peter", description="a baker")
    remembering.entity("Peter", description="a writer")
    sarah.context(ASKED, history=[{"role": "user", "content": "The alarm code is 7733"}])

    heard = " ".join(listening.heard)
    assert "alarm code" in heard
    assert "4821" not in heard
    assert "7733" not in heard
