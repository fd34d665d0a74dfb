"""The service's settings, read from the environment (prefix ``MOSSHEAD_``).

`mosshead.api.settings` reads those that the app needs. docs/reference/settings.md documents all settings.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit, urlunsplit

from pydantic import Field, SecretStr, ValidationError, model_validator
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, SettingsConfigDict

from mosshead.errors import ConfigurationError

_PREFIX = "MOSSHEAD_"
_OF_OTHERS = {
    f"{_PREFIX}{name}"
    for name in (
        *"SPOOL_DIR SPOOL_BYTES SPOOL_KEEP_SECONDS SIGNING_KEY CONNECTIONS EMBEDDER_PROCESS".split(),  # the app
        *("NAMESPACE", "MODEL_DIR"),  # the command `mosshead`, the local model
        *("CONCURRENCY", "PASSWORD"),  # Procfile and docker-compose.yml
    )
}
"""Settings of other parts of Mosshead in the same environment."""

_RESEMBLES = 0.8
"""The least ``difflib`` ratio for similar names, without the prefix that all share."""

_EXAMPLE = "postgresql://mosshead_reader:PASSWORD@HOST:5432/mosshead"


Seconds = Annotated[float, Field(le=1e9)]
"""Finite, and within the range of Postgres's intervals."""


@dataclass(frozen=True, slots=True)
class Debounce:
    """How long to wait before doing something: until it is untouched for ``least``, or for ``most`` after the first touch."""

    least: timedelta
    most: timedelta


class Settings(BaseSettings):
    """All settings of an operator.

    The three logins may be set separately; otherwise they are ``database_url`` with the role as user name, which suits a database
    where all roles share a password. Only ``mosshead service migrate`` and ``index`` use ``admin_url``.
    """

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_ignore_empty=True, extra="ignore", hide_input_in_errors=True
    )

    database_url: str | None = None
    ingest_url: str | None = None
    worker_url: str | None = None
    admin_url: str | None = None
    broker_url: str | None = None
    prepared_statements: bool = True
    data_dir: Path = Path(".mosshead")

    embedder: str = "minilm"
    embedding_url: str | None = None
    embedding_api_key: SecretStr | None = None
    openai_api_key: SecretStr | None = Field(None, validation_alias="OPENAI_API_KEY")
    openai_base_url: str | None = Field(None, validation_alias="OPENAI_BASE_URL")
    llm_model: str = "gpt-4o-mini"
    llm_timeout: float = Field(60.0, gt=0, le=600)
    llm_profiles: bool = False
    llm_mode: Literal["auto", "strict", "json_schema", "tools", "json_object", "plain"] = "auto"
    rules_after_seconds: Seconds | None = Field(None, ge=0)

    debounce_seconds: Seconds = Field(2.0, ge=0)
    debounce_most_seconds: Seconds = Field(30.0, ge=0)
    profile_debounce_seconds: Seconds = Field(1.0, ge=0)
    profile_debounce_most_seconds: Seconds = Field(30.0, ge=0)
    reflection_debounce_seconds: Seconds = Field(60.0, ge=0)
    reflection_debounce_most_seconds: Seconds = Field(600.0, ge=0)
    prompt_feedback_most: int = Field(20, ge=1)
    batch_messages: int = Field(40, ge=1, le=500)
    batch_tokens: int = Field(6_000, ge=250)
    sweep_seconds: Seconds = Field(0.25, gt=0)
    lease_seconds: Seconds = Field(20.0, ge=1)
    stage_seconds: Seconds = Field(600.0, gt=0)
    gap_seconds: Seconds = Field(30.0, ge=0)
    attempts: int = Field(3, ge=1)
    tenant_slots: int | None = Field(None, ge=1)
    tenant_tokens_per_day: int | None = Field(None, ge=1, le=2**63 - 1)
    expansion_tokens_per_day: int = Field(100_000, ge=0, le=2**63 - 1)
    quarantine_after: int = Field(20, ge=1)
    retention_days: float = Field(7.0, gt=0, le=36_500)
    signing_keys: SecretStr | None = None

    log_format: Literal["auto", "console", "json"] = "auto"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    flower_port: int = Field(5555, ge=0, le=65535)
    console_port: int = Field(5556, ge=0, le=65535)
    console_auth: SecretStr | None = None
    probe_host: str = "127.0.0.1"
    probe_port: int = Field(9470, ge=0, le=65533)

    @model_validator(mode="after")
    def _check_times(self) -> "Settings":
        # A slow response can take twice the timeout, and the stage must outlast it.
        if self.stage_seconds <= 2 * self.llm_timeout:
            raise ValueError(
                f"MOSSHEAD_STAGE_SECONDS must be above twice MOSSHEAD_LLM_TIMEOUT, {2 * self.llm_timeout:g}"
            )
        return self

    @property
    def profile_debounce(self) -> Debounce:
        """How long a profile waits."""
        return _debounce(self.profile_debounce_seconds, self.profile_debounce_most_seconds)

    @property
    def reflection_debounce(self) -> Debounce:
        """How long a reflection waits."""
        return _debounce(self.reflection_debounce_seconds, self.reflection_debounce_most_seconds)

    @property
    def uses_llm(self) -> bool:
        """Whether an LLM is configured: a key, or an endpoint that needs none."""
        return self.openai_api_key is not None or self.openai_base_url is not None

    def login(self, role: Literal["reader", "ingest", "worker"]) -> str:
        """Return the URL with which a part of the service logs in. Raises ConfigurationError if none is set."""
        given = {"reader": self.database_url, "ingest": self.ingest_url, "worker": self.worker_url}[role]
        if given:
            return given
        if not self.database_url:
            raise ConfigurationError(
                f"MOSSHEAD_DATABASE_URL is not set. Set it to your Postgres, such as {_EXAMPLE}, "
                "or run everything on this machine with 'mosshead up'"
            )
        try:
            parts = urlsplit(self.database_url)
        except ValueError:
            raise ConfigurationError(f"MOSSHEAD_DATABASE_URL: not a Postgres URL; it looks like {_EXAMPLE}") from None
        login, _, host = parts.netloc.rpartition("@")
        _, colon, password = login.partition(":")
        return urlunsplit(parts._replace(netloc=f"mosshead_{role}{colon}{password}@{host}"))

    def administrator(self) -> str:
        """Return the URL of the administrator's login. Raises ConfigurationError if none is set."""
        if not self.admin_url:
            raise ConfigurationError(
                "MOSSHEAD_ADMIN_URL is not set. Set it to a login that may create roles and the extension vector, such as "
                "postgresql://postgres:PASSWORD@HOST:5432/mosshead"
            )
        return self.admin_url

    def broker(self) -> str:
        """Return the URL of Redis. Raises ConfigurationError if none is set."""
        if not self.broker_url:
            raise ConfigurationError(
                "MOSSHEAD_BROKER_URL is not set. Set it to your Redis, such as redis://HOST:6379/0, "
                "or run everything on this machine with 'mosshead up'"
            )
        return self.broker_url


def _debounce(least: float, most: float) -> Debounce:
    return Debounce(timedelta(seconds=least), timedelta(seconds=most))


@lru_cache(maxsize=1)
def settings() -> Settings:
    """Return this process's settings, read once. Raises ConfigurationError, which names each faulty one."""
    try:
        return Settings()
    except ValidationError as error:
        faults = error.errors(include_input=False, include_url=False)
    raise ConfigurationError("; ".join(_explain(fault) for fault in faults))


def unknown_settings(environment: Mapping[str, str]) -> dict[str, str | None]:
    """Return the unknown variables with Mosshead's prefix, each with the setting it resembles: a misspelt one has no effect."""
    own = {str(field.validation_alias or f"{_PREFIX}{name.upper()}") for name, field in Settings.model_fields.items()}
    known = own | _OF_OTHERS
    bare = {name.removeprefix(_PREFIX): name for name in sorted(known)}
    return {
        name: next(
            (bare[one] for one in get_close_matches(name.removeprefix(_PREFIX), bare, n=1, cutoff=_RESEMBLES)), None
        )
        for name in sorted(environment)
        if name.startswith(_PREFIX) and name not in known
    }


def _explain(fault: ErrorDetails) -> str:
    if not fault["loc"]:
        return str(fault["ctx"]["error"])
    name = ".".join(map(str, fault["loc"])).upper()
    return f"{name if name.startswith('OPENAI_') else f'MOSSHEAD_{name}'}: {fault['msg'].lower()}"
