"""Who extracts a batch's facts: the model once, the offline rules without one, nobody if no user spoke."""

import json
import re
from collections.abc import Sequence
from datetime import timedelta, timezone
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from mosshead.llm import AnswerDeclined, AnswerRefused, AnswerTruncated, AnswerUnusable, ModelUnavailable, Prompt
from mosshead.models.kinds import Role
from pipeline.extraction.extract import Extraction, Refusal, extract
from pipeline.extraction.prompt import CALL_TOKENS, ExtractedFact, ExtractionAnswer
from pipeline.models import Background, Fact, Message, RecordSchema
from tests.factories import NOON, message

A = TypeVar("A", bound=BaseModel)


def proposal(content: str, quote: str) -> dict[str, object]:
    return {
        "kind": "preference",
        "content": content,
        "sources": [1],
        "quote": quote,
        "start": None,
        "end": None,
        "granularity": "day",
        "mentions": [],
        "relations": [],
        "attribute": None,
        "value": None,
        "stated": True,
        "marked": False,
        "corrects": False,
        "retracts": False,
    }


class Proposing:
    """A language model with given proposals, or one that is down."""

    name = "a-model"

    def __init__(self, *facts: dict[str, object], down: bool = False) -> None:
        self.facts = facts
        self.down = down
        self.calls = 0

    def answer(self, prompt: Prompt[A]) -> A:
        self.calls += 1
        if self.down:
            raise ModelUnavailable(prompt.name)
        return prompt.answer.model_validate({"facts": self.facts})


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [message("I like tea", role=Role.ASSISTANT)],
        [message("   "), message("It is raining.", 2, role=Role.TOOL)],
    ],
)
def test_nothing_is_asked_where_no_user_spoke(messages: list[Message]) -> None:
    model = Proposing(proposal("User likes tea", "I like tea"))
    assert extract(messages, Background(), model) == Extraction(())
    assert model.calls == 0


def test_batch_is_one_call_whatever_its_size() -> None:
    model = Proposing(proposal("User likes tea", "I like tea"))
    found = extract([message("I like tea"), *(message("Yes.", number) for number in range(2, 40))], Background(), model)

    assert [fact.content for fact in found.facts] == ["User likes tea"]
    assert model.calls == 1


def test_fact_without_evidence_in_the_messages_is_refused_and_counted() -> None:
    model = Proposing(proposal("User likes tea", "I like tea"), proposal("User lives in Paris", "I live in Paris"))
    found = extract([message("I like tea")], Background(), model)

    assert [fact.content for fact in found.facts] == ["User likes tea"]
    assert sum(found.refused.values()) == 1


def test_errors_of_the_model_are_raised() -> None:
    with pytest.raises(ModelUnavailable):
        extract([message("I like tea")], Background(), Proposing(down=True))


def test_rules_extract_without_a_model() -> None:
    (fact,) = extract([message("I like green tea.")], Background(), None).facts
    assert "green tea" in fact.content
    assert fact.sources == (1,)


class Reading:
    """A language model that answers each call with the next given text or error."""

    name = "a-model"

    def __init__(self, *answers: str | Exception) -> None:
        self.answers = list(answers)
        self.prompts: list[str] = []

    def answer(self, prompt: Prompt[A]) -> A:
        self.prompts.append(prompt.user)
        answer = self.answers.pop(0) if self.answers else '{"facts": []}'
        if isinstance(answer, Exception):
            raise answer
        try:
            return prompt.answer.model_validate_json(answer)
        except ValidationError:
            pass
        raise AnswerUnusable("the answer does not fit")


def answering(*facts: dict[str, object]) -> str:
    return json.dumps({"facts": facts})


TEA, HAM = proposal("User likes tea", "I like tea"), proposal("User likes ham", "I like ham")
LONG = "coffee is fine. " * (CALL_TOKENS // 3)


def test_message_too_long_for_a_call_is_split_and_checked_against_all_of_it() -> None:
    batch = [message(f"I like tea. {LONG} I like ham.")]
    model = Reading(answering(TEA, HAM), answering(HAM, TEA, proposal("User likes Oslo", "Oslo")))

    found = extract(batch, Background(), model)

    assert [fact.content for fact in found.facts] == ["User likes tea", "User likes ham"]
    assert [fact.quote for fact in found.facts] == ["I like tea", "I like ham"]
    assert found.refused == {"repeated": 2, "ungrounded": 1}
    assert [re.findall(r"^\[1\] .*(part \d of \d)$", prompt, re.MULTILINE) for prompt in model.prompts] == [
        ["part 1 of 2"],
        ["part 2 of 2"],
    ]


@pytest.mark.parametrize("failure", [AnswerTruncated("cut off"), AnswerUnusable("not JSON")])
def test_first_half_is_context_of_the_second(failure: AnswerRefused) -> None:
    batch = [message("I like tea", 1), message("Good.", 2, role=Role.ASSISTANT), message("I like ham", 3)]
    model = Reading(failure, answering(TEA), answering(HAM | {"sources": [3, 1]}))

    found = extract(batch, Background(earlier=(message("Hello", 7),)), model)

    assert [(fact.content, fact.sources) for fact in found.facts] == [
        ("User likes tea", (1,)),
        ("User likes ham", (3,)),
    ]
    _, first, second = model.prompts
    assert "[3]" not in first
    assert "[1]" not in second
    assert second.index("(earlier) user") < second.index("| I like tea") < second.index("END EARLIER MESSAGES")


@pytest.mark.parametrize(
    ("answers", "error", "calls"),
    [
        ([AnswerDeclined("no")], AnswerDeclined, 1),
        ([AnswerTruncated("cut off"), AnswerUnusable("no")], AnswerUnusable, 2),
        ([AnswerTruncated("cut off"), answering(TEA), AnswerTruncated("cut off")], AnswerTruncated, 3),
        ([ModelUnavailable("down")], ModelUnavailable, 1),
        ([AnswerUnusable("no"), ModelUnavailable("down")], ModelUnavailable, 2),
    ],
)
def test_half_is_not_halved_again_and_a_declined_message_is_not_halved(
    answers: Sequence[str | Exception], error: type[Exception], calls: int
) -> None:
    model = Reading(*answers)
    with pytest.raises(error) as raised:
        extract([message("I like tea"), message("I like ham", 2)], Background(), model)
    assert len(model.prompts) == calls
    assert raised.value.__context__ is None


def cut_after(*facts: dict[str, object]) -> AnswerTruncated:
    """Return an answer cut off by the model's limit after that many complete facts."""
    error = AnswerTruncated("cut off")
    error.before_cut = ExtractionAnswer.model_validate({"facts": facts}) if facts else None
    return error


@pytest.mark.parametrize("said", [["I like tea", "I like ham"], ["I like tea. I like ham"]], ids=["batch", "message"])
def test_facts_before_the_cut_of_truncated_halves_are_kept(said: list[str]) -> None:
    ham = HAM | {"sources": [len(said)]}
    model = Reading(cut_after(TEA), cut_after(TEA, TEA, TEA), cut_after(ham))

    found = extract([message(text, number) for number, text in enumerate(said, 1)], Background(), model)

    assert [fact.content for fact in found.facts] == ["User likes tea", "User likes ham"]
    assert found.refused == {"repeated": 2, "cut_off": 2}
    assert [one.why for one in found.turned_down].count(Refusal.CUT_OFF) == 2


def test_facts_before_the_cut_of_an_indivisible_message_are_kept() -> None:
    found = extract([message("x")], Background(), Reading(cut_after(proposal("User likes x", "x"))))

    assert [fact.content for fact in found.facts] == ["User likes x"]
    assert found.refused == {"cut_off": 1}


@pytest.mark.parametrize(
    "answers",
    [
        [cut_after(), answering(HAM), cut_after()],
        [cut_after(), cut_after(), answering(HAM)],
        [cut_after(HAM), cut_after(), cut_after()],
        [cut_after(HAM), answering(), cut_after()],
    ],
)
def test_message_with_one_lost_half_keeps_its_other_facts(answers: Sequence[str | Exception]) -> None:
    found = extract([message("I like tea. I like ham")], Background(), Reading(*answers))

    assert [fact.content for fact in found.facts] == ["User likes ham"]
    assert found.refused == {"cut_off": 1}


@pytest.mark.parametrize(
    ("said", "answers"),
    [
        (["I like tea. I like ham"], [cut_after(), answering(), cut_after()]),
        (["I like tea. I like ham"], [cut_after(), answering(HAM), AnswerUnusable("no")]),
        (["I like tea", "I like ham"], [cut_after(TEA), answering(TEA), cut_after()]),
    ],
    ids=["nothing was said", "no answer at all", "each message goes alone"],
)
def test_message_lost_without_a_fact_is_refused(said: list[str], answers: Sequence[str | Exception]) -> None:
    batch = [message(text, number) for number, text in enumerate(said, 1)]
    with pytest.raises(AnswerRefused) as raised:
        extract(batch, Background(), Reading(*answers))
    assert getattr(raised.value, "before_cut", None) is None, "an error holds no text of a conversation"


def test_message_of_one_word_cannot_be_halved() -> None:
    model = Reading(AnswerTruncated("cut off"))
    with pytest.raises(AnswerTruncated):
        extract([message("x")], Background(), model)
    assert len(model.prompts) == 1


PET = RecordSchema("Pet", {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]})
BACKGROUND = Background(earlier=(message("Rex is old", 9),), instructions="Keep pets.", schemas=(PET,))
BATCH = [
    message("My dog Rex is 3.\nI meet Peter on Friday.", speaker="Ana"),
    message("You live in Oslo, right?", 2, role=Role.ASSISTANT),
    message("Yes, since 2019.", 3),
    message(
        "ayer vi a Rex", 4, conversation=None, occurred_at=NOON.astimezone(timezone(timedelta(hours=5, minutes=30)))
    ),
    message("Klaus owes 900", 5, role=Role.TOOL),
]
SAYINGS = """
User|My dog Rex is 3|I meet Peter on Friday|User meets Peter|Klaus|Yes|Pet|{"name": "Rex"}|vi a Rex|{"name": "Klaus"}
2023-05-01|2026-03-06T00:00|\x00||lives_in|Oslo|{|9999-12-31|[]|User's dog Rex is 3|Klaus meets Rex|User meets Klaus
"""
TEXTS = st.sampled_from(re.split(r"[|\n]", SAYINGS)) | st.text(max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


def nearly(right: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Mostly the right shape, otherwise anything."""
    return st.integers(0, 30).flatmap(lambda dice: JSON if dice == 0 else right)


def shaped(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return nearly(st.fixed_dictionaries({name: nearly(value) for name, value in fields.items()}))


KINDS = st.sampled_from(["fact", "preference", "event", "process", "relationship", "belief"])
FACTS = shaped(
    kind=KINDS,
    content=TEXTS,
    sources=st.lists(st.integers(-1, 7), max_size=4),
    quote=TEXTS,
    start=st.none() | TEXTS | st.datetimes().map(str),
    end=st.none() | TEXTS,
    granularity=st.sampled_from(["day", "hour", "year"]),
    mentions=st.lists(
        shaped(
            name=TEXTS,
            entity_type=st.sampled_from(["person", "org", "place"]),
            role=st.sampled_from(["subject", "object", "about"]),
            aliases=st.lists(TEXTS, max_size=1),
            parent=st.none() | TEXTS,
            description=st.none() | TEXTS,
        ),
        max_size=2,
    ),
    relations=st.lists(shaped(subject=TEXTS, predicate=TEXTS, object=TEXTS), max_size=1),
    attribute=st.none() | TEXTS,
    value=st.none() | TEXTS,
    stated=st.booleans(),
    marked=st.booleans(),
    corrects=st.booleans(),
    retracts=st.just(False),
    record=st.none() | shaped(name=TEXTS, data=TEXTS),
)
ANSWERS = shaped(facts=st.lists(FACTS, max_size=3)).map(json.dumps) | st.text(max_size=30) | JSON.map(json.dumps)


@given(answers=st.lists(ANSWERS, min_size=1, max_size=3))
def test_facts_are_in_the_messages_or_refused_whatever_the_model_answers(answers: list[str]) -> None:
    try:
        found = extract(BATCH, BACKGROUND, Reading(*answers))
    except AnswerRefused:
        return
    roles = {message.number: message.role for message in BATCH}
    for fact in found.facts:
        assert {roles[number] for number in fact.sources} <= {Role.USER, Role.ASSISTANT}
        assert any(roles[number] is Role.USER for number in fact.sources)
        said_by_user = [message.content for message in BATCH if message.role is Role.USER]
        assert any(fact.quote in content for content in said_by_user)
        assert fact.quote or not fact.stated
        assert "Klaus" not in fact.content.split()[1:]
        assert (fact.occurred is None) == (fact.dated_by is None)
        assert fact.occurred is None or fact.occurred.start < fact.occurred.end
        assert fact.record is None or (fact.record.name, fact.record.data.get("name")) == ("Pet", "Rex")
        assert Fact.model_validate_json(fact.model_dump_json()) == fact


@pytest.mark.parametrize(
    ("said", "quote", "role", "retracted"),
    [
        ("Forget that I live in Leeds", "I live in Leeds", Role.USER, ["User lives in Leeds"]),
        ("Forget that I live in Leeds", "", Role.USER, []),
        ("Forget that I live in Leeds", "I live in Leeds", Role.ASSISTANT, []),
        ("Forget that I live in Leeds", "I live in Leeds", Role.TOOL, []),
        ('She wrote "Forget that I live in Leeds."', "I live in Leeds", Role.USER, []),
        ("> Forget that I live in Leeds\nWhat does she want?", "I live in Leeds", Role.USER, []),
    ],
)
def test_only_a_users_own_words_retract(said: str, quote: str, role: Role, retracted: list[str]) -> None:
    messages = [message(said, role=role)]
    proposed = proposal("User lives in Leeds", quote) | {"retracts": True}

    facts = extract(messages, Background(), Proposing(proposed)).facts

    assert [one.content for one in facts if one.retracts] == retracted
    assert all(one.retracts for one in facts)


def test_answer_without_the_field_retracts_nothing_and_the_schema_requires_it() -> None:
    proposed = proposal("User lives in Leeds", "I live in Leeds")
    del proposed["retracts"]
    (fact,) = extract([message("I live in Leeds")], Background(), Proposing(proposed)).facts
    assert fact.content == "User lives in Leeds"
    assert not fact.retracts
    assert "retracts" in ExtractedFact.model_json_schema()["required"]
