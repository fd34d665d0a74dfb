"""Scores the contexts that are given for questions about people's lives, as their reader sees them.

    python -m benchmarks.lives --data DIR [--fill] [--json]

--data: a folder of folders, each with a ``messages.jsonl`` and a ``questions.jsonl``: what one person, or a group, wrote to an
assistant, and what is asked about it. Each is published into a namespace of a service that is started for it (local embeddings,
no LLM) and removed afterwards. Each question is asked by `Namespace.context` with its ``now`` and its ``speaker``, with an empty
history and a budget of 800 tokens. Prints one JSON object last; `benchmarks.lives.scoring` says what its figures are.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer
from rich.console import Console

from benchmarks.lives.lives import DataError, Life, LifeQuestion, read_lives
from benchmarks.lives.scoring import LifeAnswer, Line, as_json
from benchmarks.rig import Rig, rig
from mosshead import Memory, Namespace
from mosshead.models.context import Explanation, message_note
from mosshead.models.notes import memory_note

_BUDGET = 800
_PATIENCE_SECONDS = 1200.0


def main(
    *,
    data: Annotated[Path, typer.Option(help="A folder with lives.", exists=True, file_okay=False)],
    fill: Annotated[bool, typer.Option("--fill", help="Fill the budget, all memories first.")] = False,
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Publish the lives, ask their questions, and score the contexts."""
    console = Console(stderr=True, quiet=json_only)
    try:
        lives = read_lives(data)
    except DataError as error:
        raise typer.BadParameter(f"--data: {error}") from None
    with rig(concurrency=1, pause=None) as service, service.memory() as memory:
        answers = ask(lives, service, memory, console=console, fill=fill)
    print(json.dumps(as_json(answers)))


def ask(
    lives: Sequence[Life], service: Rig, memory: Memory, *, console: Console, fill: bool = False
) -> list[LifeAnswer]:
    """Publish the lives to a running service, and ask their questions."""
    events = service.received() + sum(len(life.messages) for life in lives)
    published = [memory.namespace("lives", life.name).publish_conversation(life.messages) for life in lives]
    service.await_done(events, within=_PATIENCE_SECONDS)
    answers = []
    for life, event_ids in zip(lives, published, strict=True):
        console.print(f"{life.name}: {len(life.messages)} messages, {len(life.questions)} questions")
        ids = dict(zip(event_ids, life.ids, strict=True))
        answers += [
            _answer(memory.namespace("lives", life.name), question, ids, fill=fill) for question in life.questions
        ]
    return answers


def _answer(namespace: Namespace, question: LifeQuestion, ids: dict[UUID, str], *, fill: bool = False) -> LifeAnswer:
    context = namespace.context(question.ask, budget=_BUDGET, now=question.now, speaker=question.speaker, fill=fill)
    lines = (_line(one, ids) for one in context.explain())
    return LifeAnswer(question=question, lines=tuple(lines), tokens=context.tokens)


def _line(one: Explanation, ids: dict[UUID, str]) -> Line:
    if one.message is not None:
        return Line(text=message_note(one.message), sources=frozenset({ids[one.message.id]}))
    assert one.memory is not None
    return Line(text=memory_note(one.memory), sources=frozenset(ids[source] for source in one.sources))


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
