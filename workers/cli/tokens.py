"""`mosshead token`: manage access to the server of `mosshead serve`."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer
from rich.markup import escape

from config.settings import settings
from db import api_tokens
from mosshead.arguments import id_of
from mosshead.cli.output import Json, in_utc, print_answer
from mosshead.contrib.server.tokens import DEFAULT_SCOPES, checked_scopes, digest_of, new_token
from mosshead.errors import NotFound
from mosshead.paths import NamespacePrefix
from mosshead.store.connection import tenant_transaction
from workers.cli.output import path_text, table, tenant_id_of
from workers.dependencies import logged_in

token_cli = typer.Typer(help="Manage the server's access tokens.", no_args_is_help=True)

Tenant = Annotated[str, typer.Argument(metavar="TENANT", help="By its name.")]


@token_cli.command()
def create(
    prefix: Annotated[
        str,
        typer.Argument(
            metavar="TENANT[/NAME…]",
            help="What it gives access to: a namespace and everything below it, or a whole tenant.",
        ),
    ],
    scopes: Annotated[str, typer.Option(help="What it may do: read, write, erase, separated by commas.")] = ",".join(
        DEFAULT_SCOPES
    ),
    name: Annotated[str, typer.Option(help="A name of your choice, shown in the list.")] = "",
    days: Annotated[
        float | None, typer.Option(min=0.001, max=36_500, help="Days until it expires. By default it never does.")
    ] = None,
    json_output: Json = False,
) -> None:
    """Create a token and show it this once; only its hash is kept."""
    opened, allowed = NamespacePrefix.of(prefix.split("/")), checked_scopes(scopes.replace(" ", "").split(","))
    token, lasting = new_token(opened.tenant_id), None if days is None else timedelta(days=days)
    with logged_in(settings()) as engine, tenant_transaction(engine, opened.tenant_id) as connection:
        token_id = api_tokens.add_token(
            connection, opened, digest_of(token), scopes=allowed, name=name, lasting=lasting
        )
    answer = {"token": token, "id": token_id, "prefix": opened.parts, "scopes": sorted(allowed)}
    revoking = f"'mosshead token revoke {opened.parts[0]} {token_id}' revokes it."
    print_answer(json_output, answer, escape(f"{token}\nIt is shown this once. {revoking}"))


@token_cli.command("list")
def list_tokens(tenant: Tenant, json_output: Json = False) -> None:
    """List the tokens of a tenant, without their secrets."""
    tenant_id = tenant_id_of(tenant)
    with logged_in(settings()) as engine, tenant_transaction(engine, tenant_id) as connection:
        found = api_tokens.tokens(connection, tenant_id)
    rows = [
        (one.id, path_text(one.prefix), " ".join(one.scopes), one.name, in_utc(one.created_at), _until(one.expires_at))
        for one in found
    ]
    columns = ("id", "opens", "scopes", "name", "made (UTC)", "until (UTC)")
    print_answer(json_output, {"tokens": found}, table(columns, rows, nothing=f"{tenant} has no tokens."))


@token_cli.command()
def revoke(
    tenant: Tenant,
    token_id: Annotated[str, typer.Argument(help="A token's id, as 'mosshead token list' shows it.")],
    json_output: Json = False,
) -> None:
    """Revoke a token: the next request that uses it is refused."""
    tenant_id, wanted = tenant_id_of(tenant), id_of("token_id", token_id)
    with logged_in(settings()) as engine, tenant_transaction(engine, tenant_id) as connection:
        if not api_tokens.revoke_token(connection, tenant_id, wanted):
            raise NotFound(f"token_id: {tenant} has no token {wanted}; 'mosshead token list {tenant}' lists its tokens")
    print_answer(json_output, {"revoked": wanted}, f"revoked: {wanted}")


def _until(expires_at: datetime | None) -> str | None:
    if expires_at is None:
        return None
    return f"{in_utc(expires_at)}{' (expired)' if expires_at <= datetime.now(UTC) else ''}"
