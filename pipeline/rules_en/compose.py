"""Compose a fact from a statement and a rule's finding: wording, mentions, relations, and resolved time."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from mosshead.language.dates.spans import DAY_NAME, NUMBERS
from mosshead.language.wordlists import FIRST_NAMES
from mosshead.models.kinds import EntityType, MemoryKind
from mosshead.models.occurrence import FactOccurrence
from pipeline.models import USER, Fact, FactMention, Relation
from pipeline.rules_en.aliases import Alias
from pipeline.rules_en.grammar import noun_head, one_among, possessive, singular, with_article
from pipeline.rules_en.names import RUN, Gazetteer, NamedEntity, Sort, Subject, find_names
from pipeline.rules_en.rules import Finding
from pipeline.rules_en.statements import Statement

_ONE_OF = re.compile(r"\bone of (?P<owner>.+?)'s (?P<role>[\w -]+)$")
_AT_A_FIRM = re.compile(rf" at (?:the )?(?P<firm>{RUN})$")
_CLOCK = re.compile(r"\d{1,2}(?::\d\d)? ?(?:am|pm|o'clock)|\d{1,2}:\d\d|noon|midnight", re.IGNORECASE)
_TRAILING = " ,.;:!"
_OF_A_FIRM = re.compile(r"\b(?:client|customer|supplier|vendor|agency|bank|employer|competitor)$")


@dataclass(frozen=True, slots=True)
class FactSource:
    """A fact's source, and the time of its message."""

    numbers: tuple[int, ...]
    quote: str
    said_at: datetime
    marked: bool = False
    corrects: bool = False


def compose(
    statement: Statement,
    finding: Finding | None,
    kind: MemoryKind,
    source: FactSource,
    gazetteer: Gazetteer,
    *,
    occurred: FactOccurrence | None = None,
    aliases: Sequence[Alias] = (),
) -> Fact:
    """Return the fact that a statement expresses."""
    content = _content(statement, finding)
    mentions = _mentions(statement, finding, content, gazetteer, aliases)
    attribute, value = _attribute(statement, finding)
    return Fact(
        kind=kind,
        content=content,
        sources=source.numbers,
        quote=source.quote,
        occurred=occurred,
        mentions=mentions,
        relations=_relations(statement, finding, mentions),
        attribute=attribute,
        value=value,
        marked=source.marked,
        corrects=source.corrects,
        ends=ended(statement, finding),
    )


def _content(statement: Statement, finding: Finding | None) -> str:
    if finding and finding.rule.content and not statement.negated:
        subject, owner = statement.subject, statement.subject.owner or statement.discourse.me
        return finding.rule.content.format(subject=subject.text, noun=subject.noun, owner=owner, **finding.groups)
    predicate = _ONE_OF.sub(lambda m: _one_of(m, statement), statement.predicate)
    if finding and (name := finding.groups.get("object")) and not any(c.isupper() for c in predicate.replace(USER, "")):
        predicate = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", name, predicate, count=1, flags=re.IGNORECASE)
    subject, about = statement.subject, statement.subject.text
    if finding and finding.rule.owner_is_subject and subject.owner is None and subject.noun:
        about = f"{possessive(statement.discourse.me)} {subject.noun}"  # "the company" is the speaker's own
    text = f"{about} {predicate}".strip(_TRAILING)
    return text[0].upper() + text[1:]


def _one_of(match: re.Match[str], statement: Statement) -> str:
    """Change "is one of WOBS's writers" to "is a writer at WOBS" if the owner is a firm and no other is named."""
    if match["owner"] != statement.discourse.firm:
        return match[0]
    said = with_article(one_among(match["role"]))
    return said if _AT_A_FIRM.search(said) else f"{said} at {match['owner']}"


def _attribute(statement: Statement, finding: Finding | None) -> tuple[str | None, str | None]:
    if finding is None or finding.rule.attribute is None or statement.negated or finding.value is None:
        return None, None
    subject = statement.subject
    if subject.name is None and not finding.rule.owner_is_subject and subject.sort is not Sort.THING:
        return None, None
    value = finding.value.strip(_TRAILING)
    names = {**finding.groups, "unit": "time" if _CLOCK.search(value) else "day"}
    if "event" in names:
        value = _slot(value)
    attribute = finding.rule.attribute.format(**names)
    if attribute.endswith(("birthday day", "anniversary day")):
        attribute = attribute.removesuffix(" day")
    return (attribute.replace(" ", "_") if attribute.startswith("favourite_") else attribute), value


def _slot(value: str) -> str:
    weekday, clock = re.match(DAY_NAME, value, re.IGNORECASE), _CLOCK.search(value)
    if weekday:
        return value if clock else weekday[0].capitalize()
    return clock[0] if clock else value


def _mentions(
    statement: Statement, finding: Finding | None, content: str, gazetteer: Gazetteer, aliases: Sequence[Alias]
) -> tuple[FactMention, ...]:
    subject, me = statement.subject, statement.discourse.me
    first = _subject_mention(statement, finding)
    first_counts = subject.sort in {Sort.PERSON, Sort.NAMED, Sort.GROUP} or subject.name is not None
    named = find_names(content, gazetteer, first_counts=first_counts)
    found = [first] if first else []
    taken = {one.name.casefold() for one in found}
    found += [_other(n, finding) for n in named if n.name not in {USER, me} and n.name.casefold() not in taken]
    known = {mention.name for mention in found}
    if me not in known and re.search(rf"\b{re.escape(me)}\b", content):
        about = first is not None or subject.sort is not Sort.THING
        found.append(FactMention(name=me, entity_type=EntityType.PERSON, role="about" if about else "subject"))
    spoken = {alias.alias for alias in aliases if alias.name in known}
    return tuple(_with_aliases(m, aliases) for m in found if m.name not in spoken)


def _subject_mention(statement: Statement, finding: Finding | None) -> FactMention | None:
    subject = statement.subject
    if finding and finding.rule.owner_is_subject:
        return _owner_mention(statement, finding)
    if subject.name is None:
        return None
    if subject.sort in {Sort.SELF, Sort.GROUP}:
        return FactMention(name=statement.discourse.me, entity_type=EntityType.PERSON, role="subject")
    kind = _subject_type(subject, finding)
    description, parent = _description(statement, finding)
    return FactMention(name=subject.name, entity_type=kind, role="subject", parent=parent, description=description)


def _owner_mention(statement: Statement, finding: Finding) -> FactMention:
    """Return the main mention: "User's name is Sarah" is about User; "User's boss is Anna" is about Anna, whom it describes."""
    subject, named, role = statement.subject, finding.groups.get("object"), finding.groups.get("role")
    owner = subject.owner or statement.discourse.me
    if finding.rule.describes and named and role and not statement.negated:
        known = named.split()[0].lower() in FIRST_NAMES
        entity_type = EntityType.ORG if _OF_A_FIRM.search(role) and not known else EntityType.PERSON
        return FactMention(name=named, entity_type=entity_type, role="subject", description=f"{owner}'s {role}")
    entity_type = EntityType.ORG if owner == statement.discourse.firm else EntityType.PERSON
    return FactMention(name=owner, entity_type=entity_type, role="subject")


def _subject_type(subject: Subject, finding: Finding | None) -> EntityType:
    role = finding.groups.get("role") if finding is not None and finding.rule.describes else None
    told = {EntityType.CONCEPT, EntityType.PLACE} if role and not _OF_A_FIRM.search(role) else {EntityType.CONCEPT}
    described = finding is not None and finding.rule.describes and subject.entity_type in told
    return EntityType.PERSON if described else subject.entity_type


def _description(statement: Statement, finding: Finding | None) -> tuple[str | None, str | None]:
    """Return what distinguishes the subject from namesakes, and the firm it belongs to."""
    subject, firm = statement.subject, statement.discourse.firm
    parent = firm if subject.owner == firm else None
    # "User's brother", "from accounting", or the bare noun if its owner is the firm, which becomes the parent.
    owned = subject.noun and subject.owner and subject.owner != firm
    parts = [f"{possessive(subject.owner or '')} {subject.noun}" if owned else subject.noun]
    if finding is not None and not statement.negated:
        groups = finding.groups
        parent = groups.get("object") if finding.rule.predicate == "works_at" else parent
        parent = _firm_named(groups["role"], firm) if firm is not None and groups.get("owner") == firm else parent
        parts.append(_role_said(statement, finding, firm))
    return ", ".join(part for part in parts if part) or None, parent


def _role_said(statement: Statement, finding: Finding, firm: str | None) -> str:
    role, owner = finding.groups.get("role"), finding.groups.get("owner")
    if role is None or not finding.rule.describes:
        return ""
    among = "one of" in statement.core
    if owner:
        bare = _AT_A_FIRM.sub("", one_among(role) if among else role)
        return bare if owner == firm else f"{'one of ' if among else ''}{possessive(owner)} {role}"
    return f"{statement.core.split()[0]} {role}" if role.startswith("the ") else role


def _firm_named(role: str, firm: str) -> str:
    """Return the firm named in a role: "our writers at WOBS" names it."""
    named = _AT_A_FIRM.search(role)
    return named["firm"] if named else firm


def _other(named: NamedEntity, finding: Finding | None) -> FactMention:
    is_object = finding is not None and named.name in {finding.groups.get("object"), finding.groups.get("value")}
    entity_type = finding.rule.object_type if is_object and finding and finding.rule.object_type else named.entity_type
    return FactMention(name=named.name, entity_type=entity_type, role="object" if is_object else "about")


def _with_aliases(mention: FactMention, aliases: Sequence[Alias]) -> FactMention:
    others = tuple(dict.fromkeys(alias.alias for alias in aliases if alias.name == mention.name))
    return mention.model_copy(update={"aliases": others}) if others else mention


def _relations(
    statement: Statement, finding: Finding | None, mentions: tuple[FactMention, ...]
) -> tuple[Relation, ...]:
    subject, me = statement.subject, statement.discourse.me
    names = {mention.name for mention in mentions}
    found = [*_ties(statement, finding)]
    if finding and finding.rule.predicate and not statement.negated and (thing := finding.groups.get("object")):
        who = (subject.owner or me) if finding.rule.owner_is_subject else subject.name
        role = _snake((finding.groups.get("role") or "one").split()[-1])
        predicate = finding.rule.predicate.format(role=role)
        if predicate.startswith("has_"):
            found.append(Relation(subject=thing, predicate=f"{role}_of", object=who or me))
        elif who:
            found.append(Relation(subject=who, predicate=predicate, object=thing))
    return tuple(dict.fromkeys(r for r in found if r.subject in names and r.object in names and r.subject != r.object))


def _ties(statement: Statement, finding: Finding | None) -> Iterable[Relation]:
    subject, firm = statement.subject, statement.discourse.firm
    if subject.name and subject.owner and subject.sort is Sort.PERSON and subject.noun:
        predicate = "works_at" if subject.owner == firm else f"{_snake(subject.noun.split()[-1])}_of"
        yield Relation(subject=subject.name, predicate=predicate, object=subject.owner)
    if not finding or statement.negated:
        return
    if finding.rule.content and finding.rule.attribute == "partner" and finding.value and subject.owner:
        yield Relation(subject=finding.value, predicate="partner_of", object=subject.owner)
    role, owner = finding.groups.get("role"), finding.groups.get("owner")
    if role and owner and finding.rule.describes and subject.name:
        head = noun_head(role).split()[-1]
        word = _snake(singular(head) if "one of" in statement.core else head)
        predicate, other = ("works_at", _firm_named(role, owner)) if owner == firm else (f"{word}_of", owner)
        yield Relation(subject=subject.name, predicate=predicate, object=other)


def _snake(word: str) -> str:
    return re.sub(r"\W+", "_", word.lower()).strip("_")


_NO_MORE = re.compile(r"\bno longer\b|\bany ?more\b")

_WHOLLY = re.compile(
    r"\W*$|\s?[,;]| (?:any ?more|now|either|at all|since|because|as of|after|and|but|so|though|anyway|\w+ly)\b",
    re.IGNORECASE,
)
"""What may follow a value that no longer holds; nothing that limits it, as in "no longer works at Acme on Mondays"."""

_NO_NUMBER = r"(?<!\d )" + "".join(rf"(?<!\b{number} )" for number in NUMBERS)

_OF_SOME_TIME = re.compile(
    r"\bonce\b|\bduring\b|\bwhen \S+ (?:was|were|turned) (?!\w+ed\b|sold\b|bought\b|shut\b)|\bback (?:in|when|then)\b"
    rf"|\b(?:decades|ages|long) ago\b|{_NO_NUMBER}\byears ago\b|\bas an? (?:child|kid|teen\w*|student|boy|girl)\b"
    r"|\bat (?:the age of )?\d+\b"
    r"|\bin (?:college|school|high school|university|(?:[\w']+'s|his|her|their) (?:teens|twenties|thirties|youth))\b"
    r"|^(?!.*\b(?:after|worked|working)\b).*\bfor (?:an?|one|two|three|four|five|six|some|\d+) (?:few |couple of )?"
    r"(?:days?|nights?|weeks?|months?|years?|while|bit)\b",
    re.IGNORECASE,
)
"""Past states that say nothing about now: "once lost his job", "moved out for a year"."""


def ended(statement: Statement, finding: Finding | None) -> str | None:
    """Return the attribute whose value no longer holds according to a statement."""
    said = statement.predicate
    if finding is None or _OF_SOME_TIME.search(said):
        return None
    if not statement.negated:
        return finding.rule.ends
    rest = said[said.lower().find(finding.value.lower()) + len(finding.value) :] if finding.value else ""
    names = finding.rule.attribute if _NO_MORE.search(said) and _WHOLLY.match(rest) else None
    return names if names is None or "{" not in names else None
