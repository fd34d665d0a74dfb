"""How a worker looks for a Redis that is away."""

import pytest

from workers.celery_app import app


class Enough(Exception):
    """The pause after the second try is known."""


def test_the_pause_between_two_tries_does_not_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kombu.utils.functional.sleep", lambda _seconds: None)
    pauses: list[float] = []

    def note(_error: Exception, pause: float) -> None:
        pauses.append(pause)
        if len(pauses) == 2:
            raise Enough

    with app.connection_for_read("redis://127.0.0.1:1/0") as connection, pytest.raises(Enough):
        connection.ensure_connection(note, None)  # as Celery's consumer calls it
    assert pauses == [2, 2]
