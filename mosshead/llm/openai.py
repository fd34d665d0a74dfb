"""Implement `LanguageModel` with the openai package, for OpenAI and every endpoint with its API.

It asks in the strictest mode that the endpoint supports, and once more if the answer is unusable; the caller decides about
further retries. Failures are raised outside the except block that caught the cause, so that neither they nor their context
contain conversation text.
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final, TypeVar
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import httpx2
import openai
from pydantic import BaseModel

from mosshead.errors import ConfigurationError
from mosshead.llm.completion import Completion, read_completion
from mosshead.llm.errors import failure_of, refused_part
from mosshead.llm.modes import AnswerMode, Manner, MannerMemory, Objection, schema_of
from mosshead.llm.protocol import (
    AnswerDeclined,
    AnswerRefused,
    AnswerUnusable,
    ModelUnavailable,
    Prompt,
)
from mosshead.llm.reader import read_answer, read_cut_answer
from mosshead.patterns import lazy_pattern
from mosshead.text import estimated_tokens

A = TypeVar("A", bound=BaseModel)

OnUsage = Callable[[str, int, int], None]
"""Called for each paid answer with the prompt's name and the (possibly estimated) numbers of tokens in and out."""

_ADDRESS = lazy_pattern(r"https?://[^/]")
_OBJECTED: Final = 2_000
"""How many characters of an unusable answer the model is shown again."""


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
        mode: AnswerMode | None = None,
        memory: MannerMemory | None = None,
    ) -> None:
        """Open without a request. Raises ConfigurationError if the key or URL is unusable.

        mode: the only mode to use; None detects it. memory: where to store it for other processes.
        """
        if not api_key.isascii():
            raise ConfigurationError("OPENAI_API_KEY contains a character that no key has; copy it again")
        if base_url is not None and not _ADDRESS.match(base_url):
            raise ConfigurationError(
                "OPENAI_BASE_URL is not an http address. Set it to one such as https://HOST/v1, or unset it for OpenAI itself"
            )
        self.name = model
        self._on_usage = on_usage
        self._mode = mode
        self._memory = memory
        self._manner: Manner | None = None
        self._client = client_for_whole_calls(api_key, base_url, timeout)

    def answer(self, prompt: Prompt[A]) -> A:
        """Ask, and once more with what was wrong. Raises ModelUnavailable or AnswerRefused, without conversation text."""
        completion = self._ask(prompt)
        try:
            answer = _answered(completion, prompt.answer)
        except AnswerUnusable as error:
            objection = Objection("".join(completion.texts[:1])[:_OBJECTED], str(error))
        else:
            self._remember(replace(self._known(), proven=True))
            return answer
        before = self._known()
        if self._mode is None and not before.proven:
            # The endpoint may accept the schema and ignore it; then the prompt must describe the format each time.
            self._manner = replace(before, mode=AnswerMode.PLAIN)
        try:
            answer = _answered(self._ask(prompt, objection), prompt.answer)
        except (ModelUnavailable, AnswerRefused):
            self._manner = before
            raise
        self._remember(replace(self._known(), proven=True))
        return answer

    def _ask(self, prompt: Prompt[A], objection: Objection | None = None) -> Completion:
        manner = self._known()
        while True:
            try:
                completion = _completion(self._post(manner.request(prompt, objection)))
                break
            except openai.OpenAIError as error:
                other = self._other_manner(manner, error, (prompt.system, prompt.user))
                failure = failure_of(error, (prompt.system, prompt.user))
            if other is None:
                raise failure
            manner = other
        self._manner = manner
        if self._on_usage:
            self._on_usage(prompt.name, *_tokens(prompt, completion))
        return completion

    def _other_manner(self, manner: Manner, error: openai.OpenAIError, asked: tuple[str, str]) -> Manner | None:
        """Return how to ask instead, if the manner rather than the question may have been refused."""
        match refused_part(error, asked, proven=manner.proven):
            case "temperature" if manner.temperature:
                return replace(manner, temperature=False)
            case "system" if manner.system:
                return replace(manner, system=False)
            case "shape" | "unknown" if self._mode is None:
                return manner.next_mode()
        return None

    def _known(self) -> Manner:
        if self._manner is None:
            kept = self._memory.read(self.name) if self._memory and self._mode is None else None
            self._manner = kept or Manner(self._mode or AnswerMode.STRICT)
        return self._manner

    def _remember(self, manner: Manner) -> None:
        changed = not (self._manner and self._manner.proven) or manner != self._manner
        self._manner = manner
        if self._memory and changed:
            self._memory.keep(self.name, manner)

    def _post(self, request: dict[str, Any]) -> bytes:
        response = self._client.chat.completions.with_raw_response.create(model=self.name, **request)
        return response.content


def _completion(body: bytes) -> Completion:
    completion = read_completion(body)
    if completion is None:
        raise ModelUnavailable("the response is not a chat completion; check OPENAI_BASE_URL")
    if completion.error is not None:
        status, said = completion.error
        response = httpx2.Response(status, json={"error": said}, request=httpx2.Request("POST", "http://endpoint"))
        raise openai.APIStatusError("", response=response, body=said)
    return completion


def _tokens(prompt: Prompt[A], completion: Completion) -> tuple[int, int]:
    """Return the tokens in and out, estimated if the endpoint does not count them; otherwise no budget would ever be spent."""
    asked = prompt.system + prompt.user + json.dumps(schema_of(prompt.answer))
    return (
        completion.prompt_tokens or estimated_tokens(asked),
        completion.completion_tokens or estimated_tokens("".join(completion.texts)),
    )


def _answered(completion: Completion, answer: type[A]) -> A:
    if not completion.choices:
        raise AnswerUnusable("the answer holds no choice")
    if completion.ended == "error":
        raise ModelUnavailable("the LLM endpoint aborted the answer: its upstream failed")
    if completion.ended == "length":
        return read_cut_answer(completion.texts, answer)
    if completion.ended == "filter":
        raise AnswerDeclined("the endpoint's content filter blocked the answer")
    if completion.declined:
        raise AnswerDeclined("the model declined to answer")
    if not completion.texts:
        raise AnswerUnusable("the answer is empty")
    return read_answer(completion.texts, answer)


_STARTED = "mosshead.started"


class _Deadlined(httpx2.SyncByteStream):
    """A response body with a deadline."""

    def __init__(self, body: httpx2.SyncByteStream, deadline: float) -> None:
        self._body = body
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._body:
            if time.monotonic() > self._deadline:
                raise httpx2.ReadTimeout("the response is too slow")
            yield piece

    def close(self) -> None:
        self._body.close()


def client_for_whole_calls(api_key: str, base_url: str | None, timeout: float) -> openai.OpenAI:
    """Return an openai client without retries that applies a call's timeout to the whole call."""
    http_client = openai.DefaultHttpxClient(event_hooks={"request": [_start], "response": [_limit]})
    where, query = _address(base_url)
    # Azure's classic URL has the API version in the query, and requires the key in its own header.
    headers = {"api-key": api_key} if "api-version" in query else {}
    return openai.OpenAI(
        api_key=api_key,
        base_url=where,
        timeout=timeout,
        max_retries=0,
        http_client=http_client,
        default_query=query,
        default_headers=headers,
    )


def _address(base_url: str | None) -> tuple[str | None, dict[str, object]]:
    """Split a URL into a base without query and the query; drop the path of a specific call."""
    if base_url is None:
        return None, {}
    try:
        parts = urlsplit(base_url)
    except ValueError:
        return base_url, {}  # the client reports what is wrong with it
    path = parts.path.rstrip("/").removesuffix("/chat/completions").removesuffix("/embeddings")
    return urlunsplit(parts._replace(path=path, query="")), dict(parse_qsl(parts.query))


def _start(request: httpx2.Request) -> None:
    request.extensions = {**request.extensions, _STARTED: time.monotonic()}


def _limit(response: httpx2.Response) -> None:
    asked = response.request.extensions
    if isinstance(response.stream, httpx2.SyncByteStream):
        response.stream = _Deadlined(response.stream, asked[_STARTED] + asked["timeout"]["read"])
