"""What the service is held against: a Celery task for each event, acknowledged late, on Redis, with Celery's own settings.

Its worker appends each event to a table. A run that loses none of these would show that the faults do not bite.
"""

import os
import time

import psycopg
from celery import Celery

app = Celery("naive", broker=os.environ.get("NAIVE_BROKER_URL", "redis://"))
app.conf.task_acks_late = True
app.conf.broker_connection_retry_on_startup = True

INSERT = "insert into benchmark.naive_effects (event_id) values (%s)"
WORK_SECONDS = 0.05


def _remember(event_id: str, text: str) -> None:
    """Take so long as an extraction, then write that the event took effect."""
    assert text
    time.sleep(WORK_SECONDS)
    with psycopg.connect(os.environ["NAIVE_DATABASE_URL"]) as connection:
        connection.execute(INSERT, (event_id,))


remember = app.task(_remember, name="naive.remember")
