"""Open an LLM by name, or check one the app passes."""

import os
from importlib.util import find_spec
from typing import Final

from mosshead.errors import ConfigurationError
from mosshead.llm.protocol import LanguageModel
from mosshead.patterns import lazy_pattern

DEFAULT_TIMEOUT: Final = 60.0

_ENDPOINT: Final = lazy_pattern(r"openai:(?P<model>\S+)")
NO_KEY_NEEDED: Final = "none"


def open_model(
    model: str | LanguageModel,
    *,
    api_key: str | None = None,
    base_url: str | None = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> LanguageModel:
    """Return the LLM to ask, by its name or as given. Nothing is requested yet. For failures see `mosshead.llm.protocol`.

    Args:
        model: "openai:MODEL", such as "openai:gpt-4o-mini", at OpenAI or any endpoint with its API; or your own object with a
            ``name`` and
            a method ``answer(prompt)`` (`LanguageModel`).
        api_key: For the endpoint; by default OPENAI_API_KEY from the environment.
        base_url: Of the endpoint; by default OPENAI_BASE_URL from the environment.
        timeout: Seconds for a whole call.

    Raises:
        ConfigurationError: The name is invalid, or the key or the openai package is missing.
    """
    if not isinstance(model, str):
        if not callable(getattr(model, "answer", None)) or not isinstance(getattr(model, "name", None), str):
            raise ConfigurationError(
                f"model: {type(model).__name__} needs a name and a method answer(prompt); pass openai:MODEL, or wrap it in "
                "an object with both"
            )
        return model
    endpoint = _ENDPOINT.fullmatch(model)
    if endpoint is None:
        raise ConfigurationError(f"model: {model!r} is not openai:MODEL (such as openai:gpt-4o-mini)")
    check_openai_installed(f"model: {model}")
    key, where = key_and_url(api_key, base_url, asked_by=model)
    # Imported on demand: an app with its own model, or none, needs no openai package.
    from mosshead.llm.openai import OpenAILanguageModel

    return OpenAILanguageModel(endpoint["model"], api_key=key, base_url=where, timeout=timeout)


def check_openai_installed(asked_by: str) -> None:
    """Raise ConfigurationError, beginning with what needs it, if the openai package is missing."""
    if find_spec("openai") is None:
        raise ConfigurationError(f'{asked_by} needs the openai package: pip install "mosshead[openai]"')


def key_and_url(api_key: str | None, base_url: str | None, *, asked_by: str) -> tuple[str, str | None]:
    """Return the key and URL of an OpenAI-compatible endpoint: those given, or OPENAI_API_KEY and OPENAI_BASE_URL.

    asked_by: what needs them, for the error. Raises ConfigurationError if there is no key.
    """
    where = base_url or os.environ.get("OPENAI_BASE_URL") or None
    key = api_key or os.environ.get("OPENAI_API_KEY") or (where and NO_KEY_NEEDED)
    if not key:
        raise ConfigurationError(
            f"OPENAI_API_KEY is not set, and {asked_by} needs it; set it, or OPENAI_BASE_URL for your own endpoint "
            "that needs none"
        )
    return key, where
