"""The message benchmark on the project's own conversation, with an LLM that finds the annotated facts."""

import json
import subprocess
import sys
from collections.abc import Mapping
from itertools import chain
from typing import Any

import pytest
from rich.console import Console

from benchmarks.locomo.conversations import read_conversations
from benchmarks.locomo.report import as_json
from benchmarks.locomo.running import measure
from benchmarks.replaying_model import replayed
from benchmarks.rig import Rig
from tests.acceptance.running import Running
from tests.fake_openai import FakeOpenAI
from workers.local.processes import ROOT

DATA = "tests/data/locomo"
_SECONDS = 300


def assert_found(scores: Mapping[str, Any]) -> None:
    """Check that messages answering a question are found, and shown in a context."""
    assert (scores["questions"], scores["official_questions"]) == (11, 12)
    assert scores["memories"] >= 10
    assert scores["recall_at"]["5"] >= 0.85
    assert scores["recall_at"]["10"] >= 0.95 > scores["vector"]["recall_at"]["10"]
    assert scores["recall_tokens"]["500"] >= 0.95


def test_messages_answering_a_question_are_recalled_and_shown(running: Running, fake: FakeOpenAI) -> None:
    conversations = read_conversations(ROOT / DATA)
    told = list(chain.from_iterable(one.told for one in conversations))
    with fake.answering("ExtractionAnswer", lambda request: replayed(told, request.prompt)):
        service = Rig(running.addresses, running.kept, model_port=None)
        measured = measure(conversations, service, running.memory, console=Console(quiet=True), fill=True)

    assert_found(json.loads(json.dumps(as_json(measured))))


@pytest.mark.thorough
def test_benchmark_command_finds_the_same_on_its_own_service() -> None:
    command = [sys.executable, "-m", "benchmarks.locomo", "--data", DATA, "--facts", "--fill", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=_SECONDS, check=False)
    assert done.returncode == 0, done.stderr

    assert_found(json.loads(done.stdout.splitlines()[-1]))
