"""Episodes: what was gone about in a conversation and how it turned out, to be learnt from."""

from pydantic import BaseModel, Field

from mosshead.language_model.ports import LanguageModel
from mosshead.managing.memories import MemoryManager
from mosshead.managing.prompts import EPISODES


class Episode(BaseModel):
    """A stretch of a conversation from which something can be learnt, from the assistant's side."""

    observation: str = Field(min_length=1, description="the situation: what was asked or went wrong, and what mattered")
    thoughts: str = Field(min_length=1, description="how it was gone about, and why so")
    action: str = Field(min_length=1, description="what was done or answered, and how")
    result: str = Field(min_length=1, description="how it turned out, and why; no advice")


def episode_manager(
    model: LanguageModel, *, schema: type[BaseModel] = Episode, instructions: str = ""
) -> MemoryManager:
    """What `create_episode_manager` makes of a model that is open already."""
    return MemoryManager(
        model=model,
        schemas={schema.__name__: schema},
        instructions=instructions,
        actions=("insert",),
        rules=EPISODES,
        any_role=True,
    )
