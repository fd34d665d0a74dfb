"""Rules: the predicates they match, and what they say about the fact."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from mosshead.language.wordlists import FIRST_NAMES, NOT_NAMES
from mosshead.models.kinds import EntityType, MemoryKind
from pipeline.rules_en.grammar import possessive
from pipeline.rules_en.names import RUN, Sort, looks_like_name, titled
from pipeline.rules_en.statements import Statement

_STOP_WORDS = (
    "with|and|but|since|for|because|as|when|where|which|who|right now|now|at the moment|these "
    "days|currently|today|yesterday|tomorrow|last|next|this"
    r"|in \d|in (?:a|the)|(?:a|\w+) (?:few|couple|years?|months?|weeks?|days?)\b|on|after|before|"
    r"until|till|from|to|so|while|if|at|of|every|again|permanently|recently|actually|too|also|"
    r"anymore|any more|instead|via|by|in|near|obviously|though|honestly|thankfully|luckily|sadly|unfortunately|anyway"
)
END = rf"(?=\s+(?:{_STOP_WORDS})\b|[,;:()!]|\s-|\.$|\s?$)"
"""What ends a rule's noun phrase."""
NOUN = rf"[\w][\w'&./+#-]*(?: [\w'&./+#-]+){{0,5}}?{END}"
"""A short noun phrase up to the next preposition, conjunction or punctuation mark."""
NAME_OR_NOUN = rf"(?:{RUN}|{NOUN})"
LASTING = (
    r".*\b(?:since|(?:all [\w']+|whole) life|now|for (?:(?:about|almost|nearly|over|more than|at least|around|the)"
    r" )*(?:\d|an?\b|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|many|several|some|years|months|ages|last|past))"
)
"""What shows that "has lived" or "has worked" still applies; otherwise it is past."""

_SEASON = "(?:spring|summer|autumn|fall|winter)"
FOR_GOOD = (
    r"(?=$|[,;]| (?:last|this (?!morning|afternoon|evening)|yesterday|today|recently|because|due to|after|when|over|again|and"
    r"|but|so|\d+|two|three|four|five|six|a (?:few|couple|week|month|year|while)|(?:in|on) (?=[A-Z\d])"
    rf"|in (?:early|late|the {_SEASON})|for good|for (?=[A-Z])"
    r"|to (?:join|start|become|found|work|go|be|pursue|study|travel|raise))\b)"
)
"""What may follow the thing left: "left Acme last week", but not "left Acme a voicemail" or "left Acme at 5"."""

SELF = frozenset({Sort.SELF})
PEOPLE = frozenset({Sort.SELF, Sort.PERSON, Sort.GROUP})
THINGS = frozenset({Sort.THING})
BEARERS = frozenset({Sort.SELF, Sort.PERSON, Sort.GROUP, Sort.NAMED})


@dataclass(frozen=True, slots=True)
class Rule:
    """What a form of predicate says.

    pattern: matched at the start of the statement's core. noun: must match all of the subject's noun, if set.
    attribute: may name groups, "favourite_{thing}"; its value is the group "value", else "object".
    predicate: relates the subject to the group "object". object_type: that object's type.
    content: replaces subject and predicate if they would read badly; names groups, {subject} and {me}.
    owner_is_subject: the fact is about the noun's owner: "User's name is Sarah" is about User.
    name_only: the object must be written as a name.
    describes: the group "role" distinguishes the subject from namesakes.
    ends: the attribute whose value no longer holds.
    """

    pattern: re.Pattern[str]
    kind: MemoryKind
    subjects: frozenset[Sort] = PEOPLE
    noun: re.Pattern[str] | None = None
    attribute: str | None = None
    predicate: str | None = None
    object_type: EntityType | None = None
    content: str | None = None
    owner_is_subject: bool = False
    name_only: bool = False
    describes: bool = False
    ends: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule's match with a statement. groups: the captured groups, names normalised."""

    rule: Rule
    groups: dict[str, str] = field(default_factory=dict)

    @property
    def value(self) -> str | None:
        return self.groups.get("value") or self.groups.get("object")


def rule(pattern: str, kind: MemoryKind = MemoryKind.FACT, *, noun: str | None = None, **more: object) -> Rule:
    """Build a rule from pattern texts."""
    compiled = re.compile(noun, re.IGNORECASE) if noun else None
    return Rule(re.compile(pattern), kind, noun=compiled, **more)  # type: ignore[arg-type]


def first_finding(statement: Statement, rules: Iterable[Rule]) -> Finding | None:
    """Return the finding of the first matching rule."""
    return next((found for each in rules if (found := fit(statement, each))), None)


def fit(statement: Statement, rule: Rule) -> Finding | None:
    """Match one rule with a statement; None if it does not fit."""
    if statement.subject.sort not in rule.subjects:
        return None
    noun = rule.noun.fullmatch(statement.subject.noun) if rule.noun else None
    match = rule.pattern.match(statement.core)
    if match is None or (rule.noun is not None and noun is None):
        return None
    caught = (noun.groupdict() if noun else {}) | match.groupdict()
    groups = {key: text.strip(" ,.") for key, text in caught.items() if text}
    thing = groups.get("object")
    if thing == possessive(statement.discourse.me):
        return None
    if thing is not None and rule.object_type is not None:
        works_with = rule.object_type is EntityType.ORG and f" with {thing}" in match[0]
        if not usable(thing, rule.name_only) or (works_with and thing.lower() in FIRST_NAMES):
            return None
        if groups.get("value", "").startswith(thing):
            groups["value"] = titled(groups["value"])
        groups["object"] = titled(thing)
    elif rule.object_type is EntityType.PERSON and "value" in groups:
        groups["value"] = titled(groups["value"])
    return Finding(rule, groups)


def usable(text: str, name_only: bool) -> bool:
    """Whether a noun phrase can name an entity, unlike "a small flat" or "it"."""
    first = text.split(maxsplit=1)[0].lower() if text.split() else ""
    if first in NOT_NAMES and not looks_like_name(text):
        return not name_only and first == "the" and len(text.split()) > 1
    return not name_only or looks_like_name(text) or any(c.isupper() for c in text)
