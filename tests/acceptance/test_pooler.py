"""The service and two apps behind a real PgBouncer that gives each transaction a different Postgres connection.

This needs PgBouncer (`apt-get install pgbouncer`, or PGBOUNCER with its command), and is skipped without it. Versions before 1.22
do not fully track prepared statements, so none are used there.
"""

import asyncio
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import psycopg
import pytest

from mosshead import AsyncMemory, Context, Memory
from tests.acceptance.running import Running, machine
from workers.local import Addresses, accounts, wait_until
from workers.local.ports import LOOPBACK, free_port
from workers.local.postgres import DATABASE, postgres_binaries

PGBOUNCER = os.environ.get("PGBOUNCER") or shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
SERVER_CONNECTIONS = 4
"""Connections per login: fewer than clients, so that all clients share each."""

USERS = range(6)
READS_OF_A_USER = 50
TOWNS = ("Leeds", "York", "Hull", "Bath", "Derby", "Poole", "Truro", "Wells", "Ripon", "Ely", "Durham", "Exeter")

pytestmark = pytest.mark.skipif(
    PGBOUNCER is None, reason="there is no PgBouncer: apt-get install pgbouncer, or set PGBOUNCER to its command"
)


def tracks_prepared_statements() -> bool:
    """Whether this PgBouncer tracks prepared statements."""
    assert PGBOUNCER is not None
    said = subprocess.run([PGBOUNCER, "--version"], check=True, capture_output=True, text=True).stdout
    version = re.search(r"(\d+)\.(\d+)", said)
    assert version, said
    return tuple(map(int, version.groups())) >= (1, 22)


@contextmanager
def pooled(straight: Addresses, *, tracking: bool) -> Iterator[Addresses]:
    """Return the same addresses through a PgBouncer with transaction pooling, which rotates its connections."""
    assert PGBOUNCER is not None
    assert straight.admin_url is not None
    folder, port = straight.data_dir / "pgbouncer", free_port()
    account = accounts.server_account("postgres", postgres_binaries().parent)  # PgBouncer refuses to run as root
    roles = ("mosshead_reader", "mosshead_ingest", "mosshead_worker")
    with psycopg.connect(straight.admin_url) as connection:
        socket = connection.info.host
    settings = {
        "listen_addr": LOOPBACK,
        "listen_port": port,
        "unix_socket_dir": "",
        "auth_type": "trust",
        "auth_file": folder / "users.txt",
        "pool_mode": "transaction",
        "default_pool_size": SERVER_CONNECTIONS,
        "server_round_robin": 1,
        "max_client_conn": 300,
        **({"max_prepared_statements": 200} if tracking else {}),
    }
    folder.mkdir()
    (folder / "users.txt").write_text("".join(f'"{role}" ""\n' for role in roles), encoding="utf-8")
    (folder / "pgbouncer.ini").write_text(
        f"[databases]\n* = host={socket} port=5432\n[pgbouncer]\n"
        + "".join(f"{name} = {value}\n" for name, value in settings.items()),
        encoding="utf-8",
    )
    accounts.let_reach(account, folder)
    accounts.give(account, folder)
    log = straight.data_dir / "logs" / "pgbouncer.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [PGBOUNCER, str(folder / "pgbouncer.ini")],
            stdout=output,
            stderr=subprocess.STDOUT,
            **accounts.running_as(account),
        )
    reader, ingest, worker = (f"postgresql://{role}@/{DATABASE}?host={LOOPBACK}&port={port}" for role in roles)
    try:
        wait_until(lambda: process.poll() is not None or answers(reader), timeout=30, what="PgBouncer")
        assert process.poll() is None, log.read_text(errors="replace")
        yield replace(straight, database_url=reader, ingest_url=ingest, worker_url=worker)
    finally:
        process.terminate()
        process.wait(30)


def answers(url: str) -> bool:
    """Whether Postgres answers at a URL."""
    try:
        with psycopg.connect(url, connect_timeout=5, prepare_threshold=None) as connection:
            return connection.execute("select true").fetchone() == (True,)
    except psycopg.OperationalError:
        return False


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A machine whose processes reach Postgres only through the pooler."""
    tracking = tracks_prepared_statements()
    environment = {
        "OPENAI_API_KEY": "",
        "OPENAI_BASE_URL": "",
        "MOSSHEAD_GAP_SECONDS": "3600",
        "MOSSHEAD_PREPARED_STATEMENTS": str(tracking).lower(),
    }
    through = partial(pooled, tracking=tracking)
    with machine(tmp_path_factory.mktemp("pooled"), environment, through=through) as started:
        yield started


def faults(context: Context, town: str) -> list[str]:
    """Return what is wrong with a context: too late, or towns where its user does not live."""
    late = [context.reason] if context.reason else []
    return late + [other for other in TOWNS if other != town and other in context.text]


def test_service_and_600_reads_through_the_pooler_lose_and_mix_up_nothing(behind: Running) -> None:
    """One app reads in threads, the other in an event loop; each has its own tenant, and a town for each user."""
    towns = {("threads", user): TOWNS[user] for user in USERS} | {("loop", user): TOWNS[6 + user] for user in USERS}

    def in_threads(user: int, memory: Memory) -> list[str]:
        town, namespace = towns["threads", user], memory.namespace("threads", f"user-{user}")
        namespace.publish(f"I live in {town}.")
        return [fault for _ in range(READS_OF_A_USER) for fault in faults(namespace.context("Where do I live?"), town)]

    async def in_the_loop() -> list[str]:
        async with await AsyncMemory.connect(
            database_url=behind.addresses.database_url,
            broker_url=behind.addresses.broker_url,
            spool_dir=behind.addresses.data_dir / "spool-of-the-loop",
            read_timeout=60,
        ) as memory:

            async def of_user(user: int) -> list[str]:
                town, namespace = towns["loop", user], memory.namespace("loop", f"user-{user}")
                await namespace.publish(f"I live in {town}.")
                read = [await namespace.context("Where do I live?") for _ in range(READS_OF_A_USER)]
                await namespace.wait(timeout=90)
                return [fault for one in read for fault in faults(one, town)]

            return [fault for some in await asyncio.gather(*map(of_user, USERS)) for fault in some]

    with ThreadPoolExecutor(len(USERS) + 1) as threads:
        loop = threads.submit(asyncio.run, in_the_loop())
        found = list(threads.map(partial(in_threads, memory=behind.memory), USERS))
    assert [*found, loop.result()] == [[]] * (len(USERS) + 1)

    for (app, user), town in towns.items():
        namespace = behind.memory.namespace(app, f"user-{user}")
        namespace.wait(timeout=90)
        assert town in namespace.context("Where do I live?").text
    assert behind.rows("select state, count(*) from mosshead.events group by state") == [("done", len(towns))]
    assert behind.rows("select count(*) from mosshead.dead_letters") == [(0,)]


def test_pooled_connection_keeps_no_tenant_of_an_earlier_transaction(behind: Running) -> None:
    told = behind.memory.namespace("told", "nora")
    told.publish("I collect stamps.")
    told.wait(timeout=90)
    with psycopg.connect(behind.addresses.database_url, prepare_threshold=None) as connection:
        for _ in range(3 * SERVER_CONNECTIONS):
            assert told.query("What do I collect?")
            seen = connection.execute(
                "select count(*), coalesce(current_setting('mosshead.tenant_id', true), '') from mosshead_read_v1.memories"
            )
            assert seen.fetchone() == (0, "")
            connection.commit()


def test_transaction_limits_of_the_service_hold_behind_the_pooler(behind: Running) -> None:
    limits = "select current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout')"
    for url in (behind.addresses.worker_url, behind.addresses.ingest_url):
        with psycopg.connect(url, prepare_threshold=None) as connection:
            assert connection.execute(limits).fetchone() == ("30s", "1min")
