"""Models: what vectors are made with. One is active: new vectors come from it.

A second may live beside it while a database goes over from one to the other. It is added, given what it lacks (`db.vectors`), and
ready from then on, so that apps may read with it. Then it is made the active one; the one before stays ready until it is dropped.
"""

from datetime import timedelta
from typing import Literal, NamedTuple

from sqlalchemy import Connection, text

_LOCK_MODEL = 0x6D6F64656C  # "model"


class Model(NamedTuple):
    """A model by its name. dimensions: of a vector. state: filling: it lacks vectors yet, so that nobody reads with it."""

    name: str
    dimensions: int
    state: Literal["active", "ready", "filling"]


def models(connection: Connection) -> list[Model]:
    """All of them, in the order in which they came."""
    return [Model(row.model, row.dimensions, row.state) for row in connection.execute(_MODELS)]


def active_model(connection: Connection) -> str | None:
    """The model that new vectors come from; None where no worker ever started."""
    active: str | None = connection.execute(_ACTIVE).scalar()
    return active


def set_active_model(connection: Connection, model: str, dimensions: int) -> Model:
    """Make a model the one that new vectors come from, unless one is already; returns the one that is."""
    if active_model(connection) is None:
        connection.execute(_ADD, {"model": model, "dimensions": dimensions, "active": True})
    return next(one for one in models(connection) if one.state == "active")


def add(connection: Connection, model: str, dimensions: int) -> None:
    """Add a model that lacks everything yet; does no harm twice."""
    connection.execute(_ADD, {"model": model, "dimensions": dimensions, "active": False})


def make_ready(connection: Connection, model: str) -> None:
    """Let apps read with a model: it has what there is."""
    connection.execute(_READY, {"model": model, "ready": True})


def switch(connection: Connection, model: str) -> None:
    """Have new vectors come from a model that is ready. The one before stays ready."""
    connection.execute(_LOCK)
    for statement in (_NOT_ACTIVE, _NOW_ACTIVE):
        connection.execute(statement, {"model": model})


def retire(connection: Connection, model: str) -> None:
    """Let no app begin to read with a model that is to be dropped."""
    connection.execute(_READY, {"model": model, "ready": False})


def drop(connection: Connection, model: str) -> None:
    """Forget a model of which nothing is left."""
    connection.execute(_DROP, {"model": model})


def hold(connection: Connection, model: str) -> None:
    """Keep all who add to a model away from it, until this session lets go of it or ends: it is being dropped."""
    connection.execute(_HOLD, {"model": model, "lock": _LOCK_MODEL})


def let_go(connection: Connection, model: str) -> None:
    """End what `hold` began in this session."""
    connection.execute(_LET_GO, {"model": model, "lock": _LOCK_MODEL})


def may_add(connection: Connection, model: str) -> bool:
    """Whether a model may be given vectors until this transaction ends: nobody drops it, or has dropped it."""
    free = connection.execute(_SHARE, {"model": model, "lock": _LOCK_MODEL}).scalar_one()
    # A statement of its own: that before saw the models as they were before it had the lock.
    return bool(free) and any(one.name == model for one in models(connection))


def workers_with(connection: Connection, model: str, *, alive: timedelta) -> list[str]:
    """The workers that embed with a model, or do not say with which. alive: how old a heartbeat may be."""
    return list(connection.execute(_WORKERS, {"model": model, "alive": alive}).scalars())


def readers_with(connection: Connection, application_name: str) -> int:
    """How many sessions of apps bear a name; those that chose another name for themselves are not seen."""
    return int(connection.execute(_READERS, {"name": application_name}).scalar_one())


_MODELS = text("""
    select model, dimensions, case when active then 'active' when ready then 'ready' else 'filling' end as state
    from mosshead.models order by created_at, model
""")

_ACTIVE = text("select model from mosshead.models where active")

_ADD = text("""
    insert into mosshead.models (model, dimensions, active, ready) values (:model, :dimensions, :active, :active)
    on conflict do nothing
""")

_READY = text("update mosshead.models set ready = :ready where model = :model and ready <> :ready")

# Two that switch at the same time take turns.
_LOCK = text("lock table mosshead.models in share row exclusive mode")

_NOT_ACTIVE = text("update mosshead.models set active = false where active and model <> :model")

_NOW_ACTIVE = text("update mosshead.models set active = true where model = :model and ready")

_HOLD = text("select pg_advisory_lock(hashtextextended(:model, :lock))")

_LET_GO = text("select pg_advisory_unlock(hashtextextended(:model, :lock))")

_SHARE = text("select pg_try_advisory_xact_lock_shared(hashtextextended(:model, :lock))")

_DROP = text("delete from mosshead.models where model = :model and not active")

_WORKERS = text("""
    select worker from mosshead.workers
    where seen_at > now() - cast(:alive as interval) and coalesce(model, :model) = :model order by worker
""")

_READERS = text("select count(*) from pg_stat_activity where datname = current_database() and application_name = :name")
