"""A chat app of the runs: publishes messages through the library, and writes down what it sent.

    python -m benchmarks.faults.app --name app-1 --history FILE --pause FILE --namespaces acme/a,acme/b --rate 5

The addresses come from the environment, as an app's do. It publishes until it is stopped, and holds still while the file of
--pause exists.
"""

import argparse
import os
import random
import signal
import time
from collections import Counter
from pathlib import Path
from uuid import UUID, uuid4

from benchmarks.faults.history import History, Sent
from recollect import Memory, RecollectError

_SYLLABLES = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]
_WORDS = 6
_PAUSE_SECONDS = 0.02


def main() -> None:
    """Publish until stopped."""
    parser = argparse.ArgumentParser(description="A chat app that publishes messages and writes down what it sent.")
    parser.add_argument("--name", required=True)
    parser.add_argument("--history", type=Path, required=True)
    parser.add_argument("--pause", type=Path, required=True)
    parser.add_argument("--namespaces", required=True)
    parser.add_argument("--rate", type=float, required=True, help="messages a second")
    given = parser.parse_args()
    # Stopped when all has arrived: no word of it is needed then, nor a tidy end.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    with Memory.connect() as memory:
        publishing = Publishing(memory, f"{given.name}-{os.getpid()}", History(given.history))
        while True:
            if given.pause.exists():
                time.sleep(_PAUSE_SECONDS)
            else:
                publishing.publish_to(random.choice(given.namespaces.split(",")))  # noqa: S311 - no secret
                time.sleep(random.expovariate(given.rate))


class Publishing:
    """One process's publishing, each event written down before and after."""

    def __init__(self, memory: Memory, source: str, history: History) -> None:
        self._memory = memory
        self._source = source
        self._history = history
        self._numbers = Counter[str]()

    def publish_to(self, namespace: str) -> None:
        """Publish one message."""
        event_id, begun = uuid4(), time.time()
        self._numbers[namespace] += 1
        self._history.begun(Sent(event_id, namespace, self._source, self._numbers[namespace], begun, None))
        try:
            place = self._memory.namespace(*namespace.split("/"))
            place.publish(message_of(event_id), conversation="chat", event_id=event_id)
        except RecollectError:
            return  # it was not taken; it may have arrived all the same
        self._history.done(event_id, time.time())


def message_of(event_id: UUID) -> str:
    """A message that no other resembles, from which the fake LLM takes one fact."""
    chance = random.Random(event_id.int)  # noqa: S311 - no secret
    words = ["".join(chance.choices(_SYLLABLES, k=4)) for _ in range(_WORDS)]
    return f"I need {' '.join(words)}"


if __name__ == "__main__":
    main()
