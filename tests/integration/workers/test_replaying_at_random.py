"""After random use of an app, its namespace is replayed: each event once and in order, with the same memories. No reference
dangles, switching twice changes nothing, and an erasure after it leaves no word."""

import random
from collections.abc import Callable

import pytest

from mosshead import Namespace
from tests.integration.db.test_vocabulary import kept
from tests.integration.workers.conftest import Dump, Find
from tests.integration.workers.test_erasing_at_random import LOOSE, live, rows
from tests.replaying_given import Replaying, contents

__all__ = ["kept", "rows"]

_NAMESAKES = 2
"""A seed with two entities named Rex, of which the merged one has no memories. Its erasure once left a name."""

_DONE = """
    select event_id::text from mosshead.events where tenant_id = :tenant_id and namespace_id = '{}' and state = 'done'
    order by effective_at
"""


@pytest.mark.parametrize(
    ("seed", "acts"), [(0, 6), *(pytest.param(seed, 12, marks=pytest.mark.thorough) for seed in range(4))]
)
def test_replay_of_some_weeks_remembers_the_same(
    replayed: Replaying,
    sarah: Namespace,
    find: Find,
    dump: Dump,
    rows: Callable[[str], list[str]],
    *,
    kept: Callable[[], int],
    seed: int,
    acts: int,
) -> None:
    forming, chance = replayed.forming, random.Random(seed)
    live(forming, sarah, chance, acts)
    replayed.start(messages=1)
    live(forming, sarah, chance, acts)
    replayed.follow(1)

    here, there = (rows(_DONE.format(path.namespace_id)) for path in (sarah.path, replayed.there.path))
    assert len(there) == len(set(there))
    assert there == [one for one in here if one in set(there)]
    if seed == _NAMESAKES:
        assert replayed.left_out == ["merge: nobody there is who was meant"]
    else:
        assert (replayed.left_out, contents(replayed.there)) == ([], contents(sarah))
    before = dump(replayed.there.path)
    for _ in range(2):
        replayed.switch(despite=True)
    assert dump(replayed.there.path) == before
    replayed.switch(despite=True)
    assert rows(LOOSE) == []
    kept()
    for decision in sarah.decisions.latest():
        forming.command(type="undo", decision_id=str(decision.id))
    assert rows(LOOSE) == []
    forming.erase(conversation="gone")
    assert find("quux") == {}
    assert rows(LOOSE) == []
