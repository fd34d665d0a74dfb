"""The common parts of the console's pages: login, headers, and running their work in a thread.

A page is a function that returns what to show (`Reading`), a form's target one that returns what to publish (`Editing`). No GET
edits anything. Neither knows of HTTP beyond its arguments.
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from pathlib import Path
from traceback import walk_tb
from types import TracebackType
from typing import Any, Generic, TypeVar
from urllib.parse import quote, unquote, urlencode
from uuid import UUID

import structlog
from tornado.ioloop import IOLoop
from tornado.web import HTTPError, RequestHandler

from mosshead import Memory, Namespace, errors
from mosshead.errors import InvalidNamespace, NotFound, WaitTimeout
from mosshead.models.memories import Decision
from mosshead.paths import NamespacePath
from workers.console.formatting import FUNCTIONS
from workers.console.login import Attempts, Login, address_of

_log = structlog.get_logger(__name__)

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex",
}
"""Sent with every answer: no script runs, nothing loads from elsewhere, and no other page frames it."""

_KNOWN = "mosshead_console_known"
"""Cookie of a browser that was logged in before: failures of others at its address do not delay it."""

_NOWHERE = {"place": None, "namespace": None, "section": "", "waiting": (), "progress": None, "notice": None}
"""The values of a page that is not about a namespace."""

_WAIT_SECONDS = 1.5
_MILLISECONDS_OF_ID = 80
MOST_SHOWN = 2000

T = TypeVar("T")


class Page:
    """A template and its values."""

    def __init__(self, template: str, *, status: int = HTTPStatus.OK, **shown: Any) -> None:
        self.template = template
        self.status = status
        self.shown = shown


@dataclass(frozen=True, slots=True)
class ListPart(Generic[T]):
    """A part of a long list. further: the query of the address that shows more; None at its end."""

    shown: Sequence[T]
    further: Mapping[str, int] | None


@dataclass(frozen=True, slots=True)
class Notice:
    """The outcome of an event published here. decision: set once it is in the log. again: worth reloading soon."""

    event_id: UUID
    decision: Decision | None
    again: bool


def set_headers(handler: RequestHandler) -> None:
    """Set the headers that every answer has."""
    handler.clear_header("Server")
    for name, value in HEADERS.items():
        handler.set_header(name, value)


class Handler(RequestHandler):
    """A request with a valid login."""

    set_default_headers = set_headers

    def initialize(self, memory: Memory, login: Login, attempts: Attempts, proxies: Collection[str]) -> None:
        self.memory = memory
        self._login = login
        self._attempts = attempts
        self._proxies = proxies

    def prepare(self) -> None:
        """Require the login, and check no more attempts than `Attempts` allows."""
        given = self.request.headers.get("Authorization")
        if given is None:
            raise HTTPError(HTTPStatus.UNAUTHORIZED)
        known = self.get_signed_cookie(_KNOWN) is not None
        forwarded = ",".join(self.request.headers.get_list("X-Forwarded-For"))
        address = address_of(self.request.remote_ip or "", forwarded, self._proxies)
        if not known and (seconds := self._attempts.wait(address)):
            self._retry_after = seconds
            raise HTTPError(HTTPStatus.TOO_MANY_REQUESTS)
        if not self._login.admits(given):
            self._attempts.failed(address)
            raise HTTPError(HTTPStatus.UNAUTHORIZED)
        if not known:
            self.set_signed_cookie(_KNOWN, "1", expires_days=None, httponly=True, samesite="Strict")

    def given(self, name: str) -> str:
        """Return an argument of the form or the address; empty if it is missing."""
        return self.get_argument(name, "")

    def number(self, name: str, default: int, *, most: int) -> int:
        """Return an argument as a number. Raises ValueError, which names it, if it is not a number from 1."""
        text = self.given(name) or str(default)
        if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= most:
            raise ValueError(f"{name}: must be a number from 1 to {most:,}")
        return int(text)

    def part(self, first: Callable[[int], Sequence[T]], least: int) -> ListPart[T]:
        """Return the part of a list that the address asks for. first: returns a number of items from the beginning.

        "More" extends the page up to what a browser can handle, and then shows the next part.
        """
        limit, start = self.number("limit", least, most=MOST_SHOWN), self.number("from", 1, most=10**9)
        found = first(start + limit)[start - 1 :]
        longer = {"from": start, "limit": min(2 * limit, MOST_SHOWN)}
        further = longer if limit < MOST_SHOWN else {"from": start + limit, "limit": limit}
        return ListPart(found[:limit], further if len(found) > limit else None)

    async def in_thread(self, work: Callable[[], Any]) -> Any:
        """Run the work in a thread and return its result, so that other requests do not wait for Postgres."""
        return await IOLoop.current().run_in_executor(None, work)

    def get_template_namespace(self) -> dict[str, Any]:
        return {**super().get_template_namespace(), **FUNCTIONS, **_NOWHERE, "asked": asked}

    def log_exception(
        self, _kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Log only the type and place: a message or an address may hold text of a conversation."""
        if isinstance(error, HTTPError) or failure_of(error) is not None:
            return
        places = [f"{Path(frame.f_code.co_filename).name}:{line}" for frame, line in walk_tb(trace)]
        _log.error("console_failed", error=type(error).__name__, at=places[-1] if places else None)

    def write_error(self, status_code: int, **more: Any) -> None:
        error = more.get("exc_info", (None, None, None))[1]
        known = HTTPStatus(status_code)
        why = _OF_STATUS.get(known, "The console failed. See its log.")
        status, title, reason = failure_of(error) or (known, known.phrase, why)
        self.set_status(status)
        if status_code == HTTPStatus.UNAUTHORIZED:
            self.set_header("WWW-Authenticate", 'Basic realm="Mosshead console", charset="UTF-8"')
        if status_code == HTTPStatus.TOO_MANY_REQUESTS:
            self.set_header("Retry-After", str(self._retry_after))
        place = getattr(self, "place", None)
        shown = {"status": int(status), "title": title, "reason": reason, "place": place}
        self.render("failure.html", namespace=getattr(self, "namespace", None), **shown)


class OfNamespace(Handler):
    """A request about the namespace in the address."""

    namespace: Namespace
    place: str

    def initialize(self, work: Callable[..., Any], **given: Any) -> None:  # type: ignore[override]  # as the table gives it
        """work: the function of the page or form; it gets the request and the ids of its address."""
        super().initialize(**given)
        self.work = work

    def find_namespace(self) -> None:
        """Find the namespace. Raises NotFound if nothing was published in it."""
        try:
            path = namespace_at(self.request.path)
        except InvalidNamespace as error:
            raise NotFound(str(error)) from None
        if path not in self.memory.group(*path.parts).namespaces():
            raise NotFound(f"namespace: there is no {path}; a namespace begins with its first event")
        self.namespace, self.place = self.memory.namespace(*path.parts), place_of(path)

    def filled(self, page: Page, notice: Notice | None = None) -> Page:
        parts = self.request.path.split("/")
        shared = {
            "namespace": self.namespace,
            "place": self.place,
            "section": parts[_SECTION] if len(parts) > _SECTION else "overview",
            "here": self.request.uri or self.place,
            "waiting": self.namespace.entities.questions(),
            "progress": self.namespace.progress(),
            "notice": notice,
        }
        return Page(page.template, status=page.status, **{**shared, **page.shown})


class Reading(OfNamespace):
    """A page about one namespace. Its function gets the request and the ids of the address, and runs in a thread."""

    async def get(self, *ids: str) -> None:
        page = await self.in_thread(partial(self._shown, *ids))
        await self.render(page.template, **page.shown)

    def _shown(self, *ids: str) -> Page:
        self.find_namespace()
        notice = self._notice()  # first: a page that says "took effect" shows the effect
        return self.filled(self.work(self, *ids), notice)

    def _notice(self) -> Notice | None:
        try:
            event_id = UUID(self.given("event"))
        except ValueError:
            return None
        with suppress(NotFound):
            return Notice(event_id, self.namespace.decisions.get(event_id), again=False)
        age = time.time() - (event_id.int >> _MILLISECONDS_OF_ID) / 1000  # the ids of events begin with their time
        return Notice(event_id, None, again=0 <= age < 60)


Published = tuple[UUID, str] | Page
"""The result of a form's function: the event's id and the page to show by default, or a page that explains why nothing was
published.
"""


class Editing(OfNamespace):
    """The target of a form: its function publishes one event, in a thread."""

    async def post(self, *ids: str) -> None:
        """Publish the event, wait for a moment, and redirect to a page, so that reloading publishes nothing again."""
        outcome = await self.in_thread(partial(self._published, *ids))
        if isinstance(outcome, str):
            self.redirect(outcome, status=HTTPStatus.SEE_OTHER)
            return
        self.set_status(outcome.status)
        await self.render(outcome.template, **outcome.shown)

    def _published(self, *ids: str) -> str | Page:
        self.find_namespace()
        published: Published = self.work(self, *ids)
        if isinstance(published, Page):
            return self.filled(published)
        event_id, then = published
        with suppress(WaitTimeout):
            self.namespace.wait(timeout=_WAIT_SECONDS)
        given = self.given("back")
        page = given if is_within(self.place, given) else f"{self.place}/{then}"
        return asked(page.partition("?")[0], event=event_id)


_TOLD: tuple[tuple[type[Exception], HTTPStatus, str], ...] = (
    (errors.ReadTimeout, HTTPStatus.GATEWAY_TIMEOUT, "The database took too long"),
    (errors.StoreUnavailable, HTTPStatus.SERVICE_UNAVAILABLE, "The database does not answer"),
    (errors.SpoolFull, HTTPStatus.SERVICE_UNAVAILABLE, "The spool is full"),
    (errors.SpoolUnavailable, HTTPStatus.SERVICE_UNAVAILABLE, "The spool is unavailable"),
    (errors.EmbedderUnavailable, HTTPStatus.SERVICE_UNAVAILABLE, "The embedding endpoint does not answer"),
    (errors.NotFound, HTTPStatus.NOT_FOUND, "Not found"),
    (errors.AmbiguousName, HTTPStatus.CONFLICT, "Ambiguous name"),
    (errors.UndoRefused, HTTPStatus.CONFLICT, "This cannot be undone"),
    (errors.MemoryChanged, HTTPStatus.CONFLICT, "The memory has changed"),
    (errors.InvalidNamespace, HTTPStatus.BAD_REQUEST, "Invalid namespace"),
    (errors.InvalidEvent, HTTPStatus.CONFLICT, "This cannot be done"),
    (errors.MossheadError, HTTPStatus.INTERNAL_SERVER_ERROR, "Something went wrong"),
)

_OF_STATUS = {
    HTTPStatus.UNAUTHORIZED: "Log in with the name and password that the console was started with.",
    HTTPStatus.FORBIDDEN: (
        "The form did not come from a page of this console, or its page is too old. Nothing was published. Go back, reload the "
        "page and send the form again."
    ),
    HTTPStatus.TOO_MANY_REQUESTS: ("Too many failed logins from this address. Wait a minute, then reload the page."),
    HTTPStatus.NOT_FOUND: "There is no such page.",
    HTTPStatus.METHOD_NOT_ALLOWED: "This address does not accept this method.",
}


def failure_of(error: BaseException | None) -> tuple[HTTPStatus, str, str] | None:
    """Return an error's status, heading and message, which names the field at fault. None for an unexpected error."""
    for kind, status, title in _TOLD:
        if isinstance(error, kind):
            return status, title, str(error)
    if type(error) is ValueError:  # an invalid argument; subclasses of ValueError are our own bugs
        return HTTPStatus.BAD_REQUEST, "Invalid input", str(error)
    return None


_SEGMENT, _SECTION = 2, 3  # the namespace in an address, and the tab that its page marks


def place_of(path: NamespacePath) -> str:
    """Return the base address of a namespace's pages, without a final slash."""
    return "/n/" + ":".join(quote(part, safe="") for part in path.parts)


def namespace_at(address: str) -> NamespacePath:
    """Return the namespace in a page's raw address. Raises InvalidNamespace."""
    segment = address.split("/")[_SEGMENT]
    try:
        parts = [unquote(part, errors="strict") for part in segment.split(":")]
    except UnicodeDecodeError:
        raise InvalidNamespace("namespace: is no text") from None
    return NamespacePath.of(parts)


def named(name: str) -> NamespacePath:
    """Parse a typed namespace as the command `mosshead` does: acme/sarah_123. Raises InvalidNamespace."""
    return NamespacePath.of(name.strip().strip("/").split("/"))


def asked(place: str, **given: object) -> str:
    """Return an address with its query; None and empty values are left out."""
    query = urlencode({name: str(value) for name, value in given.items() if value not in {None, ""}})
    return f"{place}?{query}" if query else place


def is_within(place: str, address: str) -> bool:
    """Whether an address from a form leads to a page of the same namespace."""
    return (address == place or address.startswith((f"{place}/", f"{place}?"))) and "\\" not in address
