"""Maintain one document about the user in the app's own schema: an LLM proposes fields, and code checks them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from mosshead.contrib.managers.prompts import document_prompt, talk_of
from mosshead.contrib.managers.values import ManagedProfile, RefusedChange, read_fields
from mosshead.llm.protocol import AnswerRefused, LanguageModel
from mosshead.schemas import as_json, patch_between, patched

S = TypeVar("S", bound=BaseModel)


@dataclass(frozen=True)
class ProfileManager(Generic[S]):
    """Create it with `create_profile_manager`."""

    model: LanguageModel
    schema: type[S]
    instructions: str = ""

    def __call__(self, conversation: str | Sequence[Mapping[str, Any]], current: S | None = None) -> ManagedProfile[S]:
        """Return the document after a conversation.

        conversation: a transcript ("User: … / Assistant: …") or a list of ``{role, content}``. current: None if there is none.
        Fields without support in the messages are refused, and the others accepted; if the result does not fit the schema, the
        document stays as it was. ``refused`` says why. Without a user message the model is not called. Raises ModelUnavailable if
        the model does not answer, InvalidEvent if the conversation is invalid.
        """
        talk = talk_of(conversation)
        if not talk.spoken:
            return ManagedProfile(value=current, patch={})
        before = None if current is None else as_json(current)
        shape = self.schema.model_json_schema()
        name = self.schema.__name__
        try:
            answer = self.model.answer(
                document_prompt(talk, name=name, schema=shape, current=before, instructions=self.instructions)
            )
        except AnswerRefused as error:
            return ManagedProfile(value=current, patch={}, refused=(RefusedChange(why=str(error)),))
        fields, refused = read_fields(answer, talk.numbers, talk.spoken)
        proposed = {one.name: one.value for one in fields}
        value, patch = current, dict[str, Any]()
        if proposed:
            try:
                value = patched(self.schema, current, proposed)
                patch = proposed if before is None else patch_between(before, as_json(value))
            except ValueError as error:
                refused.append(RefusedChange(why=str(error), data=proposed))
        return ManagedProfile(value=value, patch=patch, refused=tuple(refused))
