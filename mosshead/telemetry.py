"""Report recall to OpenTelemetry: a span ``search_memory`` and its duration for each read that recalls.

Names, kind and buckets follow the semantic conventions for generative AI, which are in development. No texts or names are
recorded. Apps that have not loaded OpenTelemetry's API are unaffected.
"""

import sys
import time
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeVar
from uuid import UUID

if TYPE_CHECKING:
    from opentelemetry.metrics import Histogram

_T = TypeVar("_T")

_OPERATION: Final = "search_memory"
_COMMON: Final = {"gen_ai.operation.name": _OPERATION, "gen_ai.provider.name": "mosshead"}
_BUCKETS: Final = [0.01 * 2**power for power in range(14)]


def observed(read: Callable[[], _T], store_id: UUID) -> _T:
    """Run a read that recalls, and record it if the app uses OpenTelemetry. store_id: The namespace's id."""
    if "opentelemetry.trace" not in sys.modules and "opentelemetry.metrics" not in sys.modules:
        return read()
    from opentelemetry.trace import SpanKind, StatusCode, get_tracer

    span = get_tracer("mosshead").start_span(
        _OPERATION, kind=SpanKind.CLIENT, attributes={**_COMMON, "gen_ai.memory.store.id": str(store_id)}
    )
    started, failed = time.perf_counter(), dict[str, str]()
    try:
        answer = read()
        found: Any = getattr(answer, "memories", getattr(answer, "hits", ()))
        span.set_attribute("gen_ai.memory.record.count", len(found))
    except BaseException as error:
        failed = {"error.type": type(error).__name__}  # the message may contain text
        raise
    finally:
        _duration().record(time.perf_counter() - started, {**_COMMON, **failed})
        if failed:
            span.set_attributes(failed)
            span.set_status(StatusCode.ERROR)
        span.end()
    return answer


@cache
def _duration() -> "Histogram":
    from opentelemetry.metrics import get_meter

    return get_meter("mosshead").create_histogram(
        "gen_ai.client.operation.duration",
        "s",
        "GenAI operation duration.",
        explicit_bucket_boundaries_advisory=_BUCKETS,
    )
