"""Answers that were paid for, and what they cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import Connection, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.sql.expression import bindparam

from db.refs import BatchRef, LaneRef

_MOST_TOKENS = 2**31 - 1

By = Literal["stage", "model", "namespace", "day"]
"""What costs are added up by. A day is one of UTC; a namespace is named by its path, with slashes."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What the calls of one stage, model, namespace or day cost, in tokens; of: None where the calls do not say."""

    of: str | None
    calls: int
    prompt_tokens: int
    completion_tokens: int


def kept_answer(connection: Connection, lane: LaneRef, key: bytes) -> Mapping[str, Any] | None:
    """The answer that was kept under a key, if any."""
    row = connection.execute(_KEPT, {**lane.scope, "key": key}).one_or_none()
    return row.result if row else None


def keep_answer(
    connection: Connection, batch: BatchRef, key: bytes, *, prompt: str, model: str, result: Mapping[str, Any]
) -> None:
    """Keep an answer, so that doing its stage again does not pay for it again.

    None for a batch that ended meanwhile, or is gone: an erasure takes the lane from whoever is at work, and the answer holds
    what was said.
    """
    if connection.execute(_UNDER_WAY, batch.scope).one_or_none() is not None:
        connection.execute(_KEEP, {**batch.lane.scope, "key": key, "prompt": prompt, "model": model, "result": result})


def log_usage(
    connection: Connection,
    lane: LaneRef,
    usage_id: UUID,
    *,
    stage: str,
    prompt: str,
    model: str,
    prompt_tokens: int,
    completion_tokens: int,
) -> None:
    """Keep what one call to the LLM cost, in tokens, and which stage made it."""
    call = {"usage_id": usage_id, "stage": stage, "prompt": prompt, "model": model}
    tokens = {"prompt_tokens": _storable(prompt_tokens), "completion_tokens": _storable(completion_tokens)}
    connection.execute(_USAGE, {**lane.scope, **call, **tokens})


def costs(
    connection: Connection, tenant_id: UUID, *, by: By, since: timedelta, namespace_id: UUID | None = None
) -> Sequence[Cost]:
    """What a tenant, which must be set, or one namespace of it, spent within this time."""
    asked = {"tenant_id": tenant_id, "namespace_id": namespace_id, "since": since}
    rows = connection.execute(_COSTS[by], asked)
    return [Cost(row.of, row.calls, row.prompt_tokens, row.completion_tokens) for row in rows]


def stage_of(connection: Connection, batch: BatchRef) -> str:
    """The stage that a batch is at."""
    return str(connection.execute(_STAGE, batch.scope).scalar_one())


def _storable(tokens: int) -> int:
    # An endpoint can report anything, and the answer is paid for all the same.
    return min(max(tokens, 0), _MOST_TOKENS)


_LANE = "tenant_id = :tenant_id and namespace_id = :namespace_id"

_KEPT = text(f"select result from mosshead.step_results where {_LANE} and key = :key")

# For share: whoever ends it at this moment is waited for, or waits until the answer is there to be deleted.
_UNDER_WAY = text(f"""
    select from mosshead.batches where {_LANE} and batch_id = :batch_id and finished_at is null for share
""")

_KEEP = text("""
    insert into mosshead.step_results (tenant_id, namespace_id, key, prompt, model, result)
    values (:tenant_id, :namespace_id, :key, :prompt, :model, :result) on conflict do nothing
""").bindparams(bindparam("result", type_=JSONB))

_USAGE = text("""
    insert into mosshead.usage
        (tenant_id, namespace_id, usage_id, stage, prompt, model, prompt_tokens, completion_tokens)
    values (:tenant_id, :namespace_id, :usage_id, :stage, :prompt, :model, :prompt_tokens, :completion_tokens)
""")

_OF: Mapping[By, str] = {
    "stage": "stage",
    "model": "model",
    "namespace": "array_to_string(path, '/')",
    "day": "to_char(at at time zone 'UTC', 'YYYY-MM-DD')",
}

_COSTS = {
    by: text(f"""
        select {of} as of, count(*) as calls, sum(prompt_tokens) as prompt_tokens, sum(completion_tokens) as completion_tokens
        from mosshead.usage left join mosshead.namespaces using (tenant_id, namespace_id)
        where tenant_id = :tenant_id and at > now() - cast(:since as interval)
          and (cast(:namespace_id as uuid) is null or namespace_id = :namespace_id)
        group by of
    """)
    for by, of in _OF.items()
}

_BATCH = f"{_LANE} and batch_id = :batch_id"

_STAGE = text(f"select stage from mosshead.batches where {_BATCH}")
