"""`mosshead demo`: run a sample of three years of conversations on its own machine, from publish to recall."""

import json
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import typer
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table

from config.logging import configure_logging
from config.settings import Settings, settings
from mosshead.api.memory import Memory
from mosshead.api.namespace import Namespace
from mosshead.cli.output import Json
from mosshead.embeddings.local.files import provide_model
from mosshead.errors import MossheadError
from mosshead.models.questions import Candidate, Question
from workers.cli.admin import migrate_machine
from workers.local import Addresses, check, flower_answers, processes, servers, wait_until
from workers.local.processes import ROOT

SAMPLE = ROOT / "examples" / "sample.jsonl"

QUESTIONS = (
    "Check if Peter's content is passing as human",
    "Where do I live?",
    "When is the weekly call with Brightleaf?",
    "Can Tom's brother Peter eat paella?",
    "How do we onboard a new client?",
    "What am I allergic to?",
)

# The words that the answer to the first question must contain.
PROMISED = (("peter", "writer"), ("human", "detector"))

_PATIENCE_SECONDS = 180.0
_EFFECT_SECONDS = 60.0


class DemoFailed(MossheadError):
    """The demo did not show what it promises."""


def run_demo(
    keep: Annotated[bool, typer.Option(help="Keep the data folder so that you can look at it afterwards.")] = False,
    json_output: Json = False,
) -> None:
    """Run a demo with a sample of three years of conversations, from publish to recall."""
    console = Console(stderr=json_output)
    folder = Path(tempfile.mkdtemp(prefix="mosshead-demo-"))
    # Its own servers, whatever the environment names: a demo must not write into anybody's database.
    own = settings().model_copy(
        update={"data_dir": folder, "database_url": None, "ingest_url": None, "worker_url": None, "broker_url": None}
        | {"admin_url": None, "flower_port": 0, "log_level": "warning"}
    )
    configure_logging(own)
    try:
        check(own)
        provide_model(own.embedder)
        with servers(own) as addresses:
            migrate_machine(own, addresses)
            with processes(addresses, to_logs=True):
                _say(console, own, addresses)
                wait_until(lambda: flower_answers(addresses), timeout=_PATIENCE_SECONDS, what="Flower")
                report = _show(console, addresses)
        console.print(
            f"Flower was at {addresses.flower_url}; everything is stopped" + ("." if keep else " and removed.")
        )
    finally:
        if keep:
            console.print(f"The data stays in {folder}", soft_wrap=True)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    if json_output:
        print(json.dumps(report))
    _check(report)


def _say(console: Console, settings: Settings, addresses: Addresses) -> None:
    how = settings.llm_model if settings.uses_llm else "the offline rules, since OPENAI_API_KEY is not set"
    console.print(f"[bold]Postgres, Redis, intake, scheduler, workers and Flower are up[/]: facts by {how}.")
    console.print(
        f"Flower: {addresses.flower_url} (user {addresses.flower_user}, password {addresses.flower_password})",
        soft_wrap=True,
    )


def _show(console: Console, addresses: Addresses) -> dict[str, Any]:
    records = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    with Memory.connect(database_url=addresses.database_url, broker_url=addresses.broker_url) as memory:
        nadia = memory.namespace("demo", "nadia")
        with console.status(f"publishing {len(records)} messages"):
            publish_ms = [_milliseconds(partial(nadia.publish, **record)) for record in records]
        with console.status("consolidating"):
            consolidated_ms = _milliseconds(partial(nadia.wait, timeout=_PATIENCE_SECONDS))
        memory.warm_up()  # as an app does at its start
        _show_known(console, nadia)
        answers = [_answer(console, nadia, question) for question in QUESTIONS]
        question = _show_question(console, nadia)
        correction = _show_correction(console, nadia)
        # Each is new to the embedder's cache, so the time includes an embedding and a search.
        texts = [f"What do you know about {who} number {number}?" for number in range(25) for who in ("Peter", "WOBS")]
        query_ms = [_milliseconds(partial(nadia.query, text)) for text in texts]
    latencies = {"publish_ms": _percentiles(publish_ms), "query_ms": _percentiles(query_ms)}
    for name, figures in latencies.items():
        console.print(f"{name.removesuffix('_ms'):8} p50 {figures['p50']:.2f} ms   p99 {figures['p99']:.2f} ms")
    return {
        "messages": len(publish_ms),
        "consolidated_s": round(consolidated_ms / 1000, 2),
        "answers": answers,
        "question": question,
        "correction": correction,
    } | latencies


def _show_known(console: Console, nadia: Namespace) -> None:
    memories = [(f"{one.salience:.1f}", one.kind, f"{one.said_at:%Y-%m-%d}", one.content) for one in nadia.memories()]
    _show_table(console, "Memories", ("salience", "kind", "said", "memory"), memories)
    entities = [(one.entity_type, one.name, nadia.entities.profile(one.id).summary) for one in nadia.entities.list()]
    _show_table(console, "Entities", ("type", "name", "profile"), entities)


def _show_table(console: Console, title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Only the last column and names may be wrapped."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, no_wrap=column not in {columns[-1], "name", "memory"})
    for row in rows:
        table.add_row(*map(escape, row))
    console.print(table)


def _answer(console: Console, nadia: Namespace, question: str) -> dict[str, Any]:
    started = time.perf_counter()
    context = nadia.context(question, budget=300)
    took = 1000 * (time.perf_counter() - started)
    asked = "".join(f"\n[yellow]{escape(one.text)}[/]" for one in context.questions)
    title = f"{escape(question)}  [dim]{took:.0f} ms, {context.tokens} tokens[/]"
    console.print(Panel(escape(context.text) + asked, title=title, title_align="left"))
    return {"question": question, "context": context.text, "asked": [one.text for one in context.questions]}


def _check(report: dict[str, Any]) -> None:
    """Check the first question's context. Raises DemoFailed if it lacks what it must contain."""
    told = report["answers"][0]["context"].casefold().splitlines()
    for words in PROMISED:
        if not any(all(word in line for word in words) for line in told):
            raise DemoFailed(f"the context of {QUESTIONS[0]!r} lacks a memory with {' and '.join(words)}")


def _milliseconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - started)


def _percentiles(times: Sequence[float]) -> dict[str, float]:
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return {"p50": round(cuts[49], 3), "p99": round(cuts[98], 3)}


CORRECTION = "Actually, I live in Porto."


def _show_correction(console: Console, nadia: Namespace) -> dict[str, Any]:
    """Correct where Nadia lives, show the earlier state, and undo the correction. Raises DemoFailed."""
    before = datetime.now(UTC)
    said = nadia.publish(CORRECTION, conversation="demo")
    nadia.wait(timeout=_EFFECT_SECONDS)
    decided = (one for memory in nadia.messages.memories(said) for one in nadia.decisions.for_memory(memory.id))
    decision = next((one for one in decided if one.action == "supersede"), None)
    if decision is None:
        raise DemoFailed(f"the demo's {CORRECTION!r} replaced no memory")
    corrected, target = nadia.get(str(decision.memory_id)), str(decision.target_id)
    replaced = nadia.get(target)
    then = nadia.get(target, as_of=before)
    nadia.undo(decision.id)
    nadia.wait(timeout=_EFFECT_SECONDS)
    restored, withdrawn = nadia.get(target), nadia.get(corrected.id)

    shown = (
        ("corrected", corrected),
        ("", replaced),
        (f"as of {before:%H:%M:%S}, before", then),
        ("undone", withdrawn),
        ("", restored),
    )
    rows = [(when, memory.content, memory.state) for when, memory in shown]
    _show_table(console, f"“{CORRECTION}” and its undo", ("", "memory", "state"), rows)
    console.print(f"[dim]decided by {decision.decided_by}: {decision.action}, {escape(decision.reason)}[/]")
    return {
        "corrected": corrected.content,
        "as_of_before": then.content,
        "states": [replaced.state, then.state, withdrawn.state, restored.state],
        "after_undo": restored.content,
    }


TURN = "Peter is learning Italian."
ANSWER = "brother-in-law"


def _show_question(console: Console, nadia: Namespace) -> dict[str, Any]:
    """Publish a message that may mean either Peter, answer the resulting question, and show the effect. Raises DemoFailed."""
    said = nadia.publish(TURN, conversation="demo-question")
    nadia.wait(timeout=_EFFECT_SECONDS)
    question, meant = _asked(nadia)
    (held,) = nadia.messages.memories(said)
    before = _about(nadia, held.id)
    nadia.entities.clarify(question, meant)
    nadia.wait(timeout=_EFFECT_SECONDS)
    after = _about(nadia, held.id)

    console.print(f"“{TURN}”\n[yellow]{escape(question.text)}[/]\n“The {ANSWER}.”")
    rows = [
        (when, held.content, "; ".join(f"{who} ({how})" for who, how in links))
        for when, links in (("asked", before), ("answered", after))
    ]
    _show_table(console, "Held until the answer", ("", "memory", "about"), rows)
    return {
        "asked": question.text,
        "offered": len(question.candidates),
        "answer": meant.description,
        "memory": held.content,
        "before": before,
        "after": after,
        "still_open": [one.text for one in nadia.entities.questions() if one.id == question.id],
    }


def _asked(nadia: Namespace) -> tuple[Question, Candidate]:
    for question in reversed(nadia.entities.questions()):
        for candidate in question.candidates:
            if question.message == TURN and ANSWER in candidate.description:
                return question, candidate
    raise DemoFailed(f"the demo's {TURN!r} was not asked back")


def _about(nadia: Namespace, memory_id: UUID) -> list[tuple[str, str]]:
    """Return whom a memory is about, and how surely, as in the export."""
    records = [json.loads(line) for line in nadia.export()]
    names = {
        one["key"]: ", ".join(filter(None, (one["name"], one.get("description"))))
        for one in records
        if one["type"] == "entity"
    }
    (memory,) = (one for one in records if one["type"] == "memory" and one["id"] == str(memory_id))
    return [(names[key], certainty) for key, (_, certainty) in zip(memory["about"], memory["roles"], strict=True)]
