"""The machine's servers: each is embedded, or the one that the settings name."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

import structlog

from config.settings import Settings
from mosshead.errors import ConfigurationError
from workers.local import supervisor
from workers.local.addresses import Addresses
from workers.local.data_dir import held, write_private
from workers.local.logs import kept_small
from workers.local.ports import free_port
from workers.local.postgres import postgres, postgres_binaries, url
from workers.local.processes import NOTES
from workers.local.redis import redis, redis_server
from workers.local.supervisor import end_leftovers

log = structlog.get_logger(__name__)


@contextmanager
def servers(settings: Settings, tuned: Mapping[str, str] | None = None) -> Iterator[Addresses]:
    """Hold the data folder and run the servers that the settings do not name: Postgres, Redis, both or neither.

    tuned: settings of the embedded Postgres.
    Inside the block the first SIGINT, SIGTERM or SIGHUP raises KeyboardInterrupt. The caller migrates the schema.

    Raises AlreadyUp if the folder is in use, ConfigurationError if a setting is wrong or a server does not start.
    """
    check(settings)
    with supervisor.interrupts(), ExitStack() as stack:
        folder = stack.enter_context(held(settings.data_dir))
        stack.enter_context(kept_small(folder.logs))
        # After a killed run, end the processes before the servers that they use.
        for kind in (NOTES, "redis", "postgres"):
            if ended := end_leftovers(folder.run / kind):
                log.warning("leftovers_ended", kind=kind, processes=ended)
        flower_port = free_port(settings.flower_port)
        folder.announce(f"http://127.0.0.1:{flower_port}")
        socket = None if settings.database_url else stack.enter_context(postgres(folder, tuned))
        broker_url = settings.broker_url or stack.enter_context(redis(folder))
        addresses = Addresses(
            data_dir=folder.path,
            database_url=url(socket, "mosshead_reader") if socket else settings.login("reader"),
            ingest_url=url(socket, "mosshead_ingest") if socket else settings.login("ingest"),
            worker_url=url(socket, "mosshead_worker") if socket else settings.login("worker"),
            admin_url=url(socket) if socket else None,
            broker_url=broker_url,
            flower_port=flower_port,
            flower_password=folder.secret("flower_password"),
            # Flower does not listen on its port yet.
            console_port=free_port(settings.console_port if settings.console_port != flower_port else 0),
            probe_port=free_port(settings.probe_port, run=3),
        )
        stack.callback(folder.env_file.unlink, missing_ok=True)
        write_private(folder.env_file, addresses.env_file())
        yield addresses


def check(settings: Settings) -> None:
    """Check the settings before anything starts. Raises ConfigurationError for a wrong one, or a missing server."""
    if not settings.broker_url:
        redis_server()
    if settings.database_url:
        return
    for name in ("admin_url", "ingest_url", "worker_url"):
        if getattr(settings, name):
            raise ConfigurationError(
                f"MOSSHEAD_{name.upper()} is set, but MOSSHEAD_DATABASE_URL is not. Set both to use your Postgres, "
                "or neither to run one on this machine"
            )
    postgres_binaries()
