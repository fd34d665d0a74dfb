"""Tokens: who may do what, and with which namespaces. An operator makes one with `mosshead token`; its SHA-256 alone is kept."""

import base64
import binascii
import hashlib
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, cast, get_args
from uuid import UUID

from sqlalchemy import Engine

from mosshead.errors import ConfigurationError, InvalidNamespace, MossheadError
from mosshead.paths import NamespacePath, NamespacePrefix
from mosshead.store.connection import Sql, tenant_transaction

Scope = Literal["read", "write", "erase"]
"""What a token may do. write: publish, remember, and what can be undone; erase: what cannot."""

SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
DEFAULT_SCOPES: Final[tuple[Scope, ...]] = ("read", "write")

_MARK = "mosshead_"
_RANDOM_BYTES = 32
_SHAPE = re.compile(rf"{_MARK}([A-Za-z0-9_-]{{64}})")


class AccessDenied(MossheadError):
    """A token does not cover what a request asks for."""


@dataclass(frozen=True, slots=True)
class Access:
    """What a request may do. token_id: for the log; None where there is no token, on standard input."""

    prefix: NamespacePrefix
    scopes: frozenset[Scope]
    token_id: UUID | None = None

    def path(self, asked: str | None) -> NamespacePath:
        """Return the namespace that a request means, such as "acme/sarah_123"; by default the prefix, if it names one.

        Raises InvalidNamespace where it is none, and AccessDenied where the token does not cover it.
        """
        mine = "/".join(self.prefix.parts)
        if asked is None and len(self.prefix.parts) == 1:
            raise InvalidNamespace(f"namespace: missing; this token covers all of {mine}, so name one below it")
        path = NamespacePath.of(self.prefix.parts if asked is None else asked.split("/"))
        if path.parts[: len(self.prefix.parts)] != self.prefix.parts:
            raise AccessDenied(
                f"namespace: this token covers {mine} alone; name a namespace of it, or use another token"
            )
        return path

    def require(self, scope: Scope) -> None:
        """Raise AccessDenied where the token lacks a scope."""
        if scope not in self.scopes:
            raise AccessDenied(f"token: has no scope {scope!r}; use one that was made with --scopes {scope}")


def checked_scopes(scopes: Iterable[str]) -> frozenset[Scope]:
    """Scopes as a token has them. Raises ConfigurationError where one is none, or there is none."""
    given = frozenset(scopes)
    if not given or not given <= frozenset(SCOPES):
        raise ConfigurationError(f"scopes: some of {','.join(SCOPES)}, got {','.join(sorted(given)) or 'none'}")
    return cast("frozenset[Scope]", given)


def new_token(tenant_id: UUID) -> str:
    """A new token of a tenant, whose id it tells: a look-up stays within the tenant's rows."""
    return _MARK + base64.urlsafe_b64encode(tenant_id.bytes + secrets.token_bytes(_RANDOM_BYTES)).decode()


def digest_of(token: str) -> bytes:
    """What is stored of a token, and finds it."""
    return hashlib.sha256(token.encode()).digest()


def find_access(engine: Engine, token: str) -> Access | None:
    """What a token opens; None where it is none, was revoked or has expired. Raises StoreUnavailable."""
    tenant_id = _tenant_of(token)
    if tenant_id is None:
        return None
    with tenant_transaction(engine, tenant_id) as connection:
        row = Sql("""
            select token_id, prefix, scopes from mosshead_read_v1.api_tokens
            where tenant_id = %(tenant_id)s and digest = %(digest)s
        """).row(connection, tenant_id=tenant_id, digest=digest_of(token))
    return None if row is None else Access(NamespacePrefix(tuple(row.prefix)), checked_scopes(row.scopes), row.token_id)


def has_tokens(engine: Engine) -> bool:
    """Whether any tenant has a token. Raises StoreUnavailable."""
    with tenant_transaction(engine, UUID(int=0)) as connection:
        return bool(Sql("select mosshead_read_v1.has_api_tokens()").scalar(connection))


def _tenant_of(token: str) -> UUID | None:
    shape = _SHAPE.fullmatch(token)
    try:
        return UUID(bytes=base64.urlsafe_b64decode(shape[1])[:16]) if shape else None
    except binascii.Error:
        return None
