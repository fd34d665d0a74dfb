"""Where in the console a namespace is: ``/n/acme:sarah_123/memories``. Pure.

The parts of a path stand in one segment of the address, for a part may be called ".." or hold a slash.
"""

from urllib.parse import quote, unquote, urlencode

from mosshead.errors import InvalidNamespace
from mosshead.paths import NamespacePath

_SEGMENT = 2


def place_of(path: NamespacePath) -> str:
    """Where the pages of a namespace begin, without a slash at the end."""
    return "/n/" + ":".join(quote(part, safe="") for part in path.parts)


def namespace_at(address: str) -> NamespacePath:
    """The namespace of a page, by its address as it was sent. Raises InvalidNamespace."""
    segment = address.split("/")[_SEGMENT]
    try:
        parts = [unquote(part, errors="strict") for part in segment.split(":")]
    except UnicodeDecodeError:
        raise InvalidNamespace("namespace: is no text") from None
    return NamespacePath.of(parts)


def named(name: str) -> NamespacePath:
    """The namespace that somebody typed, as the command `mosshead` takes it: acme/sarah_123. Raises InvalidNamespace."""
    return NamespacePath.of(name.strip().strip("/").split("/"))


def asked(place: str, **given: object) -> str:
    """An address with what is asked of it; what is None or empty is left out."""
    query = urlencode({name: str(value) for name, value in given.items() if value not in {None, ""}})
    return f"{place}?{query}" if query else place


def is_within(place: str, address: str) -> bool:
    """Whether an address that a form brings leads to a page of the same namespace, and so nowhere else."""
    return (address == place or address.startswith((f"{place}/", f"{place}?"))) and "\\" not in address
