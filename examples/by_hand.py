"""A chat app with a long-term memory by hand: what `with_memory` in examples/chat.py does, spelled out.

    python examples/by_hand.py     # talk; "quit" or Ctrl-D ends the conversation

With OPENAI_API_KEY or OPENAI_BASE_URL set, a model answers; without, the app shows what it remembers. Run it twice: the second
conversation knows what was said in the first.
"""

import os
import sys
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from mosshead import Context, Memory, MossheadError

MODEL = os.environ.get("OPENAI_MODEL", "gpt-4o-mini")
SYSTEM = "You are a friendly assistant. Where it helps, use what you know of the user."
HAS_MODEL = bool(os.environ.get("OPENAI_API_KEY") or os.environ.get("OPENAI_BASE_URL"))
if HAS_MODEL:
    from openai import OpenAI  # pip install 'mosshead[openai]'


def messages() -> Iterator[str]:
    """What the user types or pipes in, line by line, until "quit" or the end of the input."""
    print('Say something; "quit" ends.', file=sys.stderr)
    for line in sys.stdin:
        if line.strip() == "quit":
            return
        if line.strip():
            yield line.strip()


def answer(context: Context, turns: list[Any]) -> str:
    """The model's answer to the last turn; without a model, what is remembered."""
    if not HAS_MODEL:
        return context.text or "I don't remember anything about that yet."
    client = OpenAI(api_key=os.environ.get("OPENAI_API_KEY") or "none")  # a server of your own may need no key
    prompt: list[Any] = [{"role": "system", "content": SYSTEM}, context.as_system_message(), *turns]
    completion = client.chat.completions.create(model=MODEL, messages=prompt)
    return completion.choices[0].message.content or ""


def main() -> None:
    """Read what is remembered, answer, publish both turns; the memories form in the background."""
    conversation = str(uuid4())
    turns: list[dict[str, str]] = []
    with Memory.connect() as memory:
        sarah = memory.namespace("acme", "sarah_123")
        for message in messages():
            context = sarah.context(message, conversation=conversation, history=turns)
            turns.append({"role": "user", "content": message})
            turns.append({"role": "assistant", "content": answer(context, turns)})
            print(turns[-1]["content"], flush=True)
            for turn in turns[-2:]:
                sarah.publish(turn["content"], role=turn["role"], conversation=conversation, injected=context.memories)


if __name__ == "__main__":
    try:
        main()
    except MossheadError as error:
        sys.exit(f"chat: {error}")
