"""Events about a conversation as a whole."""

from typing import Literal

from pydantic import Field

from mosshead.events.envelope import Envelope


class Summarise(Envelope):
    """Sum a conversation up: what was said in it so far at once, and what follows when it rests."""

    type: Literal["summarise"] = "summarise"
    conversation: str = Field(min_length=1, max_length=200)
