"""Access tokens: scopes and namespaces. Operators create them with `mosshead token`; only their SHA-256 is stored."""

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
"""What a token permits. write: publish, remember, and other changes that can be undone. erase: changes that cannot."""

SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
DEFAULT_SCOPES: Final[tuple[Scope, ...]] = ("read", "write")

_MARK = "mosshead_"
_RANDOM_BYTES = 32
_SHAPE = re.compile(rf"{_MARK}([A-Za-z0-9_-]{{64}})")


class AccessDenied(MossheadError):
    """A token does not permit a request."""


@dataclass(frozen=True, slots=True)
class Access:
    """What a request may do. token_id: For the log; None on standard input, which has no token."""

    prefix: NamespacePrefix
    scopes: frozenset[Scope]
    token_id: UUID | None = None

    def path(self, asked: str | None) -> NamespacePath:
        """Return the namespace of a request, such as "acme/sarah_123"; by default the token's prefix, if that is a namespace.

        Raises InvalidNamespace if it is not a namespace, and AccessDenied if the token does not cover it.
        """
        mine = "/".join(self.prefix.parts)
        if asked is None and len(self.prefix.parts) == 1:
            raise InvalidNamespace(f"namespace: missing; this token covers all of {mine}, so pass a namespace below it")
        path = NamespacePath.of(self.prefix.parts if asked is None else asked.split("/"))
        if path.parts[: len(self.prefix.parts)] != self.prefix.parts:
            raise AccessDenied(
                f"namespace: this token covers only {mine}; pass a namespace below it, or use another token"
            )
        return path

    def require(self, scope: Scope) -> None:
        """Raise AccessDenied if the token lacks a scope."""
        if scope not in self.scopes:
            raise AccessDenied(f"token: lacks the scope {scope!r}; use a token created with --scopes {scope}")


def checked_scopes(scopes: Iterable[str]) -> frozenset[Scope]:
    """Return the scopes of a token. Raises ConfigurationError if one is unknown or there are none."""
    given = frozenset(scopes)
    if not given or not given <= frozenset(SCOPES):
        raise ConfigurationError(f"scopes: one or more of {','.join(SCOPES)}, got {','.join(sorted(given)) or 'none'}")
    return cast("frozenset[Scope]", given)


def new_token(tenant_id: UUID) -> str:
    """Create a token. It contains the tenant's id, so that its look-up reads only that tenant's rows."""
    return _MARK + base64.urlsafe_b64encode(tenant_id.bytes + secrets.token_bytes(_RANDOM_BYTES)).decode()


def digest_of(token: str) -> bytes:
    """Return the digest under which a token is stored."""
    return hashlib.sha256(token.encode()).digest()


def find_access(engine: Engine, token: str) -> Access | None:
    """Return the access of a token, or None if it is invalid, revoked or expired. Raises StoreUnavailable."""
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
    """Return whether any tenant has a token. Raises StoreUnavailable."""
    with tenant_transaction(engine, UUID(int=0)) as connection:
        return bool(Sql("select mosshead_read_v1.has_api_tokens()").scalar(connection))


def _tenant_of(token: str) -> UUID | None:
    shape = _SHAPE.fullmatch(token)
    try:
        return UUID(bytes=base64.urlsafe_b64decode(shape[1])[:16]) if shape else None
    except binascii.Error:
        return None
