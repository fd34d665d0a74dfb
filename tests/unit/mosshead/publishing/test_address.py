"""The broker's address: accepted URLs, errors for the others, and no password shown."""

import pytest

from mosshead.errors import ConfigurationError
from mosshead.publishing.address import parse_broker_url
from mosshead.publishing.broker import broker_at

SENTINELS = "sentinel://user:s3cret%40@one:26379,two:26380/2?master=main&sentinel_password=0ther&ssl_cert_reqs=required"


def test_kombu_gets_the_whole_url_for_each_sentinel() -> None:
    address = parse_broker_url(SENTINELS)
    rest = "/2?ssl_cert_reqs=required"
    assert address.for_kombu == f"sentinel://user:s3cret%40@one:26379{rest};sentinel://user:s3cret%40@two:26380{rest}"
    assert (address.master, dict(address.sentinel_login)) == ("main", {"password": "0ther"})


def test_each_rabbitmq_node_is_tried_with_the_same_client() -> None:
    address = parse_broker_url("amqp://app:s3cret%2F@one:5672,two/memory")
    assert address.for_kombu == "pyamqp://app:s3cret%2F@one:5672/memory;pyamqp://app:s3cret%2F@two/memory"
    assert str(address) == "amqp://app:**@one:5672,two/memory"
    assert address.is_rabbitmq
    assert not parse_broker_url(SENTINELS).is_rabbitmq


def test_rabbitmq_certificate_is_verified_even_after_the_first_node_failed() -> None:
    with broker_at("amqps://app:x@one,two/memory?ssl_ca_certs=/ca.pem").open() as connection:
        seen = []
        for _ in range(2):
            seen.append((connection.hostname, connection.ssl))
            connection.maybe_switch_next()
    context = {"cafile": "/ca.pem", "check_hostname": True}
    assert seen == [(name, {"context": context, "server_hostname": name}) for name in ("one", "two")]


@pytest.mark.parametrize("url", ["redis://", "redis://cache", "rediss://app:x@[::1]:6379/3?ssl_cert_reqs=none"])
def test_url_of_one_redis_is_unchanged(url: str) -> None:
    assert parse_broker_url(url).for_kombu == url


def test_address_is_shown_without_passwords() -> None:
    address = parse_broker_url(SENTINELS)
    assert str(address) == "sentinel://user:**@one:26379,two:26380/2"
    assert str(parse_broker_url("redis://:s3cret@cache")) == "redis://:**@cache/"
    assert not any(secret in repr(address) for secret in ("s3cret", "0ther"))


@pytest.mark.parametrize(
    ("url", "advice"),
    [
        ("sentinel://:s3cret@one:26379/0", r"name the master that the sentinels watch, such as \?master="),
        ("sentinel://:s3cret@one;sentinel://:s3cret@two/0?master=main", "separate several hosts by commas"),
        ("redis://:s3cret@one:6379,two:6379/0", "redis:// takes one host; use sentinel:// for several"),
        ("sentinel://:s3cret@one:26379,two:port/0?master=main", "not a broker's URL"),
        ("redis://:s3cret@one:6379/word", "not a broker's URL"),
        ("kafka://:s3cret@one:9092", "not a broker's URL"),
    ],
)
def test_unusable_url_is_refused_with_advice(url: str, advice: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"^MOSSHEAD_BROKER_URL: {advice}.*it looks like redis://") as refused:
        parse_broker_url(url)
    assert "s3cret" not in str(refused.value)
