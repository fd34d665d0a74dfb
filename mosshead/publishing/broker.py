"""The broker, for both sides: the names of the event queue, and how kombu talks to Redis.

Events travel as JSON text through kombu, not as Celery tasks: the app needs no Celery, and no text of a conversation stands in
task arguments, in Flower, or in the log line of an unknown task.
"""

from typing import Any

from kombu.connection import Connection
from kombu.entity import Exchange, Queue
from kombu.exceptions import KombuError, OperationalError
from redis.exceptions import RedisError

from mosshead.urls import check_broker_url, no_broker_url

QUEUE_NAME = "mosshead.events"
EXCHANGE = Exchange(QUEUE_NAME, type="direct", durable=True)
QUEUE = Queue(QUEUE_NAME, exchange=EXCHANGE, routing_key=QUEUE_NAME, durable=True)

KEY_PREFIX = "mosshead:events:"

BROKER_ERRORS = (KombuError, OperationalError, RedisError, OSError)
"""What kombu raises when the broker is away, hung, full or refuses the login; some of it is wrapped, and some is not."""


def open_connection(broker_url: str, *, socket_timeout: float = 3.0) -> Connection:
    """A connection to the broker, made at its first use. Raises ConfigurationError where the URL names no broker."""
    options = transport_options(socket_timeout, KEY_PREFIX)
    try:
        return Connection(check_broker_url(broker_url), transport_options=options)
    except ValueError:  # its words may hold a piece of the password
        raise no_broker_url() from None


def transport_options(socket_timeout: float, key_prefix: str, visibility_timeout: int | None = None) -> dict[str, Any]:
    """How kombu talks to Redis, for publisher, intake and workers alike. Times in seconds.

    key_prefix: before every key, so that another app on the same Redis is no neighbour by accident; one for each visibility
    time-out, for among those who share their keys the shortest wins. visibility_timeout: how long a consumer may hold a message
    before another gets it. None: Redis keeps no list of what is held, which a full Redis could not write.
    """
    held = {"ack_emulation": False} if visibility_timeout is None else {"visibility_timeout": visibility_timeout}
    return held | {
        "global_keyprefix": key_prefix,
        "socket_timeout": socket_timeout,
        "socket_connect_timeout": 2,
        "health_check_interval": 2,  # a consumer's connection that went silent is given up after 3 to 5 s
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "max_retries": 0,  # of connecting to publish; kombu would sleep for 2 s before it tries again
    }
