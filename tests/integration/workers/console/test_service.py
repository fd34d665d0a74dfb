"""Pages about no single namespace: the list of tenants and namespaces, and operations."""

import re
from html import unescape
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import Engine

from config.settings import Settings
from db.keys import LaneRef
from db.usage import log_usage
from mosshead import Namespace
from mosshead.paths import NamespacePath
from mosshead.store.connection import tenant_transaction
from tests.forming import Forming
from tests.given import Publishing
from tests.integration.workers.console.conftest import Site
from workers.cli.status import read_status, rows
from workers.console.pages import service as pages


def text_of(answer: httpx.Response) -> str:
    assert answer.status_code == httpx.codes.OK, answer.text
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", answer.text)).split())


def test_start_page_lists_tenants_and_their_latest_namespaces(
    service: Settings, forming: Forming, sarah: Namespace, site: Site
) -> None:
    forming.say("My brother Jonas lives in Leeds.")
    tenant = sarah.path.parts[0]
    start = site.client.get("/")
    assert f'href="/?namespace={tenant}"' in start.text
    assert f'href="{site.place}"' in start.text, "it is the latest active"
    known = (len(sarah.memories()), len(sarah.entities.list()))
    assert f"{sarah.path} {known[0]} {known[1]} 0 " in text_of(site.client.get("/", params={"namespace": tenant}))


def test_namespaces_of_a_tenant_are_reached_page_by_page(
    service: Settings, publishing: Publishing, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "_SHOWN", 1)
    tenant = publishing.path.parts[0]
    names = [f"user-{number}" for number in range(4)]
    for name in names:
        Publishing(publishing._engine, NamespacePath.of((tenant, name))).say("I like coffee")
    texts, address = [], f"/?namespace={tenant}"
    while address:
        texts.append(site.client.get(address).text)
        further = re.search(r'href="([^"]*)">Show more', texts[-1])
        address = unescape(further[1]) if further else ""
        assert len(texts) < 9
    assert re.findall(rf"{tenant}/(user-\d)<", texts[0]) == names[:-2:-1], "the latest active first"
    assert set(re.findall(rf"{tenant}/(user-\d)<", "".join(texts))) == set(names)


def test_erased_namespace_leaves_the_list(service: Settings, forming: Forming, sarah: Namespace, site: Site) -> None:
    forming.say("I live in Leeds.")
    tenant = sarah.path.parts[0]
    assert site.client.get("/", params={"namespace": tenant}).status_code == httpx.codes.OK
    forming.erase(everything=True)
    assert site.client.get("/", params={"namespace": tenant}).status_code == httpx.codes.NOT_FOUND


def test_start_page_without_the_workers_login_still_opens_a_namespace(publishing: Publishing, site: Site) -> None:
    publishing.say("I like coffee")
    assert "Listing tenants takes the workers' login. MOSSHEAD_" in text_of(site.client.get("/"))
    typed = site.client.get("/", params={"namespace": str(publishing.path)})
    assert typed.headers["Location"] == site.place


def test_operations_page_has_the_figures_of_the_status_and_usage_commands(
    service: Settings, publishing: Publishing, worker_engine: Engine, site: Site
) -> None:
    publishing.say("I like coffee")
    lane = LaneRef(publishing.path.tenant_id, publishing.path.namespace_id)
    with tenant_transaction(worker_engine, lane.tenant_id) as connection:
        call = {"stage": "extract", "prompt": "extraction", "model": "m"}
        log_usage(connection, lane, uuid4(), **call, prompt_tokens=1_234_000, completion_tokens=56)
    with worker_engine.begin() as connection:
        connection.exec_driver_sql("""
            insert into mosshead.breakers (provider, open_until, failures, reason)
            values ('llm of a test', now() + interval '1 minute', 3, 'HTTP 503');
            insert into mosshead.dead_letters (tenant_id, namespace_id, letter_id, origin, reason)
            values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'stage', 'a reason of a test')
        """)
    try:
        text = text_of(site.client.get("/operations"))
        found = read_status(service)
    finally:
        with worker_engine.begin() as connection:
            connection.exec_driver_sql("""
                delete from mosshead.breakers where provider = 'llm of a test';
                delete from mosshead.dead_letters where reason = 'a reason of a test'
            """)
    assert f"{found.figures.backlog:,} event" in text
    assert f"{found.figures.dead_letters:,} dead letter" in text
    assert "a reason of a test 1" in text
    for name in ("waiting lanes", "lag", "workers"):
        assert name in text
    assert {name for name, said, _ in rows(found) if said is not None} >= {"in the inbox"}
    assert re.search(r"extract [\d,]+ 1,[\d,]+ \d+", text)
