"""`mosshead service models`: switch a database in use to another embedding model.

The new model is added, filled from the texts and activated; then the old one is dropped. The service keeps running, and until the
drop both models find everything (docs/how-to/models.md).
"""

from functools import partial
from typing import Annotated, Final

import typer
from sqlalchemy import Engine

from config.logging import configure_logging
from config.settings import Settings, settings
from db import embedding_models, housekeeping, turns
from db.embedding_models import Model
from db.erasure import erasures
from db.keys import LaneRef
from mosshead.cli.output import Json, print_answer
from mosshead.embeddings import spec_of
from mosshead.errors import ConfigurationError, MossheadError, NotFound
from mosshead.store.connection import tenant_transaction
from mosshead.urls import session_name
from workers.cli.output import Every, repeat, say, table, tried, until_asked_to_stop
from workers.cli.rounds import each, each_tenant
from workers.dependencies import check_dimensions, logged_in, open_embedder_of
from workers.stages.embed import fill

models_cli = typer.Typer(
    help="Embedding models: list them, and switch to another while the service runs (docs/how-to/models.md).",
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
        found = [(one, len(_lacking(engine, one.name))) for one in _models(engine)]
    columns = ("model", "dimensions", "state", "namespaces that lack vectors")
    shown = table(columns, [(*one, lacking) for one, lacking in found], nothing="No worker ever started.")
    answer = {"models": [{**one._asdict(), "lacking": lacking} for one, lacking in found]}
    print_answer(json_output, answer, shown)


@models_cli.command("add")
def add_model(
    embedder: Annotated[
        str, typer.Argument(help="The model in the form of MOSSHEAD_EMBEDDER, such as openai:MODEL@DIMENSIONS.")
    ],
) -> None:
    """Add a model, after checking that it answers. Nothing uses it yet: run 'models fill' next."""
    chosen = settings()
    with logged_in(chosen) as engine:
        with engine.begin() as connection:
            if embedding_models.active_model(connection) is None:
                raise ConfigurationError(
                    f"this database has no vectors yet; set MOSSHEAD_EMBEDDER={embedder} for the service and the apps instead"
                )
        opened = open_embedder_of(chosen, embedder)
        (vector,) = opened.embed(["Does it answer?"])
        with engine.begin() as connection:
            embedding_models.add(connection, opened.name, len(vector))
        added = _known(engine, opened.name)
        check_dimensions(added, len(vector))
    say(f"{added.name} ({added.dimensions} dimensions) is {added.state}.")


@models_cli.command("fill")
def fill_models(every: Every = None) -> None:
    """Compute the vectors that each model lacks; a new model is ready then. Exit with status 1 if one could not be filled."""
    chosen = settings()
    with logged_in(chosen) as engine:
        work = partial(fill_all, engine, chosen)
        if every is None:
            whole = work()
        else:
            configure_logging(chosen)
            whole = bool(tried(work, interrupted=_INTERRUPTED))
            repeat(work, until_asked_to_stop(), every=every, interrupted=_INTERRUPTED)
    if not whole:
        raise typer.Exit(1)


@models_cli.command("switch")
def switch_model(name: Name) -> None:
    """Make a ready model the active one, for all new vectors. Set MOSSHEAD_EMBEDDER to it before you restart workers."""
    with logged_in(settings()) as engine:
        if _known(engine, name).state == "filling":
            raise ConfigurationError(f"{name} is not ready; run 'mosshead service models fill' first")
        with engine.begin() as connection:
            embedding_models.switch(connection, name)
            if embedding_models.active_model(connection) != name:  # it is being dropped; the old model stays
                raise ConfigurationError(f"{name} is no longer ready; run 'mosshead service models fill' first")
    say(f"{name} is active. Set MOSSHEAD_EMBEDDER={spec_of(name)} and restart the workers, then the apps.")


@models_cli.command("drop")
def drop_model(
    name: Name,
    force: Annotated[
        bool, typer.Option("--force", help="Drop it even if apps still read with it; they will find nothing.")
    ] = False,
    incomplete: Annotated[
        bool,
        typer.Option(
            "--incomplete",
            help="Drop it even if the active model lacks some vectors; queries will no longer find those memories.",
        ),
    ] = False,
) -> None:
    """Delete a model and its vectors once nobody uses it."""
    with logged_in(settings()) as engine:
        gone = drop(engine, name, force=force, incomplete=incomplete)
    say(f"{name} is gone, with {gone:,} rows.")


def fill_all(engine: Engine, settings: Settings) -> bool:
    """Compute the missing vectors of each model, and mark new models ready. Return whether all could be filled.

    Prints what was made and why a model could not be filled; one failure does not stop the others.
    """
    filled = [_filled(engine, settings, one) for one in _models(engine)]
    return all(filled)


def drop(engine: Engine, name: str, *, force: bool = False, incomplete: bool = False) -> int:
    """Delete a model with its vectors and turns; return how many rows that was.

    Raises NotFound; ConfigurationError if it is the active model or a worker embeds with it; without ``incomplete``, also if the
    active model lacks vectors; without ``force``, also if connected apps read with it.
    """
    found = _known(engine, name)
    if found.state == "active":
        raise ConfigurationError(f"{name} is the active model; switch to another first")
    with engine.begin() as connection:
        active = embedding_models.active_model(connection)
        at_work = embedding_models.workers_with(connection, name, alive=housekeeping.ALIVE)
        readers = embedding_models.readers_with(connection, session_name(name))
    if at_work:
        raise ConfigurationError(f"these workers embed with {name}: {', '.join(at_work)}; restart them first")
    if active is not None and not incomplete and _lacking(engine, active):
        raise ConfigurationError(
            f"{active} lacks vectors; run 'mosshead service models fill' first. If the endpoint refuses some texts, give "
            "--incomplete: queries will no longer find those"
        )
    if readers and not force:
        raise ConfigurationError(
            f"{readers} connections of apps read with {name} and would find nothing; restart these apps with "
            f"MOSSHEAD_EMBEDDER set to {spec_of(active or '')}, or give --force"
        )
    with engine.begin() as holding, embedding_models.held(holding, name):
        with engine.begin() as connection:
            embedding_models.set_ready(connection, name, False)
        lanes = [
            lane
            for tenant_id, connection in each_tenant(engine)
            for lane in embedding_models.lanes_with(connection, tenant_id, name)
        ]
        gone = sum(each(lanes, partial(_emptied, engine, name=name), lane=lambda lane: lane))
        with engine.begin() as connection:
            embedding_models.drop(connection, name)
    return gone


def _models(engine: Engine) -> list[Model]:
    with engine.begin() as connection:
        return embedding_models.models(connection)


def _known(engine: Engine, name: str) -> Model:
    found = {one.name: one for one in _models(engine)}
    if name not in found:
        raise NotFound(f"{name}: no such model; there are {', '.join(found) or 'none'}")
    return found[name]


def _filled(engine: Engine, settings: Settings, model: Model) -> bool:
    with engine.begin() as connection:
        if not embedding_models.may_add(connection, model.name):
            return True
    try:
        made = _made(engine, settings, model)
    except MossheadError as error:
        say(f"{model.name}: {error}")
        return False
    if made:
        say(f"{model.name}: {made:,} vectors made")
    if model.state == "filling":
        with engine.begin() as connection:
            if embedding_models.may_add(connection, model.name):
                embedding_models.set_ready(connection, model.name, True)
                say(f"{model.name} is ready")
    return True


def _made(engine: Engine, settings: Settings, model: Model) -> int:
    """Fill a model's missing vectors, repeating while each round finds fewer than the last; return how many were made."""
    of_each: list[int] = []
    while len(of_each) < 2 or 0 < of_each[-1] < of_each[-2]:
        lacking = _lacking(engine, model.name)
        if not lacking:
            break
        embedder = open_embedder_of(settings, spec_of(model.name))
        check_dimensions(model, embedder.dimensions)
        of_each.append(sum(each(lacking, partial(fill, engine, embedder=embedder), lane=lambda lane: lane)))
    return sum(of_each)


def _lacking(engine: Engine, name: str) -> set[LaneRef]:
    return {
        lane
        for tenant_id, connection in each_tenant(engine)
        for lanes in (embedding_models.lanes_lacking, turns.lanes_without)
        for lane in lanes(connection, tenant_id, name)
    }


def _emptied(engine: Engine, lane: LaneRef, name: str) -> int:
    """Delete a model's rows in a namespace, in chunks, because publishers to it wait while each is deleted."""
    gone = 0
    while True:
        with tenant_transaction(engine, lane.tenant_id) as connection:
            erasures.lock_lane(connection, lane)
            some = embedding_models.delete_some(connection, lane, name, limit=1_000)
        if not some:
            return gone
        gone += some
