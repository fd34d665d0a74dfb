"""Who may look: the one login of the console, sent with each request (RFC 7617, Basic)."""

import base64
import binascii
import hmac
from dataclasses import dataclass, field

from pydantic import SecretStr

from mosshead.errors import ConfigurationError

_SETTING = "MOSSHEAD_CONSOLE_AUTH"
_LEAST = 8


@dataclass(frozen=True, slots=True)
class Login:
    """A name and a password."""

    name: str
    password: str = field(repr=False)

    def admits(self, authorization: str | None) -> bool:
        """Whether a request's Authorization header bears this login; how long that takes tells nothing of it."""
        scheme, _, encoded = (authorization or "").partition(" ")
        try:
            given = base64.b64decode(encoded.strip(), validate=True)
        except (binascii.Error, ValueError):
            given = b""
        same = hmac.compare_digest(given, f"{self.name}:{self.password}".encode())
        return same and scheme.casefold() == "basic"


def login_of(setting: SecretStr | None) -> Login:
    """The login that the setting names. Raises ConfigurationError where there is none, or a weak one."""
    name, colon, password = setting.get_secret_value().partition(":") if setting else ("", "", "")
    if not name or not colon or len(password) < _LEAST:
        raise ConfigurationError(
            f"{_SETTING} is not set, or no login. Set it to NAME:PASSWORD, with {_LEAST} characters of a password at least, "
            "or run 'python -m workers up --console', which makes a password and prints it"
        )
    return Login(name, password)
