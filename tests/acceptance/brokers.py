"""Brokers with several servers, which tests may kill; each is a separate process in a temporary folder."""

import os
import shutil
import signal
import subprocess
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from redis import Redis, RedisError
from redis.sentinel import Sentinel

from mosshead.publishing.broker import BROKER_ERRORS
from workers.broker import ping_broker
from workers.local import wait_until
from workers.local.ports import LOOPBACK, free_port
from workers.local.redis import redis_server

_DEBIANS = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
"""Debian's server itself; the command on the PATH, called by root, insists on its own account and that account's folders."""

RABBITMQ = os.environ.get("RABBITMQ_SERVER") or (
    str(_DEBIANS) if _DEBIANS.exists() else shutil.which("rabbitmq-server")
)

PASSWORD = "pass/word@8"
QUOTED = "pass%2Fword%408"
SENTINEL_PASSWORD = "of-sentinel"
MASTER = "mosshead"


class Cluster(Protocol):
    """A broker that survives the loss of one server."""

    @property
    def url(self) -> str:
        """The URL for MOSSHEAD_BROKER_URL."""

    @property
    def secrets(self) -> Collection[str]:
        """The texts that must never be shown."""

    def fail(self) -> None:
        """Kill the machine of the server that has the event queue, with SIGKILL."""

    def revive(self) -> None:
        """Restart the killed machine, and wait until it has rejoined."""

    def close(self) -> None:
        """Stop all servers."""


class _Servers:
    """Processes by name, each with its own log file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, command: list[str], env: dict[str, str] | None = None) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(
                command, cwd=self.folder, env=env, stdout=log, stderr=log, start_new_session=True
            )

    def kill(self, name: str) -> None:
        """Kill a process and all that it started."""
        process = self._running.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def close(self) -> None:
        for name in list(self._running):
            self.kill(name)


class RedisWithSentinels(_Servers):
    """A master, a replica and three sentinels, which agree on a new master two seconds after the first one died."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._sentinels = [free_port() for _ in range(3)]
        self._redis = [free_port() for _ in range(2)]
        self._killed = 0
        for port in self._redis:
            self._start_redis(port)
            wait_until(lambda port=port: self._role(port) is not None, timeout=20, what="Redis")  # type: ignore[misc]
        with self._at(self._redis[1]) as replica:
            replica.replicaof(LOOPBACK, str(self._redis[0]))
        for port in self._sentinels:
            (folder / f"{port}.conf").write_text(
                f"port {port}\nbind {LOOPBACK}\ndir {folder}\nrequirepass {SENTINEL_PASSWORD}\n"
                f"sentinel sentinel-pass {SENTINEL_PASSWORD}\n"
                f"sentinel monitor {MASTER} {LOOPBACK} {self._redis[0]} 2\nsentinel auth-pass {MASTER} {PASSWORD}\n"
                f"sentinel down-after-milliseconds {MASTER} 1000\nsentinel failover-timeout {MASTER} 5000\n",
                encoding="utf-8",
            )
            self._start_sentinel(port)
        wait_until(self._agreed, timeout=30, what="the sentinels")

    @property
    def secrets(self) -> Collection[str]:
        return PASSWORD, QUOTED, SENTINEL_PASSWORD

    @property
    def url(self) -> str:
        hosts = ",".join(f"{LOOPBACK}:{port}" for port in self._sentinels)
        return f"sentinel://:{QUOTED}@{hosts}/0?master={MASTER}&sentinel_password={SENTINEL_PASSWORD}"

    def fail(self) -> None:
        self._killed = self._master()
        self.kill(f"redis-{self._killed}")
        self.kill(f"sentinel-{self._sentinels[0]}")

    def revive(self) -> None:
        self._start_redis(self._killed)
        self._start_sentinel(self._sentinels[0])
        wait_until(lambda: self._role(self._killed) == "slave", timeout=60, what="the old master as a replica")

    def _start_sentinel(self, port: int) -> None:
        self.start(f"sentinel-{port}", [str(redis_server()), f"{port}.conf", "--sentinel"])

    def _start_redis(self, port: int) -> None:
        settings = {
            "port": str(port),
            "bind": LOOPBACK,
            "dir": str(self.folder),
            "dbfilename": f"{port}.rdb",
            "save": "",
        }
        settings |= {"requirepass": PASSWORD, "masterauth": PASSWORD, "maxmemory-policy": "noeviction"}
        settings |= {"repl-diskless-sync-delay": "0"}
        words = [word for name, value in settings.items() for word in (f"--{name}", value)]
        self.start(f"redis-{port}", [str(redis_server()), *words])

    def _at(self, port: int) -> Redis:
        return Redis(host=LOOPBACK, port=port, password=PASSWORD, socket_timeout=2, decode_responses=True)

    def _role(self, port: int) -> str | None:
        with self._at(port) as redis:
            try:
                return str(redis.info("replication")["role"])
            except RedisError:
                return None

    def _master(self) -> int:
        said = {"password": SENTINEL_PASSWORD, "socket_timeout": 2.0}
        sentinels: Any = Sentinel([(LOOPBACK, port) for port in self._sentinels], sentinel_kwargs=said)  # type: ignore[no-untyped-call]
        try:
            return int(sentinels.discover_master(MASTER)[1])
        finally:
            sentinels.close()

    def _agreed(self) -> bool:
        """Return whether each sentinel knows the other two and the replica; otherwise there would be no failover."""
        for port in self._sentinels:
            with Redis(host=LOOPBACK, port=port, password=SENTINEL_PASSWORD, decode_responses=True) as sentinel:
                try:
                    known = sentinel.sentinel_master(MASTER)
                except RedisError:
                    return False
                if known["num-other-sentinels"] != 2 or known["num-slaves"] != 1:
                    return False
        with self._at(self._redis[1]) as replica:
            return bool(replica.info("replication")["master_link_status"] == "up")


class RabbitNodes(_Servers):
    """Three nodes of one cluster; any two of them continue without the third."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._ports = {name: free_port() for name in ("one", "two", "three")}
        self._distribution = {name: free_port() for name in self._ports}
        self._epmd = free_port()
        self._failed = ""
        cookie = folder / ".erlang.cookie"
        cookie.write_text("of-these-nodes", encoding="ascii")
        cookie.chmod(0o400)
        peers = "".join(
            f"cluster_formation.classic_config.nodes.{number} = {name}@localhost\n"
            for number, name in enumerate(self._ports, 1)
        )
        (folder / "rabbitmq.conf").write_text(
            f"cluster_formation.peer_discovery_backend = classic_config\n{peers}"
            "cluster_formation.randomized_startup_delay_range.min = 0\n"
            "cluster_formation.randomized_startup_delay_range.max = 1\n"
            f"default_user = mosshead\ndefault_pass = {PASSWORD}\ndefault_vhost = memory\n",
            encoding="utf-8",
        )
        (folder / "plugins").write_text("[].", encoding="ascii")
        # Erlang's node directory; without it, the first node would start one that outlives it.
        self.start("epmd", ["epmd", "-port", str(self._epmd), "-address", LOOPBACK])
        for name in self._ports:
            self._start_node(name)
        self._wait_for(self._ports)

    @property
    def secrets(self) -> Collection[str]:
        return PASSWORD, QUOTED

    @property
    def url(self) -> str:
        hosts = ",".join(f"{LOOPBACK}:{port}" for port in self._ports.values())
        return f"amqp://mosshead:{QUOTED}@{hosts}/memory"

    def fail(self) -> None:
        """Kill the first node: all clients are connected to it, and it leads the queues, which were created there."""
        self._failed = "one"
        self.kill(self._failed)

    def revive(self) -> None:
        self._start_node(self._failed)
        self._wait_for([self._failed])

    def _start_node(self, name: str) -> None:
        assert RABBITMQ is not None
        own = self.folder / name
        own.mkdir(exist_ok=True)
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.folder),
            "LC_ALL": "C.UTF-8",
            "ERL_EPMD_PORT": str(self._epmd),
            "ERL_EPMD_ADDRESS": LOOPBACK,
            "RABBITMQ_NODENAME": f"{name}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": LOOPBACK,
            "RABBITMQ_NODE_PORT": str(self._ports[name]),
            "RABBITMQ_DIST_PORT": str(self._distribution[name]),
            "RABBITMQ_MNESIA_BASE": str(own),
            "RABBITMQ_LOG_BASE": str(own),
            "RABBITMQ_LOGS": "-",
            "RABBITMQ_CONFIG_FILE": str(self.folder / "rabbitmq.conf"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "plugins"),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+S 1:1 +sbwt none",  # they share the cores with the test
        }
        self.start(name, [RABBITMQ], environment)

    def _wait_for(self, names: Collection[str]) -> None:
        for name in names:
            url = f"amqp://mosshead:{QUOTED}@{LOOPBACK}:{self._ports[name]}/memory"
            wait_until(partial(_answers, url), timeout=240, what="RabbitMQ")


def _answers(url: str) -> bool:
    try:
        ping_broker(url)
    except BROKER_ERRORS:
        return False
    return True
