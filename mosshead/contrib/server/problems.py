"""Problem documents (RFC 9457): what is wrong with a request, by field, and how to fix it.

They never contain a stack trace or conversation text.
"""

import logging
import traceback
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from mosshead.contrib.server.tokens import AccessDenied
from mosshead.errors import (
    AmbiguousName,
    ConfigurationError,
    DocumentConflict,
    EmbedderUnavailable,
    MemoryChanged,
    MossheadError,
    NotFound,
    SpoolFull,
    SpoolUnavailable,
    StoreUnavailable,
    UndoRefused,
)

log = logging.getLogger("mosshead.server")

MEDIA_TYPE: Final = "application/problem+json"
_RETRY_SECONDS = 5
_FRAMES = 12
"""How many of the innermost stack frames are logged: only files and line numbers."""

_STATUS: Final[tuple[tuple[type[Exception], HTTPStatus], ...]] = (
    (AccessDenied, HTTPStatus.FORBIDDEN),
    (NotFound, HTTPStatus.NOT_FOUND),
    (AmbiguousName, HTTPStatus.CONFLICT),
    (MemoryChanged, HTTPStatus.CONFLICT),
    (DocumentConflict, HTTPStatus.CONFLICT),
    (UndoRefused, HTTPStatus.CONFLICT),
)
"""Status of the caller's errors; the first match counts. All others are 422."""

_AWAY: Final = (StoreUnavailable, EmbedderUnavailable, SpoolFull, SpoolUnavailable, ConfigurationError)
"""The server's own errors. Their text is logged and not shown to the caller."""


class FieldFault(BaseModel):
    """An invalid field, and how to fix it."""

    field: str
    message: str


class Problem(BaseModel):
    """What is wrong with a request. errors: The invalid fields."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    errors: list[FieldFault] = []


class RefusedRequest(Exception):
    """A request that is answered with a problem document."""

    def __init__(
        self,
        status: HTTPStatus,
        detail: str,
        *,
        errors: Sequence[FieldFault] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """detail: Names the field and the fix. errors: The invalid fields. headers: Of the response."""
        super().__init__(detail)
        self.status, self.errors, self.headers = status, list(errors), dict(headers or {})

    def response(self) -> JSONResponse:
        """Return the problem document."""
        problem = Problem(title=self.status.phrase, status=self.status, detail=str(self), errors=self.errors)
        body = problem.model_dump(exclude_defaults=False)
        return JSONResponse(body, self.status, headers=self.headers, media_type=MEDIA_TYPE)


def refusal_of(error: Exception) -> RefusedRequest:
    """Return the answer to an error. Unexpected errors are logged without their text, which may quote a conversation."""
    match error:
        case RefusedRequest():
            return error
        case RequestValidationError():
            faults = [FieldFault(field=_field(one), message=_fix(one)) for one in error.errors()]
            said = "; ".join(f"{one.field}: {one.message}" for one in faults[:_MOST_NAMED])
            return RefusedRequest(HTTPStatus.UNPROCESSABLE_ENTITY, said, errors=faults[:_MOST_NAMED])
        case HTTPException():
            return _of_http(error)
        case _ if isinstance(error, _AWAY):
            log.error("%s: %s", type(error).__name__, error)
            away = "the memory is unavailable at the moment; try again later, or see the server's log"
            return RefusedRequest(HTTPStatus.SERVICE_UNAVAILABLE, away, headers={"Retry-After": str(_RETRY_SECONDS)})
        case _ if isinstance(error, MossheadError) or type(error) is ValueError:
            status = next((status for kind, status in _STATUS if isinstance(error, kind)), None)
            return RefusedRequest(status or HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
    frames = (f"{Path(one.filename).name}:{one.lineno}" for one in traceback.extract_tb(error.__traceback__)[-_FRAMES:])
    log.error("unexpected %s at %s", type(error).__name__, " ".join(frames))
    return RefusedRequest(HTTPStatus.INTERNAL_SERVER_ERROR, "unexpected error; see the server's log")


_MOST_NAMED = 20


def _of_http(error: HTTPException) -> RefusedRequest:
    status = HTTPStatus(error.status_code)
    said = {
        HTTPStatus.NOT_FOUND: "there is no such path; /openapi.json lists the paths",
        HTTPStatus.METHOD_NOT_ALLOWED: "this path does not support this method; /openapi.json lists the methods",
        HTTPStatus.BAD_REQUEST: "body: cannot be read; send JSON in UTF-8",
    }
    return RefusedRequest(status, said.get(status, status.phrase), headers=error.headers)


def _field(fault: Mapping[str, Any]) -> str:
    """Return a field's path as the sender knows it, ``messages.0.role``, without "body" or "query"."""
    _where, *inner = fault["loc"]
    return ".".join(map(str, inner)) if inner and fault["type"] != "json_invalid" else "body"


def _fix(fault: Mapping[str, Any]) -> str:
    match fault["type"]:
        case "missing":
            return "missing"
        case "extra_forbidden":
            return "not a field of this request; omit it"
        case "json_invalid":
            return "not JSON"
        case "model_attributes_type":
            return "send a JSON object, with Content-Type: application/json"
    return str(fault["msg"]).removeprefix("Value error, ").lower()
