"""The accounts of the embedded servers."""

import os
import stat
from pathlib import Path

import pytest

from workers.local.accounts import Account, give


def test_giving_a_folder_to_another_user_opens_none_of_those_above_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Path] = []
    monkeypatch.setattr(os, "chown", lambda path, *_, **__: given.append(path))
    private = tmp_path / "private"
    socket = private / "socket"
    socket.mkdir(parents=True)
    private.chmod(0o700)

    give(Account(("other", "x", os.geteuid() + 1, os.getegid() + 1, "", "", "")), socket)

    assert given == [socket]
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
