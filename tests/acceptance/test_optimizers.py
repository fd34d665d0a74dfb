"""Run the code of docs/how-to/optimizers.md unchanged, with a working service and an LLM over HTTP, and compare its output."""

import contextlib
import io

import pytest

from tests.acceptance.running import Running
from tests.acceptance.test_readme import python_with_output
from tests.fake_openai import FakeOpenAI
from tests.pages import ROOT

_CRITIQUE = {"problem": "The answer rambles.", "cause": "Nothing asks for brevity.", "remedy": "Ask for one sentence."}


def test_code_of_the_optimizers_page_prints_its_output(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    variables: dict[str, object] = {"memory": running.memory}
    with FakeOpenAI() as fake:
        monkeypatch.setenv("OPENAI_BASE_URL", fake.base_url)
        fake.script("CritiqueAnswer", {"hypotheses": [_CRITIQUE]}, {"hypotheses": []})
        fake.script("EditsAnswer", {"edits": [{"find": "", "replace": "Answer in one sentence."}], "reason": "brief"})
        fake.script("BlameAnswer", {"at_fault": [{"prompt": 2, "reason": "It was long."}]})
        lessons = {"lessons": ["Be brief."], "prompt": "You help {user}. Be brief.", "reason": "brief"}
        fake.script("LessonsAnswer", lessons)

        for code, printed in python_with_output(ROOT / "docs" / "how-to" / "optimizers.md"):
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(code, "optimizers.md", "exec"), variables)  # the page's own code
            assert output.getvalue() == printed
