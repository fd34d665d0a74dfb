"""Whom a memory is about that stands in the place of another: a correction is about whom it corrects."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from mosshead.kinds import EntityType
from pipeline.facts import Mention
from pipeline.linking.values import Link, Role


@dataclass(frozen=True, slots=True)
class Replaced:
    """Whom the memory that is replaced is surely about, in which role."""

    entity_id: UUID
    entity_type: EntityType
    role: Role


def named_again(
    links: Mapping[str, Link],
    mentions: Sequence[Mention],
    bearers: Mapping[str, Collection[UUID]],
    before: Sequence[Replaced],
) -> dict[str, Link]:
    """The links of the new memory, by name; a name that one of those before bears means that one, whatever else it may mean.

    bearers: whom each name may mean.
    """
    known = {one.entity_id for one in before}
    again = {one.name: (one.role, known.intersection(bearers.get(one.name, ()))) for one in mentions}
    return {**links, **{name: Link(same.pop(), role) for name, (role, same) in again.items() if len(same) == 1}}


def with_the_subject(
    links: Sequence[Link], mentions: Sequence[Mention], before: Sequence[Replaced]
) -> tuple[Link, ...]:
    """The links with the subject of before, where the new memory names nobody of its sort: "Likes coffee", "Moved to Hull"."""
    sorts = {one.entity_type for one in mentions}
    kept = tuple(
        Link(one.entity_id, "subject") for one in before if one.role == "subject" and one.entity_type not in sorts
    )
    return (*kept, *(replace(link, role="about") for link in links)) if kept else tuple(links)
