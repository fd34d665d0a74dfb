"""`python -m workers dead` and `lanes`: what was given up or set aside, and what an operator may do about it."""

import json
from dataclasses import asdict
from typing import Annotated, Any
from uuid import UUID

import typer

from config.settings import settings
from db.dead_letters import DeadLetter, LaneState, lane_states, quarantined_lanes, resume
from db.keys import LaneRef
from mosshead.errors import NotFound
from mosshead.paths import NamespacePath
from workers.cli.output import (
    Json,
    console,
    duration,
    logged_in,
    path_text,
    paths_of,
    print_fields,
    print_json,
    print_table,
    printable,
)
from workers.intake.run import signing_keys
from workers.operations.dead_letters import Content, all_letters, content_of, discard, letters, requeue

dead_cli = typer.Typer(help="Dead letters: events that were given up, with their reasons.", no_args_is_help=True)

Ids = Annotated[list[UUID] | None, typer.Argument(metavar="ID...", help="As 'dead list' shows them.")]


@dead_cli.command("list")
def list_letters(
    tenant: Annotated[str | None, typer.Option(help="Of this tenant alone.")] = None,
    reason: Annotated[str | None, typer.Option(help="Whose reason holds this text.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many, the newest first.")] = 50,
    json_output: Json = False,
) -> None:
    """List dead letters, without their text."""
    tenant_id = NamespacePath.of((tenant, "-")).tenant_id if tenant is not None else None
    with logged_in(settings()) as engine:
        found = all_letters(engine, tenant_id=tenant_id, reason=reason, limit=limit)
        paths = paths_of(engine, {letter.lane for letter in found})
    if json_output:
        print_json({"dead_letters": [_as_dict(letter, paths[letter.lane]) for letter in found]})
        return
    rows = [
        (one.letter_id, one.origin, path_text(paths[one.lane]), one.times, duration(one.age), one.reason)
        for one in found
    ]
    print_table(("id", "origin", "namespace", "times", "age", "reason"), rows, nothing="There are no dead letters.")


@dead_cli.command()
def show(letter_id: Annotated[UUID, typer.Argument(metavar="ID")], json_output: Json = False) -> None:
    """Print what a dead letter says. It may be text of a conversation."""
    with logged_in(settings()) as engine:
        found = letters(engine, [letter_id])
        paths = paths_of(engine, {letter.lane for letter in found})
        shown = [(_as_dict(letter, paths[letter.lane]), content_of(engine, letter)) for letter in found]
    for letter, content in shown:
        if json_output:
            print_json({**letter, **_content(content)})
        else:
            _print_letter(letter, content)


@dead_cli.command("requeue")
def requeue_letters(
    ids: Ids = None,
    every: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
    reason: Annotated[str | None, typer.Option(help="All whose reason holds this text.")] = None,
    json_output: Json = False,
) -> None:
    """Try dead letters once more, after their cause is gone; exit status 1 where one stays dead."""
    if [bool(ids), every, reason is not None].count(True) != 1:
        raise typer.BadParameter("give ids, or --all, or --reason TEXT")
    chosen = settings()
    keys = signing_keys(chosen)
    with logged_in(chosen) as engine:
        # The oldest first, as they came.
        found = letters(engine, ids) if ids else all_letters(engine, reason=reason)[::-1]
        outcomes = [(str(letter.letter_id), requeue(engine, letter, chosen, keys)) for letter in found]
    alive = [letter_id for letter_id, still in outcomes if still is None]
    still_dead = {letter_id: still for letter_id, still in outcomes if still is not None}
    if json_output:
        print_json({"requeued": alive, "still_dead": still_dead})
    else:
        console.print(f"{len(alive)} requeued.")
        print_table(("still dead", "because"), list(still_dead.items()), nothing="None is still dead.")
    if still_dead:
        raise typer.Exit(1)


@dead_cli.command("discard")
def discard_letters(ids: Ids = None, json_output: Json = False) -> None:
    """End dead letters for good. Events stay in the log as discarded; a message that was no event is deleted."""
    if not ids:
        raise typer.BadParameter("give the ids of those to discard")
    with logged_in(settings()) as engine:
        found = letters(engine, ids)
        for letter in found:
            discard(engine, letter)
    if json_output:
        print_json({"discarded": [str(letter.letter_id) for letter in found]})
    else:
        console.print(f"{len(found)} discarded.")


def _as_dict(letter: DeadLetter, path: tuple[str, ...] | None) -> dict[str, Any]:
    return {
        "id": str(letter.letter_id),
        "origin": letter.origin,
        "namespace": list(path) if path else None,
        "reason": letter.reason,
        "bytes": letter.bytes,
        "times": letter.times,
        "age": letter.age,
    }


def _content(content: Content) -> dict[str, Any]:
    if isinstance(content, bytes):
        return {"event": None, "body": content.decode(errors="backslashreplace")}
    return {"event": content, "body": None}


def _print_letter(letter: dict[str, Any], content: Content) -> None:
    print_fields({**letter, "namespace": path_text(letter["namespace"]), "age": duration(letter["age"])})
    found = _content(content)
    text = found["body"] or json.dumps(found["event"], indent=2, ensure_ascii=False)
    print(f"\n{printable(text)}")


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
    with logged_in(settings()) as engine, engine.begin() as connection:
        lanes = _lane_of(path) if path else quarantined_lanes(connection)
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
