"""The endpoint's embedder over real HTTP, with a server that can misbehave on request."""

import json
import math
import re
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from sqlalchemy import create_engine

from mosshead.deadline import bounded, ends_within
from mosshead.embeddings.openai import OpenAIEmbedder
from mosshead.errors import ConfigurationError, EmbedderUnavailable, EmbeddingRefused, MossheadError, ReadTimeout
from mosshead.llm import open as open_module
from tests.fake_openai import EMBEDDINGS, FakeOpenAI, Fault

CANARY = "canary-text-of-a-conversation"
Body = dict[str, Any]


def vector(text: str, dimensions: int) -> list[float]:
    return [float(len(text)), 1.0, *[0.0] * (dimensions - 2)]


def well(request: Body) -> tuple[int, Any]:
    """Return the correct answer with its rows reversed: their index gives the order."""
    size = request.get("dimensions", 256)
    rows = [{"object": "embedding", "index": i, "embedding": vector(t, size)} for i, t in enumerate(request["input"])]
    return 200, {"object": "list", "data": rows[::-1], "model": request["model"], "usage": {}}


class Endpoint(ThreadingHTTPServer):
    """Speaks /v1/embeddings; ``behave`` answers a request with a status and JSON or bytes."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behave: Callable[[Body], tuple[int, Any]] = well
        self.requests: list[Body] = []
        self.keys: list[str | None] = []
        self.released = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        assert self.path == "/v1/embeddings"
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(request)
        self.server.keys.append(self.headers["Authorization"])
        status, answer = self.server.behave(request)
        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it so
        pass


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with Endpoint() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.released.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def embedder(endpoint: Endpoint) -> OpenAIEmbedder:
    return OpenAIEmbedder("small", api_key="sk-right", base_url=endpoint.url, timeout=60)


def failure(embedder: OpenAIEmbedder) -> MossheadError:
    """Return the error that embedding raises, after checking that neither it nor its cause contains the text."""
    with pytest.raises(MossheadError) as caught:
        embedder.embed([CANARY])
    error: BaseException | None = caught.value
    while error is not None:
        assert CANARY not in str(error)
        error = error.__cause__ or error.__context__
    return caught.value


def test_vectors_come_in_the_order_of_the_texts_and_of_unit_length(embedder: OpenAIEmbedder) -> None:
    vectors = embedder.embed(["a", "bbb"])

    assert vectors.shape == (2, 256)
    assert vectors.dtype == np.float32
    assert np.allclose(vectors[:, 0], [1 / math.sqrt(2), 3 / math.sqrt(10)])


def test_request_contains_what_is_needed_and_no_more(embedder: OpenAIEmbedder, endpoint: Endpoint) -> None:
    embedder.embed(["a"])

    assert endpoint.requests == [{"model": "small", "input": ["a"], "encoding_format": "float"}]
    assert endpoint.keys == ["Bearer sk-right"]


def test_requested_dimensions_are_sent_and_part_of_the_name(endpoint: Endpoint) -> None:
    embedder = OpenAIEmbedder("small", 512, api_key="k", base_url=endpoint.url)

    assert embedder.embed(["a"]).shape == (1, 512)
    assert endpoint.requests[0]["dimensions"] == 512
    assert (embedder.name, embedder.dimensions) == ("small@512", 512)
    assert len(endpoint.requests) == 1


def test_dimensions_are_learned_from_one_request(embedder: OpenAIEmbedder, endpoint: Endpoint) -> None:
    assert (embedder.dimensions, embedder.dimensions) == (256, 256)
    assert embedder.embed([]).shape == (0, 256)
    assert len(endpoint.requests) == 1


def test_many_texts_go_in_batches_of_128(embedder: OpenAIEmbedder, endpoint: Endpoint) -> None:
    texts = ["x" * (number % 7 + 1) for number in range(300)]

    vectors = embedder.embed(texts)

    assert [len(request["input"]) for request in endpoint.requests] == [128, 128, 44]
    assert np.allclose(vectors[:, 0] / vectors[:, 1], [len(text) for text in texts])


def test_long_empty_and_broken_texts_are_sent_in_an_embeddable_form(
    embedder: OpenAIEmbedder, endpoint: Endpoint
) -> None:
    embedder.embed(["", "東" * 9_000, "half \ud83d"])

    empty, long, half = endpoint.requests[0]["input"]
    assert (empty, long, half) == (" ", "東" * (8_000 // 3), "half ?")


def test_long_texts_are_spread_over_requests(embedder: OpenAIEmbedder, endpoint: Endpoint) -> None:
    assert embedder.embed(["x" * 8_000] * 40).shape == (40, 256)
    assert [len(request["input"]) for request in endpoint.requests] == [32, 8]


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (401, EmbedderUnavailable, "OPENAI_API_KEY"),
        (403, EmbedderUnavailable, "OPENAI_API_KEY"),
        (404, ConfigurationError, "MOSSHEAD_EMBEDDER.*'small'"),
        (413, EmbeddingRefused, "MOSSHEAD_EMBEDDER.*'small'"),
        (400, EmbeddingRefused, "MOSSHEAD_EMBEDDER.*'small'"),
        (429, EmbedderUnavailable, "rate"),
        (500, EmbedderUnavailable, "500"),
        (503, EmbedderUnavailable, "503"),
    ],
)
def test_refusal_names_the_setting_and_is_not_retried(
    embedder: OpenAIEmbedder, endpoint: Endpoint, status: int, kind: type[MossheadError], words: str
) -> None:
    endpoint.behave = lambda request: (status, {"error": {"message": f"cannot embed {request['input']}"}})

    error = failure(embedder)

    assert type(error) is kind
    assert re.search(words, str(error))
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    ("status", "said", "kind"),
    [
        (400, [{"error": {"message": "API key not valid.", "status": "INVALID_ARGUMENT"}}], EmbedderUnavailable),
        (400, {"error": {"message": "Your credit balance is too low to access the API."}}, EmbedderUnavailable),
        (400, {"error": {"message": "a/b is not a valid model ID", "code": 400}}, ConfigurationError),
        (400, {"error": "No models loaded."}, ConfigurationError),
        (402, {"error": {"message": "Insufficient Balance"}}, EmbedderUnavailable),
    ],
)
def test_error_that_any_request_would_get_is_no_fault_of_a_text(
    embedder: OpenAIEmbedder, endpoint: Endpoint, status: int, said: Any, kind: type[MossheadError]
) -> None:
    endpoint.behave = lambda _request: (status, said)

    error = failure(embedder)

    assert type(error) is kind
    assert str(status) in str(error)


@pytest.mark.parametrize("text", ["invalid api key", 'User\'s model was not found:\n\tthe "blue" one'])
def test_text_repeated_by_an_endpoint_says_nothing_about_the_endpoint(
    embedder: OpenAIEmbedder, endpoint: Endpoint, text: str
) -> None:
    endpoint.behave = lambda request: (422, {"detail": [{"msg": "String is too long", "input": request["input"][0]}]})

    with pytest.raises(EmbeddingRefused):
        embedder.embed([text])


def rows_of(*indexes: int) -> Body:
    return {"data": [{"index": index, "embedding": vector("a", 256)} for index in indexes]}


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(b"<html>welcome</html>", id="not JSON"),
        pytest.param({"choices": []}, id="another API"),
        pytest.param({"data": None}, id="no data"),
        pytest.param(rows_of(), id="too few"),
        pytest.param(rows_of(0, 1), id="too many"),
        pytest.param(rows_of(1), id="another index"),
        pytest.param({"data": [{"index": 0, "embedding": [0.0] * 256}]}, id="zero"),
        pytest.param({"data": [{"index": 0, "embedding": [1e308] * 256}]}, id="beyond measure"),
        pytest.param({"data": [{"index": 0, "embedding": [None] * 256}]}, id="nulls"),
        pytest.param({"data": [{"index": 0, "embedding": CANARY}]}, id="text"),
    ],
)
def test_answer_that_is_no_embedding_is_refused(embedder: OpenAIEmbedder, endpoint: Endpoint, answer: Any) -> None:
    endpoint.behave = lambda _request: (200, answer)

    assert type(failure(embedder)) is EmbedderUnavailable


def test_vectors_of_different_lengths_are_refused(embedder: OpenAIEmbedder, endpoint: Endpoint) -> None:
    rows = [{"index": 0, "embedding": vector("a", 256)}, {"index": 1, "embedding": vector("a", 257)}]
    endpoint.behave = lambda _request: (200, {"data": rows})

    with pytest.raises(EmbedderUnavailable, match="different lengths"):
        embedder.embed(["a", "b"])


@pytest.mark.parametrize("size", [255, 3073])
def test_models_outside_the_limits_are_refused(embedder: OpenAIEmbedder, endpoint: Endpoint, size: int) -> None:
    endpoint.behave = lambda _request: (200, {"data": [{"index": 0, "embedding": vector("a", size)}]})

    with pytest.raises(ConfigurationError, match=f"{size} dimensions"):
        embedder.dimensions  # noqa: B018


def test_endpoint_that_ignores_the_requested_dimensions_is_detected(endpoint: Endpoint) -> None:
    endpoint.behave = lambda _request: (200, {"data": [{"index": 0, "embedding": vector("a", 768)}]})
    embedder = OpenAIEmbedder("small", 512, api_key="k", base_url=endpoint.url)

    with pytest.raises(ConfigurationError, match="returned 768 dimensions, not 512"):
        embedder.embed(["a"])


def test_hanging_endpoint_is_given_up_in_time(endpoint: Endpoint) -> None:
    def hang(request: Body) -> tuple[int, Any]:
        endpoint.released.wait(60)
        return 200, {}

    endpoint.behave = hang
    embedder = OpenAIEmbedder("small", api_key="k", base_url=endpoint.url, timeout=0.2)

    with pytest.raises(EmbedderUnavailable, match=r"within 0\.2 s"):
        embedder.embed(["a"])


def test_dripping_endpoint_is_given_up_in_time_also_by_a_read_with_less_time() -> None:
    with FakeOpenAI() as fake:
        hasty = OpenAIEmbedder("small", api_key="k", base_url=fake.base_url, timeout=1)
        patient = OpenAIEmbedder("small", api_key="k", base_url=fake.base_url, timeout=60)
        reading = bounded(create_engine("postgresql+psycopg://nobody@127.0.0.1:1/none"), 0.3)
        fake.script(EMBEDDINGS, Fault.drip(0.1), Fault.drip(0.1))  # twenty seconds

        started = time.monotonic()
        with pytest.raises(EmbedderUnavailable, match="within 1 s"):
            hasty.embed(["a"])
        in_between = time.monotonic()
        with pytest.raises(ReadTimeout), ends_within(reading):
            patient.embed(["a"])

    assert in_between - started < 12
    assert time.monotonic() - in_between < 12


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/v1", "nonsense", "http://[", "ftp://127.0.0.1/v1"])
def test_unreachable_endpoint_names_its_setting(url: str) -> None:
    embedder = OpenAIEmbedder("small", api_key="k", base_url=url)

    with pytest.raises(MossheadError, match="OPENAI_BASE_URL"):
        embedder.embed(["a"])


def test_key_is_required_unless_the_endpoint_is_custom(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY is not set"):
        OpenAIEmbedder("small")

    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    assert OpenAIEmbedder("small").dimensions == 256


def test_error_without_the_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_module, "find_spec", lambda _name: None)

    with pytest.raises(ConfigurationError, match=r'pip install "mosshead\[openai\]"'):
        OpenAIEmbedder("small", api_key="k")


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("four", 1), ("Where does she live?", 5), ("東京", 2), ("\ud83d", 1)]
)
def test_tokens_are_estimated_by_bytes(text: str, tokens: int) -> None:
    assert OpenAIEmbedder("small", api_key="k").count_tokens(text) == tokens
