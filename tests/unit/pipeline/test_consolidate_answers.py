"""A model proposes and never decides: which parts of its answer are accepted, and why the rest are not."""

from dataclasses import replace
from typing import Any, TypeVar
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from mosshead.llm import AnswerRefused, Prompt
from pipeline.consolidation.consolidate import consolidate
from pipeline.consolidation.llm import (
    A_GUESS,
    ANOTHER_VIEW,
    NO_DECISION,
    NO_MEMORY,
    NOT_SHOWN,
    OPPOSITE,
    OTHER_DETAILS,
    OTHER_SUBJECT,
    OTHER_TIME,
    OWN_WORDS,
    SAID_BEFORE,
    TWO_DECISIONS,
    FactDecision,
)
from pipeline.models import RULES, Known, NewFact
from pipeline.statements import keeps
from tests.unit.pipeline.consolidating import EARLIER, NOBODY, PETER, USER, about, days, known, lives, new

A = TypeVar("A", bound=BaseModel)

OTHER = UUID(int=9)


class Proposing:
    """A language model with given proposals, which records its requests."""

    name = "a-model"

    def __init__(self, *decisions: FactDecision) -> None:
        self.decisions = decisions
        self.asked: list[str] = []

    def answer(self, prompt: Prompt[A]) -> A:
        self.asked.append(prompt.user)
        return prompt.answer.model_validate({"decisions": [one.model_dump() for one in self.decisions]})


def propose(action: Any, memory: int | None = 1, fact: int = 1, content: str | None = None) -> FactDecision:
    return FactDecision(fact=fact, action=action, memory=memory, content=content, reason="because")


PASTA = known("User likes pasta")
BOSTON = known("User lives in Boston", 4, **lives("Boston"))
DOUBTFUL = new("User adores noodles", (PASTA, 0.8))


@pytest.mark.parametrize("action", ["none", "supersede", "contradict"])
def test_proposal_about_shown_items_is_accepted(action: str) -> None:
    (decision,) = consolidate([DOUBTFUL], Proposing(propose(action)))

    assert (decision.action, decision.target) == (action, PASTA)
    assert (decision.decided_by, decision.prompt_version, decision.reason) == ("a-model", 3, "because")
    assert (decision.refused, decision.reinforces) == (None, True)


def test_add_is_accepted_whatever_it_names() -> None:
    (decision,) = consolidate([DOUBTFUL], Proposing(propose("add", memory=99, content="x")))
    assert (decision.action, decision.target, decision.content, decision.decided_by) == ("add", None, None, "a-model")


def test_long_reason_is_cut() -> None:
    proposal = propose("none").model_copy(update={"reason": "x" * 5000})
    (decision,) = consolidate([DOUBTFUL], Proposing(proposal))
    assert len(decision.reason) == 200


ITALIAN = new("User adores Italian noodles", (PASTA, 0.8))
GUESSED = new("User adores noodles", (PASTA, 0.8), stated=False)
LATE = new("User adores noodles", (PASTA, 0.8), said_at=EARLIER)
DENIED = new("User does not like pasta", (PASTA, 0.3))
DATED = new("User ate noodles", (known("User ate pasta", occurred=days(3)), 0.8), occurred=days(4))
PETERS = new("Peter adores noodles", (PASTA, 0.8), (known("pasta", 2, NOBODY), 0.8), subjects=PETER)

REFUSED: list[tuple[NewFact, FactDecision, str]] = [
    (DOUBTFUL, propose("supersede", memory=2), NOT_SHOWN),
    (DOUBTFUL, propose("none", memory=99), NOT_SHOWN),
    (DOUBTFUL, propose("update", memory=-1, content="User likes pasta"), NOT_SHOWN),
    (PETERS, propose("none", memory=1), NOT_SHOWN),
    (PETERS, propose("supersede", memory=1), NOT_SHOWN),
    (PETERS, propose("update", memory=1, content="User likes pasta"), NOT_SHOWN),
    (PETERS, propose("contradict", memory=1), NOT_SHOWN),
    (DOUBTFUL, propose("supersede", memory=None), NO_MEMORY),
    (DOUBTFUL, propose("none", memory=None), NO_MEMORY),
    (DOUBTFUL, propose("none", fact=2), NO_DECISION),
    (DOUBTFUL, propose("update", content=None), OWN_WORDS),
    (DOUBTFUL, propose("update", content=""), OWN_WORDS),
    (DOUBTFUL, propose("update", content="User adores noodles from Rome"), OWN_WORDS),
    (DOUBTFUL, propose("update", content="User ate noodles 7 times"), OWN_WORDS),
    (DOUBTFUL, propose("update", content="User does not like noodles"), OWN_WORDS),
    (ITALIAN, propose("update", content="User likes noodles"), OWN_WORDS),
    (ITALIAN, propose("none"), OTHER_DETAILS),
    (DENIED, propose("none"), OPPOSITE),
    (DENIED, propose("update", content="User does not like pasta"), OPPOSITE),
    (DATED, propose("none"), OTHER_TIME),
    (DATED, propose("update", content="User ate noodles pasta"), OTHER_TIME),
    (GUESSED, propose("supersede"), A_GUESS),
    (GUESSED, propose("contradict"), A_GUESS),
    (GUESSED, propose("update", content="User adores noodles likes pasta"), A_GUESS),
    (LATE, propose("supersede"), SAID_BEFORE),
]


@pytest.mark.parametrize(("fact", "proposal", "why"), REFUSED)
def test_any_other_proposal_is_refused_and_the_rules_decide(fact: NewFact, proposal: FactDecision, why: str) -> None:
    (decision,) = consolidate([fact], Proposing(proposal))

    assert (decision.action, decision.target, decision.decided_by) == ("add", None, RULES)
    assert (decision.refused, decision.prompt_version) == (why, None)


@pytest.mark.parametrize("proposal", [propose("update"), propose("update", content=" "), propose("none")])
@pytest.mark.parametrize("said", ["User loves the cafe Luna in Porto", "In Porto User loves the cafe Luna"])
def test_fact_with_all_of_a_memory_and_another_name_updates_it(said: str, proposal: FactDecision) -> None:
    memory = known("User loves the cafe Luna")
    (decision,) = consolidate([new(said, (memory, 0.9))], Proposing(proposal))

    assert (decision.action, decision.target, decision.content) == ("update", memory, said)
    assert (decision.decided_by, decision.refused) == ("a-model", None)


def test_guess_updates_nothing_even_if_it_says_more() -> None:
    guess = new("User loves the cafe Luna in Porto", (known("User loves the cafe Luna"), 0.9), stated=False)
    (decision,) = consolidate([guess], Proposing(propose("none")))

    assert (decision.action, decision.refused) == ("add", OTHER_DETAILS)


def test_contradiction_by_another_speaker_is_kept_next_to_the_memory() -> None:
    fact = new("User adores noodles", (known("User likes pasta", said_by="Ann"), 0.8), said_by="Bob")
    (decision,) = consolidate([fact], Proposing(propose("supersede")))

    assert (decision.action, decision.target) == ("contradict", fact.near[0][0])
    assert (decision.decided_by, decision.refused) == (RULES, ANOTHER_VIEW)


def test_same_day_may_be_named_differently() -> None:
    memory = known("User ate pasta on Friday", occurred=days(3))
    fact = new("User ate noodles on 3 April", (memory, 0.8), occurred=days(3))
    (decision,) = consolidate([fact], Proposing(propose("none")))

    assert (decision.action, decision.refused) == ("none", None)


@pytest.mark.parametrize(
    ("proposal", "action", "reinforces"),
    [
        (propose("none"), "none", False),
        (propose("update", content="User likes pasta"), "none", False),
        (propose("update", content="User likes pasta, adores noodles"), "update", True),
        (propose("supersede"), "supersede", True),
        (propose("add", None), "add", True),
    ],
)
def test_fact_the_model_calls_the_same_as_the_prompt_is_an_echo(
    proposal: FactDecision, action: str, reinforces: bool
) -> None:
    fact = new("User adores noodles", (known("User likes pasta", injected=True), 0.8))
    (decision,) = consolidate([fact], Proposing(proposal))

    assert (decision.action, decision.reinforces, decision.refused) == (action, reinforces, None)


def test_merged_statement_may_use_the_words_of_both() -> None:
    merged = "User adores noodles and likes pasta"
    (decision,) = consolidate([DOUBTFUL], Proposing(propose("update", content=merged)))

    assert (decision.action, decision.content) == ("update", merged)


def test_two_different_decisions_about_a_fact_count_as_none() -> None:
    (twice,) = consolidate([DOUBTFUL], Proposing(propose("add", memory=None), propose("supersede")))
    assert (twice.action, twice.decided_by, twice.refused) == ("add", RULES, TWO_DECISIONS)

    (same,) = consolidate([DOUBTFUL], Proposing(propose("supersede"), propose("supersede")))
    assert (same.action, same.refused) == ("supersede", None)


def test_whole_batch_is_asked_at_once_and_only_about_its_doubtful_facts() -> None:
    model = Proposing()
    clear = new("User lives in Seattle", (BOSTON, 0.5), number=2, **lives("Seattle"))
    other = new("User runs", (known("User jogs", 5), 0.8), number=3)
    suspect = new("User forwards mails", (known("User reads mails", 6), 0.8), number=4, suspicion="a rule")
    consolidate([DOUBTFUL, clear, other, suspect], model)

    (asked,) = model.asked
    assert all(content in asked for content in ("adores noodles", "likes pasta", "User runs", "User jogs"))
    assert "Seattle" not in asked
    assert "mails" not in asked


def test_earlier_fact_of_the_batch_is_shown_as_its_future_memory() -> None:
    model = Proposing(propose("supersede", memory=9, fact=2))
    earlier = known("User likes tea", 9, earlier_fact=1)
    _, later = consolidate([new("User likes tea"), new("User prefers cocoa", (earlier, 0.8), number=2)], model)

    assert "M9 (F1)" in model.asked[0]
    assert (later.action, later.target) == ("supersede", earlier)


def test_model_is_not_asked_where_nothing_is_in_doubt() -> None:
    model = Proposing()
    consolidate([new("User likes tea"), new("User lives in Rome", (BOSTON, 0.5), **lives("Rome"))], model)
    consolidate([new("Peter likes tea", (PASTA, 0.9), subjects=PETER)], model)
    assert model.asked == []


def test_errors_of_the_model_are_raised() -> None:
    class Refusing(Proposing):
        def answer(self, prompt: Prompt[A]) -> A:
            raise AnswerRefused(prompt.name)

    with pytest.raises(AnswerRefused):
        consolidate([DOUBTFUL], Refusing())


CONTENTS = [None, "", "User likes pasta", "User met Zoe", "User has 12 dogs", "User does not like pasta", "\x00 \ud800"]
scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=20)
plain = st.fixed_dictionaries(
    {
        "fact": st.integers(-1, 4) | st.integers(),
        "action": st.sampled_from(["add", "update", "supersede", "contradict", "none"]),
        "memory": st.integers(-1, 8) | st.integers() | st.none(),
        "content": st.sampled_from(CONTENTS) | st.text(max_size=20),
        "reason": st.text(max_size=300),
    }
)
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner)
)
answers = st.fixed_dictionaries({"decisions": st.lists(plain, max_size=6)}) | anything


class Answering:
    """A language model that gives this answer, if it fits the schema."""

    name = "a-model"

    def __init__(self, answer: object) -> None:
        self._answer = answer

    def answer(self, prompt: Prompt[A]) -> A:
        try:
            return prompt.answer.model_validate(self._answer)
        except (ValidationError, UnicodeError):
            return prompt.answer.model_validate({"decisions": []})


REMEMBERED = [
    PASTA,
    known("User runs", 2, said_by="Ann"),
    known("Peter writes", 3, PETER),
    BOSTON,
    known("User likes rice", 5, NOBODY, injected=True),
    known("User ran in Rome", 6, occurred=days(3)),
]
nearby = st.lists(st.tuples(st.sampled_from(REMEMBERED), st.floats(0, 1)), max_size=4)
given_fields: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "subjects": st.sampled_from([USER, PETER, NOBODY]),
        "said_by": st.sampled_from(["Ann", "Bob"]),
        "stated": st.booleans(),
        "corrects": st.booleans(),
        "suspicion": st.just("a rule"),
        "occurred": st.sampled_from([days(3), days(4)]),
    },
)
batches = st.lists(st.tuples(nearby, given_fields), min_size=1, max_size=4).map(
    lambda batch: [
        new(f"User likes noodle {number}", *near, number=number, **fields)
        for number, (near, fields) in enumerate(batch, 1)
    ]
)


@given(facts=batches, answer=answers)
def test_each_fact_has_one_decision_about_shown_items_whatever_the_model_answers(
    facts: list[NewFact], answer: object
) -> None:
    decisions = consolidate(facts, Answering(answer))

    assert [decision.fact_number for decision in decisions] == [fact.number for fact in facts]
    assert decisions == consolidate(facts, Answering(answer))
    for fact, decision in zip(facts, decisions, strict=True):
        target = decision.target
        assert (decision.action == "quarantine") == (fact.fact.suspicion is not None)
        assert (target is None) == (decision.action in {"add", "quarantine"})
        assert (decision.content is not None) == (decision.action == "update")
        assert decision.refused is None or decision.decided_by == RULES
        if target is None:
            continue
        assert target in [one for one, _ in fact.near]
        same = not fact.subject_ids or not target.subject_ids or fact.subject_ids & target.subject_ids
        assert same or decision.action != "none"
        assert fact.fact.stated or decision.action == "none"
        assert decision.action != "supersede" or fact.said_at >= target.said_at
        assert decision.content is None or keeps(decision.content, fact.fact.content, target.content, anew=True)


TREASURER = known("Gisela is the treasurer at the choir", subjects=PETER, said_at=EARLIER)


@pytest.mark.parametrize(
    ("fact", "memory", "taken"),
    [
        (new("Uhl is the treasurer at the choir", subjects=USER, mentions=about("Uhl")), TREASURER, True),
        (new("Gisela Prohaska is the treasurer", subjects=USER, mentions=about("Gisela Prohaska")), TREASURER, True),
        (new("Gisela sings at the choir", subjects=USER, mentions=about("Gisela")), TREASURER, False),
        (new("Uhl sings", subjects=USER, mentions=about("Uhl")), TREASURER, False),
        (new("User's dog is Rex", subjects=NOBODY | {OTHER}), known("User has a dog"), True),
        (new("Rex is a dog", subjects=NOBODY | {OTHER}, mentions=about("Rex")), known("User has a dog"), False),
    ],
)
def test_memory_of_another_subject_is_shown_only_if_it_is_about_the_same_topic(
    fact: NewFact, memory: Known, taken: bool
) -> None:
    model = Proposing(propose("supersede", memory=memory.number))
    (decision,) = consolidate([replace(fact, near=((memory, 0.8),))], model)

    assert (decision.action == "supersede") is taken
    assert bool(model.asked) is taken


def test_statement_about_another_subject_is_always_new() -> None:
    fact = replace(new("Uhl is the treasurer at the choir", mentions=about("Uhl")), near=((TREASURER, 0.9),))
    (decision,) = consolidate([fact], Proposing(propose("none")))

    assert (decision.action, decision.refused) == ("add", OTHER_SUBJECT)


def test_statement_with_more_about_another_person_is_no_update() -> None:
    fact = new("Peter visits Rome", (known("Peter visits", subjects=frozenset({OTHER})), 0.8), subjects=PETER)
    (decision,) = consolidate([fact], Proposing(propose("none")))

    assert (decision.action, decision.refused) == ("add", OTHER_SUBJECT)


def test_repetition_without_new_names_is_no_update() -> None:
    fact = new("User likes hot tea", (known("User likes tea"), 0.8))
    (decision,) = consolidate([fact], Proposing(propose("none")))

    assert decision.action == "none"


@pytest.mark.parametrize(("content", "merges"), [("The dose is 3 units now", True), ("The dose is 3 units", False)])
def test_news_of_a_change_may_replace_numbers(content: str, merges: bool) -> None:
    fact = new(content, (known("First feed her, then give her a dose of 2 units"), 0.8))
    proposal = propose("update", content="First feed her, then give her a dose of 3 units")
    (decision,) = consolidate([fact], Proposing(proposal))

    assert (decision.action == "update") is merges
    assert decision.refused == (None if merges else OWN_WORDS)


def test_endlessly_repetitive_merged_statement_is_refused() -> None:
    (decision,) = consolidate(
        [ITALIAN], Proposing(propose("update", content="User adores Italian noodles, pasta. " * 99))
    )
    assert decision.refused == OWN_WORDS
