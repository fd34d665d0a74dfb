"""Embedding models. One is active and makes new vectors.

A second may exist while a database switches from one to the other. It is added and filled; then it is ready, and apps may read
with it. Then it is activated; the old one stays ready until it is dropped.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Literal, NamedTuple
from uuid import UUID

from pgvector import HalfVector
from sqlalchemy import Connection

from db.keys import LaneRef, as_jsonb, insert
from mosshead.embeddings.protocol import Vector
from mosshead.store.connection import OF_NAMESPACE, Sql

_LOCK_MODEL = 0x6D6F64656C  # "model"


class Model(NamedTuple):
    """A model by its name. dimensions: of a vector. state: filling: it still lacks vectors, so nobody reads with it."""

    name: str
    dimensions: int
    state: Literal["active", "ready", "filling"]


def models(connection: Connection) -> list[Model]:
    """Return all models, in the order in which they were added."""
    rows = Sql("""
        select model, dimensions, case when active then 'active' when ready then 'ready' else 'filling' end as state
        from mosshead.models order by created_at, model
    """).run(connection)
    return [Model(row.model, row.dimensions, row.state) for row in rows]


def active_model(connection: Connection) -> str | None:
    """Return the model of new vectors; None if no worker has ever started."""
    active: str | None = Sql("select model from mosshead.models where active").scalar(connection)
    return active


def set_active_model(connection: Connection, model: str, dimensions: int) -> Model:
    """Activate a model unless another is active; return the active one."""
    if active_model(connection) is None:
        add(connection, model, dimensions, active=True)
    return next(one for one in models(connection) if one.state == "active")


def add(connection: Connection, model: str, dimensions: int, *, active: bool = False) -> None:
    """Add a model without vectors; safe to repeat."""
    row = {"model": model, "dimensions": dimensions, "active": active, "ready": active}
    insert(connection, "models", [row], conflict="do nothing")


def set_ready(connection: Connection, model: str, ready: bool) -> None:
    """Set whether apps may start to read with a model: yes once it has all vectors, no before it is dropped."""
    Sql("""
        update mosshead.models set ready = %(ready)s where model = %(model)s and ready <> %(ready)s
    """).run(connection, model=model, ready=ready)


def switch(connection: Connection, model: str) -> None:
    """Activate a ready model for new vectors. The previous one stays ready."""
    # Concurrent switches take turns.
    Sql("""
        lock table mosshead.models in share row exclusive mode;
        update mosshead.models set active = false where active and model <> %(model)s;
        update mosshead.models set active = true where model = %(model)s and ready
    """).run(connection, model=model)


def drop(connection: Connection, model: str) -> None:
    """Delete a model that has no vectors left."""
    Sql("delete from mosshead.models where model = %(model)s and not active").run(connection, model=model)


@contextmanager
def held(connection: Connection, model: str) -> Iterator[None]:
    """Block additions to a model inside the block, while it is being dropped.

    The lock belongs to the transaction, which stays idle during the block: behind a pooler, a lock of the session would stay with
    a connection that somebody else uses by then.
    """
    Sql("""
        select set_config('idle_in_transaction_session_timeout', '0', true);
        select pg_advisory_xact_lock(hashtextextended(%(model)s, %(lock)s))
    """).run(connection, model=model, lock=_LOCK_MODEL)
    yield


def may_add(connection: Connection, model: str) -> bool:
    """Whether vectors may be added to a model until this transaction ends: it is neither dropped nor being dropped."""
    free = Sql("""
        select pg_try_advisory_xact_lock_shared(hashtextextended(%(model)s, %(lock)s))
    """).holds(connection, model=model, lock=_LOCK_MODEL)
    # A separate statement: the previous one saw the models as they were before it got the lock.
    return free and any(one.name == model for one in models(connection))


def workers_with(connection: Connection, model: str, *, alive: timedelta) -> list[str]:
    """Return the workers that embed with a model, or with an unknown one. alive: how old a heartbeat may be."""
    return Sql("""
        select worker from mosshead.workers
        where seen_at > now() - %(alive)s::interval and coalesce(model, %(model)s) = %(model)s order by worker
    """).scalars(connection, model=model, alive=alive)


def readers_with(connection: Connection, application_name: str) -> int:
    """Count the sessions with an application name; apps that choose their own name are not seen."""
    return Sql("""
        select count(*) from pg_stat_activity where datname = current_database() and application_name = %(name)s
    """).number(connection, name=application_name)


class Lacking(NamedTuple):
    """An owner that lacks a vector, with its text. kind: the owner's kind in the table. mention: what an example is about."""

    kind: str
    owner_id: UUID
    version: int
    text: str
    mention: str | None


def lanes_lacking(connection: Connection, tenant_id: UUID, model: str) -> list[LaneRef]:
    """Return a tenant's namespaces where something has a vector of another model but none of this one."""
    rows = Sql(f"""
        select distinct known.namespace_id {_LACKING.format(scope="tenant_id = %(tenant_id)s")} order by known.namespace_id
    """).scalars(connection, tenant_id=tenant_id, model=model)
    return [LaneRef(tenant_id, namespace_id) for namespace_id in rows]


def lacking(connection: Connection, lane: LaneRef, model: str) -> list[Lacking]:
    """Return everything in a namespace that lacks a vector of a model, with its text."""
    rows = Sql(f"""
        {_COLUMNS} {_LACKING.format(scope=OF_NAMESPACE)} order by known.owner_kind, known.owner_id, known.version
    """).run(connection, lane.scope, model=model)
    return [Lacking(*row) for row in rows]


def add_vectors(connection: Connection, lane: LaneRef, model: str, vectors: Mapping[Lacking, Vector]) -> int:
    """Add missing vectors of a model if their texts are unchanged; return how many. The lane must be locked."""
    rows = [one._asdict() | {"vector": HalfVector(vector).to_text()} for one, vector in vectors.items()]
    asked_for = {"kinds": list({one.kind for one in vectors}), "ids": [one.owner_id for one in vectors]}
    return Sql(f"""
        with lacking as ({_COLUMNS} {_LACKING.format(scope=f"{OF_NAMESPACE} and {_ASKED_FOR}")})
        insert into mosshead.embeddings (tenant_id, namespace_id, model, owner_kind, owner_id, version, embedding)
        select %(tenant_id)s, %(namespace_id)s, %(model)s, given.kind, given.owner_id, given.version, given.vector::halfvec
        from jsonb_to_recordset(%(rows)s) as given (kind text, owner_id uuid, version integer, text text, vector text)
        join lacking on (lacking.owner_kind, lacking.owner_id, lacking.version, lacking.text)
                      = (given.kind, given.owner_id, given.version, given.text)
    """).changed(connection, lane.scope, model=model, rows=as_jsonb(rows), **asked_for)


def outdate(connection: Connection, lane: LaneRef, model: str, kind: str, owner_ids: Sequence[UUID]) -> None:
    """Delete other models' vectors of owners whose text changed; this model already has the new ones."""
    Sql(f"""
        delete from mosshead.embeddings
        where {OF_NAMESPACE} and {_OTHER_MODELS} and owner_kind = %(kind)s and owner_id = any(%(ids)s::uuid[])
    """).run(connection, lane.scope, model=model, kind=kind, ids=list(owner_ids))


def lanes_with(connection: Connection, tenant_id: UUID, model: str) -> list[LaneRef]:
    """Return a tenant's namespaces where a model has any rows."""
    any_of_them = " union ".join(
        f"select namespace_id from mosshead.{table} where tenant_id = %(tenant_id)s and model = %(model)s"
        for table in (*_HOLDING, "candidate_facts", *_COUNTED)
    )
    rows = Sql(any_of_them).scalars(connection, tenant_id=tenant_id, model=model)
    return [LaneRef(tenant_id, namespace_id) for namespace_id in rows]


def delete_some(connection: Connection, lane: LaneRef, model: str, *, limit: int) -> int:
    """Delete up to ``limit`` each of a model's vectors and turns in a namespace; return how many. The lane must be locked.

    Their counts are deleted with the last ones.
    """
    parameters = {**lane.scope, "model": model, "limit": limit}
    some = (
        f"(select ctid from mosshead.{{table}} where {OF_NAMESPACE} and model = %(model)s limit %(limit)s for update)"
    )
    # The stage that needs a running batch's vectors of facts makes them again; those of messages come with missing turns.
    facts = "update mosshead.candidate_facts set model = null, embedding = null where ctid = any(array{some})"
    statements = [
        f"delete from mosshead.{table} where ctid = any(array{some.format(table=table)})" for table in _HOLDING
    ]
    statements.append(facts.format(some=some.format(table="candidate_facts")))
    gone = sum(Sql(statement).changed(connection, parameters) for statement in statements)
    if not gone:
        for table in _COUNTED:
            Sql(f"delete from mosshead.{table} where {OF_NAMESPACE} and model = %(model)s").run(connection, parameters)
    return gone


# A profile has one text, which changes. A memory has one per version, an example has one; these do not change.
_LACKING = """
    from (select distinct tenant_id, namespace_id, owner_kind, owner_id, version from mosshead.embeddings as vector
          where {scope} and model <> %(model)s) as known
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
          and made.model = %(model)s)
"""

_COLUMNS = "select known.owner_kind, known.owner_id, known.version, said.text, said.mention"
_OTHER_MODELS = "model = any(array(select model from mosshead.models where model <> %(model)s))"
_ASKED_FOR = f"{_OTHER_MODELS} and owner_kind = any(%(kinds)s::text[]) and owner_id = any(%(ids)s::uuid[])"
_HOLDING = ("embeddings", "turns", "candidate_turns")
_COUNTED = ("vocabulary", "scopes")
