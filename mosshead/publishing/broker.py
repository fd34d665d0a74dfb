"""The broker, for the app and the service: the names of the event queue, and kombu's settings for Redis.

Events are sent as JSON text through kombu, not as Celery tasks. So the app needs no Celery, and no conversation text appears in
task arguments, in Flower, or in the log line of an unknown task.
"""

from typing import Any

from kombu.connection import Connection
from kombu.entity import Exchange, Queue
from kombu.exceptions import KombuError, OperationalError
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from mosshead.publishing.address import BrokerAddress, no_broker_url, parse_broker_url

QUEUE_NAME = "mosshead.events"
EXCHANGE = Exchange(QUEUE_NAME, type="direct", durable=True)
QUEUE = Queue(QUEUE_NAME, exchange=EXCHANGE, routing_key=QUEUE_NAME, durable=True)

KEY_PREFIX = "mosshead:events:"

BROKER_ERRORS = (KombuError, OperationalError, RedisError, OSError)
"""What kombu raises if the broker is down, hanging, full or refuses the login; it wraps only some of these."""


def open_connection(broker: BrokerAddress | str, *, socket_timeout: float = 3.0) -> Connection:
    """Return a connection to the broker, opened on first use. Raises ConfigurationError if the URL is not a broker's."""
    address = parse_broker_url(broker) if isinstance(broker, str) else broker
    options = transport_options(address, socket_timeout, KEY_PREFIX)
    try:
        return Connection(address.for_kombu, transport_options=options)
    except (TypeError, ValueError):  # its text may contain part of the password
        raise no_broker_url() from None


def queue_length(connection: Connection, queue: str) -> int:
    """Return how many messages wait in a queue, over an open connection. Raises one of BROKER_ERRORS."""
    # Not by kombu, which asks within a transaction: a full Redis refuses those, even of reads.
    channel: Any = connection.default_channel
    with channel.conn_or_acquire() as redis:
        return int(redis.llen(queue))


def transport_options(
    address: BrokerAddress, socket_timeout: float, key_prefix: str, visibility_timeout: int | None = None
) -> dict[str, Any]:
    """Return kombu's settings for Redis, for the publisher, the intake and the workers. Times are in seconds.

    Args:
        key_prefix: Put before every key, to keep other apps on the same Redis apart. Use one per visibility timeout: among
            clients that share keys, the shortest timeout wins.
        visibility_timeout: How long a consumer may hold a message before another gets it. None: Redis keeps no list of held
            messages, which a full Redis could not write.
    """
    sentinel = {
        "master_name": address.master,
        # By default redis-py would ask a sentinel that is gone for seconds, before it asks the next.
        "sentinel_kwargs": {"socket_timeout": 1.0, "retry": Retry(NoBackoff(), 0), **address.sentinel_login},
    }
    held = {"ack_emulation": False} if visibility_timeout is None else {"visibility_timeout": visibility_timeout}
    return (
        held
        | (sentinel if address.master else {})
        | {
            "global_keyprefix": key_prefix,
            "socket_timeout": socket_timeout,
            "socket_connect_timeout": 2,
            "health_check_interval": 2,  # a consumer gives up a silent connection after 3 to 5 s
            "unacked_restore_interval": 5,
            "unacked_restore_throttle": 1,
            "max_retries": 0,  # of connecting to publish; kombu would sleep for 2 s before a retry
        }
    )
