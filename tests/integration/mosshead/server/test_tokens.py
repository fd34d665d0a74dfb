"""Tokens: what `mosshead token` creates, stores and revokes, and what the server finds by them."""

import json
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine, text

from config.settings import Settings
from mosshead.contrib.server.tokens import Access, digest_of, find_access, has_tokens, new_token
from mosshead.paths import NamespacePath
from tests.integration.mosshead.conftest import Shell

Made = Callable[..., dict[str, Any]]


@pytest.fixture
def made(shell: Shell, service: Settings, fresh_namespace: NamespacePath) -> Made:
    """Return a function that makes a token of the fresh namespace or of another prefix."""

    def make(*options: str, of: str | None = None) -> dict[str, Any]:
        said = shell("token", "create", of or str(fresh_namespace), *options, "--json")
        assert said.status == 0, said.err
        token: dict[str, Any] = json.loads(said.out)
        return token

    return make


def test_token_opens_its_prefix_and_may_read_and_write_by_default(
    made: Made, reader_engine: Engine, fresh_namespace: NamespacePath
) -> None:
    token = made("--name", "the web app")
    found = find_access(reader_engine, token["token"])
    assert found is not None
    assert found.prefix.parts == fresh_namespace.parts
    assert found.scopes == frozenset({"read", "write"})
    assert found.token_id == UUID(token["id"])


def test_only_the_digest_of_a_token_is_stored(made: Made, admin_engine: Engine) -> None:
    token = made()
    with admin_engine.connect() as connection:
        statement = text("select api_tokens::text as row, digest from mosshead.api_tokens where token_id = :id")
        stored = connection.execute(statement, {"id": token["id"]}).one()
    assert stored.digest == digest_of(token["token"])
    assert token["token"] not in stored.row


def test_token_is_not_found_among_another_tenants(made: Made, reader_engine: Engine) -> None:
    token = made()["token"]
    forged = new_token(uuid4())[:30] + token[30:]
    assert find_access(reader_engine, token) is not None
    assert find_access(reader_engine, forged) is None


@pytest.mark.parametrize("token", ["", "x", "mosshead_", "mosshead_" + "a" * 63, "mosshead_" + "é" * 64, "\x00"])
def test_malformed_token_opens_nothing(reader_engine: Engine, token: str) -> None:
    assert find_access(reader_engine, token) is None


def test_revoked_token_opens_nothing_and_is_not_listed(
    made: Made, shell: Shell, reader_engine: Engine, fresh_namespace: NamespacePath
) -> None:
    kept, revoked = made("--scopes", "read"), made("--scopes", "read, erase")
    tenant = fresh_namespace.parts[0]
    assert shell("token", "revoke", "nobody", revoked["id"]).status == 1, "of that tenant alone"
    assert shell("token", "revoke", tenant, revoked["id"]).status == 0
    assert shell("token", "revoke", tenant, revoked["id"]).status == 1
    assert find_access(reader_engine, revoked["token"]) is None
    listed = shell("token", "list", tenant)
    assert kept["id"] in listed.out
    assert revoked["id"] not in listed.out
    assert kept["token"] not in listed.out


def test_expired_token_opens_nothing(made: Made, shell: Shell, reader_engine: Engine, admin_engine: Engine) -> None:
    token = made("--days", "1")
    assert find_access(reader_engine, token["token"]) is not None
    with admin_engine.begin() as connection:
        ended = text("update mosshead.api_tokens set expires_at = now() where token_id = :id")
        connection.execute(ended, {"id": token["id"]})
    assert find_access(reader_engine, token["token"]) is None
    assert "(expired)" in shell("token", "list", token["prefix"][0]).out


def test_unknown_scope_is_refused(shell: Shell, service: Settings) -> None:
    said = shell("token", "create", "acme/sarah", "--scopes", "read,all")
    assert said.status == 1
    assert "scopes: one or more of read,write,erase, got all,read" in said.err


def test_existence_of_a_token_is_known_across_tenants(reader_engine: Engine, admin_engine: Engine, made: Made) -> None:
    with admin_engine.begin() as connection:
        connection.exec_driver_sql("delete from mosshead.api_tokens")
    assert not has_tokens(reader_engine)
    made()
    assert has_tokens(reader_engine)


def test_reader_cannot_read_what_the_policy_shows_the_owner(made: Made, reader_engine: Engine) -> None:
    made()
    with reader_engine.begin() as connection:
        assert connection.exec_driver_sql("select count(*) from mosshead_read_v1.api_tokens").scalar_one() == 0


def test_token_of_a_tenant_covers_its_namespaces_and_requires_one_by_name(made: Made, reader_engine: Engine) -> None:
    access = find_access(reader_engine, made(of="acme")["token"])
    assert isinstance(access, Access)
    assert access.path("acme/sarah").parts == ("acme", "sarah")
