"""Liveness and readiness probes: a small HTTP server in a thread of each process.

``/healthz`` answers 200 while the process's loop turns, ``/readyz`` while it also reaches Postgres and the broker; otherwise they
answer 503. The scheduler also serves ``/metrics``. A probe starts no process, and no answer contains a name.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import inf
from threading import Lock, Thread, current_thread, main_thread
from typing import Any, Final, Literal

import structlog
from sqlalchemy.exc import DBAPIError

from config.settings import Settings
from db.engine import open_engine
from mosshead.publishing.broker import BROKER_ERRORS
from workers.broker import ping_broker
from workers.failures import describe

TURN_SECONDS: Final = 60.0
"""Maximum seconds for one turn of a loop; each of its statements may take at most half of that."""

METRICS: Final = "text/plain; version=0.0.4; charset=utf-8"

_KEPT_SECONDS: Final = 1.0
"""Seconds for which a reachability check is cached, so that a flood of probes opens few connections."""

_CLIENT_SECONDS: Final = 5.0

ProcessName = Literal["intake", "scheduler", "worker"]
_PORTS: Final[Mapping[ProcessName, int]] = {"intake": 0, "scheduler": 1, "worker": 2}
"""Each process's offset from MOSSHEAD_PROBE_PORT: they may share a machine and its environment."""

_log = structlog.get_logger()


class LoopWatch:
    """Records when a process's loop last turned. It counts as alive from the start, and may report that it waits."""

    def __init__(self, seconds: float = TURN_SECONDS) -> None:
        self._seconds = seconds
        self._turned = time.monotonic()

    def turn(self) -> None:
        """Note that the loop turned."""
        self._turned = time.monotonic()

    def wait(self) -> None:
        """Note that it starts or waits for the broker: alive, but not ready until it turns again."""
        self._turned = inf

    def watching(self, stopped: Callable[[], bool]) -> Callable[[], bool]:
        """Wrap ``stopped`` so that each call from the main thread also notes a turn."""

        def asked() -> bool:
            if current_thread() is main_thread():
                self.turn()
            return stopped()

        return asked

    @property
    def alive(self) -> bool:
        """Whether the loop turned recently, or waits."""
        return time.monotonic() - self._turned < self._seconds

    @property
    def waits(self) -> bool:
        """Whether the loop waits before it can turn."""
        return self._turned == inf


class Probes:
    """The answers of one process."""

    def __init__(self, settings: Settings, name: ProcessName, watch: LoopWatch) -> None:
        self._settings, self._name, self._watch = settings, name, watch
        self._lock = Lock()
        self._reached: Mapping[str, str] = {}
        self._looked = -inf
        self._metrics: Callable[[], bytes] | None = None

    def answer(self, path: str) -> tuple[HTTPStatus, str, bytes]:
        """Return the status, content type and body of an answer."""
        if path == "/healthz":
            return _plain({"loop": self._loop()})
        if path == "/readyz":
            loop = "waits" if self._watch.waits else self._loop()
            return _plain({"loop": loop, **self._reach()})
        if path == "/metrics" and self._name == "scheduler":
            return HTTPStatus.OK, METRICS, self._read_metrics()
        return HTTPStatus.NOT_FOUND, "text/plain", b"not found\n"

    def _loop(self) -> str:
        return "ok" if self._watch.alive else "stands still"

    def _reach(self) -> Mapping[str, str]:
        with self._lock:
            if time.monotonic() - self._looked > _KEPT_SECONDS:
                self._reached = {"postgres": self._postgres(), "broker": self._broker()}
                self._looked = time.monotonic()
            return self._reached

    def _postgres(self) -> str:
        # A new connection, closed at once: a worker may fork at any time, and a child would share an open one.
        role: Literal["ingest", "worker"] = "ingest" if self._name == "intake" else "worker"
        chosen = self._settings
        engine = open_engine(chosen.login(role), setting="MOSSHEAD_DATABASE_URL", prepared=chosen.prepared_statements)
        try:
            with engine.connect() as connection:
                connection.exec_driver_sql("select 1")
        except DBAPIError as error:
            return describe(error)
        finally:
            engine.dispose()
        return "ok"

    def _broker(self) -> str:
        try:
            ping_broker(self._settings.broker())
        except BROKER_ERRORS as error:
            return type(error).__name__
        return "ok"

    def _read_metrics(self) -> bytes:
        with self._lock:
            if self._metrics is None:
                # Import on first use: a scheduler without monitoring need not load it.
                from workers.metrics import MetricsPage

                self._metrics = MetricsPage(self._settings).read
        return self._metrics()


def _plain(answers: Mapping[str, str]) -> tuple[HTTPStatus, str, bytes]:
    fine = all(answer == "ok" for answer in answers.values())
    text = "".join(f"{name}: {answer}\n" for name, answer in answers.items())
    return HTTPStatus.OK if fine else HTTPStatus.SERVICE_UNAVAILABLE, "text/plain", text.encode()


class ProbeServer:
    """Serves the probes of a process from its own thread."""

    def __init__(self, probes: Probes, host: str, port: int) -> None:
        """Raises OSError if it cannot listen on the address."""

        class _OfProcess(_Handler):
            answer = staticmethod(probes.answer)

        self._server = _Server((host, port), _OfProcess)
        self.port = int(self._server.server_address[1])
        self._thread = Thread(target=self._server.serve_forever, name="probes", daemon=True)

    def start(self) -> None:
        """Start answering."""
        self._thread.start()

    def stop(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()

    def leave_to_parent(self) -> None:
        """Close the port in a forked child, which would otherwise keep it taken for its lifetime."""
        self._server.socket.close()


def serve_probes(settings: Settings, name: ProcessName, watch: LoopWatch) -> ProbeServer | None:
    """Serve the probes of this process; return None if the address is taken, and work continues without them."""
    port = settings.probe_port and settings.probe_port + _PORTS[name]
    try:
        server = ProbeServer(Probes(settings, name, watch), settings.probe_host, port)
    except OSError as error:
        _log.warning("probes_not_served", address=settings.probe_host, port=port, why=error.strerror)
        return None
    server.start()
    _log.info("probes_served", address=settings.probe_host, port=server.port)
    return server


@contextmanager
def probed(settings: Settings, name: ProcessName, stopped: Callable[[], bool]) -> Iterator[Callable[[], bool]]:
    """Serve the probes of a process inside the block. Its loop calls the yielded function instead of ``stopped``."""
    watch = LoopWatch()
    server = serve_probes(settings, name, watch)
    try:
        yield watch.watching(stopped)
    finally:
        if server:
            server.stop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, _request: Any, _address: Any) -> None:
        """Ignore the error: the client has disconnected."""


class _Handler(BaseHTTPRequestHandler):
    timeout = _CLIENT_SECONDS
    answer: Callable[[str], tuple[HTTPStatus, str, bytes]]

    def do_GET(self) -> None:
        status, kind, body = self.answer(self.path.partition("?")[0])
        with suppress(OSError):
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Log nothing, since probes come every few seconds."""

    def version_string(self) -> str:
        return "mosshead"
