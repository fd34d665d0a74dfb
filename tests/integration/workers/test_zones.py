"""Messages are shown with the day and time of the place where they were said, wherever a reader or a model sees them."""

import json
import re
from datetime import UTC, datetime, timedelta, timezone

from sqlalchemy import Engine, text

from db.keys import LaneRef
from mosshead import Namespace
from mosshead.publishing.imports import check_lines, events_of
from mosshead.publishing.publishers import check_events
from mosshead.store.connection import tenant_transaction
from mosshead.store.entities import known_keys
from tests.fake_openai import FakeOpenAI
from tests.forming import Forming

SEATTLE = timezone(-timedelta(hours=8))
MONDAY = datetime(2026, 3, 2, 20, tzinfo=SEATTLE)
"""In the evening: Tuesday, 04:00 in UTC."""


def test_message_has_the_day_and_hour_of_its_place(forming: Forming, sarah: Namespace) -> None:
    (message_id,) = forming.say("I like the pump of the boat.", conversation="boat", occurred_at=MONDAY.isoformat())

    (hit,) = sarah.messages.search("pump").hits
    assert hit.message.said_at.isoformat() == "2026-03-02T20:00:00-08:00"
    assert sarah.messages.search("pump").text.splitlines()[0] == "In conversation 1, 2 March 2026, 20:00:"
    assert sarah.messages.get(message_id, around=3).messages[0].said_at.isoformat() == MONDAY.isoformat()
    (memory,) = sarah.memories()
    assert memory.said_at.isoformat() == MONDAY.isoformat()
    assert [one.said_at.isoformat() for one in sarah.get(memory.id).sources if one.said_at] == [MONDAY.isoformat()]
    forming.say("Which pump fits the boat?", conversation="shop", occurred_at=MONDAY.isoformat())
    assert "2 March 2026:\nuser: Which pump fits" in sarah.context("What about the pump of the boat?", fill=True).text


def test_pending_message_has_the_day_of_its_place_too(forming: Forming, sarah: Namespace) -> None:
    forming.publishing.send(
        forming.publishing.message("The pump leaks.", conversation="boat", occurred_at=MONDAY.isoformat())
    )
    context = sarah.context("What now?", include_pending=1, fill=True)
    assert context.text.splitlines()[0] == "2 March 2026:"


def test_day_is_that_of_the_event_in_any_session_zone(forming: Forming, sarah: Namespace) -> None:
    zones = [timezone(timedelta(minutes=minutes)) for minutes in (-660, -480, -210, -1, 0, 1, 330, 345, 765, 840)]
    hours = ((0, 0), (12, 30), (23, 59))
    times = [datetime(2026, 3, 2, hour, minute, tzinfo=zone).isoformat() for zone in zones for hour, minute in hours]
    message = forming.publishing.message
    forming.send(
        *(
            message(f"I like tea number {number}.", conversation=f"c{number}", occurred_at=said)
            for number, said in enumerate(times)
        )
    )

    found = sarah.messages.search("tea", limit=len(times))
    assert sorted(one.said_at.isoformat() for one in found.messages) == sorted(times)
    assert all(", 2 March 2026, " in line for line in found.text.splitlines() if line.startswith("In conversation"))
    assert {one.said_at.date() for one in sarah.memories()} == {datetime(2026, 3, 2).date()}  # noqa: DTZ001 - a day


def test_words_of_a_turn_include_its_own_day(forming: Forming, reader_engine: Engine, lane: LaneRef) -> None:
    forming.say("I repaired the pump.", conversation="boat", occurred_at="2026-03-31T20:00:00-08:00")
    with tenant_transaction(reader_engine, lane.tenant_id) as connection:
        (words,) = connection.execute(text("select words from mosshead_read_v1.turns"), {}).scalars()
    assert "'march'" in words
    assert "'31'" in words


def test_occurrence_keeps_its_zone(forming: Forming, sarah: Namespace) -> None:
    forming.say("I met Ada yesterday evening at 8.", occurred_at=MONDAY.isoformat())
    (memory,) = sarah.memories()
    assert memory.occurred is not None
    assert memory.occurred.start.isoformat() == "2026-03-01T20:00:00-08:00"
    assert memory.occurred.day == datetime(2026, 3, 1, tzinfo=SEATTLE).date()
    (hit,) = sarah.query("Ada", limit=1)
    assert hit.occurred == memory.occurred
    assert hit.occurred.end.isoformat() == "2026-03-01T21:00:00-08:00"


def test_memory_and_fact_about_one_day_show_it_alike(fake: FakeOpenAI, forming: Forming, sarah: Namespace) -> None:
    forming.say("My friend Peter cooks soup on Sunday", occurred_at=MONDAY.isoformat())
    forming.say("My friend Peter cooks fish soup on Sunday", occurred_at=MONDAY.isoformat())
    prompts = [one.prompt for one in fake.requests if one.schema == "ConsolidationAnswer"]
    assert prompts
    days = set(re.findall(r"\d{4}-\d\d-\d\d", prompts[-1]))
    assert "2026-03-02" in days
    assert "2026-03-03" not in days


def test_export_holds_the_zone_and_an_import_restores_it(forming: Forming, sarah: Namespace) -> None:
    forming.say("I met Ada yesterday evening at 8.", occurred_at=MONDAY.isoformat())
    forming.say("I live in Leeds.", occurred_at="2026-03-04T12:00:00.25+05:45")
    forming.say("I like coffee.", occurred_at="2026-03-05T12:00:00+00:00")
    records = {one["content"]: one for one in map(json.loads, sarah.export()) if one["type"] == "memory"}
    said = {one["occurred_at"] for one in records.values()}
    assert said == {"2026-03-02T20:00:00-08:00", "2026-03-04T12:00:00.25+05:45", "2026-03-05T12:00:00+00:00"}
    met = next(one for one in records.values() if "Ada" in one["content"])
    assert (met["occurred"]["start"], met["occurred"]["end"]) == (
        "2026-03-01T20:00:00-08:00",
        "2026-03-01T21:00:00-08:00",
    )

    before = list(sarah.export())
    forming.command(type="erase", everything=True)
    events = events_of(check_lines(before, lambda keys: sarah.session.fetch(known_keys, keys)))
    for one in check_events(sarah.path, list(events)):
        body = json.loads(one.body)
        forming.command(**{name: body[name] for name in ("type", "entities", "memories")})
    again = {one["content"]: one for one in map(json.loads, sarah.export()) if one["type"] == "memory"}
    assert {name: (one["occurred_at"], one.get("occurred")) for name, one in again.items()} == {
        name: (one["occurred_at"], one.get("occurred")) for name, one in records.items()
    }


def test_undo_restores_the_zone(forming: Forming, sarah: Namespace) -> None:
    forming.say("I live in Seattle.", occurred_at=MONDAY.isoformat())
    before = list(sarah.export())
    forming.say("I moved to Berlin yesterday.", occurred_at="2026-04-02T01:00:00+02:00")
    after = list(sarah.export())
    (berlin,) = [one for one in sarah.memories() if "Berlin" in one.content]
    (move,) = sarah.decisions.for_memory(berlin.id)

    undone = forming.command(type="undo", decision_id=str(move.id))
    assert list(sarah.export()) == before
    forming.command(type="undo", decision_id=str(undone))
    assert list(sarah.export()) == after


def test_row_from_before_zones_were_stored_is_shown_in_utc(
    forming: Forming, sarah: Namespace, admin_engine: Engine, lane: LaneRef
) -> None:
    forming.say("I like tea.", conversation="c", occurred_at=MONDAY.isoformat())
    with admin_engine.begin() as connection:
        for table, column in (("messages", "occurred_at_offset"), ("memories", "valid_from_offset")):
            connection.execute(
                text(f"update mosshead.{table} set {column} = null where tenant_id = :tenant_id"),
                {"tenant_id": lane.tenant_id},
            )
    (memory,) = sarah.memories()
    (message,) = sarah.messages.search("tea").messages
    assert {memory.said_at.isoformat(), message.said_at.isoformat()} == {MONDAY.astimezone(UTC).isoformat()}
    assert json.loads(list(sarah.export())[-1])["occurred_at"] == "2026-03-03T04:00:00+00:00"
