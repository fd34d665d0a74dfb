"""Paid answers, and their cost."""

from uuid import uuid4

import pytest
from sqlalchemy import Engine, text

from db import usage
from db.keys import BatchRef, LaneRef
from db.usage import Cost
from mosshead.store.connection import tenant_transaction
from tests.given import LONG, Remembering, under_way


def test_answer_is_stored_for_its_namespace_and_the_first_one_stays(
    remembering: Remembering, worker_engine: Engine, lane: LaneRef
) -> None:
    key, neighbour, batch = b"key", LaneRef(lane.tenant_id, uuid4()), under_way(worker_engine, lane)
    with remembering.transaction() as connection:
        assert usage.kept_answer(connection, lane, key) is None
        for facts in (["one"], ["two"]):
            usage.keep_answer(connection, batch, key, prompt="extraction", model="m", result={"facts": facts})
    with tenant_transaction(worker_engine, lane.tenant_id) as connection:
        assert usage.kept_answer(connection, lane, key) == {"facts": ["one"]}
        assert usage.kept_answer(connection, lane, b"other") is None
        assert usage.kept_answer(connection, neighbour, key) is None


def test_answer_for_an_erased_batch_is_not_stored(remembering: Remembering, lane: LaneRef) -> None:
    """A model may answer after the whole namespace is gone, including its batches."""
    key = b"key"
    with remembering.transaction() as connection:
        usage.keep_answer(
            connection, BatchRef(lane, uuid4()), key, prompt="extraction", model="m", result={"facts": []}
        )
        assert usage.kept_answer(connection, lane, key) is None


def test_cost_of_a_call_is_logged(remembering: Remembering, lane: LaneRef) -> None:
    with remembering.transaction() as connection:
        call = {"stage": "extract", "prompt": "extraction", "model": "m"}
        usage.log_usage(connection, lane, uuid4(), **call, prompt_tokens=7, completion_tokens=3)
        row = connection.execute(
            text("select stage, prompt, model, prompt_tokens, completion_tokens from mosshead.usage")
        ).one()

    assert tuple(row) == ("extract", "extraction", "m", 7, 3)


@pytest.mark.parametrize(("reported", "kept"), [(-7, 0), (2**40, 2**31 - 1)])
def test_any_token_counts_an_endpoint_reports_can_be_stored(
    remembering: Remembering, lane: LaneRef, reported: int, kept: int
) -> None:
    call = {"stage": "extract", "prompt": "extraction", "model": "m"}
    with remembering.transaction() as connection:
        usage.log_usage(connection, lane, uuid4(), **call, prompt_tokens=reported, completion_tokens=reported)
        (cost,) = usage.costs(connection, lane.tenant_id, by="model", since=LONG)

    assert cost == Cost("m", 1, kept, kept)
