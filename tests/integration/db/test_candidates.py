"""What the stages of a batch pass on."""

import numpy as np
import pytest
from sqlalchemy import Engine

from db import candidates
from db.keys import BatchRef, LaneRef
from tests.given import MODEL, Publishing, Remembering, claimed, direction


@pytest.fixture
def batch(publishing: Publishing, worker_engine: Engine, lane: LaneRef) -> BatchRef:
    publishing.say("I like coffee and tea")
    return claimed(worker_engine, lane)


def test_each_stage_adds_to_the_extracted_facts(remembering: Remembering, batch: BatchRef) -> None:
    with remembering.transaction() as connection:
        candidates.store_facts(connection, batch, [{"content": "coffee"}, {"content": "tea"}])
        before = candidates.facts_of_batch(connection, batch)
        candidates.store_salience(connection, batch, {2: (4.5, {"urgency": 4.5})})
        candidates.store_vectors(connection, batch, MODEL, {1: direction(1)})
        first, second = candidates.facts_of_batch(connection, batch)

    assert [(row.number, row.salience, row.factors, row.vector) for row in before] == [
        (1, None, {}, None),
        (2, None, {}, None),
    ]
    assert (first.fact, second.fact) == ({"content": "coffee"}, {"content": "tea"})
    assert (first.salience, second.salience, second.factors) == (None, 4.5, {"urgency": 4.5})
    assert first.vector is not None
    assert np.allclose(first.vector, direction(1))


def test_second_extraction_replaces_the_first(remembering: Remembering, batch: BatchRef) -> None:
    for facts in ([{"content": "coffee"}, {"content": "tea"}], [{"content": "water"}], []):
        with remembering.transaction() as connection:
            candidates.store_facts(connection, batch, facts)
            assert [row.fact for row in candidates.facts_of_batch(connection, batch)] == facts
