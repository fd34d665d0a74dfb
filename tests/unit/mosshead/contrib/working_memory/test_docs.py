"""The examples of docs/how-to/working-memory.md do what they say."""

import re
from pathlib import Path

from mosshead.contrib.working_memory import WorkingMemory
from tests.pages import blocks_of

_PAGE = Path(__file__).parents[5] / "docs" / "how-to" / "working-memory.md"
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_examples_without_a_server_run() -> None:
    examples = _BLOCK.findall(_PAGE.read_text(encoding="utf-8").split("## When there is no room")[0])
    assert len(examples) == 3
    known: dict[str, object] = {}
    exec(examples[0], known)
    working = known["working"]
    assert isinstance(working, WorkingMemory)
    shown = blocks_of(_PAGE, "printed")[0].body
    assert shown in f"{working.prompt_block()}\n"
    for example in examples[1:]:
        exec(example, known)
    assert "- user: Ada\n- task: Tidy the wiki\n- page 7: Green tea\n" in working.prompt_block()
