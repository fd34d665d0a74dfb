"""Run `mosshead serve` in a separate process, with a running machine behind it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from sqlalchemy import Engine

from db.api_tokens import add_token
from db.engine import open_engine
from mosshead.contrib.server.tokens import checked_scopes, digest_of, new_token
from mosshead.paths import NamespacePrefix
from mosshead.store.connection import tenant_transaction
from workers.local import Addresses

_WAIT = 60


class Served:
    """A running server, as its operator sees it."""

    def __init__(self, address: str, engine: Engine, log: Path) -> None:
        self.address, self._engine, self._log = address, engine, log

    def token(self, opens: str, scopes: str = "read,write") -> str:
        """Create a token, as `mosshead token create` does."""
        prefix = NamespacePrefix.of(opens.split("/"))
        token, allowed = new_token(prefix.tenant_id), checked_scopes(scopes.split(","))
        with tenant_transaction(self._engine, prefix.tenant_id) as connection:
            add_token(connection, prefix, digest_of(token), scopes=allowed, name="", lasting=None)
        return token

    def client(self, opens: str, scopes: str = "read,write") -> httpx.Client:
        """Return a client with a new token."""
        bearer = {"Authorization": f"Bearer {self.token(opens, scopes)}"}
        return httpx.Client(base_url=self.address, headers=bearer, timeout=60)

    def log(self) -> str:
        """Return the server's log so far."""
        return self._log.read_text(encoding="utf-8")


def environment_of(addresses: Addresses, folder: Path) -> dict[str, str]:
    """Return the environment that a process needs to reach a machine, with its own spool."""
    return {**os.environ, **addresses.environment(), "MOSSHEAD_SPOOL_DIR": str(folder / "spool")}


@contextmanager
def served(addresses: Addresses, folder: Path, *options: str) -> Iterator[Served]:
    """Run a server on a free loopback port. options: for `mosshead serve`."""
    engine = open_engine(addresses.worker_url, setting="MOSSHEAD_WORKER_URL")
    command = [sys.executable, "-m", "mosshead", "serve", "--port", "0", *options]
    log = folder / "server.log"
    with (
        log.open("w") as written,
        subprocess.Popen(
            command, env=environment_of(addresses, folder), stdout=subprocess.PIPE, stderr=written, text=True
        ) as process,
    ):
        assert process.stdout is not None
        said = process.stdout.readline()
        assert "http://" in said, log.read_text()
        try:
            yield Served(said.partition(" at ")[2].partition(": REST")[0], engine, log)
        finally:
            process.terminate()
            process.wait(_WAIT)
            engine.dispose()
