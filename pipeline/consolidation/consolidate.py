"""Decide how a batch's facts relate to memories: add, update, supersede, contradict, or nothing new.

Rules decide clear cases. Of the rest, facts that may affect a memory go to the LLM in one call per batch. Rules that add in doubt
decide what remains, and everything without an LLM. The LLM only proposes: its answer is checked, and the rules decide where it is
refused.
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
"""The least cosine at which two statements whose words agree count as one (similarity alone never decides)."""

CORRECTED: Final = 0.55
"""The least cosine at which a correction, denial or cancellation applies to a memory about the same subject."""

_ENDING_WITH: Final = {"works_at": ("works_at", "job"), "partner": ("partner", "relationship_status")}
"""What may end without being named ("User got fired"), and its attributes; the first that has memories counts."""

_ENDING_WHATEVER: Final = frozenset({"relationship_status"})
"""Attributes whose end applies to any value: somebody engaged is no longer single, whatever was known."""

_SAYS_WHICH: Final = re.compile(
    r"\b(?:at|from|with) (?!(?:\S+'s|his|her|their) (?:new |current )?(?:job|position|post)\b)\w"
    r"|\b(?:left|quit) (?:the )?(?!\S+'s )[A-Z]"
)
"""A firm, club or person named, known or not: "quit Spanish class", "fired from the club"."""

_NEW: Final = re.compile(r"'s new (?=[a-z])")
"""A new boss is a different one."""

_BYGONE: Final = timedelta(days=30)
"""If something ended this long before a memory was stated, they differ: a job lost in 2008 is not today's."""

UNLIKE: Final = 0.60
"""The cosine below which a fact about a new subject is unrelated to memories without a subject."""


def consolidate(facts: Sequence[NewFact], model: LanguageModel | None) -> list[FactOutcome]:
    """Decide about the facts, in their order. Raise what the model raises; without doubtful facts, do not call it.

    Each fact gets one decision, except "forget all …". A suspicious fact is quarantined: the model does not see it, and no other
    fact is compared with it.
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
    """Keep the memories that may concern the same matter, most similar first, then by number."""
    near = (
        (known, similarity)
        for known, similarity in fact.near
        if known.earlier_fact not in no_memories
        and (comparison.may_be_about_the_same(fact, known) or comparison.may_replace_each_other(fact, known))
    )
    return replace(fact, near=tuple(sorted(near, key=lambda pair: (-pair[1], pair[0].number))))


def _clear_case(fact: NewFact) -> FactOutcome | None:
    """Decide clear cases; return None if in doubt. Expects the nearest memories first."""
    return next(filter(None, (settled(fact) for settled in _IN_ORDER)), None)


def _likeliest_case(fact: NewFact) -> FactOutcome:
    """Decide by rules when in doubt and without an LLM: add, unless a correction or value says more."""
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
    """Return what to forget: the one memory meant, or all if all are requested. Memories said later stay.

    An exact statement takes precedence over memories of the same matter. If several remain, it is unclear which is meant, and
    none is forgotten.
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
    """Detect a repetition. Memories from the prompt come first, so that no duplicate turns an echo into evidence."""
    said = [(known, similarity) for known, similarity in fact.near if comparison.says_the_same(fact, known)]
    twins = [known for known, similarity in said if similarity >= DUPLICATE or _same_words(fact, known)]
    twin = next((known for known in twins if known.injected), twins[0] if twins else None)
    if twin is None:
        return None
    how = "the same statement" if _same_words(fact, twin) else "the same in other words"
    return comparison.repeats(fact, twin, how)


def _named_in_full(fact: NewFact) -> FactOutcome | None:
    """Detect the same statement with more or fewer of the people's names."""
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
    """Detect the same statement with a time inside, or around, the known one."""
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
    """Detect a cancelled plan; if two plans fit, it is unclear which."""
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
    """Detect what the fact says is over: a habit stopped, a thing sold, unemployment ended."""
    parted = statements.parts_with(fact.fact.content)  # the fact names what is gone, so it need not be near
    for known, similarity in fact.near:
        found_work = fact.fact.attribute in {"works_at", "job"} and statements.is_without_work(known.content)
        over = (parted or similarity >= CORRECTED) and statements.gives_up(fact.fact.content, known.content)
        if comparison.is_about_the_same(fact, known) and (found_work or over):
            return comparison.replaces(fact, known, "it is over")
    return None


def _ended(fact: NewFact) -> FactOutcome | None:
    """Detect what no longer holds, such as a job left; if several memories fit, it is unclear which."""
    for attribute in _ENDING_WITH.get(fact.fact.ends or "", (fact.fact.ends,)):
        held = [known for known, _ in fact.near if attribute and known.attribute == attribute and _ends(fact, known)]
        if held:
            return comparison.replaces(fact, held[0], "it holds no more") if len(held) == 1 else None
    return None


def _ends(fact: NewFact, known: Known) -> bool:
    """Whether a memory may be what ended: it contains what the fact names, and its value is what the fact names, if anything."""
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
    """Compare single-valued attributes: the same value repeats, a more general one is redundant, another one is newer."""
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
    # A planned move does not change the current home: a plan replaces only dated memories.
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
    """Decide about the same value: repeat; or update if the fact says all that is known and more; else leave it in doubt."""
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
    """Update to the fact's words, or to the memory's with the new value if that keeps more."""
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
