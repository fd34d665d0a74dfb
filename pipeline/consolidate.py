"""How the facts of a batch stand to what is remembered: added, updating a memory, superseding one, or nothing new.

Clear cases are settled by rules. The rest goes to the LLM in one call for the whole batch, or, without one, to rules of
similarity. The LLM proposes and this code disposes: it sees local numbers, and a number that it was not shown is refused.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from pipeline.agreement import agree, is_more_precise, same_statement
from pipeline.facts import Fact
from pipeline.ports import LanguageModel
from pipeline.prompts.consolidation import (
    ConsolidationAnswer,
    FactDecision,
    ShownFact,
    ShownMemory,
    consolidation_prompt,
)

DUPLICATE = 0.90
"""Cosine from which two statements whose words agree count as one (MiniLM; similarity alone never decides)."""

CORRECTED = 0.55
"""Cosine from which a correction is taken to speak of a memory about the same subject."""

RULES = "rules"

Action = Literal["add", "update", "supersede", "none"]


@dataclass(frozen=True, slots=True)
class Known:
    """What a fact may be held against.

    number: local, from 1: its place among all that the batch is held against. subject_ids: the entities that it describes.
    earlier_fact: its number, where it is no memory yet but a fact of the same batch.
    """

    number: int
    content: str
    attribute: str | None
    value: str | None
    said_at: datetime
    subject_ids: frozenset[UUID]
    earlier_fact: int | None = None


@dataclass(frozen=True, slots=True)
class NewFact:
    """A candidate fact with what it is held against: near, most similar first, each with its cosine."""

    number: int
    fact: Fact
    said_at: datetime
    subject_ids: frozenset[UUID]
    near: tuple[tuple[Known, float], ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """What happens to one fact.

    target: what it updates, supersedes or repeats; None for an add, and for a fact that is not worth one.
    content: the merged statement of an update.
    decided_by: "rules", or the model's name; prompt_version: of the prompt it was asked with.
    """

    fact_number: int
    action: Action
    target: Known | None
    reason: str
    content: str | None = None
    decided_by: str = RULES
    prompt_version: int | None = None


def consolidate(facts: Sequence[NewFact], model: LanguageModel | None) -> list[Decision]:
    """One decision for each fact, in their order. Raises what the model raises; a batch without doubtful facts asks nothing."""
    decided = {fact.number: decision for fact in facts if (decision := _clear_case(fact)) is not None}
    doubtful = [fact for fact in facts if fact.number not in decided]
    asked = _ask(doubtful, model) if model is not None and any(_memories(fact) for fact in doubtful) else {}
    return [decided.get(fact.number) or asked.get(fact.number) or _by_similarity(fact) for fact in facts]


def _clear_case(fact: NewFact) -> Decision | None:
    for known, _ in fact.near:
        if same_statement(fact.fact.content, known.content):
            return Decision(fact.number, "none", known, "the same statement")
    for known, _ in fact.near:
        decision = _same_attribute(fact, known)
        if decision is not None:
            return decision
    return None if fact.near else Decision(fact.number, "add", None, "nothing near")


def _same_attribute(fact: NewFact, known: Known) -> Decision | None:
    """What can have one value at a time: the same value is a repetition, a part of it less precise, another one newer."""
    value = fact.fact.value
    same = fact.fact.attribute and fact.fact.attribute == known.attribute and fact.subject_ids & known.subject_ids
    if not same or not value or not known.value:
        return None
    if same_statement(value, known.value) or is_more_precise(known.value, value):
        return Decision(fact.number, "none", known, f"{known.attribute} is known")
    if is_more_precise(value, known.value):
        return Decision(fact.number, "update", known, f"{known.attribute} more precisely", content=fact.fact.content)
    if fact.said_at < known.said_at:
        return Decision(fact.number, "none", known, f"a later {known.attribute} is known")
    return Decision(fact.number, "supersede", known, f"another {known.attribute}")


def _by_similarity(fact: NewFact) -> Decision:
    for known, similarity in fact.near:
        about_same = bool(fact.subject_ids & known.subject_ids) or not fact.subject_ids
        if fact.fact.corrects and similarity >= CORRECTED and about_same:
            if fact.said_at < known.said_at:
                return _overtaken(fact, known)
            return Decision(fact.number, "supersede", known, "a correction")
        if similarity >= DUPLICATE and about_same and agree(fact.fact.content, known.content):
            return Decision(fact.number, "none", known, "the same in other words")
    return Decision(fact.number, "add", None, "nothing that says the same")


def _overtaken(fact: NewFact, known: Known) -> Decision:
    """An event that took effect late, as one that was a dead letter: what was said after it stands."""
    return Decision(fact.number, "none", known, "a later statement is known")


def _memories(fact: NewFact) -> dict[int, Known]:
    return {known.number: known for known, _ in fact.near if known.earlier_fact is None}


def _ask(facts: Sequence[NewFact], model: LanguageModel) -> Mapping[int, Decision]:
    shown = {known.number: known for fact in facts for known in _memories(fact).values()}
    prompt = consolidation_prompt(
        [
            ShownFact(fact.number, fact.fact.content, fact.said_at, fact.fact.corrects, tuple(_memories(fact)))
            for fact in facts
        ],
        [ShownMemory(number, known.content, known.said_at) for number, known in sorted(shown.items())],
    )
    answer = model.answer(prompt)
    by_number = {fact.number: fact for fact in facts}
    return {
        decision.fact_number: decision
        for proposed in _one_each(answer)
        if (fact := by_number.get(proposed.fact)) is not None
        for decision in [_checked(fact, proposed, model.name, prompt.version)]
        if decision is not None
    }


def _one_each(answer: ConsolidationAnswer) -> Iterator[FactDecision]:
    yield from {decision.fact: decision for decision in reversed(answer.decisions)}.values()


def _checked(fact: NewFact, proposed: FactDecision, model: str, version: int) -> Decision | None:
    """The model's proposal, if it names what it was shown and adds nothing of its own; None leaves the fact to the rules."""
    target = _memories(fact).get(proposed.memory) if proposed.memory is not None else None
    if proposed.action == "add":
        return Decision(fact.number, "add", None, proposed.reason, None, model, version)
    if proposed.action == "none" and proposed.memory is None:
        return Decision(fact.number, "none", None, proposed.reason, None, model, version)
    if target is None:
        return None
    if proposed.action == "supersede" and fact.said_at < target.said_at:
        return _overtaken(fact, target)
    content = proposed.content if proposed.action == "update" else None
    if proposed.action == "update" and not (content and _only_from(content, fact.fact.content, target.content)):
        return None
    return Decision(fact.number, proposed.action, target, proposed.reason, content, model, version)


def _only_from(content: str, *sources: str) -> bool:
    said = {word.casefold().strip(".,;:!?\"'()") for source in sources for word in source.split()}
    telling = (word.strip(".,;:!?\"'()") for word in content.split()[1:])
    return all(word.casefold() in said for word in telling if word[:1].isupper() or any(map(str.isdigit, word)))
