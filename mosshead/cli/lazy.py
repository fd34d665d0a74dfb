"""Commands that are loaded when they run: the help of a command line needs their names, and loads none of them."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand
from typer.main import get_command, get_group


def add_lazily(
    cli: typer.Typer, commands: Mapping[str, tuple[str, str]], *, first: Callable[[str], None] = lambda _name: None
) -> None:
    """Add commands to a command line.

    Args:
        cli: The command line.
        commands: By name, where the command is, such as ``package.module:function``, and its help in the list of commands.
            What is there is a function, or a Typer with commands of its own.
        first: What is done, with the command's name, before a command is loaded.
    """
    for name, (place, text) in commands.items():
        cli.command(name, help=text, cls=_stands_for(name, place, first))(lambda: None)


def load(name: str, place: str) -> Any:
    """Load a command, as typer makes it of its function or its Typer."""
    module, _, attribute = place.partition(":")
    found = getattr(import_module(module), attribute)
    if isinstance(found, typer.Typer):
        return get_group(found)
    alone = typer.Typer(add_completion=False)
    alone.command(name)(found)
    return get_command(alone)


def _stands_for(name: str, place: str, first: Callable[[str], None]) -> type[TyperCommand]:
    """A command that a command line lists, and that becomes the one at its place when it is called."""

    class Lazy(TyperCommand):
        def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
            first(name)
            return load(name, place).make_context(info_name, args, parent, **extra)

    return Lazy
