"""Whether a fact can stand alone: read a year later, away from its conversation, no word of it points into the void."""

import re

from mosshead.genders import PRONOUNS, gender_of
from mosshead.kinds import EntityType
from pipeline.facts import Fact
from pipeline.offline.discourse import Sort
from pipeline.offline.lexicon import ACQUAINTANCES, FIRST_NAMES, KINSHIP
from pipeline.offline.statements import Statement

_IT = re.compile(r"(?<!when )(?<!because )(?<!if )(?<!that )\bit\b")
_POINTING = re.compile(
    r"\b(?:that|this|these|those)(?=$|[,.;]| (?:the hard way|yesterday|today|again|too|as well|for|with|on|in|at|to"
    r"|before)\b)"
    r"|\b(?:learned|learnt|knows|said|did|does|do|done|loves|likes|hates) (?:that|this)$"
)
_THERE = re.compile(r"\bthere\b(?! (?:is|are|was|were|will|has|have)\b)")
_THEY = re.compile(r"\b(?:they|them|their|theirs)\b")
_HE = re.compile(r"\b(?:he|him|his|she|her|hers)\b")
_MANY = re.compile(r"\b(?:[a-z]{2,}s|children|people|folks|each|every|all|both|team|family|staff|and)\b")
_OWN_WAY = re.compile(r"^(?:has|have) (?:[\w']+'s )?own (?:way|thing|pace|style|approach)s?$")
_TOLD = re.compile(
    r"^(?:told|tells|asked|said to|called|rang|texted|emailed|messaged) \w+(?: (?:yesterday|today|last \w+|this \w+))?$"
)
_BARE_NUMBER = re.compile(r"^(?:has|have|had|is|are|got) (?:at )?\d+(?: (?:right )?now| today| so far)?$")
_GOODBYE = re.compile(
    r"^(?:has|have|had|got|needs?|is off|is going|is heading|must)(?: got)? to (?!\w+ed\b).*\b(?:now|bye|goodbye|soon)$"
    r"|\b(?:bye|goodbye|see you)$"
)


def stands_alone(fact: Fact, statement: Statement) -> bool:
    """Whether every pronoun of the fact finds whom it means within the fact itself."""
    predicate = statement.predicate
    if any(hollow.match(statement.core) for hollow in (_OWN_WAY, _TOLD)) or _GOODBYE.search(predicate):
        return False
    if statement.subject.sort is Sort.GROUP and _BARE_NUMBER.match(statement.core):
        return False
    if _IT.search(predicate) or _POINTING.search(predicate):
        return False
    if _THERE.search(predicate) or _THERE.search(statement.subject.text):
        return False
    return _they_is_named(fact, statement) and _he_is_named(fact, statement)


def _they_is_named(fact: Fact, statement: Statement) -> bool:
    match = _THEY.search(fact.content)
    if match is None:
        return True
    if statement.subject.owner and statement.subject.sort is Sort.PERSON:
        return True
    if statement.subject.sort in {Sort.GROUP, Sort.NAMED}:
        return not statement.core.startswith("is their ")
    owner = "" if statement.subject.sort is Sort.SELF else statement.subject.text
    at = _THEY.search(statement.predicate)
    object_words = statement.predicate[: at.start()].split()[1:] if at else []
    return _MANY.search(f"{owner} {' '.join(object_words)}") is not None


def _he_is_named(fact: Fact, statement: Statement) -> bool:
    match = _HE.search(fact.content)
    if match is None:
        return True
    if statement.subject.sort is Sort.PERSON:
        gender = gender_of(statement.subject.name, statement.subject.noun)
        return gender in {None, PRONOUNS[match[0]]}
    before = fact.content[: match.start()]
    people = {m.name for m in fact.mentions if m.entity_type is EntityType.PERSON} - {statement.discourse.me}
    words = {word.lower() for word in re.findall(r"[\w-]+", before)}
    return bool(words & (KINSHIP | ACQUAINTANCES | FIRST_NAMES)) or any(name in before for name in people)
