"""A chat app in the terminal: say something; "quit" or Ctrl-D ends the conversation."""

import os
import sys
from collections.abc import Iterator
from typing import Any

from openai import OpenAI

from mosshead import Memory
from mosshead.contrib.openai_client import with_memory

MODEL = os.environ.get("OPENAI_MODEL", "gpt-4o-mini")
SYSTEM = "You are a friendly assistant. Where it helps, use what you know of the user."


def said() -> Iterator[str]:
    """What the user types or pipes in, line by line."""
    for line in sys.stdin:
        if line.strip() == "quit":
            return
        if line.strip():
            yield line.strip()


def main() -> None:
    """Answer each message with the whole conversation before it."""
    sarah = Memory.connect().namespace("acme", "sarah_123")
    client = with_memory(OpenAI(), sarah)
    turns: list[Any] = [{"role": "system", "content": SYSTEM}]
    for message in said():
        turns.append({"role": "user", "content": message})
        completion = client.chat.completions.create(model=MODEL, messages=turns)
        turns.append({"role": "assistant", "content": completion.choices[0].message.content})
        print(turns[-1]["content"], flush=True)


if __name__ == "__main__":
    main()
