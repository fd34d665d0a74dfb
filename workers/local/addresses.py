"""Addresses and logins of the parts of a running machine."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from workers.local.ports import LOOPBACK


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of a machine that is up.

    admin_url: the superuser of the embedded Postgres, only for migrations; None if the Postgres is not ours.
    database_url, ingest_url, worker_url: the logins of the roles that the migrations create. probe_port: the port of the intake's
    probes; the scheduler and the worker use the next two.
    """

    data_dir: Path
    database_url: str
    ingest_url: str
    worker_url: str
    admin_url: str | None
    broker_url: str
    flower_port: int
    flower_password: str
    console_port: int
    probe_port: int
    flower_user: ClassVar[str] = "mosshead"

    @property
    def flower_url(self) -> str:
        return f"http://{LOOPBACK}:{self.flower_port}"

    @property
    def console_url(self) -> str:
        """The console's address, if it runs; it takes Flower's login."""
        return f"http://{LOOPBACK}:{self.console_port}"

    def environment(self) -> Mapping[str, str]:
        """Return the environment variables of the service's processes. It holds passwords: never put it on a command line."""
        login = f"{self.flower_user}:{self.flower_password}"
        return {
            "MOSSHEAD_DATABASE_URL": self.database_url,
            "MOSSHEAD_INGEST_URL": self.ingest_url,
            "MOSSHEAD_WORKER_URL": self.worker_url,
            "MOSSHEAD_BROKER_URL": self.broker_url,
            "MOSSHEAD_DATA_DIR": str(self.data_dir),
            "FLOWER_PORT": str(self.flower_port),
            "FLOWER_BASIC_AUTH": login,
            "FLOWER_READ_ONLY": "true",
            "FLOWER_UNAUTHENTICATED_API": "false",
            "MOSSHEAD_CONSOLE_PORT": str(self.console_port),
            "MOSSHEAD_CONSOLE_AUTH": login,
            "MOSSHEAD_PROBE_HOST": LOOPBACK,
            "MOSSHEAD_PROBE_PORT": str(self.probe_port),
        }

    def env_file(self) -> str:
        """Return the two addresses that an app needs, as shell assignments."""
        wanted = ("MOSSHEAD_DATABASE_URL", "MOSSHEAD_BROKER_URL")
        return "".join(f"{name}={shlex.quote(self.environment()[name])}\n" for name in wanted)
