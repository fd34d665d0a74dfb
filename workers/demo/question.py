"""The part of the demo that asks back: a sentence that fits two Peters, the answer, and what was held until then."""

import json
from typing import Any
from uuid import UUID

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mosshead.api.namespace import Namespace
from mosshead.entities.questions import Candidate, Question
from mosshead.errors import MossheadError

TURN = "Peter is learning Italian."
ANSWER = "brother-in-law"

_QUESTION_SECONDS = 60.0


class NothingAsked(MossheadError):
    """The service asked nothing where the words fit two."""


def show_question(console: Console, nadia: Namespace) -> dict[str, Any]:
    """Say what may be of either Peter, answer the question that follows, and show what became of it. Raises NothingAsked."""
    said = nadia.publish(TURN, conversation="demo-question")
    nadia.wait(timeout=_QUESTION_SECONDS)
    question, meant = _asked(nadia)
    (held,) = nadia.memories_from(said)
    before = _about(nadia, held.id)
    nadia.clarify(question, meant)
    nadia.wait(timeout=_QUESTION_SECONDS)
    after = _about(nadia, held.id)

    console.print(f"“{TURN}”\n[yellow]{escape(question.text)}[/]\n“The {ANSWER}.”")
    table = Table(title="Held until the answer", title_justify="left", box=None, pad_edge=False)
    for column in ("", "memory", "about"):
        table.add_column(column, no_wrap=column == "")
    for when, links in (("asked", before), ("answered", after)):
        table.add_row(when, escape(held.content), escape("; ".join(f"{who} ({how})" for who, how in links)))
    console.print(table)
    return {
        "asked": question.text,
        "offered": len(question.candidates),
        "answer": meant.description,
        "memory": held.content,
        "before": before,
        "after": after,
        "still_open": [one.text for one in nadia.questions() if one.id == question.id],
    }


def _asked(nadia: Namespace) -> tuple[Question, Candidate]:
    for question in reversed(nadia.questions()):
        for candidate in question.candidates:
            if question.message == TURN and ANSWER in candidate.description:
                return question, candidate
    raise NothingAsked(f"the demo's {TURN!r} was not asked back")


def _about(nadia: Namespace, memory_id: UUID) -> list[tuple[str, str]]:
    """Whom a memory is about, and how surely, as the export has it."""
    records = [json.loads(line) for line in nadia.export()]
    names = {one["key"]: ", ".join(_named(one)) for one in records if one["type"] == "entity"}
    (memory,) = (one for one in records if one["type"] == "memory" and one["id"] == str(memory_id))
    return [(names[key], certainty) for key, (_, certainty) in zip(memory["about"], memory["roles"], strict=True)]


def _named(entity: dict[str, Any]) -> list[str]:
    return [entity["name"], *([entity["description"]] if entity.get("description") else [])]
