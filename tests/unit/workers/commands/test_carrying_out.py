"""Each command has a handler."""

from typing import get_args

from mosshead.events import Command
from workers.commands import dispatch as commands


def test_every_command_has_a_handler() -> None:
    assert set(commands._CARRIED_OUT) == set(get_args(Command))
