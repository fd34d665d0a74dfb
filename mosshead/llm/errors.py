"""What went wrong with a call to an LLM, in two words: later (ModelUnavailable) or never (AnswerRefused).

The messages are fixed words: the openai package's own carry what the endpoint said, which may repeat the conversation. In doubt
it is "later", because what is refused leaves the lane: a wrong setting must not cost anyone a memory.
"""

import re
from collections.abc import Collection
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite

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

_REFUSED_KEYS = frozenset({401, 403})
_FORBIDDEN = 403
_UNKNOWN = 404
_LIMITED = 429
_TOO_LARGE = 413
_TOO_LONG = "context_length_exceeded"
_FILTERED = "content_filter"
_NO_JSON = "json_validate_failed"
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
    "shape": f"the model gives no structured answers ({{status}}), or takes no system prompt; name one that does {_SERVICE}",
}


def failure_of(error: openai.OpenAIError, asked: Collection[str]) -> ModelUnavailable | AnswerRefused:
    """The exception to raise for one of the openai package, outside of its except block. asked: the texts of the request."""
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
    # A pause without length is none: an endpoint that asks for that each time would be asked without end.
    wait = retry_after(error.response.headers.get("retry-after"), datetime.now(UTC)) or None
    if status == _FORBIDDEN and _FLAGGED.search(_said(error)):
        return AnswerDeclined(f"the LLM endpoint flagged the request ({status})")
    if status in _REFUSED_KEYS:
        return _of_all("key", status, wait)
    if status == _UNKNOWN or error.param == "model":
        return _of_all("model", status)
    if status == _LIMITED and _BEYOND_RATE.search(_said(error)):
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
    if status == _TOO_LARGE or _is_too_long(error):
        return AnswerTruncated(refused)
    kind = None if error.code == _FILTERED else of_every_request(_said(error), asked)
    return _of_all(kind, status) if kind else AnswerDeclined(refused)


def _of_all(kind: OfAll, status: int, wait: float | None = None) -> ModelUnavailable:
    """What every request would meet: the text is not at fault, and waits until somebody mended it."""
    return ModelUnavailable(_OF_ALL[kind].format(status=status), wait)


def wants_no_temperature(error: openai.OpenAIError, asked: Collection[str]) -> bool:
    """Whether a request was refused for its temperature; some endpoints name the parameter, others say so in prose.

    asked: as for `failure_of`.
    """
    if not isinstance(error, openai.APIStatusError) or error.status_code not in BAD_REQUESTS:
        return False
    return error.param == "temperature" or refuses_temperature(_said(error), asked)


def _is_too_long(error: openai.APIStatusError) -> bool:
    """Only OpenAI itself has a code for it."""
    return error.code == _TOO_LONG or _BEYOND_CONTEXT.search(_said(error)) is not None


def _said(error: openai.APIStatusError) -> str:
    """All that the endpoint said: the package's own message leaves out what stands in another place than OpenAI's."""
    return error.response.text


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
