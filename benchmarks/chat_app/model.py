"""The model of the chats, a process of its own: it streams for a while, and tells what its notes say of the user's dog.

python -m benchmarks.chat_app.model PORT SECONDS
"""

import asyncio
import json
import sys

from benchmarks.chat_app.http import chunk, head_of
from tests.fake_chat import CHAT, streamed, whole
from tests.fake_responses import Request
from workers.local.ports import LOOPBACK

NOTHING = "You have not told me about it, so I do not know."
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            first, headers = await head_of(reader)
            body = json.loads(await reader.readexactly(int(headers["content-length"])))
            notes = str(body["messages"]).replace("\\n", "\n").splitlines()
            dog = next((line for line in notes if line.startswith("- ") and "dog is called" in line), NOTHING)
            if "response_format" in body:
                await _extracted(writer, str(body["messages"][-1]["content"]))
                continue
            pieces = streamed(Request(first.split()[1], CHAT, body), {"content": dog.removeprefix("- ")})
            writer.write(_HEAD)
            for piece in pieces:
                await asyncio.sleep(float(sys.argv[2]) / len(pieces))
                writer.write(chunk(piece))
            writer.write(chunk(b""))
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def _extracted(writer: asyncio.StreamWriter, prompt: str) -> None:
    """What mem0 asks of each turn: the first sentence that its user said is a fact."""
    await asyncio.sleep(float(sys.argv[2]))
    new = prompt.partition("## New Messages")[2].partition("\n## ")[0]
    said = [line.partition(": ")[2].partition(". ")[0] for line in new.splitlines() if line.startswith("user: ")]
    content = json.dumps({"memory": [{"id": str(place), "text": text} for place, text in enumerate(said)]})
    message = {"role": "assistant", "content": content}
    data = whole(Request("", CHAT, {"model": "fake"}), message)
    writer.write(
        f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data
    )


async def _main() -> None:
    async with await asyncio.start_server(_serve, LOOPBACK, int(sys.argv[1])) as server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_main())
