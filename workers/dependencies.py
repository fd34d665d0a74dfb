"""What the stages depend on: the real parts that they work with, and the providers outside that they ask.

Parts are opened once in each process, when they are first needed, and so never over a fork. What they are made of is loaded
before it.
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
"""How long it is believed how a model is to be asked: an endpoint may learn a stricter mode."""

Store = Callable[[Connection], object]
"""Writes a stage's result; runs in the transaction that also moves the batch on."""


class UsageLog(threading.local):
    """What the model reported to this thread since the log was last emptied: prompt name, tokens in, tokens out.

    A worker whose tasks are threads must not charge one tenant for what another asks at the same time.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[str, int, int]] = []

    def note(self, prompt: str, sent: int, received: int) -> None:
        self.calls.append((prompt, sent, received))


@dataclass(frozen=True, slots=True)
class Parts:
    """What a stage may use. others: models that a namespace asks in place of the service's own, by name."""

    settings: Settings
    engine: Engine
    embedder: Embedder
    model: LanguageModel | None
    usage: UsageLog
    others: dict[str, LanguageModel] = field(default_factory=dict)

    @property
    def expands(self) -> bool:
        """Whether expansions of memories are written: there is an LLM, and a budget for them."""
        return self.model is not None and self.settings.expansion_tokens_per_day > 0

    def other_model(self, name: str) -> LanguageModel:
        """The model that a namespace asks in place of the service's own. Raises ConfigurationError where there is no LLM."""
        if name not in self.others:
            self.others[name] = open_other_model(self.settings, name, on_usage=self.usage.note, engine=self.engine)
        return self.others[name]


@lru_cache(maxsize=1)
def parts() -> Parts:
    """The parts of this process."""
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
    """An engine for the block. Raises ConfigurationError or StoreUnavailable where the login will not do."""
    engine = open_engine(settings.login("worker"), setting=WORKER_URL, prepared=settings.prepared_statements)
    try:
        check_login(engine, setting=WORKER_URL)
        yield engine
    finally:
        engine.dispose()


def leave_parts_to_parent(**_: object) -> None:
    """In a process that was forked: open parts of its own. Two that write to one connection read each other's answers.

    The parent's connections are not closed, for the parent may use them.
    """
    if parts.cache_info().currsize:
        parts().engine.dispose(close=False)
        parts.cache_clear()


def check_parts() -> None:
    """Refuse to start with a login or a model that will not do; leaves no connection behind that a fork could share.

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
    """Load, before a fork, what each child would else load for itself and hold in memory of its own. Asks nobody.

    Raises ConfigurationError where the local model's files, or the LLM's key or address, cannot be used.
    """
    # It loads numpy, which is slow and which the scheduler does without.
    from mosshead.safety.classifier import load_classifier

    chosen = settings()
    open_embedder_of(chosen).count_tokens("")
    open_language_model(chosen)

    load_classifier()
    # The collector writes to each object that it looks at, which would give a child a page of its own for it.
    gc.collect()
    gc.freeze()


def check_dimensions(model: Model, dimensions: int) -> None:
    """Raise ConfigurationError where an endpoint answers otherwise than it did: vectors of two lengths cannot be compared."""
    if dimensions != model.dimensions:
        raise ConfigurationError(
            f"the endpoint answers with {dimensions} dimensions, and {model.name} has {model.dimensions} here; set "
            f"MOSSHEAD_EMBEDDING_URL or OPENAI_BASE_URL to one that answers with {model.dimensions}, or go over to a model of "
            f"those dimensions, such as openai:MODEL@{dimensions}, with 'mosshead service models add'"
        )


def open_embedder_of(chosen: Settings, spec: str | None = None) -> Embedder:
    """The embedder that the settings name, or another. Raises ConfigurationError or ModelMissing."""
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
    """The model that the settings name, or None where they name none and the offline rules do the work.

    engine: of the database in which the processes share how it is to be asked.
    Raises ConfigurationError where the key or the address cannot be used at all.
    """
    if not settings.uses_llm:
        return None
    key = settings.openai_api_key.get_secret_value().strip() if settings.openai_api_key else ""
    if not key and not settings.openai_base_url:
        raise ConfigurationError(
            "OPENAI_API_KEY is empty. Set it to your key, or unset it to work by the offline rules"
        )
    # Slow to import, and not needed by who asks no LLM.
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
    """Another model of the same endpoint, by its name. Raises ConfigurationError also where there is no endpoint."""
    model = open_language_model(settings.model_copy(update={"llm_model": name}), on_usage, engine)
    if model is None:
        raise ConfigurationError("there is no LLM; set OPENAI_API_KEY or OPENAI_BASE_URL, as the workers have it")
    return model


def providers_of(stage: str, settings: Settings) -> frozenset[str]:
    """What a stage asks for under these settings."""
    asks_llm = settings.uses_llm and (
        stage in {*_ANSWERED, REFLECT} or (stage == "refresh_profiles" and settings.llm_profiles)
    )
    embeds_remotely = settings.embedder.startswith("openai:") and stage in {
        *("embed", "consolidate", "refresh_profiles", REFLECT)
    }
    answers = [answers_to(_ANSWERED[stage])] if asks_llm and stage in _ANSWERED else []
    return frozenset([LLM] * asks_llm + answers + [EMBEDDER] * embeds_remotely)


_ANSWERED: Final = {"extract": "extraction", "consolidate": "consolidation"}
"""The stages that wait until the answers to their kind of question can be read. Profiles are put together by rules meanwhile, and
a reflection is put off by itself: the messages of its lane would wait behind it."""


def all_providers(settings: Settings) -> frozenset[str]:
    """What any stage asks for under these settings."""
    return frozenset().union(*(providers_of(stage, settings) for stage in (*STAGES, REFLECT)))


def rules_take_over(connection: Connection, settings: Settings, stage: str) -> bool:
    """Whether the LLM has failed a stage for so long that the offline rules do its work until it is next tried."""
    return not providers_of(stage, settings).isdisjoint(_replaced(connection, settings))


def paused_providers(connection: Connection, settings: Settings) -> list[str]:
    """The providers that stages have to wait for at this moment."""
    replaced = _replaced(connection, settings)
    return [one for one in leases.paused_providers(connection) if one not in replaced]


def _replaced(connection: Connection, settings: Settings) -> frozenset[str]:
    """What of the LLM has failed for so long that the offline rules do its work."""
    after = settings.rules_after_seconds
    away = leases.long_outages(connection, timedelta(seconds=after)) if after is not None else ()
    return frozenset(away) - {EMBEDDER}


def stages_that_wait(paused: Iterable[str], settings: Settings) -> list[str]:
    """The stages that depend on a provider that is left alone at this moment."""
    silent = frozenset(paused)
    return [stage for stage in (*STAGES, REFLECT) if providers_of(stage, settings) & silent]
