"""The intake: takes events from the queue, checks them, and puts them into the inbox; acknowledges after the commit."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import structlog
from kombu.message import Message
from kombu.messaging import Consumer
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from config.settings import Settings
from db import inbox
from db.engine import check_login, open_engine
from recollect.errors import InvalidEvent
from recollect.events import MAX_EVENT_BYTES, parse_event
from recollect.queue import BROKER_ERRORS, QUEUE, open_connection
from workers.retries import describe

_SETTING = "RECOLLECT_INGEST_URL"
_AT_ONCE = 200
_DRAIN_SECONDS = 0.05
_IDLE_SECONDS = 1.0
_BACK_OFF_SECONDS = 2.0

# Kombu reads each element of the Redis list as a message in JSON, and raises these where somebody pushed something else.
_FOREIGN = (ValueError, LookupError, TypeError, AttributeError)

_log = structlog.get_logger()


@dataclass(slots=True)
class Delivery:
    """Messages that were taken from the queue and are not acknowledged yet."""

    messages: list[Message] = field(default_factory=list)


def run_intake(settings: Settings, stopped: Callable[[], bool]) -> None:
    """Consume until ``stopped``. A broker or a database that is away is waited for, and nothing is acknowledged meanwhile.

    Raises ConfigurationError or StoreUnavailable at the start, where the login will not do.
    """
    broker_url = settings.broker()
    engine = open_engine(settings.login("ingest"), setting=_SETTING)
    check_login(engine, setting=_SETTING)
    _log.info("intake_started")
    while not stopped():
        try:
            _consume(broker_url, engine, settings, stopped)
        except (*BROKER_ERRORS, DBAPIError, *_FOREIGN) as error:
            _log.warning("intake_interrupted", error=describe(error))
            time.sleep(_BACK_OFF_SECONDS)
    engine.dispose()
    _log.info("intake_stopped")


def check_event(body: str | bytes) -> str:
    """One event, checked, as JSON text for the inbox. Raises InvalidEvent, which shows nothing of its text."""
    raw = body.encode() if isinstance(body, str) else bytes(body)
    if len(raw) > MAX_EVENT_BYTES:
        raise InvalidEvent(f"event: {len(raw):,} bytes, at most {MAX_EVENT_BYTES:,}")
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise InvalidEvent("event: not a JSON object")
    return parse_event(data, name_unknown=False).model_dump_json(exclude_none=True)


def _consume(broker_url: str, engine: Engine, settings: Settings, stopped: Callable[[], bool]) -> None:
    with open_connection(broker_url) as connection, connection.channel() as channel:
        delivery = Delivery()
        consumer = Consumer(channel, [QUEUE], on_message=delivery.messages.append, prefetch_count=_AT_ONCE)
        with consumer:
            while not stopped():
                _gather(connection.drain_events, delivery)
                if delivery.messages:
                    _take_in(delivery.messages, engine, settings)
                    delivery.messages.clear()


def _gather(drain: Callable[..., None], delivery: Delivery) -> None:
    """Wait for a message, then take what else is there, so that a burst is one transaction."""
    timeout = _IDLE_SECONDS
    while len(delivery.messages) < _AT_ONCE:
        try:
            drain(timeout=timeout)
        except TimeoutError:
            return
        timeout = _DRAIN_SECONDS


def _take_in(messages: Sequence[Message], engine: Engine, settings: Settings) -> None:
    events = []
    for message in messages:
        try:
            events.append(check_event(message.body))
        except InvalidEvent as error:
            _log.warning("event_refused", reason=str(error))
    quiet, most = timedelta(seconds=settings.debounce_seconds), timedelta(seconds=settings.debounce_most_seconds)
    with engine.begin() as connection:
        stored = inbox.publish(connection, events, quiet=quiet, most=most) if events else 0
    for message in messages:
        message.ack()
    _log.info("events_received", received=len(messages), stored=stored)
