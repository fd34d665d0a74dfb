"""`python -m workers lanes`: lanes that were stopped or wait, and how a stopped one goes on."""

from dataclasses import asdict
from typing import Annotated, Any

import typer
from sqlalchemy import Engine

from config.settings import settings
from db.dead_letters import LaneState, lane_states, quarantined_lanes, resume
from db.keys import LaneRef
from mosshead.errors import NotFound
from mosshead.paths import NamespacePath
from workers.cli.login import logged_in, paths_of
from workers.cli.terminal import Json, console, duration, path_text, print_json, print_table

lanes_cli = typer.Typer(help="Lanes: each namespace's events, in their order.", invoke_without_command=True)


@lanes_cli.callback()
def list_lanes(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 20,
    json_output: Json = False,
) -> None:
    """List the lanes that are quarantined, then those in which something waits longest."""
    if context.invoked_subcommand is not None:
        return
    with logged_in(settings()) as engine:
        with engine.begin() as connection:
            found = lane_states(connection, limit=limit)
        paths = paths_of(engine, {state.lane for state in found})
    if json_output:
        print_json({"lanes": [_lane_as_dict(state, paths[state.lane]) for state in found]})
        return
    rows = [(path_text(paths[one.lane]), one.pending, duration(one.waiting), _doing(one)) for one in found]
    print_table(("namespace", "pending", "since", "state"), rows, nothing="Nothing waits.")


@lanes_cli.command("resume")
def resume_lanes(
    path: Annotated[
        list[str] | None, typer.Argument(metavar="TENANT NAMESPACE...", help="One lane, by the parts of its path.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All quarantined lanes.")] = False,
    json_output: Json = False,
) -> None:
    """Let quarantined lanes go on. Dead letters stay where they are: see 'dead requeue'."""
    if bool(path) == every:
        raise typer.BadParameter("give a lane as TENANT NAMESPACE..., or --all")
    with logged_in(settings()) as engine:
        lanes = _lane_of(path) if path else _quarantined(engine)
        with engine.begin() as connection:
            resumed = sum(resume(connection, lane) for lane in lanes)
    if path and not resumed:
        raise NotFound(f"{'/'.join(path)}: no such lane is quarantined; 'python -m workers lanes' shows those that are")
    if json_output:
        print_json({"resumed": resumed})
    else:
        console.print(f"{resumed} resumed.")


def _lane_of(path: list[str]) -> list[LaneRef]:
    named = NamespacePath.of(path)
    return [LaneRef(named.tenant_id, named.namespace_id)]


def _quarantined(engine: Engine) -> list[LaneRef]:
    with engine.begin() as connection:
        return quarantined_lanes(connection)


def _lane_as_dict(state: LaneState, path: tuple[str, ...] | None) -> dict[str, Any]:
    fields = {name: value for name, value in asdict(state).items() if name != "lane"}
    return {"namespace": list(path) if path else None, **fields}


def _doing(state: LaneState) -> str:
    if state.quarantined is not None:
        return f"quarantined {duration(state.quarantined)} ago: {state.quarantined_for}"
    if state.stage is None:
        return "waits"
    leased = f", leased for {duration(state.leased)}" if state.leased is not None and state.leased > 0 else ""
    return f"{state.stage}{leased}{f'; latest failure: {state.error}' if state.error else ''}"
