"""Working memory: what a session has at hand, short-lived and by reference. docs/how-to/working-memory.md

`WorkingMemory` is the shell. What a session has at hand is a value, which changes by pure functions (`state`); what words refer
to is told by it (`references`); a store keeps it (`stores`).
"""

from mosshead.contrib.working_memory.memory import WorkingMemory
from mosshead.contrib.working_memory.references import TextReference
from mosshead.contrib.working_memory.state import Policy, Reference, ToolResult
from mosshead.contrib.working_memory.stores import InProcess, InRedis, Metrics, Store, as_prometheus

__all__ = [
    "InProcess",
    "InRedis",
    "Metrics",
    "Policy",
    "Reference",
    "Store",
    "TextReference",
    "ToolResult",
    "WorkingMemory",
    "as_prometheus",
]
