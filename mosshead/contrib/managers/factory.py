"""Make managers from a model, the app's own schemas, and instructions."""

from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel

from mosshead.contrib.managers.memories import MemoryManager, episode_manager
from mosshead.contrib.managers.profiles import ProfileManager
from mosshead.contrib.managers.values import Note
from mosshead.llm import LanguageModel, open_model
from mosshead.models.documents import Episode
from mosshead.schemas import by_name

S = TypeVar("S", bound=BaseModel)


def create_memory_manager(
    model: str | LanguageModel,
    *,
    schemas: Sequence[type[BaseModel]] = (),
    instructions: str = "",
    enable_inserts: bool = True,
    enable_updates: bool = True,
    enable_deletes: bool = False,
) -> MemoryManager:
    """Make a manager of memories in your own schemas.

    model: "openai:MODEL", or a model of your own (`open_model`). schemas: pydantic models of the memories; `Note` by default.
    instructions: what to look for or to ignore, in your words. enable_*: what it may do. Raises ConfigurationError if the model
    or a schema cannot be used.
    """
    enabled = {"insert": enable_inserts, "update": enable_updates, "delete": enable_deletes}
    return MemoryManager(
        model=open_model(model),
        schemas=by_name(schemas or (Note,)),
        instructions=instructions,
        actions=tuple(action for action, allowed in enabled.items() if allowed),
    )


def create_profile_manager(model: str | LanguageModel, schema: type[S], *, instructions: str = "") -> ProfileManager[S]:
    """Make a manager of one document.

    model: "openai:MODEL", or a model of your own (`open_model`). schema: a pydantic model; give each field a default, since a
    conversation rarely contains them all, and a description if its name is unclear. instructions: in your words. Raises
    ConfigurationError if the model or the schema cannot be used.
    """
    by_name([schema])
    return ProfileManager(open_model(model), schema, instructions)


def create_episode_manager(
    model: str | LanguageModel, *, schema: type[BaseModel] = Episode, instructions: str = ""
) -> MemoryManager:
    """Make a manager that only inserts: episodes never change. The assistant's words count, too.

    schema: `Episode`, or your own. model, instructions: as for `create_memory_manager`.
    """
    return episode_manager(open_model(model), schema=schema, instructions=instructions)
