"""From the value of MOSSHEAD_EMBEDDER to an embedder."""

import pytest

from mosshead.embeddings import Endpoint, open_embedder
from mosshead.errors import ConfigurationError


def test_local_model_is_opened_by_its_short_name() -> None:
    embedder = open_embedder("minilm")

    assert (embedder.name, embedder.dimensions) == ("all-MiniLM-L6-v2", 384)


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("openai:text-embedding-3-small@512", "text-embedding-3-small@512"),
        ("openai:text-embedding-3-small", "text-embedding-3-small"),
        ("openai:library/nomic-embed-text:v1.5", "library/nomic-embed-text:v1.5"),
    ],
)
def test_embedder_is_named_after_the_endpoints_model(spec: str, name: str) -> None:
    assert open_embedder(spec, api_key="k").name == name


def test_requested_dimensions_are_known_without_a_request() -> None:
    assert open_embedder("openai:m@512", api_key="k").dimensions == 512


@pytest.mark.parametrize(
    "spec", ["", "mini", "minilm@384", "e5@384", "openai", "openai:", "openai:m@", "openai:m@many", "openai:a b"]
)
def test_unknown_form_names_the_setting_and_the_forms(spec: str) -> None:
    with pytest.raises(
        ConfigurationError, match=r"MOSSHEAD_EMBEDDER: .*minilm, e5, openai:MODEL and openai:MODEL@DIMENSIONS"
    ):
        open_embedder(spec, api_key="k")


@pytest.mark.parametrize("dimensions", [0, 255, 3073])
def test_dimensions_out_of_range_are_refused(dimensions: int) -> None:
    with pytest.raises(ConfigurationError, match=f"{dimensions} dimensions; choose from 256 to 3072"):
        open_embedder(f"openai:m@{dimensions}", api_key="k")


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ((None, None), ("http://llm", "llm's key")),
        ((None, "own key"), ("http://llm", "own key")),
        (("http://own", "own key"), ("http://own", "own key")),
        (("http://own", None), ("http://own", "none")),
    ],
)
def test_own_endpoint_does_not_get_the_key_of_the_llm(
    own: tuple[str | None, str | None], expected: tuple[str, str]
) -> None:
    url, key = own
    assert Endpoint.chosen(url=url, api_key=key, openai_url="http://llm", openai_api_key="llm's key") == expected
