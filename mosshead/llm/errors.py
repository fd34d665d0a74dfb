"""Failures of LLM calls: retry later (ModelUnavailable) or never (AnswerRefused).

The messages are fixed texts, because the endpoint's own may repeat the conversation. In doubt, a failure is retried: refused
batches leave the lane, and a wrong setting must not lose memories.
"""

import re
from collections.abc import Collection
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from math import isfinite
from typing import Literal

import httpx2
import openai

from mosshead.bad_requests import BAD_REQUESTS, OfAll, of_every_request, refuses_temperature
from mosshead.llm.protocol import (
    AnswerDeclined,
    AnswerRefused,
    AnswerTruncated,
    AnswerUnusable,
    ModelTooSlow,
    ModelUnavailable,
)
from mosshead.patterns import lazy_pattern

_TOO_LONG, _FILTERED, _NO_JSON = "context_length_exceeded", "content_filter", "json_validate_failed"
_CODES = frozenset({_FILTERED, _TOO_LONG, _NO_JSON, "insufficient_quota", "rate_limit_exceeded"})
_BEYOND_CONTEXT = lazy_pattern(
    r"context (?:length|window|size)|(?:prompt|input) is too long|too many tokens", re.IGNORECASE
)
_BEYOND_RATE = lazy_pattern(r"request too large|reduce your message size|must be reduced", re.IGNORECASE)
_FLAGGED = lazy_pattern(r"requires moderation|was flagged|flagged_input", re.IGNORECASE)
_SERVICE = "(the service's is in MOSSHEAD_LLM_MODEL)"
_OF_ALL: dict[OfAll, str] = {
    "key": "the LLM endpoint refused the key ({status}); check OPENAI_API_KEY",
    "account": "the LLM endpoint refused the account ({status}): it has no credit left, or is not served where it asks from",
    "model": f"the LLM endpoint knows no such model, or runs none ({{status}}); check its name {_SERVICE}, then OPENAI_BASE_URL",
    "system": f"the model takes no system prompt ({{status}}); name one that does {_SERVICE}",
    "shape": f"the model cannot be asked for JSON in any known way ({{status}}); name one that can {_SERVICE}",
}


def failure_of(error: openai.OpenAIError, asked: Collection[str]) -> ModelUnavailable | AnswerRefused:
    """Convert an exception of the openai package; raise the result outside the except block. asked: the texts of the request."""
    if isinstance(error, openai.APITimeoutError):
        late = ModelTooSlow if isinstance(error.__cause__, httpx2.ReadTimeout) else ModelUnavailable
        return late(
            "the LLM did not answer in time; MOSSHEAD_LLM_TIMEOUT, or open_model(timeout=…), says how long to wait"
        )
    if isinstance(error, openai.APIStatusError):
        return _of_status(error, asked)
    return ModelUnavailable("the LLM endpoint cannot be reached, or hung up; OPENAI_BASE_URL says where it is")


def _of_status(error: openai.APIStatusError, asked: Collection[str]) -> ModelUnavailable | AnswerRefused:
    status = error.status_code
    # A zero Retry-After counts as none; otherwise an endpoint that always sends it would be retried endlessly.
    wait = retry_after(error.response.headers.get("retry-after"), datetime.now(UTC)) or None
    if status == HTTPStatus.FORBIDDEN and _FLAGGED.search(_said(error)):
        return AnswerDeclined(f"the LLM endpoint flagged the request ({status})")
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return _of_all("key", status, wait)
    if status == HTTPStatus.NOT_FOUND or error.param == "model":
        return _of_all("model", status)
    if status == HTTPStatus.TOO_MANY_REQUESTS and _BEYOND_RATE.search(_said(error)):
        return AnswerTruncated(f"the LLM endpoint takes no request of this size ({status}{_code(error)})")
    if status in BAD_REQUESTS:
        return _of_bad_request(error, asked)
    return ModelUnavailable(f"the LLM endpoint answered {status}{_code(error)}", wait)


def _of_bad_request(error: openai.APIStatusError, asked: Collection[str]) -> ModelUnavailable | AnswerRefused:
    status = error.status_code
    refused = f"the LLM endpoint refused the request ({status}{_code(error)})"
    if error.code == _NO_JSON:
        return AnswerUnusable(refused)
    if error.param == "response_format":
        return _of_all("shape", status)
    too_long = error.code == _TOO_LONG or _BEYOND_CONTEXT.search(
        _said(error)
    )  # only OpenAI itself has an error code for this
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE or too_long:
        return AnswerTruncated(refused)
    kind = None if error.code == _FILTERED else of_every_request(status, _said(error), asked)
    return _of_all(kind, status) if kind else AnswerDeclined(refused)


def _of_all(kind: OfAll, status: int, wait: float | None = None) -> ModelUnavailable:
    return ModelUnavailable(_OF_ALL[kind].format(status=status), wait)


Refused = Literal["temperature", "system", "shape", "unknown"]
"""What an endpoint refused about a request. unknown: it does not say, so the manner of asking may be at fault."""


def refused_part(error: openai.OpenAIError, asked: Collection[str], *, proven: bool) -> Refused | None:
    """Return which part of the manner of asking an endpoint refuses, by name or prose; None if that is not at fault.

    asked: as in `failure_of`. proven: it has answered such requests before; then an unexplained refusal is due to the text.
    """
    if not isinstance(error, openai.APIStatusError) or error.code in {_NO_JSON, _TOO_LONG, _FILTERED}:
        return None
    status, said = error.status_code, _said(error)
    if status in BAD_REQUESTS and (error.param == "temperature" or refuses_temperature(said, asked)):
        return "temperature"
    if status not in _OF_MANNER or error.param == "model":
        return None
    if error.param in {"response_format", "tools", "tool_choice"}:
        return "shape"
    # Some answer 404 or 500 for an unsupported mode; otherwise these say nothing about it.
    kind = of_every_request(HTTPStatus.BAD_REQUEST, said, asked)
    if kind in {"system", "shape"}:
        return kind
    too_long = status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE or _BEYOND_CONTEXT.search(said)
    explained = proven or kind or too_long or _FLAGGED.search(said) or status not in BAD_REQUESTS
    return None if explained else "unknown"


_OF_MANNER = BAD_REQUESTS | {404, 405, 500, 501}


def _said(error: openai.APIStatusError) -> str:
    """Return the whole body: the package's message omits what OpenAI itself does not send."""
    return error.response.text


def _code(error: openai.APIStatusError) -> str:
    """Return the API's error code, if it helps an operator."""
    return f", {error.code}" if error.code in _CODES else ""


def retry_after(header: str | None, now: datetime) -> float | None:
    """Parse a Retry-After header, in seconds or as an HTTP date; None if unusable.

    https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
    """
    if header is None:
        return None
    with suppress(ValueError):
        seconds = float(header)
        return max(seconds, 0.0) if isfinite(seconds) else None
    with suppress(ValueError):
        moment = parsedate_to_datetime(header)
        zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max((zoned - now).total_seconds(), 0.0)
    return None
