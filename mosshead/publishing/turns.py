"""Whose events go next: tenants take turns, and within a tenant its namespaces do. Pure."""

from collections import OrderedDict


class Turns:
    """Namespaces that wait to be served, by a key each.

    Between two turns of a tenant every other tenant that waits has one, and so have the namespaces within a tenant: an import of
    a million messages holds up another tenant's message by one turn, not by a million.
    """

    def __init__(self) -> None:
        self._tenants: OrderedDict[str, OrderedDict[int, None]] = OrderedDict()

    def add(self, tenant: str, key: int) -> None:
        """A namespace waits; one that does already keeps its place."""
        self._tenants.setdefault(tenant, OrderedDict()).setdefault(key)

    def take(self) -> int | None:
        """The namespace whose turn it is, which waits no more; None where none does."""
        if not self._tenants:
            return None
        tenant, keys = self._tenants.popitem(last=False)
        key, _ = keys.popitem(last=False)
        if keys:
            self._tenants[tenant] = keys  # last in the line
        return key
