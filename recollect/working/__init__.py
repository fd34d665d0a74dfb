"""Working memory: what a session has at hand, short-lived and by reference. docs/working-memory.md

`WorkingMemory` is the shell; what happens is decided by pure functions of a state, a change and the time (`changes`, `policies`,
`referring`), and kept by a store (`stores`).
"""

from recollect.working.memory import WorkingMemory
from recollect.working.metrics import Metrics, as_prometheus
from recollect.working.policies import Policy
from recollect.working.referring import Referred
from recollect.working.state import Reference, ToolResult
from recollect.working.stores import InProcess, InRedis, Store, store_for

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
