"""How facts stand to what is remembered: the rules as a table, and a model that proposes and never disposes."""

from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from pipeline.consolidate import CORRECTED, DUPLICATE, RULES, Known, NewFact, consolidate
from pipeline.facts import Fact
from pipeline.ports import AnswerRefused, Prompt
from pipeline.prompts.consolidation import FactDecision
from recollect.kinds import MemoryKind

A = TypeVar("A", bound=BaseModel)

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
LATER, EARLIER = NOON + timedelta(days=1), NOON - timedelta(days=1)
USER, PETER = frozenset({UUID(int=1)}), frozenset({UUID(int=2)})


def known(content: str, number: int = 1, subjects: frozenset[UUID] = USER, **given: Any) -> Known:
    fields: dict[str, Any] = {"attribute": None, "value": None, "said_at": NOON, **given}
    return Known(number=number, content=content, subject_ids=subjects, **fields)


def new(
    content: str,
    *near: tuple[Known, float],
    number: int = 1,
    subjects: frozenset[UUID] = USER,
    said_at: datetime = LATER,
    **given: Any,
) -> NewFact:
    fact = Fact(kind=MemoryKind.FACT, content=content, sources=(1,), quote=content, **given)
    return NewFact(number, fact, said_at, subjects, near)


def lives(value: str, **given: Any) -> dict[str, Any]:
    return {"attribute": "lives_in", "value": value, **given}


BOSTON = known("User lives in Boston", **lives("Boston"))
JOHN = known("User's name is John", attribute="name", value="John")
JOHN_DOE = known("User is called John Doe", attribute="name", value="John Doe")
JUNE = known("The fair is in June")

RULED: list[tuple[str, NewFact, str]] = [
    ("nothing near is added", new("User likes tea"), "add"),
    ("an exact duplicate is nothing new", new("User likes tea.", (known("user likes tea"), 0.99)), "none"),
    ("whatever its subject", new("Likes tea", (known("Likes tea", subjects=PETER), 0.3)), "none"),
    ("the same in other words is nothing new", new("User really likes tea", (known("User likes tea"), 0.95)), "none"),
    ("too far to be the same", new("User really likes tea", (known("User likes tea"), DUPLICATE - 0.01)), "add"),
    ("a negation is no duplicate", new("User is not vegetarian", (known("User is vegetarian"), 0.975)), "add"),
    ("nor is what it denies", new("User is vegetarian", (known("User is not vegetarian"), 0.975)), "add"),
    ("another day is another fact", new("User plays on Tuesday", (known("User plays on Monday"), 0.947)), "add"),
    ("another number too", new("User has 3 dogs", (known("User has 2 dogs"), 0.97)), "add"),
    ("another one's is another fact", new("Peter likes teas", (known("Peter likes tea", subjects=PETER), 0.99)), "add"),
    ("another value supersedes", new("User lives in Seattle", (BOSTON, 0.2), **lives("Seattle")), "supersede"),
    ("the same value is nothing new", new("User is in Boston", (BOSTON, 0.2), **lives("boston")), "none"),
    ("a part of it is nothing new", new("User is John", (JOHN_DOE, 0.2), attribute="name", value="John"), "none"),
    ("a more precise one updates", new("User's name is John Doe", (JOHN, 0.5), attribute="name", value="John Doe"), "update"),
    ("an older one does not supersede", new("User lives in Rome", (BOSTON, 0.9), said_at=EARLIER, **lives("Rome")), "none"),
    ("another one's value stays", new("Peter lives in Rome", (BOSTON, 0.9), subjects=PETER, **lives("Rome")), "add"),
    ("another attribute's too", new("User was born in Rome", (BOSTON, 0.9), attribute="born_in", value="Rome"), "add"),
    ("a correction supersedes", new("The fair is in May", (JUNE, CORRECTED), corrects=True), "supersede"),
    ("not what is far from it", new("The fair is in May", (JUNE, CORRECTED - 0.01), corrects=True), "add"),
    ("nor what was said after it", new("The fair is in May", (JUNE, 0.9), said_at=EARLIER, corrects=True), "none"),
    ("nor another one's", new("Peter: May", (known("June"), 0.9), subjects=PETER, corrects=True), "add"),
]  # fmt: skip


@pytest.mark.parametrize(("fact", "action"), [row[1:] for row in RULED], ids=[row[0] for row in RULED])
def test_by_rules(fact: NewFact, action: str) -> None:
    (decision,) = consolidate([fact], None)

    assert (decision.fact_number, decision.action, decision.decided_by) == (1, action, RULES)
    assert (decision.target is None) == (action == "add")
    assert (decision.content is not None) == (action == "update")
    assert decision.reason


def test_each_fact_has_its_decision_in_order() -> None:
    facts = [new("User likes tea", number=number) for number in (3, 1, 2)]
    assert [decision.fact_number for decision in consolidate(facts, None)] == [3, 1, 2]


def test_a_fact_may_repeat_or_put_right_an_earlier_one_of_its_batch() -> None:
    first = known("User lives in Boston", 7, earlier_fact=1, **lives("Boston"))
    again, other = consolidate(
        [
            new("User lives in Boston", (first, 1.0), number=2),
            new("User lives in Rome", (first, 0.9), number=3, **lives("Rome")),
        ],
        None,
    )
    assert (again.action, other.action) == ("none", "supersede")


class Proposing:
    """A language model that proposes what it was told to, and keeps what it was asked."""

    name = "a-model"

    def __init__(self, *decisions: FactDecision) -> None:
        self.decisions = decisions
        self.asked: list[str] = []

    def answer(self, prompt: Prompt[A]) -> A:
        self.asked.append(prompt.user)
        return prompt.answer.model_validate({"decisions": [one.model_dump() for one in self.decisions]})


def propose(action: Any, memory: int | None = 1, fact: int = 1, content: str | None = None) -> FactDecision:
    return FactDecision(fact=fact, action=action, memory=memory, content=content, reason="because")


DOUBTFUL = new("User adores Italian food", (known("User likes pasta"), 0.7))


@pytest.mark.parametrize("action", ["none", "supersede"])
def test_a_proposal_about_what_was_shown_is_taken(action: str) -> None:
    (decision,) = consolidate([DOUBTFUL], Proposing(propose(action)))

    assert (decision.action, decision.target) == (action, DOUBTFUL.near[0][0])
    assert (decision.decided_by, decision.prompt_version, decision.reason) == ("a-model", 1, "because")


def test_what_was_said_earlier_supersedes_nothing_that_was_said_after_it() -> None:
    late = new("User adores Italian food", (known("User likes pasta"), 0.7), said_at=EARLIER)
    (decision,) = consolidate([late], Proposing(propose("supersede")))

    assert (decision.action, decision.reason) == ("none", "a later statement is known")


@pytest.mark.parametrize(
    "proposal",
    [
        propose("supersede", memory=2),
        propose("supersede", memory=None),
        propose("none", memory=99),
        propose("update", memory=-1, content="User likes pasta"),
        propose("update", content=None),
        propose("update", content=""),
        propose("update", content="User adores Italian food from Rome"),
        propose("update", content="User ate pasta 7 times"),
        propose("none", fact=2),
    ],
)
def test_a_proposal_about_anything_else_falls_back_to_the_rules(proposal: FactDecision) -> None:
    (decision,) = consolidate([DOUBTFUL], Proposing(proposal))

    assert (decision.action, decision.decided_by) == ("add", RULES)


def test_a_merged_statement_may_use_the_words_of_both() -> None:
    merged = "User adores Italian food and likes pasta"
    (decision,) = consolidate([DOUBTFUL], Proposing(propose("update", content=merged)))

    assert (decision.action, decision.content) == ("update", merged)


def test_the_first_of_two_proposals_for_a_fact_counts() -> None:
    (decision,) = consolidate([DOUBTFUL], Proposing(propose("add", memory=None), propose("supersede")))
    assert decision.action == "add"


def test_the_whole_batch_is_asked_at_once_and_only_its_doubtful_facts() -> None:
    model = Proposing()
    clear = new("User lives in Seattle", (BOSTON, 0.5), number=2, **lives("Seattle"))
    other = new("User runs", (known("User jogs", 5), 0.8), number=3)
    consolidate([DOUBTFUL, clear, other], model)

    (asked,) = model.asked
    assert all(content in asked for content in ("Italian food", "likes pasta", "User runs", "User jogs"))
    assert "Seattle" not in asked


def test_nothing_is_asked_where_nothing_is_in_doubt() -> None:
    model = Proposing()
    within = known("User likes tea", 9, earlier_fact=1)
    consolidate([new("User likes tea"), new("User lives in Rome", (BOSTON, 0.5), **lives("Rome"))], model)
    consolidate([new("User enjoys tea", (within, 0.8), number=2)], model)
    assert model.asked == []


def test_what_the_model_raises_is_raised() -> None:
    class Refusing(Proposing):
        def answer(self, prompt: Prompt[A]) -> A:
            raise AnswerRefused(prompt.name)

    with pytest.raises(AnswerRefused):
        consolidate([DOUBTFUL], Refusing())


numbers = st.integers(-2, 8)
proposals = st.builds(
    FactDecision,
    fact=numbers,
    action=st.sampled_from(["add", "update", "supersede", "none"]),
    memory=numbers | st.none(),
    content=st.sampled_from([None, "", "User likes pasta", "User met Zoe", "User has 12 dogs"]),
    reason=st.just("because"),
)
memories = [known("User likes pasta", 1), known("User runs", 2), known("Peter writes", 3, PETER), BOSTON]
nearby = st.lists(st.tuples(st.sampled_from(memories), st.floats(0, 1)), max_size=3)
batches = st.lists(nearby, min_size=1, max_size=4).map(
    lambda near: [new(f"User likes pasta {number}", *pairs, number=number) for number, pairs in enumerate(near, 1)]
)


@given(facts=batches, answer=st.lists(proposals, max_size=8))
def test_whatever_the_model_answers_each_fact_has_one_decision_about_what_it_was_shown(
    facts: list[NewFact], answer: list[FactDecision]
) -> None:
    decisions = consolidate(facts, Proposing(*answer))

    assert [decision.fact_number for decision in decisions] == [fact.number for fact in facts]
    for fact, decision in zip(facts, decisions, strict=True):
        shown = [one for one, _ in fact.near]
        assert decision.target is None or decision.target in shown
        assert decision.target is not None or decision.action in {"add", "none"}
        assert "Zoe" not in (decision.content or "")
        assert "12" not in (decision.content or "")
