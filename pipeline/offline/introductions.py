"""People brought in by what they are to somebody: "my brother-in-law Peter", "Peter the plumber", "a new client"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mosshead.genders import PRONOUNS, gender_of
from mosshead.kinds import EntityType
from pipeline.offline.discourse import Discourse, Person, Sort, Subject
from pipeline.offline.grammar import expand, possessive
from pipeline.offline.lexicon import ACQUAINTANCES, FIRST_NAMES, KINSHIP, PETS, ROLES
from pipeline.offline.names import CAPITAL, looks_like_name

_TIES = KINSHIP | ACQUAINTANCES | PETS | ROLES
_RELATIVES = (KINSHIP | ACQUAINTANCES | PETS) - {"ex", "parent", "contact", "pet", "student"}
_MODIFIERS = (
    "older younger elder big little twin best new old former good close late first second eldest youngest only third"
)
_TITLE = r"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?"
_TIE = rf"(?P<role>(?:(?:{'|'.join(_MODIFIERS.split())}) )*(?P<tie>[a-z][\w-]+|C[A-Z]O)(?<!-))"
_BROUGHT_IN = re.compile(
    rf"(?<!not )(?<!n't )\b(?P<whose>[Mm]y|[Oo]ur|[Hh]is|[Hh]er|{CAPITAL}\w+'s) {_TIE},? "
    rf"(?P<name>{_TITLE}{CAPITAL}[\w-]+(?: {CAPITAL}[\w-]+)?)(?!'s|\w)"
)
_UNNAMED = re.compile(
    rf"\b(?:[Mm]y"
    rf"|[Oo]ur) (?P<noun>(?:(?:{'|'.join(_MODIFIERS.split())}) )*(?:{'|'.join(sorted(_RELATIVES, key=len, reverse=True))}))"
    rf"(?!'s?\b|-| {CAPITAL}| (?:is )?(?:called|named)\b)\b"
)
_BY_TRADE = re.compile(rf"(?<![\w'])(?P<name>{CAPITAL}[\w-]+) the (?P<role>[a-z-]+)\b(?! of\b)")
_NEWCOMER = re.compile(
    r"^(?:[Ww]e|I) (?:have |has |just |recently |finally )*(?:signed|got|won|landed|hired|found|met|took on|taken on"
    r"|gained)"
    r"(?: up| on)? an? (?:(?:new|big|first|second|great|lovely) )*(?P<role>[a-z-]+)\b"
)
_NEWCOMERS = ROLES | ACQUAINTANCES | {"supplier", "vendor", "investor", "sponsor", "neighbour", "tenant"}


@dataclass(frozen=True, slots=True)
class Introduction:
    """Somebody brought in by a tie; sentence: the tie as a sentence of its own, "Peter is my brother-in-law"."""

    name: str
    sentence: str


def introductions(clause: str, discourse: Discourse) -> Iterator[Introduction]:
    """Those whom a clause brings in by a tie, in order."""
    for match in _BROUGHT_IN.finditer(clause):
        whose, name = match["whose"], match["name"]
        bare = re.sub(rf"^{_TITLE}", "", name)
        if match["tie"].lower() not in _TIES or not (looks_like_name(bare) or bare.split()[0].lower() in FIRST_NAMES):
            continue
        owner = _owner(whose, clause[: match.start()], discourse)
        if owner is not None:
            yield Introduction(bare, f"{name} is {owner} {match['role']}")


def with_unnamed(clause: str, discourse: Discourse) -> Discourse:
    """The discourse after a clause that speaks of "my daughter": what follows may say "her name is Saffron"."""
    for match in _UNNAMED.finditer(clause):
        noun, me = match["noun"], discourse.me
        text = f"{possessive(me)} {noun}"
        known = any(noun == p.subject.noun or text in p.described for p in discourse.people)
        if not known:
            subject = Subject(text, Sort.PERSON, None, EntityType.PERSON, noun, me)
            discourse = discourse.with_person(Person(subject, (), None, gender_of(None, noun.split()[-1])))
    return discourse


def _owner(whose: str, before: str, discourse: Discourse) -> str | None:
    if whose.lower() in {"my", "our"}:
        return whose.lower()
    if whose.lower() not in {"his", "her"}:
        return whose
    named = [word for word in re.findall(rf"{CAPITAL}[\w-]+", before) if word.lower() in FIRST_NAMES]
    if named:
        return possessive(named[-1]) if gender_of(named[-1], "") in {None, PRONOUNS[whose.lower()]} else None
    person = discourse.meant_by(whose)
    return possessive(person.subject.name) if person and person.subject.name else None


def by_trade(clause: str, discourse: Discourse) -> tuple[str, Discourse]:
    """ "Peter the plumber keeps bees" → "Peter keeps bees", of the one Peter who is a plumber."""
    match = _BY_TRADE.search(clause)
    if match is None or match["role"] not in ROLES or not looks_like_name(match["name"]):
        return clause, discourse
    name, role = match["name"], match["role"]
    person = discourse.called(name, role) or Person(
        Subject(name, Sort.PERSON, name), (role,), None, gender_of(name, "")
    )
    return clause[: match.start()] + name + clause[match.end() :], discourse.with_person(person)


def newcomer(clause: str) -> str | None:
    """What somebody unnamed is who was just gained: "we signed a new client" → "client"."""
    match = _NEWCOMER.match(expand(clause))
    return match["role"] if match and match["role"] in _NEWCOMERS else None
