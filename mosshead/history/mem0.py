"""Convert a dump of Mem0 (`get_all`) to lines of an import, and back."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from mosshead.errors import InvalidEvent
from mosshead.history.archive import Archive
from mosshead.history.json_stream import JsonStream


def mem0_lines(archive: Archive, name: str) -> Iterator[str]:
    """Yield a file's memories as lines of JSON. Raises InvalidEvent, also if they belong to several users."""
    users: set[str] = set()
    with archive.text(name) as source:
        stream = JsonStream(source, archive.named(name))
        for number, one in enumerate(_memories(stream), 1):
            if not isinstance(one, dict) or not isinstance(one.get("memory"), str) or not one.get("id"):
                raise InvalidEvent(f"{archive.named(name)}, memory {number}: has no id or no memory")
            users.add(str(one.get("user_id")))
            if len(users) > 1:
                raise InvalidEvent(
                    f"{archive.named(name)}, memory {number}: has another user_id than those before; dump each user separately"
                )
            line = {"type": "memory", "id": str(one["id"]), "content": one["memory"]}
            yield json.dumps(line | ({"occurred_at": one["created_at"]} if one.get("created_at") else {}))


def mem0_dump(lines: Iterable[str], user_id: str) -> str:
    """Return an export's memories in the format of Mem0: their texts and times, without entities."""
    records = (record for record in map(json.loads, lines) if record["type"] == "memory")
    results = [
        {
            "id": record["id"],
            "memory": record["content"],
            "user_id": user_id,
            "created_at": record.get("occurred_at"),
            "metadata": None,
        }
        for record in records
    ]
    return json.dumps({"results": results}, ensure_ascii=False)


def _memories(stream: JsonStream) -> Iterator[Any]:
    if stream.peek() == "[":
        yield from stream.items()
        return
    for key in stream.members():
        if key == "results":
            yield from stream.items()
        else:
            stream.value()
