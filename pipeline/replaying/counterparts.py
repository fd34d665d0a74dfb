"""What of one generation stands for what of the other: their ids differ, the messages that they rest on do not."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from mosshead.names import normalise
from pipeline.replaying.known import KnownMemory, KnownPerson, KnownQuestion
from pipeline.replaying.likeness import Alike, Likeness, is_part, likeness


def counterparts_of(memory: KnownMemory, others: Iterable[KnownMemory]) -> tuple[UUID, ...]:
    """The memories of the other generation that say what one says, or a part of it, the most alike first.

    One of the same id is the only one: what an app put down by its own hand keeps its id.
    """
    return tuple(one.memory_id for one, _ in _alike(memory, others))


@dataclass(frozen=True, slots=True)
class Meant:
    """The memories that stand for some of the other generation, the most alike to each first.

    shared: those of them that stand for another there as well, so that what is done to them is done to that one, too.
    """

    memories: tuple[KnownMemory, ...]
    shared: frozenset[UUID]

    @property
    def memory_ids(self) -> list[UUID]:
        """Their ids."""
        return [one.memory_id for one in self.memories]


def meant_by(named: Sequence[UUID], then: Sequence[KnownMemory], now: Sequence[KnownMemory]) -> Meant:
    """The counterparts of some memories that are not those of others that stay.

    named: ids of memories of the one generation; then: those memories, and those that share a message with them. now: the
    memories of the other generation. One that is more like a memory that is not named is that one's: "User's sister lives in
    Berlin" is near to "User lives in Berlin". So is a part that such a one tells, too.
    """
    by_id = {one.memory_id: one for one in then}
    staying = [one for one in then if one.active and one.memory_id not in set(named)]
    standing = [one for one in now if one.active]
    found: dict[UUID, KnownMemory] = {}
    shared: set[UUID] = set()
    for memory in (by_id[key] for key in named if key in by_id):
        for one, alike in _alike(memory, now):
            claims = {other.memory_id: _claim(other, one) for other in staying}
            if any(_is_rather(claim, alike) for claim in claims.values()):
                continue
            found[one.memory_id] = one
            if one.active and any(_says_too(by_id[key], one, claim, alike, standing) for key, claim in claims.items()):
                shared.add(one.memory_id)
    return Meant(tuple(found.values()), frozenset(shared))


def person_of(person: KnownPerson, others: Iterable[KnownPerson]) -> UUID | None:
    """Who stands for somebody in the other generation; None for nobody, and where two may.

    Names are not unique: of those who share one, whoever is spoken of in most of the same messages.
    """
    known = list(others)
    if any(one.entity_id == person.entity_id for one in known):
        return person.entity_id
    if person.is_user:
        return next((one.entity_id for one in known if one.is_user), None)
    namesakes = [one for one in known if not one.is_user and one.names & person.names]
    if not person.sources:
        of_its_sort = [one.entity_id for one in namesakes if one.entity_type == person.entity_type]
        return of_its_sort[0] if len(of_its_sort) == 1 else None
    in_common = {one.entity_id: len(one.sources & person.sources) for one in namesakes}
    most = max(in_common.values(), default=0)
    likeliest = [key for key, number in in_common.items() if number == most > 0]
    return likeliest[0] if len(likeliest) == 1 else None


def question_of(question: KnownQuestion, others: Iterable[KnownQuestion]) -> UUID | None:
    """The question of the other generation about the same mention in the same message; None where nobody asks there."""
    mention = normalise(question.mention)
    known = list(others)
    if any(one.question_id == question.question_id for one in known):
        return question.question_id
    # What stands in no message is a mention of its own, whatever its name.
    if question.message_id is None:
        return None
    of_the_message = (one for one in known if one.message_id == question.message_id)
    return next((one.question_id for one in of_the_message if normalise(one.mention) == mention), None)


def _alike(memory: KnownMemory, others: Iterable[KnownMemory]) -> list[tuple[KnownMemory, Likeness]]:
    """Its counterparts, the most alike first, each with its likeness; of two in the same words the one in the same state."""
    weighed = [(one, likeness(memory, one) or _as_part(one, memory)) for one in others]
    found = [(one, alike) for one, alike in weighed if alike is not None]
    itself = [(one, alike) for one, alike in found if alike[0] is Alike.ITSELF]
    return itself or sorted(found, key=lambda pair: _order(memory, *pair))


def _order(memory: KnownMemory, one: KnownMemory, alike: Likeness) -> tuple[float, float, bool, UUID]:
    by, cosine = alike
    return -by, -cosine, one.active != memory.active, one.memory_id


def _as_part(part: KnownMemory, whole: KnownMemory) -> Likeness | None:
    return (Alike.PART, 1.0) if is_part(part, whole) else None


def _claim(other: KnownMemory, one: KnownMemory) -> Likeness | None:
    """By what a memory of the other generation says what another says, or either says it as a part of more."""
    return likeness(other, one) or _as_part(one, other) or _as_part(other, one)


def _is_rather(claim: Likeness | None, alike: Likeness) -> bool:
    """Whether a memory stands for another rather than for the one that it is alike to."""
    return claim is not None and (claim > alike or alike[0] is Alike.PART)


def _says_too(
    other: KnownMemory, one: KnownMemory, claim: Likeness | None, alike: Likeness, standing: Sequence[KnownMemory]
) -> bool:
    """Whether a memory says what another that stays says as well, which nothing else says better.

    What is merely near to a memory that says something else for sure is not said by it; nor is a part of it shared, where the
    words of the whole are those of the memory that is named.
    """
    if claim is None or alike[0] is Alike.ITSELF:
        return False
    if claim[0] is Alike.NEAR and alike[0] > Alike.NEAR:
        return False
    if claim[0] is Alike.PART and alike[0] is Alike.WORDS and not is_part(one, other):
        return False
    return not any((_claim(other, better) or claim) > claim for better in standing)
