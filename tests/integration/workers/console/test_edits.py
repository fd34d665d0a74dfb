"""A submitted form is published as one event, and only from the console's own forms."""

import json
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from pydantic import BaseModel

from db import memories
from mosshead import Namespace, StoredMemory
from mosshead.api.settings import client_settings, open_spool
from mosshead.publishing.spool import Spool
from tests.forming import Forming
from tests.given import Publishing, Remembering
from tests.integration.workers.console.conftest import Site
from workers.local import Addresses

ID = "00000000-0000-7000-8000-000000000000"


class Published:
    """The events the console published, read from its spool: no process receives them here, so nothing is cut."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._seen = 0

    def take(self) -> list[dict[str, object]]:
        """Return the events since the last call."""
        if not self._spool.exists():
            return []
        held = self._spool.changes(0)
        found = [
            json.loads(body)
            for one in held.waiting
            for _, body in self._spool.read(held.publisher, one.key, 1, one.newest)
        ]
        new, self._seen = found[self._seen :], len(found)
        return new


@pytest.fixture
def published(addresses: Addresses, tmp_path: Path) -> Iterator[Published]:
    spool = open_spool(
        client_settings(database_url=addresses.database_url, broker_url=addresses.broker_url, spool_dir=tmp_path)
    )
    yield Published(spool)
    spool.close()


def test_undo_is_an_event_whose_effect_the_page_shows(
    forming: Forming, sarah: Namespace, site: Site, published: Published
) -> None:
    forming.say("I live in Leeds.")
    (memory,) = [one for one in sarah.memories() if "Leeds" in one.content]
    (decision,) = sarah.decisions.for_memory(memory.id)
    page = f"{site.place}/memories/{memory.id}"
    assert f'action="{site.place}/decisions/{decision.id}/undo"' in site.client.get(page).text

    answer = site.send(f"/decisions/{decision.id}/undo", {"back": f"{page}?limit=3"})
    assert answer.status_code == httpx.codes.SEE_OTHER
    (event,) = published.take()
    assert answer.headers["Location"] == f"{page}?event={event['event_id']}"
    assert (event["type"], event["decision_id"]) == ("undo", str(decision.id))
    waiting = site.client.get(answer.headers["Location"]).text
    assert "Published." in waiting
    assert '<meta http-equiv="refresh"' in waiting

    forming.send({**event, "publisher": str(uuid4()), "publisher_sequence": 1})
    seen = site.client.get(answer.headers["Location"]).text
    assert "took effect" in seen
    assert "withdrawn" in seen
    assert '<meta http-equiv="refresh"' not in seen

    again = site.send(f"/decisions/{decision.id}/undo")
    assert again.status_code == httpx.codes.CONFLICT
    assert "This cannot be undone" in again.text
    assert not published.take()


def test_merge_split_and_answer_are_events_too(
    forming: Forming, sarah: Namespace, site: Site, published: Published
) -> None:
    forming.say("My brother Jonas lives in Leeds.", "My friend Marta lives in Hull.")
    jonas, marta = (next(one for one in sarah.entities.list() if one.name == name) for name in ("Jonas", "Marta"))
    about = sarah.memories(about=jonas)
    sent = [
        site.send(f"/entities/{jonas.id}/merge", {"into": str(marta.id)}),
        site.send(f"/entities/{jonas.id}/split", {"memory": [str(about[0].id)], "name": "Jon", "description": ""}),
    ]
    assert [answer.status_code for answer in sent] == [httpx.codes.SEE_OTHER] * 2
    merge, split = published.take()
    assert (merge["type"], merge["entity_id"], merge["into"]) == ("merge", str(jonas.id), str(marta.id))
    assert (split["type"], split["memories"], split["name"]) == ("split", [str(about[0].id)], "Jon")
    assert "description" not in split


def test_memory_is_replaced_and_the_new_one_forgotten(
    forming: Forming, sarah: Namespace, site: Site, published: Published
) -> None:
    forming.say("I like tea.")
    (tea,) = sarah.memories()
    page = f"/memories/{tea.id}"
    assert f'action="{site.place}{page}/replace"' in site.get(page).text

    answer = site.send(f"{page}/replace", {"content": " Sarah likes coffee ", "version": str(tea.version)})
    (event,) = published.take()
    assert answer.headers["Location"] == f"{site.place}{page}?event={event['event_id']}"
    fields = ("type", "content", "kind", "replaces", "of_version")
    assert [event[name] for name in fields] == ["remember", "Sarah likes coffee", tea.kind, str(tea.id), tea.version]
    forming.send({**event, "publisher": str(uuid4()), "publisher_sequence": 1})
    assert "Replaced by Sarah likes coffee" in site.text(page)
    assert "Correct it" not in site.text(page)

    (coffee,) = sarah.memories()
    answer = site.send(f"/memories/{coffee.id}/forget", {"reason": "she asked for it"})
    (event,) = published.take()
    assert (event["type"], event["memories"], event["reason"]) == ("forget", [str(coffee.id)], "she asked for it")
    forming.send({**event, "publisher": str(uuid4()), "publisher_sequence": 1})
    assert "she asked for it" in site.client.get(answer.headers["Location"]).text
    assert sarah.memories() == []

    again = site.send(f"/memories/{coffee.id}/forget")
    assert (again.status_code, "already withdrawn" in again.text) == (httpx.codes.NOT_FOUND, True)


@pytest.fixture
def tea(forming: Forming, sarah: Namespace, published: Published) -> StoredMemory:
    forming.command(type="remember", content="User likes tea")
    published.take()
    return sarah.memories()[0]


@pytest.mark.parametrize(
    ("content", "refusal"),
    [
        ("", (HTTPStatus.CONFLICT, "content")),
        ("User likes tea", (HTTPStatus.BAD_REQUEST, "content: is the same as before")),
        ("x" * 8001, (HTTPStatus.CONFLICT, "content")),
    ],
    ids=["empty", "the same", "too long"],
)
def test_unsuitable_replacement_is_reported_and_nothing_is_published(
    tea: StoredMemory, site: Site, published: Published, content: str, refusal: tuple[HTTPStatus, str]
) -> None:
    answer = site.send(f"/memories/{tea.id}/replace", {"content": content, "version": "1"})
    assert (answer.status_code, refusal[1] in answer.text) == (refusal[0], True)
    assert not published.take()


def test_line_ends_of_a_memory_stay_whatever_a_browser_sends(
    forming: Forming, sarah: Namespace, site: Site, published: Published
) -> None:
    forming.command(type="remember", content="To deploy:\n1. test\n2. push\n", kind="process")
    published.take()
    (process,) = sarah.memories()
    place = f"/memories/{process.id}/replace"
    answer = site.send(place, {"content": "To deploy:\r\n1. test\r\n2. push\r\n", "version": "1"})
    assert (answer.status_code, published.take()) == (HTTPStatus.BAD_REQUEST, [])
    site.send(place, {"content": "To deploy:\r\n1. test\r\n2. tag", "version": "1"})
    assert [event["content"] for event in published.take()] == ["To deploy:\n1. test\n2. tag"]


def test_memory_that_changed_meanwhile_is_not_replaced(
    tea: StoredMemory, site: Site, published: Published, remembering: Remembering
) -> None:
    with remembering.stamped() as (connection, stamp):
        memories.change(connection, remembering.lane, tea.id, 1, stamp, content="User likes green tea")
    answer = site.send(f"/memories/{tea.id}/replace", {"content": "User likes coffee", "version": "1"})
    assert (answer.status_code, "The memory has changed" in answer.text) == (httpx.codes.CONFLICT, True)
    assert not published.take()


REFUSED: dict[str, tuple[str, dict[str, str], int, str]] = {
    "question": (f"/questions/{ID}/answer", {"entity": "new"}, 404, "there is no question"),
    "nobody": (f"/questions/{ID}/answer", {}, 400, "entity: "),
    "decision": (f"/decisions/{ID}/undo", {}, 404, "there is no decision"),
    "entity": (f"/entities/{ID}/merge", {"into": ID}, 404, "there is no entity"),
    "no-id": (f"/entities/{ID}/merge", {"into": "x"}, 404, "is not an id"),
    "nothing-to-replace": (f"/memories/{ID}/replace", {"content": "x"}, 404, "there is no memory"),
    "nothing-to-forget": (f"/memories/{ID}/forget", {}, 404, "there is no memory"),
    "no-memory": (f"/entities/{ID}/split", {}, 400, "memory: "),
}


class Guest(BaseModel):
    """A guest."""

    name: str | None = None
    nick: str | None = None
    city: str | None = None
    age: int | str | None = None


@pytest.fixture
def guest(forming: Forming, published: Published) -> Forming:
    """Return a document changed since the form was loaded: one field is new, and one has another type."""
    forming.command(type="configure", profiles=[{"name": "Guest", "json_schema": Guest.model_json_schema()}])
    for patch in ({"name": "Sarah", "age": 41}, {"city": "Leeds", "age": "over forty"}):
        forming.command(type="edit_document", document="Guest", patch=patch)
    published.take()
    return forming


@pytest.mark.parametrize("named", ["Sarah", "Sally"])
def test_late_edit_is_reported_and_kept_in_the_form(
    guest: Forming, site: Site, published: Published, named: str
) -> None:
    loaded = {"/name": ("text", "Sarah", named), "/age": ("number", "41", "41")}
    fields = {
        f"{what}:{pointer}": value
        for pointer, values in loaded.items()
        for what, value in zip(("kind", "was", "say"), values, strict=True)
    }
    more = {"version": "1", "field": list(loaded), "new-name": "nick", "new-value": "Sal the Great"}
    answer = site.send("/documents/Guest/edit", {**fields, **more})
    assert answer.status_code == HTTPStatus.CONFLICT
    for part in ("changed after you loaded it", named, "over forty", 'value="Sal the Great"', 'value="nick"'):
        assert part in answer.text
    assert published.take() == []


def test_impossible_request_is_refused_and_nothing_is_published(
    publishing: Publishing, site: Site, published: Published
) -> None:
    publishing.say("I like coffee")
    for page, fields, status, said in REFUSED.values():
        answer = site.send(page, fields)
        assert (page, answer.status_code) == (page, status)
        assert said in answer.text
    assert not published.take()


def test_form_of_another_site_publishes_nothing(
    forming: Forming, sarah: Namespace, site: Site, published: Published
) -> None:
    forming.say("I live in Leeds.")
    (decision,) = sarah.decisions.latest()[:1]
    undo = f"/decisions/{decision.id}/undo"
    refused = [
        site.client.post(site.place + undo),
        site.client.post(site.place + undo, data={"_xsrf": "made-up"}),
        site.send(undo, {"_xsrf": ""}),
        site.send(undo, headers={"Sec-Fetch-Site": "cross-site"}),
        site.send(undo, headers={"Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1:8000"}),
        site.send(undo, headers={"Origin": "http://evil.example"}),
    ]
    assert [answer.status_code for answer in refused] == [httpx.codes.FORBIDDEN] * len(refused)
    assert "Nothing was published" in refused[0].text
    assert not published.take()


def test_get_requests_edit_nothing(publishing: Publishing, site: Site, published: Published) -> None:
    publishing.say("I like coffee")
    pages = [f"/decisions/{ID}/undo", f"/questions/{ID}/answer", f"/entities/{ID}/merge", f"/entities/{ID}/split"]
    assert {site.get(page).status_code for page in pages} == {httpx.codes.METHOD_NOT_ALLOWED}
    assert site.send("/memories").status_code == httpx.codes.METHOD_NOT_ALLOWED
    assert not published.take()


def test_form_redirects_to_no_other_site(forming: Forming, sarah: Namespace, site: Site, published: Published) -> None:
    forming.say("I live in Leeds.")
    (decision,) = sarah.decisions.latest()[:1]
    answer = site.send(f"/decisions/{decision.id}/undo", {"back": "//evil.example/"})
    (event,) = published.take()
    assert answer.headers["Location"] == f"{site.place}/decisions/{decision.id}?event={event['event_id']}"
