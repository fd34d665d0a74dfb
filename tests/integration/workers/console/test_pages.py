"""What the pages show: of a namespace whose memories the stages formed, and of hostile ones."""

import re
from html import unescape
from uuid import uuid4

import httpx
import pytest

from config.settings import Settings
from db.keys import LaneRef
from mosshead import Namespace
from mosshead.paths import NamespacePath
from tests.forming import Forming
from tests.given import MINILM, Publishing, Remembering
from tests.integration.workers.console.conftest import Site
from workers.console import handlers

HOSTILE = "<script>alert('x')</script><img src=x onerror=alert(1)> \"quoted\" & 'so' {{ 7 * 7 }} {% raw x %}"
NOBODY = "00000000-0000-0000-0000-000000000000"


def test_memory_is_found_and_shows_its_sources(forming: Forming, sarah: Namespace, site: Site) -> None:
    forming.say("I live in Leeds.", conversation="quay")
    (moved,) = forming.say("I moved to Hull.", conversation="quay")
    (hull,) = [one for one in sarah.memories() if "Hull" in one.content]

    overview = site.text()
    assert "up to date" in overview
    assert "moved to Hull" in overview
    assert "Hull" in site.text("/memories", q="Where does the user live?")
    assert "Leeds" in site.text("/memories", state="superseded")
    assert "Nothing matches" in site.text("/memories", kind="process")

    page = site.get(f"/memories/{hull.id}").text
    assert f"{site.place}/messages/{moved}" in page
    text = site.text(f"/memories/{hull.id}")
    assert "I moved to Hull." in text
    assert "replaced" in text
    assert "User lives in Leeds" in text  # what it was compared with

    (decision,) = sarah.decisions.for_memory(hull.id)
    replaced = site.text(f"/memories/{decision.target_id}")
    assert "History" in replaced
    assert "Replaced by" in replaced

    talk = site.text(f"/messages/{moved}")
    assert "I live in Leeds." in talk
    assert "User" in talk
    assert "Nothing fits" not in site.text("/retrieval", message="Where do I live?")
    assert "Hull" in site.text("/messages", q="moving house")
    assert "I live in Leeds." in site.text("/messages", conversation="quay")


def test_entities_are_drawn_with_their_neighbours(forming: Forming, sarah: Namespace, site: Site) -> None:
    forming.say("My brother Jonas lives in Leeds.")
    (jonas,) = [one for one in sarah.entities.list() if one.name == "Jonas"]
    assert "Jonas" in site.text("/entities", q="jon", type="person")
    assert "Nothing matches" in site.text("/entities", q="nobody at all")
    page = site.get(f"/entities/{jonas.id}").text
    drawn = re.findall(r"<text[^>]*>([^<]*)</text>", page)
    assert {"Jonas", "Leeds", "lives in"} <= set(drawn)


def test_no_memory_content_becomes_markup(publishing: Publishing, remembering: Remembering, site: Site) -> None:
    publishing.say("I like coffee")
    (vector,) = MINILM.embed([HOSTILE])
    who = remembering.entity(HOSTILE, description=HOSTILE, aliases=(f"{HOSTILE} too",))
    known = remembering.memory(HOSTILE, vector, about={who: ("subject", "sure")}, said_by=HOSTILE)
    pages = [
        site.get(),
        site.get("/memories"),
        site.get("/memories", q=HOSTILE),
        site.get(f"/memories/{known}"),
        site.get("/entities", q=HOSTILE[:8]),
        site.get(f"/entities/{who}"),
        site.get("/retrieval", message=HOSTILE, conversation=HOSTILE),
        site.get("/messages", q=HOSTILE, conversation=HOSTILE),
        site.client.get("/", params={"namespace": HOSTILE}),
    ]
    for page in pages[:-1]:
        assert page.status_code == httpx.codes.OK, page.url
        assert "&lt;script&gt;alert" in page.text, page.url
    for page in pages:
        assert "<script" not in page.text
        assert "<img src=x" not in page.text


def test_missing_items_are_not_found(publishing: Publishing, site: Site) -> None:
    publishing.say("I like coffee")
    for kind in ("memories", "entities", "decisions", "messages"):
        answer = site.get(f"/{kind}/{NOBODY}")
        assert answer.status_code == httpx.codes.NOT_FOUND, kind
        assert "Not found" in answer.text, kind


def test_namespace_without_events_is_not_found(site: Site) -> None:
    answer = site.get("/memories")
    assert answer.status_code == httpx.codes.NOT_FOUND
    assert "begins with its first event" in answer.text


def test_another_tenants_memories_are_not_shown(publishing: Publishing, remembering: Remembering, site: Site) -> None:
    publishing.say("I like coffee")
    known = remembering.memory("User likes coffee")
    assert site.get(f"/memories/{known}").status_code == httpx.codes.OK
    other = Publishing(publishing._engine, NamespacePath.of((f"tenant-{uuid4().hex}", "sarah")))
    other.say("I like tea")
    assert LaneRef(other.path.tenant_id, other.path.namespace_id) != remembering.lane
    elsewhere = Site(site.address, other.path)
    assert elsewhere.get(f"/memories/{known}").status_code == httpx.codes.NOT_FOUND
    elsewhere.client.close()


def test_unsuitable_arguments_are_named(publishing: Publishing, site: Site) -> None:
    publishing.say("I like coffee")
    for page, named in (
        ("/memories?limit=0", "limit"),
        ("/memories?kind=rumour", "kind"),
        ("/memories?state=lost", "state"),
        ("/retrieval?message=a&budget=x", "budget"),
        ("/messages?q=a&limit=-1", "limit"),
    ):
        answer = site.client.get(site.place + page)
        assert answer.status_code == httpx.codes.BAD_REQUEST, page
        assert f"{named}: " in answer.text, page


def test_namespace_is_chosen_by_its_name_or_from_its_tenants(
    service: Settings, publishing: Publishing, site: Site
) -> None:
    publishing.say("I like coffee")
    tenant = publishing.path.parts[0]
    typed = site.client.get("/", params={"namespace": str(publishing.path)})
    assert (typed.status_code, typed.headers["Location"]) == (httpx.codes.SEE_OTHER, site.place)
    assert f'href="{site.place}"' in site.client.get("/", params={"namespace": tenant}).text
    assert site.client.get("/", params={"namespace": f"{tenant}x"}).status_code == httpx.codes.NOT_FOUND


def test_every_memory_and_decision_is_reached_page_by_page(
    monkeypatch: pytest.MonkeyPatch, forming: Forming, sarah: Namespace, site: Site
) -> None:
    monkeypatch.setattr(handlers, "MOST_SHOWN", 4)
    forming.say("My brother Jonas lives in Leeds.")
    for number in range(6):
        forming.command(type="remember", content=f"Jonas has {number} boats", about=["Jonas"])
    (jonas,) = [one for one in sarah.entities.list() if one.name == "Jonas"]
    for page in ("/memories", "/decisions", f"/entities/{jonas.id}"):
        texts, address = [], f"{site.place}{page}?limit=3"
        while address:
            shown = site.client.get(address).text
            texts.append(shown)
            further = re.search(r'href="([^"]*)">Show more', shown)
            address = unescape(further[1]) if further else ""
            assert len(texts) < 9
        assert all(f"Jonas has {number} boats" in "".join(texts) for number in range(6))


def test_memories_of_open_questions_are_shown_as_about_nobody(forming: Forming, sarah: Namespace, site: Site) -> None:
    forming.say("Peter is one of our writers at WOBS.", conversation="c1")
    forming.say("My brother Peter keeps bees in Leeds.", conversation="c2")
    for thing in ("bicycle", "canoe"):
        forming.say(f"Peter bought a red {thing}.", conversation=thing)
    assert len(sarah.entities.questions()) == 2

    asked = site.get("/questions").text
    facts = re.findall(r"<small><bdi>([^<]*)", asked)
    assert any("bees" in unescape(fact) for fact in facts)
    assert not any("bought" in fact for fact in facts), "what another question leaves open"

    peter = sarah.entities.questions()[0].candidates[0].entity_id
    known, perhaps = site.text(f"/entities/{peter}").split("Possibly about somebody else")
    assert "bought" not in known.partition("Memories")[2]
    assert "red bicycle" in perhaps
