"""Who gets in, and what a page lets a browser do."""

import httpx
import pytest

from mosshead import Namespace
from tests.forming import Forming
from tests.given import Publishing
from tests.integration.workers.console.conftest import Site
from workers.console.login import FREE

PAGES = ("/", "/static/../login.py", "/nowhere", "/n/acme:sarah", "/n/acme:sarah/memories")


@pytest.fixture(autouse=True)
def _said(publishing: Publishing) -> None:
    publishing.say("I like coffee")


@pytest.mark.parametrize("auth", [None, ("ops", "quiet"), ("", "quiet harbour")], ids=["none", "password", "name"])
def test_console_is_closed_without_the_login(site: Site, auth: tuple[str, str] | None) -> None:
    for page in PAGES:
        answer = httpx.get(site.address + page, auth=auth)
        assert answer.status_code == httpx.codes.UNAUTHORIZED, page
        assert answer.headers["WWW-Authenticate"].startswith("Basic "), page


def test_login_is_not_checked_after_several_guesses_from_its_address(site: Site) -> None:
    answers = [httpx.get(site.address, auth=("ops", f"guess {number}")) for number in range(FREE + 2)]
    assert [answer.status_code for answer in answers] == [httpx.codes.UNAUTHORIZED] * FREE + [429] * 2
    assert int(answers[-1].headers["Retry-After"]) >= 1
    assert "Too many failed logins" in answers[-1].text
    assert "default-src 'none'" in answers[-1].headers["Content-Security-Policy"]
    assert httpx.get(site.address).status_code == httpx.codes.UNAUTHORIZED, "no login is no failed one"
    assert site.client.get("/").status_code == 429, "the right login waits, too, at an address that guesses"


def test_logged_in_browser_is_not_held_up_by_guesses(site: Site) -> None:
    assert site.client.get("/").status_code == httpx.codes.OK
    for number in range(FREE + 1):
        httpx.get(site.address, auth=("ops", f"guess {number}"))
    assert httpx.get(site.address, auth=site.client.auth).status_code == 429
    assert site.client.get("/").status_code == httpx.codes.OK
    forged = {"mosshead_console_known": "2|1:0|10:1700000000|23:mosshead_console_known|4:MQ==|00"}
    assert httpx.get(site.address, auth=site.client.auth, cookies=forged).status_code == 429


def test_forwarded_address_from_a_stranger_is_ignored(site: Site) -> None:
    for number in range(FREE + 1):
        answer = httpx.get(site.address, auth=("ops", "guess"), headers={"X-Forwarded-For": f"198.51.100.{number}"})
    assert answer.status_code == 429


def test_form_without_the_login_publishes_nothing(site: Site) -> None:
    answer = httpx.post(f"{site.address}{site.place}/decisions/{'0' * 36}/undo")
    assert answer.status_code in {httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN}


def test_pages_are_not_cached_framed_or_allowed_to_run_scripts(site: Site) -> None:
    pages = (site.get(), site.client.get("/"), site.client.get("/nowhere"), httpx.get(site.address))
    for answer in (
        *pages,
        httpx.get(f"{site.address}/static/console.css"),
        httpx.get(f"{site.address}/static/icon.svg"),
    ):
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "script" not in policy
        assert "unsafe" not in policy
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert answer.headers["Referrer-Policy"] == "same-origin"
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "Server" not in answer.headers


def test_form_token_stays_with_the_browser_and_this_site(forming: Forming, sarah: Namespace, site: Site) -> None:
    forming.say("I live in Leeds.")
    cookie = site.get().headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie


def test_malformed_address_is_reported(site: Site) -> None:
    for page in ("/nowhere", f"{site.place}/nowhere", f"{site.place}/memories/1", "/n/"):
        answer = site.client.get(page)
        assert answer.status_code == httpx.codes.NOT_FOUND
        assert "There is no such page" in answer.text


def test_style_sheets_are_served(site: Site) -> None:
    for page in ("/static/console.css", "/static/icon.svg"):
        assert site.client.get(page).status_code == httpx.codes.OK, page
