"""What the stages depend on: their parts, and the external providers that they ask.

Each process opens its parts once, on first use, and so never across a fork. Their code is loaded before it.
"""

import gc
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from sqlalchemy import Connection, Engine

from config.settings import Settings, settings
from db import embedding_models, leases, usage
from db.embedding_models import Model
from db.engine import check_login, open_engine
from db.lanes import REFLECT, STAGES
from db.leases import EMBEDDER, LLM, answers_to
from db.usage import MannerRow
from mosshead.embeddings import Embedder, Endpoint, open_embedder, spec_of
from mosshead.errors import ConfigurationError, EmbedderMismatch
from mosshead.llm import LanguageModel

if TYPE_CHECKING:
    from mosshead.llm.modes import MannerMemory
    from mosshead.llm.openai import OnUsage, OpenAILanguageModel

WORKER_URL = "MOSSHEAD_WORKER_URL"

MANNER_STANDS: Final = timedelta(days=7)
"""How long the known form of requests to a model is trusted: an endpoint may learn a stricter mode."""

Store = Callable[[Connection], object]
"""Stores a stage's result; runs in the transaction that also advances the batch."""


class UsageLog(threading.local):
    """The model's reports to this thread since the log was last emptied: prompt name, tokens in, tokens out.

    With threads as tasks, a worker must not charge one tenant for what another asks at the same time.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[str, int, int]] = []

    def note(self, prompt: str, sent: int, received: int) -> None:
        self.calls.append((prompt, sent, received))


@dataclass(frozen=True, slots=True)
class Parts:
    """What a stage may use. others: by name, models that a namespace asks instead of the service's own."""

    settings: Settings
    engine: Engine
    embedder: Embedder
    model: LanguageModel | None
    usage: UsageLog
    others: dict[str, LanguageModel] = field(default_factory=dict)

    @property
    def expands(self) -> bool:
        """Return whether expansions of memories are written: there is an LLM, and a budget for them."""
        return self.model is not None and self.settings.expansion_tokens_per_day > 0

    def other_model(self, name: str) -> LanguageModel:
        """Return the model a namespace asks instead of the service's own. Raises ConfigurationError if there is no LLM."""
        if name not in self.others:
            self.others[name] = open_other_model(self.settings, name, on_usage=self.usage.note, engine=self.engine)
        return self.others[name]


@lru_cache(maxsize=1)
def parts() -> Parts:
    """Return the parts of this process."""
    chosen = settings()
    log = UsageLog()
    engine = open_engine(chosen.login("worker"), setting=WORKER_URL, prepared=chosen.prepared_statements)
    return Parts(
        settings=chosen,
        engine=engine,
        embedder=open_embedder_of(chosen),
        model=open_language_model(chosen, on_usage=log.note, engine=engine),
        usage=log,
    )


@contextmanager
def logged_in(settings: Settings) -> Iterator[Engine]:
    """Yield an engine for the block. Raises ConfigurationError or StoreUnavailable if the login is unsuitable."""
    engine = open_engine(settings.login("worker"), setting=WORKER_URL, prepared=settings.prepared_statements)
    try:
        check_login(engine, setting=WORKER_URL)
        yield engine
    finally:
        engine.dispose()


def leave_parts_to_parent(**_: object) -> None:
    """Make a forked process open its own parts. Two that share a connection would read each other's answers.

    The parent's connections are not closed, as the parent may use them.
    """
    if parts.cache_info().currsize:
        parts().engine.dispose(close=False)
        parts.cache_clear()


def check_parts() -> None:
    """Refuse to start with an unsuitable login or model; leaves no connection open that a fork could share.

    Raises ConfigurationError, StoreUnavailable, ModelMissing, EmbedderUnavailable or EmbedderMismatch.
    """
    chosen = settings()
    with logged_in(chosen) as engine:
        embedder = open_embedder_of(chosen)
        with engine.begin() as connection:
            active = embedding_models.set_active_model(connection, embedder.name, embedder.dimensions)
    if active.name != embedder.name:
        raise EmbedderMismatch(
            f"MOSSHEAD_EMBEDDER: {embedder.name} is asked for, and this database embeds with {active.name}; set it to "
            f"{spec_of(active.name)}, or go over to the other with 'mosshead service models'"
        )
    check_dimensions(active, embedder.dimensions)


def load_for_children() -> None:
    """Load, before a fork, what each child would otherwise load into its own memory. Sends no request.

    Raises ConfigurationError if the local model's files, or the LLM's key or address, cannot be used.
    """
    # Loads numpy, which is slow and which the scheduler does not need.
    from mosshead.safety.classifier import load_classifier

    chosen = settings()
    open_embedder_of(chosen).count_tokens("")
    open_language_model(chosen)

    load_classifier()
    # The collector writes to each object it visits, which would copy the object's page in each child.
    gc.collect()
    gc.freeze()


def check_dimensions(model: Model, dimensions: int) -> None:
    """Raise ConfigurationError if an endpoint changed its dimensions: vectors of different lengths cannot be compared."""
    if dimensions != model.dimensions:
        raise ConfigurationError(
            f"the endpoint answers with {dimensions} dimensions, and {model.name} has {model.dimensions} here; set "
            f"MOSSHEAD_EMBEDDING_URL or OPENAI_BASE_URL to one that answers with {model.dimensions}, or go over to a model of "
            f"those dimensions, such as openai:MODEL@{dimensions}, with 'mosshead service models add'"
        )


def open_embedder_of(chosen: Settings, spec: str | None = None) -> Embedder:
    """Return the embedder that the settings name, or another. Raises ConfigurationError or ModelMissing."""
    endpoint = Endpoint.chosen(
        url=chosen.embedding_url,
        api_key=chosen.embedding_api_key.get_secret_value() if chosen.embedding_api_key else None,
        openai_url=chosen.openai_base_url,
        openai_api_key=chosen.openai_api_key.get_secret_value() if chosen.openai_api_key else None,
    )
    return open_embedder(spec or chosen.embedder, **endpoint._asdict())


def open_language_model(
    settings: Settings, on_usage: "OnUsage | None" = None, engine: Engine | None = None
) -> "OpenAILanguageModel | None":
    """Return the model that the settings name, or None if they name none and the offline rules work instead.

    engine: of the database in which processes share the form of requests to it. Raises ConfigurationError if the key or the
    address cannot be used at all.
    """
    if not settings.uses_llm:
        return None
    key = settings.openai_api_key.get_secret_value().strip() if settings.openai_api_key else ""
    if not key and not settings.openai_base_url:
        raise ConfigurationError(
            "OPENAI_API_KEY is empty. Set it to your key, or unset it to work by the offline rules"
        )
    # Slow to import, and not needed without an LLM.
    from mosshead.llm.modes import AnswerMode
    from mosshead.llm.openai import OpenAILanguageModel

    return OpenAILanguageModel(
        settings.llm_model,
        api_key=key or "none",
        timeout=settings.llm_timeout,
        base_url=settings.openai_base_url,
        on_usage=on_usage,
        mode=None if settings.llm_mode == "auto" else AnswerMode(settings.llm_mode),
        memory=_manners_in(engine, settings.openai_base_url) if engine else None,
    )


def _manners_in(engine: Engine, base_url: str | None) -> "MannerMemory":
    from mosshead.llm.modes import AnswerMode, Manner, MannerMemory

    parts = urlsplit(base_url or "https://api.openai.com/v1")
    endpoint = f"{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path.rstrip('/')}"

    def read(model: str) -> Manner | None:
        with engine.begin() as connection:
            known = usage.manners(connection, within=MANNER_STANDS)
        rows = (one for one in known if (one.endpoint, one.model) == (endpoint, model))
        return next((Manner(AnswerMode(one.mode), one.system, one.temperature, proven=True) for one in rows), None)

    def keep(model: str, found: Manner) -> None:
        with engine.begin() as connection:
            usage.keep_manner(connection, MannerRow(endpoint, model, found.mode, found.system, found.temperature))

    return MannerMemory(read, keep)


def open_other_model(
    settings: Settings, name: str, on_usage: "OnUsage | None" = None, engine: Engine | None = None
) -> "OpenAILanguageModel":
    """Return another model of the same endpoint, by name. Raises ConfigurationError also if there is no endpoint."""
    model = open_language_model(settings.model_copy(update={"llm_model": name}), on_usage, engine)
    if model is None:
        raise ConfigurationError("there is no LLM; set OPENAI_API_KEY or OPENAI_BASE_URL, as the workers have it")
    return model


def providers_of(stage: str, settings: Settings) -> frozenset[str]:
    """Return the providers that a stage asks under these settings."""
    asks_llm = settings.uses_llm and (
        stage in {*_ANSWERED, REFLECT} or (stage == "refresh_profiles" and settings.llm_profiles)
    )
    embeds_remotely = settings.embedder.startswith("openai:") and stage in {
        *("embed", "consolidate", "refresh_profiles", REFLECT)
    }
    answers = [answers_to(_ANSWERED[stage])] if asks_llm and stage in _ANSWERED else []
    return frozenset([LLM] * asks_llm + answers + [EMBEDDER] * embeds_remotely)


_ANSWERED: Final = {"extract": "extraction", "consolidate": "consolidation"}
"""The stages that wait until the answers to their kind of question are readable. Rules write profiles meanwhile, and a reflection
is postponed by itself: otherwise the messages of its lane would wait behind it."""


def all_providers(settings: Settings) -> frozenset[str]:
    """Return the providers that any stage asks under these settings."""
    return frozenset().union(*(providers_of(stage, settings) for stage in (*STAGES, REFLECT)))


def rules_take_over(connection: Connection, settings: Settings, stage: str) -> bool:
    """Return whether the LLM has failed a stage for so long that the offline rules replace it until it is next tried."""
    return not providers_of(stage, settings).isdisjoint(_replaced(connection, settings))


def paused_providers(connection: Connection, settings: Settings) -> list[str]:
    """Return the providers that stages must wait for now."""
    replaced = _replaced(connection, settings)
    return [one for one in leases.paused_providers(connection) if one not in replaced]


def _replaced(connection: Connection, settings: Settings) -> frozenset[str]:
    """Return the LLM providers that have failed for so long that the offline rules replace them."""
    after = settings.rules_after_seconds
    away = leases.long_outages(connection, timedelta(seconds=after)) if after is not None else ()
    return frozenset(away) - {EMBEDDER}


def stages_that_wait(paused: Iterable[str], settings: Settings) -> list[str]:
    """Return the stages that depend on a paused provider."""
    silent = frozenset(paused)
    return [stage for stage in (*STAGES, REFLECT) if providers_of(stage, settings) & silent]
