"""The LLM that an app names or hands in."""

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
    """The LLM to ask: by its name, or as it is, where it is one already.

    model: "openai:MODEL", such as "openai:gpt-4o-mini", of OpenAI or of any endpoint that speaks its API; or an object of your
        own with a ``name`` and the method ``answer(prompt)`` (`LanguageModel`).
    api_key, base_url: for the endpoint; where they are None, OPENAI_API_KEY and OPENAI_BASE_URL of the environment.
    timeout: seconds for a whole call.
    Nothing is asked yet. Raises ConfigurationError for a wrong name, a missing key, and where the openai package is missing.
    What can go wrong with a question says `mosshead.llm.protocol`.
    """
    if not isinstance(model, str):
        if not callable(getattr(model, "answer", None)) or not isinstance(getattr(model, "name", None), str):
            raise ConfigurationError(
                f"model: {type(model).__name__} has no name and no method answer(prompt); give openai:MODEL, or wrap it in "
                "an object that has both"
            )
        return model
    endpoint = _ENDPOINT.fullmatch(model)
    if endpoint is None:
        raise ConfigurationError(f"model: {model!r} is not openai:MODEL (such as openai:gpt-4o-mini)")
    check_openai_installed(f"model: {model}")
    key, where = key_and_url(api_key, base_url, asked_by=model)
    # Imported here: an app that hands in a model of its own, or none, needs no openai package.
    from mosshead.llm.openai import OpenAILanguageModel

    return OpenAILanguageModel(endpoint["model"], api_key=key, base_url=where, timeout=timeout)


def check_openai_installed(asked_by: str) -> None:
    """Raise ConfigurationError, which begins with what asked, where the openai package is missing."""
    if find_spec("openai") is None:
        raise ConfigurationError(f'{asked_by} needs the openai package: pip install "mosshead[openai]"')


def key_and_url(api_key: str | None, base_url: str | None, *, asked_by: str) -> tuple[str, str | None]:
    """The key and the address of an OpenAI-compatible endpoint: those given, or OPENAI_API_KEY and OPENAI_BASE_URL.

    asked_by: what needs them, for the error. Raises ConfigurationError where there is no key.
    """
    where = base_url or os.environ.get("OPENAI_BASE_URL") or None
    key = api_key or os.environ.get("OPENAI_API_KEY") or (where and NO_KEY_NEEDED)
    if not key:
        raise ConfigurationError(
            f"OPENAI_API_KEY is not set, and {asked_by} needs it; set it, or OPENAI_BASE_URL for an endpoint of your own "
            "that asks for none"
        )
    return key, where
