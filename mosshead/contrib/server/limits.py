"""Limits: how often a token may ask, and how large a request may be."""

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
"""Buckets that are kept, the latest used: a token that has not asked for long has a full one anyway."""


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float


class RateLimit:
    """A bucket for each caller: it fills by so many requests a second, holds so many, and each request takes one."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        """rate: requests a second. burst: how many at once. clock: seconds that only go forward."""
        self._rate, self._burst, self._clock = rate, burst, clock
        self._buckets: OrderedDict[Hashable, _Bucket] = OrderedDict()

    def take(self, caller: Hashable) -> None:
        """Count a request. Raises RefusedRequest (429), which says when to come again."""
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
                f"this token may ask {self._rate:g} times a second; come again in {wait} s (--rate sets the limit)",
                headers={"Retry-After": str(wait)},
            )
        bucket.tokens -= 1


async def read_body(headers: Headers, receive: Receive, most_bytes: int) -> Receive:
    """Read a request's body, and return what hands it on. Raises RefusedRequest (413) as soon as it is too large."""
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
        f"body: more than {most_bytes:,} bytes, the most that this server takes (--body-bytes); send less at a time",
        headers={"Connection": "close"},
    )
