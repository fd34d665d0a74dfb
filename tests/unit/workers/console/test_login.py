import base64

import pytest
from pydantic import SecretStr

from mosshead import ConfigurationError
from workers.console.login import Login, login_of

LOGIN = Login("ops", "quiet:harbour")


def basic(text: str) -> str:
    return "Basic " + base64.b64encode(text.encode()).decode()


def test_login_is_accepted_in_any_case_of_the_scheme() -> None:
    assert LOGIN.admits(basic("ops:quiet:harbour"))
    assert LOGIN.admits(basic("ops:quiet:harbour").replace("Basic", "basic"))


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Basic",
        "Basic %%%",
        "Basic 😀",
        basic("ops:"),
        basic("ops:quiet"),
        basic("ops:quiet:harbour "),
        basic(":quiet:harbour"),
        basic("Ops:quiet:harbour"),
        basic("ops:quiet:harbour").replace("Basic", "Bearer"),
    ],
)
def test_other_logins_are_refused(header: str | None) -> None:
    assert not LOGIN.admits(header)


def test_password_may_contain_a_colon_and_is_in_no_repr() -> None:
    assert login_of(SecretStr("ops:quiet:harbour")) == LOGIN
    assert "harbour" not in repr(LOGIN)


@pytest.mark.parametrize("setting", [None, "", "ops", "ops:", ":quietharbour", "ops:short"])
def test_console_does_not_start_without_a_proper_login(setting: str | None) -> None:
    with pytest.raises(ConfigurationError, match=r"MOSSHEAD_CONSOLE_AUTH .* NAME:PASSWORD"):
        login_of(None if setting is None else SecretStr(setting))
