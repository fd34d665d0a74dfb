"""Flower as the service runs it: the Celery app, a login for every page, and queue lengths from any broker.

By default, Flower protects its pages but serves its Prometheus metrics, which name workers and tasks, to everybody. It reads
queue lengths from one host only, and from RabbitMQ through the management plugin, which may not be installed.
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

app.conf.include = []  # Flower shows tasks from the workers' events, and does not need their code

Metrics.get = authenticated(Metrics.get)


class _Lengths:
    """Returns queue lengths to Flower, read over a connection like the workers' own."""

    async def queues(self, names: Iterable[str]) -> list[dict[str, Any]]:
        return await asyncio.to_thread(self._queues, names)

    def _queues(self, names: Iterable[str]) -> list[dict[str, Any]]:
        broker = broker_at(settings().broker())
        with app.connection_for_read() as connection:
            broker.connect(connection)
            return [{"name": name, "messages": broker.length(connection, name)} for name in names]


BaseHandler.get_broker = lambda _handler: _Lengths()
