"""As much of HTTP as the model and the chats of this benchmark need: they share two cores with what is measured."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

End = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def head_of(reader: asyncio.StreamReader) -> tuple[str, dict[str, str]]:
    """The first line, and the headers."""
    first, *rest = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
    return first, {name.lower(): value for name, value in (line.split(": ", 1) for line in rest)}


async def post(end: End, path: str, body: Any) -> str:
    """What is answered in chunks. Raises ValueError where it is an error, or nothing."""
    reader, writer = end
    data = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(data)}"
    writer.write(head.encode() + b"\r\n\r\n" + data)
    first, headers = await head_of(reader)
    answer = b"" if "content-length" in headers else b"".join([piece async for piece in _chunks(reader)])
    if first.split()[1] != "200" or not answer:
        raise ValueError(f"{first}, {len(answer)} bytes in chunks")
    return answer.decode()


async def _chunks(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while size := int(await reader.readuntil(b"\r\n"), 16):
        yield (await reader.readexactly(size + 2))[:-2]
    await reader.readexactly(2)


def chunk(data: bytes) -> bytes:
    """A piece of an answer; the last one is empty."""
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"
