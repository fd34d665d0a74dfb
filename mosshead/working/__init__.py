"""Working memory: what a session has at hand, short-lived and by reference. docs/working-memory.md

`WorkingMemory` is the shell; what happens is decided by pure functions of a state, a change and the time (`changes`, `policies`,
`referring`), and kept by a store (`stores`).
"""

from mosshead.working.memory import WorkingMemory
from mosshead.working.metrics import Metrics, as_prometheus
from mosshead.working.policies import Policy
from mosshead.working.referring import Referred
from mosshead.working.state import Reference, ToolResult
from mosshead.working.stores import InProcess, InRedis, Store, store_for

__all__ = [
    "InProcess",
    "InRedis",
    "Metrics",
    "Policy",
    "Reference",
    "Referred",
    "Store",
    "ToolResult",
    "WorkingMemory",
    "as_prometheus",
    "store_for",
]
