"""The embedded machine: all of the service on this computer, in one data folder.

    with servers(settings) as addresses:          # Postgres and Redis, or yours
        migrate(addresses.admin_url, …)
        with processes(addresses) as running:     # the Procfile: intake, sweeper, worker, Flower
            running.wait()                        # until Ctrl-C or SIGTERM

Everything stops when the blocks are left, in the reverse order, whatever the reason.
"""

from workers.machine.addresses import Addresses
from workers.machine.folder import AlreadyUp
from workers.machine.ports import wait_until
from workers.machine.processes import CONSOLE, Processes, flower_answers, processes
from workers.machine.servers import servers

__all__ = ["CONSOLE", "Addresses", "AlreadyUp", "Processes", "flower_answers", "processes", "servers", "wait_until"]
