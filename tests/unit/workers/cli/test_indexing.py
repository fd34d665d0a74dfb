"""Which scope indexes are created and dropped, given the present ones."""

from uuid import UUID

import pytest

from db.keys import LaneRef
from db.search_indexes import Scope
from mosshead.search.scans import Scanned
from workers.cli.indexing import work


def scope(rows: int, model: str = "m", scanned: Scanned = "memories") -> Scope:
    return Scope(LaneRef(UUID(int=1), UUID(int=2)), model, 384, scanned, rows)


LARGE, MIDDLING, TALK = scope(21), scope(18), scope(21, scanned="turns")
FIRST, *OTHERS = LARGE.indexes
WHOLE = dict.fromkeys(LARGE.indexes, True)


@pytest.mark.parametrize(
    ("large", "indexes", "whole", "drop", "make"),
    [
        ([LARGE], {}, [], [], [(LARGE, [FIRST, *OTHERS])]),
        ([LARGE], WHOLE, [LARGE], [], []),
        ([LARGE], {**WHOLE, FIRST: False}, [], [FIRST], [(LARGE, [FIRST])]),
        ([LARGE], {FIRST: True}, [], [], [(LARGE, OTHERS)]),
        ([MIDDLING], {}, [], [], []),
        ([MIDDLING], WHOLE, [MIDDLING], [], []),
        ([MIDDLING], {FIRST: True}, [], [], [(MIDDLING, OTHERS)]),
        ([MIDDLING], {**WHOLE, FIRST: False}, [], [FIRST], [(MIDDLING, [FIRST])]),
        ([], {"of nobody": True}, [], ["of nobody"], []),
        ([scope(20)], {}, [], [], []),
        ([LARGE, TALK], WHOLE, [LARGE], [], [(TALK, [*TALK.indexes])]),
        ([TALK], WHOLE, [], [*LARGE.indexes], [(TALK, [*TALK.indexes])]),
    ],
    ids=[
        *("outgrown", "indexed", "broken", "half done", "middling", "shrinking", "half done and shrinking"),
        *("broken and shrinking", "shrunk", "at the limit"),
        *("messages outgrown too", "messages alone outgrown"),
    ],
)
def test_indexes_are_created_dropped_or_kept_as_the_scopes_require(
    large: list[Scope],
    indexes: dict[str, bool],
    whole: list[Scope],
    drop: list[str],
    make: list[tuple[Scope, list[str]]],
) -> None:
    found = work(large, indexes, outgrown=20)
    assert (found.whole, found.drop, found.make) == (whole, drop, make)


def test_each_scope_has_a_unique_name_that_postgres_keeps_whole() -> None:
    others = scope(1, "n"), Scope(LaneRef(UUID(int=2), UUID(int=2)), "m", 384, "memories", 1), TALK
    names = {name for one in (scope(1), *others) for name in one.indexes}
    assert len(names) == 4 * len(LARGE.indexes)
    assert max(map(len, names)) < 64
