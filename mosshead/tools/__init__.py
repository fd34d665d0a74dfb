"""Tools for agents: a model manages memories and searches them, by short numbers. docs/tools.md shows both in an app."""

from mosshead.tools.managing import manage_memory_tool
from mosshead.tools.running import run_tools
from mosshead.tools.searching import search_memory_tool
from mosshead.tools.tool import MemoryTool

__all__ = ["MemoryTool", "manage_memory_tool", "run_tools", "search_memory_tool"]
