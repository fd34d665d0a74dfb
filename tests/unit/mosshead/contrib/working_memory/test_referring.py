"""What references mean, by type and recency."""

from datetime import UTC, datetime, timedelta

import pytest

from mosshead.contrib.working_memory.references import by_label, references_in
from mosshead.contrib.working_memory.state import Added, Rules, State, ToolResult, add, add_result

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
RULES = Rules(capacity=20, ttl=timedelta(minutes=5), policy="fifo")
NOUNS = {"ticket": "issue", "mail": "email_thread"}


def session(*changes: Added | list[Added]) -> State:
    """Return a session with items added a second apart; a list is a tool's result."""
    state = State()
    for second, change in enumerate(changes):
        now = START + timedelta(seconds=second)
        if isinstance(change, list):
            result = ToolResult(tool="search", reference="1", label="found", at=now)
            state = add_result(state, result, change, RULES)
        else:
            state = add(state, change, now, RULES)
    return state


def one(kind: str, key: str, label: str = "A label") -> Added:
    return Added(type=kind, id=key, label=label)


def listed(*keys: str, kind: str = "page") -> list[Added]:
    return [one(kind, key) for key in keys]


def told(text: str, state: State) -> list[tuple[str, str | None]]:
    found = references_in(text, state, NOUNS)
    return [(text[one.place.start : one.place.end], meant.id if meant else None) for one, meant in found]


WIKI = session(
    one("page", "41", "Old plan"),
    one("person", "7", "Ada"),
    one("page", "42", "Roadmap"),
    one("email_thread", "e9", "Re: Budget"),
    one("issue", "WEB-3", "Login fails"),
)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Update that page's title", "42"),
        ("show THIS PAGE", "42"),
        ("Rename the page", "42"),
        ("close the current page, please", "42"),
        ("that same page", "42"),
        ("the most recent page", "42"),
        ("the latest page", "42"),
        ("and the previous page?", "41"),
        ("and the other page?", "41"),
        ("the page before", "41"),
        ("page 41", "41"),
        ("the page no. 41", "41"),
        ("page #41", "41"),
        ("answer this email thread", "e9"),
        ("answer this email_thread", "e9"),
        ("answer that thread", "e9"),
        ("archive the mail", "e9"),
        ("close it", "WEB-3"),
        ("close that.", "WEB-3"),
        ("close this", "WEB-3"),
        ("close that now", "WEB-3"),
        ("send this to Peter", "WEB-3"),
        ("this one", "WEB-3"),
        ("what's its status", "WEB-3"),
        ("assign the ticket", "WEB-3"),
        ("issue web-3", "WEB-3"),
        ("ask her", "7"),
        ("what did he say", "7"),
        ("invite this person", "7"),
    ],
)
def test_references_are_resolved(text: str, meant: str) -> None:
    assert [found for _, found in told(text, WIKI)] == [meant]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Show me all pages",
        "a new page",
        "the page about tea",
        "the page called Roadmap",
        "I think that we are done",
        "this morning",
        "the other day",
        "the first time",
        "pageant itself thistle",
        "it is late",
        "It's raining again",
    ],
)
def test_other_words_refer_to_nothing(text: str) -> None:
    assert told(text, WIKI) == []


@pytest.mark.parametrize(
    "text", ["page 99", "the third page", "the previous ticket", "the other one", "the previous person"]
)
def test_references_to_absent_items_resolve_to_nothing(text: str) -> None:
    assert [found for _, found in told(text, WIKI)] == [None]


@pytest.mark.parametrize("text", ["it", "she", "the previous one", "the second one", "the last one", "this"])
def test_references_mean_nothing_in_an_empty_session(text: str) -> None:
    assert [found for _, found in told(text, State())] == [None]


def test_several_references_in_one_message_are_resolved() -> None:
    message = "Move page 41 below this page, tell him, and close it."
    assert told(message, WIKI) == [("page 41", "41"), ("this page", "42"), ("him", "7"), ("it", "WEB-3")]


SEARCHED = session(one("page", "1"), listed("5", "3", "8"), one("issue", "i1"))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("the first one", "5"),
        ("open the second page", "3"),
        ("the 3rd result", "8"),
        ("the last page", "8"),
        ("this page", "5"),
        ("the previous page", "3"),
        ("the 4th page", None),
    ],
)
def test_positions_are_those_in_the_latest_list(text: str, meant: str | None) -> None:
    assert [found for _, found in told(text, SEARCHED)] == [meant]


def test_last_of_a_list_is_it_only_while_the_list_is_the_latest() -> None:
    moved_on = session(listed("5", "3", "8"), one("page", "9"))
    assert told("the last page", moved_on) == [("the last page", "9")]
    assert told("the second page", moved_on) == [("the second page", "3")]


def test_latest_list_that_is_long_enough_counts() -> None:
    state = session(listed("5", "3", "8"), listed("1", kind="person"), listed("2"))
    assert told("the second page", state) == [("the second page", "3")]


def test_the_one_before_is_of_the_same_type() -> None:
    assert told("the previous one", session(one("page", "1"), one("issue", "2"), one("page", "3"))) == [
        ("the previous one", "1")
    ]


def test_label_is_a_name() -> None:
    state = session(one("page", "1", "Road  Map"), one("page", "2", "road map"), one("page", "3", "Roads"))
    found = by_label(" ROAD map", state)
    assert found is not None
    assert found.id == "2"
    assert by_label("map", state) is None


def test_word_of_two_types_means_both() -> None:
    state = session(one("email_thread", "e"), one("forum_thread", "f"))
    assert told("this thread, this email thread", state) == [("this thread", "f"), ("this email thread", "e")]
