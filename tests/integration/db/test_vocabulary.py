"""How common each word is: counted from the rows that scans read, through every change of them."""

from collections.abc import Callable

import pytest
from sqlalchemy import Engine, text

from db.keys import LaneRef
from mosshead import Namespace
from tests.forming import Forming
from tests.given import Remembering, direction
from tests.integration.workers.conftest import forming, sarah

__all__ = ["forming", "sarah"]

_COUNTED = text("""
    select scanned, lexeme, holders, occurrences from mosshead.vocabulary
    where tenant_id = :tenant_id and namespace_id = :namespace_id and (holders <> 0 or occurrences <> 0)
""")
_THERE = text("""
    select scanned, lexeme, count(*), sum(case when lexeme = '' then length else 0 end) from (
        select 'memories' as scanned, words, length from mosshead.embeddings
        where tenant_id = :tenant_id and namespace_id = :namespace_id and owner_kind = 'memory'
        union all
        select 'turns', words, length from mosshead.turns where tenant_id = :tenant_id and namespace_id = :namespace_id
    ) as one cross join unnest(tsvector_to_array(words) || array['']) as lexeme group by scanned, lexeme
""")


@pytest.fixture
def kept(admin_engine: Engine, lane: LaneRef) -> Callable[[], int]:
    """Return a function that checks the counts against the rows and returns their total."""

    def check() -> int:
        with admin_engine.connect() as connection:
            counted, there = ({tuple(row) for row in connection.execute(one, lane.scope)} for one in (_COUNTED, _THERE))
        assert counted == there
        return len(counted)

    return check


def test_word_counts_follow_every_change_of_memories_and_messages(
    forming: Forming, sarah: Namespace, kept: Callable[[], int], admin_engine: Engine, lane: LaneRef
) -> None:
    for one in ("I live in Seattle with my sister Ruth.", "My brother Peter is a baker.", "I moved to Berlin."):
        forming.say(one)
        assert kept() > 1
    (move,) = [one for one in sarah.memories() if "Berlin" in one.content]
    forming.command(type="undo", decision_id=str(sarah.decisions.for_memory(move.id)[-1].id))
    assert kept() > 1
    with admin_engine.begin() as connection:
        connection.execute(text("delete from mosshead.turns where namespace_id = :namespace_id"), lane.scope)
        connection.execute(text("delete from mosshead.embeddings where namespace_id = :namespace_id"), lane.scope)
    assert kept() == 0


def test_reader_sees_only_the_words_of_its_own_tenant(
    remembering: Remembering, reader_engine: Engine, kept: Callable[[], int]
) -> None:
    remembering.memory("Herons nest", direction(1))
    assert kept() > 1
    with reader_engine.begin() as connection:
        assert connection.execute(text("select count(*) from mosshead_read_v1.vocabulary")).scalar_one() == 0
