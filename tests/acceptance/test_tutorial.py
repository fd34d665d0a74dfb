"""The tutorial's commands and code are run as they stand, and print what it says; the code of the page on clients runs, too.

The chat app of the examples runs in processes of its own, without memory and with it: a few lines apart, the second remembers.
"""

import contextlib
import difflib
import io
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mosshead import Memory
from mosshead.cli.main import cli
from mosshead.fencing import NOTE
from tests.acceptance.running import Running
from tests.acceptance.test_readme import python_with_output
from tests.fake_openai import FakeOpenAI
from tests.pages import BLOCKS, ROOT

TUTORIAL, INJECTION = (
    ROOT / "docs" / name for name in ("tutorial/a-chat-that-remembers.md", "how-to/openai-client.md")
)
OWN_TENANT = ("acme", "tutorial")
"""Other tests talk to the tutorial's namespaces, too."""

PLAIN, CHAT = (ROOT / "examples" / name for name in ("plain_chat.py", "chat.py"))
PATIENTLY = ("with_memory(OpenAI(), sarah)", "with_memory(OpenAI(), sarah, timeout=60)")
"""On a busy machine memory may come too late for an answer, which then is another one."""

MOST_CHANGED_LINES = 5


@pytest.fixture
def fake() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as server:
        yield server


@pytest.fixture
def settings(running: Running, fake: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    """What steps 1 and 2 of the tutorial lead to."""
    addresses = running.addresses.environment()
    for name in ("MOSSHEAD_DATABASE_URL", "MOSSHEAD_BROKER_URL"):
        monkeypatch.setenv(name, addresses[name])
    monkeypatch.setenv("OPENAI_BASE_URL", fake.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def sessions(document: Path) -> Iterator[tuple[str, list[str]]]:
    """Each command of a document's plain blocks, with the lines after it."""
    for block in BLOCKS.finditer(document.read_text(encoding="utf-8")):
        for command in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block["body"], re.MULTILINE):
            yield command[1], command[2].splitlines()


def talk(app: Path, tmp_path: Path, messages: list[str]) -> list[str]:
    """What the app answers, in a process of its own."""
    program = tmp_path / app.name
    program.write_text(app.read_text().replace(*OWN_TENANT).replace(*PATIENTLY))
    typed = "".join(f"{message}\n" for message in messages)
    result = subprocess.run(
        [sys.executable, program], input=typed, capture_output=True, text=True, check=False, timeout=120
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def printed(code: str, variables: dict[str, object]) -> str:
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(code, "docs", "exec"), variables)  # the page's own code
    return output.getvalue()


def changed(one: Path, other: Path) -> list[str]:
    """The lines of a diff that begin with + or -, of which a changed line has two."""
    before, after = (path.read_text(encoding="utf-8").splitlines() for path in (one, other))
    return [line for line in difflib.unified_diff(before, after, lineterm="") if re.match(r"[+-](?![+-]{2} )", line)]


def test_memory_is_a_few_lines_and_the_docs_show_them() -> None:
    lines = [line for line in changed(PLAIN, CHAT) if line.strip("+-")]
    assert 1 <= sum(line.startswith("+") for line in lines) <= MOST_CHANGED_LINES
    assert sum(line.startswith("-") for line in lines) <= MOST_CHANGED_LINES
    for page in (INJECTION, TUTORIAL):
        shown = page.read_text(encoding="utf-8").splitlines()
        assert [line for line in shown if line in lines] == lines


def test_the_tutorial_prints_what_it_says(
    settings: None, fake: FakeOpenAI, running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sarah = running.memory.namespace("tutorial", "sarah_123")
    monkeypatch.setenv("MOSSHEAD_NAMESPACE", "tutorial/sarah_123")
    (_, told), (_, asked), *commands = [
        (command, lines)
        for command, lines in sessions(TUTORIAL)
        if command.startswith(("python examples", "mosshead "))
    ]
    assert told[-1] == asked[-1] == "quit"
    assert len(commands) >= 4

    assert talk(CHAT, tmp_path, told[::2]) == told[1::2]
    running.eventually(lambda: len(sarah.memories()) == 3, "the tutorial's memories", timeout=90)
    assert talk(CHAT, tmp_path, asked[::2]) == asked[1::2]
    assert NOTE in fake.requests[-1].system
    assert talk(PLAIN, tmp_path, asked[:1]) == ["You have not told me."]
    sarah.wait(90)
    monkeypatch.chdir(ROOT)
    for command, lines in commands:
        _, *arguments = shlex.split(command.replace(*OWN_TENANT))
        done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        assert [line.rstrip() for line in done.stdout.splitlines()] == lines

    variables: dict[str, object] = {}
    for code, output in python_with_output(TUTORIAL):
        assert printed(code.replace(*OWN_TENANT), variables) == output
    memory = variables["memory"]
    assert isinstance(memory, Memory)
    memory.close()


def test_the_code_about_clients_runs(settings: None) -> None:
    variables: dict[str, object] = {}
    examples = python_with_output(INJECTION)
    assert len(examples) == 5
    for code, _ in examples:
        printed(code.replace(*OWN_TENANT), variables)
    memory = variables["memory"]
    assert isinstance(memory, Memory)
    memory.close()
