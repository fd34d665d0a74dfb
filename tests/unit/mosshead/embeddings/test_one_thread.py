"""The local model on one BLAS thread, with the earlier setting restored when nothing is embedded."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import ThreadpoolController

from mosshead.embeddings.local.minilm import CHOSEN, MiniLM, on_one_thread

THREADS = 2


@pytest.fixture(autouse=True)
def not_chosen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An environment without a choice, and a BLAS with several threads, whatever the machine has."""
    monkeypatch.delenv(CHOSEN, raising=False)
    with ThreadpoolController().limit(limits=THREADS, user_api="blas"):
        yield


def threads() -> set[int]:
    return {one.num_threads for one in ThreadpoolController().select(user_api="blas").lib_controllers}


def test_block_uses_one_thread_and_restores_the_setting() -> None:
    assert threads() == {THREADS}
    with on_one_thread():
        assert threads() == {1}
    assert threads() == {THREADS}


def test_failing_block_restores_the_setting_too() -> None:
    with pytest.raises(ZeroDivisionError), on_one_thread():
        raise ZeroDivisionError
    assert threads() == {THREADS}


def test_local_model_runs_in_such_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[set[int]] = []
    model = MiniLM()
    model.embed(["loads it"])
    encode = type(model._loaded().bert).encode

    def watched(*given: object) -> object:
        seen.append(threads())
        return encode(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(type(model._loaded().bert), "encode", watched)
    model.embed(["User moved to Seattle"])
    assert seen == [{1}]
    assert threads() == {THREADS}


def test_setting_of_the_environment_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CHOSEN, "2")
    with on_one_thread():
        assert threads() == {THREADS}


@given(st.lists(st.booleans(), max_size=12))
def test_overlapping_blocks_restore_the_setting_with_the_last(enters: list[bool]) -> None:
    open_blocks = []
    for enter in enters:
        if enter:
            open_blocks.append(on_one_thread())
            open_blocks[-1].__enter__()
        elif open_blocks:
            open_blocks.pop(0).__exit__(None, None, None)  # first in, first out
        assert threads() == ({1} if open_blocks else {THREADS})
    for block in open_blocks:
        block.__exit__(None, None, None)
    assert threads() == {THREADS}


def test_threads_that_embed_at_the_same_time_share_the_limit() -> None:
    together, model = Barrier(4), MiniLM()

    def embed(number: int) -> None:
        together.wait()
        for turn in range(5):
            model.embed([f"text {number} of turn {turn}"])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(embed, range(4)))
    assert threads() == {THREADS}


FORK = """
import os, signal, threading
import numpy
from threadpoolctl import ThreadpoolController
from mosshead.embeddings.local.minilm import on_one_thread

blas = ThreadpoolController().select(user_api="blas").lib_controllers
for one in blas:
    one.set_num_threads(2)
inside, leave = threading.Event(), threading.Event()

def embeds():
    with on_one_thread():
        inside.set()
        leave.wait()

thread = threading.Thread(target=embeds)
thread.start()
inside.wait()
child = os.fork()
if child == 0:
    signal.alarm(30)
    own = [one.num_threads for one in blas]
    with on_one_thread():
        within = [one.num_threads for one in blas]
    os._exit(0 if (own, within) == ([2], [1]) and [one.num_threads for one in blas] == [2] else 1)
leave.set()
thread.join()
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_child_forked_meanwhile_starts_anew() -> None:
    environment = {name: value for name, value in os.environ.items() if name != CHOSEN}
    assert subprocess.run([sys.executable, "-c", FORK], env=environment, check=False).returncode == 0
