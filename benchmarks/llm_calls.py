"""What a conversation costs at the LLM: calls for each hundred messages, and tokens by stage.

    python -m benchmarks.llm_calls --data locomo.json [--conversation NAME] [--sessions N] [--pause SECONDS] [--json]

--data: a file of LoCoMo (snap-research/LoCoMo; CC BY-NC 4.0, so bring your own). The service runs with its default settings, its
debounce of 2 s (30 s at most) among them, and asks an endpoint that replays the facts which the file holds (`replaying_model`).

The conversation is published as its two people said it, session by session, but faster. Two times are compressed:
- between two turns, where the file has none, to --pause. Below the 2 s a session is one burst to the debounce, as it is where an
  app publishes a conversation when it ends, or where people answer at once. Above them each turn is a batch of its own, and costs
  its own calls: try --sessions 3 --pause 3. The clock of the debounce is the database's, so nothing of it is compressed.
- between two sessions, which are days apart, to the moment when all of the last one took effect. The debounce has long ended by
  then, so a longer wait changes nothing.
"""

import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.ingest import read_conversations
from benchmarks.replaying_model import ReplayingModel, read_told
from benchmarks.rig import Rig, rig
from mosshead import Memory

_PATIENCE_SECONDS = 120.0

Session = Sequence[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Result:
    """What a run shows. facts_told: those of the file; facts_formed: those that stood the check against the messages.

    tokens: by stage, in (prompt) and out (completion), as `mosshead service usage` counts them. undone: messages without effect;
    must be 0.
    """

    conversation: str
    sessions: int
    messages: int
    pause_seconds: float
    batches: int
    extraction_calls: int
    decision_calls: int
    extraction_calls_per_100: float
    decision_calls_per_100: float
    tokens: dict[str, dict[str, int]]
    tokens_per_100: dict[str, dict[str, int]]
    facts_told: int
    facts_formed: int
    memories: int
    undone: int

    @property
    def sound(self) -> bool:
        """Whether facts were formed, and every message took effect."""
        return self.facts_formed > 0 and self.undone == 0


def main(
    data: Annotated[Path, typer.Option(help="A file of LoCoMo.", exists=True, dir_okay=False)],
    conversation: Annotated[str | None, typer.Option(help="By its sample_id; the first by default.")] = None,
    only: Annotated[int | None, typer.Option("--sessions", min=1, help="The first so many; all by default.")] = None,
    pause: Annotated[float, typer.Option(min=0, help="Seconds between two turns of a session.")] = 0.1,
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Count the calls and the tokens of one conversation."""
    conversations = dict(read_conversations(data))
    name = conversation or next(iter(conversations))
    if name not in conversations:
        raise typer.BadParameter(f"--conversation: {name} is none of {', '.join(conversations)}")
    sessions = [list(turns) for _, turns in groupby(conversations[name], key=lambda turn: turn["conversation"])][:only]
    said = {turn["content"] for session in sessions for turn in session}
    told = [one for one in read_told(data, name) if one.texts[0] in said]
    with (
        ReplayingModel(told) as model,
        rig(concurrency=2, pause=None, settings={"OPENAI_BASE_URL": model.base_url}) as made,
        made.memory() as memory,
    ):
        _publish(made, memory, name, sessions, pause)
        result = _result(made, model.calls, name=name, sessions=sessions, pause=pause, told=len(told))
    _show(result, Console(stderr=True, quiet=json_only))
    print(json.dumps(asdict(result)))
    sys.exit(0 if result.sound else 1)


def per_100(count: int, messages: int) -> float:
    """For each hundred messages."""
    return round(100 * count / messages, 1)


def _publish(made: Rig, memory: Memory, name: str, sessions: Sequence[Session], pause: float) -> None:
    namespace, published = memory.namespace("llm_calls", name), 0
    for session in sessions:
        for turn in session:
            namespace.publish(**turn)
            time.sleep(pause)
        published += len(session)
        made.await_done(published, within=_PATIENCE_SECONDS)


def _result(
    made: Rig, calls: Mapping[str, int], *, name: str, sessions: Sequence[Session], pause: float, told: int
) -> Result:
    messages = sum(map(len, sessions))
    spent = made.rows(
        "select stage, sum(prompt_tokens)::int, sum(completion_tokens)::int from mosshead.usage group by stage order by stage"
    )
    ((batches, facts, memories, undone),) = made.rows("""
        select (select count(*) from mosshead.batches), (select count(*) from mosshead.candidate_facts where refused is null),
               (select count(*) from mosshead.memories where known_to is null and state = 'active'),
               (select count(*) from mosshead.events where state <> 'done')
    """)
    extractions, decisions = calls["ExtractionAnswer"], calls["ConsolidationAnswer"]
    return Result(
        conversation=name,
        sessions=len(sessions),
        messages=messages,
        pause_seconds=pause,
        batches=batches,
        extraction_calls=extractions,
        decision_calls=decisions,
        extraction_calls_per_100=per_100(extractions, messages),
        decision_calls_per_100=per_100(decisions, messages),
        tokens={stage: {"prompt": sent, "completion": received} for stage, sent, received in spent},
        tokens_per_100={
            stage: {"prompt": round(per_100(sent, messages)), "completion": round(per_100(received, messages))}
            for stage, sent, received in spent
        },
        facts_told=told,
        facts_formed=facts,
        memories=memories,
        undone=undone,
    )


def _show(result: Result, console: Console) -> None:
    title = f"{result.conversation}: {result.messages} messages in {result.sessions} sessions, {result.pause_seconds:g} s apart"
    table = Table(title=title)
    for column in ("stage", "calls", "calls\nper 100", "tokens in", "tokens out", "in\nper 100", "out\nper 100"):
        table.add_column(column, justify="left" if column == "stage" else "right")
    calls = {"extract": result.extraction_calls, "consolidate": result.decision_calls}
    for stage, count in calls.items():
        none = {"prompt": 0, "completion": 0}
        tokens, each = result.tokens.get(stage, none), result.tokens_per_100.get(stage, none)
        figures = (*tokens.values(), *each.values())
        table.add_row(stage, f"{count}", f"{per_100(count, result.messages):g}", *(f"{one:,}" for one in figures))
    console.print(table)
    console.print(
        f"{result.batches} batches; {result.facts_formed} of {result.facts_told} facts formed, {result.memories} memories; "
        f"{result.undone} messages without effect",
        soft_wrap=True,
    )


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
