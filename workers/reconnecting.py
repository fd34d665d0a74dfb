"""The connections of the Celery app: what they let in, and how they come back to a Redis that was away."""

from typing import Any

from celery.app.amqp import AMQP
from kombu.connection import Connection

from workers.transport import Transport

_MOST_SECONDS = 2.0


class _Connection(Connection):
    def get_transport_cls(self) -> Any:
        """Ours for each URL; the service takes no other broker than Redis."""
        return Transport

    # Kombu lets the pause between two tries grow to 30 seconds, for which a worker would idle beside a Redis that is back.
    def ensure_connection(self, *args: Any, **kwargs: Any) -> Any:
        return super().ensure_connection(*args, **{"interval_max": _MOST_SECONDS, **kwargs})  # type: ignore[no-untyped-call]


class Amqp(AMQP):  # type: ignore[misc]  # Celery has no types
    """The part of a Celery app that opens its connections."""

    Connection = _Connection
