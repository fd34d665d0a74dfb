"""The walk of one `context` call: the product's files in which a function runs to serve it.

A reader who follows the call must open these. The single modules of `mosshead/`, the values of `mosshead/models` and the words of
`mosshead/language` do not count: their functions are known by name. `mosshead/redaction` and `mosshead/embeddings` count as one
file each: a caller knows one function of them.
"""

import re
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType

from mosshead import Memory
from mosshead.paths import NamespacePath
from tests.given import MINILM, Remembering

ROOT = Path(__file__).parents[3]
PRODUCT = tuple(f"{ROOT / package}/" for package in ("mosshead", "db", "pipeline", "workers", "config"))
UNCOUNTED = frozenset({"mosshead", "mosshead/models", "mosshead/language"})
COUNTED_ONCE = frozenset({"mosshead/redaction", "mosshead/embeddings"})
MOST = 17
"""The most files allowed. docs/explanation/architecture.md lists them in order; whoever reduces them lowers this."""


def counted(files: Iterable[str]) -> set[str]:
    """Return the files that count, by the definition above."""
    found = set()
    for file in files:
        room = "/".join(Path(file).parent.parts[:2])
        if room not in UNCOUNTED:
            found.add(room if room in COUNTED_ONCE else file)
    return found


def walk(call: Callable[[], object]) -> list[str]:
    """Return the files in which a function runs during a call, in order of first use. Imports do not count."""
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


def test_context_is_served_by_few_files(
    memory: Memory, fresh_namespace: NamespacePath, remembering: Remembering
) -> None:
    for number in range(2):
        peter = remembering.entity("Peter")
        for said in (f"Peter plays the lute {number}", f"Peter lives in Porto {number}"):
            remembering.memory(said, MINILM.embed([said])[0], about={peter: ("subject", "sure")})
    sarah = memory.namespace(*fresh_namespace.parts)
    sarah.context("Who is Ines?")

    found = walk(lambda: sarah.context("What does Peter play on Sundays?"))

    assert len(counted(found)) <= MOST, "\n".join(sorted(counted(found)))
    page = (ROOT / "docs/explanation/architecture.md").read_text(encoding="utf-8")
    table = page.split("#### The walk of one `context` call")[1].split("| step | files |")[1].split("\n## ")[0]
    assert sorted(found) == sorted(re.findall(r"`([\w/]+\.py)`", table))
    assert f"These {len(found)} files" in page
