"""The console as an HTTP server: which address shows what, and running it until it is asked to stop."""

import asyncio
import os
import signal
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Annotated, Any

import structlog
import typer
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, RequestHandler, StaticFileHandler

from config.logging import configure_logging
from config.settings import settings
from mosshead import ConfigurationError, Memory
from workers.cli.output import console
from workers.console.attempts import Attempts
from workers.console.auth import Login, login_of
from workers.console.handlers import HEADERS, Handler
from workers.console.pages.documents import Documents, EditDocumentHandler, OneDocument
from workers.console.pages.entities import Entities, EraseEntity, MergeHandler, OneEntity, SplitHandler
from workers.console.pages.memories import EraseHandler, ForgetHandler, Memories, MessagePage, OneMemory, Replace
from workers.console.pages.overview import (
    AnswerHandler,
    Choosing,
    Decisions,
    OneDecision,
    Overview,
    Questions,
    UndoHandler,
)
from workers.console.pages.search import Messages, Retrieval
from workers.local.ports import LOOPBACK

_log = structlog.get_logger(__name__)
_HERE = Path(__file__).parent
_MOST_FORM_BYTES = 2**20

_NAMESPACE = r"/n/[^/]+"
_NAME = "([A-Za-z][A-Za-z0-9_]{0,63})"
_ID = "([0-9a-fA-F-]{36})"

_PAGES: dict[str, type[RequestHandler]] = {
    "/": Choosing,
    f"{_NAMESPACE}": Overview,
    f"{_NAMESPACE}/memories": Memories,
    f"{_NAMESPACE}/memories/{_ID}": OneMemory,
    f"{_NAMESPACE}/memories/{_ID}/replace": Replace,
    f"{_NAMESPACE}/memories/{_ID}/forget": ForgetHandler,
    f"{_NAMESPACE}/memories/{_ID}/erase": EraseHandler,
    f"{_NAMESPACE}/entities": Entities,
    f"{_NAMESPACE}/entities/{_ID}": OneEntity,
    f"{_NAMESPACE}/entities/{_ID}/merge": MergeHandler,
    f"{_NAMESPACE}/entities/{_ID}/split": SplitHandler,
    f"{_NAMESPACE}/entities/{_ID}/erase": EraseEntity,
    f"{_NAMESPACE}/documents": Documents,
    f"{_NAMESPACE}/documents/{_NAME}": OneDocument,
    f"{_NAMESPACE}/documents/{_NAME}/edit": EditDocumentHandler,
    f"{_NAMESPACE}/questions": Questions,
    f"{_NAMESPACE}/questions/{_ID}/answer": AnswerHandler,
    f"{_NAMESPACE}/retrieval": Retrieval,
    f"{_NAMESPACE}/messages": Messages,
    f"{_NAMESPACE}/messages/{_ID}": MessagePage,
    f"{_NAMESPACE}/decisions": Decisions,
    f"{_NAMESPACE}/decisions/{_ID}": OneDecision,
    f"{_NAMESPACE}/decisions/{_ID}/undo": UndoHandler,
}


class _Unknown(Handler):
    """Any other address."""

    async def get(self) -> None:
        """404, as for a form that is sent there."""
        self.send_error(404)

    post = get


class _Static(StaticFileHandler):
    """The style sheet and the icon, which hold nothing of anybody's."""

    def set_default_headers(self) -> None:
        """As of every page; not kept, so that a new version shows at once."""
        self.clear_header("Server")
        for name, value in HEADERS.items():
            self.set_header(name, value)


def application(
    memory: Memory, login: Login, *, attempts: Attempts | None = None, proxies: Collection[str] = ()
) -> Application:
    """The pages, reading through a memory and open to one login.

    attempts: the limit on failed logins, a new one by default. proxies: addresses whose X-Forwarded-For is believed for it.
    """
    given: dict[str, Any] = {
        "memory": memory,
        "login": login,
        "attempts": Attempts() if attempts is None else attempts,
        "proxies": frozenset(proxies),
    }
    return Application(
        [(place, handler, given) for place, handler in _PAGES.items()]
        + [(r"/static/(console\.css|icon\.svg)", _Static, {"path": str(_HERE / "static")})],
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


def serve(
    memory: Memory,
    login: Login,
    *,
    address: str,
    port: int,
    proxies: Collection[str] = (),
    on_listening: Callable[[int], object] | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM. port: 0 for any; on_listening gets the one. proxies: as for `application`.

    Raises ConfigurationError where the address cannot be listened on.
    """
    asyncio.run(_serve(application(memory, login, proxies=proxies), address, port, on_listening))


async def _serve(pages: Application, address: str, port: int, on_listening: Callable[[int], object] | None) -> None:
    asked_to_stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, asked_to_stop.set)
    try:
        sockets = bind_sockets(port, address)
    except OSError as error:
        raise ConfigurationError(
            f"MOSSHEAD_CONSOLE_PORT: {address}:{port} cannot be listened on ({error.strerror}); name another port"
        ) from None
    server = HTTPServer(pages, max_body_size=_MOST_FORM_BYTES)
    server.add_sockets(sockets)
    bound = int(sockets[0].getsockname()[1])
    _log.info("console_started", address=address, port=bound)
    if on_listening is not None:
        on_listening(bound)
    await asked_to_stop.wait()
    server.stop()
    await server.close_all_connections()
    _log.info("console_stopped")


def _log_request(handler: RequestHandler) -> None:
    # Not the address: what is looked for is text of a conversation.
    took = round(1000 * handler.request.request_time())
    page, status = type(handler).__name__, handler.get_status()
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
        typer.Option(
            help="The address of a proxy before it, as it connects. Failed logins then count by its X-Forwarded-For."
        ),
    ] = None,
) -> None:
    """Serve a page on this machine that shows what is remembered, and why, until stopped."""
    chosen = settings()
    configure_logging(chosen)
    login = login_of(chosen.console_auth)
    with Memory.connect(
        database_url=chosen.login("reader"), broker_url=chosen.broker(), embedder=chosen.embedder
    ) as memory:
        serve(
            memory,
            login,
            address=address,
            port=chosen.console_port,
            proxies=proxy or (),
            on_listening=lambda port: console.print(f"The console is at http://{address}:{port}", soft_wrap=True),
        )
