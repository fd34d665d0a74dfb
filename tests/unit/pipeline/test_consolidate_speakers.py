"""One speaker's statements against another's, and echoes of the prompt."""

import pytest

from pipeline.models import NewFact
from tests.unit.pipeline.consolidating import EARLIER, PETER, about, known, lives, new, only

BOSTON = known("User lives in Boston", **lives("Boston"))
TOM_BY_ANN = known("Tom lives in Boston", subjects=PETER, said_by="Ann", **lives("Boston"))

SPEAKERS: list[tuple[str, NewFact, str]] = [
    (
        "another speaker contradicts",
        new("Tom lives in Rome", (TOM_BY_ANN, 0.9), said_by="Bob", subjects=PETER, **lives("Rome")),
        "contradict",
    ),
    (
        "whenever it was said",
        new("Tom lives in Rome", (TOM_BY_ANN, 0.9), said_by="Bob", said_at=EARLIER, subjects=PETER, **lives("Rome")),
        "contradict",
    ),
    (
        "a guess does not",
        new("Tom lives in Rome", (TOM_BY_ANN, 0.9), said_by="Bob", stated=False, subjects=PETER, **lives("Rome")),
        "add",
    ),
    (
        "the same speaker supersedes",
        new("Tom lives in Rome", (TOM_BY_ANN, 0.9), said_by="ann", subjects=PETER, **lives("Rome")),
        "supersede",
    ),
    ("an unknown one too", new("Tom lives in Rome", (TOM_BY_ANN, 0.9), subjects=PETER, **lives("Rome")), "supersede"),
    (
        "what an unknown one said as well",
        new("User lives in Rome", (BOSTON, 0.9), said_by="Ann", **lives("Rome")),
        "supersede",
    ),
    (
        "another who puts it right",
        new("Tom lives in Rome", (TOM_BY_ANN, 0.9), said_by="Bob", corrects=True, subjects=PETER, **lives("Rome")),
        "supersede",
    ),
    (
        "another who reports a change",
        new("Tom moved to Rome", (TOM_BY_ANN, 0.9), said_by="Bob", subjects=PETER, **lives("Rome")),
        "supersede",
    ),
    (
        "in the words of the quote",
        new(
            "Tom lives in Rome",
            (TOM_BY_ANN, 0.9),
            said_by="Bob",
            quote="he's in Rome now",
            subjects=PETER,
            **lives("Rome"),
        ),
        "supersede",
    ),
    (
        "whom it is about",
        new(
            "Tom lives in Rome",
            (TOM_BY_ANN, 0.9),
            said_by="Tom",
            mentions=about("Tom"),
            subjects=PETER,
            **lives("Rome"),
        ),
        "supersede",
    ),
    (
        "not one of two",
        new(
            "Tom and Bob live in Rome",
            (TOM_BY_ANN, 0.9),
            said_by="Bob",
            mentions=about("Tom", "Bob"),
            subjects=PETER,
            **lives("Rome"),
        ),
        "contradict",
    ),
    (
        "another who says the same",
        new("Tom lives in Boston", (TOM_BY_ANN, 0.9), said_by="Bob", subjects=PETER, **lives("Boston")),
        "none",
    ),
    (
        "another who denies it",
        new("Tom does not live in Boston", (TOM_BY_ANN, 0.9), said_by="Bob", subjects=PETER),
        "contradict",
    ),
    (
        "another who says it is no longer so",
        new("Tom no longer lives in Boston", (TOM_BY_ANN, 0.9), said_by="Bob", subjects=PETER),
        "supersede",
    ),
]


@pytest.mark.parametrize(("fact", "action"), [row[1:] for row in SPEAKERS], ids=[row[0] for row in SPEAKERS])
def test_rules_by_speaker_decide_as_in_the_table(fact: NewFact, action: str) -> None:
    decision = only(fact)

    assert decision.action == action
    assert decision.target == (None if action == "add" else fact.near[0][0])


INJECTED = known("User lives in Boston", injected=True, **lives("Boston"))

ECHOES: list[tuple[str, NewFact, str, bool]] = [
    ("the same words", new("User lives in Boston", (INJECTED, 1.0)), "none", False),
    ("nearly the same", new("User really lives in Boston", (INJECTED, 0.9)), "none", False),
    ("the same value", new("User is from Boston", (INJECTED, 0.7), **lives("Boston")), "none", False),
    ("another value is news", new("User lives in Rome", (INJECTED, 0.9), **lives("Rome")), "supersede", True),
    ("so is a denial", new("User does not live in Boston", (INJECTED, 0.9)), "supersede", True),
    ("so is more of it", new("User lives in Boston with Tom", (INJECTED, 0.9), **lives("Boston")), "update", True),
    (
        "a twin lends it no weight",
        new("User lives in Boston", (known("User lives in Boston", 2), 1.0), (INJECTED, 0.9)),
        "none",
        False,
    ),
    (
        "nor one of the same value",
        new(
            "User is from Boston",
            (known("User lives in Boston", 2, **lives("Boston")), 0.8),
            (INJECTED, 0.7),
            **lives("Boston"),
        ),
        "none",
        False,
    ),
    ("what was not in the prompt is said again", new("User lives in Boston", (BOSTON, 1.0)), "none", True),
]


@pytest.mark.parametrize(("fact", "action", "reinforces"), [r[1:] for r in ECHOES], ids=[r[0] for r in ECHOES])
def test_echo_is_no_evidence(fact: NewFact, action: str, reinforces: bool) -> None:
    decision = only(fact)

    assert (decision.action, decision.reinforces) == (action, reinforces)
    assert (decision.reason == "an echo of what was in the prompt") is not reinforces
