"""People who talk to the app at once, a process of its own. Each asks again some time after the answer is whole.

    python -m benchmarks.chat_app.chats PORT SECONDS CHATS PAUSE PHASE     (the phase a word)

Every message is new, and the latest turns are sent along. Prints a JSON object: {"ms": how long whole answers took, "errors",
"without_notes", "foreign": answers with another's dog, "told": what was said and answered, by user}.
"""

import asyncio
import json
import random
import sys
import time
from collections import deque
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.chat_app.http import End, post
from benchmarks.chat_app.known import dog_of, user_of
from benchmarks.sentences import sentences
from workers.local.ports import LOOPBACK

_HISTORY = 6
_SAID = {"role": "assistant", "content": "I have told you."}
_BETWEEN_ERRORS = 0.1


@dataclass(slots=True)
class Seen:
    """What came of a phase."""

    ms: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    without_notes: int = 0
    foreign: int = 0
    told: dict[str, list[str]] = field(default_factory=dict)


async def _talk(number: int, port: int, ends: float, pause: float, *, phase: str, seen: Seen) -> None:
    said, chance = sentences(f"{phase} {number}"), random.Random(f"{phase} {number}")  # noqa: S311 - no secret
    turns: deque[dict[str, Any]] = deque(maxlen=_HISTORY)
    strangers = {dog_of(other) for other in range(100) if other != number}
    end: End | None = None
    count = 0
    while time.perf_counter() < ends:
        await asyncio.sleep(pause * chance.uniform(0.5, 1.5))
        count += 1
        text = f"{next(said)} This is message {count} of {phase}. What is my dog called?"
        asked = {"role": "user", "content": text}
        started = time.perf_counter()
        try:
            end = end or await asyncio.open_connection(LOOPBACK, port)
            path = f"/chat/{user_of(number)}/{phase}"
            answer = await post(end, path, {"messages": [*turns, asked]})
        except (OSError, ValueError, asyncio.IncompleteReadError) as error:
            seen.errors.append(f"{type(error).__name__}: {error}")
            end = None
            await asyncio.sleep(_BETWEEN_ERRORS)
            continue
        seen.ms.append(1000 * (time.perf_counter() - started))
        seen.without_notes += dog_of(number) not in answer
        seen.foreign += any(dog in answer for dog in strangers)
        seen.told.setdefault(user_of(number), []).append(text)
        turns.extend((asked, _SAID))  # what stands in the history is not repeated among the notes


async def _main(port: int, seconds: float, chats: int, pause: float, phase: str) -> None:
    seen, ends = Seen(), time.perf_counter() + seconds
    await asyncio.gather(*(_talk(number, port, ends, pause, phase=phase, seen=seen) for number in range(chats)))
    print(json.dumps(asdict(seen)))


if __name__ == "__main__":
    port, seconds, chats, pause, phase = sys.argv[1:]
    asyncio.run(_main(int(port), float(seconds), int(chats), float(pause), phase))
