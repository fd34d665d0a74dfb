"""Who may be meant by a mention: those that bear its name, whole or in part, and of whom nothing said of it rules them out."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from mosshead.language.names import name_key, normalise, spelled_out
from mosshead.language.wordlists import ACQUAINTANCES, KINSHIP, ROLES
from mosshead.models.entities import RegisteredEntity
from mosshead.models.kinds import EntityType
from mosshead.patterns import remembered
from pipeline.consolidation.comparison import telling
from pipeline.models import FactMention
from pipeline.rules_en.grammar import comparable

_FIRMS = frozenset({EntityType.ORG, EntityType.PROJECT})
_SHORTEST_FOLDED = 5
_SMALL = frozenset("a an and at by de der for in la le of on the to und van von".split())

How = Literal["whole", "short", "longer"]


@dataclass(frozen=True, slots=True)
class Bearer:
    """An entity that a mention may mean. how: the mention gives its whole name, a part of it, or that and more."""

    entity: RegisteredEntity
    how: How


def bearers(mention: FactMention, registry: Iterable[RegisteredEntity]) -> list[Bearer]:
    """Those that bear a mention's name; where nobody bears the whole of it, those that bear another name that it gives."""
    known = list(registry)
    found = [Bearer(entity, how) for entity in known if (how := _how(mention, entity))]
    if any(bearer.how == "whole" for bearer in found):
        return found
    aliases = {folded(alias) for alias in mention.aliases}
    return [Bearer(entity, "whole") for entity in known if aliases & names(entity)] or found


@remembered
def folded(name: str) -> str:
    """A name as it is compared: without case, accents, article and title; "Mueller" is "Müller", and "Joe" is not "Jo"."""
    words = spelled_out(normalise(name)).split()
    return " ".join(name_key(word) if len(word) >= _SHORTEST_FOLDED else word for word in words)


def names(entity: RegisteredEntity) -> set[str]:
    """All names of an entity, folded."""
    return {folded(name) for name in (entity.name, *entity.aliases)}


def same_sort(one: EntityType, other: EntityType) -> bool:
    """What is a firm to one sentence is a project or a system to the next; a person stays a person."""
    return (one is EntityType.PERSON) == (other is EntityType.PERSON)


def differ(mention: FactMention, entity: RegisteredEntity) -> bool:
    """Whether what is said of the bearer rules the entity out: another relative or friend of one person, or of another firm."""
    if mention.entity_type is not EntityType.PERSON or entity.is_user:
        return False
    said, known = comparable(mention.description or "", entity.description or "")
    of_one_person = _whose(said) and _whose(said) == _whose(known)
    if of_one_person and _relation(said) != _relation(known):
        return True
    if (_whose(said) and entity.parent) or (_whose(known) and mention.parent):
        return True
    return bool(mention.parent and entity.parent and folded(mention.parent) != folded(entity.parent))


def _how(mention: FactMention, entity: RegisteredEntity) -> How | None:
    if folded(mention.name) in names(entity):
        return "whole"
    if entity.is_user:
        return None
    whole = [name.split() for name in names(entity)]
    if any(_is_short_for(mention, entity, name) for name in whole):
        return "short"
    return "longer" if _adds_to(mention, whole) else None


def _is_short_for(mention: FactMention, entity: RegisteredEntity, name: Sequence[str]) -> bool:
    """ "Haas" and "Peter" for "Peter Haas"; "Brightleaf" for the firm "Brightleaf Tea", and its initials. Of a place called
    "London Bridge" London is no part."""
    part = folded(mention.name).split()
    if not part or len(part) >= len(name) or set(part) <= _SMALL:
        return _are_initials(mention, entity, name)
    begins, ends = list(name[: len(part)]) == part, list(name[-len(part) :]) == part
    if mention.entity_type is EntityType.PERSON:
        return begins or ends
    of_firms = {mention.entity_type, entity.entity_type} <= _FIRMS
    return (of_firms and begins) or _are_initials(mention, entity, name)


def _are_initials(mention: FactMention, entity: RegisteredEntity, name: Sequence[str]) -> bool:
    if not mention.name.isupper() or len(name) < 2 or EntityType.PERSON in (mention.entity_type, entity.entity_type):
        return False
    telling = [word for word in name if word not in _SMALL]
    return folded(mention.name) in {"".join(word[0] for word in some) for some in (name, telling) if len(some) > 1}


def _adds_to(mention: FactMention, whole: Sequence[Sequence[str]]) -> bool:
    """ "Peter Haas" may be the Peter that is known, unless that one has another surname."""
    given = folded(mention.name).split()
    more = mention.entity_type is EntityType.PERSON and len(given) > 1
    return more and all(len(name) == 1 for name in whole) and given[:1] in whole


def _whose(description: str) -> str | None:
    """Whose relative or friend: "User's brother" and "User's dentist" are two people, "User's brother" and "Tom's father" may be
    one, and "writer" is one of many things that the same person can be."""
    owner, possessive, _ = description.casefold().replace("’", "'").partition("'s ")
    return owner if possessive else None


def _relation(description: str) -> str:
    """ "User's brother, a baker" is User's brother."""
    return normalise(description.partition(",")[0])


_TIES = ROLES | KINSHIP | ACQUAINTANCES
_TRADES = re.compile(r"\w{2,}(?:man|woman|person|ist|ician|smith|keeper|maker|player|driver|worker|master)")
_NEW = r"(?:new|different|another|second|third|other|certain|young|old)"
_WORD = r"[\w'’-]+"

# "A Sarah from the market", not "a Sarah draft".
_ENDS = r"(?=\s*(?:[,.;:!?)]|$|(?:who|whose|from|at|in|on|of|with|that|is|was|has|had|works?|joined|came|called|said|and|to)\b))"


def is_new(said: str, mention: FactMention) -> bool:
    """Whether a person is named as one whom the hearer does not know: "a Sarah from the market", "another Peter", "somebody
    called Ruth", "my new neighbour Ruth"."""
    if mention.entity_type is not EntityType.PERSON:
        return False
    name = re.escape(mention.name)
    some = rf"\b(?:an?|another|some)\s+(?:{_NEW}\s+)?{name}\b{_ENDS}"
    by_name = rf"\b(?:called|named)\s+{name}\b"
    new = rf"\b{_NEW}\s+(?:{_WORD}\s+)?({_WORD}),?\s+{name}\b"
    if re.search(rf"(?i:{some}|{by_name})", said):
        return True
    return any(_is_tie(match[1]) for match in re.finditer(rf"(?i:{new})", said))


def called(said: str, mention: FactMention) -> frozenset[str]:
    """By which trade or tie a person is called beside the name: in the mention's description, as "the roofer" after the name or
    "my neighbour" before it. Folded; empty where by none."""
    if mention.entity_type is not EntityType.PERSON:
        return frozenset()
    name = re.escape(mention.name)
    after = rf"\b{name},?\s+(?:the|an?|my|our|his|her|their)\s+(?:{_WORD}\s+)??({_WORD})"
    before = rf"\b(?:the|an?|my|our|his|her|their)\s+(?:{_WORD}\s+)??({_WORD}),?\s+{name}\b"
    found = (match[1].casefold() for pattern in (after, before) for match in re.finditer(rf"(?i:{pattern})", said))
    description = (mention.description or "").casefold().replace("’", "'").rpartition("'s ")[2]
    return frozenset(word for word in (*telling(description), *found) if _is_tie(word))


def _is_tie(word: str) -> bool:
    return word.casefold() in _TIES or _TRADES.fullmatch(word.casefold()) is not None
