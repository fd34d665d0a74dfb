"""What working memory is given, checked: each argument that does not fit is refused by its name."""

from datetime import UTC, datetime, timedelta
from typing import get_args
from uuid import UUID

from mosshead.checks import readable
from mosshead.fence import one_line
from mosshead.patterns import lazy_pattern
from mosshead.redaction import redact
from mosshead.working.changes import Rules
from mosshead.working.policies import Policy

MAX_LABEL = 200
MAX_ID = 200

_CAPACITY = (10, 50)
_TTL = (timedelta(minutes=5), timedelta(minutes=10))
_TYPE = lazy_pattern(r"[^\W\d_][\w -]{0,49}")


def checked_rules(capacity: object, ttl: object, policy: object) -> Rules:
    """How much a session keeps. Raises ValueError, which names the argument and its range."""
    least, most = _CAPACITY
    if not isinstance(capacity, int) or isinstance(capacity, bool) or not least <= capacity <= most:
        raise ValueError(f"capacity: a number of references from {least} to {most}, got {capacity!r}")
    if not isinstance(ttl, timedelta) or not _TTL[0] <= ttl <= _TTL[1]:
        raise ValueError(f"ttl: a timedelta from 5 to 10 minutes, got {ttl!r}")
    if policy not in get_args(Policy):
        raise ValueError(f"policy: one of {', '.join(get_args(Policy))}, got {policy!r}")
    return Rules(capacity=capacity, ttl=ttl, policy=policy)  # type: ignore[arg-type] # it is one of them


def checked_type(given: object) -> str:
    """A type of things, in lower case. Raises ValueError."""
    if not isinstance(given, str) or not _TYPE.fullmatch(given):
        raise ValueError('type: a short name, such as "page" or "email_thread"')
    return given.lower()


def checked_id(given: object, name: str = "id") -> str:
    """An id, or another reference, of the app's own. Raises ValueError."""
    text = str(given) if isinstance(given, int | UUID) and not isinstance(given, bool) else given
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{name}: give a text or a whole number that is not empty")
    if len(text) > MAX_ID:
        raise ValueError(f"{name}: {len(text):,} characters, at most {MAX_ID}; give what finds the thing again")
    return one_line(readable(name, text))


def checked_label(given: object, name: str = "label") -> str:
    """What something is called: one short line, without secrets. Raises ValueError: working memory keeps no contents."""
    if not isinstance(given, str) or not given.strip():
        raise ValueError(f"{name}: give a text that is not empty")
    if len(given) > MAX_LABEL:
        raise ValueError(
            f"{name}: {len(given):,} characters, at most {MAX_LABEL}; working memory keeps references and no contents: "
            "give a title"
        )
    return one_line(redact(readable(name, given)))


def checked_time(given: datetime | None, name: str) -> datetime | None:
    """A time, in UTC. Raises ValueError where it has no zone."""
    if given is None:
        return None
    if given.tzinfo is None:
        raise ValueError(f"{name}: has no time zone; give an aware time, such as datetime.now(UTC)")
    return given.astimezone(UTC)


def cut_label(found: str) -> str:
    """What a tool's result calls something, as a label: cut where it is longer."""
    flat = one_line(found)
    return flat if len(flat) <= MAX_LABEL else f"{flat[: MAX_LABEL - 1]}…"
