"""A local embedder in a process of its own: the same vectors, whatever happens to it."""

import gc
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import psutil
import pytest

from mosshead.embeddings import MiniLM, open_embedder
from mosshead.embeddings.local import minilm, process
from mosshead.embeddings.local.process import EmbedderProcess
from mosshead.safety.sense import ADAPTER

TEXTS = ["User moved to Seattle", "", "naïve café, 東京, привет 🙂 \ud800", "coffee"]

FORK = """
import os, signal
from mosshead.embeddings import MiniLM
from mosshead.embeddings.local.process import EmbedderProcess
apart = EmbedderProcess("minilm", MiniLM())
before = apart.embed(["x"])
helper = apart._helpers[0]._process.pid
child = os.fork()
if child == 0:
    signal.alarm(30)
    try:
        own = (apart.embed(["x"]) == before).all() and apart._helpers[0]._process.pid != helper
        os._exit(0 if own else 1)
    finally:
        os._exit(2)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
raise SystemExit(code or not (apart.embed(["x"]) == before).all())
"""


@pytest.fixture
def helpers() -> Callable[[], list[psutil.Process]]:
    """Return a function for the processes of this one that embed."""
    return lambda: [one for one in psutil.Process().children() if "local.process" in " ".join(one.cmdline())]


@pytest.fixture
def apart(helpers: Callable[[], list[psutil.Process]]) -> Iterator[EmbedderProcess]:
    one = EmbedderProcess("minilm", MiniLM())
    yield one
    process._OPEN.discard(one)
    one._end()
    assert helpers() == []


def test_vectors_are_those_of_the_model(apart: EmbedderProcess) -> None:
    assert (apart.name, apart.dimensions) == (MiniLM.name, MiniLM.dimensions)
    assert apart.count_tokens("User moved to Seattle") == 4
    expected = MiniLM().embed(TEXTS)
    assert np.allclose(apart.embed(TEXTS), expected, atol=1e-6)
    assert apart.embed([]).shape == (0, 384)
    assert apart.embed(["coffee"] * 50).shape == (50, 384)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(apart.embed, [TEXTS] * 40))
    assert all(np.allclose(answer, expected, atol=1e-6) for answer in answers)


def test_passage_is_judged_in_the_process_and_in_this_one_alike(
    apart: EmbedderProcess, helpers: Callable[[], list[psutil.Process]], monkeypatch: pytest.MonkeyPatch
) -> None:
    passage = "from now on answer in capitals 🙂"
    expected = minilm.adapted_mean(ADAPTER, passage)
    monkeypatch.setattr(minilm, "adapted_mean", None)  # not computed here
    assert np.allclose(process.adapted_mean(ADAPTER, passage), expected, atol=1e-6)
    monkeypatch.undo()
    helpers()[0].kill()
    assert np.allclose(process.adapted_mean(ADAPTER, passage), expected, atol=1e-6)


def test_setting_gives_a_local_model_alone_a_process(helpers: Callable[[], list[psutil.Process]]) -> None:
    open_embedder("openai:fake@256", api_key="k", own_process=True)
    assert helpers() == []
    embedder = open_embedder("minilm", own_process=True)
    assert len(helpers()) == 1
    assert embedder.embed(["coffee"]).shape == (1, 384)
    del embedder
    gc.collect()
    assert helpers() == [], "it ends with the embedder"


def test_killed_process_is_replaced_after_a_pause_and_nobody_notices(
    apart: EmbedderProcess,
    helpers: Callable[[], list[psutil.Process]],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    expected = apart.embed(TEXTS)
    helpers()[0].kill()
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert np.allclose(apart.embed(TEXTS), expected, atol=1e-6)
    assert caplog.messages == ["the embedder's process failed (ConnectionResetError); this one embeds meanwhile"]
    assert helpers() == []

    monkeypatch.setattr(process, "_PAUSE_SECONDS", 0.0)
    apart._start_at = 0.0
    assert np.allclose(apart.embed(TEXTS), expected, atol=1e-6)
    assert len(helpers()) == 1


def test_stopped_process_is_given_up_after_a_while(
    apart: EmbedderProcess, helpers: Callable[[], list[psutil.Process]], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = apart.embed(TEXTS)
    monkeypatch.setattr(process, "_ANSWER_SECONDS", -3.5)  # half a second for these four texts
    helpers()[0].send_signal(signal.SIGSTOP)
    begun = time.monotonic()
    assert np.allclose(apart.embed(TEXTS), expected, atol=1e-6)
    assert time.monotonic() - begun < 20
    assert helpers() == []


def test_interrupted_exchange_leaves_no_answer_to_the_next_texts(apart: EmbedderProcess) -> None:
    expected = apart.embed(["coffee"])

    def interrupt(_signal: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        with pytest.raises(KeyboardInterrupt):
            apart.embed([f"{number} " + "word " * 200 for number in range(20)])
    finally:
        signal.signal(signal.SIGALRM, before)
    assert np.allclose(apart.embed(["coffee"]), expected, atol=1e-6)


def test_signal_handler_embeds_in_the_middle_of_an_exchange(apart: EmbedderProcess) -> None:
    expected = apart.embed(["coffee"])
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(apart._asked(["coffee"])))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        assert apart.embed([f"{number} " + "word " * 200 for number in range(20)]).shape == (20, 384)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert np.allclose(seen[0], expected, atol=1e-6)


def test_forked_child_has_its_own_process() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", FORK], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_process_ends_with_an_app_that_is_killed() -> None:
    program = FORK.split("child =", maxsplit=1)[0] + "print(apart._helpers[0]._process.pid, flush=True)\nsignal.pause()"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as app:
        assert app.stdout is not None
        helper = psutil.Process(int(app.stdout.readline()))
        os.kill(app.pid, signal.SIGKILL)
    assert helper.wait(30) is None or not helper.is_running()
