"""Detect renamings: "she's called Anna Vogel now", "Tom changed his name to Reed", "we renamed it to Eagle"."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mosshead.language.verbs import expand
from mosshead.language.wordlists import FIRST_NAMES, PRONOUNS
from mosshead.models.kinds import EntityType, MemoryKind
from pipeline.models import Fact, FactMention
from pipeline.rules_en.compose import FactSource
from pipeline.rules_en.names import RUN, Discourse, Gazetteer, Sort, Subject, spoken_of

_WHO = rf"(?P<who>[Hh]e|[Ss]he|[Ii]t|(?:(?:[Mm]y|[Oo]ur|[Tt]he|[Hh]is|[Hh]er) (?:[a-z-]+ ){{1,3}}?)?(?P<old>{RUN}))"
_NEW = rf"(?P<new>{RUN})"
_HENCE = r"(?P<hence>,? (?:now|again|these days|nowadays|from now on|instead))?"
_TAIL = r"(?:,? (?:last|this|yesterday|today|in|since|after|because|when|for|at|by)\b.*)?"
_WHOSE = r"(?:her|his|its|their|the)"
_CHANGED = r"(?P<sure>(?:has |legally )?changed|switched|is changing)"

_PATTERNS = tuple(
    re.compile(rf"^(?:(?:[Aa]nd|[Bb]ut|[Ss]o) )?{pattern} {_NEW}{_HENCE}{_TAIL}[.!]?$")
    for pattern in (
        rf"{_WHO} (?:is|was|got|has been|will be) (?P<sure>renamed)(?: to| as)?",
        rf"{_WHO} (?:is|has been|will be|got)(?: (?P<now>now|officially|legally))* (?:called|named|known as)",
        rf"{_WHO} (?:now )?{_CHANGED} {_WHOSE} (?P<last>last |family |sur)?(?:first |full )?name (?:from {RUN} )?(?:back )?to",
        (
            rf"(?P<who>[Hh]er|[Hh]is|[Ii]ts|(?P<old>{RUN})'s) (?P<sure>new |married )?(?P<last>last |family |sur)?(?:full )?name"
            r" is(?: (?P<now>now))?"
        ),
        rf"{_WHO} (?:(?P<now>now) )?goes by",
        rf"{_WHO} (?:is|became|has become)(?: (?P<now>now))?",
        rf"{_WHO} (?:has )?(?P<sure>rebranded|renamed itself)(?: itself)?(?: as| to)?",
        (
            rf"(?:[Ww]e|[Tt]hey|I)(?: have| just)* (?P<sure>renamed) (?:(?:my|our|the) (?:[a-z-]+ )?)?(?P<who>(?P<old>{RUN}))"
            r" (?:to|as|into)"
        ),
    )
)


_SURNAME = r"(?:last |family |sur|married |maiden )?name"
_SINCE_THEN = r"(?:[Ss]ince|[Aa]fter) (?:the|her|his|their) (?:wedding|marriage|divorce|separation),? "
_REST = r"[),]+(?P<rest> .+)$"
_END = r"(?: now| again)?(?P<rest>)[.!]?$"
_WITHIN = tuple(
    re.compile(pattern)
    for pattern in (
        (
            rf"^(?P<new>{RUN})(?: \(|, )(?:who )?(?:formerly|previously|(?P<born>n[ée]e|born)|used to be)(?: called)?"
            rf" (?P<old>{RUN}){_REST}"
        ),
        rf"^(?P<old>{RUN})(?: \(|, )(?:who(?:'s| is) )?now(?: called| known as| named)? (?P<new>{RUN}){_REST}",
        (
            rf"^(?P<old>{RUN}) (?:took|has taken|went back to|is back to) (?:her|his|their|the) (?:\w+'s )?{_SURNAME}"
            rf"(?:,? (?:and |so )?(?:she|he|they)(?:'s| is| are)(?: now)?(?: called)?|[,:]|) (?P<new>{RUN}){_END}"
        ),
        rf"^(?P<old>{RUN}) (?:has|got) (?:a|an?other) new {_SURNAME}(?: now)?(?:[:,]| -|,? which is) (?P<new>{RUN}){_END}",
        rf"^{_SINCE_THEN}(?P<old>{RUN}) is (?:called|known as) (?P<new>{RUN} {RUN}){_END}",
        rf"^(?P<old>[Ss]he|[Hh]e|{RUN})(?:'s| is) (?P<back>back) to (?:being )?(?P<new>{RUN} {RUN}){_END}",
    )
)
"""New names in passing: "Anna Vogel, née Becker, is pregnant", "Anna Becker, who is now called Anna Vogel, moved to Ulm"."""


def renamed_within(text: str, gazetteer: Gazetteer) -> tuple[str, str] | None:
    """Separate a new name given in passing into its own clause; return it with the rest of the sentence."""
    match = next((found for pattern in _WITHIN if (found := pattern.match(text))), None)
    if match is None:
        return None
    said = match.groupdict()
    old, new, rest = said["old"], said["new"], said["rest"]
    if said.get("back") and old.lower() not in PRONOUNS and old.split()[0] != new.split()[0]:
        return None  # "Anna is back to Google Cloud"
    if len(old.split()) == 1 < len(new.split()) and rest:
        old = f"{new.split()[0]} {old}"
        if not said.get("born") and old.casefold() not in gazetteer.types:
            return None  # "Jane Smith (formerly Google) is an engineer"
    if len(new.split()) == 1 and not rest:
        return f"{old}'s new surname is {new}", ""
    if len(new.split()) == 1 < len(old.split()):
        new = f"{old.split()[0]} {new}"
    return f"{old} is {'' if said.get('back') else 'now called '}{new}", f"{new}{rest}" if rest else ""


def in_full(facts: Iterable[Fact], told: Iterable[Fact]) -> list[Fact]:
    """Complete the names in facts that use part of a renamed person's old name. told: facts that may rename somebody."""
    renamed = [one.name for fact in told for one in fact.mentions if one.renamed]
    wholes = {part: name for name in renamed for part in name.split() if part != name}
    return [_with_names(fact, wholes) for fact in facts] if wholes else list(facts)


def _with_names(fact: Fact, wholes: Mapping[str, str]) -> Fact:
    mentions = tuple(one.model_copy(update={"name": wholes.get(one.name, one.name)}) for one in fact.mentions)
    return fact if mentions == fact.mentions else fact.model_copy(update={"mentions": mentions})


@dataclass(frozen=True, slots=True)
class Renaming:
    """A renaming, from the full known name to the new one."""

    old: str
    new: str
    entity_type: EntityType

    def fact(self, source: FactSource) -> Fact:
        """Return the renaming as a fact."""
        mention = FactMention(name=self.old, entity_type=self.entity_type, role="subject", renamed=self.new)
        return Fact(
            kind=MemoryKind.FACT,
            content=f"{self.old} is now called {self.new}",
            sources=source.numbers,
            quote=source.quote,
            mentions=(mention,),
            marked=source.marked,
        )

    def heard(self, discourse: Discourse) -> Discourse:
        """Return the discourse afterwards, in which a pronoun means the renamed person."""
        if self.entity_type is not EntityType.PERSON:
            return discourse
        return discourse.with_person(spoken_of(Subject(self.new, Sort.PERSON, self.new), discourse))


def renaming_in(clause: str, discourse: Discourse, gazetteer: Gazetteer) -> Renaming | None:
    """Return the renaming in a clause; None if it gives no new name, or the entity had none before.

    Even without "now", a longer name with the same first name is new: "she's called Anna Vogel".
    """
    text = expand(clause)
    match = next((found for pattern in _PATTERNS if (found := pattern.match(text))), None)
    if match is None:
        return None
    said = match.groupdict()
    short = said["old"] or _meant(said["who"].lower(), discourse)
    if short is None or short in {discourse.me, discourse.you}:
        return None
    known = _known(short, gazetteer)
    old, entity_type = known or (short, EntityType.PERSON if _is_person(short, said["who"]) else EntityType.CONCEPT)
    new = said["new"]
    first = old.split()[0]
    if (said.get("last") or "married name" in text) and len(new.split()) == 1:
        new = f"{first} {new}"
    alike = (
        entity_type is EntityType.PERSON and new.split()[0] == first and len(new.split()) > 1 and len(old.split()) > 1
    )
    told = bool(said.get("sure") or said.get("hence") or said.get("now"))
    is_a_name = (
        said.get("sure") or "called" in text or "named" in text or "name is" in text or "goes by" in text or alike
    )
    renamed = new != old and is_a_name and (alike or (told and known is not None) or bool(said.get("sure")))
    return Renaming(old, new, entity_type) if renamed else None


def _meant(pronoun: str, discourse: Discourse) -> str | None:
    if pronoun in {"it", "its"}:
        return discourse.thing.name if discourse.thing else None
    person = discourse.meant_by(pronoun) if pronoun in PRONOUNS else None
    return person.subject.name if person else None


def _known(short: str, gazetteer: Gazetteer) -> tuple[str, EntityType] | None:
    """Return the only entity with a name, or with it as part."""
    found = {
        one.name: one.entity_type
        for one in gazetteer.entities
        if short in {one.name, *one.aliases} or short in one.name.split()
    }
    longer = {name: kind for name, kind in found.items() if name != short} or found
    return next(iter(longer.items())) if len(longer) == 1 else None


def _is_person(name: str, who: str) -> bool:
    return who.lower() in {"he", "she", "her", "his"} or name.split(maxsplit=1)[0].lower() in FIRST_NAMES
