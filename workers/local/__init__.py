"""The embedded machine: the whole service on this computer, in one data folder.

    with servers(settings) as addresses:          # Postgres and Redis, or yours
        migrate(addresses.admin_url, …)
        with processes(addresses) as running:     # the Procfile: intake, scheduler, worker, Flower
            running.wait()                        # until Ctrl-C or SIGTERM

Everything stops when the blocks are left, in the reverse order, whatever the reason.
"""

from workers.local.addresses import Addresses
from workers.local.data_dir import AlreadyUp
from workers.local.ports import wait_until
from workers.local.processes import CONSOLE, Processes, flower_answers, processes
from workers.local.servers import check, servers

__all__ = [
    "CONSOLE",
    "Addresses",
    "AlreadyUp",
    "Processes",
    "check",
    "flower_answers",
    "processes",
    "servers",
    "wait_until",
]
