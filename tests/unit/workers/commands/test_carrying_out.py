"""Each command has somebody who carries it out."""

from typing import get_args

from mosshead.events import Command
from workers.commands import dispatch as commands


def test_no_command_is_left_out() -> None:
    assert set(commands._CARRIED_OUT) == set(get_args(Command))
