"""Streamed answers: pass each piece on at once, and publish the turn when the stream ends, for whatever reason."""

from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future
from typing import Any, Self
from weakref import finalize

from mosshead.contrib.openai_client.calls import NO_MESSAGES, Call, wait, wait_async


def followed(result: Any, call: Call) -> tuple[Any, Future[None] | None]:
    """Return the app's answer, and a future to wait for first. A complete answer is published now, a stream when it ends."""
    if isinstance(result, Iterator):
        return _Stream(result, call), None
    if isinstance(result, AsyncIterator):
        return _AsyncStream(result, call), None
    raw = hasattr(result, "http_response")
    if raw and call.arguments.get("stream") is True:
        return _Raw(result, _call=call, _parsed=None), None
    answer = call.injection.tried(NO_MESSAGES, lambda: call.form.answered(result.parse() if raw else result))
    return result, call.publish(answer)


class Forwarding:
    """A transparent proxy: attributes and ``__class__`` are those of the wrapped object. own: The proxy's own slots."""

    __slots__ = ("__weakref__", "_inner")

    def __init__(self, inner: Any, **own: Any) -> None:
        self._keep(_inner=inner, **own)

    def _keep(self, **own: Any) -> None:
        for name, value in own.items():
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._inner, name, value)

    @property  # type: ignore[misc]  # an ordinary attribute of every other object
    def __class__(self) -> Any:
        return type(self._inner)

    def __repr__(self) -> str:
        return f"<{self._inner!r}, with memory>"

    def __dir__(self) -> list[str]:
        return dir(self._inner)

    def __enter__(self) -> Self:
        self._inner.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._inner.__exit__(*error)

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._inner.__aexit__(*error)


class _Watched(Forwarding):
    """A stream that notices its end: the last piece, an error, closing or garbage collection."""

    __slots__ = ("_call", "response")

    def __init__(self, inner: Any, call: Call) -> None:
        # The client's own helpers close a stream by closing its response.
        super().__init__(inner, _call=call, response=_Response(inner.response, _call=call))
        finalize(self, call.end)


class _Stream(_Watched):
    __slots__ = ()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        try:
            piece = next(self._inner)
        except StopIteration:
            wait(self._call.end(exhausted=True), self._call.left)
            raise
        except BaseException:
            self._call.end()
            raise
        self._call.add(piece)
        return piece

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._inner.close()
        wait(self._call.end(), self._call.left)


class _AsyncStream(_Watched):
    __slots__ = ()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        try:
            piece = await anext(self._inner)
        except StopAsyncIteration:
            await wait_async(self._call.end(exhausted=True), self._call.left)
            raise
        except BaseException:
            self._call.end()
            raise
        self._call.add(piece)
        return piece

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._inner.close()
        await wait_async(self._call.end(), self._call.left)

    aclose = close


class _Response(Forwarding):
    __slots__ = ("_call",)

    def close(self) -> None:
        self._call.end()
        self._inner.close()

    async def aclose(self) -> None:
        self._call.end()
        await self._inner.aclose()


class _Raw(Forwarding):
    """A raw response whose body is a stream."""

    __slots__ = ("_call", "_parsed")

    def parse(self, **options: Any) -> Any:
        """Return the stream, the same one on each call."""
        if self._parsed is None:
            self._keep(_parsed=followed(self._inner.parse(**options), self._call)[0])
        return self._parsed
