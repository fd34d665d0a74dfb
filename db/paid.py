"""Answers that were paid for, the models that vectors are made with, and what it all cost."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.sql.expression import bindparam

from db.refs import LaneRef


def kept_answer(connection: Connection, lane: LaneRef, key: bytes) -> Mapping[str, Any] | None:
    """The answer that was kept under a key, if any."""
    row = connection.execute(_KEPT, {**lane.scope, "key": key}).one_or_none()
    return row.result if row else None


def keep_answer(
    connection: Connection, lane: LaneRef, key: bytes, *, prompt: str, model: str, result: Mapping[str, Any]
) -> None:
    """Keep an answer, so that doing its stage again does not pay for it again."""
    connection.execute(_KEEP, {**lane.scope, "key": key, "prompt": prompt, "model": model, "result": result})


def log_usage(
    connection: Connection,
    lane: LaneRef,
    usage_id: UUID,
    *,
    prompt: str,
    model: str,
    prompt_tokens: int,
    completion_tokens: int,
) -> None:
    """What one call to the LLM cost, in tokens."""
    tokens = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens}
    connection.execute(_USAGE, {**lane.scope, "usage_id": usage_id, "prompt": prompt, "model": model, **tokens})


def set_active_model(connection: Connection, model: str, dimensions: int) -> str | None:
    """Make a model the one that new vectors come from. Where another is active already, changes nothing and returns its name."""
    active: str | None = connection.execute(_ACTIVE).scalar()
    if active is None:
        connection.execute(_ADD_MODEL, {"model": model, "dimensions": dimensions})
        active = connection.execute(_ACTIVE).scalar()
    return None if active == model else active


_LANE = "tenant_id = :tenant_id and namespace_id = :namespace_id"

_KEPT = text(f"select result from recollect.step_results where {_LANE} and key = :key")

_KEEP = text("""
    insert into recollect.step_results (tenant_id, namespace_id, key, prompt, model, result)
    values (:tenant_id, :namespace_id, :key, :prompt, :model, :result) on conflict do nothing
""").bindparams(bindparam("result", type_=JSONB))

_USAGE = text("""
    insert into recollect.usage (tenant_id, namespace_id, usage_id, prompt, model, prompt_tokens, completion_tokens)
    values (:tenant_id, :namespace_id, :usage_id, :prompt, :model, :prompt_tokens, :completion_tokens)
""")

_ACTIVE = text("select model from recollect.models where active")

_ADD_MODEL = text("""
    insert into recollect.models (model, dimensions, active) values (:model, :dimensions, true) on conflict do nothing
""")
