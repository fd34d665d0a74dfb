"""How the facts of a batch stand to what is remembered: added, updating, superseding or contradicting a memory, or nothing new.

Clear cases are settled by rules. Of the rest, what may bear on something known goes to the LLM in one call for the whole batch;
what is left, and all of it without an LLM, goes to rules that add where they are in doubt. The LLM proposes and this code
disposes: its answer is checked, and where it is refused the rules decide.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from mosshead.llm.protocol import LanguageModel
from pipeline import statements
from pipeline.consolidation import comparison
from pipeline.consolidation.llm import Answered, ask
from pipeline.models import USER, FactOutcome, Known, NewFact

DUPLICATE: Final = 0.80
"""Cosine from which two statements whose words agree count as one (C3; similarity alone never decides)."""

CORRECTED: Final = 0.55
"""Cosine from which a correction, a denial or a cancellation is taken to speak of a memory about the same subject."""

_ENDING_WITH: Final = {"works_at": ("works_at", "job"), "partner": ("partner", "relationship_status")}
"""What may end unnamed ("User got fired"), and by which attributes it is known; the first of which something is known counts."""

_ENDING_WHATEVER: Final = frozenset({"relationship_status"})
"""What ends whatever it was: who is engaged to somebody is not single."""

_SAYS_WHICH: Final = re.compile(
    r"\b(?:at|from|with) (?!(?:\S+'s|his|her|their) (?:new |current )?(?:job|position|post)\b)\w"
    r"|\b(?:left|quit) (?:the )?(?!\S+'s )[A-Z]"
)
"""What names a firm, a club or a person, known or not: "quit Spanish class", "fired from the club"."""

_NEW: Final = re.compile(r"'s new (?=[a-z])")
"""Who has a new boss has another."""

_BYGONE: Final = timedelta(days=30)
"""What ended so long before something was said to be so is another: who lost a job in 2008 still has that of today."""

UNLIKE: Final = 0.60
"""Cosine below which a fact about a new subject has nothing to do with what is known of nobody in particular."""


def consolidate(facts: Sequence[NewFact], model: LanguageModel | None) -> list[FactOutcome]:
    """The decisions about the facts, in their order. Raises what the model raises; a batch without doubtful facts asks nothing.

    Each fact has one, but for "forget all …". A fact with a suspicion is put into quarantine: the model does not see it, and no
    other fact is held against it.
    """
    suspect = {fact.number: fact.fact.suspicion for fact in facts if fact.fact.suspicion is not None}
    retracting = {fact.number: fact for fact in facts if fact.fact.retracts and fact.number not in suspect}
    no_memories = suspect.keys() | retracting.keys()
    sound = [_comparable(fact, no_memories) for fact in facts if fact.number not in no_memories]
    decided = {fact.number: decision for fact in sound if (decision := _clear_case(fact)) is not None}
    doubtful = [fact for fact in sound if fact.number not in decided]
    answered = ask(doubtful, model) if model and doubtful else Answered({}, {})
    for fact in doubtful:
        refused = answered.refused.get(fact.number)
        decided[fact.number] = answered.taken.get(fact.number) or replace(_likeliest_case(fact), refused=refused)
    decided |= {number: FactOutcome(number, "quarantine", None, why) for number, why in suspect.items()}
    forgotten = {number: _taken_back(fact) for number, fact in retracting.items()}
    return [one for fact in facts for one in forgotten.get(fact.number) or [decided[fact.number]]]


def _comparable(fact: NewFact, no_memories: set[int]) -> NewFact:
    """A fact beside what may be of the same matter, in an order of its own: most similar first, then by number."""
    near = (
        (known, similarity)
        for known, similarity in fact.near
        if known.earlier_fact not in no_memories
        and (comparison.may_be_about_the_same(fact, known) or comparison.may_replace_each_other(fact, known))
    )
    return replace(fact, near=tuple(sorted(near, key=lambda pair: (-pair[1], pair[0].number))))


def _clear_case(fact: NewFact) -> FactOutcome | None:
    """The decision where there is no doubt, None where there is. What is near a fact is most similar first."""
    return next(filter(None, (settled(fact) for settled in _IN_ORDER)), None)


def _likeliest_case(fact: NewFact) -> FactOutcome:
    """The decision of the rules where there is doubt and no LLM to ask: an add, unless a correction or a value says more."""
    said = _NEW.sub("'s ", fact.fact.content)
    told_anew = said != fact.fact.content or statements.tells_a_change(fact.fact.content, fact.fact.quote)
    for known, similarity in fact.near:
        about_same = bool(fact.subject_ids & known.subject_ids) or not fact.subject_ids
        if fact.fact.corrects and similarity >= CORRECTED and about_same:
            return comparison.replaces(fact, known, "a correction")
        changed = told_anew and statements.differ_in_a_value(said, known.content)
        if changed and similarity >= CORRECTED and comparison.is_about_the_same(fact, known):
            return comparison.replaces(fact, known, "it changed")
        by_two = similarity >= DUPLICATE and comparison.is_anothers(fact, known)
        if by_two and statements.differ_in_a_number(fact.fact.content, known.content):
            return comparison.replaces(fact, known, "another value")
    holders = _of_same_attribute(fact)
    same = [known for known in holders if _has_its_value(fact, known)]
    if same:
        return comparison.repeats(fact, same[0], f"{same[0].attribute} is known")
    more = _made_more_precise(fact, holders)
    if more is not None:
        return _more_precisely(fact, more)
    return FactOutcome(fact.number, "add", None, "nothing that says the same")


def _taken_back(fact: NewFact) -> list[FactOutcome]:
    """What is to be forgotten: the one memory that is meant, or all where all are. What was said after it stands.

    What says just that comes before what is of its matter. Where several are left, none is clearly meant and none is forgotten.
    """
    before = [known for known, _ in fact.near if known.earlier_fact is None and known.said_at <= fact.said_at]
    own = [known for known in before if comparison.may_take_back(fact, known)]
    said = [known for known in own if comparison.states(fact, known)]
    meant = said or [known for known in own if comparison.speaks_of(fact, known)]
    if not meant:
        return [FactOutcome(fact.number, "forget", None, "nothing says it")]
    if len(meant) > 1 and not comparison.ALL_OF_IT.search(fact.fact.quote):
        return [FactOutcome(fact.number, "forget", None, f"{len(meant)} memories may be meant: none is forgotten")]
    return [FactOutcome(fact.number, "forget", known, "whoever said it took it back") for known in meant]


def _repeated(fact: NewFact) -> FactOutcome | None:
    """Said before. What was in the prompt comes first, so that no other twin of it lends an echo its weight."""
    said = [(known, similarity) for known, similarity in fact.near if comparison.says_the_same(fact, known)]
    twins = [known for known, similarity in said if similarity >= DUPLICATE or _same_words(fact, known)]
    twin = next((known for known in twins if known.injected), twins[0] if twins else None)
    if twin is None:
        return None
    how = "the same statement" if _same_words(fact, twin) else "the same in other words"
    return comparison.repeats(fact, twin, how)


def _named_in_full(fact: NewFact) -> FactOutcome | None:
    """Said before of the same people, by more of their names or by fewer."""
    for known, similarity in fact.near:
        if similarity < DUPLICATE or not comparison.differs_in_surnames(fact, known):
            continue
        if statements.is_more_precise(known.content, fact.fact.content):
            return comparison.repeats(fact, known, "the same by a shorter name")
        if statements.is_more_precise(fact.fact.content, known.content) and fact.fact.stated:
            return FactOutcome(fact.number, "update", known, "the same by a fuller name", content=fact.fact.content)
    return None


def _same_words(fact: NewFact, known: Known) -> bool:
    return statements.same_statement(fact.fact.content, known.content)


def _dated(fact: NewFact) -> FactOutcome | None:
    """The same statement with a time that is a part of the known one, or holds it."""
    for known, similarity in fact.near:
        alike = similarity >= DUPLICATE and comparison.may_be_about_the_same(fact, known)
        if not alike or not statements.agree(fact.fact.content, known.content):
            continue
        if comparison.lies_within(known.occurred, fact.fact.occurred):
            return comparison.repeats(fact, known, "its time is known")
        if comparison.lies_within(fact.fact.occurred, known.occurred) and fact.fact.stated:
            return FactOutcome(fact.number, "update", known, "its time more precisely", content=fact.fact.content)
    return None


def _denied(fact: NewFact) -> FactOutcome | None:
    for known, similarity in fact.near:
        if similarity >= CORRECTED and comparison.is_about_the_same(fact, known) and comparison.denies(fact, known):
            return comparison.replaces(fact, known, "the opposite")
    return None


def _called_off(fact: NewFact) -> FactOutcome | None:
    """A plan that is off; where the words fit two plans, which one it is is in doubt."""
    said, timed = fact.fact.content, fact.fact.occurred is not None
    plans = [
        known
        for known, similarity in fact.near
        if similarity >= CORRECTED
        and comparison.may_be_about_the_same(fact, known)
        and (known.occurred.end > fact.said_at if known.occurred else statements.lies_ahead(known.content))
        and not comparison.are_apart(fact.fact.occurred, known.occurred)
        and statements.calls_off(said, known.content, same_time=timed and known.occurred is not None)
    ]
    return comparison.replaces(fact, plans[0], "called off") if len(plans) == 1 else None


def _given_up(fact: NewFact) -> FactOutcome | None:
    """What is over by the words of the fact: a habit that was stopped, a thing that was sold, being out of work."""
    parted = statements.parts_with(fact.fact.content)  # its words name what is gone: they need not be near
    for known, similarity in fact.near:
        found_work = fact.fact.attribute in {"works_at", "job"} and statements.is_without_work(known.content)
        over = (parted or similarity >= CORRECTED) and statements.gives_up(fact.fact.content, known.content)
        if comparison.is_about_the_same(fact, known) and (found_work or over):
            return comparison.replaces(fact, known, "it is over")
    return None


def _ended(fact: NewFact) -> FactOutcome | None:
    """What holds no more, as a job that was left; where the words fit several that are known, which one it is is in doubt."""
    for attribute in _ENDING_WITH.get(fact.fact.ends or "", (fact.fact.ends,)):
        held = [known for known, _ in fact.near if attribute and known.attribute == attribute and _ends(fact, known)]
        if held:
            return comparison.replaces(fact, held[0], "it holds no more") if len(held) == 1 else None
    return None


def _ends(fact: NewFact, known: Known) -> bool:
    """Whether what holds no more may be this: what the fact names is in it, and its value is what the fact names, if anything."""
    named = [mention.name for mention in fact.fact.mentions if mention.role != "subject" and mention.name != USER]
    says_which = _SAYS_WHICH.search(fact.fact.content) is not None
    ahead = known.occurred is not None and known.occurred.start > fact.said_at
    bygone = fact.fact.occurred is not None and fact.fact.occurred.end < known.said_at - _BYGONE
    if ahead or bygone or statements.negations(known.content) or not comparison.is_about_the_same(fact, known):
        return False
    if (fact.about_ids - fact.subject_ids) & known.about_ids:
        return True
    if known.attribute != fact.fact.ends:
        held = statements.forms(known.content)
        return all(statements.forms(name) <= held for name in named) and (bool(named) or not says_which)
    if fact.fact.ends in _ENDING_WHATEVER:
        return True
    unnamed = not named and not says_which and fact.fact.ends in _ENDING_WITH
    return unnamed or statements.forms(known.value or "") <= statements.forms(fact.fact.content)


def _of_one_value(fact: NewFact) -> FactOutcome | None:
    """What can have one value at a time: the same value is a repetition, a part of it less precise, another one newer."""
    holders = _of_same_attribute(fact)
    same = [known for known in holders if _has_its_value(fact, known)]
    if same:
        return _same_value(fact, next((known for known in same if known.injected), same[0]))
    more = _made_more_precise(fact, holders)
    if more is not None:
        whole = not statements.adds_details(more.content, fact.fact.content)
        return _more_precisely(fact, more) if whole else None
    if not holders:
        return None
    latest = max(holders, key=lambda known: (known.said_at, known.number))
    return comparison.replaces(fact, latest, f"another {latest.attribute}")


def _of_same_attribute(fact: NewFact) -> list[Known]:
    # Who will live elsewhere in May still lives where he lives; a plan replaces only what is dated itself.
    planned = fact.fact.occurred is not None and fact.fact.occurred.start > fact.said_at
    return [
        known
        for known, _ in fact.near
        if fact.fact.attribute
        and fact.fact.attribute == known.attribute
        and fact.fact.value
        and known.value
        and fact.subject_ids & known.subject_ids
        and statements.negations(fact.fact.content) % 2 == statements.negations(known.content) % 2
        and not (planned and known.occurred is None)
    ]


def _has_its_value(fact: NewFact, known: Known) -> bool:
    value, its = fact.fact.value or "", known.value or ""
    same = statements.same_statement(value, its) or statements.is_more_precise(its, value)
    return same and not comparison.are_apart(fact.fact.occurred, known.occurred)


def _same_value(fact: NewFact, known: Known) -> FactOutcome | None:
    """A repetition, unless the fact tells more beside the value: all that is known and more updates, else it is in doubt."""
    content = fact.fact.content
    if not statements.adds_details(content, known.content):
        return comparison.repeats(fact, known, f"{known.attribute} is known")
    one_value = statements.same_statement(fact.fact.value or "", known.value or "")
    if one_value and fact.fact.stated and not statements.adds_details(known.content, content):
        return FactOutcome(fact.number, "update", known, f"more about {known.attribute}", content=content)
    return None


def _made_more_precise(fact: NewFact, holders: list[Known]) -> Known | None:
    for known in holders if fact.fact.stated else ():
        fits = statements.is_more_precise(fact.fact.value or "", known.value or "")
        if fits and not comparison.are_apart(fact.fact.occurred, known.occurred):
            return known
    return None


def _more_precisely(fact: NewFact, known: Known) -> FactOutcome:
    """An update to the fact's own words, or to the memory's with the new value where that keeps more."""
    content, merged = fact.fact.content, known.content.replace(known.value or "", fact.fact.value or "", 1)
    if statements.adds_details(known.content, content) and not statements.adds_details(content, merged):
        content = merged
    return FactOutcome(fact.number, "update", known, f"{known.attribute} more precisely", content=content)


def _corrected(fact: NewFact) -> FactOutcome | None:
    for known, similarity in fact.near:
        same = comparison.is_about_the_same(fact, known) or comparison.may_replace_each_other(fact, known)
        fits = fact.fact.corrects and similarity >= CORRECTED and same
        if fits and statements.differ_in_a_value(fact.fact.content, known.content):
            return comparison.replaces(fact, known, "a correction")
    return None


def _is_new(fact: NewFact) -> FactOutcome | None:
    if not fact.near:
        return FactOutcome(fact.number, "add", None, "nothing near")
    of_nobody = all(
        not known.subject_ids and similarity < UNLIKE and not comparison.may_replace_each_other(fact, known)
        for known, similarity in fact.near
    )
    return FactOutcome(fact.number, "add", None, "a new subject") if fact.subject_ids and of_nobody else None


_IN_ORDER: Final[tuple[Callable[[NewFact], FactOutcome | None], ...]] = (
    _repeated,
    _named_in_full,
    _dated,
    _denied,
    _called_off,
    _ended,
    _given_up,
    _of_one_value,
    _corrected,
    _is_new,
)
