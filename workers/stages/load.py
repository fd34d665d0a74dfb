"""What a stage starts from: the pipeline's values built from rows, and an LLM whose answers are stored."""

import hashlib
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

import structlog
from pydantic import BaseModel
from sqlalchemy import Connection, Engine

from db import candidates, entities, inbox, leases, namespaces, usage
from db.keys import BatchRef
from mosshead.events import AnyEvent, Command, MessageEvent, parse_event
from mosshead.fencing import strip_fences
from mosshead.ids import uuid7
from mosshead.language.names import possible_names
from mosshead.llm import AnswerRefused, AnswerTruncated, LanguageModel, ModelUnavailable, Prompt
from mosshead.llm.prompt_data import barred, block
from mosshead.paths import NamespacePath
from mosshead.redaction import redact
from mosshead.store.connection import tenant_transaction
from pipeline.models import Background, Fact, KnownEntity, Message, RecordSchema
from workers.dependencies import Parts, UsageLog, rules_take_over

_EARLIER = 6
_KNOWN = 60
_HEARD = 200
"""How many earlier messages are read for speakers: a group stays one even while one member speaks at length."""

A = TypeVar("A", bound=BaseModel)

_log = structlog.get_logger()


def reading(batch: BatchRef, parts: Parts) -> AbstractContextManager[Connection]:
    """Open the transaction in which a stage reads its input. It ends before anything slow begins."""
    return tenant_transaction(parts.engine, batch.lane.tenant_id)


def messages_of(connection: Connection, *batches: BatchRef) -> list[Message]:
    """Load the messages of some batches in sequence, numbered from 1."""
    payloads = (payload for batch in batches for payload in inbox.events_of_batch(connection, batch))
    return _messages(parse_event(payload) for payload in payloads)


def background_of(connection: Connection, batch: BatchRef, messages: Iterable[Message]) -> Background:
    """Load known context: the names the batch may mention, and the messages just before it."""
    names = {name for message in messages for name in possible_names(message.content)}
    earlier = [parse_event(payload) for payload in inbox.earlier_messages(connection, batch, _EARLIER)]
    speakers = inbox.earlier_speakers(connection, batch, _HEARD)
    known = entities.known_entities(connection, batch.lane, sorted(names), _KNOWN)
    wanted = namespaces.configuration(connection, batch.lane)
    return Background(
        entities=tuple(
            KnownEntity(one.name, one.entity_type, one.aliases, one.parent) for one in known if not one.is_user
        ),
        earlier=tuple(_messages(earlier)),
        speakers=frozenset(map(redact, speakers)),
        instructions=wanted.instructions,
        schemas=tuple(RecordSchema(schema["name"], schema["json_schema"]) for schema in wanted.schemas),
    )


def turns_before(connection: Connection, batch: BatchRef, limit: int) -> tuple[NamespacePath, list[Message]]:
    """Load the namespace of a batch, and the messages just before it, oldest first."""
    first = parse_event(inbox.events_of_batch(connection, batch)[0])
    earlier = inbox.earlier_messages(connection, batch, limit)
    return NamespacePath.of(first.namespace), _messages(parse_event(payload) for payload in earlier)


def command_of(connection: Connection, batch: BatchRef) -> Command | None:
    """Load the command of a batch; None if it holds messages."""
    events = [parse_event(payload) for payload in inbox.events_of_batch(connection, batch)]
    return next((event for event in events if isinstance(event, Command)), None)


def facts_of(connection: Connection, batch: BatchRef) -> dict[int, tuple[Fact, candidates.CandidateRow]]:
    """Load the candidate facts of a batch by number, each with what the stages have added."""
    rows = candidates.facts_of_batch(connection, batch)
    return {row.number: (Fact.model_validate(row.fact), row) for row in rows}


def model_for(connection: Connection, batch: BatchRef, parts: Parts) -> "KeptModel | None":
    """Return the LLM for a batch's current stage, with its earlier answers for this namespace.

    Returns None if the offline rules replace it: no LLM is set, the tenant's budget is spent, or the LLM has failed for longer
    than the operator is willing to wait.
    """
    if parts.model is None:
        return None
    tenant_id = batch.lane.tenant_id
    stands = usage.standing(connection, tenant_id, default=parts.settings.tenant_tokens_per_day)
    if stands is not None and stands.over:
        if usage.note_over_budget(connection, batch):
            _log.warning("over_budget", tenant_id=str(tenant_id), batch_id=str(batch.batch_id))
        return None
    stage = usage.stage_of(connection, batch)
    if rules_take_over(connection, parts.settings, stage):
        _log.warning("rules_take_over", tenant_id=str(tenant_id), batch_id=str(batch.batch_id))
        return None
    wanted = namespaces.llm_model(connection, batch.lane)
    return KeptModel(parts.other_model(wanted) if wanted else parts.model, parts.engine, batch, parts.usage, stage)


def report_refused(what: str, refused: Mapping[Any, int]) -> None:
    """Log how many of the LLM's proposals were refused, by reason. what: "facts", "entities" or "decisions"."""
    if refused:
        _log.warning(f"{what}_refused", reasons={str(why): count for why, count in refused.items()})


def _messages(events: Iterable[AnyEvent]) -> list[Message]:
    said = (event for event in events if isinstance(event, MessageEvent))
    return [
        Message(
            number,
            event.event_id,
            event.conversation,
            event.role,
            event.speaker and redact(event.speaker),
            redact(strip_fences(event.text)),
            event.occurred_at,
            tuple(event.injected or ()),
        )
        for number, event in enumerate(said, 1)
    ]


_KINDS: Final[tuple[type[AnswerRefused], ...]] = (AnswerRefused, *AnswerRefused.__subclasses__())
_REFUSALS: Final = {kind.__name__: kind for kind in _KINDS}


@dataclass(frozen=True, slots=True)
class KeptModel:
    """The port `LanguageModel` for one batch, on top of another model.

    An answer and its cost are stored in their own transaction, before the stage continues. An answer is kept for the whole
    namespace, a refusal only for the batch: later questions may have to wait repeatedly, and each time the refusal would be paid
    for again. An event retried by an operator is in another batch, and asks anew. stage: the one that asks.
    """

    model: LanguageModel
    engine: Engine
    batch: BatchRef
    log: UsageLog
    stage: str

    @property
    def name(self) -> str:
        return self.model.name

    def answer(self, prompt: Prompt[A]) -> A:
        """Return the stored answer to this prompt, or else the model's. Raises what the model raises, or raised for this batch.

        A refusal includes the plain question that tests whether the model answers this kind of question at all.
        """
        key = _key(self.name, prompt)
        refused_key = _key(self.name, prompt, str(self.batch.batch_id))
        with tenant_transaction(self.engine, self.batch.lane.tenant_id) as connection:
            kept = usage.kept_answer(connection, self.batch.lane, key)
            refused = None if kept is not None else usage.kept_answer(connection, self.batch.lane, refused_key)
        if kept is not None:
            return prompt.answer.model_validate(kept)
        if refused is not None:
            raise _with_plain(_refusal(refused, prompt), prompt)
        self.log.calls.clear()
        refusal = {"refused_for": str(self.batch.batch_id)}
        try:
            answer = self.model.answer(prompt)
        except ModelUnavailable:
            self._store(prompt)  # an interrupted call may also have cost something
            raise
        except AnswerRefused as error:
            self._store(prompt, (refused_key, {**refusal, **_as_json(error)}))
            _with_plain(error, prompt)
            raise
        self._store(prompt, (key, answer.model_dump(mode="json")), answered=True)
        return answer

    def check(self, plain: Prompt[Any]) -> None:
        """Ask a refusal's plain question. Raises what the model raises: then the batch was not at fault, and is retried."""
        self.log.calls.clear()
        try:
            self.model.answer(plain)
        except (ModelUnavailable, AnswerRefused):
            self._store(plain)
            with tenant_transaction(self.engine, self.batch.lane.tenant_id) as connection:
                usage.forget_refusals(connection, self.batch)
            raise
        self._store(plain, answered=True)

    def _store(
        self, prompt: Prompt[A], kept: tuple[bytes, Mapping[str, Any]] | None = None, *, answered: bool = False
    ) -> None:
        with tenant_transaction(self.engine, self.batch.lane.tenant_id) as connection:
            if answered:
                for provider in (leases.LLM, leases.answers_to(prompt.name)):
                    leases.close_breaker(connection, provider)
            if kept is not None:
                key, result = kept
                usage.keep_answer(connection, self.batch, key, prompt=prompt.name, model=self.name, result=result)
            for name, sent, received in self.log.calls:
                usage.log_usage(
                    connection,
                    self.batch.lane,
                    uuid7(),
                    stage=self.stage,
                    prompt=name,
                    model=self.name,
                    prompt_tokens=sent,
                    completion_tokens=received,
                )


_PLAIN: Final = "\n\n".join(
    (
        block("MEMORIES", ["M1 2026-01-04", barred("User lives in York.")]),
        block("FACTS", ["F1 2026-01-05, near M1", barred("User lives in Leeds.")]),
        block("MESSAGES", ["[1] user, Monday 2026-01-05T09:00+00:00", barred("I live in Leeds.")]),
    )
)
"""Data that any question can be about."""


def _as_json(refusal: AnswerRefused) -> dict[str, Any]:
    before = refusal.before_cut if isinstance(refusal, AnswerTruncated) else None
    said = {"before_cut": before.model_dump(mode="json")} if before is not None else {}
    return {"refused": type(refusal).__name__, "why": str(refusal), **said}


def _refusal(kept: Mapping[str, Any], prompt: Prompt[Any]) -> AnswerRefused:
    refusal = _REFUSALS[kept["refused"]](kept["why"])
    if isinstance(refusal, AnswerTruncated) and "before_cut" in kept:
        refusal.before_cut = prompt.answer.model_validate(kept["before_cut"])
    return refusal


def _with_plain(refusal: AnswerRefused, prompt: Prompt[Any]) -> AnswerRefused:
    # The wording of a question and the shape of its answer are fixed; the user's part holds all message text.
    refusal.plain = replace(prompt, user=_PLAIN)
    return refusal


def _key(model: str, prompt: Prompt[A], *more: str) -> bytes:
    parts = (model, prompt.name, str(prompt.version), prompt.system, prompt.user, *more)
    return hashlib.sha256("\x1f".join(parts).encode()).digest()
