"""Everything through LiteLLM's proxy: the service's model calls, and an app's client with memory.

The proxy has a separate environment, since it requires about eighty packages, some in other versions than the lock file.
CONTRIBUTING.md says how to make it. Without it, this is skipped.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from urllib.error import URLError
from urllib.request import urlopen

import openai
import pytest

from mosshead import Namespace
from mosshead.contrib.openai_client import with_memory
from tests.acceptance.running import Running, machine
from tests.fake_openai import CHAT, FakeOpenAI
from tests.pages import ROOT
from workers.local import wait_until

PROXY = shutil.which(os.environ.get("LITELLM", str(ROOT / ".venv-litellm" / "bin" / "litellm")))
KEY = "sk-through-the-proxy"
PATIENT = 30.0

pytestmark = pytest.mark.skipif(PROXY is None, reason="needs LiteLLM's proxy (CONTRIBUTING.md)")


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeOpenAI]:
    """The model behind the proxy."""
    with FakeOpenAI() as served:
        yield served


@pytest.fixture(scope="module")
def proxy(fake: FakeOpenAI, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The proxy's address for clients."""
    folder = tmp_path_factory.mktemp("litellm")
    behind = {"model": "openai/gpt-4o-mini", "api_base": fake.base_url, "api_key": "none"}
    models = [{"model_name": "gpt-4o-mini", "litellm_params": behind}]
    config = folder / "config.yaml"  # JSON is YAML
    config.write_text(json.dumps({"model_list": models, "general_settings": {"master_key": KEY}}))
    port = _free_port()
    # A local file replaces what it would otherwise download.
    environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "OPENAI_API_KEY": "none"}
    command = [str(PROXY), "--config", str(config), "--host", "127.0.0.1", "--port", str(port), "--telemetry", "False"]
    with (folder / "log").open("wb") as log:
        started = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        wait_until(lambda: _answers(port), timeout=180, what=f"LiteLLM's proxy; {folder / 'log'} has what it says")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGTERM)
        started.wait(30)


@pytest.fixture(scope="module")
def running(proxy: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A machine whose service reaches its model through the proxy."""
    environment = {"OPENAI_BASE_URL": proxy, "OPENAI_API_KEY": KEY}
    with machine(tmp_path_factory.mktemp("proxied"), environment) as started:
        yield started


def test_memories_form_and_are_used_through_the_proxy(running: Running, proxy: str, fake: FakeOpenAI) -> None:
    sarah = running.memory.namespace("proxied", "sarah")
    client = openai.OpenAI(api_key=KEY, base_url=proxy, max_retries=0)

    assert _ask(client, sarah, "c1", "My dog is called Biscuit.") == "Thank you, noted."
    sarah.end_conversation("c1")
    sarah.wait(120)
    assert fake.calls["ExtractionAnswer"] >= 1
    assert ["Biscuit" in one.content for one in sarah.memories()] == [True]
    assert "Biscuit" in _ask(client, sarah, "c2", "What is my dog called?")
    assert fake.calls[CHAT] >= 2


def _ask(client: openai.OpenAI, sarah: Namespace, conversation: str, text: str) -> str:
    remembers = with_memory(client, sarah, conversation=conversation, timeout=PATIENT)
    pieces = remembers.chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": text}], stream=True
    )
    return "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)


def _free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


def _answers(port: int) -> bool:
    with suppress(URLError, OSError), urlopen(f"http://127.0.0.1:{port}/health/liveliness", timeout=5) as answer:
        return bool(answer.status == 200)
    return False
