"""Threads in which memory may hang: bounded, in order, and not needed after a fork."""

import asyncio
import threading
from concurrent.futures import Future

import pytest

from mosshead.contrib.openai_client import calls
from mosshead.contrib.openai_client.calls import BackgroundThreads, wait_async


def test_reads_have_their_own_threads_and_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "MOST_READS", 2)
    threads, go_on = BackgroundThreads(), threading.Event()
    reading = [threads.read(lambda: go_on.wait(10)) for _ in range(3)]
    assert reading[2] is None
    go_on.set()
    assert [one.result(10) for one in reading if one] == [True, True]
    again = threads.read(lambda: "again")
    assert again is not None
    assert again.result(10) == "again"


def test_turns_are_published_in_order_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "MOST_WAITING", 3)
    threads, go_on, done = BackgroundThreads(), threading.Event(), list[int]()
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


def test_child_does_not_wait_for_work_of_its_parent() -> None:
    threads, go_on = BackgroundThreads(), threading.Event()
    for _ in range(calls.MOST_READS):
        threads.read(lambda: go_on.wait(10))
    threads.publish(lambda: go_on.wait(10))
    threads.after_fork_in_child()
    assert threads.read(lambda: None) is not None
    published = threads.publish(lambda: None)
    assert published is not None
    published.result(10)
    go_on.set()


def test_caller_that_stops_waiting_ends_no_thread() -> None:
    """asyncio cancels what a cancelled task waits for, including the future that the thread would complete."""
    threads, go_on = BackgroundThreads(), threading.Event()

    async def give_up() -> None:
        await wait_async(threads.publish(lambda: go_on.wait(10)), 0.01)
        request = asyncio.create_task(wait_async(threads.read(lambda: go_on.wait(10)), 10))
        await asyncio.sleep(0.01)
        request.cancel()
        await asyncio.gather(request, return_exceptions=True)

    asyncio.run(give_up())
    go_on.set()
    later = threads.publish(lambda: None)
    assert later is not None
    later.result(10)


def test_process_without_a_thread_tries_again_and_forgets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    threads, done = BackgroundThreads(), list[str]()

    def refused(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as without_threads:
        without_threads.setattr(threading.Thread, "start", refused)
        assert [threads.read(lambda: None) for _ in range(2 * calls.MOST_READS)] == [None] * 2 * calls.MOST_READS
        threads.publish(lambda: done.append("first"))
    assert threads.read(lambda: None) is not None
    second = threads.publish(lambda: done.append("second"))
    assert second is not None
    second.result(10)
    assert done == ["first", "second"]


def test_callback_that_raises_a_base_exception_ends_no_thread() -> None:
    """asyncio's cancellation of a coroutine that `on_extract` runs is not an Exception; nor is SystemExit."""
    threads = BackgroundThreads()

    async def tell() -> None:
        raise asyncio.CancelledError

    told = threads.publish(lambda: asyncio.run(tell()))
    assert told is not None
    told.result(10)
    later = threads.publish(lambda: None)
    assert later is not None
    later.result(10)
