"""A database of many namespaces, filled once for all tests that ask how statements run in it."""

from collections.abc import Iterator

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
