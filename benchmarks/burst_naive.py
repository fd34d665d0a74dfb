"""What the burst is held against: a Celery task for each message, with Celery's own settings, that asks the same LLM.

celery -A benchmarks.burst_naive worker --concurrency=4
"""

import json
import os
import urllib.request

import psycopg
from celery import Celery

app = Celery("naive", broker=os.environ.get("NAIVE_BROKER_URL", "redis://"))
app.conf.broker_connection_retry_on_startup = True
app.conf.task_ignore_result = True

_PROMPT = "BEGIN MESSAGES\n[1] user\n| {}\nEND MESSAGES"


def _remember(event_id: str, text: str) -> None:
    """Ask for the facts of one message, then write that it took effect."""
    _ask(_PROMPT.format(text))
    with psycopg.connect(os.environ["NAIVE_DATABASE_URL"]) as connection:
        connection.execute("insert into benchmark.naive_effects (event_id) values (%s)", (event_id,))


def _ask(prompt: str) -> None:
    body = {
        "model": "naive",
        "messages": [{"role": "user", "content": prompt}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "ExtractionAnswer"}},
    }
    request = urllib.request.Request(  # noqa: S310 - our own endpoint
        f"{os.environ['OPENAI_BASE_URL']}/chat/completions",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
        answer.read()


remember = app.task(_remember, name="naive.remember")
