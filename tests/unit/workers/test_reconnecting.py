"""How a worker retries a Redis that is down."""

import pytest

from workers.celery_app import app


class Enough(Exception):
    """Raised once the pause after the second try is known."""


def test_pause_between_two_tries_does_not_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kombu.utils.functional.sleep", lambda _seconds: None)
    pauses: list[float] = []

    def note(_error: Exception, pause: float) -> None:
        pauses.append(pause)
        if len(pauses) == 2:
            raise Enough

    with app.connection_for_read("redis://127.0.0.1:1/0") as connection, pytest.raises(Enough):
        connection.ensure_connection(note, None)  # like Celery's consumer
    assert pauses == [2, 2]
