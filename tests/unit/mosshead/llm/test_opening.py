"""The LLM that an app names or passes in: what is refused at once, and with what advice."""

import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from mosshead.errors import ConfigurationError
from mosshead.llm import open as module
from mosshead.llm import open_model


@dataclass
class Own:
    """An app's own model, which answers nothing here."""

    name: str = "own"

    def answer(self, prompt: Any) -> Any:
        raise NotImplementedError


def test_own_model_is_used_unchanged() -> None:
    own = Own()
    assert open_model(own) is own


def test_name_opens_an_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert open_model("openai:gpt-4o-mini").name == "gpt-4o-mini"
    assert open_model("openai:ft:gpt:x", api_key="sk-1", base_url="https://host/v1").name == "ft:gpt:x"


@pytest.mark.parametrize(
    ("model", "given", "fault"),
    [
        ("gpt-4o-mini", {}, "'gpt-4o-mini' is not openai:MODEL"),
        ("openai:", {}, "is not openai:MODEL"),
        ("openai:gpt-4o-mini", {}, "OPENAI_API_KEY is not set"),
        ("openai:gpt-4o-mini", {"api_key": "skü"}, "OPENAI_API_KEY contains a character that no key has"),
        ("openai:gpt-4o-mini", {"base_url": "host/v1"}, "OPENAI_BASE_URL is not an http address"),
        (object(), {}, "object needs a name and a method answer"),
    ],
    ids=["no endpoint", "no model", "no key", "odd key", "odd address", "no model of one's own"],
)
def test_unusable_model_is_reported_with_the_reason(model: Any, given: dict[str, Any], fault: str) -> None:
    with pytest.raises(ConfigurationError, match=fault):
        open_model(model, **given)


def test_missing_package_is_reported_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(
        ConfigurationError, match=r'^model: openai:gpt-4o-mini needs .*pip install "mosshead\[openai\]"'
    ):
        open_model("openai:gpt-4o-mini", api_key="sk-1")


def test_import_needs_no_openai_package() -> None:
    check = "import sys, mosshead.llm; print('openai' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", check], check=True, capture_output=True, text=True)
    assert found.stdout.strip() == "False"
