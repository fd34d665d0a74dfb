"""How a question is put when it is open who is meant: as a person would ask it, with what tells the candidates apart.

Pure. "Which Peter do you mean: the writer at WOBS, or your brother?"
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from mosshead.fencing import one_line, short
from mosshead.language.names import normalise, spelled_out
from mosshead.models.entities import RegisteredEntity
from mosshead.models.memories import Entity
from mosshead.models.questions import Candidate, Question
from mosshead.patterns import lazy_pattern

_LONGEST_FACT = 12  # words
_MENTION_CHARACTERS, _WAY_CHARACTERS = 60, 160
"""A name is whatever somebody wrote, and a question is put into prompts: a longer one is cut there."""

_DETERMINED = lazy_pattern(r"(?:the|a|an|my|your|his|her|our|their|one|somebody|someone)\b|\S+['’]s?\s", re.IGNORECASE)
_CLAUSE_END = lazy_pattern(r"[.;:!?](?:\s|$)|,\s|\s[–—-]\s|\s\(")
_SUBJECT = lazy_pattern(r"(?:he|she|it|they)\b", re.IGNORECASE)
_OWNED = lazy_pattern(r"(?:his|her|its|their)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """A candidate that a question offers. score: how well the text fits it; facts: some of what is known of it."""

    entity_id: UUID
    entity: Entity | RegisteredEntity
    score: float = 0.0
    facts: tuple[str, ...] = ()


def question(mention: str, offered: Sequence[Offered], message: str = "") -> Question:
    """Ask which of some candidates a mention means. message: what the mention stands in.

    No two candidates are described alike: where description, parent and facts do not tell them apart, they are numbered.
    """
    described: dict[UUID, str] = {}
    for one in offered:
        taken = {text.casefold() for text in described.values()}
        ways = (short(way, _WAY_CHARACTERS) for way in _ways(one, mention))
        own = [text for text in ways if text.casefold() not in taken]
        described[one.entity_id] = own[0] if own else f"another one ({len(described) + 1})"
    candidates = tuple(
        Candidate(
            entity_id=one.entity_id,
            name=one.entity.name,
            description=described[one.entity_id],
            score=round(one.score, 4),
        )
        for one in offered
    )
    return Question(
        text=f"Which {short(mention, _MENTION_CHARACTERS)} do you mean: {_either(list(described.values()))}?",
        mention=mention,
        candidates=candidates,
        message=message,
    )


def _either(choices: Sequence[str]) -> str:
    if len(choices) == 1:
        return f"{choices[0]}, or somebody else"
    return f"{', '.join(choices[:-1])}, or {choices[-1]}"


def _ways(one: Offered, mention: str) -> Iterator[str]:
    """The ways to describe a candidate, the best first."""
    entity = one.entity
    at = f" at {entity.parent}" if entity.parent else ""
    facts = [text for fact in one.facts if (text := _of_fact(fact, entity))]
    longer = spelled_out(normalise(entity.name)) != spelled_out(normalise(mention))
    if entity.description:
        yield _the(_to_the_user(entity.description)) + at
        yield from (f"{_the(_to_the_user(entity.description))}{at} {fact.removeprefix('the one ')}" for fact in facts)
    if longer:
        yield entity.name + at
    yield from ((f"the one{at} {fact.removeprefix('the one ')}" if at else fact) for fact in facts)
    if at:
        yield f"the one{at}"
    yield from (alias for alias in entity.aliases if normalise(alias) != normalise(mention))
    yield f"the {entity.entity_type}"


def _the(description: str) -> str:
    plain = description[:1].islower() and not _DETERMINED.match(description)
    return f"the {description}" if plain else description


def _of_fact(fact: str, entity: Entity | RegisteredEntity) -> str | None:
    """ "Peter Haas plays the lute." as "the one who plays the lute"; None of what does not begin with the entity."""
    text = one_line(fact)
    clause = _to_the_user(_CLAUSE_END.split(text, maxsplit=1)[0]).split()
    if len(clause) > _LONGEST_FACT:
        clause = [*clause[:_LONGEST_FACT], "…"]
    said = " ".join(clause)
    for name in sorted((entity.name, *entity.aliases), key=len, reverse=True):
        if said.casefold().startswith(f"{name.casefold()} "):
            return f"the one who {said[len(name) + 1 :]}"
        if re.match(rf"{re.escape(name)}['’]s?\s", said, re.IGNORECASE):
            return f"the one whose {said[len(name) :].split(maxsplit=1)[1]}"
    for pattern, link in ((_SUBJECT, "who"), (_OWNED, "whose")):
        if match := pattern.match(said):
            return f"the one {link} {said[match.end() :].strip()}"
    return None


def _to_the_user(text: str) -> str:
    # Memories speak of the user in the third person; a question speaks to the user.
    return re.sub(r"\bUser['’]s ", "your ", text).replace("the user's ", "your ").replace("User ", "you ")


def told_apart(entity: Entity) -> str:
    """What tells an entity from its namesakes, in a few words."""
    return " at ".join(detail for detail in (entity.description, entity.parent) if detail) or entity.entity_type
