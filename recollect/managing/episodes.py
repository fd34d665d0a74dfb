"""Episodes: what was gone about in a conversation and how it turned out, to be learnt from."""

from dataclasses import replace

from pydantic import BaseModel, Field

from recollect.language_model import LanguageModel
from recollect.managing.memories import MemoryManager, create_memory_manager
from recollect.managing.prompts import EPISODES


class Episode(BaseModel):
    """A stretch of a conversation from which something can be learnt, from the assistant's side."""

    observation: str = Field(min_length=1, description="the situation: what was asked or went wrong, and what mattered")
    thoughts: str = Field(min_length=1, description="how it was gone about, and why so")
    action: str = Field(min_length=1, description="what was done or answered, and how")
    result: str = Field(min_length=1, description="how it turned out, and what to do alike or otherwise the next time")


def create_episode_manager(
    model: str | LanguageModel, *, schema: type[BaseModel] = Episode, instructions: str = ""
) -> MemoryManager:
    """A manager that only inserts: what happened stays as it was seen. Here the assistant's words count, too.

    schema: an `Episode`, or a shape of your own. model, instructions: as for `create_memory_manager`.
    """
    manager = create_memory_manager(model, schemas=[schema], instructions=instructions, enable_updates=False)
    return replace(manager, rules=EPISODES, any_role=True)
