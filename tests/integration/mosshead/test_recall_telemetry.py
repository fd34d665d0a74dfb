"""What an app with OpenTelemetry records of its reads, through OpenTelemetry's own SDK."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import HistogramDataPoint, InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from mosshead import AsyncMemory, Memory, ReadTimeout
from mosshead.paths import NamespacePath
from tests.given import MINILM, Remembering
from workers.local import Addresses

ASKED = "Where does she live these days?"
OF_ALL = {"gen_ai.operation.name": "search_memory", "gen_ai.provider.name": "mosshead"}


class Telemetry:
    """The spans and durations that this process recorded."""

    def __init__(self) -> None:
        self.exporter, self._reader = InMemorySpanExporter(), InMemoryMetricReader()
        tracing = TracerProvider()
        tracing.add_span_processor(SimpleSpanProcessor(self.exporter))
        trace.set_tracer_provider(tracing)
        metrics.set_meter_provider(MeterProvider(metric_readers=[self._reader]))

    @property
    def spans(self) -> list[ReadableSpan]:
        return list(self.exporter.get_finished_spans())

    def durations(self, attributes: Mapping[str, Any]) -> tuple[int, tuple[float, ...]]:
        """Return how many durations were recorded with these attributes, and the bucket bounds."""
        data = self._reader.get_metrics_data()
        found = [
            (point.count, tuple(point.explicit_bounds))
            for resource in (data.resource_metrics if data else ())
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if (metric.name, metric.unit) == ("gen_ai.client.operation.duration", "s")
            for point in metric.data.data_points
            if isinstance(point, HistogramDataPoint) and point.attributes == attributes
        ]
        return found[0] if found else (0, ())


@cache
def recording() -> Telemetry:
    """A process can have only one recorder."""
    return Telemetry()


@pytest.fixture
def telemetry() -> Iterator[Telemetry]:
    recording().exporter.clear()
    yield recording()
    recording().exporter.clear()


def test_read_records_a_span_and_a_duration_without_any_content(
    telemetry: Telemetry, memory: Memory, fresh_namespace: NamespacePath, remembering: Remembering
) -> None:
    remembering.memory("User moved to Seattle", MINILM.embed(["User moved to Seattle"])[0])
    namespace = memory.namespace(*fresh_namespace.parts)
    before, _ = telemetry.durations(OF_ALL)

    assert len(namespace.query(ASKED)) == 1
    namespace.context(ASKED)
    namespace.messages.search(ASKED)

    assert [(span.name, span.kind) for span in telemetry.spans] == [("search_memory", SpanKind.CLIENT)] * 3
    store = {"gen_ai.memory.store.id": str(fresh_namespace.namespace_id)}
    assert telemetry.spans[0].attributes == {**OF_ALL, **store, "gen_ai.memory.record.count": 1}
    count, bounds = telemetry.durations(OF_ALL)
    assert (count - before, bounds[:3], bounds[-1]) == (3, (0.01, 0.02, 0.04), 81.92)
    shown = " ".join(span.to_json() for span in telemetry.spans)
    assert not any(word in shown for word in ("live", "Seattle", *fresh_namespace.parts))


def test_late_read_is_recorded_as_an_error_even_if_it_answers_in_part(
    telemetry: Telemetry, memory: Memory, fresh_namespace: NamespacePath
) -> None:
    namespace = memory.namespace(*fresh_namespace.parts)
    before, _ = telemetry.durations({**OF_ALL, "error.type": "ReadTimeout"})

    assert namespace.query(ASKED, timeout=1e-6).partial
    with pytest.raises(ReadTimeout):
        namespace.query(ASKED, timeout=1e-6, on_timeout="raise")

    assert telemetry.durations({**OF_ALL, "error.type": "ReadTimeout"})[0] - before == 2
    for span in telemetry.spans:
        assert (span.status.status_code, span.status.description, span.events) == (StatusCode.ERROR, None, ())


def test_read_in_an_event_loop_is_a_child_of_the_span_around_it(
    telemetry: Telemetry, addresses: Addresses, fresh_namespace: NamespacePath
) -> None:
    async def read() -> None:
        async with await AsyncMemory.connect(database_url=addresses.database_url, read_timeout=60) as memory:
            with trace.get_tracer("app").start_as_current_span("answer"):
                await memory.namespace(*fresh_namespace.parts).query(ASKED)

    asyncio.run(read())

    inner, outer = telemetry.spans
    assert (inner.name, outer.name) == ("search_memory", "answer")
    assert inner.parent == outer.context


def test_app_without_opentelemetry_does_not_load_it() -> None:
    code = (
        "import sys; from uuid import UUID; from mosshead.telemetry import observed; "
        "assert observed(lambda: 7, UUID(int=0)) == 7; assert not [one for one in sys.modules if 'opentelemetry' in one]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
