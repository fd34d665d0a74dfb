"""From what the registry and the views say to what is known to each message (`Known`). Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from mosshead.genders import Gender, gender_of
from mosshead.kinds import EntityType
from mosshead.lookup import NameMatch
from mosshead.tracking.known import Known, KnownEntity, Named
from mosshead.tracking.reading import Facts, Near
from mosshead.tracking.words import content_words, names_another, shared

_HOMES = frozenset({EntityType.ORG, EntityType.PROJECT, EntityType.PLACE})
_NOT_ITS_SUBJECT = 0.85
_SAME_WORDS = 0.3


def known_to(
    number: int,
    sought: Mapping[str, int],
    names: Sequence[NameMatch],
    facts: Facts,
    entities: Mapping[UUID, KnownEntity],
) -> Known:
    """What is known to one message. number: of its text; sought: the number of the text of each of its descriptions."""
    return Known(
        entities=entities,
        names=named(match for match in names if match.text == number),
        near=_nearest(facts.near, number),
        described={words: _nearest(facts.near, text, words) for words, text in sought.items()},
        bearers={key: cosine for (text, key), cosine in facts.bearers.items() if text == number},
    )


def named(matches: Iterable[NameMatch]) -> tuple[Named, ...]:
    """The names of one message, each with all who may bear it; the user's own name is nobody to track."""
    bearers: dict[tuple[int, int], list[UUID]] = {}
    for match in matches:
        if not match.entity.is_user:
            bearers.setdefault((match.start, match.end), []).append(match.entity.entity_id)
    return tuple(Named(start=start, end=end, entity_ids=tuple(ids)) for (start, end), ids in bearers.items())


def known_entities(rows: Iterable[Any]) -> dict[UUID, KnownEntity]:
    """What is known of each entity, by its id; without the user."""
    rows = [row for row in rows if not row.is_user]
    types = {row.entity_id: EntityType(row.entity_type) for row in rows}
    return {row.entity_id: _known_entity(row, types) for row in rows}


def _known_entity(row: Any, types: Mapping[UUID, EntityType]) -> KnownEntity:
    ancestors, kin = set(row.ancestors or ()), set(row.shares or ()) & types.keys()
    names = dict.fromkeys([row.name, *(row.aliases or ())])
    return KnownEntity(
        entity_id=row.entity_id,
        entity_type=types[row.entity_id],
        names=tuple(name.lower() for name in names),
        gender=_gender([*names], row) if types[row.entity_id] is EntityType.PERSON else None,
        parent_id=row.parent_id,
        homes=frozenset(key for key in ancestors | kin if types.get(key) in _HOMES),
        kin=frozenset(kin),
    )


def _gender(names: Sequence[str], row: Any) -> Gender | None:
    """By a word for relatives, else by how the memories begin, else by a first name; None where nothing tells."""
    relatives = [gender_of(None, words) for words in (*names, row.description or "")]
    if any(relatives):
        return next(gender for gender in relatives if gender)
    if (row.he or 0) != (row.she or 0):
        return Gender.HE if (row.he or 0) > (row.she or 0) else Gender.SHE
    return next((gender for gender in (gender_of(name, "") for name in names) if gender), None)


def _nearest(near: Iterable[Near], number: int, sought: str = "") -> dict[UUID, float]:
    """By entity, how near the nearest memory about it is; nearer where it shares words with what is sought."""
    words, noun = content_words(sought), sought.rpartition(" ")[2]
    found: dict[UUID, float] = {}
    for one in near:
        if one.text != number:
            continue
        fit = one.similarity + _SAME_WORDS * shared(words, content_words(one.content))
        another = names_another(noun, one.content)
        for key, is_subject in one.links:
            found[key] = max(found.get(key, -1.0), fit if is_subject != another else _NOT_ITS_SUBJECT * fit)
    return found
