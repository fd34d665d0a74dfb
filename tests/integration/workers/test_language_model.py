"""The adapter with an endpoint that misbehaves in every known way, over real HTTP."""

import json
import time
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from pydantic import SecretStr

from config.settings import Settings
from mosshead.errors import ConfigurationError
from mosshead.llm import (
    AnswerDeclined,
    AnswerRefused,
    AnswerTruncated,
    AnswerUnusable,
    ModelUnavailable,
    Prompt,
)
from mosshead.llm.errors import retry_after
from mosshead.llm.modes import AnswerMode, Manner, MannerMemory
from mosshead.llm.openai import OpenAILanguageModel
from mosshead.llm.protocol import ModelTooSlow
from pipeline.extraction.extract import extract, facts_of
from pipeline.extraction.prompt import ExtractionAnswer, extraction_prompt
from pipeline.models import Background
from pipeline.profiles import profile_prompt
from tests.factories import messages
from tests.fake_answers import fact_like
from tests.fake_openai import FakeOpenAI, Fault
from workers.dependencies import open_language_model

CANARY = "zanzibarcanary"
TALK = f"I live in Seattle. My word is {CANARY}."
SCHEMA = "ExtractionAnswer"
NOW = datetime(2023, 1, 5, 14, 2, tzinfo=UTC)


@pytest.fixture
def fake() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as server:
        yield server


def model_at(base_url: str, timeout: float = 60.0) -> OpenAILanguageModel:
    """Return a model known to accept a schema: otherwise an unexplained error might be due to the mode of the request."""
    known = MannerMemory(read=lambda _: Manner(proven=True), keep=lambda *_: None)
    return OpenAILanguageModel("gpt-fake", api_key="sk-fake", base_url=base_url, timeout=timeout, memory=known)


def prompt() -> Prompt[ExtractionAnswer]:
    return extraction_prompt(messages(TALK), Background())


def test_answer_comes_back_in_the_shape_the_prompt_asks_for(fake: FakeOpenAI) -> None:
    answer = model_at(fake.base_url).answer(prompt())

    facts = facts_of(answer, messages(TALK), Background()).facts
    assert [fact.content for fact in facts] == ["User lives in Seattle.", f"User's word is {CANARY}."]
    assert facts[0].sources == (1,)
    assert facts[0].quote == "I live in Seattle"
    assert facts[0].stated


@pytest.mark.parametrize(
    "dress",
    [Fault("fenced"), Fault("thinking"), Fault("thought"), Fault("parts")],
    ids=lambda fault: fault.kind,
)
def test_text_around_an_answer_of_a_custom_endpoint_is_ignored(fake: FakeOpenAI, dress: Fault) -> None:
    model = model_at(fake.base_url)
    plain = model.answer(prompt())
    fake.script(SCHEMA, dress)

    assert model.answer(prompt()) == plain


def test_request_asks_for_structured_output_at_temperature_0(fake: FakeOpenAI) -> None:
    model_at(fake.base_url).answer(prompt())

    body = fake.requests[0].body
    assert body["model"] == "gpt-fake"
    assert body["temperature"] == 0
    assert body["response_format"]["json_schema"]["strict"] is True
    assert [message["role"] for message in body["messages"]] == ["system", "user"]


@pytest.mark.parametrize("suffix", ["/v1", "/v1/", "", "/"])
def test_base_url_may_end_in_any_way(fake: FakeOpenAI, suffix: str) -> None:
    model_at(fake.base_url.removesuffix("/v1") + suffix).answer(prompt())

    assert fake.calls == {SCHEMA: 1}


@pytest.mark.parametrize("mode", AnswerMode)
def test_mode_that_was_set_is_the_only_one_and_the_prompt_describes_the_shape_if_none_is_sent(
    fake: FakeOpenAI, mode: AnswerMode
) -> None:
    fake.script(SCHEMA, Fault.status(400, param="response_format"))
    model = OpenAILanguageModel("gpt-fake", api_key="sk-fake", base_url=fake.base_url, timeout=60, mode=mode)
    with pytest.raises(ModelUnavailable):
        model.answer(prompt())

    assert model.answer(prompt()).facts
    sends_schema = mode in {AnswerMode.STRICT, AnswerMode.JSON_SCHEMA, AnswerMode.TOOLS}
    assert [("JSON" in one.system and '"facts"' in one.system) for one in fake.requests] == [not sends_schema] * 2
    assert [("tools" in one.body, "response_format" in one.body) for one in fake.requests] == [
        (mode is AnswerMode.TOOLS, mode not in {AnswerMode.TOOLS, AnswerMode.PLAIN})
    ] * 2


def test_unusable_answer_is_requested_once_more_with_what_was_wrong(fake: FakeOpenAI) -> None:
    model = model_at(fake.base_url)
    at_once = model.answer(prompt())
    fake.script(SCHEMA, Fault("misfit"))

    assert model.answer(prompt()) == at_once

    _, first, again = fake.requests
    assert again.messages[: len(first.messages)][-1] == first.messages[-1]
    assert "does not fit" in again.prompt


def test_usage_is_reported_for_answers_and_for_refused_ones_since_both_are_paid_for(fake: FakeOpenAI) -> None:
    fake.script(SCHEMA, {"facts": []}, Fault("misfit"), Fault("misfit"))
    usage: list[tuple[str, int, int]] = []
    model = OpenAILanguageModel(
        "gpt-fake",
        api_key="sk-fake",
        base_url=fake.base_url,
        timeout=60,
        on_usage=lambda name, asked, answered: usage.append((name, asked, answered)),
    )

    model.answer(prompt())
    with pytest.raises(AnswerRefused):
        model.answer(prompt())

    assert [name for name, _, _ in usage] == ["extraction"] * 3
    assert all(asked > 100 and answered > 0 for _, asked, answered in usage)


def test_model_that_takes_no_temperature_is_asked_without_it_from_then_on(fake: FakeOpenAI) -> None:
    fake.script(SCHEMA, Fault.status(400, param="temperature", error_code="unsupported_value"))
    model = model_at(fake.base_url)

    model.answer(prompt())
    model.answer(prompt())

    assert [request.body.get("temperature") for request in fake.requests] == [0, None, None]


def said(message: str, **more: object) -> dict[str, object]:
    return {"error": {"message": message, "type": "invalid_request_error", **more}}


@pytest.mark.parametrize(
    "fault",
    [
        Fault.status(400, body=said("`temperature` is deprecated for this model.")),
        Fault.status(400, body=said("invalid temperature: only 1 is allowed for this model", code=400)),
        Fault.status(422, body={"detail": [{"type": "extra_forbidden", "loc": ["body", "temperature"]}]}),
    ],
    ids=["by its name", "by its value", "as a field"],
)
def test_refusal_of_the_temperature_in_plain_words_is_recognised(fake: FakeOpenAI, fault: Fault) -> None:
    fake.script(SCHEMA, fault)
    model = model_at(fake.base_url)

    assert model.answer(prompt()).facts
    assert [request.body.get("temperature") for request in fake.requests] == [0, None]


def test_model_that_refuses_a_missing_temperature_is_asked_only_twice(
    fake: FakeOpenAI,
) -> None:
    fault = Fault.status(400, param="temperature")
    fake.script(SCHEMA, fault, fault)

    with pytest.raises(AnswerRefused):
        model_at(fake.base_url).answer(prompt())

    assert fake.calls == {SCHEMA: 2}


LATER = {
    "rate limit": (Fault.status(429, retry_after="3"), "429", 3.0),
    "rate limit, long": (Fault.status(429, retry_after="300"), "429", 300.0),
    "rate limit without a time": (Fault.status(429), "429", None),
    "quota": (Fault.status(429, error_code="insufficient_quota"), "insufficient_quota", None),
    "server error": (Fault.status(500), "500", None),
    "unavailable": (Fault.status(503, retry_after="1.5"), "503", 1.5),
    "overloaded": (Fault.status(529), "529", None),
    "timeout of a proxy": (Fault.status(408), "408", None),
    "wrong key": (Fault.status(401), "OPENAI_API_KEY", None),
    "key without the right": (Fault.status(403), "OPENAI_API_KEY", None),
    "payment": (Fault.status(402), "402", None),
    "wrong model": (Fault.status(404), "MOSSHEAD_LLM_MODEL", None),
    "wrong model, said otherwise": (Fault.status(400, param="model"), "MOSSHEAD_LLM_MODEL", None),
    "rate limit that ends at once": (Fault.status(429, retry_after="0"), "429", None),
    "broken off by whom it asked": (Fault("broken_off"), "aborted the answer", None),
    "reset": (Fault("reset"), "OPENAI_BASE_URL", None),
    "hung up": (Fault.hang(0.0), "OPENAI_BASE_URL", None),
    "not an endpoint": (Fault("html"), "OPENAI_BASE_URL", None),
}


@pytest.mark.parametrize(("fault", "word", "wait"), LATER.values(), ids=LATER.keys())
def test_temporary_error_is_unavailable_asked_once_and_says_when_to_retry(
    fake: FakeOpenAI, fault: Fault, word: str, wait: float | None
) -> None:
    fake.script(SCHEMA, fault)

    with pytest.raises(ModelUnavailable, match=word) as raised:
        model_at(fake.base_url).answer(prompt())

    assert type(raised.value) is ModelUnavailable
    assert raised.value.retry_after == wait
    assert fake.calls == {SCHEMA: 1}
    assert_no_canary(raised.value)


OF_EVERY_REQUEST: dict[str, tuple[Fault, str]] = {
    "key": (
        Fault.status(
            400,
            body=[
                {"error": {"code": 400, "message": "API key not valid.", "details": [{"reason": "API_KEY_INVALID"}]}}
            ],
        ),
        "OPENAI_API_KEY",
    ),
    "credit": (
        Fault.status(400, body=said("Your credit balance is too low to access the API. Please go to Plans & Billing.")),
        "credit",
    ),
    "billing": (Fault.status(400, body=said("Limit reached", code="billing_hard_limit_reached")), "credit"),
    "region": (Fault.status(400, body=said("User location is not supported for the API use.")), "served"),
    "retired model": (
        Fault.status(400, body=said("The model `m` has been decommissioned.", code="model_decommissioned")),
        "MOSSHEAD_LLM_MODEL",
    ),
    "no such model": (Fault.status(400, body=said("a/b is not a valid model ID", code=400)), "MOSSHEAD_LLM_MODEL"),
    "no model yet": (Fault.status(400, body={"error": "No models loaded. Load one."}), "MOSSHEAD_LLM_MODEL"),
    "crashed model": (
        Fault.status(400, body={"error": "The model has crashed. (Exit code: 6)"}),
        "MOSSHEAD_LLM_MODEL",
    ),
}


@pytest.mark.parametrize(("fault", "word"), OF_EVERY_REQUEST.values(), ids=OF_EVERY_REQUEST.keys())
def test_bad_request_that_any_would_be_is_waited_for_whatever_its_status(
    fake: FakeOpenAI, fault: Fault, word: str
) -> None:
    fake.script(SCHEMA, fault)

    with pytest.raises(ModelUnavailable, match=word):
        model_at(fake.base_url).answer(prompt())

    assert fake.calls == {SCHEMA: 1}


@pytest.mark.parametrize(
    "words", ["my credit balance", "an invalid model of the bridge", "the grammar of Latin", "an api key not of mine"]
)
def test_conversation_repeated_by_an_endpoint_says_nothing_about_the_endpoint(fake: FakeOpenAI, words: str) -> None:
    said_before = "I live in Seattle and like the rain. " * 20
    fake.script(SCHEMA, Fault.status(400))

    with pytest.raises(AnswerDeclined):
        model_at(fake.base_url).answer(extraction_prompt(messages(f"{said_before}{words}"), Background()))


@pytest.mark.parametrize(
    "words",
    ["My credit balance is low", "The model was not found", "invalid api key?", "Is response_format a json_schema?"],
)
def test_conversation_repeated_from_the_first_word_says_nothing_either(fake: FakeOpenAI, words: str) -> None:
    fake.script(SCHEMA, Fault.status(400))

    with pytest.raises(AnswerDeclined):
        model_at(fake.base_url).answer(extraction_prompt(messages(words), Background()))


def test_conversation_about_the_temperature_does_not_change_how_the_model_is_asked(fake: FakeOpenAI) -> None:
    fake.script(SCHEMA, Fault.status(400))
    model = model_at(fake.base_url)

    with pytest.raises(AnswerDeclined):
        model.answer(extraction_prompt(messages("I like a temperature of 20 degrees"), Background()))
    model.answer(prompt())
    assert [request.body.get("temperature") for request in fake.requests] == [0, 0]


NEVER: dict[str, tuple[Fault, type[AnswerRefused], str]] = {
    "request": (Fault.status(400), AnswerDeclined, "400"),
    "too long": (Fault.status(400, error_code="context_length_exceeded"), AnswerTruncated, "context_length_exceeded"),
    "too large": (Fault.status(413), AnswerTruncated, "413"),
    "unprocessable": (Fault.status(422, error_code=CANARY), AnswerDeclined, "422"),
    "filtered before": (Fault.status(400, error_code="content_filter"), AnswerDeclined, "content_filter"),
    "too long, in words": (
        Fault.status(400, body={"error": "loaded with context length of only 4096 tokens"}),
        AnswerTruncated,
        "400",
    ),
    "too large for the rate": (
        Fault.status(
            429,
            body=said(
                "Request too large for m on tokens per min (TPM): Limit 9, Requested 12.", code="rate_limit_exceeded"
            ),
        ),
        AnswerTruncated,
        "429",
    ),
    "flagged": (
        Fault.status(403, body=said("m requires moderation. Your input was flagged.")),
        AnswerDeclined,
        "403",
    ),
    "no json, says the endpoint": (
        Fault.status(400, body=said("Failed to generate JSON.", code="json_validate_failed")),
        AnswerUnusable,
        "json_validate_failed",
    ),
    "not json": (Fault("invalid_json"), AnswerUnusable, "not JSON"),
    "cut off": (Fault("truncated"), AnswerTruncated, "cut off"),
    "declined": (Fault("refusal"), AnswerDeclined, "declined"),
    "no choice": (Fault("no_choices"), AnswerUnusable, "no choice"),
    "filtered": (Fault("content_filter"), AnswerDeclined, "filter"),
    "other shape": (Fault("misfit"), AnswerUnusable, "does not fit ExtractionAnswer"),
}


@pytest.mark.parametrize(("fault", "kind", "word"), NEVER.values(), ids=NEVER.keys())
def test_permanent_error_is_refused_by_kind_with_a_reason(
    fake: FakeOpenAI, fault: Fault, kind: type[AnswerRefused], word: str
) -> None:
    fake.script(SCHEMA, fault, fault)

    with pytest.raises(AnswerRefused, match=word) as raised:
        model_at(fake.base_url).answer(prompt())

    assert type(raised.value) is kind
    # An unusable answer is requested once more; a refusal by the endpoint itself is not.
    assert fake.calls == {SCHEMA: 2 if kind is AnswerUnusable and fault.code == 200 else 1}
    assert_no_canary(raised.value)


@pytest.mark.parametrize("words", ["maximum context length is 8192 tokens", "Input is too long", "too many tokens"])
def test_too_long_question_is_recognised_from_plain_words(fake: FakeOpenAI, words: str) -> None:
    fake.script(SCHEMA, Fault.status(400))

    with pytest.raises(AnswerTruncated, match="400"):
        model_at(fake.base_url).answer(extraction_prompt(messages(words), Background()))


SAID = ("I live in Seattle.", "I work at Boeing.", "I like tea.", "I play the harp.")


@pytest.mark.parametrize("fault", [Fault("truncated"), Fault("invalid_json"), Fault("misfit"), Fault("no_choices")])
def test_unusable_answer_is_requested_in_halves(fake: FakeOpenAI, fault: Fault) -> None:
    asked = 1 if fault.kind == "truncated" else 2
    fake.script(SCHEMA, *[fault] * asked)

    found = extract(messages(*SAID), Background(), model_at(fake.base_url))

    assert [fact.quote for fact in found.facts] == [text.rstrip(".") for text in SAID]
    assert [fact.sources for fact in found.facts] == [(1,), (2,), (3,), (4,)]
    first, second = (request.prompt for request in fake.requests[asked:])
    assert [f"[{number}]" in first for number in range(1, 5)] == [True, True, False, False]
    assert [f"[{number}]" in second for number in range(1, 5)] == [False, False, True, True]
    assert all(text in second for text in SAID)


@pytest.mark.parametrize("failing", [1, 2])
def test_half_that_fails_again_is_refused_for_good(fake: FakeOpenAI, failing: int) -> None:
    unusable = [Fault("invalid_json")] * 2
    fake.script(SCHEMA, Fault("truncated"), *[{"facts": []}] * (failing - 1), *unusable)

    with pytest.raises(AnswerUnusable) as raised:
        extract(messages(*SAID), Background(), model_at(fake.base_url))

    assert fake.calls == {SCHEMA: failing + 2}
    assert_no_canary(raised.value)


@pytest.mark.parametrize("fault", [Fault("refusal"), Fault("content_filter"), Fault.status(400)])
def test_declined_answer_is_not_requested_again(fake: FakeOpenAI, fault: Fault) -> None:
    fake.script(SCHEMA, fault)

    with pytest.raises(AnswerDeclined):
        extract(messages(*SAID), Background(), model_at(fake.base_url))

    assert fake.calls == {SCHEMA: 1}


def test_single_message_is_halved_between_its_sentences(fake: FakeOpenAI) -> None:
    fake.script(SCHEMA, Fault("truncated"))

    found = extract(messages(" ".join(SAID)), Background(), model_at(fake.base_url))

    assert found.facts[0].content == "User lives in Seattle."
    assert {fact.sources for fact in found.facts} == {(1,)}
    assert len(found.facts) == 4
    headers = [line for request in fake.requests for line in request.prompt.splitlines() if line.startswith("[1]")]
    assert [header.rpartition(", ")[2] for header in headers[1:]] == ["part 1 of 2", "part 2 of 2"]


def test_unknown_field_or_kind_costs_no_fact(fake: FakeOpenAI) -> None:
    fake.script(SCHEMA, {"facts": [fact_like(memory_id=CANARY), fact_like(kind=CANARY)]})

    answer = model_at(fake.base_url).answer(prompt())

    assert [(fact.content, fact.kind) for fact in answer.facts] == [("User likes coffee.", "fact")] * 2
    assert CANARY not in answer.model_dump_json()


@pytest.mark.parametrize("fault", [Fault.hang(60), Fault.drip(0.1)], ids=["hangs", "drips"])
def test_timeout_covers_the_whole_call(fake: FakeOpenAI, fault: Fault) -> None:
    fake.script(SCHEMA, fault)
    started = time.monotonic()

    with pytest.raises(ModelTooSlow, match="in time") as raised:
        model_at(fake.base_url, timeout=0.3).answer(prompt())

    assert time.monotonic() - started < 12
    assert_no_canary(raised.value)


def test_missing_endpoint_is_unavailable() -> None:
    with FakeOpenAI() as gone:
        address = gone.base_url

    with pytest.raises(ModelUnavailable, match="OPENAI_BASE_URL") as raised:
        model_at(address).answer(prompt())

    assert_no_canary(raised.value)


def test_profile_is_requested_under_its_own_schema(fake: FakeOpenAI) -> None:
    question = profile_prompt("Peter (person)", None, ["Peter is a writer.", "Peter is Swiss."])

    answer = model_at(fake.base_url).answer(question)

    assert answer.summary == "Peter is a writer. Peter is Swiss."
    assert fake.calls == {"ProfileAnswer": 1}


def settings(**given: object) -> Settings:
    nothing: dict[str, object] = {"OPENAI_API_KEY": None, "OPENAI_BASE_URL": None}
    return Settings.model_validate(nothing | given)


def test_there_is_no_model_without_key_and_address() -> None:
    assert open_language_model(settings()) is None


def test_custom_address_needs_no_key(fake: FakeOpenAI) -> None:
    model = open_language_model(settings(OPENAI_BASE_URL=fake.base_url, llm_model="local"))

    assert model is not None
    assert model.answer(prompt()).facts
    assert fake.requests[0].body["model"] == "local"


@pytest.mark.parametrize(
    "given",
    [
        {"OPENAI_API_KEY": SecretStr(" ")},
        {"OPENAI_API_KEY": SecretStr("sk-–")},
        {"OPENAI_API_KEY": SecretStr("sk-1"), "OPENAI_BASE_URL": "localhost:11434"},
    ],
    ids=["empty key", "key with a dash from a word processor", "address without scheme"],
)
def test_setting_that_cannot_work_is_named(given: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError, match="OPENAI_") as raised:
        open_language_model(settings(**given))

    assert "sk-" not in str(raised.value)


def test_key_with_a_line_end_is_used_without_it(fake: FakeOpenAI) -> None:
    model = open_language_model(settings(OPENAI_API_KEY=SecretStr("sk-1\n"), OPENAI_BASE_URL=fake.base_url))

    assert model is not None
    assert model.answer(prompt()).facts


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("0", 0.0),
        ("2.5", 2.5),
        ("-4", 0.0),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        (format_datetime(NOW + timedelta(seconds=90), usegmt=True), 90.0),
        (format_datetime(NOW - timedelta(seconds=90), usegmt=True), 0.0),
        ("Thu, 05 Jan 2023 14:03:00", 60.0),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(header: str | None, seconds: float | None) -> None:
    assert retry_after(header, NOW) == seconds


def assert_no_canary(error: BaseException) -> None:
    """Check the message, its cause and context, and everything it holds."""
    assert error.__cause__ is None
    assert error.__context__ is None
    assert CANARY not in "".join(traceback.format_exception(error))
    assert CANARY not in repr(vars(error))


@pytest.mark.parametrize(
    "counted", [None, {"prompt_tokens": None}, {"prompt_tokens": 1.5, "completion_tokens": "many"}, [], "free"], ids=str
)
def test_uncounted_tokens_are_estimated(monkeypatch: pytest.MonkeyPatch, counted: object) -> None:
    used: list[tuple[str, int, int]] = []
    body = {"choices": [{"message": {"content": '{"summary": "s"}'}}], "usage": counted}
    model = OpenAILanguageModel("m", api_key="k", timeout=5, on_usage=lambda *one: used.append(one))
    monkeypatch.setattr(model, "_post", lambda _: json.dumps(body).encode())

    prompt = profile_prompt("Ana", None, ["User likes tea"])
    assert model.answer(prompt).summary == "s"
    ((name, asked, answered),) = used
    assert (name, answered) == ("profile", 4)  # sixteen characters, four per token
    assert len(prompt.system + prompt.user) / 4 < asked < len(prompt.system + prompt.user) / 2


def test_counts_of_an_endpoint_are_used_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[tuple[str, int, int]] = []
    counted = {"prompt_tokens": 7, "completion_tokens": 3}
    body = {"choices": [{"message": {"content": '{"summary": "s"}'}}], "usage": counted}
    model = OpenAILanguageModel("m", api_key="k", timeout=5, on_usage=lambda *one: used.append(one))
    monkeypatch.setattr(model, "_post", lambda _: json.dumps(body).encode())

    model.answer(profile_prompt("Ana", None, ["User likes tea"]))
    assert used == [("profile", 7, 3)]


def test_lone_surrogate_in_an_answer_is_no_outage(monkeypatch: pytest.MonkeyPatch) -> None:
    body = {"choices": [{"message": {"content": '{"summary": "tea \ud83d"}'}}]}
    model = OpenAILanguageModel("m", api_key="k", timeout=5)
    monkeypatch.setattr(model, "_post", lambda _: json.dumps(body).encode())

    assert model.answer(profile_prompt("Ana", None, ["User likes tea"])).summary == "tea ?"


def test_lone_surrogate_in_a_question_is_sent_as_a_question_mark(fake: FakeOpenAI) -> None:
    fake.script("ProfileAnswer", lambda request: {"summary": str("tea ?" in request.prompt)})
    assert model_at(fake.base_url).answer(profile_prompt("Ana", None, ["tea \ud83d"])).summary == "True"
