"""What every `Embedder` guarantees."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from mosshead.embeddings import CachedEmbedder, Embedder, MiniLM, MultilingualE5
from mosshead.embeddings.openai import OpenAIEmbedder
from tests.fake_openai import FakeOpenAI
from tests.packed_model import write_packed_model

TEXTS = ("User moved to Seattle", "", "naïve café, 東京, привет 🙂", "half a smile \ud83d", "long " * 3_000, "coffee")
SMALL = 2
"""How many texts the cache holds: fewer than there are."""


@pytest.fixture(scope="module")
def endpoint() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as fake:
        yield fake


@pytest.fixture(scope="module", params=["minilm", "e5", "openai", "cached openai"])
def embedder(
    request: pytest.FixtureRequest, endpoint: FakeOpenAI, tmp_path_factory: pytest.TempPathFactory
) -> Embedder:
    openai = OpenAIEmbedder("fake", api_key="k", base_url=endpoint.base_url, timeout=60)
    match request.param:
        case "minilm":
            return MiniLM()
        case "e5":
            path = tmp_path_factory.mktemp("e5") / "small.bin"
            return MultilingualE5(path.parent, files=write_packed_model(path)[0])
    return CachedEmbedder(openai, size=SMALL) if request.param == "cached openai" else openai


def test_vectors_have_unit_length_for_any_texts(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)

    assert vectors.shape == (len(TEXTS), embedder.dimensions)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimensions)


def test_vector_does_not_depend_on_other_texts_or_repetition(embedder: Embedder) -> None:
    together = embedder.embed([*TEXTS, TEXTS[0]])

    assert np.abs(together[-1] - together[0]).max() < 1e-5
    for text, row in zip(reversed(TEXTS), together[-2::-1], strict=True):
        assert np.abs(embedder.embed([text])[0] - row).max() < 1e-5


def test_caller_may_modify_the_returned_vectors(embedder: Embedder) -> None:
    before = embedder.embed(["coffee"]).copy()
    embedder.embed(["coffee"])[:] = 0

    assert np.abs(embedder.embed(["coffee"]) - before).max() < 1e-5


def test_embedder_is_thread_safe(embedder: Embedder) -> None:
    short = ("a", "bb", "ccc", "dddd", "eeeee")
    expected = embedder.embed(short)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda n: embedder.embed(short[n % 5 :] + short[: n % 5]), range(20)))

    assert all(np.abs(np.roll(expected, -(n % 5), axis=0) - one).max() < 1e-5 for n, one in enumerate(answers))


def test_token_count_grows_with_the_text(embedder: Embedder) -> None:
    counts = [embedder.count_tokens(text) for text in ("", "coffee", "coffee and tea, and more of both")]

    assert counts[0] == 0
    assert counts == sorted(set(counts))
