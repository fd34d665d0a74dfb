"""What the service is doing, for Prometheus: figures over all tenants, without names or text."""

import time
from collections.abc import Iterator
from threading import Lock
from typing import Final

import structlog
from prometheus_client import CollectorRegistry, Metric, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy.exc import DBAPIError

from config.settings import Settings
from db.engine import open_engine
from db.metrics import MEASURES, Measure
from mosshead.errors import QueueUnavailable
from workers.broker import queue_state
from workers.dependencies import WORKER_URL
from workers.failures import describe

_PREFIX: Final = "mosshead_"
_KEPT_SECONDS: Final = 5.0
"""How long a page is reused: the database is read at most this often, however many ask."""

_MOST_SECONDS: Final = 5.0
_MOST_OF_A_STATEMENT: Final = 2.0

_log = structlog.get_logger()


class MetricsPage:
    """The page ``/metrics``."""

    def __init__(self, settings: Settings) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_Service(settings))
        ProcessCollector(registry=self._registry)
        self._lock = Lock()
        self._page, self._made = b"", float("-inf")

    def read(self) -> bytes:
        """Return the page, at most some seconds old. Making it takes a few seconds at most, whatever Postgres and Redis do."""
        with self._lock:
            if time.monotonic() - self._made > _KEPT_SECONDS:
                self._page = generate_latest(self._registry)
                self._made = time.monotonic()
            return self._page


class _Service(Collector):
    """Reads Postgres and Redis. Unreadable figures are left out, and `mosshead_measure_failed` says so."""

    def __init__(self, settings: Settings) -> None:
        self._broker_url = settings.broker()
        self._login = settings.login("worker")
        self._prepared = settings.prepared_statements

    def describe(self) -> list[Metric]:
        """Return nothing: a registry would otherwise read everything to learn the names."""
        return []

    def collect(self) -> Iterator[Metric]:
        failed = GaugeMetricFamily(f"{_PREFIX}measure_failed", "1 where a part could not be read.", labels=["measure"])
        yield from self._of_postgres(failed)
        yield from self._of_redis(failed)
        yield failed

    def _of_postgres(self, failed: GaugeMetricFamily) -> Iterator[Metric]:
        until = time.monotonic() + _MOST_SECONDS
        # Opened for each page: no connection is held between infrequent requests.
        engine = open_engine(self._login, setting=WORKER_URL, prepared=self._prepared)
        try:
            for name, measure in MEASURES.items():
                try:
                    left = min(_MOST_OF_A_STATEMENT, until - time.monotonic())
                    rows = []
                    if left > 0:
                        with engine.connect() as connection:
                            rows = measure.rows(connection, milliseconds=max(1, round(1000 * left)))
                except DBAPIError as error:
                    _log.warning("metrics_not_read", measure=name, error=describe(error))
                    left = 0.0
                failed.add_metric([name], float(left <= 0))
                if left > 0:
                    yield from _families(measure, rows)
        finally:
            engine.dispose()

    def _of_redis(self, failed: GaugeMetricFamily) -> Iterator[Metric]:
        try:
            state = queue_state(self._broker_url)
        except QueueUnavailable as error:
            _log.warning("metrics_not_read", measure="broker", error=str(error))
            failed.add_metric(["broker"], 1.0)
            return
        failed.add_metric(["broker"], 0.0)
        for name, value, meaning in (
            ("queued_events", state.events, "Events that were published and that no intake has taken yet."),
            ("broker_memory_bytes", state.used, "Bytes that Redis uses."),
            ("broker_memory_max_bytes", state.most, "Bytes that Redis may use; 0 where it has no limit."),
        ):
            if value is not None:
                yield GaugeMetricFamily(_PREFIX + name, meaning, value=value)


def _families(measure: Measure, rows: list[tuple[object, ...]]) -> Iterator[Metric]:
    for place, (name, meaning) in enumerate(measure.gauges.items(), len(measure.labels)):
        family = GaugeMetricFamily(_PREFIX + name, meaning, labels=list(measure.labels))
        for row in rows:
            value = row[place]
            family.add_metric(
                [str(one) for one in row[: len(measure.labels)]], float("nan") if value is None else float(str(value))
            )
        yield family
