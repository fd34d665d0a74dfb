"""Memory inside a client of the openai package: what is remembered goes into the prompt, and each turn is published.

    client = with_memory(openai.OpenAI(), sarah)    # from here on used as before

The way of one call: `client` stands for the app's client, `apis` say what was asked and where the notes go (pure), `calls` reads
and publishes within a time that the chat can spare, and `streams` looks on as an answer comes in pieces. The package openai is
imported when a client of it is given, and not before.
"""

from mosshead.contrib.openai_client.client import with_memory

__all__ = ["with_memory"]
