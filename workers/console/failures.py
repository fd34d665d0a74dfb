"""What went wrong, as a page tells it."""

from dataclasses import dataclass
from http import HTTPStatus

from mosshead.errors import (
    AmbiguousName,
    EmbedderUnavailable,
    InvalidEvent,
    InvalidNamespace,
    MemoryChanged,
    MossheadError,
    NotFound,
    QueueUnavailable,
    ReadTimeout,
    StoreUnavailable,
    UndoRefused,
)

_TOLD: tuple[tuple[type[Exception], HTTPStatus, str], ...] = (
    (ReadTimeout, HTTPStatus.GATEWAY_TIMEOUT, "The database took too long"),
    (StoreUnavailable, HTTPStatus.SERVICE_UNAVAILABLE, "The database does not answer"),
    (QueueUnavailable, HTTPStatus.SERVICE_UNAVAILABLE, "The event queue does not answer"),
    (EmbedderUnavailable, HTTPStatus.SERVICE_UNAVAILABLE, "The embedding endpoint does not answer"),
    (NotFound, HTTPStatus.NOT_FOUND, "There is nothing here"),
    (AmbiguousName, HTTPStatus.CONFLICT, "The name is not clear"),
    (UndoRefused, HTTPStatus.CONFLICT, "This cannot be taken back"),
    (MemoryChanged, HTTPStatus.CONFLICT, "It says something else by now"),
    (InvalidNamespace, HTTPStatus.BAD_REQUEST, "This is no namespace"),
    (InvalidEvent, HTTPStatus.CONFLICT, "This cannot be done"),
    (MossheadError, HTTPStatus.INTERNAL_SERVER_ERROR, "This did not work"),
)

_OF_STATUS = {
    HTTPStatus.UNAUTHORIZED: "Log in with the name and password that the console was started with.",
    HTTPStatus.FORBIDDEN: (
        "The form did not come from a page of this console, or its page is too old. Nothing was published. Go back, load the "
        "page again and send it once more."
    ),
    HTTPStatus.TOO_MANY_REQUESTS: (
        "Too many logins failed from this address. Wait for a minute, then load the page again. Nothing was looked at meanwhile."
    ),
    HTTPStatus.NOT_FOUND: "There is no such page.",
    HTTPStatus.METHOD_NOT_ALLOWED: "This address takes forms only, or shows a page only.",
}
_ELSE = "The console failed, and its log says where. Nothing more was done."


@dataclass(frozen=True, slots=True)
class Failure:
    """An HTTP status, a heading and what to do. reason: the error's own words, which name the field at fault."""

    status: int
    title: str
    reason: str

    @classmethod
    def of_status(cls, status: int) -> "Failure":
        """A failure of which nothing else is known."""
        known = HTTPStatus(status)
        return cls(status, known.phrase, _OF_STATUS.get(known, _ELSE))


def failure_of(error: BaseException | None) -> Failure | None:
    """What an error means to whoever looks; None of one that nobody raised on purpose."""
    for kind, status, title in _TOLD:
        if isinstance(error, kind):
            return Failure(status, title, str(error))
    if type(error) is ValueError:  # an argument that does not fit; the kinds below it are faults of our own
        return Failure(HTTPStatus.BAD_REQUEST, "Something does not fit", str(error))
    return None
