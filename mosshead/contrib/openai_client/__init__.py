"""Memory inside a client of the openai package: what is remembered goes into the prompt, and each turn is published.

    client = with_memory(openai.OpenAI(), sarah)    # from here on used as before

The way of one call: `forms` say what was asked and where the notes go (pure), `calls` reads and publishes within a time that the
chat can spare, `asking` has the two shells around the client's method, `streams` looks on as an answer comes in pieces, `clients`
stands for the client. The package openai is imported when a client of it is given, and not before.
"""

from mosshead.contrib.openai_client.client import with_memory

__all__ = ["with_memory"]
