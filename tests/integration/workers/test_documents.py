"""Documents: formed from messages, edited by hand, and never overwritten with older content."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, SecretStr, create_model
from pydantic.alias_generators import to_camel
from sqlalchemy import Engine, text

from db import decisions, documents
from db.keys import LaneRef, VersionConflict
from mosshead import DocumentConflict, InvalidEvent, Memory, Namespace, SchemaMismatch, UndoRefused
from mosshead.models.documents import as_read, changes_to
from mosshead.store.connection import tenant_transaction
from tests.fake_openai import FakeOpenAI, Fault
from tests.fake_responses import Request
from tests.forming import Forming, carry_through
from tests.given import NOON, Worker, claimed
from tests.unit.mosshead.contrib.managers.scripted import field_set
from workers.tasks import StageFailed

DAY = timedelta(days=1)


class Address(BaseModel):
    """Where the user lives."""

    city: str | None = None
    country: str | None = None


class UserProfile(BaseModel):
    """What is known of the user."""

    name: str | None = None
    job: str | None = None
    languages: list[str] = []
    address: Address = Address()
    birthday: str | None = Field(None, json_schema_extra={"format": "date"})
    age: int | None = Field(None, ge=0)


@pytest.fixture
def profile(fake: FakeOpenAI, forming: Forming, sarah: Namespace) -> "Kept":
    """Return a namespace configured with a `UserProfile`."""
    schema = {"name": "UserProfile", "json_schema": UserProfile.model_json_schema()}
    forming.command(type="configure", profiles=[schema])
    return Kept(fake, forming, sarah)


class Kept:
    """The document of one namespace, as its app and its users change it."""

    def __init__(self, fake: FakeOpenAI, forming: Forming, namespace: Namespace) -> None:
        self.fake = fake
        self.forming = forming
        self.namespace = namespace

    def form(self, said: str, *fields: Any, at: Any = NOON, **given: Any) -> None:
        """Publish a message from which the model fills some fields."""
        self.fake.script("DocumentAnswer", {"fields": list(fields)})
        self.forming.say(said, occurred_at=at.isoformat(), **given)

    def edit(self, patch: dict[str, Any], *, at: Any = NOON, version: int | None = None) -> Any:
        """Apply an edit by hand and return its decision."""
        more = {} if version is None else {"document_version": version}
        edit = {"type": "edit_document", "document": "UserProfile", "patch": patch, "occurred_at": at.isoformat()}
        event_id = self.forming.command(**edit, **more)
        (decision,) = [one for one in self.decisions if one.id == event_id]
        return decision

    @property
    def document(self) -> Any:
        return self.namespace.documents.get(UserProfile)

    @property
    def value(self) -> Any:
        return self.document and self.document.value

    @property
    def decisions(self) -> Any:
        return self.namespace.documents.decisions(UserProfile)


def test_document_is_formed_from_messages_and_read_back_typed(profile: Kept) -> None:
    assert profile.namespace.documents.get(UserProfile) is None
    profile.form("I am Ann and I live in Porto.", field_set("name", "Ann"), field_set("address", {"city": "Porto"}))
    first = profile.document
    assert first.value == UserProfile(name="Ann", address=Address(city="Porto"))
    assert (first.version, first.by_hand) == (1, ())

    profile.form("Porto in Portugal, that is.", field_set("address", {"country": "Portugal"}))
    assert profile.value == UserProfile(name="Ann", address=Address(city="Porto", country="Portugal"))
    assert [one.version for one in profile.namespace.documents.versions(UserProfile)] == [2, 1]
    latest, earlier = profile.decisions
    assert (latest.action, latest.target_version, latest.id) == ("document", 1, profile.document.made_by)
    assert latest.fact["patch"] == {"address": {"country": "Portugal"}}
    assert len(latest.fact["messages"]) == 1
    assert (earlier.decided_by, earlier.prompt_version) == ("gpt-4o-mini", 1)
    asked = [request.prompt for request in profile.fake.requests if request.schema == "DocumentAnswer"]
    assert ["BEGIN CURRENT" in prompt for prompt in asked] == [False, True]


def test_unconfigured_document_is_edited_by_hand_and_may_hold_anything(forming: Forming, sarah: Namespace) -> None:
    edit = {"type": "edit_document", "patch": {"soup": "leek", "prices": [4, 5]}}
    forming.command(**edit, document="menu")
    (kept,) = sarah.documents.list()
    assert (kept.name, kept.body, kept.by_hand) == ("menu", edit["patch"], ("/prices", "/soup"))
    (edited,) = sarah.documents.decisions("menu")
    assert (edited.refused, edited.in_effect) == (None, True)


# What was edited by hand --------------------------------------------------------------------------------------------------


def test_edit_is_not_overwritten_by_earlier_messages(profile: Kept) -> None:
    profile.form("I am Anna.", field_set("name", "Anna"), at=NOON)
    profile.edit({"name": "Ann", "address": {"city": "Porto"}}, at=NOON + DAY, version=1)
    assert profile.document.by_hand == ("/address/city", "/name")

    profile.form(
        "I am Anna, an actor from Leeds in Britain.",
        field_set("name", "Anna"),
        field_set("job", "actor"),
        field_set("address", {"city": "Leeds", "country": "Britain"}),
        at=NOON + DAY / 2,
    )
    assert profile.value == UserProfile(name="Ann", job="actor", address=Address(city="Porto", country="Britain"))
    assert profile.decisions[0].refused == "name: was edited by hand since (2)"


def test_edit_during_the_models_answer_is_not_overwritten(profile: Kept, worker_engine: Engine, lane: LaneRef) -> None:
    """What the app wrote between the read and the write stays, and the model is asked again with it."""
    profile.form("I am Anna.", field_set("name", "Anna"))

    def meanwhile(request: Request) -> dict[str, Any]:
        with tenant_transaction(worker_engine, lane.tenant_id) as connection:
            (stamp,) = decisions.stamps(connection, 1)
            mark = {"at": (NOON + 9 * DAY).isoformat(), "hand": True, "by": str(stamp.decision_id)}
            body, fields = {"name": "Ann", "job": "judge"}, {"/name": mark, "/job": mark}
            documents.write(connection, lane, "UserProfile", read=1, body=body, fields=fields, stamp=stamp)
        return {"fields": [field_set("job", "actor"), field_set("languages", ["Greek"])]}

    again = {"fields": [field_set("job", "actor"), field_set("languages", ["Greek"])]}
    profile.fake.script("DocumentAnswer", meanwhile, again)
    said = profile.forming.publishing.message("I am an actor and speak Greek.", occurred_at=(NOON + DAY).isoformat())
    profile.forming.publishing.send(said)
    batch = claimed(worker_engine, lane)
    with pytest.raises(StageFailed, match="reflect: VersionConflict: document UserProfile is no longer at version 1"):
        carry_through(batch)
    carry_through(batch)

    assert profile.value == UserProfile(name="Ann", job="judge", languages=["Greek"])
    asked = [request.prompt for request in profile.fake.requests if request.schema == "DocumentAnswer"]
    assert ["judge" in prompt for prompt in asked] == [False, False, True]
    assert [one.version for one in profile.namespace.documents.versions(UserProfile)] == [3, 2, 1]


def test_impossible_edit_is_refused_with_the_reason(profile: Kept) -> None:
    profile.edit({"name": "Anna"})
    for patch, version, why in (
        ({"name": "Ann"}, 3, "version 3 was expected, but it is at 1"),
        ({"name": "Ann"}, 0, "version 0 was expected, but it is at 1"),
        ({"birthday": "soon"}, 1, "does not fit the schema UserProfile"),
        ({"address": {"street": "x"}}, None, "does not fit the schema UserProfile"),
    ):
        decision = profile.edit(patch, version=version)
        assert (decision.refused, decision.in_effect, decision.decided_by) == (why, False, "app")
    assert (profile.value, profile.document.version) == (UserProfile(name="Anna"), 1)


class Day(BaseModel):
    """A day of the user."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    alarm: time | None = None
    seen_at: datetime | None = None
    nap: timedelta | None = None
    since: date | None = None
    coffees: int | None = None
    pin: SecretStr | None = None
    rooms: dict[str, int] = {}


def test_edits_accepted_by_the_library_are_accepted_by_the_service(forming: Forming, sarah: Namespace) -> None:
    forming.command(type="configure", profiles=[{"name": "Day", "json_schema": Day.model_json_schema()}])
    whole = Day(alarm=time(6, 30), seen_at=datetime(2026, 5, 3, 15), nap=timedelta(minutes=-3))  # noqa: DTZ001 - as apps have it
    form = {"coffees": "2", "since": "2026-05-03T00:00:00", "pin": "1234", "rooms": {"attic": "1"}, "nap": None}
    for patch in (changes_to({}, whole), as_read(Day, {}, form)):
        forming.command(type="edit_document", document="Day", patch=patch)

    assert [one.refused for one in sarah.documents.decisions(Day)] == [None, None]
    stored = sarah.documents.get(Day)
    assert stored is not None
    assert stored.value == Day(
        alarm=time(6, 30),
        seen_at=whole.seen_at,
        coffees=2,
        since=date(2026, 5, 3),
        pin=SecretStr("1234"),
        rooms={"attic": 1},
    )
    with pytest.raises(InvalidEvent, match=r"what it makes does not fit Day \(seen_at: extra_forbidden\)"):
        sarah.documents.edit(Day, {"seen_at": "2026-05-03T15:00:00"})


def test_unconfigured_document_holds_its_edits_and_no_model_forms_it(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace
) -> None:
    forming.command(type="edit_document", document="UserProfile", patch={"job": "vet"})
    forming.say("I am Ann.")
    document = sarah.documents.get(UserProfile)
    assert document is not None
    assert (document.value, document.version) == (UserProfile(job="vet"), 1)
    assert "DocumentAnswer" not in fake.calls


# Two at once --------------------------------------------------------------------------------------------------------------


def test_first_of_two_edits_of_one_version_wins_and_the_second_is_refused(profile: Kept) -> None:
    profile.edit({"name": "Anna"})
    first = profile.edit({"name": "Ann"}, version=1)
    second = profile.edit({"name": "Annie"}, version=1)
    assert (first.refused, second.refused) == (None, "version 1 was expected, but it is at 2")
    assert profile.value.name == "Ann"


def test_one_of_many_concurrent_writers_wins_each_version(worker_engine: Engine, lane: LaneRef, worker: Worker) -> None:
    def write(name: str, read: int) -> str | None:
        try:
            with tenant_transaction(worker_engine, lane.tenant_id) as connection:
                (stamp,) = decisions.stamps(connection, 1)
                documents.write(connection, lane, "Note", read=read, body={"by": name}, fields={}, stamp=stamp)
        except VersionConflict:
            return None
        return name

    for read in range(4):
        with ThreadPoolExecutor(6) as threads:
            won = [name for name in threads.map(partial(write, read=read), "abcdef") if name is not None]
        with worker.transaction() as connection:
            now = documents.current(connection, lane, "Note")
        assert now is not None
        assert (won, now.version) == ([now.body["by"]], read + 1)


def test_library_reports_the_current_version_at_once(profile: Kept) -> None:
    profile.edit({"name": "Anna"})
    with pytest.raises(DocumentConflict, match="UserProfile is at version 1, and the edit is for version 7"):
        profile.namespace.documents.edit(UserProfile, {"name": "Ann"}, version=7)
    with pytest.raises(DocumentConflict, match="UserProfile is at version 1, and the edit is for version 0"):
        profile.namespace.documents.edit("UserProfile", {"name": "Ann"}, version=0)
    with pytest.raises(
        InvalidEvent, match=r"patch: what it makes does not fit UserProfile \(age: greater_than_equal\)"
    ):
        profile.namespace.documents.edit(UserProfile, {"age": -1})
    with pytest.raises(InvalidEvent, match="patch: changes nothing"):
        profile.namespace.documents.edit(UserProfile, {})
    with pytest.raises(InvalidEvent, match="document: "):
        profile.namespace.documents.edit("no name", {"name": "Ann"})


# The model misbehaves -----------------------------------------------------------------------------------------------------


def test_invalid_answer_leaves_the_document_and_the_lane_goes_on(profile: Kept) -> None:
    profile.edit({"name": "Anna"}, at=NOON - DAY)
    profile.fake.script(
        "DocumentAnswer",
        *[Fault("invalid_json")] * 2,
        {"fields": []},
        {"fields": [field_set("name", "Berta"), {"name": "age"}]},
    )
    with pytest.raises(StageFailed, match="reflect: AnswerUnusable: the answer is not JSON"):
        profile.forming.say("I am Ann.")
    profile.forming.say("I am Annie.")
    assert profile.document.version == 1
    refused = "the change is not in the shape that was asked for (1); value: names what nobody said (1)"
    assert (profile.decisions[0].refused, profile.decisions[0].in_effect) == (refused, False)


# The app's next release ---------------------------------------------------------------------------------------------------


def test_document_survives_a_change_of_its_fields(profile: Kept) -> None:
    profile.form("I am Ann, 30, an actor.", field_set("name", "Ann"), field_set("age", 30), field_set("job", "actor"))
    newer = create_model("UserProfile", name=(str | None, None), age=(str | None, None), pet=(str | None, None))
    shape = {"name": "UserProfile", "json_schema": newer.model_json_schema()}
    profile.forming.command(type="configure", profiles=[shape])
    with pytest.raises(SchemaMismatch, match="age: string_type; job: extra_forbidden"):
        profile.namespace.documents.get(newer)

    profile.form("My dog is called Rex.", field_set("pet", "Rex"))
    found = profile.namespace.documents.get(newer)
    assert found is not None
    assert found.value == newer(name="Ann", pet="Rex")
    assert profile.decisions[0].fact["patch"] == {"age": None, "job": None, "pet": "Rex"}

    profile.forming.command(type="undo", decision_id=str(profile.decisions[0].id))
    assert profile.value == UserProfile(name="Ann", age=30, job="actor")


# Back, and away -----------------------------------------------------------------------------------------------------------


def test_change_of_a_document_and_its_undo_can_be_undone(profile: Kept) -> None:
    profile.edit({"name": "Anna"})
    edit = profile.edit({"name": "Ann", "job": "judge"})
    undone = profile.forming.command(type="undo", decision_id=str(edit.id))
    assert (profile.value, profile.document.version) == (UserProfile(name="Anna"), 3)
    assert profile.document.by_hand == ("/name",)
    assert [one.action for one in profile.decisions] == ["undo", "document", "document"]

    profile.forming.command(type="undo", decision_id=str(undone))
    assert (profile.value, profile.document.version) == (UserProfile(name="Ann", job="judge"), 4)


def test_export_has_the_document_as_it_is_and_as_it_was(profile: Kept) -> None:
    def exported(as_of: datetime | None = None) -> list[dict[str, Any]]:
        return [one for one in map(json.loads, profile.namespace.export(as_of=as_of)) if one["type"] == "document"]

    assert exported() == []
    profile.form("I am Ann.", field_set("name", "Ann"))
    formed = exported()
    assert formed == [{"type": "document", "name": "UserProfile", "value": {"name": "Ann"}, "by_hand": []}]

    then = profile.document.updated_at
    edit = profile.edit({"address": {"city": "Porto"}, "job": "judge"})
    (line,) = exported()
    assert (line["value"], line["by_hand"]) == (profile.value.model_dump(exclude_unset=True), ["/address/city", "/job"])
    assert exported(as_of=then) == formed

    profile.forming.command(type="undo", decision_id=str(edit.id))
    assert exported() == formed
    profile.forming.command(type="undo", decision_id=str(profile.decisions[-1].id))
    assert exported() == []


def test_first_version_that_is_undone_is_gone_and_the_next_counts_on(profile: Kept) -> None:
    first = profile.edit({"name": "Anna"})
    profile.forming.command(type="undo", decision_id=str(first.id))
    assert profile.namespace.documents.get(UserProfile) is None
    profile.edit({"name": "Ann"}, version=0)
    assert profile.document.version == 2


def test_change_that_later_edits_build_on_is_not_undone(profile: Kept, rows: Callable[[str], list[Any]]) -> None:
    first = profile.edit({"name": "Anna"})
    second = profile.edit({"name": "Ann"})
    profile.forming.command(type="undo", decision_id=str(first.id))
    refused = [row.refused for row in rows("decisions") if row.action == "undo"]
    assert refused == [f"later decisions build on it: {second.id}"]
    with pytest.raises(UndoRefused, match=str(second.id)):
        profile.namespace.undo(first.id)
    assert profile.value.name == "Ann"


@pytest.fixture
def rows(admin_engine: Engine, lane: LaneRef) -> Callable[[str], list[Any]]:
    """Return a table's rows of the lane's tenant."""

    def rows(table: str) -> list[Any]:
        with admin_engine.connect() as connection:
            statement = text(f"select * from mosshead.{table} where tenant_id = :id")
            return list(connection.execute(statement, {"id": lane.tenant_id}))

    return rows


def test_changed_schema_names_what_no_longer_fits_and_another_namespace_has_no_document(
    profile: Kept, memory: Memory
) -> None:
    profile.edit({"name": "Ann", "job": "judge"})

    class Older(BaseModel):
        name: int

    Older.__name__ = "UserProfile"
    with pytest.raises(
        SchemaMismatch, match=r"UserProfile: the stored data does not fit UserProfile \(job: extra_forbidden; name"
    ):
        profile.namespace.documents.get(Older)

    tenant = profile.namespace.path.parts[0]
    assert memory.namespace(tenant, "omar").documents.get(UserProfile) is None
