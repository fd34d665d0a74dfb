"""Threads in which memory may hang: bounded, in order, and nothing of them is needed after a fork."""

import threading
from concurrent.futures import Future

import pytest

from recollect.injection import background
from recollect.injection.background import Background


def test_reads_have_threads_of_their_own_and_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "MOST_READS", 2)
    threads, go_on = Background(), threading.Event()
    reading = [threads.read(lambda: go_on.wait(10)) for _ in range(3)]
    assert reading[2] is None
    go_on.set()
    assert [one.result(10) for one in reading if one] == [True, True]
    again = threads.read(lambda: "again")
    assert again is not None
    assert again.result(10) == "again"


def test_turns_are_published_in_order_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "MOST_WAITING", 3)
    threads, go_on, done = Background(), threading.Event(), list[int]()
    begun: Future[None] = Future()

    def first() -> None:
        begun.set_result(None)
        go_on.wait(10)

    threads.publish(first)
    begun.result(10)
    waiting = [threads.publish(lambda number=number: done.append(number)) for number in range(5)]  # type: ignore[misc]
    assert [one is None for one in waiting] == [False] * 3 + [True] * 2
    go_on.set()
    assert waiting[2] is not None
    waiting[2].result(10)
    assert done == [0, 1, 2]


def test_after_a_fork_nothing_of_the_parent_s_is_waited_for() -> None:
    threads, go_on = Background(), threading.Event()
    for _ in range(background.MOST_READS):
        threads.read(lambda: go_on.wait(10))
    threads.publish(lambda: go_on.wait(10))
    threads.after_fork_in_child()
    assert threads.read(lambda: None) is not None
    published = threads.publish(lambda: None)
    assert published is not None
    published.result(10)
    go_on.set()
