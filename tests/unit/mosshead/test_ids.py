"""Ids that sort by time."""

import time

from mosshead.ids import uuid7


def test_ids_are_of_version_7_and_all_different() -> None:
    ids = {uuid7() for _ in range(1000)}
    assert len(ids) == 1000
    assert {(one.version, one.variant) for one in ids} == {(7, "specified in RFC 4122")}


def test_ids_sort_by_the_time_they_were_made() -> None:
    before = time.time_ns() // 1_000_000
    first = uuid7()
    time.sleep(0.002)
    second = uuid7()
    assert first < second
    assert before <= first.int >> 80 <= time.time_ns() // 1_000_000
