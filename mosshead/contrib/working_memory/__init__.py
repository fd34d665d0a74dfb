"""Working memory: what a session has at hand, short-lived and by reference. docs/working-memory.md

`WorkingMemory` is the shell; what happens is decided by pure functions of a state, a change and the time (`changes`, `policies`,
`referring`), and kept by a store (`stores`).
"""

from mosshead.contrib.working_memory.memory import WorkingMemory
from mosshead.contrib.working_memory.references import TextReference
from mosshead.contrib.working_memory.state import Policy, Reference, ToolResult
from mosshead.contrib.working_memory.stores import InProcess, InRedis, Metrics, Store, as_prometheus, store_for

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
    "store_for",
]
