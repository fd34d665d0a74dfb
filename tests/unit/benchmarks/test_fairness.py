"""The import of the fairness benchmark, and its figures."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.fairness import Import, Result, Talk, Waiting, conversations
from benchmarks.lag import Lag

IMPORT = Import(messages=20_000, namespaces=500, consolidated=9_000, seconds=60.0, publish_seconds=5.0)
ALONE = Talk(lag_s=Lag(2.5, 3.0, 3.5), publish_ms=Lag(0.5, 1.0, 2.0))


def beside(p95: float) -> Talk:
    return Talk(lag_s=Lag(2.5, p95, p95), publish_ms=Lag(0.5, 1.0, 2.0))


@given(st.integers(1, 300), st.integers(1, 40))
def test_import_has_all_its_messages_about_equally_long_in_each_namespace(messages: int, namespaces: int) -> None:
    lengths = [len(said) for _, said in conversations(messages, namespaces)]

    assert (len(lengths), sum(lengths)) == (namespaces, messages)
    assert max(lengths) - min(lengths) <= 1


@pytest.mark.parametrize(("p95", "holds"), [(3.0, True), (5.0, True), (5.1, False)])
def test_chat_may_wait_two_seconds_longer_beside_an_import(p95: float, holds: bool) -> None:
    assert Result(IMPORT, ALONE, beside(p95), Waiting()).holds == holds


@pytest.mark.parametrize("consolidated", [0, 20_000])
def test_import_that_stalls_or_is_over_proves_nothing(consolidated: int) -> None:
    imported = replace(IMPORT, consolidated=consolidated)

    assert not Result(imported, ALONE, beside(3.0), Waiting()).holds


def test_json_names_what_waited_where() -> None:
    found = Result(IMPORT, ALONE, beside(4.0), Waiting(spool=19_000, queue=800, inbox=7_000)).as_dict()

    assert (found["spool_max"], found["queue_max"], found["inbox_max"]) == (19_000, 800, 7_000)
    assert found["chat_lag_s"] == {
        "alone": {"p50": 2.5, "p95": 3.0, "max": 3.5},
        "beside": {"p50": 2.5, "p95": 4.0, "max": 4.0},
    }
