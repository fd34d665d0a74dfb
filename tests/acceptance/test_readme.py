"""Run the README's code unchanged, and compare its output."""

import contextlib
import io
from pathlib import Path

import pytest

from mosshead import Memory
from tests.acceptance.running import Running
from tests.pages import BLOCKS, ROOT

OWN_TENANT = ('"acme"', '"readme"')
"""Other tests on this machine use the namespace of Sarah of acme."""


def python_with_output(document: Path) -> list[tuple[str, str]]:
    """Return each Python block with the plain block after it, which is its output; "" if there is none."""
    blocks = [(match["language"], match["body"]) for match in BLOCKS.finditer(document.read_text(encoding="utf-8"))]
    following = [*blocks[1:], ("", "")]
    return [
        (body, printed if language == "" else "")
        for (kind, body), (language, printed) in zip(blocks, following, strict=True)
        if kind == "python"
    ]


def test_readme_code_prints_its_output(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOSSHEAD_DATABASE_URL", "MOSSHEAD_BROKER_URL"):
        monkeypatch.setenv(name, running.addresses.environment()[name])
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-nobody")  # a client is created but not used
    variables: dict[str, object] = {}
    examples = python_with_output(ROOT / "README.md")
    assert len(examples) == 2

    with contextlib.ExitStack() as stack:
        connect = Memory.connect
        # Not every block creates its own memory.
        monkeypatch.setattr(Memory, "connect", lambda: stack.enter_context(connect()))
        for code, printed in examples:
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(code.replace(*OWN_TENANT), "README.md", "exec"), variables)  # the README's own code
            assert output.getvalue() == printed
