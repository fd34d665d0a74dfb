"""Models: what vectors are made with. One is active: new vectors come from it.

A second may live beside it while a database goes over from one to the other. It is added, given what it lacks, and ready
from then on, so that apps may read with it. Then it is made the active one; the one before stays ready until it is dropped.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Literal, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector
from sqlalchemy import Connection, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.sql.expression import bindparam

from db.keys import OF_LANE, LaneRef

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
Vector = NDArray[np.float32]


class Lacking(NamedTuple):
    """What lacks a vector, with its text. kind: of owner, as the table has it. mention: what an example is about."""

    kind: str
    owner_id: UUID
    version: int
    text: str
    mention: str | None


def lanes_lacking(connection: Connection, tenant_id: UUID, model: str) -> list[LaneRef]:
    """The namespaces of a tenant in which something has a vector of another model and none of this."""
    rows = connection.execute(_LANES, {"tenant_id": tenant_id, "model": model}).scalars()
    return [LaneRef(tenant_id, namespace_id) for namespace_id in rows]


def lacking(connection: Connection, lane: LaneRef, model: str) -> list[Lacking]:
    """All that lacks a vector of a model in a namespace, with its text."""
    return [Lacking(*row) for row in connection.execute(_OF_LANE, {**lane.scope, "model": model})]


def add_vectors(connection: Connection, lane: LaneRef, model: str, vectors: Mapping[Lacking, Vector]) -> int:
    """Give a model what it lacked, where that still stands as it was embedded; returns how many. The lane must be locked."""
    rows = [
        {
            "kind": one.kind,
            "owner_id": str(one.owner_id),
            "version": one.version,
            "text": one.text,
            "vector": HalfVector(vector).to_text(),
        }
        for one, vector in vectors.items()
    ]
    if not rows:
        return 0
    asked_for = {"kinds": list({one.kind for one in vectors}), "ids": [one.owner_id for one in vectors]}
    return connection.execute(_ADD_VECTORS, {**lane.scope, **asked_for, "model": model, "rows": rows}).rowcount


def outdate(connection: Connection, lane: LaneRef, model: str, kind: str, owner_ids: Sequence[UUID]) -> None:
    """The text of some owners changed, and this model has its vector: what others have is of the text before, and goes."""
    if owner_ids:
        connection.execute(_OUTDATE, {**lane.scope, "model": model, "kind": kind, "ids": list(owner_ids)})


def lanes_with(connection: Connection, tenant_id: UUID, model: str) -> list[LaneRef]:
    """The namespaces of a tenant in which a model has anything."""
    rows = connection.execute(_LANES_WITH, {"tenant_id": tenant_id, "model": model}).scalars()
    return [LaneRef(tenant_id, namespace_id) for namespace_id in rows]


def delete_some(connection: Connection, lane: LaneRef, model: str, *, limit: int) -> int:
    """Delete up to ``limit`` each of a model's vectors and turns in a namespace; returns how many went. The lane must be locked.

    With the last go the counts that are kept of them.
    """
    parameters = {**lane.scope, "model": model, "limit": limit}
    gone = sum(connection.execute(statement, parameters).rowcount for statement in _DELETE_SOME)
    if not gone:
        for statement in _DELETE_COUNTS:
            connection.execute(statement, parameters)
    return gone


# A profile has one text, which changes; a memory one for each version, and an example one, which stay.
_LACKING = """
    from (select distinct tenant_id, namespace_id, owner_kind, owner_id, version from mosshead.embeddings as vector
          where {scope} and model <> :model) as known
    cross join lateral (
        select content as text, null as mention from mosshead.memories as memory
        where (memory.tenant_id, memory.namespace_id, memory.memory_id, memory.version)
            = (known.tenant_id, known.namespace_id, known.owner_id, known.version)
          and known.owner_kind in ('memory', 'past_memory')
        union all
        select summary, null from mosshead.profiles as profile
        where (profile.tenant_id, profile.namespace_id, profile.entity_id) = (known.tenant_id, known.namespace_id, known.owner_id)
          and known.owner_kind = 'profile'
        union all
        select text, mention from mosshead.examples as example
        where (example.tenant_id, example.namespace_id, example.example_id)
            = (known.tenant_id, known.namespace_id, known.owner_id)
          and known.owner_kind = 'example'
    ) as said
    where not exists (
        select from mosshead.embeddings as made
        where (made.tenant_id, made.namespace_id, made.owner_kind, made.owner_id, made.version)
            = (known.tenant_id, known.namespace_id, known.owner_kind, known.owner_id, known.version)
          and made.model = :model)
"""

_COLUMNS = "select known.owner_kind, known.owner_id, known.version, said.text, said.mention"
_OTHER_MODELS = "model = any(array(select model from mosshead.models where model <> :model))"
_ASKED_FOR = f"{_OTHER_MODELS} and owner_kind = any(cast(:kinds as text[])) and owner_id = any(cast(:ids as uuid[]))"
_ASKED = f"{_COLUMNS} {_LACKING.format(scope=f'{OF_LANE} and {_ASKED_FOR}')}"

_LANES = text(f"""
    select distinct known.namespace_id {_LACKING.format(scope="tenant_id = :tenant_id")} order by known.namespace_id
""")

_OF_LANE = text(f"{_COLUMNS} {_LACKING.format(scope=OF_LANE)} order by known.owner_kind, known.owner_id, known.version")

_ADD_VECTORS = text(f"""
    with lacking as ({_ASKED})
    insert into mosshead.embeddings (tenant_id, namespace_id, model, owner_kind, owner_id, version, embedding)
    select :tenant_id, :namespace_id, :model, lacking.owner_kind, lacking.owner_id, lacking.version, cast(given.vector as halfvec)
    from jsonb_to_recordset(:rows) as given (kind text, owner_id uuid, version integer, text text, vector text)
    join lacking on (lacking.owner_kind, lacking.owner_id, lacking.version, lacking.text)
                  = (given.kind, given.owner_id, given.version, given.text)
""").bindparams(bindparam("rows", type_=JSONB))

_OUTDATE = text(f"""
    delete from mosshead.embeddings
    where {OF_LANE} and {_OTHER_MODELS} and owner_kind = :kind and owner_id = any(cast(:ids as uuid[]))
""")

_COUNTED = ("vocabulary", "scopes")

_LANES_WITH = text(
    " union ".join(
        f"select namespace_id from mosshead.{table} where tenant_id = :tenant_id and model = :model"
        for table in ("embeddings", "turns", "candidate_turns", "candidate_facts", *_COUNTED)
    )
)

_SOME = f"""
    array(select ctid from mosshead.{{table}} where {OF_LANE} and model = :model limit :limit for update)
"""

# What a batch under way made of its facts is made again by the stage that needs it; of its messages, when they lack a turn.
_DELETE_SOME = [
    *(
        text(f"delete from mosshead.{table} where ctid = any({_SOME.format(table=table)})")
        for table in ("embeddings", "turns", "candidate_turns")
    ),
    text(f"""
        update mosshead.candidate_facts set model = null, embedding = null
        where ctid = any({_SOME.format(table="candidate_facts")})
    """),
]

_DELETE_COUNTS = [text(f"delete from mosshead.{table} where {OF_LANE} and model = :model") for table in _COUNTED]
