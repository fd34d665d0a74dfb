"""The chat app of the examples, without memory and with it: a few lines apart, and the second remembers."""

import difflib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mosshead.fencing import NOTE
from tests.acceptance.running import Running
from tests.fake_openai import FakeOpenAI

ROOT = Path(__file__).resolve().parents[2]
PLAIN, CHAT = (ROOT / "examples" / name for name in ("plain_chat.py", "chat.py"))
MOST_CHANGED_LINES = 5
PATIENTLY = ("with_memory(OpenAI(), sarah)", "with_memory(OpenAI(), sarah, timeout=60)")
"""On a busy machine memory may come too late for an answer, which then is another one."""


@pytest.fixture
def fake() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as server:
        yield server


def talk(app: Path, running: Running, fake: FakeOpenAI, *messages: str) -> list[str]:
    """What the app answers, in a process of its own."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "MOSSHEAD_"))}
    addresses = running.addresses.environment()
    variables |= {name: addresses[name] for name in ("MOSSHEAD_DATABASE_URL", "MOSSHEAD_BROKER_URL")}
    variables |= {"OPENAI_BASE_URL": fake.base_url, "OPENAI_API_KEY": "none"}
    result = subprocess.run(
        [sys.executable, app],
        input="\n".join((*messages, "quit", "")),
        env=variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def changed(one: Path, other: Path) -> list[str]:
    """The lines of a diff that begin with + or -, of which a changed line has two."""
    before, after = (path.read_text(encoding="utf-8").splitlines() for path in (one, other))
    return [line for line in difflib.unified_diff(before, after, lineterm="") if re.match(r"[+-](?![+-]{2} )", line)]


def test_memory_is_a_few_lines_and_the_docs_show_them() -> None:
    lines = [line for line in changed(PLAIN, CHAT) if line.strip("+-")]
    assert 1 <= sum(line.startswith("+") for line in lines) <= MOST_CHANGED_LINES
    assert sum(line.startswith("-") for line in lines) <= MOST_CHANGED_LINES
    for page in ("injection.md", "tutorial.md"):
        shown = (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines()
        assert [line for line in shown if line in lines] == lines


def test_it_remembers_what_another_process_was_told(running: Running, fake: FakeOpenAI, tmp_path: Path) -> None:
    sarah = running.memory.namespace("acme", "sarah_123")
    question = "What is my parrot called?"
    chat = tmp_path / "chat.py"
    chat.write_text(CHAT.read_text(encoding="utf-8").replace(*PATIENTLY), encoding="utf-8")

    talk(chat, running, fake, "My parrot is called Captain.", "I feed it walnuts.")
    running.eventually(
        lambda: any("parrot is called Captain" in memory.content for memory in sarah.memories()), "it is remembered"
    )

    assert talk(chat, running, fake, question) == ["You told me: User's parrot is called Captain."]
    assert NOTE in fake.requests[-1].system
    assert talk(PLAIN, running, fake, question) == ["You have not told me."]
