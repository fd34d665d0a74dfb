"""Find free ports on the loopback, and wait for servers to come up on them."""

import socket
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from importlib.util import find_spec
from pathlib import Path

from mosshead.errors import WaitTimeout

LOOPBACK = "127.0.0.1"
_ANY, _TRIES = 0, 20


def free_port(preferred: int = _ANY, *, run: int = 1) -> int:
    """Return the preferred port if nothing listens there, else one that the system chooses.

    run: how many consecutive ports are needed.
    """
    for port in (preferred, *[_ANY] * _TRIES):
        with ExitStack() as probes, suppress(OSError, OverflowError):
            first = _bound(probes, port)
            for number in range(1, run):
                _bound(probes, first + number)
            return first
    raise OSError("no port of the loopback is free")


def _bound(probes: ExitStack, port: int) -> int:
    probe = probes.enter_context(socket.socket())
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    probe.bind((LOOPBACK, port))
    return int(probe.getsockname()[1])


def wait_until(predicate: Callable[[], bool], timeout: float, what: str) -> None:
    """Poll until the condition holds. Raises WaitTimeout, naming ``what``, after ``timeout`` seconds."""
    deadline = time.monotonic() + timeout
    while not predicate():
        if time.monotonic() >= deadline:
            raise WaitTimeout(f"{what} was not ready after {timeout:g} s")
        time.sleep(0.05)


def installed(package: str) -> Path | None:
    """Return the real folder of an installed package, with links resolved; None if it is not installed."""
    spec = find_spec(package)
    return Path(spec.origin).resolve().parent if spec is not None and spec.origin is not None else None
