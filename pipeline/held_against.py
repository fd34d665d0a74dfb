"""How one fact may stand to one thing known: of the same subject, of the same time, said by another, later, or as a guess."""

import re

from mosshead.kinds import EntityType, MemoryKind
from mosshead.names import normalise
from pipeline.agreement import agree, opposite, tells_a_change
from pipeline.decisions import Decision, Known, NewFact
from pipeline.facts import USER, Mention, Occurrence
from pipeline.wording import forms, plain, telling


def may_be_about_the_same(fact: NewFact, known: Known) -> bool:
    """Whether both may describe the same: they share a subject, or of one it is not known. Two Peters are two."""
    one_is_open = not fact.subject_ids or not known.subject_ids
    return one_is_open or bool(fact.subject_ids & known.subject_ids) or _is_turned_round(fact, known)


def _is_turned_round(fact: NewFact, known: Known) -> bool:
    """Whether both say the same of the same two, each of another of them: "Ana is User's wife", "User's wife is Ana"."""
    same_two = fact.subject_ids <= known.about_ids and known.subject_ids <= fact.about_ids
    return same_two and agree(fact.fact.content, known.content)


def is_about_the_same(fact: NewFact, known: Known) -> bool:
    """Whether both are known to describe the same, or neither says whom."""
    return bool(fact.subject_ids & known.subject_ids) or not (fact.subject_ids or known.subject_ids)


def may_replace_each_other(fact: NewFact, known: Known) -> bool:
    """Whether of two subjects one may take the other's place, as a new treasurer does, or a dog that gets its name: both speak of
    one matter, and they are no namesakes."""
    said = forms(known.content)
    if any(frozenset(plain(name).split()) <= said for name in _people_described(fact)):
        return False
    common = telling(fact.fact.content) & telling(known.content)
    of_the_user = all(USER.casefold() in forms(content) for content in (fact.fact.content, known.content))
    return len(common) > 1 or (bool(common) and of_the_user)


def says_the_same(fact: NewFact, known: Known) -> bool:
    """Whether a fact repeats what is known, in the same words or nearly so, of the same subject and the same time."""
    alike = may_be_about_the_same(fact, known) and same_time(fact, known)
    return alike and agree(fact.fact.content, known.content)


def states(fact: NewFact, known: Known) -> bool:
    """Whether a memory says what a fact does, in its words or by the one value that both give, and nothing opposite."""
    one_value = fact.fact.attribute is not None and (fact.fact.attribute, plain(fact.fact.value or "")) == (
        known.attribute,
        plain(known.value or ""),
    )
    return is_about_the_same(fact, known) and (one_value or agree(fact.fact.content, known.content))


def differs_in_surnames(fact: NewFact, known: Known) -> bool:
    """Whether both say the same of the same people, whom one of both gives more of their names: "John Doe likes tea" of John."""
    people = [name.split()[0] for name in _people_described(fact)]
    if not people or fact.subject_ids != known.subject_ids or not same_time(fact, known):
        return False
    surnames = re.compile(rf"\b(?P<first>{'|'.join(map(re.escape, people))})(?: [A-Z][\w-]*)+")
    return agree(*(surnames.sub(r"\g<first>", content) for content in (fact.fact.content, known.content)))


def same_time(fact: NewFact, known: Known) -> bool:
    """Whether both speak of the same time; an event without one may be another than one that has it."""
    mine, its = fact.fact.occurred, known.occurred
    if mine is None or its is None:
        event = MemoryKind.EVENT in (fact.fact.kind, known.kind)
        return mine is its or not event
    return mine.start == its.start and mine.end == its.end


def lies_within(one: Occurrence | None, other: Occurrence | None) -> bool:
    """Whether one interval is the more precise time of the other."""
    if one is None or other is None:
        return False
    return other.start <= one.start and one.end <= other.end and one.end - one.start < other.end - other.start


def are_apart(one: Occurrence | None, other: Occurrence | None) -> bool:
    """Whether two intervals have nothing in common."""
    return one is not None and other is not None and (one.end <= other.start or other.end <= one.start)


def denies(fact: NewFact, known: Known) -> bool:
    """Whether a fact plainly says the opposite of what is known; of one day it denies only what is known of that day."""
    if are_apart(fact.fact.occurred, known.occurred) or not opposite(fact.fact.content, known.content):
        return False
    return fact.fact.occurred is None or known.occurred is not None or tells_a_change(fact.fact.content)


def replaces(fact: NewFact, known: Known, reason: str) -> Decision:
    """What a fact does to a memory that it makes untrue.

    A guess replaces nothing. What another said is contradicted and stays, unless the speaker puts it right, reports a change, or
    speaks of himself. What was said before the memory is overtaken by it, as where a dead letter takes effect late.
    """
    if not fact.fact.stated:
        return Decision(fact.number, "add", None, f"a guess replaces nothing: {reason}")
    if _is_another_view(fact, known):
        return Decision(fact.number, "contradict", known, f"{reason}, by another speaker")
    if fact.said_at < known.said_at:
        return Decision(fact.number, "none", known, "a later statement is known", reinforces=False)
    return Decision(fact.number, "supersede", known, reason)


def repeats(fact: NewFact, known: Known, reason: str) -> Decision:
    """What becomes of a fact that says nothing new; an echo is no evidence."""
    if known.injected:
        return Decision(fact.number, "none", known, "an echo of what was in the prompt", reinforces=False)
    return Decision(fact.number, "none", known, reason)


def is_anothers(fact: NewFact, known: Known) -> bool:
    """Whether two people said the two."""
    both = fact.said_by is not None and known.said_by is not None
    return both and normalise(fact.said_by or "") != normalise(known.said_by or "")


def _is_another_view(fact: NewFact, known: Known) -> bool:
    if not is_anothers(fact, known):
        return False
    outranks = fact.fact.corrects or _speaks_of_himself(fact) or tells_a_change(fact.fact.content, fact.fact.quote)
    return not outranks


def _speaks_of_himself(fact: NewFact) -> bool:
    """Whether the speaker is whom the fact describes; only whoever is its one subject is so for sure."""
    named = [{normalise(name) for name in (mention.name, *mention.aliases)} for mention in _described(fact)]
    return len(named) == 1 and normalise(fact.said_by or "") in named[0]


def _people_described(fact: NewFact) -> list[str]:
    """The names of the people that a fact describes, but for the user."""
    people = (mention for mention in _described(fact) if mention.entity_type is EntityType.PERSON)
    return [mention.name for mention in people if mention.name != USER]


def _described(fact: NewFact) -> list[Mention]:
    return [mention for mention in fact.fact.mentions if mention.role == "subject"]
