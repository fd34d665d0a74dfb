"""The fake endpoint itself: the behaviour other tests rely on."""

import json
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import openai
import pytest

from mosshead.llm.openai import OpenAILanguageModel
from pipeline.consolidation.llm import ConsolidationAnswer, consolidation_prompt
from tests.fake_openai import EMBEDDINGS, FakeOpenAI
from tests.unit.pipeline.consolidating import known, new

_CHECKOUT = Path(__file__).parents[2]


def test_embeddings_have_the_requested_dimensions_and_same_words_the_same_vector() -> None:
    with FakeOpenAI() as fake, openai.OpenAI(api_key="none", base_url=fake.base_url) as client:
        asked = ["User likes coffee", "likes coffee, User", "Peter writes"]
        answer = client.embeddings.create(model="any", input=asked, dimensions=256)

    one, same, other = (item.embedding for item in answer.data)
    assert len(one) == 256
    assert one == same
    assert sum(a * b for a, b in zip(one, one, strict=True)) == pytest.approx(1.0, abs=1e-6)
    assert sum(a * b for a, b in zip(one, other, strict=True)) < 0.9
    assert fake.calls == {EMBEDDINGS: 1}


def test_fact_is_added_unless_a_near_memory_says_exactly_the_same() -> None:
    told = ("User likes cocoa", "User likes coffee", "User is tall")
    cocoa, coffee, tall = ((known(content, number), 0.7) for number, content in enumerate(told, 1))
    facts = [
        new("User likes tea", tall),
        new("User likes coffee", cocoa, coffee, number=2),
        new("User is tall", number=3),
    ]
    with FakeOpenAI() as fake:
        model = OpenAILanguageModel("any", api_key="none", base_url=fake.base_url, timeout=5)
        answer: ConsolidationAnswer = model.answer(consolidation_prompt(facts))

    decided = [(decision.fact, decision.action, decision.memory) for decision in answer.decisions]
    assert decided == [(1, "add", None), (2, "none", 2), (3, "add", None)]


def test_fake_runs_by_itself_and_reports_its_requests() -> None:
    command = [sys.executable, "-m", "tests.fake_openai", "--port", "0"]
    with subprocess.Popen(command, cwd=_CHECKOUT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            base_url = process.stdout.readline().strip()
            with openai.OpenAI(api_key="none", base_url=base_url) as client:
                client.embeddings.create(model="any", input="one")
            with urlopen(base_url.removesuffix("/v1") + "/calls") as response:
                assert json.load(response) == {EMBEDDINGS: 1}
        finally:
            process.terminate()
