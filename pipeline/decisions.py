"""What consolidation is given and what it decides: new facts, what they are held against, and what becomes of each."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from mosshead.kinds import MemoryKind
from pipeline.facts import Fact, Occurrence

RULES: Final = "rules"

Action = Literal["add", "update", "supersede", "contradict", "none", "quarantine", "forget"]


@dataclass(frozen=True, slots=True)
class Known:
    """What a fact may be held against.

    number: local, from 1: its place among all that the batch is held against. subject_ids: the entities that it describes;
        about_ids: those that it is surely about, its subjects among them.
    earlier_fact: its number, where it is no memory yet but a fact of the same batch.
    said_by: who said it, None where that is not known. injected: it was in the prompt of this conversation lately, so that
        what repeats it is its echo.
    """

    number: int
    content: str
    attribute: str | None
    value: str | None
    said_at: datetime
    subject_ids: frozenset[UUID]
    earlier_fact: int | None = None
    occurred: Occurrence | None = None
    said_by: str | None = None
    kind: MemoryKind = MemoryKind.FACT
    injected: bool = False
    about_ids: frozenset[UUID] = frozenset()


@dataclass(frozen=True, slots=True)
class NewFact:
    """A candidate fact, by whom it was said, and what it is held against: near, most similar first, each with its cosine.

    subject_ids, about_ids: as those of what is known.
    """

    number: int
    fact: Fact
    said_at: datetime
    subject_ids: frozenset[UUID]
    near: tuple[tuple[Known, float], ...]
    said_by: str | None = None
    about_ids: frozenset[UUID] = frozenset()


@dataclass(frozen=True, slots=True)
class Decision:
    """What happens to one fact.

    target: what it updates, supersedes, contradicts, repeats or has forgotten; None for an add, a quarantine, a fact not
        worth one, and what is to be forgotten and is not known.
    content: the merged statement of an update.
    decided_by: "rules", or the model's name; prompt_version: of the prompt it was asked with.
    reinforces: a "none" counts as its target said again; not so an echo, nor what a later statement overtook.
    refused: why the model's proposal for this fact was not taken, so that the rules decided; None where it was, or not asked.
    """

    fact_number: int
    action: Action
    target: Known | None
    reason: str
    content: str | None = None
    decided_by: str = RULES
    prompt_version: int | None = None
    reinforces: bool = True
    refused: str | None = None
