"""Which indexes of scopes are made and dropped, as of what there is."""

from uuid import UUID

import pytest

from db.refs import LaneRef
from db.scopes import Scope
from workers.indexing import work


def scope(memories: int, model: str = "m") -> Scope:
    return Scope(LaneRef(UUID(int=1), UUID(int=2)), model, 384, memories)


LARGE, MIDDLING = scope(21), scope(18)
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
    ],
    ids=[
        *("outgrown", "indexed", "broken", "half done", "middling", "shrinking", "half done and shrinking"),
        *("broken and shrinking", "shrunk", "at the limit"),
    ],
)
def test_what_is_done(
    large: list[Scope],
    indexes: dict[str, bool],
    whole: list[Scope],
    drop: list[str],
    make: list[tuple[Scope, list[str]]],
) -> None:
    found = work(large, indexes, outgrown=20)
    assert (found.whole, found.drop, found.make) == (whole, drop, make)


def test_each_scope_has_a_name_of_its_own_that_postgres_keeps_whole() -> None:
    others = scope(1, "n"), Scope(LaneRef(UUID(int=2), UUID(int=2)), "m", 384, 1)
    names = {name for one in (scope(1), *others) for name in one.indexes}
    assert len(names) == 3 * len(LARGE.indexes)
    assert max(map(len, names)) < 64
