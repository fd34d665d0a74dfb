"""An HTTP client for the openai package whose timeout is for a whole call; by itself it starts anew with each piece of an answer.

An answer that drips is cut off at the first piece after its time; one that drips and then stops, after at most twice the time.
"""

import time
from collections.abc import Iterator

import httpx2
import openai

_STARTED = "mosshead.started"


class _Deadlined(httpx2.SyncByteStream):
    """A response's body that stops to be read at a time."""

    def __init__(self, body: httpx2.SyncByteStream, deadline: float) -> None:
        self._body = body
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._body:
            if time.monotonic() > self._deadline:
                raise httpx2.ReadTimeout("the response drips")
            yield piece

    def close(self) -> None:
        self._body.close()


def client_for_whole_calls() -> httpx2.Client:
    """The openai package's own client, which holds each call to the timeout that the call is given."""
    return openai.DefaultHttpxClient(event_hooks={"request": [_start], "response": [_limit]})


def _start(request: httpx2.Request) -> None:
    request.extensions = {**request.extensions, _STARTED: time.monotonic()}


def _limit(response: httpx2.Response) -> None:
    asked = response.request.extensions
    if isinstance(response.stream, httpx2.SyncByteStream):
        response.stream = _Deadlined(response.stream, asked[_STARTED] + asked["timeout"]["read"])
