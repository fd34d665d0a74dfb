"""From a statement and what the rules found to a fact: wording, mentions, relations, the resolved time."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from mosshead.language.dates.spans import NUMBERS
from mosshead.models.kinds import EntityType, MemoryKind
from mosshead.models.occurrence import FactOccurrence
from pipeline.models import USER, Fact, FactMention, Message, Relation
from pipeline.rules_en.aliases import Alias
from pipeline.rules_en.grammar import (
    FIRST_NAMES,
    VERBS,
    gerund,
    noun_head,
    one_among,
    possessive,
    singular,
    third,
    to_third_person,
    with_article,
)
from pipeline.rules_en.names import RUN, Discourse, Gazetteer, NamedEntity, Sort, Subject, find_names, only_once
from pipeline.rules_en.rules import Finding
from pipeline.rules_en.sentences import Sentence
from pipeline.rules_en.statements import Statement

_ONE_OF = re.compile(r"\bone of (?P<owner>.+?)'s (?P<role>[\w -]+)$")
_AT_A_FIRM = re.compile(rf" at (?:the )?(?P<firm>{RUN})$")
_CLOCK = re.compile(r"\d ?(?:am|pm|o'clock)|\d:\d\d|noon|midnight", re.IGNORECASE)
_SECOND_VERB = re.compile(r" and ([a-z]+)(?= (?:on|the|an?|it|to|them|his|her|up|with|for|two|three|all|every)\b)")
_TRAILING = " ,.;:!"
_OF_A_FIRM = re.compile(r"\b(?:client|customer|supplier|vendor|agency|bank|employer|competitor)$")


@dataclass(frozen=True, slots=True)
class FactSource:
    """Where a fact comes from and what its message's time is."""

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
    aliases: Iterable[Alias] = (),
) -> Fact:
    """The fact that a statement amounts to."""
    content = _content(statement, finding)
    mentions = _mentions(statement, finding, content, gazetteer, tuple(aliases))
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


@dataclass(frozen=True, slots=True)
class Taught:
    """A procedure in a message: what for, its steps as they were said, and which sentences hold it (half-open)."""

    goal: str
    steps: tuple[str, ...]
    start: int
    end: int


def compose_process(
    taught: Taught, message: Message, found: Sequence[Sentence], discourse: Discourse, *, marked: bool
) -> Fact:
    """The one fact that holds all steps of a procedure, about an entity named after what it is for."""
    steps = "; ".join(_step(step, discourse) for step in taught.steps)
    name = to_third_person(taught.goal, discourse.me, discourse.firm)
    start = message.content.find(found[taught.start].quote)
    last = found[taught.end - 1].quote
    end = message.content.find(last, start) + len(last)
    return Fact(
        kind=MemoryKind.PROCESS,
        content=f"The process for {name}: {steps}",
        sources=(message.number,),
        quote=message.content[start:end],
        mentions=(FactMention(name=name, entity_type=EntityType.PROCESS, role="subject"),),
        marked=marked,
    )


def _step(step: str, discourse: Discourse) -> str:
    """A step in the third person, its second verb too: "then we call and book" → "then User calls and books"."""
    text = to_third_person(_lowered(step), discourse.me, discourse.firm)
    doer = discourse.firm or discourse.me
    if not re.match(rf"(?:[a-z ]+ )?{re.escape(doer)} ", text):
        return text
    return _SECOND_VERB.sub(lambda m: f" and {third(m[1]) if m[1] in VERBS else m[1]}", text)


def _lowered(step: str) -> str:
    """A step that was a sentence of its own, as part of one: "Run the tests" → "run the tests"."""
    first = step.split(" ", 1)[0]
    return step[0].lower() + step[1:] if first.istitle() and first != "I" and first.lower() not in FIRST_NAMES else step


def _content(statement: Statement, finding: Finding | None) -> str:
    if finding and finding.rule.content and not statement.negated:
        words = {
            "owner": statement.subject.owner or statement.discourse.me,
            "subject": statement.subject.text,
            "noun": statement.subject.noun,
        }
        return finding.rule.content.format(**{**words, **finding.groups})
    predicate = _ONE_OF.sub(lambda m: _one_of(m, statement), statement.predicate)
    if finding and (name := finding.groups.get("object")) and not any(c.isupper() for c in predicate.replace(USER, "")):
        predicate = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", name, predicate, count=1, flags=re.IGNORECASE)
    text = f"{_subject_text(statement, finding)} {predicate}".strip(_TRAILING)
    return text[0].upper() + text[1:]


def _subject_text(statement: Statement, finding: Finding | None) -> str:
    """ "The company" reads better with its owner, where the rule takes it for the speaker's own."""
    subject = statement.subject
    if finding and finding.rule.owner_is_subject and subject.owner is None and subject.noun:
        return f"{possessive(statement.discourse.me)} {subject.noun}"
    return subject.text


def _one_of(match: re.Match[str], statement: Statement) -> str:
    """ "Is one of WOBS's writers" → "is a writer at WOBS", where the owner is a firm and no other is named."""
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
    weekday = re.match(r"(?i)(?:mon|tues|wednes|thurs|fri|satur|sun)day", value)
    if weekday and not _CLOCK.search(value):
        return weekday[0].capitalize()
    clock = re.search(r"(?i)\d{1,2}(?::\d\d)? ?(?:am|pm|o'clock)|\d{1,2}:\d\d|noon|midnight", value)
    return clock[0] if clock and not weekday else value


def _mentions(
    statement: Statement, finding: Finding | None, content: str, gazetteer: Gazetteer, aliases: tuple[Alias, ...]
) -> tuple[FactMention, ...]:
    subject, me = statement.subject, statement.discourse.me
    first = _subject_mention(statement, finding)
    named = find_names(
        content,
        gazetteer,
        first_counts=subject.sort in {Sort.PERSON, Sort.NAMED, Sort.GROUP} or subject.name is not None,
    )
    found = [first] if first else []
    found += [
        _other(n, finding)
        for n in only_once(named)
        if n.name not in {USER, me} and (not first or n.name.casefold() != first.name.casefold())
    ]
    known = {mention.name for mention in found}
    if me not in known and re.search(rf"\b{re.escape(me)}\b", content):
        found.append(
            FactMention(
                name=me,
                entity_type=EntityType.PERSON,
                role="subject" if first is None and subject.sort is Sort.THING else "about",
            )
        )
    spoken = {alias.alias for alias in aliases if alias.name in known}
    return tuple(_with_aliases(m, aliases) for m in found if m.name not in spoken)


def _subject_mention(statement: Statement, finding: Finding | None) -> FactMention | None:
    subject, me = statement.subject, statement.discourse.me
    if finding and finding.rule.owner_is_subject:
        return _owner_mention(statement, finding)
    if subject.name is None:
        return None
    if subject.sort in {Sort.SELF, Sort.GROUP}:
        return FactMention(name=me, entity_type=EntityType.PERSON, role="subject")
    entity_type = _subject_type(subject, finding)
    description, parent = _description(statement, finding)
    return FactMention(
        name=subject.name, entity_type=entity_type, role="subject", parent=parent, description=description
    )


def _owner_mention(statement: Statement, finding: Finding) -> FactMention:
    """ "User's name is Sarah" is about User; "User's boss is Anna" about Anna, who is described by it."""
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
    """What the words say to tell the subject from its namesakes, and the firm that it belongs to."""
    subject, firm = statement.subject, statement.discourse.firm
    parent = firm if subject.owner == firm else None
    parts = [_tie_to(subject, firm)]
    if finding is not None and not statement.negated:
        groups = finding.groups
        parent = groups.get("object") if finding.rule.predicate == "works_at" else parent
        parent = _firm_named(groups["role"], firm) if firm is not None and groups.get("owner") == firm else parent
        parts.append(_role_said(statement, finding, firm))
    return ", ".join(part for part in parts if part) or None, parent


def _tie_to(subject: Subject, firm: str | None) -> str:
    """ "User's brother", "from accounting", or the bare noun where its owner is the firm, which is kept as parent."""
    if not subject.noun:
        return ""
    return f"{possessive(subject.owner)} {subject.noun}" if subject.owner and subject.owner != firm else subject.noun


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
    """The firm that somebody of ours is at: "our writers at WOBS" says itself where that is."""
    named = _AT_A_FIRM.search(role)
    return named["firm"] if named else firm


def _other(named: NamedEntity, finding: Finding | None) -> FactMention:
    is_object = finding is not None and named.name in {finding.groups.get("object"), finding.groups.get("value")}
    entity_type = finding.rule.object_type if is_object and finding and finding.rule.object_type else named.entity_type
    return FactMention(name=named.name, entity_type=entity_type, role="object" if is_object else "about")


def _with_aliases(mention: FactMention, aliases: tuple[Alias, ...]) -> FactMention:
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
        role = finding.groups.get("role", "").split()[-1:] or ["one"]
        predicate = finding.rule.predicate.format(role=_snake(role[0]))
        if predicate.startswith("has_"):
            found.append(Relation(subject=thing, predicate=f"{_snake(role[0])}_of", object=who or me))
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
    if not subject.name:
        return
    role, owner = finding.groups.get("role"), finding.groups.get("owner")
    if role and owner and finding.rule.describes:
        if owner == firm:
            yield Relation(subject=subject.name, predicate="works_at", object=_firm_named(role, owner))
            return
        head = noun_head(role).split()[-1]
        word = _snake(singular(head) if "one of" in statement.core else head)
        yield Relation(subject=subject.name, predicate=f"{word}_of", object=owner)


def _snake(word: str) -> str:
    return re.sub(r"\W+", "_", word.lower()).strip("_")


_NO_MORE = re.compile(r"\bno longer\b|\bany ?more\b")

_WHOLLY = re.compile(
    r"\W*$|\s?[,;]| (?:any ?more|now|either|at all|since|because|as of|after|and|but|so|though|anyway|\w+ly)\b",
    re.IGNORECASE,
)
"""What follows the value that holds no more: nothing that says of what part of it, as in "no longer works at Acme on Mondays"."""

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
"""What was so at some time in the past, and says nothing of now: "once lost his job", "moved out for a year"."""


def ended(statement: Statement, finding: Finding | None) -> str | None:
    """The attribute of which a statement says that its value holds no more."""
    said = statement.predicate
    if finding is None or _OF_SOME_TIME.search(said):
        return None
    if not statement.negated:
        return finding.rule.ends
    rest = said[said.lower().find(finding.value.lower()) + len(finding.value) :] if finding.value else ""
    names = finding.rule.attribute if _NO_MORE.search(said) and _WHOLLY.match(rest) else None
    return names if names is None or "{" not in names else None


_GOAL = r"(?P<goal>[^:;]{3,90}?)"
_NOUNS = r"(?:process|procedure|workflow|recipe|routine|method|checklist|protocol|steps?|way)"
_DOES = r"(?:is|are|goes|works|looks|consists of|runs)(?: as follows| like this| this| the following| simple)?"

_OPENINGS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        (
            r"^(?:the )?way (?:that )?(?:we|i|you|our team)(?: (?:always|usually|normally|do|can|should))? "
            rf"{_GOAL} is(?: as follows| this| like this)?[:,]\s*(?P<steps>.*)$"
        ),
        (
            r"^(?:here(?:'s| is)|this is|that(?:'s| is)) (?:how|the way(?: that)?) (?:to|we|i|you|our "
            rf"team)(?: (?:always|usually|normally|can|should|do))? {_GOAL}(?:[:,.]\s*(?P<steps>.*))?$"
        ),
        rf"^(?:here(?:'s| is)|this is) (?:the|our|my) {_NOUNS} (?:for|of|to|when) {_GOAL}(?:[:.]\s*(?P<steps>.*))?$",
        (
            r"^(?:let me|i(?:'ll| will| want to|'m going to| am going to| would like to)) (?:teach|show|"
            r"explain|tell)(?: to)? you (?:how|the (?:process|procedure|steps)) (?:to|for|we|i) "
            rf"{_GOAL}(?:[:.]\s*(?P<steps>.*))?$"
        ),
        rf"^(?:the|our|my) (?:\w+ )?{_NOUNS} (?:for|of|to|when) {_GOAL} {_DOES}[:,]?\s*(?P<steps>.*)$",
        (
            rf"^(?:the|our|my) (?P<goal>[\w -]{{3,50}}?) (?:process|procedure|workflow|checklist|routine|"
            rf"protocol) {_DOES}[:,]?\s*(?P<steps>.*)$"
        ),
        rf"^(?:the )?(?:steps?|procedure|process|instructions) (?:to|for|of) {_GOAL}(?: are| is)?:\s*(?P<steps>.*)$",
        rf"^how (?:to|we|i|you) {_GOAL}:\s*(?P<steps>.*)$",
        r"^(?:in order )?to (?P<goal>[a-z]+)[,:]\s*(?P<steps>first\b.*)$",
        (
            r"^(?:in order )?to (?P<goal>[a-z]+ [^:]{3,90}?)(?:,|:)\s*(?P<steps>(?:(?:you|we|i) "
            r"(?:(?:first|always|need to|have to|must|should|then|just)\b|[a-z]+\b)|first|always|start|"
            r"begin|[a-z]+\b).*)$"
        ),
        (
            r"^(?P<goal>(?:when(?:ever)?|every time|as soon as) (?!you\b|we\b|i\b)[a-z]+ [^:,]{3,80}?)[,:]\s*"
            r"(?P<steps>(?:you|we|i) (?:first|always first|start by|begin by)\b.*)$"
        ),
        (
            r"^(?:when(?:ever)?|every time|before|after) (?:you|we|i) "
            r"(?P<goal>[a-z]+[^:,]{3,80}?)[,:]\s*(?P<steps>(?:(?:you|we|i) )?(?:first|always|start (?:by|"
            r"with)|begin (?:by|with)|need to|have to|must|should)\b.*)$"
        ),
    )
)

_SEQUENCE = re.compile(
    (
        r"^(?:and )?(?:first(?:ly)?|second(?:ly)?|third(?:ly)?|fourth(?:ly)?|then|next|after (?:that|"
        r"this)|afterwards|finally|lastly|last|at the end|once|when|if|also|step \d+|start|begin|make "
        r"sure|don't|do not|never|always|only)\b"
    ),
    re.IGNORECASE,
)

_ORDERED = re.compile(
    r"\b(?:first(?:ly)?|then|next|after that|afterwards|finally|lastly|second(?:ly)?|step \d)\b", re.IGNORECASE
)

_DOER = re.compile(
    (
        r"^(?:you|we|i)(?:'ll| will)? (?:(?:then|always|also|usually|need to|have to|must|should|"
        r"just) )?(?P<verb>[a-z]+)\b"
    ),
    re.IGNORECASE,
)

_STEP_VERBS = VERBS | frozenset(
    (
        "check run click log feed paste copy compare upload download press pull push merge tag "
        "commit rotate delete remove save count scan mix stir boil chop add pour heat rinse grind "
        "tell email ping fill submit validate verify approve rewrite note let use mark drop export "
        "import reject flag pay"
    ).split()
)

_OPENS_WITH = re.compile(r"^(?:and |just |please )?(?P<verb>[a-z]+)\b", re.IGNORECASE)
_SUBORDINATE_GOALS = re.compile(r"^(?:be|me|you|him|her|us|them|it|this|that|my|the|a)\b", re.IGNORECASE)
_PART = re.compile(r";|, (?:and )?(?=then\b|next\b|after that\b|finally\b|lastly\b|second\b)|(?<=\w)\.\s")
_WHENEVER = re.compile(r"^(?:when(?:ever)?|every time|as soon as)\b", re.IGNORECASE)
_PEOPLE = re.compile(r"\bI\b")


def find_process(sentences: Sequence[Sentence], texts: Sequence[str], start: int, *, marked: bool) -> Taught | None:
    """The procedure that begins at a sentence, None where none does.

    texts: the sentences without their openers and marks. marked: the user said that this is to be learnt, so one
    step is enough.
    """
    opening = _opening(texts[start])
    if opening is None:
        return None
    goal, inline, explicit = opening
    steps = _inline_steps(inline)
    end = start + 1
    while end < len(sentences) and _is_step(sentences[end], texts[end], bare=not steps):
        steps.append(_bare(texts[end]))
        end += 1
    ordered = bool(_ORDERED.search(inline)) or any(s.listed for s in sentences[start + 1 : end])
    enough = len(steps) >= 2 or (
        bool(steps) and (marked or ordered or _firm(inline) or (explicit and _several(inline)))
    )
    if not enough:
        return None
    return Taught(goal, tuple(steps), start, end)


def _opening(text: str) -> tuple[str, str, bool] | None:
    """What the procedure is for, the steps in the same sentence, and whether the words leave no doubt that it is one."""
    for pattern in _OPENINGS:
        match = pattern.match(text)
        if match is None:
            continue
        goal, steps = _WHENEVER.sub("when", match["goal"].strip()), (match["steps"] or "").strip()
        first = goal.split()[0].lower()
        if pattern is _OPENINGS[-3] and (first not in _STEP_VERBS or not _imperative_steps(steps)):
            continue
        if _SUBORDINATE_GOALS.match(goal) and pattern not in _OPENINGS[4:6]:
            continue
        verbal = re.search(
            r"\b(?:to|we|i|you|team|always|usually|normally|do|can|should)\s$",
            text[: match.start("goal")],
            re.IGNORECASE,
        )
        return named(goal, verbal=verbal is not None), steps, pattern in _OPENINGS[:-3]
    return None


def _imperative_steps(steps: str) -> bool:
    """After "To deploy, …" an order or a "first" must come; "To relax, I go running" teaches nothing."""
    if _SEQUENCE.match(steps):
        return True
    doer = _DOER.match(steps)
    if doer:
        return (
            bool(_ORDERED.search(steps))
            or re.match(r"(?:you|we) (?:always|need|have|must|should)\b", steps, re.IGNORECASE) is not None
            or steps.lower().startswith("we ")
        )
    opens = _OPENS_WITH.match(steps)
    return opens is not None and opens["verb"].lower() in _STEP_VERBS


def _several(inline: str) -> bool:
    opens = _OPENS_WITH.match(inline)
    return (
        opens is not None and opens["verb"].lower() in _STEP_VERBS and re.search(r",| and | then ", inline) is not None
    )


def _firm(inline: str) -> bool:
    return re.match(r"(?:(?:you|we) )?(?:always|must|need to|have to)\b", inline, re.IGNORECASE) is not None


def _inline_steps(inline: str) -> list[str]:
    return [_bare(part) for part in _PART.split(inline) if _bare(part)]


def _is_step(sentence: Sentence, text: str, *, bare: bool) -> bool:
    if text.endswith("?"):
        return False
    if sentence.listed or _SEQUENCE.match(text):
        return True
    doer = _DOER.match(text)
    if doer and (doer["verb"].lower() in _STEP_VERBS or bare):
        return not _PEOPLE.match(text) or bare
    opens = _OPENS_WITH.match(text)
    return opens is not None and opens["verb"].lower() in _STEP_VERBS


def _bare(step: str) -> str:
    return step.strip().rstrip(".!,;: ")


def named(goal: str, *, verbal: bool) -> str:
    """What a procedure is called after what it is for: "check the batch" → "checking the batch".

    verbal: the first word stood where only a verb can.
    """
    first, _, rest = goal.rstrip(" ,.").partition(" ")
    low = first.lower()
    name = gerund(low) if (verbal or low in _STEP_VERBS) and not low.endswith("ing") else first
    return f"{name} {rest}".strip()
