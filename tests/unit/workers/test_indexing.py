"""Which indexes of scopes are made and dropped, as of what there is."""

from uuid import UUID

import pytest

from db.refs import LaneRef
from db.scopes import Scope
from workers.indexing import work


def scope(memories: int, model: str = "m") -> Scope:
    return Scope(LaneRef(UUID(int=1), UUID(int=2)), model, 384, memories)


LARGE, MIDDLING = scope(21), scope(18)


@pytest.mark.parametrize(
    ("large", "indexes", "whole", "drop", "make"),
    [
        ([LARGE], {}, [], [], [LARGE]),
        ([LARGE], {LARGE.index: True}, [LARGE], [], []),
        ([LARGE], {LARGE.index: False}, [], [LARGE.index], [LARGE]),
        ([MIDDLING], {}, [], [], []),
        ([MIDDLING], {MIDDLING.index: True}, [MIDDLING], [], []),
        ([MIDDLING], {MIDDLING.index: False}, [], [MIDDLING.index], [MIDDLING]),
        ([], {"of nobody": True}, [], ["of nobody"], []),
        ([scope(20)], {}, [], [], []),
    ],
    ids=["outgrown", "indexed", "broken", "middling", "shrinking", "broken and shrinking", "shrunk", "at the limit"],
)
def test_what_is_done(
    large: list[Scope], indexes: dict[str, bool], whole: list[Scope], drop: list[str], make: list[Scope]
) -> None:
    found = work(large, indexes, outgrown=20)
    assert (found.whole, found.drop, found.make) == (whole, drop, make)


def test_each_scope_has_a_name_of_its_own_that_postgres_keeps_whole() -> None:
    names = {scope(1).index, scope(1, "n").index, Scope(LaneRef(UUID(int=2), UUID(int=2)), "m", 384, 1).index}
    assert len(names) == 3
    assert max(map(len, names)) < 64
