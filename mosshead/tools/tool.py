"""`MemoryTool`: a definition for the model, and what to do with the arguments that it gives."""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from mosshead.errors import InvalidEvent, MossheadError
from mosshead.events import faults_of
from mosshead.language_model.answer_schema import compact

_UNAVAILABLE = "The memory cannot be reached at the moment. Go on without it."

_log = logging.getLogger("mosshead")


class Arguments(BaseModel):
    """What a model calls a tool with. Strict, and silent about its input: errors go back to the model, and into logs."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)


class ToolRefused(Exception):
    """A call cannot be carried out; the message tells the model what to do instead."""


@dataclass(frozen=True, slots=True)
class MemoryTool:
    """A tool of a namespace. Call it with the arguments that the model gave; the answer is what goes back to the model.

    It never raises for what a model does wrong, nor where the memory cannot be reached: the answer says so.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Callable[[Mapping[str, Any]], str]

    @property
    def definition(self) -> dict[str, Any]:
        """For ``tools=[…]`` of ``chat.completions.create``."""
        return {"type": "function", "function": self._function}

    @property
    def responses_definition(self) -> dict[str, Any]:
        """For ``tools=[…]`` of ``responses.create``."""
        return {"type": "function", **self._function}

    @property
    def _function(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "description": self.description,
            "parameters": dict(self.parameters),
            "strict": True,
        }

    def __call__(self, arguments: str | Mapping[str, Any]) -> str:
        """Carry a call out. arguments: the call's, as JSON text or as an object."""
        try:
            return self.run(_object(arguments))
        except ValidationError as error:
            return f"Not done. {faults_of(error)}."
        except (ToolRefused, InvalidEvent) as error:
            return f"Not done. {error}"
        except MossheadError as error:
            _log.warning("%s: %s", self.name, error)
            return _UNAVAILABLE


def parameters_of(arguments: type[Arguments]) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments, as strict mode wants it: every property is required, and no other is allowed."""
    schema = compact(arguments.model_json_schema())
    described = {name: field.description for name, field in arguments.model_fields.items() if field.description}
    properties = {
        name: {**shape, **({"description": described[name]} if name in described else {})}
        for name, shape in schema["properties"].items()
    }
    return {**schema, "properties": properties, "required": list(properties)}


def _object(arguments: str | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            arguments = ""
    if not isinstance(arguments, Mapping):
        raise ToolRefused("The arguments are no JSON object; call the tool again with one.")
    return arguments
