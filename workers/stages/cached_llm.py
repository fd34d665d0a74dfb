"""A language model whose answers are kept: what was paid for once is not paid for again, whatever crashes after it."""

import hashlib
import threading
from collections.abc import Mapping
from typing import Any, Final, TypeVar

from pydantic import BaseModel
from sqlalchemy import Engine

from db import providers
from db import usage as paid
from db.keys import BatchRef
from mosshead.ids import uuid7
from mosshead.llm import (
    AnswerDeclined,
    AnswerRefused,
    AnswerTruncated,
    AnswerUnusable,
    LanguageModel,
    ModelUnavailable,
    Prompt,
)
from mosshead.store.connection import tenant_transaction
from workers.providers import LLM

A = TypeVar("A", bound=BaseModel)


class UsageLog(threading.local):
    """What the model reported to this thread since the log was last emptied: prompt name, tokens in, tokens out.

    A worker whose tasks are threads must not charge one tenant for what another asks at the same time.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[str, int, int]] = []

    def note(self, prompt: str, sent: int, received: int) -> None:
        self.calls.append((prompt, sent, received))


_REFUSALS: Final = {kind.__name__: kind for kind in (AnswerRefused, AnswerDeclined, AnswerTruncated, AnswerUnusable)}


class KeptModel:
    """The port `LanguageModel` for one batch, on top of another model.

    An answer is stored in a transaction of its own, before the stage that asked for it goes on, and its cost beside it. It is
    kept for the whole namespace; a refusal for the batch alone: what is asked after it may have to wait, again and again, and
    each time the refusal would be paid for anew. An event that is tried again by hand is in another batch, and asks anew.
    stage: the one that asks.
    """

    def __init__(self, model: LanguageModel, engine: Engine, batch: BatchRef, usage: UsageLog, *, stage: str) -> None:
        self._model = model
        self._engine = engine
        self._batch = batch
        self._lane = batch.lane
        self._usage = usage
        self._stage = stage

    @property
    def name(self) -> str:
        return self._model.name

    def answer(self, prompt: Prompt[A]) -> A:
        """The kept answer to this very prompt, else the model's. Raises what the model raises, or raised for this batch."""
        key = _key(self.name, prompt)
        refused_key = _key(self.name, prompt, str(self._batch.batch_id))
        with tenant_transaction(self._engine, self._lane.tenant_id) as connection:
            kept = paid.kept_answer(connection, self._lane, key)
            refused = None if kept is not None else paid.kept_answer(connection, self._lane, refused_key)
        if kept is not None:
            return prompt.answer.model_validate(kept)
        if refused is not None:
            raise _REFUSALS[refused["refused"]](refused["why"])
        self._usage.calls.clear()
        try:
            answer = self._model.answer(prompt)
        except ModelUnavailable:
            self._store(prompt)  # what broke off may have been paid for all the same
            raise
        except AnswerRefused as error:
            self._store(prompt, (refused_key, {"refused": type(error).__name__, "why": str(error)}))
            raise
        self._store(prompt, (key, answer.model_dump(mode="json")), answered=True)
        return answer

    def _store(
        self, prompt: Prompt[A], kept: tuple[bytes, Mapping[str, Any]] | None = None, *, answered: bool = False
    ) -> None:
        with tenant_transaction(self._engine, self._lane.tenant_id) as connection:
            if answered:
                providers.close(connection, LLM)
            if kept is not None:
                key, result = kept
                paid.keep_answer(connection, self._batch, key, prompt=prompt.name, model=self.name, result=result)
            for name, sent, received in self._usage.calls:
                paid.log_usage(
                    connection,
                    self._lane,
                    uuid7(),
                    stage=self._stage,
                    prompt=name,
                    model=self.name,
                    prompt_tokens=sent,
                    completion_tokens=received,
                )


def _key(model: str, prompt: Prompt[A], *more: str) -> bytes:
    parts = (model, prompt.name, str(prompt.version), prompt.system, prompt.user, *more)
    return hashlib.sha256("\x1f".join(parts).encode()).digest()
