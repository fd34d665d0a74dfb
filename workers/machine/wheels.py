"""Finds the servers that come in wheels, without importing these: both do more at import than we want."""

from importlib.util import find_spec
from pathlib import Path


def installed(package: str) -> Path | None:
    """The folder of an installed package; None where it is not installed."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent


def last_lines(log: Path, count: int = 5) -> str:
    """The end of a server's log, for the message that says why it did not start."""
    try:
        return "\n".join(log.read_text(errors="replace").splitlines()[-count:])
    except FileNotFoundError:
        return ""
