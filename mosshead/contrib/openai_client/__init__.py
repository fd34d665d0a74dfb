"""Add memory to an openai client: notes go into the prompt, and each turn is published.

    client = with_memory(openai.OpenAI(), sarah)    # use it as before

`client` wraps the app's client; `apis` reads requests and answers and places the notes (pure); `calls` reads and publishes within
the chat's time limit; `streams` follows streamed answers. The openai package is imported only when a client is passed.
"""

from mosshead.contrib.openai_client.client import with_memory

__all__ = ["with_memory"]
