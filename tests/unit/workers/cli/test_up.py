"""The output of `up` when everything runs."""

from pathlib import Path

import pytest

from config.settings import Settings
from workers.cli.up import _say_where
from workers.local.addresses import Addresses


def test_login_and_command_are_on_one_line_to_be_copied(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    url = "postgresql://mosshead_reader@/mosshead"
    folder = Path("/srv/a [bold] folder of a name that is longer than most/.mosshead")
    addresses = Addresses(folder, url, url, url, None, "redis://127.0.0.1:6379/0", 5555, "x" * 32, 5556, 9470)
    _say_where(Settings(), addresses, with_console=True)
    said = capsys.readouterr().out.splitlines()
    assert f"Flower   http://127.0.0.1:5555  (user mosshead, password {'x' * 32})" in said
    assert f"  set -a; . '{folder}/mosshead.env'; set +a" in said
