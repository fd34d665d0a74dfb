"""Settings of the app's process: arguments first, then the environment, never the app's own DATABASE_URL."""

from pathlib import Path

import pytest

from mosshead.announcement import state_folder
from mosshead.api.settings import client_settings
from mosshead.errors import ConfigurationError
from mosshead.publishing.signing import SigningKey

KEY = "app:" + "s" * 32


def test_arguments_go_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "BROKER_URL", "EMBEDDER", "SPOOL_DIR"):
        monkeypatch.setenv(f"MOSSHEAD_{name}", f"environment {name}")
    monkeypatch.setenv("MOSSHEAD_SPOOL_BYTES", "17")
    found = client_settings(database_url="database", embedder="embedder", spool_dir="spools", spool_bytes=0)
    assert (found.database_url, found.broker_url, found.embedder) == ("database", "environment BROKER_URL", "embedder")
    assert (found.spool_dir, found.spool_bytes) == (Path("spools"), 0)


def test_environment_says_how_to_publish(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"SPOOL_DIR": "/spools", "SPOOL_BYTES": "17", "SIGNING_KEY": KEY}
    for name, value in given.items():
        monkeypatch.setenv(f"MOSSHEAD_{name}", value)
    found = client_settings(database_url="database")
    assert (found.spool_dir, found.spool_bytes) == (Path("/spools"), 17)
    assert found.signing_key == SigningKey("app", "s" * 32)
    assert "sss" not in repr(found)


def test_other_settings_have_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSSHEAD_DATABASE_URL", "database")
    for name in ("BROKER_URL", "SPOOL_DIR", "SPOOL_BYTES", "SIGNING_KEY"):
        monkeypatch.setenv(f"MOSSHEAD_{name}", "")
    monkeypatch.setenv("OPENAI_API_KEY", "")
    found = client_settings()
    assert (found.broker_url, found.embedder, found.endpoint) == (None, "minilm", (None, None))
    assert (found.spool_dir, found.spool_bytes, found.signing_key) == (state_folder(), 256 * 2**20, None)


def test_unusable_key_names_the_setting_and_is_not_shown() -> None:
    with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_SIGNING_KEY: not of the form") as refused:
        client_settings(database_url="database", signing_key="s3cret")
    assert "s3cret" not in str(refused.value)


def test_malformed_size_names_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSSHEAD_SPOOL_BYTES", "256 MB")
    with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_SPOOL_BYTES: a number of bytes"):
        client_settings(database_url="database")


@pytest.mark.parametrize(
    ("name", "given"),
    [("CONNECTIONS", "0"), ("CONNECTIONS", "many"), ("PREPARED_STATEMENTS", "1"), ("EMBEDDER_PROCESS", "1")],
)
def test_impossible_value_names_the_setting(monkeypatch: pytest.MonkeyPatch, name: str, given: str) -> None:
    monkeypatch.setenv(f"MOSSHEAD_{name}", given)
    with pytest.raises(ConfigurationError, match=rf"^MOSSHEAD_{name}: "):
        client_settings(database_url="database")


def test_environment_alone_has_settings_of_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    before = client_settings(database_url="database")
    monkeypatch.setenv("MOSSHEAD_CONNECTIONS", "3")
    monkeypatch.setenv("MOSSHEAD_PREPARED_STATEMENTS", "false")
    monkeypatch.setenv("MOSSHEAD_EMBEDDER_PROCESS", "True")
    after = client_settings(database_url="database")
    assert (before.connections, before.prepared_statements, before.embedder_process) == (20, True, False)
    assert (after.connections, after.prepared_statements, after.embedder_process) == (3, False, True)


def test_apps_own_database_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://app@host/app")
    with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_DATABASE_URL is not set. Set it, or pass database_url="):
        client_settings()


def test_embeddings_may_come_from_another_endpoint_than_the_llm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSSHEAD_DATABASE_URL", "database")
    monkeypatch.setenv("OPENAI_API_KEY", "llm's key")
    assert client_settings().endpoint == (None, "llm's key")
    monkeypatch.setenv("MOSSHEAD_EMBEDDING_URL", "http://own")
    monkeypatch.setenv("MOSSHEAD_EMBEDDING_API_KEY", "own key")
    assert client_settings().endpoint == ("http://own", "own key")
