"""Working memory: a session's recent things, short-lived and by reference. See docs/how-to/working-memory.md.

`WorkingMemory` is the shell. The state of a session is a value that pure functions change (`state`) and that resolves references
(`references`); a store keeps it (`stores`).
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
