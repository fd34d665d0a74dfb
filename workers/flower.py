"""Flower as the service runs it: the Celery app, and a login for every page.

By default Flower protects its pages but serves its Prometheus metrics, which name workers and tasks, to everybody.
"""

from flower.views.monitor import Metrics
from tornado.web import authenticated

from workers.celery_app import app

__all__ = ["app"]

app.conf.include = []  # Flower shows tasks from the workers' events, and needs none of their code

Metrics.get = authenticated(Metrics.get)
