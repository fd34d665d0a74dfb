"""Takes data through the service with a model, and reads what came of it."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.progress import track

from benchmarks.entities.report import as_json as entities_json
from benchmarks.entities.runs import run as ask_about
from benchmarks.entities.world import World
from benchmarks.extraction.cases import Case
from benchmarks.extraction.providers import Provider
from benchmarks.extraction.report import as_json as extraction_json
from benchmarks.extraction.scoring import score
from benchmarks.extraction.stages import open_service
from benchmarks.locomo.conversations import Conversation
from benchmarks.locomo.report import as_json as locomo_json
from benchmarks.locomo.running import measure
from benchmarks.models.data import Data, Transcript, messages_of
from benchmarks.models.outcome import Outcome, read_memories, read_outcome
from benchmarks.models.report import Measured
from benchmarks.rig import rig

_BUDGETS = (130, 260)
"""Tokens of contexts about a world, as `benchmarks.entities` has them by default."""


Scored = tuple[Mapping[str, Any], Outcome, Sequence[Mapping[str, Any]]]
"""The figures of the data's own benchmark, what became of the model's answers, and the memories."""


@dataclass(frozen=True, slots=True)
class Run:
    """environment: the settings with which a service asks the model. patience: seconds for a batch, or for a conversation."""

    environment: Mapping[str, str]
    patience: float
    console: Console

    def measure(self, name: str, data: Data) -> Measured:
        """Take data through a service of its own, and score it."""
        started = time.monotonic()
        if isinstance(data, World):
            figures, outcome, memories = self._world(data)
        elif isinstance(data, Transcript):
            figures, outcome, memories = self._transcript(data)
        elif cases := [one for one in data if isinstance(one, Case)]:
            figures, outcome, memories = self._cases(cases)
        else:
            figures, outcome, memories = self._conversations([one for one in data if isinstance(one, Conversation)])
        return Measured(
            data=name,
            messages=messages_of(data),
            seconds=time.monotonic() - started,
            figures=figures,
            outcome=outcome,
            memories=memories,
        )

    def _cases(self, cases: Sequence[Case]) -> Scored:
        with open_service(self.environment, patience=self.patience) as service:
            shown = track(cases, "cases", console=self.console, disable=self.console.quiet)
            scores = score((case, service.run(case)) for case in shown)
            return extraction_json(scores, Provider.OPENAI), *_became(service.admin_url)

    def _conversations(self, conversations: Sequence[Conversation]) -> Scored:
        with rig(concurrency=1, pause=None, settings=self.environment) as service, service.memory() as memory:
            measured = measure(conversations, service, memory, console=self.console, within=self.patience)
            return locomo_json(measured), *_became(service.addresses.admin_url)

    def _transcript(self, data: Transcript) -> Scored:
        with rig(concurrency=1, pause=None, settings=self.environment) as service, service.memory() as memory:
            events = service.received() + len(data.messages)
            memory.namespace("models", "transcript").publish_conversation(data.messages)
            service.await_done(events, within=self.patience)
            return {}, *_became(service.addresses.admin_url)

    def _world(self, world: World) -> Scored:
        with rig(concurrency=1, pause=None, settings=self.environment) as service:
            scores = ask_about(world, service, budgets=_BUDGETS, size=None, phrases={}, console=self.console)
            return entities_json(scores), *_became(service.addresses.admin_url)


def _became(admin_url: str | None) -> tuple[Outcome, Sequence[Mapping[str, Any]]]:
    assert admin_url is not None
    return read_outcome(admin_url), read_memories(admin_url)
