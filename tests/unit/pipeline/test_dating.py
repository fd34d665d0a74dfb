"""When a fact happened: the reading of the words by code against the model's. Messages are of Wednesday 10 May 2023, Berlin."""

from datetime import UTC, datetime
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mosshead.models.kinds import Granularity, MemoryKind, Role
from mosshead.models.occurrence import FactOccurrence
from pipeline.extraction.dates import Dated, date_fact
from pipeline.models import Message

BERLIN = ZoneInfo("Europe/Berlin")
SAID_AT = datetime(2023, 5, 10, 14, 30, tzinfo=BERLIN)
FRIDAY, NEXT_FRIDAY, TODAY = ("2023-05-12", "2023-05-13"), ("2023-05-19", "2023-05-20"), ("2023-05-10", "2023-05-11")


def said(text: str, number: int = 1, role: Role = Role.USER, at: datetime = SAID_AT) -> Message:
    return Message(number, UUID(int=number), None, role, None, text, at)


def local(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN)


def span(start: str, end: str, granularity: str = "day") -> FactOccurrence:
    return FactOccurrence(start=local(start), end=local(end), granularity=Granularity(granularity))


def dated(
    text: str,
    model: FactOccurrence | None = None,
    *,
    content: str = "User and Ana",
    quote: str | None = None,
    kind: MemoryKind = MemoryKind.EVENT,
) -> Dated:
    message = said(text)
    return date_fact(
        kind,
        content,
        quote=text if quote is None else quote,
        quoted=None if quote == "" else message,
        sources=[message],
        proposed=model,
    )


def of(dated: Dated) -> tuple[str | None, tuple[str, str] | None]:
    if dated.occurred is None:
        return dated.by, None
    return dated.by, (dated.occurred.start.date().isoformat(), dated.occurred.end.date().isoformat())


@pytest.mark.parametrize("model", [None, NEXT_FRIDAY, ("2023-05-05", "2023-05-06")])
def test_code_overrules_a_model_that_is_silent_or_miscounts(model: tuple[str, str] | None) -> None:
    found = dated("I will meet Ana on Friday.", span(*model) if model else None)
    assert of(found) == ("rules", FRIDAY)


def test_agreement_of_both_is_recorded() -> None:
    assert of(dated("I will meet Ana on Friday.", span(*FRIDAY))) == ("both", FRIDAY)


def test_end_at_a_minute_to_midnight_is_the_same_day() -> None:
    found = dated("I will meet Ana on Friday.", span("2023-05-12T00:00", "2023-05-12T23:59"))
    assert of(found) == ("both", FRIDAY)


def test_right_day_in_the_wrong_zone_is_wrong() -> None:
    utc = FactOccurrence(
        start=datetime(2023, 5, 12, tzinfo=UTC), end=datetime(2023, 5, 13, tzinfo=UTC), granularity=Granularity.DAY
    )
    found = dated("I will meet Ana on Friday.", utc)
    assert of(found) == ("rules", FRIDAY)
    assert found.occurred is not None
    assert found.occurred.start.tzinfo is BERLIN


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("I met Ana on Friday.", "2023-05-05"),
        ("I'm meeting Ana on Friday.", "2023-05-12"),
        ("My flight leaves on Friday.", "2023-05-12"),
        ("I booked a table for Friday.", "2023-05-12"),
        ("The call was moved to Friday.", "2023-05-12"),
        ("The call was on Friday.", "2023-05-05"),
        ("We've talked on Friday.", "2023-05-05"),
        ("I can't come on Friday.", "2023-05-12"),
        ("On Friday I'm getting married.", "2023-05-12"),
        ("I am happy that we met on Friday.", "2023-05-05"),
        ("I moved here in March and will go to Rome on Friday.", "2023-05-12"),
    ],
)
def test_tense_of_the_surrounding_words_decides_which_friday(text: str, start: str) -> None:
    found = dated(text, quote="will go to Rome on Friday" if "will" in text else None)
    assert found.by == "rules"
    assert found.occurred is not None
    assert found.occurred.start == local(start)


@pytest.mark.parametrize("model", [FRIDAY, ("2023-05-05", "2023-05-06")])
def test_model_may_choose_the_direction_where_no_verb_shows_it(model: tuple[str, str]) -> None:
    assert of(dated("Lunch with Ana on Friday", span(*model))) == ("both", model)


def test_message_of_another_day_is_read_against_its_own_day() -> None:
    earlier = said("I met Ana yesterday.", at=datetime(2023, 1, 2, 9, 0, tzinfo=ZoneInfo("Asia/Kolkata")))
    found = date_fact(
        MemoryKind.EVENT,
        "User met Ana",
        quote="I met Ana",
        quoted=earlier,
        sources=[earlier, said("ok", 2)],
        proposed=None,
    )
    assert of(found) == ("rules", ("2023-01-01", "2023-01-02"))
    assert found.occurred is not None
    assert found.occurred.start.utcoffset() == earlier.occurred_at.utcoffset()


@pytest.mark.parametrize(
    ("kind", "content", "by"),
    [
        (MemoryKind.EVENT, "User is in Oslo", "rules"),
        (MemoryKind.FACT, "User will be in Oslo", "rules"),
        (MemoryKind.FACT, "User is in Oslo", None),
        (MemoryKind.PREFERENCE, "User will like Oslo", None),
    ],
)
def test_only_an_event_gets_a_time_where_the_model_gives_none(kind: MemoryKind, content: str, by: str | None) -> None:
    assert dated("I am in Oslo tomorrow.", kind=kind, content=content).by == by


def test_finer_time_of_the_model_is_kept_where_the_text_has_one() -> None:
    ten = span("2023-05-16T10:00", "2023-05-16T11:00", "hour")
    assert dated("The exam is next week, at 10am the second day.", ten) == Dated(ten, "model")
    assert dated("The exam is next week.", ten).by == "rules"
    later = span("2023-05-23T10:00", "2023-05-23T11:00", "hour")
    assert dated("The exam is next week, at 10am the second day.", later).by == "rules"
    coarse = span("2023-05-16", "2023-07-01", "month")
    assert dated("The exam is next week, at 10am the second day.", coarse).by == "rules"


def test_night_ends_on_the_next_day_and_still_belongs_to_its_day() -> None:
    night = span("2023-05-12T18:00", "2023-05-13T06:00", "part_of_day")
    assert dated("I take her night shift on Friday.", night, content="User takes her night shift") == Dated(
        night, "model"
    )


def test_times_of_another_clause_do_not_overrule_the_model() -> None:
    monday = span("2023-05-15", "2023-05-16")
    text = "I'm flying to Rome soon and my sister visited last week."
    assert dated(text, monday, quote="I'm flying to Rome") == Dated(monday, "model")
    assert dated(text, quote="I'm flying to Rome") == Dated()
    since = "I'm in Rome for the third time since we moved in 2019."
    assert dated(since, quote="I'm in Rome for the third time") == Dated()


def test_only_time_of_the_clause_around_a_quote_belongs_to_the_quote() -> None:
    assert of(dated("On Friday I will be in Rome.", quote="I will be in Rome")) == ("rules", FRIDAY)
    assert dated("On Friday I will be in Rome, on Sunday in Oslo.", quote="I will be in Rome") == Dated()


def test_time_relative_to_another_is_left_to_the_model() -> None:
    thursday = span("2023-05-11", "2023-05-12")
    assert dated("On Sunday we rest, the day after we drive to Ghent.", thursday).by == "model"
    assert dated("The call is on Friday, we drive to Ghent two days later.") == Dated()


@pytest.mark.parametrize(
    ("content", "model", "expected"),
    [
        ("User meets Ana", ("2023-05-12", "2023-05-13"), ("both", FRIDAY)),
        ("User meets Ana", ("2023-05-05", "2023-05-06"), ("both", ("2023-05-05", "2023-05-06"))),
        ("User met Ana", ("2023-05-12", "2023-05-13"), ("rules", ("2023-05-05", "2023-05-06"))),
    ],
)
def test_model_may_choose_the_direction_where_message_and_fact_differ_in_tense(
    content: str, model: tuple[str, str], expected: tuple[str, tuple[str, str]]
) -> None:
    assert of(dated("Actually, I meant Friday.", span(*model), content=content)) == expected


def test_of_several_times_the_one_nearest_to_the_facts_words_counts() -> None:
    text = "I sold the boat in March and I bought the car in April"
    assert of(dated(text, content="User bought the car")) == ("rules", ("2023-04-01", "2023-05-01"))
    assert of(dated(text, content="User sold the boat")) == ("rules", ("2023-03-01", "2023-04-01"))
    eves = "I worked on Christmas Eve, New Year's Eve"
    assert of(dated(eves, content="User worked on New Year's Eve")) == ("rules", ("2022-12-31", "2023-01-01"))
    roof = "We had the roof done a few years ago, in the summer of 2019"
    assert of(dated(roof, content="User had the roof done")) == ("rules", ("2019-06-01", "2019-09-01"))


@pytest.mark.parametrize("text", ["We meet every Friday.", "We meet on Fridays."])
def test_recurring_event_has_no_single_time(text: str) -> None:
    assert dated(text, span(*FRIDAY), content=text) == Dated()
    assert dated(text, content=text) == Dated()


def test_since_refers_to_the_past_in_any_tense() -> None:
    may = span("2023-05-01", "2023-06-01", "month")
    march = span("2023-03-01", "2023-04-01", "month")
    assert dated("I live in Oslo since March.", may, kind=MemoryKind.FACT) == Dated(march, "rules")


@pytest.mark.parametrize(
    ("text", "model", "by"),
    [
        ("My sister likes the tea.", FRIDAY, None),
        ("My sister likes the tea.", TODAY, "model"),
        ("My sister likes the tea soon.", FRIDAY, "model"),
        ("My sister likes the tea in room 5.", FRIDAY, "model"),
        ("Ieri ho comprato una casa.", ("2023-05-09", "2023-05-10"), "model"),
    ],
)
def test_time_without_any_words_for_it_is_dropped(text: str, model: tuple[str, str], by: str | None) -> None:
    assert dated(text, span(*model)).by == by


def test_code_can_only_agree_without_a_quote() -> None:
    assert dated("I will meet Ana on Friday.", span(*FRIDAY), quote="").by == "both"
    assert dated("I will meet Ana on Friday.", span(*NEXT_FRIDAY), quote="").by == "model"
    assert dated("I will meet Ana on Friday.", quote="") == Dated()


def test_assistants_time_confirmed_by_the_user_is_agreed_with() -> None:
    asked, yes = said("Your flight leaves on Friday, right?", 1, Role.ASSISTANT), said("Yes, that's right.", 2)
    found = date_fact(
        MemoryKind.EVENT,
        "User flies",
        quote="Yes, that's right",
        quoted=yes,
        sources=[asked, yes],
        proposed=span(*FRIDAY),
    )
    assert of(found) == ("both", FRIDAY)


WORDS = "I We will met go on Friday last next week since every 3 May and ; . at 5pm ayer 2021 yesterday soon".split()


@settings(deadline=None)
@given(
    words=st.lists(st.sampled_from(WORDS), max_size=12),
    cut=st.tuples(st.integers(0, 12), st.integers(0, 12)),
    kind=st.sampled_from(MemoryKind),
    model=st.none() | st.integers(-400, 400),
)
def test_every_time_has_evidence_and_is_never_empty(
    words: list[str], cut: tuple[int, int], kind: MemoryKind, model: int | None
) -> None:
    text, quote = " ".join(words), " ".join(words[min(cut) : max(cut)])
    proposed = (
        FactOccurrence(
            start=datetime.fromtimestamp(SAID_AT.timestamp() + 86_400 * model, UTC),
            end=datetime.fromtimestamp(SAID_AT.timestamp() + 86_400 * (model + 1), UTC),
            granularity=Granularity.DAY,
        )
        if model is not None
        else None
    )
    found = dated(text, proposed, quote=quote, kind=kind)
    assert (found.occurred is None) == (found.by is None)
    assert found.occurred is None or found.occurred.start < found.occurred.end
    assert found.by != "model" or found.occurred == proposed
    assert found.by != "both" or proposed is not None
