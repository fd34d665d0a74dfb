"""Commands that are imported only when they run, so that listing them in the help stays fast."""

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
        commands: By name, the location of a function or a Typer, such as ``package.module:function``, and its help text.
        first: Called with the command's name before the command is imported.
    """
    for name, (place, text) in commands.items():
        cli.command(name, help=text, cls=_stands_for(name, place, first))(lambda: None)


def load(name: str, place: str) -> Any:
    """Import a function or a Typer, and return it as a command."""
    module, _, attribute = place.partition(":")
    found = getattr(import_module(module), attribute)
    if isinstance(found, typer.Typer):
        return get_group(found)
    alone = typer.Typer(add_completion=False)
    alone.command(name)(found)
    return get_command(alone)


def _stands_for(name: str, place: str, first: Callable[[str], None]) -> type[TyperCommand]:
    """Return a placeholder command that imports the real one when called."""

    class Lazy(TyperCommand):
        def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
            first(name)
            return load(name, place).make_context(info_name, args, parent, **extra)

    return Lazy
