"""What a worker takes from Celery's queues: the messages that the service itself sends, made anew; all else is refused. Pure.

A task message is a stage's name and ids. The rows in Postgres are the truth, so a refused message loses nothing: a hint of ours
that was damaged is given again.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from workers.elements import JSON, Element, read_element, write_element

QUEUES = {
    "extract": "extract",
    "score_salience": "score",
    "embed": "embed",
    "consolidate": "consolidate",
    "refresh_profiles": "profile",
    "reflect": "reflect",
}
"""The queue of each stage, so that an operator may give a slow one workers of its own."""

QUESTIONS = frozenset(
    {"ping", "stats", "conf", "registered", "active_queues", "active", "reserved", "scheduled", "revoked"}
)
"""What a worker answers over Celery's remote control: what Flower and `celery inspect` ask for."""

CONTROLS = QUESTIONS | {"enable_events", "heartbeat"}
"""What a worker does over remote control: it answers, and sends events to Flower. It cannot be stopped or changed that way."""

_ARGUMENTS = {"safe", "with_defaults", "builtins", "taskinfoitems"}

_MOST_BYTES = 16 * 1024  # ours have about 1 KB
_MOST_BROADCAST_BYTES = 256 * 1024  # an event has about 1 KB, a command less, an answer of `stats` or `conf` a few
_MOST_CLOCK = 2**53
_OURS = re.compile(r"mosshead\.[a-z_]{1,40}")
_NOTHING: tuple[Any, ...] = (None, 0, "", [], {})


@dataclass(frozen=True, slots=True)
class RefusedTask:
    """A message that is not taken. reason: one of few, without anything of the message. task: where its name looks like ours."""

    reason: str
    task: str | None = None


def read_task(element: bytes) -> bytes | RefusedTask:
    """Read an element of a task queue: a message with nothing in it but the task's name, its ids and its place in Flower."""
    if len(element) > _MOST_BYTES:
        return RefusedTask("longer than a task message")
    message = read_element(element)
    if message is None or message.content_type != JSON:
        return RefusedTask("not a task message")
    stage = _stage_of(message.headers)
    if isinstance(stage, RefusedTask):
        return stage
    ids = _ids_of(message)
    if ids is None:
        return RefusedTask("wrong arguments")
    headers = {name: _uuid(message.headers.get(name)) for name in ("id", "root_id", "parent_id")}
    if headers["id"] is None:
        return RefusedTask("no task id")
    whole = {**headers, "lang": "py", "task": f"mosshead.{stage}", "argsrepr": repr(ids), "kwargsrepr": "{}"}
    body = [ids, {}, {"callbacks": None, "errbacks": None, "chain": None, "chord": None}]
    return write_element(Element(JSON, whole, json.dumps(body).encode()), routing_key=QUEUES[stage])


def read_broadcast(data: bytes, *, control: bool) -> bytes | RefusedTask:
    """Read what was published to all: a command of remote control, or events for Flower, of which some are in a list."""
    if len(data) > _MOST_BROADCAST_BYTES:
        return RefusedTask("longer than a broadcast")
    message = read_element(data)
    body = _json(message.body) if message and message.content_type == JSON else None
    if message is None or body is None:
        return RefusedTask("not a broadcast")
    events = body if isinstance(body, list) else [body]
    if not (_is_control(body) if control else all(map(_is_event, events))):
        return RefusedTask("not a command" if control else "not an event")
    clock = message.headers.get("clock")
    headers = {"clock": clock if _is_clock(clock) else 0, "hostname": ""}
    return write_element(Element(JSON, headers, json.dumps(body).encode()), routing_key="")


def read_answer(element: bytes) -> bytes | RefusedTask:
    """Read an element of a list in which somebody waits for the workers' answers, such as Flower."""
    message = read_element(element) if len(element) <= _MOST_BROADCAST_BYTES else None
    body = _json(message.body) if message and message.content_type == JSON else None
    if message is None or not isinstance(body, dict):
        return RefusedTask("not an answer")
    clock, ticket = message.headers.get("clock"), message.headers.get("ticket")
    headers = {"clock": clock if _is_clock(clock) else 0, "ticket": _uuid(ticket)}
    return write_element(Element(JSON, headers, json.dumps(body).encode()), routing_key="")


def _stage_of(headers: Mapping[str, Any]) -> str | RefusedTask:
    name = headers.get("task")
    if not isinstance(name, str) or not name:
        return RefusedTask("no task's name")
    stage = name.removeprefix("mosshead.")
    if name == stage or stage not in QUEUES:
        return RefusedTask("unknown task", name if _OURS.fullmatch(name) else None)
    # Ours run at once, once, and within the service's own limits; nothing follows from them but through the database.
    asks = any(headers.get(field) not in _NOTHING for field in ("eta", "expires", "group", "retries", "chord"))
    # A worker that sends a task names its own limits, the scheduler names none. Neither is heeded: each worker has its own.
    limits = [] if headers.get("timelimit") is None else headers["timelimit"]
    if asks or not isinstance(limits, list) or not all(one is None or _is_number(one) for one in limits):
        return RefusedTask("asks for more than a stage")
    return stage


def _ids_of(message: Element) -> list[str] | None:
    """Of the tenant, the namespace and the batch."""
    match _json(message.body):
        case [list(arguments), dict(keywords), dict(follow_up)] if not keywords and not any(follow_up.values()):
            ids = [one for one in map(_uuid, arguments) if one]
            return ids if len(ids) == len(arguments) == 3 else None
    return None


def _is_control(body: Any) -> bool:
    """Whether it is a command that a worker carries out, in the form of kombu's mailbox."""
    if not isinstance(body, dict) or body.get("pattern") or body.get("matcher"):
        return False
    reply_to, destination = body.get("reply_to"), body.get("destination")
    return (
        isinstance(body.get("method"), str)
        and body["method"] in CONTROLS
        and _is_plain(body.get("arguments") or {})
        and (
            destination is None or (isinstance(destination, list) and all(isinstance(one, str) for one in destination))
        )
        and (reply_to is None or _is_reply_to(reply_to))
        and (body.get("ticket") is None or _uuid(body["ticket"]) is not None)
        and body.keys() <= {"method", "arguments", "destination", "pattern", "matcher", "reply_to", "ticket"}
    )


def _is_plain(arguments: Any) -> bool:
    """Whether they are what a question may be asked with: a choice, or nothing."""
    return (
        isinstance(arguments, dict)
        and arguments.keys() <= _ARGUMENTS
        and all(isinstance(value, bool) or not value for value in arguments.values())
    )


def _is_reply_to(value: Any) -> bool:
    """An answer goes where the asker waits: in a list of its own, and in none of the service's."""
    return (
        isinstance(value, dict)
        and value.keys() == {"exchange", "routing_key"}
        and value["exchange"] == "reply.celery.pidbox"
        and _uuid(value["routing_key"]) is not None
    )


def _is_event(event: Any) -> bool:
    """Whether it has the fields by which Flower sorts events, in their types."""
    return (
        isinstance(event, dict)
        and all(_is_name(event.get(field)) for field in ("type", "hostname"))
        and _is_clock(event.get("clock"))
        and all(_is_number(event.get(field)) for field in ("timestamp", "utcoffset", "pid"))
        and all(event.get(field) is None or _is_number(event[field]) for field in ("runtime", "freq", "active"))
        and all(event.get(field) is None or _is_name(event[field]) for field in ("name", "args", "kwargs", "eta"))
        and (not event["type"].startswith("task-") or _uuid(event.get("uuid")) is not None)
    )


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 200


def _is_clock(value: Any) -> bool:
    return isinstance(value, int) and 0 <= value < _MOST_CLOCK


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and abs(value) < _MOST_CLOCK


def _uuid(value: Any) -> str | None:
    try:
        return str(UUID(value)) if isinstance(value, str) else None
    except ValueError:
        return None


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
