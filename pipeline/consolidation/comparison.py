"""Compare a fact with a memory: same subject, time or words, another speaker, later, or a guess.

Also compare it again after an earlier fact of the batch has changed or replaced the memory.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from mosshead.language.names import normalise
from mosshead.language.references import KIN_AND_ROLES
from mosshead.language.verbs import AUXILIARIES, is_finite
from mosshead.models.kinds import EntityType, MemoryKind
from mosshead.models.occurrence import FactOccurrence
from pipeline.models import USER, FactMention, FactOutcome, Known, NewFact
from pipeline.statements import (
    adds_details,
    agree,
    differ_in_a_value,
    forms,
    keeps,
    negations,
    opposite,
    plain,
    same_statement,
    telling,
    tells_a_change,
    words,
)
from pipeline.statements import akin as of_one_root

ALL_OF_IT: Final = re.compile(
    r"\b(?:everything|anything|all|every|both|whatever|alles|todo|tout"
    r"|what i(?:'ve| have)? (?:said|told you|mentioned|shared|wrote))\b",
    re.IGNORECASE,
)
"""Phrases that ask to forget everything about a matter."""

_ALIKE: Final = tuple(
    frozenset(line.split())
    for line in (
        "age old aged",
        "address live home reside",
        "salary earn income wage pay",
        "work job employer profession",
        "birthday birthdate born",
        "weight weigh",
        "height tall",
        "phone telephone mobile cell",
        "email e-mail mail",
        "mother mum mom mummy mama",
        "father dad daddy papa",
        "grandmother grandma granny nan",
        "grandfather grandpa grandad granddad",
        "kid child children",
        "doctor gp",
        "girlfriend boyfriend partner wife husband spouse",
    )
)
"""Groups of words for the same matter."""

_EMAIL: Final = re.compile(r"\b(e-?mail) address\b", re.IGNORECASE)
"""An email address is not a home address."""


def may_be_about_the_same(fact: NewFact, known: Known) -> bool:
    """Whether both may describe the same subject: they share one, or one has none known. Two Peters are two subjects."""
    if not fact.subject_ids or not known.subject_ids or fact.subject_ids & known.subject_ids:
        return True
    # Each may describe the other: "Ana is User's wife", "User's wife is Ana".
    same_two = fact.subject_ids <= known.about_ids and known.subject_ids <= fact.about_ids
    return same_two and agree(fact.fact.content, known.content)


def is_about_the_same(fact: NewFact, known: Known) -> bool:
    """Whether both describe the same known subject, or neither has one."""
    return bool(fact.subject_ids & known.subject_ids) or not (fact.subject_ids or known.subject_ids)


def may_replace_each_other(fact: NewFact, known: Known) -> bool:
    """Whether one subject may replace another (a new treasurer, a dog given a name): one matter, and no namesakes."""
    said = forms(known.content)
    if any(frozenset(plain(name).split()) <= said for name in _people_described(fact)):
        return False
    common = telling(fact.fact.content) & telling(known.content)
    of_the_user = all(USER.casefold() in forms(content) for content in (fact.fact.content, known.content))
    return len(common) > 1 or (bool(common) and of_the_user)


def says_the_same(fact: NewFact, known: Known) -> bool:
    """Whether a fact repeats a memory in nearly the same words, about the same subject and time."""
    alike = may_be_about_the_same(fact, known) and same_time(fact, known)
    return alike and agree(fact.fact.content, known.content)


def states(fact: NewFact, known: Known) -> bool:
    """Whether a memory states a fact in nearly the same words or with the same single value, and nothing opposite."""
    attribute, value = fact.fact.attribute, fact.fact.value or ""
    one_value = attribute is not None and attribute == known.attribute and same_statement(value, known.value or "")
    return is_about_the_same(fact, known) and (one_value or agree(fact.fact.content, known.content))


def speaks_of(fact: NewFact, known: Known) -> bool:
    """Whether a memory concerns the matter a fact names, such as "User's knee", or says everything the fact does.

    "User's birthday" is not "User's sister's birthday": the owner in the memory must occur in the fact.
    """
    wanted = _EMAIL.sub(r"\1", fact.fact.content)
    matter = [word.form for word in words(wanted) if word.form in telling(wanted)]
    one_attribute = fact.fact.attribute is not None and fact.fact.attribute == known.attribute and not fact.fact.value
    mine, its = fact.about_ids | fact.subject_ids, known.about_ids | known.subject_ids
    if not (mine & its or not (mine or its)):
        return False
    if one_attribute:
        return bool(fact.subject_ids & known.subject_ids)
    said = forms(known.content)
    told = all(any(akin(word, other) for other in said) for word in matter)
    return bool(matter) and told and not _is_of_another(matter, known.content) and _same_sign(fact, known)


def akin(one: str, other: str) -> bool:
    """Whether two words share a root or name one matter: "age" and "old"."""
    return of_one_root(one, other) or any(one in those and other in those for those in _ALIKE)


def _is_of_another(matter: Sequence[str], content: str) -> bool:
    """Whether the matter belongs to somebody else in a memory, or the memory is about a relative of the user."""
    said = words(content)
    owners = [one.form for one, next_one in pairwise(said) if one.whose and akin(matter[-1], next_one.form)]
    if owners:
        return not any(akin(owner, other) for owner in owners for other in (*matter, USER.casefold()))
    theirs = [one.form for one in said[1:3] if said[0].whose and one.form in KIN_AND_ROLES]
    named = {one.form for one in said if one.name}.intersection(matter)
    return bool(theirs) and not named and not any(akin(kin, word) for kin in theirs for word in matter)


def _same_sign(fact: NewFact, known: Known) -> bool:
    """Whether both or neither are negated, if the fact is a statement; a bare matter has no negation."""
    is_statement = any(is_finite(word) or word in AUXILIARIES for word in fact.fact.content.casefold().split())
    return not is_statement or negations(fact.fact.content) % 2 == negations(known.content) % 2


def differs_in_surnames(fact: NewFact, known: Known) -> bool:
    """Whether both say the same about the same people, with more of a name in one: "John Doe likes tea" and "John likes tea"."""
    people = [name.split()[0] for name in _people_described(fact)]
    if not people or fact.subject_ids != known.subject_ids or not same_time(fact, known):
        return False
    surnames = re.compile(rf"\b(?P<first>{'|'.join(map(re.escape, people))})(?: [A-Z][\w-]*)+")
    return agree(*(surnames.sub(r"\g<first>", content) for content in (fact.fact.content, known.content)))


def same_time(fact: NewFact, known: Known) -> bool:
    """Whether both concern the same time. An undated event may differ from a dated one."""
    mine, its = fact.fact.occurred, known.occurred
    if mine is None or its is None:
        return mine is its or MemoryKind.EVENT not in (fact.fact.kind, known.kind)
    return mine.start == its.start and mine.end == its.end


def lies_within(one: FactOccurrence | None, other: FactOccurrence | None) -> bool:
    """Whether one interval lies within the other and is shorter."""
    if one is None or other is None:
        return False
    return other.start <= one.start and one.end <= other.end and one.end - one.start < other.end - other.start


def are_apart(one: FactOccurrence | None, other: FactOccurrence | None) -> bool:
    """Whether two intervals are disjoint."""
    return one is not None and other is not None and (one.end <= other.start or other.end <= one.start)


def denies(fact: NewFact, known: Known) -> bool:
    """Whether a fact plainly contradicts a memory. A fact about one day contradicts only memories of that day."""
    if are_apart(fact.fact.occurred, known.occurred) or not opposite(fact.fact.content, known.content):
        return False
    return fact.fact.occurred is None or known.occurred is not None or tells_a_change(fact.fact.content)


def replaces(fact: NewFact, known: Known, reason: str) -> FactOutcome:
    """Decide what a fact does to a memory that it makes untrue.

    A guess replaces nothing. Another speaker's statement is contradicted and kept, unless this speaker corrects it, reports a
    change, or speaks about themselves. A fact said before the memory is outdated; this happens when a dead letter takes effect
    late.
    """
    if not fact.fact.stated:
        return FactOutcome(fact.number, "add", None, f"a guess replaces nothing: {reason}")
    if _is_another_view(fact, known):
        return FactOutcome(fact.number, "contradict", known, f"{reason}, by another speaker")
    if fact.said_at < known.said_at:
        return FactOutcome(fact.number, "none", known, "a later statement is known", reinforces=False)
    return FactOutcome(fact.number, "supersede", known, reason)


def repeats(fact: NewFact, known: Known, reason: str) -> FactOutcome:
    """Decide about a fact that says nothing new; an echo is no evidence."""
    if known.injected:
        return FactOutcome(fact.number, "none", known, "an echo of what was in the prompt", reinforces=False)
    return FactOutcome(fact.number, "none", known, reason)


def is_anothers(fact: NewFact, known: Known) -> bool:
    """Whether different people said the two."""
    both = fact.said_by is not None and known.said_by is not None
    return both and normalise(fact.said_by or "") != normalise(known.said_by or "")


def may_take_back(fact: NewFact, known: Known) -> bool:
    """Whether the speaker may have a memory forgotten: they said it, or it is about them."""
    return not is_anothers(fact, known) or (_is_of_speaker(fact) and bool(fact.subject_ids & known.subject_ids))


def _is_another_view(fact: NewFact, known: Known) -> bool:
    """Whether another speaker's memory stays beside the fact. Speakers are believed about themselves only as its sole subject."""
    if not is_anothers(fact, known) or fact.fact.corrects or tells_a_change(fact.fact.content, fact.fact.quote):
        return False
    return not _is_of_speaker(fact)


def _is_of_speaker(fact: NewFact) -> bool:
    named = [{normalise(name) for name in (mention.name, *mention.aliases)} for mention in _described(fact)]
    return len(named) == 1 and normalise(fact.said_by or "") in named[0]


def _people_described(fact: NewFact) -> list[str]:
    people = (mention for mention in _described(fact) if mention.entity_type is EntityType.PERSON)
    return [mention.name for mention in people if mention.name != USER]


def _described(fact: NewFact) -> list[FactMention]:
    return [mention for mention in fact.fact.mentions if mention.role == "subject"]


def of_what_changed(decision: FactOutcome, fact: NewFact, now: str, *, read: str) -> FactOutcome:
    """Revise a decision about a memory that has changed since: an update must keep the new text, a "none" must be contained in
    it.

    Otherwise the fact is added by itself. read: the memory's text when the decision was made.
    """
    said = fact.fact.content
    if decision.action == "update":
        return decision if _keeps(decision.content or said, fact, now, read) else _alone(decision)
    told_else = decision.action == "none" and decision.reinforces and adds_details(said, now)
    return _alone(decision) if told_else and fact.fact.occurred is None else decision


def of_what_was_replaced(decision: FactOutcome, fact: NewFact, now: str, *, read: str, by: NewFact) -> FactOutcome:
    """Revise a decision about a memory that is no longer true. now: what replaced it; by: the fact that reported it.

    A fact said after that change replaces it in turn if both concern one value. Otherwise the fact is added by itself.
    """
    if decision.action == "none" and not decision.reinforces:
        return decision
    if decision.action == "update" and _keeps(decision.content or fact.fact.content, fact, now, read):
        return decision
    one_value = _are_of_one_value(fact, by)
    same_value = one_value and same_statement(fact.fact.value or "", by.fact.value or "")
    if decision.action == "none" and (agree(fact.fact.content, now) or same_value):
        return decision
    if decision.action in {"supersede", "contradict"}:
        return decision if one_value or differ_in_a_value(fact.fact.content, now) else _alone(decision)
    if not one_value:
        return _alone(decision)
    known = Known(by.number, now, by.fact.attribute, by.fact.value, by.said_at, by.subject_ids, said_by=by.said_by)
    outcome = replaces(fact, known, decision.reason)
    return replace(decision, action=outcome.action, content=None, reinforces=outcome.reinforces)


def _keeps(merged: str, fact: NewFact, now: str, read: str) -> bool:
    """Whether an update contains everything added to the memory since it was read."""
    anew = fact.fact.corrects or tells_a_change(fact.fact.content, fact.fact.quote)
    whole = telling(now) - forms(read) <= forms(merged)
    return whole and keeps(merged, fact.fact.content, now, anew=anew)


def _alone(decision: FactOutcome) -> FactOutcome:
    return replace(decision, action="add", content=None)


def _are_of_one_value(fact: NewFact, by: NewFact) -> bool:
    mine, its = fact.fact, by.fact
    both = mine.attribute is not None and mine.attribute == its.attribute and mine.value and its.value
    return bool(both) and bool(fact.subject_ids & by.subject_ids)
