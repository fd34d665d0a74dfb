"""What was decided about memories, and on what grounds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

Action = Literal[
    "add",
    "update",
    "supersede",
    "contradict",
    "none",
    "quarantine",
    "refuse",
    "undo",
    "clarify",
    "merge",
    "split",
    "forget",
    "document",
    "set_prompt",
    "roll_back_prompt",
    "optimize_prompt",
    "erase",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Considered:
    """A memory that a fact was held against, at the version that was read. similarity: cosine of the two."""

    memory_id: UUID
    version: int
    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One thing that was decided.

    action: "add" made a memory, "update" made one more precise, "supersede" replaced one, "contradict" set one against another,
        "none" found it known already, "quarantine" kept it from becoming a memory, "refuse" did not take it for a fact;
        "undo" took a decision back;
        "clarify" answered whom a mention means, "merge" made two entities one, "split" one two; "forget" closed memories;
        "document" changed a document, which is its target;
        "set_prompt", "roll_back_prompt" and "optimize_prompt" made a version of a prompt;
        "erase" deleted for good, and took what it saw out of the decisions before it.
    memory_id: what it made, changed or found. target_id, target_version: what the fact was held against.
    fact: what was extracted, as JSON: content, kind, quote, occurred, mentions, …; of a clarify, merge or split what the app
        named, of a document the patch; empty for an undo. candidates: what was near.
    extracted_by, decided_by: "rules", or the model's name; what the app told is decided by "app", and extracted by nobody.
    prompt_version: of the prompt.
    undoes: the decision that it takes back. in_effect: False where it was taken back, or was refused.
    refused: why what the model proposed, or the app told, was not carried out.
    """

    id: UUID
    action: Action
    reason: str
    decided_at: datetime
    decided_by: str
    extracted_by: str | None = None
    prompt_version: int | None = None
    memory_id: UUID | None = None
    target_id: UUID | None = None
    target_version: int | None = None
    fact: Mapping[str, Any] = field(default_factory=dict, hash=False)
    candidates: tuple[Considered, ...] = ()
    undoes: UUID | None = None
    in_effect: bool = True
    refused: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """How another memory stands to one.

    kind: "similar" (weight: the cosine), "contradicts" (either way), "replaces" and "replaced_by", "shares_entity" (weight: how
        many of them), "summary" (memory_id is None: entity_id has a profile that sums it up).
    """

    kind: Literal["similar", "contradicts", "replaces", "replaced_by", "shares_entity", "summary"]
    memory_id: UUID | None = None
    entity_id: UUID | None = None
    weight: float | None = None
