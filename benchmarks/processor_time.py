"""How much of the processors' time a process and all that descend from it have used, those that ended included."""

from collections.abc import Mapping
from contextlib import suppress

import psutil


def processor_seconds(pids: Mapping[str, int]) -> dict[str, float]:
    """By name, seconds in user and in kernel mode since each process was born."""
    return {name: _of_tree(psutil.Process(pid)) for name, pid in pids.items()}


def milliseconds_each(before: Mapping[str, float], after: Mapping[str, float], count: int) -> dict[str, float]:
    """Milliseconds for each of so many, by name, with their ``total``; what nothing was used of is left out."""
    used = {name: (seconds - before[name]) * 1000 / count for name, seconds in after.items()}
    rounded = {name: round(spent, 3) for name, spent in used.items()}
    return {name: spent for name, spent in rounded.items() if spent} | {"total": round(sum(used.values()), 3)}


def _of_tree(leader: psutil.Process) -> float:
    return sum(map(_of_one, [leader, *leader.children(recursive=True)]))


def _of_one(process: psutil.Process) -> float:
    with suppress(psutil.NoSuchProcess):
        times = process.cpu_times()
        # A child that ended counts with its parent from then on.
        return float(times.user + times.system + times.children_user + times.children_system)
    return 0.0
