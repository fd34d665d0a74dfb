"""Asking an LLM how doubtful facts stand to what is near them, and what of its answer is taken.

The LLM proposes and this code disposes. A proposal is refused where it names what was not shown for its fact, decides a fact
twice, takes two statements for one whose names, numbers, days or negation differ, merges with words of its own, or lets a guess
change anything.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from mosshead.language_model.ports import LanguageModel
from pipeline.agreement import adds_details, is_more_precise, keeps, opposite, tells_a_change
from pipeline.decisions import Decision, Known, NewFact
from pipeline.held_against import are_apart, may_be_about_the_same, repeats, replaces
from pipeline.prompts.consolidation import FactDecision, ShownFact, ShownMemory, consolidation_prompt
from pipeline.wording import forms, telling

_REASON_CHARACTERS: Final = 200

NO_DECISION: Final = "no decision"
TWO_DECISIONS: Final = "two decisions for one fact"
NO_MEMORY: Final = "no memory named"
NOT_SHOWN: Final = "a memory that was not shown for this fact"
OTHER_SUBJECT: Final = "the subjects differ"
OPPOSITE: Final = "the negation differs"
OTHER_TIME: Final = "the times differ"
OTHER_DETAILS: Final = "names, numbers or days differ"
OWN_WORDS: Final = "a merged statement with words of its own, or without some of theirs"
A_GUESS: Final = "a guess changes nothing"
SAID_BEFORE: Final = "said before the memory"
ANOTHER_VIEW: Final = "what another speaker said stays"


@dataclass(frozen=True, slots=True)
class Answered:
    """What of a model's proposals is taken, and why the rest is not; by fact number."""

    taken: Mapping[int, Decision]
    refused: Mapping[int, str]


def ask(facts: Sequence[NewFact], model: LanguageModel) -> Answered:
    """Ask once for all the facts. Raises what the model raises."""
    shown = {known.number: known for fact in facts for known, _ in fact.near}
    oldest_first = sorted(shown.values(), key=lambda known: (known.said_at, known.number))
    prompt = consolidation_prompt(
        [_shown_fact(fact) for fact in facts], [_shown_memory(known) for known in oldest_first]
    )
    proposed = defaultdict[int, set[FactDecision]](set)
    for decision in model.answer(prompt).decisions:
        proposed[decision.fact].add(decision)
    disposed = {fact.number: _dispose(fact, proposed[fact.number], model.name, prompt.version) for fact in facts}
    return Answered(
        {number: one for number, one in disposed.items() if isinstance(one, Decision)},
        {number: one for number, one in disposed.items() if isinstance(one, str)},
    )


def _dispose(fact: NewFact, proposed: set[FactDecision], model: str, version: int) -> Decision | str:
    if len(proposed) != 1:
        return TWO_DECISIONS if proposed else NO_DECISION
    (proposal,) = proposed
    taken = Decision(fact.number, proposal.action, None, proposal.reason[:_REASON_CHARACTERS], None, model, version)
    if proposal.action == "add":
        return taken
    target = next((known for known, _ in fact.near if known.number == proposal.memory), None)
    if target is None:
        return NO_MEMORY if proposal.memory is None else NOT_SHOWN
    proposal = _worded(fact, proposal, target)
    fault = _fault(fact, proposal, target)
    if fault is not None:
        return fault
    content = proposal.content if proposal.action == "update" else None
    return _tempered(fact, proposal, target) or replace(taken, action=proposal.action, target=target, content=content)


def _worded(fact: NewFact, proposal: FactDecision, target: Known) -> FactDecision:
    """An update without a statement, or a "none" of what lacks a name that was said, is an update to the fact's own words, where
    these say all that the memory says."""
    incomplete = (proposal.action == "update" and not (proposal.content or "").strip()) or (
        proposal.action == "none"
        and fact.fact.stated
        and may_be_about_the_same(fact, target)
        and _lacks_details(fact, target)
    )
    if not incomplete or not is_more_precise(fact.fact.content, target.content):
        return proposal
    return proposal.model_copy(update={"action": "update", "content": fact.fact.content})


def _fault(fact: NewFact, proposal: FactDecision, target: Known) -> str | None:
    """Why a proposal about what was shown is not taken all the same; None where it is."""
    if proposal.action != "none" and not fact.fact.stated:
        return A_GUESS
    if proposal.action == "supersede" and fact.said_at < target.said_at:
        return SAID_BEFORE
    if proposal.action in {"supersede", "contradict"}:
        return None
    if proposal.action == "none" and not may_be_about_the_same(fact, target):
        return OTHER_SUBJECT
    return _not_one(fact, target) or _not_said(fact, proposal, target)


def _not_one(fact: NewFact, target: Known) -> str | None:
    if opposite(fact.fact.content, target.content):
        return OPPOSITE
    return OTHER_TIME if are_apart(fact.fact.occurred, target.occurred) else None


def _not_said(fact: NewFact, proposal: FactDecision, target: Known) -> str | None:
    """What the memory would lack after a "none", or hold too much or too little of after an update."""
    if proposal.action == "update":
        anew = fact.fact.corrects or tells_a_change(fact.fact.content, fact.fact.quote)
        return None if keeps(proposal.content or "", fact.fact.content, target.content, anew=anew) else OWN_WORDS
    return OTHER_DETAILS if _lacks_details(fact, target) else None


def _lacks_details(fact: NewFact, target: Known) -> bool:
    # Where both are known to be of one time, "on Friday" and "on 8 March" are the same day.
    times = fact.fact.occurred is None or fact.fact.occurred != target.occurred
    return adds_details(fact.fact.content, target.content, times=times)


def _tempered(fact: NewFact, proposal: FactDecision, target: Known) -> Decision | None:
    """What a proposal comes to where it is right that both are of one matter, but goes too far: of two speakers both views stay,
    and an echo is no evidence. None where it stands as it is."""
    if _is_echo(proposal, target):
        return repeats(fact, target, proposal.reason)
    outcome = replaces(fact, target, "it says otherwise")
    if proposal.action == "supersede" and outcome.action == "contradict":
        return replace(outcome, refused=ANOTHER_VIEW)
    return None


def _is_echo(proposal: FactDecision, target: Known) -> bool:
    """Whether what is said to repeat or refine a memory of the prompt says nothing that the prompt did not."""
    if not target.injected or proposal.action not in {"none", "update"}:
        return False
    merged = proposal.content or ""
    return proposal.action == "none" or telling(merged) <= forms(target.content)


def _shown_fact(fact: NewFact) -> ShownFact:
    return ShownFact(
        number=fact.number,
        content=fact.fact.content,
        said_at=fact.said_at,
        corrects=fact.fact.corrects,
        near=tuple(known.number for known, _ in fact.near),
        said_by=fact.said_by,
        occurred=fact.fact.occurred,
        stated=fact.fact.stated,
    )


def _shown_memory(known: Known) -> ShownMemory:
    return ShownMemory(known.number, known.content, known.said_at, known.said_by, known.occurred, known.earlier_fact)
