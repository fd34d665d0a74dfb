"""The cases that words, subjects, times and values settle by themselves, without an LLM."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Final

from pipeline.consolidation.comparison import (
    adds_details,
    agree,
    are_apart,
    calls_off,
    denies,
    differ_in_a_value,
    differs_in_surnames,
    forms,
    is_about_the_same,
    is_anothers,
    is_more_precise,
    lies_ahead,
    lies_within,
    may_be_about_the_same,
    may_replace_each_other,
    negations,
    repeats,
    replaces,
    same_statement,
    says_the_same,
    states,
    tells_a_change,
)
from pipeline.models import USER, FactOutcome, Known, NewFact

DUPLICATE: Final = 0.80
"""Cosine from which two statements whose words agree count as one (C3; similarity alone never decides)."""

CORRECTED: Final = 0.55
"""Cosine from which a correction, a denial or a cancellation is taken to speak of a memory about the same subject."""

_ENDING_WITH: Final = {"works_at": ("works_at", "job"), "partner": ("partner",)}
"""What may end unnamed ("User got fired"), and by which attributes it is known; the first of which something is known counts."""

_SAYS_WHICH: Final = re.compile(
    r"\b(?:at|from|with) (?!(?:\S+'s|his|her|their) (?:new |current )?(?:job|position|post)\b)\w"
    r"|\b(?:left|quit) (?:the )?(?!\S+'s )[A-Z]"
)
"""What names a firm, a club or a person, known or not: "quit Spanish class", "fired from the club"."""

_BYGONE: Final = timedelta(days=30)
"""What ended so long before something was said to be so is another: who lost a job in 2008 still has that of today."""

UNLIKE: Final = 0.60
"""Cosine below which a fact about a new subject has nothing to do with what is known of nobody in particular."""


def clear_case(fact: NewFact) -> FactOutcome | None:
    """The decision where there is no doubt, None where there is. What is near a fact is most similar first."""
    return next(filter(None, (settled(fact) for settled in _IN_ORDER)), None)


def likeliest_case(fact: NewFact) -> FactOutcome:
    """The decision of the rules where there is doubt and no LLM to ask: an add, unless a correction or a value says more."""
    for known, similarity in fact.near:
        about_same = bool(fact.subject_ids & known.subject_ids) or not fact.subject_ids
        if fact.fact.corrects and similarity >= CORRECTED and about_same:
            return replaces(fact, known, "a correction")
        if similarity >= DUPLICATE and is_about_the_same(fact, known) and _has_changed(fact, known):
            return replaces(fact, known, "it changed")
    holders = _of_same_attribute(fact)
    same = [known for known in holders if _has_its_value(fact, known)]
    if same:
        return repeats(fact, same[0], f"{same[0].attribute} is known")
    more = _made_more_precise(fact, holders)
    if more is not None:
        return _more_precisely(fact, more)
    return FactOutcome(fact.number, "add", None, "nothing that says the same")


def _has_changed(fact: NewFact, known: Known) -> bool:
    """Whether the same is said with another name, number or day, and that it is so now."""
    told = tells_a_change(fact.fact.content, fact.fact.quote)
    return told and differ_in_a_value(fact.fact.content, known.content)


def _taken_back(fact: NewFact) -> FactOutcome | None:
    """What is to be forgotten: the memory that says it, if there is one. What was said after it was taken back stands."""
    if not fact.fact.retracts:
        return None
    said = (known for known, _ in fact.near if known.earlier_fact is None and states(fact, known))
    found = next((known for known in said if known.said_at <= fact.said_at and not is_anothers(fact, known)), None)
    if found is None:
        return FactOutcome(fact.number, "forget", None, "nothing says it")
    return FactOutcome(fact.number, "forget", found, "whoever said it took it back")


def _repeated(fact: NewFact) -> FactOutcome | None:
    """Said before. What was in the prompt comes first, so that no other twin of it lends an echo its weight."""
    twins = [
        known
        for known, similarity in fact.near
        if says_the_same(fact, known) and (similarity >= DUPLICATE or _same_words(fact, known))
    ]
    twin = next((known for known in twins if known.injected), twins[0] if twins else None)
    if twin is None:
        return None
    return repeats(fact, twin, "the same statement" if _same_words(fact, twin) else "the same in other words")


def _named_in_full(fact: NewFact) -> FactOutcome | None:
    """Said before of the same people, by more of their names or by fewer."""
    for known, similarity in fact.near:
        if similarity < DUPLICATE or not differs_in_surnames(fact, known):
            continue
        if is_more_precise(known.content, fact.fact.content):
            return repeats(fact, known, "the same by a shorter name")
        if is_more_precise(fact.fact.content, known.content) and fact.fact.stated:
            return FactOutcome(fact.number, "update", known, "the same by a fuller name", content=fact.fact.content)
    return None


def _same_words(fact: NewFact, known: Known) -> bool:
    return same_statement(fact.fact.content, known.content)


def _dated(fact: NewFact) -> FactOutcome | None:
    """The same statement with a time that is a part of the known one, or holds it."""
    for known, similarity in fact.near:
        if (
            similarity < DUPLICATE
            or not may_be_about_the_same(fact, known)
            or not agree(fact.fact.content, known.content)
        ):
            continue
        if lies_within(known.occurred, fact.fact.occurred):
            return repeats(fact, known, "its time is known")
        if lies_within(fact.fact.occurred, known.occurred) and fact.fact.stated:
            return FactOutcome(fact.number, "update", known, "its time more precisely", content=fact.fact.content)
    return None


def _denied(fact: NewFact) -> FactOutcome | None:
    for known, similarity in fact.near:
        if similarity >= CORRECTED and is_about_the_same(fact, known) and denies(fact, known):
            return replaces(fact, known, "the opposite")
    return None


def _called_off(fact: NewFact) -> FactOutcome | None:
    """A plan that is off; where the words fit two plans, which one it is is in doubt."""
    plans = [
        known
        for known, similarity in fact.near
        if similarity >= CORRECTED
        and may_be_about_the_same(fact, known)
        and _is_ahead(known, fact)
        and not are_apart(fact.fact.occurred, known.occurred)
        and calls_off(fact.fact.content, known.content, same_time=None not in (fact.fact.occurred, known.occurred))
    ]
    return replaces(fact, plans[0], "called off") if len(plans) == 1 else None


def _is_ahead(known: Known, fact: NewFact) -> bool:
    return known.occurred.end > fact.said_at if known.occurred else lies_ahead(known.content)


def _ended(fact: NewFact) -> FactOutcome | None:
    """What holds no more, as a job that was left; where the words fit several that are known, which one it is is in doubt."""
    for attribute in _ENDING_WITH.get(fact.fact.ends or "", (fact.fact.ends,)):
        held = [known for known, _ in fact.near if attribute and known.attribute == attribute and _ends(fact, known)]
        if held:
            return replaces(fact, held[0], "it holds no more") if len(held) == 1 else None
    return None


def _ends(fact: NewFact, known: Known) -> bool:
    """Whether what holds no more may be this: what the fact names is in it, and its value is what the fact names, if anything."""
    named = [mention.name for mention in fact.fact.mentions if mention.role != "subject" and mention.name != USER]
    says_which = _SAYS_WHICH.search(fact.fact.content) is not None
    if (fact.about_ids - fact.subject_ids) & known.about_ids:
        fits = True
    elif known.attribute != fact.fact.ends:
        fits = all(forms(name) <= forms(known.content) for name in named) and (bool(named) or not says_which)
    elif named or fact.fact.ends not in _ENDING_WITH or says_which:
        fits = forms(known.value or "") <= forms(fact.fact.content)
    else:
        fits = True
    ahead = known.occurred is not None and known.occurred.start > fact.said_at
    bygone = fact.fact.occurred is not None and fact.fact.occurred.end < known.said_at - _BYGONE
    return fits and not ahead and not bygone and not negations(known.content) and is_about_the_same(fact, known)


def _of_one_value(fact: NewFact) -> FactOutcome | None:
    """What can have one value at a time: the same value is a repetition, a part of it less precise, another one newer."""
    holders = _of_same_attribute(fact)
    same = [known for known in holders if _has_its_value(fact, known)]
    if same:
        return _same_value(fact, next((known for known in same if known.injected), same[0]))
    more = _made_more_precise(fact, holders)
    if more is not None:
        whole = not adds_details(more.content, fact.fact.content)
        return _more_precisely(fact, more) if whole else None
    if not holders:
        return None
    latest = max(holders, key=lambda known: (known.said_at, known.number))
    return replaces(fact, latest, f"another {latest.attribute}")


def _of_same_attribute(fact: NewFact) -> list[Known]:
    return [
        known
        for known, _ in fact.near
        if fact.fact.attribute
        and fact.fact.attribute == known.attribute
        and fact.fact.value
        and known.value
        and fact.subject_ids & known.subject_ids
        and negations(fact.fact.content) % 2 == negations(known.content) % 2
        and not _is_plan_beside_state(fact, known)
    ]


def _is_plan_beside_state(fact: NewFact, known: Known) -> bool:
    """Who will live elsewhere in May still lives where he lives; a plan replaces only what is dated itself."""
    occurred = fact.fact.occurred
    return occurred is not None and occurred.start > fact.said_at and known.occurred is None


def _has_its_value(fact: NewFact, known: Known) -> bool:
    value, its = fact.fact.value or "", known.value or ""
    same = same_statement(value, its) or is_more_precise(its, value)
    return same and not are_apart(fact.fact.occurred, known.occurred)


def _same_value(fact: NewFact, known: Known) -> FactOutcome | None:
    """A repetition, unless the fact tells more beside the value: all that is known and more updates, else it is in doubt."""
    content = fact.fact.content
    if not adds_details(content, known.content):
        return repeats(fact, known, f"{known.attribute} is known")
    whole = same_statement(fact.fact.value or "", known.value or "") and not adds_details(known.content, content)
    if whole and fact.fact.stated:
        return FactOutcome(fact.number, "update", known, f"more about {known.attribute}", content=content)
    return None


def _made_more_precise(fact: NewFact, holders: list[Known]) -> Known | None:
    value = fact.fact.value or ""
    fitting = (known for known in holders if is_more_precise(value, known.value or ""))
    return next(
        (known for known in fitting if fact.fact.stated and not are_apart(fact.fact.occurred, known.occurred)), None
    )


def _more_precisely(fact: NewFact, known: Known) -> FactOutcome:
    """An update to the fact's own words, or to the memory's with the new value where that keeps more."""
    content, merged = fact.fact.content, known.content.replace(known.value or "", fact.fact.value or "", 1)
    if adds_details(known.content, content) and not adds_details(content, merged):
        content = merged
    return FactOutcome(fact.number, "update", known, f"{known.attribute} more precisely", content=content)


def _corrected(fact: NewFact) -> FactOutcome | None:
    for known, similarity in fact.near:
        fits = fact.fact.corrects and similarity >= CORRECTED and is_about_the_same(fact, known)
        if fits and differ_in_a_value(fact.fact.content, known.content):
            return replaces(fact, known, "a correction")
    return None


def _is_new(fact: NewFact) -> FactOutcome | None:
    if not fact.near:
        return FactOutcome(fact.number, "add", None, "nothing near")
    if fact.subject_ids and all(_is_of_nobody(fact, known, similarity) for known, similarity in fact.near):
        return FactOutcome(fact.number, "add", None, "a new subject")
    return None


def _is_of_nobody(fact: NewFact, known: Known, similarity: float) -> bool:
    return not known.subject_ids and similarity < UNLIKE and not may_replace_each_other(fact, known)


_IN_ORDER: Final[tuple[Callable[[NewFact], FactOutcome | None], ...]] = (
    _taken_back,
    _repeated,
    _named_in_full,
    _dated,
    _denied,
    _called_off,
    _ended,
    _of_one_value,
    _corrected,
    _is_new,
)
