"""Create, list and revoke the server's tokens for an operator. The server itself reads them through a view."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import Connection

from mosshead.ids import uuid7
from mosshead.paths import NamespacePrefix
from mosshead.store.connection import Sql


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A token without its secret, which only its holder knows."""

    id: UUID
    prefix: tuple[str, ...]
    scopes: tuple[str, ...]
    name: str
    created_at: datetime
    expires_at: datetime | None


def add_token(
    connection: Connection,
    prefix: NamespacePrefix,
    digest: bytes,
    *,
    scopes: Collection[str],
    name: str,
    lasting: timedelta | None,
) -> UUID:
    """Store a token's digest and return its id. The tenant must be set, but need not have published anything yet."""
    token_id = uuid7()
    Sql("""
        insert into mosshead.tenants (tenant_id, name) values (%(tenant_id)s, %(tenant)s) on conflict do nothing;
        insert into mosshead.api_tokens (tenant_id, token_id, digest, prefix, scopes, name, expires_at)
        values (%(tenant_id)s, %(token_id)s, %(digest)s, %(prefix)s, %(scopes)s, %(name)s, now() + %(lasting)s::interval)
    """).run(
        connection,
        tenant_id=prefix.tenant_id,
        tenant=prefix.parts[0],
        token_id=token_id,
        digest=digest,
        prefix=list(prefix.parts),
        scopes=sorted(scopes),
        name=name,
        lasting=lasting,
    )
    return token_id


def tokens(connection: Connection, tenant_id: UUID) -> Sequence[ApiToken]:
    """Return a tenant's tokens, oldest first, including expired ones. The tenant must be set."""
    rows = Sql("""
        select token_id, prefix, scopes, name, created_at, expires_at from mosshead.api_tokens
        where tenant_id = %(tenant_id)s order by created_at, token_id
    """).rows(connection, tenant_id=tenant_id)
    return [
        ApiToken(row.token_id, tuple(row.prefix), tuple(row.scopes), row.name, row.created_at, row.expires_at)
        for row in rows
    ]


def revoke_token(connection: Connection, tenant_id: UUID, token_id: UUID) -> bool:
    """Delete a tenant's token; return False if there is none. The tenant must be set."""
    return Sql("""
        delete from mosshead.api_tokens where tenant_id = %(tenant_id)s and token_id = %(token_id)s
    """).changes(connection, tenant_id=tenant_id, token_id=token_id)
