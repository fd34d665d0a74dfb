"""The names behind the ids."""

from sqlalchemy import Connection, text

from db.refs import LaneRef


def path_of(connection: Connection, lane: LaneRef) -> tuple[str, ...] | None:
    """The path of a namespace, the tenant first; None where there is no such one. Its tenant must be set."""
    path = connection.execute(_PATH, lane.scope).scalar()
    return tuple(path) if path is not None else None


_PATH = text("select path from recollect.namespaces where tenant_id = :tenant_id and namespace_id = :namespace_id")
