"""The loads of the cost benchmark, and its figures."""

from collections import Counter

from benchmarks.cost import Noop, Result, Row, by_key, imported, spoken
from benchmarks.lag import Lag

ROW = Row(
    load="import",
    llm="answers at once",
    embedder="openai:fake@256",
    messages=2000,
    namespaces=50,
    batches=50,
    seconds=10.0,
    messages_per_second=200.0,
    lag_s=Lag(1, 2, 3),
    processor_ms={"worker": 6.0, "total": 10.0},
    undone=0,
)


def test_import_sends_namespace_after_namespace() -> None:
    names = [name for name, _ in imported(100, namespaces=4)]

    assert Counter(names) == dict.fromkeys(sorted(set(names)), 25)
    assert names == sorted(names)


def test_chat_lets_people_take_turns_and_answers_each() -> None:
    said = spoken(21)

    assert [message["role"] for _, message in said] == ["user", "assistant"] * 21
    assert [name for name, _ in said[::2]] == [name for name, _ in said[1::2]]
    assert said[0][0] == said[40][0] != said[2][0]
    assert said[0][1]["content"] != said[40][1]["content"]


def test_scheduler_keeps_the_key_of_earlier_figures() -> None:
    assert by_key({"intake": 1, "scheduler": 2}) == {"intake": 1, "sweeper": 2}


def test_message_costs_that_many_tasks_without_work() -> None:
    noop = Noop(tasks=5000, seconds=10.0, tasks_per_second=500.0, processor_ms={"worker": 3.0, "total": 4.0})

    result = Result(2, 2, {}, (ROW,), noop)

    assert result.processor_ratio == {"import, answers at once, openai:fake@256": 2.5}
