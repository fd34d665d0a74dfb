"""The services outside that stages depend on, and the breakers that spare them when they do not answer."""

from collections.abc import Iterable
from datetime import timedelta

from sqlalchemy import Connection

from config.settings import Settings
from db import providers
from db.lanes import REFLECT, STAGES

LLM = "llm"
EMBEDDER = "embedder"


def providers_of(stage: str, settings: Settings) -> frozenset[str]:
    """What a stage asks for under these settings."""
    asks_llm = settings.uses_llm and (
        stage in {"extract", "consolidate", REFLECT} or (stage == "refresh_profiles" and settings.llm_profiles)
    )
    embeds_remotely = settings.embedder.startswith("openai:") and stage in {
        *("embed", "consolidate", "refresh_profiles", REFLECT)
    }
    return frozenset([LLM] * asks_llm + [EMBEDDER] * embeds_remotely)


def all_providers(settings: Settings) -> frozenset[str]:
    """What any stage asks for under these settings."""
    return frozenset().union(*(providers_of(stage, settings) for stage in (*STAGES, REFLECT)))


def stages_that_wait(paused: Iterable[str], settings: Settings) -> list[str]:
    """The stages that depend on a provider that is left alone at this moment."""
    silent = frozenset(paused)
    return [stage for stage in (*STAGES, REFLECT) if providers_of(stage, settings) & silent]


def admitted(connection: Connection, stage: str, settings: Settings) -> bool:
    """Whether a stage may ask now for all that it depends on. After an outage one stage at a time may try."""
    asked = providers_of(stage, settings)
    # Before one of them is tried: it would be kept waiting for the other.
    if asked and not asked.isdisjoint(providers.paused(connection)):
        return False
    probe = timedelta(seconds=2 * settings.llm_timeout)
    return all(providers.admit(connection, provider, probe=probe) for provider in sorted(asked))


def leave(connection: Connection, stage: str, settings: Settings) -> None:
    """A stage ended: where it tried a provider after an outage and never asked it, another may try at once."""
    asked = providers_of(stage, settings)
    if asked:
        providers.leave(connection, asked)


def trip(connection: Connection, provider: str, reason: str, pause: timedelta | None) -> timedelta:
    """Leave a provider alone for as long as it asked for, else longer with each failure; returns for how long."""
    return providers.trip(
        connection, provider, reason, pause=pause, first=timedelta(seconds=2), most=timedelta(minutes=5)
    )
