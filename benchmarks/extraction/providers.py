"""Who finds the facts: the offline rules, the oracle, or the LLM that the environment names."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum

from benchmarks.extraction.cases import Case
from benchmarks.extraction.oracle import Oracle

_KEPT = ("MOSSHEAD_LLM_", "MOSSHEAD_STAGE_SECONDS", "MOSSHEAD_BATCH_")
"""How settings begin that say how an LLM is asked; a slow one needs longer stages, or smaller batches."""


class Provider(StrEnum):
    """Who finds the facts and decides the doubtful cases."""

    OFFLINE = "offline"
    ORACLE = "oracle"
    OPENAI = "openai"


class NoModel(LookupError):
    """The provider openai was asked for, and the environment names no key and no address."""


@contextmanager
def environment_of(provider: Provider, cases: Sequence[Case]) -> Iterator[Mapping[str, str]]:
    """The settings with which a service uses a provider, which is there inside the block. Raises NoModel."""
    if provider is Provider.OFFLINE:
        yield {}
    elif provider is Provider.ORACLE:
        with Oracle(cases) as oracle:
            yield {"OPENAI_BASE_URL": oracle.base_url, "OPENAI_API_KEY": "sk-oracle"}
    else:
        named = {name: value for name, value in os.environ.items() if name.startswith("OPENAI_") and value}
        if not named.keys() & {"OPENAI_API_KEY", "OPENAI_BASE_URL"}:
            raise NoModel("openai: skipped, for neither OPENAI_API_KEY nor OPENAI_BASE_URL is set")
        yield {**named, **{name: value for name, value in os.environ.items() if name.startswith(_KEPT)}}
