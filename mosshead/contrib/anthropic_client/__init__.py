"""Memory inside a client of the anthropic package, used as the one of `mosshead.contrib.openai_client`.

    client = with_memory(anthropic.Anthropic(), sarah)    # from here on used as before

`messages` says what a call asks and where the notes go (pure); `client` reads before and publishes after. The package anthropic
is imported when a client of it is given, and not before.
"""

from mosshead.contrib.anthropic_client.client import with_memory

__all__ = ["with_memory"]
