"""Limits: the request rate of a token, and the size of a request."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from starlette.datastructures import Headers
from starlette.types import Message, Receive

from mosshead.contrib.server.problems import RefusedRequest

MOST_BUCKETS: Final = 10_000
"""How many buckets are kept, most recently used first. A token idle for long has a full bucket anyway."""


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float


class RateLimit:
    """A token bucket per caller: it refills at ``rate`` requests per second, up to ``burst``."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        """rate: Requests per second. burst: Maximum number at once. clock: A monotonic clock in seconds."""
        self._rate, self._burst, self._clock = rate, burst, clock
        self._buckets: OrderedDict[Hashable, _Bucket] = OrderedDict()

    def take(self, caller: Hashable) -> None:
        """Count a request. Raises RefusedRequest (429), which says when to retry."""
        now = self._clock()
        bucket = self._buckets.pop(caller, None) or _Bucket(self._burst, now)
        bucket.tokens = min(self._burst, bucket.tokens + (now - bucket.at) * self._rate)
        bucket.at = now
        self._buckets[caller] = bucket
        if len(self._buckets) > MOST_BUCKETS:
            self._buckets.popitem(last=False)
        if bucket.tokens < 1:
            wait = math.ceil((1 - bucket.tokens) / self._rate)
            raise RefusedRequest(
                HTTPStatus.TOO_MANY_REQUESTS,
                f"this token is limited to {self._rate:g} requests per second; retry in {wait} s (--rate sets the limit)",
                headers={"Retry-After": str(wait)},
            )
        bucket.tokens -= 1


async def read_body(headers: Headers, receive: Receive, most_bytes: int) -> Receive:
    """Read a request's body, and return a ``receive`` that replays it. Raises RefusedRequest (413) once it is too large."""
    declared = headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > most_bytes:
        raise _too_large(most_bytes)
    body, more, last = bytearray(), True, None
    while more:
        last = await receive()
        body += last.get("body", b"")
        if len(body) > most_bytes:
            raise _too_large(most_bytes)
        more = last["type"] == "http.request" and last.get("more_body", False)
    waiting: list[Message] = [{"type": "http.request", "body": bytes(body), "more_body": False}]
    if last is not None and last["type"] != "http.request":
        waiting = [last]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


def _too_large(most_bytes: int) -> RefusedRequest:
    return RefusedRequest(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        f"body: more than {most_bytes:,} bytes, the server's limit (--body-bytes); send less at a time",
        headers={"Connection": "close"},
    )
