"""`python -m workers models`: what vectors are made with, and how a database in use goes over to another."""

from functools import partial
from typing import Annotated, Final

import typer

from config.logging import configure_logging
from config.settings import settings
from mosshead.embeddings import spec_of
from workers.cli.output import Every, Json, logged_in, print_json, print_table, repeat, say, tried, until_asked_to_stop
from workers.operations import models

models_cli = typer.Typer(
    help="Embedding models: which there are, and how to go over to another while the service runs (docs/embedders.md).",
    invoke_without_command=True,
)

_INTERRUPTED: Final = "fill_interrupted"

Name = Annotated[str, typer.Argument(metavar="MODEL", help="As 'models' lists it.")]


@models_cli.callback()
def list_models(context: typer.Context, json_output: Json = False) -> None:
    """List the models, and in how many namespaces each lacks vectors."""
    if context.invoked_subcommand is not None:
        return
    with logged_in(settings()) as engine:
        found = models.listed(engine)
    if json_output:
        print_json({"models": [{**one._asdict(), "lacking": lacking} for one, lacking in found]})
        return
    rows = [(one.name, one.dimensions, one.state, lacking) for one, lacking in found]
    print_table(
        ("model", "dimensions", "state", "namespaces that lack vectors"), rows, nothing="No worker ever started."
    )


@models_cli.command()
def add(
    embedder: Annotated[str, typer.Argument(help="As MOSSHEAD_EMBEDDER names it, such as openai:MODEL@DIMENSIONS.")],
) -> None:
    """Add a model, once it has answered. Nobody uses it yet: 'models fill' comes next."""
    chosen = settings()
    with logged_in(chosen) as engine:
        added = models.add(engine, chosen, embedder)
    say(f"{added.name} ({added.dimensions} dimensions) is {added.state}.")


@models_cli.command()
def fill(every: Every = None) -> None:
    """Embed what each model lacks; one that was added is ready then. Exit status 1 where a model could not be filled."""
    chosen = settings()
    with logged_in(chosen) as engine:
        fill_all = partial(models.fill_all, engine, chosen, say)
        if every is None:
            whole = fill_all()
        else:
            configure_logging(chosen)
            whole = bool(tried(fill_all, interrupted=_INTERRUPTED))
            repeat(fill_all, until_asked_to_stop(), every=every, interrupted=_INTERRUPTED)
    if not whole:
        raise typer.Exit(1)


@models_cli.command()
def switch(name: Name) -> None:
    """Have new vectors come from a model that is ready. Workers that are restarted need its name in MOSSHEAD_EMBEDDER then."""
    with logged_in(settings()) as engine:
        active = models.switch(engine, name)
    say(
        f"{active.name} is active. Set MOSSHEAD_EMBEDDER={spec_of(active.name)} and restart the workers, then the apps."
    )


@models_cli.command()
def drop(
    name: Name,
    force: Annotated[
        bool, typer.Option("--force", help="Even where apps still read with it; they find nothing then.")
    ] = False,
    incomplete: Annotated[
        bool,
        typer.Option("--incomplete", help="Even where the active one lacks vectors; no query finds these any more."),
    ] = False,
) -> None:
    """Delete all that a model has, once nobody uses it."""
    with logged_in(settings()) as engine:
        gone = models.drop(engine, name, force=force, incomplete=incomplete)
    say(f"{name} is gone, with {gone:,} rows.")
