"""The README's code is run as it stands, and prints what the README says."""

import contextlib
import io
from pathlib import Path

import pytest

from mosshead import Memory
from tests.acceptance.running import Running
from tests.pages import BLOCKS, ROOT

OWN_TENANT = ('"acme"', '"readme"')
"""Others of the tests that share this machine talk as Sarah of acme."""


def python_with_output(document: Path) -> list[tuple[str, str]]:
    """Each Python block with the plain block that comes next, which is what it prints; "" where none does."""
    blocks = [(match["language"], match["body"]) for match in BLOCKS.finditer(document.read_text(encoding="utf-8"))]
    following = [*blocks[1:], ("", "")]
    return [
        (body, printed if language == "" else "")
        for (kind, body), (language, printed) in zip(blocks, following, strict=True)
        if kind == "python"
    ]


def test_the_readme_prints_what_it_says(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOSSHEAD_DATABASE_URL", "MOSSHEAD_BROKER_URL"):
        monkeypatch.setenv(name, running.addresses.environment()[name])
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-nobody")  # a client is made, and not used
    variables: dict[str, object] = {}
    examples = python_with_output(ROOT / "README.md")
    assert len(examples) == 2

    with contextlib.ExitStack() as stack:
        connect = Memory.connect
        # Not every block names the memory that it connects to.
        monkeypatch.setattr(Memory, "connect", lambda: stack.enter_context(connect()))
        for code, printed in examples:
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(code.replace(*OWN_TENANT), "README.md", "exec"), variables)  # the README's own code
            assert output.getvalue() == printed
