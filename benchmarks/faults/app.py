"""A chat app of the runs: publishes messages through the library, and writes down what it sent.

    python -m benchmarks.faults.app --name app-1 --history FILE --pause FILE --namespaces acme/a,acme/b --rate 5 [--steady]

The addresses come from the environment, as an app's do. It publishes until it is stopped, and holds still while the file of
--pause exists. With --steady the namespaces take turns at even intervals, and each says what the offline rules understand.
"""

import argparse
import os
import random
import signal
import time
from collections import Counter
from itertools import cycle
from pathlib import Path
from uuid import UUID, uuid4

from benchmarks.faults.history import History, Sent
from mosshead import Memory, MossheadError

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
    parser.add_argument("--steady", action="store_true", help="in turn and at even intervals, not by chance")
    given = parser.parse_args()
    people = given.namespaces.split(",")
    turns = cycle(people)
    # Stopped when all has arrived: no word of it is needed then, nor a tidy end.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    with Memory.connect() as memory:
        publishing = Publishing(memory, f"{given.name}-{os.getpid()}", History(given.history), likes=given.steady)
        while True:
            if given.pause.exists():
                time.sleep(_PAUSE_SECONDS)
            else:
                publishing.publish_to(next(turns) if given.steady else random.choice(people))  # noqa: S311 - no secret
                time.sleep(1 / given.rate if given.steady else random.expovariate(given.rate))


class Publishing:
    """One process's publishing, each event written down before and after."""

    def __init__(self, memory: Memory, source: str, history: History, *, likes: bool = False) -> None:
        """likes: say what one likes, which needs no LLM to be understood."""
        self._memory = memory
        self._opening = "I like" if likes else "I need"
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
            place.publish(message_of(event_id, self._opening), conversation="chat", event_id=event_id)
        except MossheadError:
            return  # it was not taken; it may have arrived all the same
        self._history.done(event_id, time.time())


def message_of(event_id: UUID, opening: str = "I need") -> str:
    """A message that no other resembles, from which the fake LLM takes one fact."""
    chance = random.Random(event_id.int)  # noqa: S311 - no secret
    words = ["".join(chance.choices(_SYLLABLES, k=4)) for _ in range(_WORDS)]
    return f"{opening} {' '.join(words)}"


if __name__ == "__main__":
    main()
