"""The example chat apps differ by a few lines, as the pages show; the code of the clients page runs unchanged."""

import contextlib
import difflib
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from mosshead import Memory
from tests.acceptance.running import Running
from tests.acceptance.test_readme import python_with_output
from tests.fake_openai import FakeOpenAI
from tests.pages import ROOT

TUTORIAL, INJECTION = (
    ROOT / "docs" / name for name in ("tutorial/a-chat-that-remembers.md", "how-to/openai-client.md")
)
OWN_TENANT = ("acme", "tutorial")
"""Other tests use the tutorial's namespaces, too."""

PLAIN, CHAT = (ROOT / "examples" / name for name in ("plain_chat.py", "chat.py"))
MOST_CHANGED_LINES = 5


@pytest.fixture
def fake() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as server:
        yield server


@pytest.fixture
def settings(running: Running, fake: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    """Apply steps 1 and 2 of the tutorial."""
    addresses = running.addresses.environment()
    for name in ("MOSSHEAD_DATABASE_URL", "MOSSHEAD_BROKER_URL"):
        monkeypatch.setenv(name, addresses[name])
    monkeypatch.setenv("OPENAI_BASE_URL", fake.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def printed(code: str, variables: dict[str, object]) -> str:
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(code, "docs", "exec"), variables)  # the page's own code
    return output.getvalue()


def changed(one: Path, other: Path) -> list[str]:
    """Return the changed lines of a diff; a modified line counts twice."""
    before, after = (path.read_text(encoding="utf-8").splitlines() for path in (one, other))
    return [line for line in difflib.unified_diff(before, after, lineterm="") if re.match(r"[+-](?![+-]{2} )", line)]


def test_docs_show_the_lines_that_add_memory() -> None:
    lines = [line for line in changed(PLAIN, CHAT) if line.strip("+-")]
    assert 1 <= sum(line.startswith("+") for line in lines) <= MOST_CHANGED_LINES
    assert sum(line.startswith("-") for line in lines) <= MOST_CHANGED_LINES
    for page in (INJECTION, TUTORIAL):
        shown = page.read_text(encoding="utf-8").splitlines()
        assert [line for line in shown if line in lines] == lines


def test_code_of_the_clients_page_runs(settings: None) -> None:
    variables: dict[str, object] = {}
    examples = python_with_output(INJECTION)
    assert len(examples) == 5
    for code, _ in examples:
        printed(code.replace(*OWN_TENANT), variables)
    memory = variables["memory"]
    assert isinstance(memory, Memory)
    memory.close()
