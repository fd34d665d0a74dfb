"""Shared expensive resources: a database with many namespaces, and certificates."""

from collections.abc import Iterator
from pathlib import Path

import certifi
import pytest
from sqlalchemy import Engine

from tests.crowd_given import fill
from tests.machine_given import TEMPLATE, name_of, scratch_database


@pytest.fixture(scope="session")
def filled(admin_engine: Engine) -> Iterator[str]:
    """The name of a database with many namespaces, to be cloned."""
    with scratch_database(admin_engine, template=TEMPLATE) as url:
        fill(url)
        yield name_of(url)


@pytest.fixture
def crowded(admin_engine: Engine, filled: str) -> Iterator[str]:
    """The administrator's URL of a new database with many namespaces."""
    with scratch_database(admin_engine, template=filled) as url:
        yield url


@pytest.fixture(scope="session")
def one_certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a single authority's certificate."""
    first, end, _ = Path(certifi.where()).read_text(encoding="utf-8").partition("-----END CERTIFICATE-----")
    file = tmp_path_factory.mktemp("certificates") / "one.pem"
    file.write_text(f"{first}{end}\n", encoding="utf-8")
    return file


@pytest.fixture(autouse=True)
def _few_authorities(one_certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use one certificate: clients read all authorities' certificates, which takes longer than most calls here."""
    monkeypatch.setenv("SSL_CERT_FILE", str(one_certificate))
