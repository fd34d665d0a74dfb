"""`python -m workers rewrite`, as an operator runs it: what was erased is in no file either."""

from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import Engine

from config.settings import settings
from recollect import Namespace
from recollect.errors import ConfigurationError, StoreUnavailable
from tests.forming import Forming
from workers.erasing import rewriting


@pytest.fixture
def in_files(admin_engine: Engine) -> Callable[[str], list[str]]:
    """The files of the tables that hold a word, after all that is in memory was written."""
    with admin_engine.connect() as connection:
        folder = Path(connection.exec_driver_sql("show data_directory").scalar_one()) / "base"

    def found(word: str) -> list[str]:
        with admin_engine.connect() as connection:
            connection.exec_driver_sql("checkpoint")
        return [file.name for file in folder.rglob("*") if file.is_file() and word.encode() in file.read_bytes()]

    return found


@pytest.fixture
def administrator(settled: None, admin_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands have the administrator's login."""
    monkeypatch.setenv("RECOLLECT_ADMIN_URL", admin_url)
    settings.cache_clear()


@pytest.mark.usefixtures("administrator")
def test_what_was_erased_is_in_no_file_any_more(
    forming: Forming, sarah: Namespace, in_files: Callable[[str], list[str]], run: Callable[..., str]
) -> None:
    word = f"quux{uuid4().hex}"
    forming.say(f"I live in {word}.", f"Peter {word.title()} is a dentist.", conversation="gone")
    forming.say("I like figs.", conversation="kept")
    erased = forming.erase(conversation="gone")
    assert in_files(word), "a row that is deleted stays in its page"

    first, second = run("rewrite"), run("rewrite")

    assert in_files(word) == []
    assert "messages …" in first
    assert "in no file any more" in first
    assert second.strip() == "Nothing was erased since the tables were last rewritten."
    receipt = sarah.receipt(erased)
    assert receipt is not None
    assert receipt.rewritten_at is not None
    assert receipt.rewritten_at > receipt.erased_at
    assert [one.content for one in sarah.query("figs")] == ["User likes figs"]


@pytest.mark.usefixtures("administrator")
def test_nothing_is_said_to_be_gone_that_an_older_transaction_still_sees(
    forming: Forming,
    admin_engine: Engine,
    in_files: Callable[[str], list[str]],
    run: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As a dump does that began before; Postgres keeps the rows for it, also in files that are written anew."""
    monkeypatch.setattr(rewriting, "_PATIENCE_SECONDS", 0.2)
    word = f"quux{uuid4().hex}"
    forming.say(f"I live in {word}.", conversation="gone")
    with admin_engine.execution_options(isolation_level="REPEATABLE READ").connect() as dump:
        dump.exec_driver_sql("select from recollect.models")
        forming.erase(conversation="gone")
        with pytest.raises(StoreUnavailable, match="RECOLLECT_ADMIN_URL: a transaction that began before this command"):
            run("rewrite")
        assert in_files(word)

    assert "in no file any more" in run("rewrite")
    assert in_files(word) == []


@pytest.mark.usefixtures("settled")
def test_it_needs_the_administrators_login(run: Callable[..., str]) -> None:
    with pytest.raises(ConfigurationError, match="RECOLLECT_ADMIN_URL is not set"):
        run("rewrite")
