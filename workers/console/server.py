"""The console's HTTP server: its routes, and running it until it is asked to stop."""

import asyncio
import os
import signal
from collections.abc import Callable, Collection
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any

import structlog
import typer
from sqlalchemy import Engine
from tornado.httpserver import HTTPServer
from tornado.ioloop import IOLoop
from tornado.netutil import bind_sockets
from tornado.web import Application, RequestHandler, StaticFileHandler

from config.logging import configure_logging
from config.settings import settings
from mosshead import ConfigurationError, Memory
from mosshead.cli.output import console
from mosshead.deadline import ends_within
from workers.console.handlers import Editing, Handler, OfNamespace, Page, Published, Reading, set_headers
from workers.console.login import Attempts, Login, login_of
from workers.console.pages import documents, entities, memories, overview, service
from workers.local.ports import LOOPBACK

_log = structlog.get_logger(__name__)
_HERE = Path(__file__).parent

_REACH_SECONDS = 2.0

_NAMESPACE = r"/n/[^/]+"
_NAME = "([A-Za-z][A-Za-z0-9_]{0,63})"
_ID = "([0-9a-fA-F-]{36})"

_PAGES: dict[str, Callable[..., Page]] = {
    "": overview.overview,
    "/memories": memories.memories,
    f"/memories/{_ID}": memories.memory,
    "/entities": entities.entities,
    f"/entities/{_ID}": entities.entity,
    "/documents": documents.documents,
    f"/documents/{_NAME}": documents.document,
    "/questions": overview.questions,
    "/retrieval": memories.retrieval,
    "/messages": memories.messages,
    f"/messages/{_ID}": memories.message,
    "/decisions": overview.decisions,
    f"/decisions/{_ID}": overview.decision,
}
_FORMS: dict[str, Callable[..., Published]] = {
    f"/memories/{_ID}/replace": memories.replace,
    f"/memories/{_ID}/forget": memories.forget,
    f"/memories/{_ID}/erase": memories.erase_memory,
    f"/entities/{_ID}/merge": entities.merge,
    f"/entities/{_ID}/split": entities.split,
    f"/entities/{_ID}/erase": entities.erase_entity,
    f"/documents/{_NAME}/edit": documents.edit_document,
    f"/questions/{_ID}/answer": overview.answer,
    f"/decisions/{_ID}/undo": overview.undo,
}


class _Unknown(Handler):
    """Any other address."""

    async def get(self) -> None:
        self.send_error(404)

    post = get


class _Probe(RequestHandler):
    """The probes: an answer shows that the loop turns; readiness also checks reads. They need no login."""

    set_default_headers = set_headers

    def initialize(self, memory: Memory | None) -> None:
        self._memory = memory

    async def get(self) -> None:
        if self._memory is not None:
            await IOLoop.current().run_in_executor(None, _reach, self._memory.engine)

    def log_exception(self, *_: Any) -> None:
        """Log nothing: the status suffices."""

    def write_error(self, status_code: int, **more: Any) -> None:
        self.set_status(HTTPStatus.SERVICE_UNAVAILABLE if "exc_info" in more else status_code)


def _reach(engine: Engine) -> None:
    with ends_within(engine, _REACH_SECONDS), engine.connect() as connection:
        connection.exec_driver_sql("select 1")


class _Static(StaticFileHandler):
    """The style sheet and the icon, which need no login; not cached, so that a new version shows at once."""

    set_default_headers = set_headers


def application(
    memory: Memory, login: Login, *, attempts: Attempts | None = None, proxies: Collection[str] = ()
) -> Application:
    """Build the application that reads through a memory and accepts one login.

    attempts: the limit on failed logins, a new one by default. proxies: addresses whose X-Forwarded-For is trusted.
    """
    given: dict[str, Any] = {
        "memory": memory,
        "login": login,
        "attempts": Attempts() if attempts is None else attempts,
        "proxies": frozenset(proxies),
    }
    return Application(
        [
            ("/", service.StartPage, given),
            ("/operations", service.OperationsPage, given),
            ("/healthz", _Probe, {"memory": None}),
            ("/readyz", _Probe, {"memory": memory}),
            *((_NAMESPACE + place, Reading, {**given, "work": page}) for place, page in _PAGES.items()),
            *((_NAMESPACE + place, Editing, {**given, "work": form}) for place, form in _FORMS.items()),
            (r"/static/(console\.css|icon\.svg)", _Static, {"path": str(_HERE / "static")}),
        ],
        default_handler_class=_Unknown,
        default_handler_args=given,
        template_path=str(_HERE / "templates"),
        cookie_secret=os.urandom(32),
        xsrf_cookies=True,
        xsrf_cookie_name="mosshead_console",
        xsrf_cookie_kwargs={"httponly": True, "samesite": "Strict"},
        cross_origin_protection=True,
        log_function=_log_request,
    )


async def _serve(pages: Application, address: str, port: int) -> None:
    """Serve until SIGINT or SIGTERM. port: 0 for any."""
    asked_to_stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, asked_to_stop.set)
    try:
        sockets = bind_sockets(port, address)
    except OSError as error:
        raise ConfigurationError(
            f"MOSSHEAD_CONSOLE_PORT: cannot listen on {address}:{port} ({error.strerror}); choose another port"
        ) from None
    server = HTTPServer(pages, max_body_size=2**20)
    server.add_sockets(sockets)
    bound = int(sockets[0].getsockname()[1])
    _log.info("console_started", address=address, port=bound)
    console.print(f"The console is at http://{address}:{bound}", soft_wrap=True)
    await asked_to_stop.wait()
    server.stop()
    await server.close_all_connections()
    _log.info("console_stopped")


def _log_request(handler: RequestHandler) -> None:
    if isinstance(handler, _Probe):
        return
    # Not the address: a search query is text of a conversation.
    took = round(1000 * handler.request.request_time())
    page = handler.work.__name__ if isinstance(handler, OfNamespace) else type(handler).__name__
    status = handler.get_status()
    (_log.info if status < 400 else _log.warning)(
        "console_asked", method=handler.request.method, page=page, status=status, milliseconds=took
    )


def run_console(
    address: Annotated[
        str,
        typer.Option(
            help="The address to listen on. It speaks plain HTTP: leave it on the loopback, or put TLS before it."
        ),
    ] = LOOPBACK,
    proxy: Annotated[
        list[str] | None,
        typer.Option(help="The address from which a proxy connects. Failed logins then count by its X-Forwarded-For."),
    ] = None,
) -> None:
    """Serve a page on this machine that shows what is remembered, and why, until stopped."""
    chosen = settings()
    configure_logging(chosen)
    login = login_of(chosen.console_auth)
    with Memory.connect(
        database_url=chosen.login("reader"), broker_url=chosen.broker(), embedder=chosen.embedder
    ) as memory:
        pages = application(memory, login, proxies=proxy or ())
        asyncio.run(_serve(pages, address, chosen.console_port))
