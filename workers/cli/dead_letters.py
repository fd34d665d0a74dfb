"""`mosshead service dead` and `lanes`: show, retry and discard dead letters; show and release quarantined lanes."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any
from uuid import UUID

import typer
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from config.settings import Settings, settings
from db import dead_letters
from db.dead_letters import Content, DeadLetter, LaneState
from db.keys import LaneRef
from mosshead.cli.output import Json, print_answer, spelt_out
from mosshead.errors import NotFound
from mosshead.paths import NamespacePath
from mosshead.publishing.signing import TenantKey
from mosshead.store.connection import tenant_transaction
from workers.cli.output import duration, fields, path_text, table, tenant_id_of
from workers.cli.rounds import paths_of
from workers.dependencies import logged_in
from workers.failures import is_of_values
from workers.intake import RefusedMessage, judge, judge_event, put_in, refusal_of, signing_keys

dead_cli = typer.Typer(help="Dead letters: events that were given up, with their reasons.", no_args_is_help=True)

Ids = Annotated[list[UUID] | None, typer.Argument(metavar="ID...", help="The ids that 'dead list' shows.")]


@dead_cli.command("list")
def list_letters(
    tenant: Annotated[str | None, typer.Option(help="Of this tenant alone.")] = None,
    reason: Annotated[str | None, typer.Option(help="Only those whose reason contains this text.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Show at most this many, newest first.")] = 50,
    json_output: Json = False,
) -> None:
    """List dead letters, without their text."""
    tenant_id = tenant_id_of(tenant) if tenant is not None else None
    with logged_in(settings()) as engine:
        found = letters(engine, tenant_id=tenant_id, reason=reason, limit=limit)
        paths = paths_of(engine, found)
    rows = [
        (one.letter_id, one.origin, path_text(paths[one.lane]), one.times, duration(one.age), one.reason)
        for one in found
    ]
    columns = ("id", "origin", "namespace", "times", "age", "reason")
    shown = table(columns, rows, nothing="There are no dead letters.")
    print_answer(json_output, {"dead_letters": [_letter_as_dict(one, paths[one.lane]) for one in found]}, shown)


@dead_cli.command()
def show(letter_id: Annotated[UUID, typer.Argument(metavar="ID")], json_output: Json = False) -> None:
    """Print a dead letter's content, which may be text from a conversation."""
    with logged_in(settings()) as engine:
        found = letters(engine, [letter_id])
        paths = paths_of(engine, found)
        contents = [content_of(engine, letter) for letter in found]
    for letter, content in zip(found, contents, strict=True):
        body = content.decode(errors="backslashreplace") if isinstance(content, bytes) else None
        event = None if isinstance(content, bytes) else content
        path, values = paths[letter.lane], _letter_as_dict(letter, paths[letter.lane])
        read = {**values, "namespace": path_text(path), "age": duration(letter.age)}
        shown = fields((name, value, False) for name, value in read.items())
        print_answer(json_output, {**values, "event": event, "body": body}, shown)
        if not json_output:
            text = body or json.dumps(event, indent=2, ensure_ascii=False)
            print(f"\n{spelt_out(text)}")  # printed without rich, which would turn its tabs into spaces


@dead_cli.command("requeue")
def requeue_letters(
    ids: Ids = None,
    every: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
    reason: Annotated[str | None, typer.Option(help="All whose reason contains this text.")] = None,
    json_output: Json = False,
) -> None:
    """Retry dead letters once their cause is gone. Exit with status 1 if one stays dead."""
    if [bool(ids), every, reason is not None].count(True) != 1:
        raise typer.BadParameter("give ids, or --all, or --reason TEXT")
    chosen = settings()
    keys = signing_keys(chosen)
    with logged_in(chosen) as engine:
        # Oldest first, in order of arrival.
        found = letters(engine, ids) if ids else letters(engine, reason=reason)[::-1]
        outcomes = {letter.letter_id: requeue(engine, letter, chosen, keys) for letter in found}
    alive = [letter_id for letter_id, still in outcomes.items() if still is None]
    still_dead = {letter_id: still for letter_id, still in outcomes.items() if still is not None}
    shown = table(("still dead", "because"), list(still_dead.items()), nothing="None is still dead.")
    print_answer(json_output, {"requeued": alive, "still_dead": still_dead}, f"{len(alive)} requeued.", shown)
    if still_dead:
        raise typer.Exit(1)


@dead_cli.command("discard")
def discard_letters(ids: Ids = None, json_output: Json = False) -> None:
    """Discard dead letters for good. Events stay in the log, marked as discarded; a message that was no event is deleted."""
    if not ids:
        raise typer.BadParameter("give the ids of those to discard")
    with logged_in(settings()) as engine:
        found = letters(engine, ids)
        for letter in found:
            discard(engine, letter)
    print_answer(json_output, {"discarded": [one.letter_id for one in found]}, f"{len(found)} discarded.")


def _letter_as_dict(letter: DeadLetter, path: tuple[str, ...] | None) -> dict[str, Any]:
    told = ("origin", "reason", "bytes", "times", "age")
    return {"id": letter.letter_id, "namespace": path, **{name: getattr(letter, name) for name in told}}


def letters(engine: Engine, ids: Sequence[UUID] | None = None, **narrowed: Any) -> list[DeadLetter]:
    """Return letters, newest first: those with the given ids, or as `db.dead_letters.dead_letters` filters them.

    Raises NotFound for the first unknown id.
    """
    with engine.begin() as connection:
        found = dead_letters.dead_letters(connection, letter_ids=ids, **narrowed)
    missing = [one for one in ids or () if one not in {letter.letter_id for letter in found}]
    if missing:
        raise NotFound(f"no dead letter {missing[0]}; 'mosshead service dead list' shows the existing ones")
    return found


def content_of(engine: Engine, letter: DeadLetter) -> Content:
    """Return a letter's content. It may be text of a conversation: show it only to an operator who asked for it."""
    with tenant_transaction(engine, letter.lane.tenant_id) as connection:
        return dead_letters.content_of(connection, letter)


def requeue(engine: Engine, letter: DeadLetter, settings: Settings, keys: Mapping[str, TenantKey]) -> str | None:
    """Retry a letter. Return None if it is on its way again, else the reason why it stays dead.

    An event that a stage gave up returns to its place in its lane. A message that the intake refused is checked again with the
    current settings and code. Raises NotFound if the letter was handled meanwhile.
    """
    try:
        with _locked(engine, letter) as connection:
            if letter.origin == "stage":
                dead_letters.revive(connection, letter)
                return None
            return _take_in(connection, letter, settings, keys)
    except DBAPIError as error:
        if not is_of_values(error):
            raise
        reason = refusal_of(error)
    with _locked(engine, letter) as connection:
        dead_letters.set_reason(connection, letter, reason)
    return reason


def discard(engine: Engine, letter: DeadLetter) -> None:
    """Discard a letter for good. Raises NotFound if it was handled meanwhile."""
    with _locked(engine, letter) as connection:
        dead_letters.discard(connection, letter)


def _take_in(
    connection: Connection, letter: DeadLetter, settings: Settings, keys: Mapping[str, TenantKey]
) -> str | None:
    content = dead_letters.content_of(connection, letter)
    if isinstance(content, Mapping):
        # If there was a key, the signature was verified before the event entered the inbox.
        text = json.dumps(content).encode()
        arrival = judge_event(content, size=len(text), body=text)
    else:
        arrival = judge(content or b"", keys)
    if isinstance(arrival, RefusedMessage):
        dead_letters.set_reason(connection, letter, arrival.reason)
        return arrival.reason
    dead_letters.forget(connection, letter)
    put_in(connection, [arrival], settings)
    return None


@contextmanager
def _locked(engine: Engine, letter: DeadLetter) -> Iterator[Connection]:
    with tenant_transaction(engine, letter.lane.tenant_id) as connection:
        if not dead_letters.lock(connection, letter):
            raise NotFound(f"the dead letter {letter.letter_id} is gone: somebody else requeued or discarded it")
        yield connection


lanes_cli = typer.Typer(help="Lanes: each namespace's events, in their order.", invoke_without_command=True)


@lanes_cli.callback()
def list_lanes(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 20,
    json_output: Json = False,
) -> None:
    """List quarantined lanes first, then those that have waited longest."""
    if context.invoked_subcommand is not None:
        return
    with logged_in(settings()) as engine:
        with engine.begin() as connection:
            found = dead_letters.lane_states(connection, limit=limit)
        paths = paths_of(engine, found)
    rows = [(path_text(paths[one.lane]), one.pending, duration(one.waiting), _doing(one)) for one in found]
    shown = table(("namespace", "pending", "since", "state"), rows, nothing="Nothing waits.")
    told = [name for name in LaneState.__slots__ if name != "lane"]
    lanes = [{"namespace": paths[one.lane], **{name: getattr(one, name) for name in told}} for one in found]
    print_answer(json_output, {"lanes": lanes}, shown)


@lanes_cli.command("resume")
def resume_lanes(
    path: Annotated[
        list[str] | None, typer.Argument(metavar="TENANT NAMESPACE...", help="One lane, given as TENANT NAMESPACE...")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All quarantined lanes.")] = False,
    json_output: Json = False,
) -> None:
    """Release quarantined lanes. Dead letters stay where they are: see 'dead requeue'."""
    if bool(path) == every:
        raise typer.BadParameter("give a lane as TENANT NAMESPACE..., or --all")
    named = NamespacePath.of(path) if path else None
    with logged_in(settings()) as engine, engine.begin() as connection:
        resumed = dead_letters.resume(connection, LaneRef(named.tenant_id, named.namespace_id) if named else None)
    if named and not resumed:
        raise NotFound(f"{named}: no such lane is quarantined; 'mosshead service lanes' lists the quarantined ones")
    print_answer(json_output, {"resumed": resumed}, f"{resumed} resumed.")


def _doing(state: LaneState) -> str:
    if state.quarantined is not None:
        return f"quarantined {duration(state.quarantined)} ago: {state.quarantined_for}"
    if state.stage is None:
        return "waits"
    leased = f", leased for {duration(state.leased)}" if state.leased is not None and state.leased > 0 else ""
    return f"{state.stage}{leased}{f'; latest failure: {state.error}' if state.error else ''}"
