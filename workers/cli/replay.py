"""`mosshead service replay`: replay a namespace with another LLM or instructions, compare, and switch to the result."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from config.settings import settings
from db.usage import Cost
from mosshead.cli.output import Json, print_answer
from mosshead.events.commands import MAX_INSTRUCTIONS
from mosshead.fencing import one_line
from mosshead.paths import NamespacePath
from pipeline.replay.compare import Comparison
from pipeline.replay.models import KnownMemory
from workers.cli.output import path_text, say, table
from workers.dependencies import logged_in
from workers.replay import replays
from workers.replay.replays import Replay

replay_cli = typer.Typer(
    help="Replay a namespace with another LLM or instructions, compare the results, and switch over (docs/how-to/replay.md).",
    invoke_without_command=True,
)

Named = Annotated[
    list[str], typer.Argument(metavar="TENANT NAMESPACE...", help="The namespace, given as the parts of its path.")
]


@replay_cli.callback()
def list_replays(context: typer.Context, json_output: Json = False) -> None:
    """List the replays and their progress."""
    if context.invoked_subcommand is not None:
        return
    with logged_in(settings()) as engine:
        found = replays.listed(engine)
    rows = [
        (path_text(one.path), one.llm_model or "the service's", one.generation.replayed, one.behind, _missing(one))
        for one in found
    ]
    shown = table(("namespace", "LLM", "replayed", "behind", "missing"), rows, nothing="Nothing is replayed.")
    print_answer(json_output, {"replays": [_as_dict(one) for one in found]}, shown)


@replay_cli.command()
def start(
    path: Named,
    llm_model: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="Another LLM at the same endpoint, instead of MOSSHEAD_LLM_MODEL."),
    ] = None,
    instructions: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, help="A file with instructions for the LLM, instead of the app's own."
        ),
    ] = None,
) -> None:
    """Replay all that was said in a namespace. The workers do it in the background; apps read the old memories."""
    chosen, named = settings(), NamespacePath.of(path)
    told = None if instructions is None else _instructions(instructions)
    with logged_in(chosen) as engine:
        replays.start(engine, chosen, named, llm_model=llm_model, instructions=told)
    say(f"{named} is replayed. 'mosshead service replay' shows how far it has come, 'replay diff' what differs.")


@replay_cli.command()
def diff(
    path: Named,
    most: Annotated[int, typer.Option(min=0, help="Show at most this many memories of each sort.")] = 20,
    json_output: Json = False,
) -> None:
    """Compare the memories of a replay with those of the namespace. The output contains their texts."""
    named = NamespacePath.of(path)
    with logged_in(settings()) as engine:
        replay, memories, costs = replays.difference(engine, named)
    answer = {
        "same": memories.same,
        "reworded": [{"before": _memory(one), "after": _memory(other)} for one, other in memories.reworded],
        "only_before": list(map(_memory, memories.only_before)),
        "only_after": list(map(_memory, memories.only_after)),
        "behind": replay.behind,
        "dead": replay.dead,
        "left_out": replay.generation.left_out,
        "costs": costs,
    }
    print_answer(json_output, answer, *map(escape, _lines(replay, memories, costs, most)))


@replay_cli.command()
def switch(
    path: Named,
    despite: Annotated[
        bool, typer.Option("--despite", help="Switch even if something is missing in the replay.")
    ] = False,
    wait: Annotated[
        float, typer.Option(min=0, help="Wait at most this many seconds until both have processed what waits.")
    ] = 60.0,
) -> None:
    """Let apps read the replay. The old memories take its place as the replay, so running 'switch' again goes back."""
    named = NamespacePath.of(path)
    with logged_in(settings()) as engine:
        replays.switch(engine, named, despite=despite, wait=wait)
    say(f"{named}: apps now read the replay. The old memories are kept beside it; 'replay drop' deletes them.")


@replay_cli.command()
def drop(path: Named) -> None:
    """Delete the replay of a namespace. Apps read what they read before."""
    named = NamespacePath.of(path)
    with logged_in(settings()) as engine:
        replays.drop(engine, named)
    say(f"{named} has no replay any more.")


def _instructions(file: Path) -> str:
    """Read instructions for the LLM from a file, within the limits of `configure`."""
    try:
        with file.open(encoding="utf-8") as opened:
            told = opened.read(MAX_INSTRUCTIONS + 1)
    except UnicodeDecodeError:
        told = "\0"
    if "\0" in told:
        raise typer.BadParameter(f"{file} is not UTF-8 text", param_hint="--instructions")
    if len(told) > MAX_INSTRUCTIONS:
        raise typer.BadParameter(
            f"{file} has more than {MAX_INSTRUCTIONS:,} characters; shorten it", param_hint="--instructions"
        )
    return told


def _missing(one: Replay) -> str:
    parts = [f"{len(one.generation.left_out)} commands"] * bool(one.generation.left_out)
    return ", ".join(parts + [f"{one.dead} dead letters"] * bool(one.dead))


def _as_dict(one: Replay) -> dict[str, Any]:
    of_replay = {name: getattr(one, name) for name in ("llm_model", "behind", "dead")}
    told = ("started_at", "switched_at", "replayed", "left_out")
    return {"namespace": one.path, **of_replay, **{name: getattr(one.generation, name) for name in told}}


def _memory(one: KnownMemory) -> dict[str, Any]:
    return {"id": one.memory_id, "kind": one.kind, "content": one.content}


def _lines(replay: Replay, memories: Comparison, costs: Sequence[Cost], most: int) -> Iterator[str]:
    if replay.behind:
        yield f"{replay.behind} events have not taken effect in the replay yet."
    yield (
        f"{memories.same} memories say the same, {len(memories.reworded)} are worded otherwise, "
        f"{len(memories.only_before)} are not in the replay, {len(memories.only_after)} are new there."
    )
    pairs: tuple[tuple[str, Sequence[tuple[KnownMemory, ...]]], ...] = (
        ("-", [(one,) for one in memories.only_before]),
        ("+", [(one,) for one in memories.only_after]),
        ("~", memories.reworded),
    )
    for mark, differing in pairs:
        for same in differing[:most]:
            yield f"{mark} " + "\n  ".join(one_line(one.content) for one in same)
        if len(differing) > most:
            yield f"{mark} … {len(differing) - most} more (--most, or --json)"
    for left in replay.generation.left_out:
        yield f"! {left['type']} {left['event_id']}: {left['why']}"
    if replay.dead:
        yield f"! {replay.dead} events died in the replay: 'mosshead service dead list'"
    for cost in costs:
        yield f"{cost.of}: {cost.calls} calls, {cost.prompt_tokens:,} tokens in, {cost.completion_tokens:,} out"
