"""The service's settings: errors are named, and derived values are right."""

import pytest

from config.settings import Settings, settings, unknown_settings
from mosshead.errors import ConfigurationError


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("LLM_TIMEOUT", "soon", "MOSSHEAD_LLM_TIMEOUT: "),
        ("LLM_TIMEOUT", "0", "MOSSHEAD_LLM_TIMEOUT: "),
        ("BATCH_MESSAGES", "0", "MOSSHEAD_BATCH_MESSAGES: "),
        ("ATTEMPTS", "0", "MOSSHEAD_ATTEMPTS: "),
        ("LOG_LEVEL", "loud", "MOSSHEAD_LOG_LEVEL: "),
        ("FLOWER_PORT", "70000", "MOSSHEAD_FLOWER_PORT: "),
        ("LEASE_SECONDS", "0.5", "MOSSHEAD_LEASE_SECONDS: "),
        ("GAP_SECONDS", "-1", "MOSSHEAD_GAP_SECONDS: "),
        ("TENANT_SLOTS", "0", "MOSSHEAD_TENANT_SLOTS: "),
        ("QUARANTINE_AFTER", "0", "MOSSHEAD_QUARANTINE_AFTER: "),
        ("RETENTION_DAYS", "0", "MOSSHEAD_RETENTION_DAYS: "),
        ("STAGE_SECONDS", "120", "MOSSHEAD_STAGE_SECONDS must be above twice MOSSHEAD_LLM_TIMEOUT, 120"),
    ],
)
def test_wrong_setting_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str, says: str) -> None:
    monkeypatch.setenv(f"MOSSHEAD_{name}", value)
    with pytest.raises(ConfigurationError) as caught:
        settings()
    assert says.casefold() in str(caught.value).casefold()


def test_wrong_secret_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSSHEAD_ATTEMPTS", "s3cret")
    with pytest.raises(ConfigurationError) as caught:
        settings()
    assert "s3cret" not in str(caught.value)


def test_every_wrong_setting_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSSHEAD_ATTEMPTS", "many")
    monkeypatch.setenv("MOSSHEAD_LLM_TIMEOUT", "soon")
    with pytest.raises(ConfigurationError, match=r"MOSSHEAD_LLM_TIMEOUT: .*; MOSSHEAD_ATTEMPTS: "):
        settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RETENTION_DAYS", "10000000"),
        ("GAP_SECONDS", "inf"),
        ("DEBOUNCE_MOST_SECONDS", "inf"),
        ("SWEEP_SECONDS", "1e300"),
    ],
)
def test_unreachable_time_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"MOSSHEAD_{name}", value)
    with pytest.raises(ConfigurationError, match=rf"MOSSHEAD_{name}: "):
        settings()


def test_empty_means_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSSHEAD_ATTEMPTS", "")
    monkeypatch.setenv("MOSSHEAD_DATABASE_URL", "")
    assert (settings().attempts, settings().database_url) == (3, None)


@pytest.mark.parametrize(
    ("name", "uses"), [("OPENAI_API_KEY", True), ("OPENAI_BASE_URL", True), ("MOSSHEAD_OPENAI_API_KEY", False)]
)
def test_llm_is_used_if_it_has_a_key_or_an_address(monkeypatch: pytest.MonkeyPatch, name: str, uses: bool) -> None:
    assert not Settings().uses_llm
    monkeypatch.setenv(name, "something")
    assert Settings().uses_llm is uses


def test_lease_may_be_shorter_than_a_call_of_the_llm() -> None:
    """It is renewed while the stage runs."""
    assert Settings().lease_seconds < Settings().llm_timeout < Settings().stage_seconds


def test_key_is_not_shown() -> None:
    assert "s3cret" not in repr(Settings(OPENAI_API_KEY="s3cret", signing_keys="k1:acme:s3cret"))


@pytest.mark.parametrize(
    ("url", "login"),
    [
        ("postgresql://mosshead_reader:pw@db:5432/mosshead", "postgresql://mosshead_worker:pw@db:5432/mosshead"),
        ("postgresql://mosshead_reader:p%40w@db/mosshead", "postgresql://mosshead_worker:p%40w@db/mosshead"),
        (
            "postgresql://mosshead_reader@db/mosshead?sslmode=require",
            "postgresql://mosshead_worker@db/mosshead?sslmode=require",
        ),
        ("postgresql://db/mosshead", "postgresql://mosshead_worker@db/mosshead"),
        (
            "postgresql://mosshead_reader@/mosshead?host=%2Ftmp",
            "postgresql://mosshead_worker@/mosshead?host=%2Ftmp",
        ),
    ],
)
def test_login_is_derived_from_the_database_if_not_given(url: str, login: str) -> None:
    assert Settings(database_url=url).login("worker") == login
    assert Settings(database_url=url).login("reader") == url
    assert Settings(database_url=url, worker_url="given").login("worker") == "given"


def test_missing_required_setting_is_named_with_the_fix() -> None:
    with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_DATABASE_URL is not set\. .*mosshead up"):
        Settings().login("worker")
    with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_BROKER_URL is not set\. .*mosshead up"):
        Settings().broker()


def test_apps_own_database_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://app@host/app")
    assert Settings().database_url is None


def test_misspelt_setting_is_recognised_by_similarity() -> None:
    environment = {
        "MOSSHEAD_DEBOUNCE_SECOND": "5",
        "MOSSHEAD_OPENAI_API_KEY": "key",
        "MOSSHEAD_DATABASE_URL": "postgresql://host/db",
        "MOSSHEAD_ZZZ": "",
        "DATABASE_URL": "the app's own",
    }
    assert unknown_settings(environment) == {
        "MOSSHEAD_DEBOUNCE_SECOND": "MOSSHEAD_DEBOUNCE_SECONDS",
        "MOSSHEAD_OPENAI_API_KEY": "OPENAI_API_KEY",
        "MOSSHEAD_ZZZ": None,
    }
