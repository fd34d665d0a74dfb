"""The port `LanguageModel` over the openai package, for OpenAI and every endpoint that speaks its API.

It asks once: when to ask again is the caller's decision. Failures are raised after the except block that saw them, so that
neither they nor their context carry text of the conversation.
"""

import json
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import Annotated, Any, TypeVar

import httpx2
import openai
from pydantic import BaseModel, BeforeValidator, ValidationError, WrapValidator

from mosshead.errors import ConfigurationError
from mosshead.llm.errors import failure_of, wants_no_temperature
from mosshead.llm.protocol import AnswerDeclined, AnswerTruncated, AnswerUnusable, ModelUnavailable, Prompt
from mosshead.llm.structured import compact, or_none
from mosshead.patterns import lazy_pattern
from mosshead.text import encodable, estimated_tokens, text_of

A = TypeVar("A", bound=BaseModel)

OnUsage = Callable[[str, int, int], None]
"""Called with the prompt's name, its tokens in and its tokens out (or an estimate), for each answer that was paid for."""

_ADDRESS = lazy_pattern(r"https?://[^/]")
_THOUGHT, _FENCE = "</think>", "```"


class _Message(BaseModel, hide_input_in_errors=True):
    content: Annotated[str | None, BeforeValidator(text_of)] = None
    refusal: str | None = None


class _Choice(BaseModel, hide_input_in_errors=True):
    message: _Message
    finish_reason: str | None = None


_Tokens = Annotated[int | None, WrapValidator(or_none)]
"""A count that is null, a fraction or words costs no answer."""


class _Usage(BaseModel, hide_input_in_errors=True):
    prompt_tokens: _Tokens = None
    completion_tokens: _Tokens = None


class _Completion(BaseModel, hide_input_in_errors=True):
    choices: list[_Choice]
    usage: Annotated[_Usage | None, WrapValidator(or_none)] = None


class OpenAILanguageModel:
    """Asks one model of one endpoint.

    timeout: seconds for the whole call. Keep it below half of a stage's time.
    """

    def __init__(
        self,
        model: str,
        *,
        api_key: str,
        timeout: float,
        base_url: str | None = None,
        on_usage: OnUsage | None = None,
    ) -> None:
        """Asks nothing yet. Raises ConfigurationError where the key or the address cannot be used at all."""
        if not api_key.isascii():
            raise ConfigurationError("OPENAI_API_KEY holds a character that no key has; copy it again")
        if base_url is not None and not _ADDRESS.match(base_url):
            raise ConfigurationError(
                "OPENAI_BASE_URL is not an http address. Set it to one such as https://HOST/v1, or unset it for OpenAI itself"
            )
        self.name = model
        self._on_usage = on_usage
        self._temperature: float | openai.Omit = 0.0
        self._client = client_for_whole_calls(api_key, base_url, timeout)

    def answer(self, prompt: Prompt[A]) -> A:
        """Ask once. Raises ModelUnavailable or AnswerRefused; neither carries text of the conversation."""
        completion = _completion(self._ask(prompt))
        if self._on_usage:
            self._on_usage(prompt.name, *_tokens(prompt, completion))
        return _parsed(_content(completion), prompt.answer)

    def _ask(self, prompt: Prompt[A]) -> bytes:
        try:
            return self._post(prompt)
        except openai.OpenAIError as error:
            asked = (prompt.system, prompt.user)
            refused_temperature = wants_no_temperature(error, asked)
            failure = failure_of(error, asked)
        if not refused_temperature or self._temperature is openai.omit:
            raise failure
        # Reasoning models take no temperature. Which do is nowhere to be read, so the first refusal tells, once per process.
        self._temperature = openai.omit
        return self._ask(prompt)

    def _post(self, prompt: Prompt[A]) -> bytes:
        response = self._client.chat.completions.with_raw_response.create(
            model=self.name,
            messages=[
                {"role": "system", "content": encodable(prompt.system)},
                {"role": "user", "content": encodable(prompt.user)},
            ],
            temperature=self._temperature,
            response_format={
                "type": "json_schema",
                "json_schema": {"name": prompt.answer.__name__, "schema": _schema(prompt.answer), "strict": True},
            },
        )
        return response.content


@cache
def _schema(answer: type[BaseModel]) -> dict[str, Any]:
    return compact(answer.model_json_schema())


def _completion(body: bytes) -> _Completion:
    try:
        # Not as JSON: there a model's half a surrogate pair, which is no fault of the endpoint's, makes all of it unreadable.
        return _Completion.model_validate(json.loads(body))
    except (ValueError, RecursionError):
        failure = ModelUnavailable("what answered is no chat completion; check OPENAI_BASE_URL")
    raise failure


def _tokens(prompt: Prompt[A], completion: _Completion) -> tuple[int, int]:
    """What a call took, in and out; an estimate where the endpoint does not count, otherwise a budget would never be spent."""
    counted = completion.usage or _Usage()
    asked = prompt.system + prompt.user + json.dumps(_schema(prompt.answer))
    answered = "".join(choice.message.content or "" for choice in completion.choices)
    return counted.prompt_tokens or estimated_tokens(asked), counted.completion_tokens or estimated_tokens(answered)


def _content(completion: _Completion) -> str:
    if not completion.choices:
        raise AnswerUnusable("the answer holds no choice")
    choice = completion.choices[0]
    if choice.finish_reason == "error":
        raise ModelUnavailable("the LLM endpoint broke the answer off: what it asked in its turn failed")
    if choice.finish_reason == "length":
        raise AnswerTruncated("the answer was cut off at the model's limit of tokens")
    if choice.finish_reason == "content_filter":
        raise AnswerDeclined("the endpoint's content filter held the answer back")
    if choice.message.refusal:
        raise AnswerDeclined("the model declined to answer")
    if not choice.message.content:
        raise AnswerUnusable("the answer is empty")
    return choice.message.content


def _parsed(content: str, answer: type[A]) -> A:
    try:
        return answer.model_validate_json(encodable(_bare(content)))
    except ValidationError as error:
        is_json = all(detail["type"] != "json_invalid" for detail in error.errors(include_input=False))
    raise AnswerUnusable(f"the answer does not fit {answer.__name__}" if is_json else "the answer is not JSON")


def _bare(content: str) -> str:
    """An answer without its block of Markdown and its thoughts, of which there may be only the end."""
    said = content.strip()
    if not said.startswith(("{", _FENCE)):
        said = (said.partition(_THOUGHT)[2] or said).strip()
    if not (said.startswith(_FENCE) and said.endswith(_FENCE)):
        return said
    return said.strip("`").removeprefix("json")


_STARTED = "mosshead.started"


class _Deadlined(httpx2.SyncByteStream):
    """A response's body that stops to be read at a time."""

    def __init__(self, body: httpx2.SyncByteStream, deadline: float) -> None:
        self._body = body
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._body:
            if time.monotonic() > self._deadline:
                raise httpx2.ReadTimeout("the response drips")
            yield piece

    def close(self) -> None:
        self._body.close()


def client_for_whole_calls(api_key: str, base_url: str | None, timeout: float) -> openai.OpenAI:
    """The openai package's client, which tries nothing twice and holds each call to the timeout that the call is given."""
    http_client = openai.DefaultHttpxClient(event_hooks={"request": [_start], "response": [_limit]})
    return openai.OpenAI(api_key=api_key, base_url=base_url, timeout=timeout, max_retries=0, http_client=http_client)


def _start(request: httpx2.Request) -> None:
    request.extensions = {**request.extensions, _STARTED: time.monotonic()}


def _limit(response: httpx2.Response) -> None:
    asked = response.request.extensions
    if isinstance(response.stream, httpx2.SyncByteStream):
        response.stream = _Deadlined(response.stream, asked[_STARTED] + asked["timeout"]["read"])
