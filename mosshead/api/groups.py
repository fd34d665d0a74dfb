"""Query several namespaces of a tenant at once: those with a common path prefix, such as the users of a team."""

from dataclasses import dataclass

from sqlalchemy import Engine

from mosshead.arguments import checked_limit, checked_threshold
from mosshead.embeddings import Embedder
from mosshead.models.memories import Hit
from mosshead.paths import NamespacePath, NamespacePrefix
from mosshead.redaction import redact
from mosshead.store.connection import BinaryVector, Sql, same_namespace, tenant_transaction
from mosshead.store.memories import memory_columns, memory_fields
from mosshead.text import readable


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespacedHit(Hit):
    """A memory found by a query across namespaces. namespace: The path of the namespace that holds it."""

    namespace: NamespacePath


class NamespaceGroup:
    """The namespaces of a tenant whose paths begin with the same parts. Get it from `Memory.group`."""

    def __init__(self, prefix: NamespacePrefix, engine: Engine, embedder: Embedder) -> None:
        """Use `Memory.group`."""
        self.prefix = prefix
        self._engine = engine
        self._embedder = embedder

    def namespaces(self) -> list[NamespacePath]:
        """List the existing namespaces, ordered by path."""
        with tenant_transaction(self._engine, self.prefix.tenant_id) as connection:
            paths = Sql(f"""
                select scope.path from mosshead_read_v1.namespaces as scope where {_UNDER} order by scope.path
            """).scalars(connection, self._scope)
        return [NamespacePath(tuple(path)) for path in paths]

    def query(self, text: str, *, limit: int = 10, threshold: float | None = None) -> list[NamespacedHit]:
        """Find the memories of all these namespaces most similar to a text, most similar first.

        This compares every memory of every namespace, so it suits thousands of memories, not millions. An empty text finds
        nothing.

        Args:
            threshold: As for `Namespace.query`.

        Raises:
            ValueError: An argument is invalid; the error names it.
        """
        most, least, said = checked_limit(limit), checked_threshold(threshold), redact(readable("text", text))
        if not said.strip():
            return []
        vector = BinaryVector(self._embedder.embed([said])[0])
        asked = {**self._scope, "model": self._embedder.name, "vector": vector, "limit": most, "threshold": least}
        with tenant_transaction(self._engine, self.prefix.tenant_id) as connection:
            return [
                NamespacedHit(
                    **memory_fields(row),
                    similarity=round(min(1.0, row.similarity), 4),
                    namespace=NamespacePath(tuple(row.path)),
                )
                for row in _SIMILAR.run(connection, asked)
            ]

    @property
    def _scope(self) -> dict[str, object]:
        return {"tenant_id": self.prefix.tenant_id, "prefix": list(self.prefix.parts)}


_UNDER = """
    scope.tenant_id = %(tenant_id)s and scope.path[1:cardinality(%(prefix)s::text[])] = %(prefix)s::text[]
"""

_SIMILAR = Sql(f"""
    with nearest as materialized (
        select scope.path, vector.namespace_id, vector.owner_id, -(vector.embedding <#> %(vector)s::halfvec) as similarity
        from mosshead_read_v1.namespaces as scope
        join mosshead_read_v1.embeddings as vector
          on vector.tenant_id = scope.tenant_id and vector.namespace_id = scope.namespace_id
         and vector.model = %(model)s and vector.owner_kind = 'memory'
        where {_UNDER}
          and (%(threshold)s::float8 is null or -(vector.embedding <#> %(vector)s::halfvec) > %(threshold)s)
        order by similarity desc, vector.owner_id
        limit %(limit)s
    )
    select {memory_columns(beside=same_namespace)}, nearest.similarity, nearest.path
    from nearest join mosshead_read_v1.memories as memory
      on memory.tenant_id = %(tenant_id)s and memory.namespace_id = nearest.namespace_id and memory.memory_id = nearest.owner_id
     and memory.known_to is null and memory.state = 'active'
    order by nearest.similarity desc, memory.memory_id
""")
