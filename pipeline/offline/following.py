"""What later words may point back to: the discourse after a clause."""

import re
from dataclasses import replace

from mosshead.kinds import EntityType
from pipeline.facts import Fact, Mention
from pipeline.offline.discourse import Discourse, Person, Sort, Subject, spoken_of
from pipeline.offline.introductions import newcomer
from pipeline.offline.rule import Finding
from pipeline.offline.statements import Statement

_NAMED = frozenset({EntityType.ORG, EntityType.PROJECT, EntityType.SYSTEM})


def after(
    statement: Statement, finding: Finding | None, fact: Fact | None, discourse: Discourse, clause: str
) -> Discourse:
    """Whom "he", "it" and "we" can mean from here on; of the names of a clause, the first is the likeliest."""
    subject = statement.subject
    role = newcomer(clause)
    discourse = replace(discourse, expected=role) if role else discourse
    for mention in reversed(fact.mentions if fact else ()):
        if mention.name != discourse.me and not _is_subject(mention, statement, finding):
            discourse = _with_mention(mention, discourse)
    if finding is not None and finding.rule.owner_is_subject:
        pass
    elif subject.sort is Sort.PERSON or (subject.sort is Sort.NAMED and _is_person(subject, fact)):
        discourse = discourse.with_person(_subject_person(statement, fact, discourse, clause))
    elif subject.sort is Sort.NAMED:
        org = subject.name if subject.entity_type is EntityType.ORG else discourse.org
        discourse = replace(discourse, thing=subject, org=org)
    return _with_firm(statement, finding, fact, discourse) if fact else discourse


def described(fact: Fact, discourse: Discourse) -> Fact:
    """The fact with each person told from his namesakes by what the conversation first said of him."""
    mentions = tuple(_told_apart(mention, discourse) for mention in fact.mentions)
    return fact.model_copy(update={"mentions": mentions})


def _told_apart(mention: Mention, discourse: Discourse) -> Mention:
    person = discourse.called(mention.name)
    if person is None or mention.name == discourse.me:
        return mention
    if mention.entity_type is not EntityType.PERSON and person.subject.name != mention.name:
        return mention
    changes: dict[str, object] = {"entity_type": EntityType.PERSON}
    if person.described and not (mention.description or "").startswith(person.described[0]):
        changes["description"] = person.described[0]
    if person.parent and mention.parent is None:
        changes["parent"] = person.parent
    if person.short and mention.name == person.subject.name:
        changes["aliases"] = tuple(dict.fromkeys((*mention.aliases, person.short)))
    return mention.model_copy(update=changes)


def _is_person(subject: Subject, fact: Fact | None) -> bool:
    """What looked like a mere name may be somebody after all: "Poppy is Peter's daughter"."""
    return any(m.name == subject.name and m.entity_type is EntityType.PERSON for m in (fact.mentions if fact else ()))


def _is_subject(mention: Mention, statement: Statement, finding: Finding | None) -> bool:
    owned = finding is not None and finding.rule.owner_is_subject
    return mention.role == "subject" and statement.subject.sort is not Sort.THING and not owned


def _with_mention(mention: Mention, discourse: Discourse) -> Discourse:
    if mention.entity_type is EntityType.PERSON:
        return discourse.with_person(_with_parent(spoken_of(_person(mention), discourse, mention.description), mention))
    if mention.entity_type in _NAMED:
        org = mention.name if mention.entity_type is EntityType.ORG else discourse.org
        thing = Subject(mention.name, Sort.NAMED, mention.name, mention.entity_type)
        return replace(discourse, thing=thing, org=org)
    return discourse


def _person(mention: Mention) -> Subject:
    return Subject(mention.name, Sort.PERSON, mention.name)


def _subject_person(statement: Statement, fact: Fact | None, discourse: Discourse, clause: str) -> Person:
    mention = next((m for m in fact.mentions if m.role == "subject"), None) if fact else None
    parts = mention.description.split(", ") if mention and mention.description else []
    subject = replace(statement.subject, sort=Sort.PERSON, entity_type=EntityType.PERSON)
    person = spoken_of(subject, discourse, parts[0] if parts else None, _pronoun(clause))
    person = replace(person, described=tuple(dict.fromkeys((*person.described, *parts))))
    return _with_parent(person, mention) if mention else person


def _pronoun(clause: str) -> str:
    opening = re.match(r"(?:he|she)\b", clause, re.IGNORECASE)
    return opening[0] if opening else ""


def _with_parent(person: Person, mention: Mention) -> Person:
    return replace(person, parent=person.parent or mention.parent)


def _with_firm(statement: Statement, finding: Finding | None, fact: Fact, discourse: Discourse) -> Discourse:
    """The firm that a sentence gives as the speaker's own."""
    if finding is None or statement.negated or finding.rule.predicate == "studies_at":
        return discourse
    firm = finding.groups.get("object") if finding.rule.object_type is EntityType.ORG else None
    own = statement.subject.sort is Sort.SELF or finding.rule.owner_is_subject
    named = any(mention.name == firm for mention in fact.mentions)
    return replace(discourse, firm=firm, firm_age=0, own_firm=firm) if own and firm and named else discourse
