"""The part of a `Namespace` that tells stories from what it knows. docs/stories.md."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from mosshead.api.arguments import checked_limit, checked_seconds
from mosshead.api.decisions import aware
from mosshead.api.reads import Retrieving, as_stored
from mosshead.deadline import with_deadline
from mosshead.redaction import redact
from mosshead.text import readable

if TYPE_CHECKING:
    from mosshead.contrib.stories.story import Story
    from mosshead.llm.protocol import LanguageModel


class Narrating(Retrieving):
    """The part of a `Namespace` that tells stories."""

    def story(
        self,
        request: str,
        *,
        model: "LanguageModel | str | None" = None,
        conversation: str | None = None,
        history: Sequence[Mapping[str, Any]] = (),
        budget: int = 2000,
        now: datetime | None = None,
        seconds: float | None = None,
        strict: bool = False,
    ) -> "Story":
        """What is known of somebody or something, told in the order of time, each sentence with what it rests on.

        request: "how did Anna and I get to know each other?", "what happened with WOBS in 2023?".
        model: the LLM that tells it, as for `mosshead.llm.open_model`. Without one, and where it fails, is late or
        answers nonsense, the story is a chronicle in the memories' own words, and ``reason`` says why.
        conversation, history, now: as for `context`, by which it is told who is meant. Where that is open, nothing is told, and
        ``questions`` asks. budget: tokens of the evidence at most.
        seconds: how long it may take, the LLM included; by default what `Memory.connect` was told for the evidence, and a minute
        for the LLM. Where the evidence is not there in time, the story is empty and ``partial``; strict: ReadTimeout instead.
        Raises ValueError, which names what does not fit, ConfigurationError where the model cannot be used, and StoreUnavailable
        where Postgres cannot be reached.
        """
        from mosshead.contrib.stories import tell
        from mosshead.contrib.stories.requests import asked_for
        from mosshead.contrib.stories.story import Story
        from mosshead.llm.open import open_model

        teller = None if model is None else open_model(model)
        wanted = tell.StoryArguments(
            request=redact(readable("request", request)),
            history=as_stored(history),
            conversation=None if conversation is None else readable("conversation", conversation),
            budget=checked_limit(budget, "budget"),
            now=aware(now, "now") or datetime.now(UTC),
        )
        limit = None if seconds is None else checked_seconds("seconds", seconds)
        ends = None if limit is None else time.monotonic() + limit
        asked = asked_for(wanted.request, wanted.now.date())
        if not wanted.request.strip():
            return Story(intent=asked.intent, partial=self.progress().partial, reason=tell.NOTHING)

        def read() -> "Story":
            published, closed = self._published(), frozenset(self._laid().closed)
            return tell.evidence_for(
                self._store(), wanted, asked, lambda progress: replace(progress, published=published), closed
            )

        found = with_deadline(
            self._engine,
            read,
            seconds=limit,
            late=None if strict else lambda reason: Story(intent=asked.intent, partial=True, reason=reason),
        )
        return tell.told(found, wanted.request, teller, ends)
