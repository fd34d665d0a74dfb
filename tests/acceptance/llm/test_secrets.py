"""Secrets never become memories: none that an app publishes is found anywhere, and look-alikes stay."""

import base64
import binascii
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

from kombu.messaging import Producer
from redis import Redis

from mosshead import Memory
from mosshead.announcement import state_folder
from mosshead.publishing.broker import EXCHANGE, QUEUE, broker_at
from tests.acceptance.llm.test_canary import DATATABLE, FLOWER_PAGES
from tests.acceptance.running import Running
from tests.fake_openai import FakeOpenAI
from tests.given import as_text, event
from tests.secrets_given import CARRIERS, Given, carried, kinds, look_alikes, secrets
from workers.local.ports import free_port

SECRETS = 200
TO_THE_SERVICE = 96
"""Four of each kind. The unit tests of redaction use thousands."""

NAMESPACES = 4
PATIENCE_SECONDS = 300
FEWEST_ALIKE = 0.95

_BASE64 = re.compile(rb"[A-Za-z0-9+/]{24,}={0,2}")
_MADE_SURE = 9  # characters of a fragment that cannot occur by chance; for a PIN, its whole context is searched for


def needles(given: Given) -> list[str]:
    """Return what to search for: the secret, or a short one with its context."""
    return [part if len(part) >= _MADE_SURE else given.text for part in given.parts]


def found_in(place: str, seen: str, given: list[Given]) -> list[str]:
    """Return the kinds of secrets found in a place's content."""
    return [f"{place}: {one.kind}" for one in given if any(needle in seen for needle in needles(one))]


def readable(data: bytes) -> str:
    """Return bytes as text, with base64 decoded, as in the queue's messages."""
    return "\n".join([data.decode(errors="replace"), *_decoded(data)])


def _decoded(data: bytes) -> Iterator[str]:
    for match in _BASE64.finditer(data):
        try:
            yield base64.b64decode(match[0] + b"==").decode(errors="replace")
        except binascii.Error:
            continue


def tables(running: Running) -> dict[str, str]:
    """Return every row of every table as the superuser sees it, byte strings decoded."""
    names = running.rows(
        "select format('%I.%I', schemaname, tablename) from pg_tables "
        "where schemaname not in ('pg_catalog', 'information_schema')"
    )
    byte_columns = running.rows(
        "select format('select %I from %I.%I', column_name, table_schema, table_name), table_schema || '.' || table_name "
        "from information_schema.columns join pg_tables on schemaname = table_schema and tablename = table_name "
        "where data_type = 'bytea' and table_schema like 'mosshead%'"
    )
    seen = {name: "\n".join(row for (row,) in running.rows(f"select t::text from {name} as t")) for (name,) in names}
    for statement, name in byte_columns:
        seen[name] += "\n".join(readable(value) for (value,) in running.rows(statement) if value)
    return {name: text.replace('""', '"') for name, text in seen.items()}


def files(folder: Path) -> str:
    """Return the content of all files below a folder.

    Another process reads them: opening and closing an SQLite file would release this process's locks on it, and this process has
    open spools (https://sqlite.org/howtocorrupt.html, 2.2).
    """
    names = [str(path) for path in sorted(folder.rglob("*")) if path.is_file()]
    return readable(subprocess.run(["cat", "--", *names], check=False, capture_output=True).stdout) if names else ""


def in_redis(running: Running) -> str:
    """Return every key in Redis."""
    with Redis.from_url(running.addresses.broker_url) as redis:
        keys = list(redis.scan_iter("*"))
        values = [redis.dump(key) or b"" for key in keys]
        values += [element for key in keys if redis.type(key) == b"list" for element in redis.lrange(key, 0, -1)]
        values += [b"%r" % redis.hgetall(key) for key in keys if redis.type(key) == b"hash"]
    return "\n".join(map(readable, values))


def on_flower(running: Running) -> str:
    """Return Flower's pages and API answers, including those of each task."""
    pages = [*FLOWER_PAGES, DATATABLE, *(f"/task/{task_id}" for task_id in running.flower_tasks())]
    return "\n".join(running.flower(page) for page in pages)


def asked(fake: FakeOpenAI) -> str:
    """Return everything sent to the LLM."""
    return "\n".join(json.dumps(request.body, ensure_ascii=False) for request in fake.requests)


def everywhere(running: Running, fake: FakeOpenAI, given: list[Given]) -> list[str]:
    """Return where any of the secrets is found, except in the queue."""
    places = {
        **tables(running),
        "spool": files(state_folder()),
        "logs": running.logs(),
        "Flower": on_flower(running),
        "the LLM": asked(fake),
    }
    return [found for place, seen in places.items() for found in found_in(place, seen, given)]


def test_published_secrets_are_found_nowhere(running: Running, fake: FakeOpenAI) -> None:
    asked_before = fake.calls["ExtractionAnswer"]
    given = secrets(4, TO_THE_SERVICE)
    assert len(kinds()) >= 12
    assert len(CARRIERS) >= 30
    namespaces = [running.memory.namespace("acme", f"user-{number}") for number in range(NAMESPACES)]
    for namespace in namespaces:
        namespace.publish("I like green tea and I live in Lisbon.", conversation="c1")
    for number, one in enumerate(given):
        said = carried(one, number * 7)
        namespaces[number % NAMESPACES].publish(
            said,
            conversation="c1",
            speaker=f"Tom {number}",
            metadata={"draft": {"quoted": [said]}},
            tool_calls=[
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "note", "arguments": json.dumps({"text": said})},
                }
            ],
        )
    redis = [in_redis(running), files(running.addresses.data_dir / "redis")]
    for namespace in namespaces:
        namespace.wait(timeout=PATIENCE_SECONDS)
    redis += [in_redis(running), files(running.addresses.data_dir / "redis")]

    assert fake.calls["ExtractionAnswer"] > asked_before
    assert namespaces[0].memories()
    assert "[redacted: " in tables(running)["mosshead.messages"]
    found = everywhere(running, fake, given) + [one for seen in redis for one in found_in("Redis", seen, given)]
    assert not found, sorted(set(found))


def test_spool_contains_no_secret_while_the_queue_is_down(running: Running, tmp_path: Path) -> None:
    given = secrets(6, SECRETS)
    nowhere = f"redis://127.0.0.1:{free_port()}/0"
    with Memory.connect(
        database_url=running.addresses.database_url, broker_url=nowhere, spool_dir=tmp_path / "spool"
    ) as memory:
        namespace = memory.namespace("acme", "waiting")
        for number, one in enumerate(given):
            namespace.publish(carried(one, number * 7), conversation="c1", metadata={"note": one.text})
        seen = files(tmp_path / "spool")

    assert seen.count("[redacted: ") >= SECRETS
    assert not found_in("spool", seen, given)


def test_secret_look_alikes_are_kept(running: Running) -> None:
    namespace = running.memory.namespace("acme", "look-alikes")
    given = look_alikes(4, TO_THE_SERVICE)
    ids = namespace.publish_conversation([{"role": "user", "content": text} for text in given], conversation="c1")
    namespace.wait(timeout=PATIENCE_SECONDS)
    stored: dict[UUID, str] = dict(running.rows("select message_id, content from mosshead.messages"))

    changed = [text for one, text in zip(ids, given, strict=True) if stored[one] != text]
    assert len(changed) <= (1 - FEWEST_ALIKE) * len(given), changed


def test_secrets_of_a_foreign_producer_stop_at_the_queue(running: Running, fake: FakeOpenAI) -> None:
    """The queue has the original event. The intake redacts secrets, even in events that it rejects."""
    given = secrets(5, 48)
    refused_before = running.logs().count("event_refused")
    bodies = []
    for number, one in enumerate(given):
        said = carried(one, number)
        sound = event(("acme", f"foreign-{number % 3}"), content=said, metadata={"note": said})
        bodies += [
            as_text(sound),
            as_text({**event(("acme", "foreign-3"), content=said), "version": 2, "mood": said}),
            json.dumps({"content": said}),
            f"no JSON: {said}",
        ]
    with broker_at(running.addresses.broker_url).open() as connection:
        producer = Producer(connection.channel(), exchange=EXCHANGE)
        for body in bodies:
            producer.publish(
                body, routing_key=QUEUE.routing_key, content_type="application/json", content_encoding="utf-8"
            )
    running.eventually(
        lambda: running.logs().count("event_refused") >= refused_before + 3 * len(given), "all is received", timeout=90
    )
    for number in range(3):
        running.memory.namespace("acme", f"foreign-{number}").wait(timeout=PATIENCE_SECONDS)

    found = everywhere(running, fake, given)
    assert not found, sorted(set(found))
