"""Which Redis the service refuses, and which it waits for."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from redis import Redis
from structlog.testing import capture_logs

from mosshead.errors import ConfigurationError
from workers.broker import check_broker
from workers.local import Addresses

NOWHERE = "redis://127.0.0.1:1/0"


@pytest.fixture
def redis(addresses: Addresses) -> Iterator[Redis]:
    with Redis.from_url(addresses.broker_url) as connected:
        yield connected
        connected.config_set("maxmemory-policy", "noeviction")


def login(redis: Redis, addresses: Addresses, *commands: str) -> str:
    """The address for a login that may do no more than that."""
    name = f"user-{uuid4().hex}"
    redis.acl_setuser(name, enabled=True, passwords=["+secret"], keys=["*"], commands=list(commands))
    return f"redis://{name}:secret@{addresses.broker_url.rpartition('@')[2]}"


def test_the_embedded_redis_will_do(addresses: Addresses) -> None:
    with capture_logs() as logs:
        check_broker(addresses.broker_url)
    assert logs == []


@pytest.mark.parametrize("policy", ["allkeys-lru", "volatile-lru"])
def test_one_that_evicts_is_refused_with_what_to_do(redis: Redis, addresses: Addresses, policy: str) -> None:
    redis.config_set("maxmemory-policy", policy)
    with pytest.raises(ConfigurationError) as refused:
        check_broker(addresses.broker_url)
    message = str(refused.value)
    assert message.startswith("MOSSHEAD_BROKER_URL: ")
    assert policy in message
    assert "CONFIG SET maxmemory-policy noeviction" in message
    assert str(redis.connection_pool.connection_kwargs["password"]) not in message


def test_where_config_is_not_allowed_info_tells(redis: Redis, addresses: Addresses) -> None:
    url = login(redis, addresses, "+ping", "+info")
    with capture_logs() as logs:
        check_broker(url)
    assert logs == []
    redis.config_set("maxmemory-policy", "allkeys-lru")
    with pytest.raises(ConfigurationError, match="allkeys-lru"):
        check_broker(url)


def test_where_neither_is_allowed_it_is_said_that_nothing_was_seen(redis: Redis, addresses: Addresses) -> None:
    with capture_logs() as logs:
        check_broker(login(redis, addresses, "+ping"))
    assert [entry["event"] for entry in logs] == ["eviction_policy_unseen"]


def test_a_wrong_password_is_refused_and_not_repeated(addresses: Addresses) -> None:
    url = f"redis://:no-such-password@{addresses.broker_url.rpartition('@')[2]}"
    with pytest.raises(ConfigurationError, match=r"MOSSHEAD_BROKER_URL: .* refuses the login") as refused:
        check_broker(url)
    assert "no-such-password" not in str(refused.value)


@pytest.mark.parametrize(
    "url", ["kafka://host/", "redis://:pass/word@host:6379/0", "redis://host/word", "redis://host/0?word=1", "nonsense"]
)
def test_what_is_no_address_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ConfigurationError, match="MOSSHEAD_BROKER_URL: not a broker's URL") as refused:
        check_broker(url)
    assert url not in str(refused.value)
    assert "word" not in str(refused.value)


@pytest.mark.parametrize("words", ["CERT_REQUIRED", "required"])
def test_certificates_are_asked_for_in_the_words_that_kombu_reads(words: str) -> None:
    asked = iter([False, True])
    with capture_logs() as logs:
        check_broker(f"rediss://127.0.0.1:1/0?ssl_cert_reqs={words}", stopped=lambda: next(asked))
    assert [entry["event"] for entry in logs] == ["broker_away"]


def test_one_that_is_away_is_waited_for_until_we_are_asked_to_stop_and_reported_once() -> None:
    asked = iter([False, False, True])
    with capture_logs() as logs:
        check_broker(NOWHERE, stopped=lambda: next(asked))
    assert [(entry["event"], entry["broker"]) for entry in logs] == [("broker_away", "redis://127.0.0.1:1/0")]
