"""A language model whose answers are kept: what was paid for once is not paid for again, whatever crashes after it."""

import hashlib
from typing import TypeVar

from pydantic import BaseModel
from sqlalchemy import Engine

from db import breakers, paid
from db.refs import LaneRef
from recollect.ids import uuid7
from recollect.language_model import AnswerRefused, LanguageModel, ModelUnavailable, Prompt
from recollect.tenancy import tenant_transaction
from workers.providers import LLM

A = TypeVar("A", bound=BaseModel)

UsageLog = list[tuple[str, int, int]]
"""What the model reported since the log was last emptied: prompt name, tokens in, tokens out."""


class KeptModel:
    """The port `LanguageModel` for one namespace, on top of another model.

    An answer is stored in a transaction of its own, before the stage that asked for it goes on, and its cost beside it.
    stage: the one that asks.
    """

    def __init__(self, model: LanguageModel, engine: Engine, lane: LaneRef, usage: UsageLog, *, stage: str) -> None:
        self._model = model
        self._engine = engine
        self._lane = lane
        self._usage = usage
        self._stage = stage

    @property
    def name(self) -> str:
        """The name of the model that is asked."""
        return self._model.name

    def answer(self, prompt: Prompt[A]) -> A:
        """The kept answer to this very prompt, else the model's. Raises what the model raises."""
        key = _key(self.name, prompt)
        with tenant_transaction(self._engine, self._lane.tenant_id) as connection:
            kept = paid.kept_answer(connection, self._lane, key)
        if kept is not None:
            return prompt.answer.model_validate(kept)
        self._usage.clear()
        try:
            answer = self._model.answer(prompt)
        except (AnswerRefused, ModelUnavailable):
            self._store(prompt, key, None)  # an answer that is no use was paid for all the same
            raise
        self._store(prompt, key, answer)
        return answer

    def _store(self, prompt: Prompt[A], key: bytes, answer: A | None) -> None:
        with tenant_transaction(self._engine, self._lane.tenant_id) as connection:
            if answer is not None:
                breakers.close(connection, LLM)
                result = answer.model_dump(mode="json")
                paid.keep_answer(connection, self._lane, key, prompt=prompt.name, model=self.name, result=result)
            for name, sent, received in self._usage:
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


def _key(model: str, prompt: Prompt[A]) -> bytes:
    parts = (model, prompt.name, str(prompt.version), prompt.system, prompt.user)
    return hashlib.sha256("\x1f".join(parts).encode()).digest()
