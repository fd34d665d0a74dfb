"""Form memories, a profile or episodes in your own process: from a conversation and the known state to the new state.

    from mosshead.contrib.managers import create_memory_manager

    manager = create_memory_manager("openai:gpt-4o-mini", schemas=[Recipe], enable_deletes=True)
    recipes = manager(conversation)
    recipes = manager(next_conversation, recipes)

Nothing is stored, and only the LLM is called: you store the state. With `Namespace.configure` the service does the same in the
background (docs/how-to/documents.md).
"""

from mosshead.contrib.managers.factory import create_episode_manager, create_memory_manager, create_profile_manager
from mosshead.contrib.managers.memories import MemoryManager
from mosshead.contrib.managers.profiles import ProfileManager
from mosshead.contrib.managers.values import Managed, ManagedMemories, ManagedProfile, Note, RefusedChange
from mosshead.models.documents import Episode

__all__ = [
    "Episode",
    "Managed",
    "ManagedMemories",
    "ManagedProfile",
    "MemoryManager",
    "Note",
    "ProfileManager",
    "RefusedChange",
    "create_episode_manager",
    "create_memory_manager",
    "create_profile_manager",
]
