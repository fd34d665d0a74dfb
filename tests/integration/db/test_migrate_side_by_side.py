"""To the sixth version and back: what tells namesakes apart stands in an index too, where it fits into one."""

import pytest
from alembic import command
from sqlalchemy import text

from db.migrate import migrate
from tests.integration.db.test_migrate import EVENTS, administrating, empty_database, rows, run, schema

__all__ = ["empty_database"]

_TRAIT = """
    insert into mosshead.traits (tenant_id, namespace_id, entity_id, model, owner_kind, owner_id, embedding, words)
    select tenant_id, namespace_id, gen_random_uuid(), :model, 'memory', gen_random_uuid(),
           (select array_agg(random()) from generate_series(1, :dimensions))::vector::halfvec,
           (select array_to_tsvector(array_agg(chr(20000 + one))) from generate_series(1, :words) as one)
    from mosshead.lanes
"""
_LARGEST = 82
"""Words of one letter of three octets, which leave the most beside the text: quotes and blanks are not stored, lengths are."""


def test_up_tells_what_fits_into_the_index_and_down_brings_the_shape_back(empty_database: str) -> None:
    migrate(empty_database, {}, "0005")
    fifth = schema(empty_database)
    with administrating(empty_database) as connection:
        connection.execute(text("select mosshead_write_v1.publish(cast(:events as jsonb))"), {"events": EVENTS})
        connection.execute(text(_TRAIT), {"model": "m", "dimensions": 384, "words": 10})
        connection.execute(text(_TRAIT), {"model": "m", "dimensions": 1536, "words": 10})

    migrate(empty_database, {})
    sixth = schema(empty_database)
    assert rows(empty_database, "select vector_dims(embedding), compact from mosshead.traits") == {
        (384, True),
        (1536, False),
    }
    run(empty_database, command.downgrade, "0005")
    assert schema(empty_database) == fifth
    assert rows(empty_database, "select count(*) from mosshead.traits") == {(2,)}
    migrate(empty_database, {})
    assert schema(empty_database) == sixth


@pytest.mark.parametrize(
    ("dimensions", "words", "compact"),
    [(768, _LARGEST, True), (768, _LARGEST + 2, False), (769, 1, False), (4000, 2000, False)],
)
def test_whatever_its_size_a_trait_can_be_written(
    empty_database: str, dimensions: int, words: int, compact: bool
) -> None:
    migrate(empty_database, {})
    with administrating(empty_database) as connection:
        connection.execute(text("select mosshead_write_v1.publish(cast(:events as jsonb))"), {"events": EVENTS})
        connection.execute(text(_TRAIT), {"model": "m" * 200, "dimensions": dimensions, "words": words})
    assert rows(empty_database, "select compact from mosshead.traits") == {(compact,)}
