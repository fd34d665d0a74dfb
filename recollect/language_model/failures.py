"""What went wrong with a call to an LLM, in two words: later (ModelUnavailable) or never (AnswerRefused).

The messages are fixed words: the openai package's own carry what the endpoint said, which may repeat the conversation. In doubt
it is "later", because what is refused leaves the lane: a wrong setting must not cost anyone a memory.
"""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite

import openai

from recollect.language_model.ports import AnswerDeclined, AnswerRefused, AnswerTruncated, ModelUnavailable
from recollect.patterns import lazy_pattern

_REFUSED_KEYS = frozenset({401, 403})
_REFUSED_REQUESTS = frozenset({400, 413, 422})
_UNKNOWN = 404
_TOO_LARGE = 413
_TOO_LONG = "context_length_exceeded"
_CODES = frozenset({"content_filter", _TOO_LONG, "insufficient_quota", "rate_limit_exceeded"})
_STRUCTURED = lazy_pattern(r"response_format|json_schema")
_BEYOND_CONTEXT = lazy_pattern(
    r"context (?:length|window|size)|(?:prompt|input) is too long|too many tokens", re.IGNORECASE
)


def failure_of(error: openai.OpenAIError) -> ModelUnavailable | AnswerRefused:
    """The exception to raise for one of the openai package, outside of its except block."""
    if isinstance(error, openai.APITimeoutError):
        return ModelUnavailable(
            "the LLM did not answer in time; RECOLLECT_LLM_TIMEOUT, or open_model(timeout=…), says how long to wait"
        )
    if isinstance(error, openai.APIStatusError):
        return _of_status(error)
    return ModelUnavailable("the LLM endpoint cannot be reached, or hung up; OPENAI_BASE_URL says where it is")


def _of_status(error: openai.APIStatusError) -> ModelUnavailable | AnswerRefused:
    status = error.status_code
    wait = retry_after(error.response.headers.get("retry-after"), datetime.now(UTC))
    if status in _REFUSED_KEYS:
        return ModelUnavailable(f"the LLM endpoint refused the key ({status}); check OPENAI_API_KEY", wait)
    if status == _UNKNOWN or error.param == "model":
        return ModelUnavailable(
            f"the LLM endpoint knows no such model ({status}); check its name (the service's is in RECOLLECT_LLM_MODEL), "
            "then OPENAI_BASE_URL"
        )
    if status in _REFUSED_REQUESTS and _lacks_structured_answers(error):
        return ModelUnavailable(
            f"the model gives no structured answers ({status}); name one that does (the service's is in "
            "RECOLLECT_LLM_MODEL)"
        )
    if status in _REFUSED_REQUESTS:
        refused = AnswerTruncated if status == _TOO_LARGE or _is_too_long(error) else AnswerDeclined
        return refused(f"the LLM endpoint refused the request ({status}{_code(error)})")
    return ModelUnavailable(f"the LLM endpoint answered {status}{_code(error)}", wait)


def _lacks_structured_answers(error: openai.APIStatusError) -> bool:
    """Endpoints say so in the parameter's name or in prose only; the prose is read here, and goes no further."""
    return error.param == "response_format" or _STRUCTURED.search(error.message) is not None


def _is_too_long(error: openai.APIStatusError) -> bool:
    """Only OpenAI itself has a code for it."""
    return error.code == _TOO_LONG or _BEYOND_CONTEXT.search(error.message) is not None


def _code(error: openai.APIStatusError) -> str:
    """The API's own word for what went wrong, where it is one that helps an operator."""
    return f", {error.code}" if error.code in _CODES else ""


def retry_after(header: str | None, now: datetime) -> float | None:
    """Seconds to wait by a Retry-After header, given as seconds or as an HTTP date; None where it says nothing usable.

    https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
    """
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        return _until(header, now)
    return max(seconds, 0.0) if isfinite(seconds) else None


def _until(http_date: str, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(http_date)
    except ValueError:
        return None
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max((zoned - now).total_seconds(), 0.0)
