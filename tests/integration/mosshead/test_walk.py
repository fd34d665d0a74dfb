"""The walk of one `context` call: the files of the product in which a function runs to serve it."""

import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from mosshead import Memory
from mosshead.paths import NamespacePath
from tests.given import MINILM, Remembering

ROOT = Path(__file__).parents[3]
PRODUCT = tuple(f"{ROOT / package}/" for package in ("mosshead", "db", "pipeline", "workers", "config"))
MOST = 36
"""So many files at most. docs/architecture.md tells them in their order; whoever makes them fewer lowers this."""


def walk(call: Callable[[], object]) -> list[str]:
    """The files in which a function runs during a call, in the order in which they are reached. Imports do not count."""
    found: dict[str, None] = {}

    def note(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_name != "<module>" and code.co_filename.startswith(PRODUCT):
            found.setdefault(str(Path(code.co_filename).relative_to(ROOT)))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return list(found)


def test_a_context_is_served_by_few_files(
    memory: Memory, fresh_namespace: NamespacePath, remembering: Remembering
) -> None:
    for number in range(2):
        peter = remembering.entity("Peter")
        for said in (f"Peter plays the lute {number}", f"Peter lives in Porto {number}"):
            remembering.memory(said, MINILM.embed([said])[0], about={peter: ("subject", "sure")})
    sarah = memory.namespace(*fresh_namespace.parts)
    sarah.context("Who is Ines?")

    found = walk(lambda: sarah.context("What does Peter play on Sundays?"))

    assert len(found) <= MOST, "\n".join(found)
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    assert sorted(found) == sorted(re.findall(r"^\d+\. `([\w/]+\.py)`", page, re.MULTILINE))
