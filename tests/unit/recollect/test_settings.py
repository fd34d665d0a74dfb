"""What the app's process is told: arguments first, then the environment, never the app's own DATABASE_URL."""

import pytest

from recollect.errors import ConfigurationError
from recollect.settings import client_settings


def test_arguments_go_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "BROKER_URL", "EMBEDDER"):
        monkeypatch.setenv(f"RECOLLECT_{name}", f"environment {name}")
    found = client_settings("database", None, "embedder")
    assert (found.database_url, found.broker_url, found.embedder) == ("database", "environment BROKER_URL", "embedder")


def test_the_rest_has_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_DATABASE_URL", "database")
    monkeypatch.setenv("RECOLLECT_BROKER_URL", "")
    monkeypatch.setenv("OPENAI_API_KEY", "")
    found = client_settings(None, None, None)
    assert (found.broker_url, found.embedder, found.openai_api_key, found.openai_base_url) == (
        None,
        "minilm",
        None,
        None,
    )


def test_the_apps_own_database_is_not_taken_for_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://app@host/app")
    with pytest.raises(ConfigurationError, match=r"^RECOLLECT_DATABASE_URL is not set. Set it, or pass database_url="):
        client_settings(None, None, None)
