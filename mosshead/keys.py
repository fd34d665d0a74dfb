"""The keys of a namespace's entities: the app's own names for those that it imported, and the ids of the others.

As in `mosshead.views`, the function takes a connection inside a transaction that has set its tenant, and never commits.
"""

from collections.abc import Collection

from sqlalchemy import Connection, text

from mosshead.namespaces import NamespacePath


def known_keys(connection: Connection, path: NamespacePath, keys: Collection[str]) -> set[str]:
    """Those of the keys that some entity bears, or bore before it was merged into another."""
    scope = {"tenant_id": path.tenant_id, "namespace_id": path.namespace_id}
    return set(connection.execute(_KNOWN, {**scope, "keys": sorted(keys)}).scalars())


_KNOWN = text("""
    select distinct coalesce(key, cast(entity_id as text)) as key from mosshead_read_v1.entities_over_time
    where tenant_id = :tenant_id and namespace_id = :namespace_id and coalesce(key, cast(entity_id as text)) = any(:keys)
""")
