"""Add memory to an anthropic client, as `mosshead.contrib.openai_client` does for openai.

    client = with_memory(anthropic.Anthropic(), sarah)    # use it as before

`messages` parses requests and places the notes (pure); `client` reads before a call and publishes after it. The anthropic package
is imported only when a client is passed.
"""

from mosshead.contrib.anthropic_client.client import with_memory

__all__ = ["with_memory"]
