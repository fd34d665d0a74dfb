"""The LLM that the service's settings name."""

from config.settings import Settings
from mosshead.errors import ConfigurationError
from mosshead.llm.openai import OnUsage, OpenAILanguageModel

_NO_KEY = "none"


def open_language_model(settings: Settings, on_usage: OnUsage | None = None) -> OpenAILanguageModel | None:
    """The model that the settings name, or None where they name none and the offline rules do the work.

    Raises ConfigurationError where the key or the address cannot be used at all.
    """
    if not settings.uses_llm:
        return None
    key = settings.openai_api_key.get_secret_value().strip() if settings.openai_api_key else ""
    if not key and not settings.openai_base_url:
        raise ConfigurationError(
            "OPENAI_API_KEY is empty. Set it to your key, or unset it to work by the offline rules"
        )
    return OpenAILanguageModel(
        settings.llm_model,
        api_key=key or _NO_KEY,
        timeout=settings.llm_timeout,
        base_url=settings.openai_base_url,
        on_usage=on_usage,
    )


def open_other_model(settings: Settings, name: str, on_usage: OnUsage | None = None) -> OpenAILanguageModel:
    """Another model of the same endpoint, by its name. Raises ConfigurationError also where there is no endpoint."""
    model = open_language_model(settings.model_copy(update={"llm_model": name}), on_usage)
    if model is None:
        raise ConfigurationError("there is no LLM; set OPENAI_API_KEY or OPENAI_BASE_URL, as the workers have it")
    return model
