"""What takes long is had once: a database of many namespaces, and certificates."""

from collections.abc import Iterator
from pathlib import Path

import certifi
import pytest
from sqlalchemy import Engine

from tests.crowd_given import fill
from tests.machine_given import TEMPLATE, name_of, scratch_database


@pytest.fixture(scope="session")
def filled(admin_engine: Engine) -> Iterator[str]:
    """The name of a database of many namespaces, to be cloned."""
    with scratch_database(admin_engine, template=TEMPLATE) as url:
        fill(url)
        yield name_of(url)


@pytest.fixture
def crowded(admin_engine: Engine, filled: str) -> Iterator[str]:
    """The administrator's address of a database of many namespaces that no other test knows."""
    with scratch_database(admin_engine, template=filled) as url:
        yield url


@pytest.fixture(scope="session")
def one_certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a single certificate of an authority."""
    first, end, _ = Path(certifi.where()).read_text(encoding="utf-8").partition("-----END CERTIFICATE-----")
    file = tmp_path_factory.mktemp("certificates") / "one.pem"
    file.write_text(f"{first}{end}\n", encoding="utf-8")
    return file


@pytest.fixture(autouse=True)
def _few_authorities(one_certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every client of an endpoint reads the certificates of all authorities, which takes longer than most of its calls here."""
    monkeypatch.setenv("SSL_CERT_FILE", str(one_certificate))
