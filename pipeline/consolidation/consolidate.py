"""How the facts of a batch stand to what is remembered: added, updating, superseding or contradicting a memory, or nothing new.

Clear cases are settled by rules. Of the rest, what may bear on something known goes to the LLM in one call for the whole batch;
what is left, and all of it without an LLM, goes to rules that add where they are in doubt. The LLM proposes and this code
disposes: its answer is checked, and where it is refused the rules decide.
"""

from collections.abc import Sequence
from dataclasses import replace

from mosshead.llm.protocol import LanguageModel
from pipeline.consolidation.comparison import may_be_about_the_same, may_replace_each_other
from pipeline.consolidation.llm import Answered, ask
from pipeline.consolidation.nomination import nominated
from pipeline.consolidation.rules import clear_case, likeliest_case
from pipeline.models import RULES, Action, FactOutcome, Known, NewFact

__all__ = ["RULES", "Action", "FactOutcome", "Known", "NewFact", "consolidate"]


def consolidate(facts: Sequence[NewFact], model: LanguageModel | None) -> list[FactOutcome]:
    """One decision for each fact, in their order. Raises what the model raises; a batch without doubtful facts asks nothing.

    A fact with a suspicion is put into quarantine: the model does not see it, and no other fact is held against it.
    """
    suspect = {fact.number: fact.fact.suspicion for fact in facts if fact.fact.suspicion is not None}
    no_memories = suspect.keys() | {fact.number for fact in facts if fact.fact.retracts}
    sound = [_comparable(fact, no_memories) for fact in facts if fact.number not in suspect]
    decided = {fact.number: decision for fact in sound if (decision := clear_case(fact)) is not None}
    doubtful = [fact for fact in sound if fact.number not in decided]
    asked = nominated(doubtful) if model else []
    answered = ask(asked, model) if model and asked else Answered({}, {})
    for fact in doubtful:
        refused = answered.refused.get(fact.number)
        decided[fact.number] = answered.taken.get(fact.number) or replace(likeliest_case(fact), refused=refused)
    decided |= {number: FactOutcome(number, "quarantine", None, why) for number, why in suspect.items()}
    return [decided[fact.number] for fact in facts]


def _comparable(fact: NewFact, no_memories: set[int]) -> NewFact:
    """A fact beside what may be of the same matter, in an order of its own: most similar first, then by number."""
    near = (
        (known, similarity)
        for known, similarity in fact.near
        if known.earlier_fact not in no_memories
        and (may_be_about_the_same(fact, known) or may_replace_each_other(fact, known))
    )
    return replace(fact, near=tuple(sorted(near, key=lambda pair: (-pair[1], pair[0].number))))
