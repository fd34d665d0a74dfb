"""Who gets in, and what a page lets a browser do."""

import httpx
import pytest

from recollect import Namespace
from tests.forming import Forming
from tests.given import Publishing
from tests.integration.workers.console.conftest import Site

PAGES = ("/", "/static/../login.py", "/nowhere", "/n/acme:sarah", "/n/acme:sarah/memories")


@pytest.fixture(autouse=True)
def _said(publishing: Publishing) -> None:
    publishing.say("I like coffee")


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("auth", [None, ("ops", "quiet"), ("", "quiet harbour")], ids=["none", "password", "name"])
def test_nobody_gets_in_without_the_login(site: Site, page: str, auth: tuple[str, str] | None) -> None:
    answer = httpx.get(site.address + page, auth=auth)
    assert answer.status_code == httpx.codes.UNAUTHORIZED
    assert answer.headers["WWW-Authenticate"].startswith("Basic ")


def test_a_form_without_the_login_publishes_nothing(site: Site) -> None:
    answer = httpx.post(f"{site.address}{site.place}/decisions/{'0' * 36}/undo")
    assert answer.status_code in {httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN}


def test_no_page_is_kept_framed_or_may_run_a_script(site: Site) -> None:
    for answer in (site.get(), site.client.get("/"), site.client.get("/nowhere"), httpx.get(site.address)):
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "script" not in policy
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "Server" not in answer.headers


def test_the_token_of_forms_stays_with_the_browser_and_this_site(
    forming: Forming, sarah: Namespace, site: Site
) -> None:
    forming.say("I live in Leeds.")
    cookie = site.get().headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie


def test_an_address_that_is_none_is_said_to_be_none(site: Site) -> None:
    for page in ("/nowhere", f"{site.place}/nowhere", f"{site.place}/memories/1", "/n/"):
        answer = site.client.get(page)
        assert answer.status_code == httpx.codes.NOT_FOUND
        assert "There is no such page" in answer.text


@pytest.mark.parametrize("page", ["/static/console.css", "/static/icon.svg"])
def test_what_a_page_is_dressed_in_is_there(site: Site, page: str) -> None:
    assert site.client.get(page).status_code == httpx.codes.OK
