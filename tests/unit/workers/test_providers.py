"""Which stages depend on which external services, under which settings. The table is the specification."""

import pytest

from config.settings import Settings
from db.lanes import REFLECT, STAGES
from db.leases import EMBEDDER, LLM
from workers.dependencies import providers_of, stages_that_wait

OFFLINE = Settings()
MODEL = Settings(OPENAI_API_KEY="k")
PROFILES = Settings(OPENAI_API_KEY="k", llm_profiles=True)
REMOTE = Settings(embedder="openai:text-embedding-3-small")
ALL = Settings(OPENAI_API_KEY="k", llm_profiles=True, embedder="openai:text-embedding-3-small")


@pytest.mark.parametrize(
    ("settings", "asks_llm", "embeds"),
    [
        (OFFLINE, "", ""),
        (MODEL, "extract consolidate reflect", ""),
        (PROFILES, "extract consolidate refresh_profiles reflect", ""),
        (REMOTE, "", "embed consolidate refresh_profiles reflect"),
        (ALL, "extract consolidate refresh_profiles reflect", "embed consolidate refresh_profiles reflect"),
        (Settings(llm_profiles=True), "", ""),
    ],
)
def test_stage_depends_on_the_services_it_asks(settings: Settings, asks_llm: str, embeds: str) -> None:
    assert [stage for stage in (*STAGES, REFLECT) if LLM in providers_of(stage, settings)] == asks_llm.split()
    assert [stage for stage in (*STAGES, REFLECT) if EMBEDDER in providers_of(stage, settings)] == embeds.split()


@pytest.mark.parametrize(
    ("paused", "wait"),
    [
        ([], ""),
        ([LLM], "extract consolidate refresh_profiles reflect"),
        ([EMBEDDER], "embed consolidate refresh_profiles reflect"),
        ([LLM, EMBEDDER], "extract embed consolidate refresh_profiles reflect"),
        (["somebody else's"], ""),
    ],
)
def test_stage_waits_for_every_service_it_depends_on(paused: list[str], wait: str) -> None:
    assert stages_that_wait(paused, ALL) == wait.split()
    assert stages_that_wait(paused, OFFLINE) == []
