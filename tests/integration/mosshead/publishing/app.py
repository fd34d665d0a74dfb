"""A chat app as a separate process, which tests fork, kill and end. Each line that it prints reports its progress."""

import atexit
import builtins
import ctypes
import faulthandler
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

AT_LAST: list[Callable[[], object]] = []
atexit.register(lambda: [do() for do in AT_LAST])  # registered before the library's own, so it runs after that

from mosshead import Memory, Namespace, SpoolUnavailable  # noqa: E402
from mosshead.publishing import shipper  # noqa: E402

TENANT = sys.argv[2]


def say(*words: object) -> None:
    print(*words, flush=True)


def close_patiently() -> None:
    """Let closing take as long as shipping needs on a busy machine."""
    shipper._LAST_CALL_SECONDS = 60.0


def tell_where_it_hangs() -> None:
    """After 45 seconds, print where the threads are, and end this process; the test gives up after 60."""
    faulthandler.register(signal.SIGALRM, chain=True)
    signal.alarm(45)


def publish_and_die(memory: Memory) -> None:
    """Is killed right after `publish` returned."""
    memory.namespace(TENANT, "sarah").publish("said before the end")
    os.kill(os.getpid(), signal.SIGKILL)


def publish_and_wait(memory: Memory) -> None:
    """Publishes and stays, until it is killed."""
    memory.namespace(TENANT, "sarah").publish("said by one that stays")
    say("published")
    threading.Event().wait()


def publish_and_exit(memory: Memory) -> None:
    """Ends as a script does, without closing anything."""
    close_patiently()
    sarah = memory.namespace(TENANT, "sarah")
    for number in range(200):
        sarah.publish(str(number))


def publish_when_all_ended(memory: Memory) -> None:
    """Publishes in a function that runs after the library's own work at exit."""
    close_patiently()
    sarah = memory.namespace(TENANT, "sarah")
    sarah.publish("first")
    AT_LAST.append(lambda: sarah.publish("last"))


def close_by_a_signal(memory: Memory) -> None:
    """Closes the memory in a signal handler while the same thread publishes. A publish in the handler is refused, or stored."""
    sarah = memory.namespace(TENANT, "sarah")
    published = 0
    begun = threading.Event()

    def end(_signal: int, _frame: object) -> None:
        refused = 0
        try:
            sarah.publish("by the handler")
        except SpoolUnavailable:
            refused = 1
        memory.close()
        say("closed", published, refused)
        sys.exit()

    def signalling() -> None:
        begun.wait()
        os.kill(os.getpid(), signal.SIGTERM)

    signal.signal(signal.SIGTERM, end)
    threading.Thread(target=signalling, daemon=True).start()
    while True:
        sarah.publish(str(published))
        published += 1
        begun.set()


def publish_from_a_namespace_alone(_memory: Memory) -> None:
    """Keeps no reference to the memory itself."""
    sarah = Memory.connect().namespace(TENANT, "sarah")
    sarah.publish("a")
    sarah.publish("b")


def publish_in_turns(memory: Memory) -> None:
    """Is one of several processes on a spool."""
    sarah = memory.namespace(TENANT, "sarah")
    for number in range(40):
        sarah.publish(f"{os.getpid()} {number}")


def fork_while_busy(memory: Memory) -> None:
    """Forks repeatedly while threads publish and read; parent and children all continue to publish and read."""
    tell_where_it_hangs()
    sarah = memory.namespace(TENANT, "sarah")
    over = threading.Event()

    def busy(name: str) -> None:
        number = 0
        while not over.is_set():
            sarah.publish(f"{name} {number}")
            sarah.progress()
            number += 1
            time.sleep(0.002)

    threads = [threading.Thread(target=busy, args=(f"thread{number}",)) for number in range(3)]
    for thread in threads:
        thread.start()
    children = [_child(sarah, number) for number in range(3)]
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    over.set()
    for thread in threads:
        thread.join()
    sarah.publish("the parent goes on")
    sarah.progress()
    say("children", *codes)


def fork_amid_the_first_publish(memory: Memory) -> None:
    """Forks while a thread's first publish imports pydantic's modules, which may take long on a cold disk."""
    tell_where_it_hangs()
    sarah = memory.namespace(TENANT, "sarah")
    importing = threading.Event()
    at_once = builtins.__import__

    def slowly(name: str, *rest: Any, **named: Any) -> ModuleType:
        if name == "uuid" and threading.current_thread() is first:
            importing.set()
            time.sleep(1)
        return at_once(name, *rest, **named)

    first = threading.Thread(target=sarah.publish, args=("the first",))
    builtins.__import__ = slowly
    first.start()
    importing.wait()
    child = _child(sarah, 0)
    say("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    first.join()


def _child(sarah: Namespace, number: int) -> int:
    pid = os.fork()
    if pid:
        time.sleep(0.05)
        return pid
    code = 1
    tell_where_it_hangs()  # children do not inherit the alarm
    try:
        for place in range(20):
            sarah.publish(f"child{number} {place}")
            sarah.progress()
        code = 0
    finally:
        os._exit(code)


def fork_and_let_the_child_ship(memory: Memory) -> None:
    """Acts like a server that loads the app before forking: the parent connects and ends, the child publishes and stays."""
    close_patiently()
    memory.namespace(TENANT, "sarah").publish("by the parent")
    parent = os.getpid()
    if os.fork():
        os._exit(0)
    while os.getppid() == parent:
        time.sleep(0.01)
    memory.namespace(TENANT, "sarah").publish("by the child")
    memory.close()
    say("closed")


def fork_a_child_that_idles(memory: Memory) -> None:
    """The child publishes nothing, and outlives its parent."""
    memory.namespace(TENANT, "sarah").publish("by the parent")
    if os.fork():
        say("published")
    threading.Event().wait()


def fork_behind_pythons_back(memory: Memory) -> None:
    """Acts like a server in C that tells Python about a fork only afterwards."""
    memory.namespace(TENANT, "sarah").publish("by the parent")
    # Such a server runs no Python in between. Here some runs, and must not hand over to a thread that the child lacks.
    sys.setswitchinterval(1_000)
    time.sleep(0.1)
    child = ctypes.PyDLL(None).fork()
    if child:
        os.waitpid(child, 0)
        return
    ctypes.pythonapi.PyOS_AfterFork_Child()
    try:
        memory.namespace(TENANT, "sarah").publish("by the child")
    except SpoolUnavailable as error:
        say(error)
    finally:
        os._exit(0)


def work_in_a_pool(memory: Memory) -> None:
    """Publishes from a multiprocessing pool, whose processes end without finalizing their interpreters."""
    memory.namespace(TENANT, "sarah").publish("0")
    with multiprocessing.get_context("fork").Pool(2) as pool:
        pool.map(_publish_number, range(1, 41))


def _publish_number(number: int) -> None:
    MEMORY.namespace(TENANT, "sarah").publish(str(number))


if __name__ == "__main__":
    MEMORY = Memory.connect()
    globals()[sys.argv[1]](MEMORY)
