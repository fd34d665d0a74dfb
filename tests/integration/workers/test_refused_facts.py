"""Facts an LLM proposed and code refused are in the decision log, with a readable reason."""

from collections.abc import Iterator
from typing import Any

import pytest

from config.settings import Settings, settings
from mosshead import Namespace
from tests.fake_answers import fact_like
from tests.fake_openai import FakeOpenAI, Fault
from tests.forming import Forming
from tests.integration.workers.console.conftest import Site, site
from workers.dependencies import parts

__all__ = ["site"]

_PROPOSED: dict[str, dict[str, Any]] = {
    "User likes tea.": {"sources": [1], "quote": "I like tea."},
    "User likes TEA.": {"sources": [1], "quote": "I like tea."},
    "User drinks tea with Klaus.": {"sources": [1], "quote": "I like tea."},
    "User likes figs.": {"sources": [], "quote": "figs\x00"},
    "User asked for a menu.": {"sources": [2], "quote": "What a menu!"},
}


@pytest.fixture
def llm(service: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    """Return the LLM of the service."""
    with FakeOpenAI() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        settings.cache_clear()
        parts.cache_clear()
        yield server


@pytest.fixture
def asked(llm: FakeOpenAI) -> FakeOpenAI:
    """Script an answer with one valid fact, four that are refused, and one that is no fact."""
    facts = [fact_like(content=content, mentions=[], **given) for content, given in _PROPOSED.items()]
    llm.script("ExtractionAnswer", {"facts": [*facts, {"kind": "fact", "quote": "I like tea."}]})
    return llm


@pytest.mark.usefixtures("asked")
def test_each_refusal_is_a_decision_with_its_reason(forming: Forming, sarah: Namespace, site: Site) -> None:
    tea = forming.publishing.message("I like tea.")
    menu = forming.publishing.message("What a menu!", role="assistant")
    forming.send(tea, menu)

    assert [one.content for one in sarah.memories()] == ["User likes tea."]
    refused = {one.fact["content"]: one for one in sarah.decisions.latest(action="refuse")}
    assert {content: (one.refused, one.reason) for content, one in refused.items()} == {
        "User likes TEA.": ("repeated", "another of the batch says the same"),
        "User drinks tea with Klaus.": ("ungrounded", "a name or number of it is neither in its sources nor known"),
        "": ("unreadable", "a field without which it says nothing is missing, or is no such value"),
        "User likes figs.": ("no_source", "it names no message of a user or the assistant as its source"),
        "User asked for a menu.": ("not_from_user", "none of its sources is a user's message"),
    }
    assert {(one.action, one.decided_by, one.extracted_by) for one in refused.values()} == {
        ("refuse", "rules", "gpt-4o-mini")
    }
    assert len(sarah.decisions.latest()) == len(_PROPOSED) + 1, "one for each that was proposed"
    assert len(sarah.decisions.latest(action="refuse", limit=1)) == 1
    page = site.text("/decisions", show="rejected")
    assert "rejected User likes figs." in page
    assert "it names no message" in page
    assert "rejected User" not in site.text("/decisions", show="quarantined")

    one = refused["User likes figs."]
    assert not one.in_effect
    forming.command(type="undo", decision_id=str(one.id))
    assert sarah.decisions.latest(limit=1)[0].refused == "it is not in effect"


def test_repetitive_model_loses_no_message(llm: FakeOpenAI, forming: Forming, sarah: Namespace, site: Site) -> None:
    tea = fact_like(content="User likes tea.", sources=[1], quote="I like tea.", mentions=[])
    with llm.answering("ExtractionAnswer", Fault.cut_after(*[tea] * 9)):
        forming.say("I like tea.")

    assert [one.content for one in sarah.memories()] == ["User likes tea."]
    cut_off = [one for one in sarah.decisions.latest(action="refuse") if one.refused == "cut_off"]
    assert {one.reason for one in cut_off} == {"the model did not come to its end; what it said before is kept"}
    assert "did not come to its end" in site.text("/decisions", show="refused")
