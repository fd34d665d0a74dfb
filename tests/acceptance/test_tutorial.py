"""The tutorial's commands and code are run as they stand, and print what it says; the code of the page on clients runs, too."""

import contextlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mosshead import Memory
from tests.acceptance.running import Running
from tests.acceptance.test_chat import PATIENTLY
from tests.acceptance.test_readme import BLOCKS, python_with_output
from tests.fake_openai import FakeOpenAI

ROOT = Path(__file__).resolve().parents[2]
TUTORIAL, INJECTION = (ROOT / "docs" / name for name in ("tutorial.md", "injection.md"))
OWN_TENANT = ("acme", "tutorial")
"""Other tests talk to the tutorial's namespaces, too."""


@pytest.fixture(scope="module")
def environment(running: Running) -> Iterator[dict[str, str]]:
    """What steps 1 and 2 of the tutorial lead to."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "MOSSHEAD_"))}
    addresses = running.addresses.environment()
    own |= {name: addresses[name] for name in ("MOSSHEAD_DATABASE_URL", "MOSSHEAD_BROKER_URL")}
    own["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{own['PATH']}"
    with FakeOpenAI() as fake:
        yield own | {"OPENAI_BASE_URL": fake.base_url, "OPENAI_API_KEY": "none"}


@pytest.fixture
def settings(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The same, for code that is run here."""
    for name in ("MOSSHEAD_DATABASE_URL", "MOSSHEAD_BROKER_URL", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, environment[name])


def sessions(document: Path) -> Iterator[tuple[str, list[str]]]:
    """Each command of a document's plain blocks, with the lines after it."""
    for block in BLOCKS.finditer(document.read_text(encoding="utf-8")):
        for command in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block["body"], re.MULTILINE):
            yield command[1], command[2].splitlines()


def chat(environment: dict[str, str], tmp_path: Path, lines: list[str]) -> None:
    """Type what the tutorial types, and compare the answers."""
    app = tmp_path / "chat.py"
    app.write_text((ROOT / "examples" / "chat.py").read_text().replace(*OWN_TENANT).replace(*PATIENTLY))
    typed, answers = lines[::2], lines[1::2]
    assert typed[-1] == "quit"
    assert run([sys.executable, str(app)], environment, "\n".join((*typed, ""))).splitlines() == answers


def run(command: list[str], environment: dict[str, str], typed: str = "") -> str:
    result = subprocess.run(
        command, cwd=ROOT, env=environment, input=typed, capture_output=True, text=True, check=False, timeout=120
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def printed(code: str, variables: dict[str, object]) -> str:
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(code, "docs", "exec"), variables)  # the page's own code
    return output.getvalue()


def test_the_tutorial_prints_what_it_says(
    environment: dict[str, str], settings: None, running: Running, tmp_path: Path
) -> None:
    sarah = running.memory.namespace("tutorial", "sarah_123")
    environment = {**environment, "MOSSHEAD_NAMESPACE": "tutorial/sarah_123", "COLUMNS": "160"}
    told, asked, *commands = [
        (command, lines)
        for command, lines in sessions(TUTORIAL)
        if command.startswith(("python examples", "mosshead "))
    ]
    assert len(commands) >= 4

    chat(environment, tmp_path, told[1])
    running.eventually(lambda: len(sarah.memories()) == 3, "the tutorial's memories", timeout=90)
    chat(environment, tmp_path, asked[1])
    sarah.wait(90)
    for command, lines in commands:
        words = command.replace(*OWN_TENANT).replace('"', "\x00").split("\x00")
        split = [part for place, text in enumerate(words) for part in ([text] if place % 2 else text.split())]
        assert [line.rstrip() for line in run(split, environment).splitlines()] == lines

    variables: dict[str, object] = {}
    for code, output in python_with_output(TUTORIAL):
        assert printed(code.replace(*OWN_TENANT), variables) == output
    memory = variables["memory"]
    assert isinstance(memory, Memory)
    memory.close()


def test_the_code_about_clients_runs(settings: None) -> None:
    variables: dict[str, object] = {}
    examples = python_with_output(INJECTION)
    assert len(examples) == 4
    for code, _ in examples:
        printed(code.replace(*OWN_TENANT), variables)
    memory = variables["memory"]
    assert isinstance(memory, Memory)
    memory.close()
