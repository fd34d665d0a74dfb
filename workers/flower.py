"""Flower as the service runs it: the Celery app, and a login before all that Flower tells of it.

Flower leaves its figures for Prometheus open to everybody, beside pages that ask for a login. They name workers and tasks.
"""

from flower.views.monitor import Metrics
from tornado.web import authenticated

from workers.celery_app import app

__all__ = ["app"]

app.conf.include = []  # Flower shows tasks by what workers tell of them, and needs none of their code

Metrics.get = authenticated(Metrics.get)
