"""Flower as the service runs it: the Celery app, a login for every page, and the lengths of the queues at any broker.

By default Flower protects its pages but serves its Prometheus metrics, which name workers and tasks, to everybody. It asks one
host for the lengths, of RabbitMQ by its management plugin, which may not be there.
"""

import asyncio
from collections.abc import Iterable
from typing import Any

from flower.views import BaseHandler
from flower.views.monitor import Metrics
from tornado.web import authenticated

from config.settings import settings
from mosshead.publishing.broker import broker_at
from workers.celery_app import app

__all__ = ["app"]

app.conf.include = []  # Flower shows tasks from the workers' events, and needs none of their code

Metrics.get = authenticated(Metrics.get)


class _Lengths:
    """What Flower asks of a broker, asked over the connection by which the workers take tasks."""

    async def queues(self, names: Iterable[str]) -> list[dict[str, Any]]:
        return await asyncio.to_thread(self._queues, names)

    def _queues(self, names: Iterable[str]) -> list[dict[str, Any]]:
        broker = broker_at(settings().broker())
        with app.connection_for_read() as connection:
            broker.connect(connection)
            return [{"name": name, "messages": broker.length(connection, name)} for name in names]


BaseHandler.get_broker = lambda _handler: _Lengths()
