"""The service's Celery app with one task more, which does nothing: what Celery and Redis cost by themselves.

celery -A benchmarks.noop worker …
"""

from workers.celery_app import app

__all__ = ["app", "noop"]


def _noop() -> None:
    """Do nothing."""


noop = app.task(_noop, name="benchmarks.noop")
