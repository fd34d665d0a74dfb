"""Whom and what a text names: the registry, looked up by the words of a text. The SQL of it, over the views of version 1.

As in `mosshead.store.memories`, functions take a connection inside a transaction that has set its tenant, and never commit.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from mosshead.entities.matching import Name, keys, places, words_of
from mosshead.language.names import spelled_out
from mosshead.models.entities import RegisteredEntity
from mosshead.models.kinds import EntityType
from mosshead.paths import NamespacePath
from mosshead.store.connection import Statement, of_namespace
from mosshead.store.memories import entity_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class NameMatch:
    """An entity that a text may name.

    name: as the text has it. text: the number of the text; start, end: where in it the name stands. whole: it is all of one of
    the entity's names, rather than a part of one or its initials.
    """

    entity: RegisteredEntity
    name: str
    text: int
    start: int
    end: int
    whole: bool


def named(
    connection: Connection, path: NamespacePath, texts: Sequence[str], *, are_names: bool = False
) -> list[NameMatch]:
    """The entities that texts name, in the order of the texts, then of the places; namesakes by id.

    Case, accents, articles, titles, hyphens, possessives and a plural s make no difference. Where one name stands inside a longer
    one, the longer alone is told. are_names: the texts are names and no sentences, so that capitals say nothing.
    """
    wanted = keys_of(texts, are_names=are_names)
    if not wanted:
        return []
    rows = connection.exec_driver_sql(*statement_for(path, wanted))
    return matches(texts, rows, are_names=are_names)


def bearers(
    connection: Connection, path: NamespacePath, texts: Sequence[str], *, are_names: bool = False
) -> dict[str, set[UUID]]:
    """By text the entities that it names; as for `named`."""
    found: dict[str, set[UUID]] = {text: set() for text in texts}
    for match in named(connection, path, texts, are_names=are_names):
        found[texts[match.text]].add(match.entity.entity_id)
    return found


def statement_for(path: NamespacePath, wanted: Collection[str]) -> Statement:
    """The statement that finds names by keys, and its parameters, as the driver takes them; its rows are for `matches`."""
    return _NAMED, {**path.ids, "keys": sorted(wanted)}


def keys_of(texts: Sequence[str], *, are_names: bool = False) -> set[str]:
    """What to look texts up by, as the view ``aliases`` has it in first_word, last_word and initials."""
    return {key for one in texts for key in keys(words_of(one, is_name=are_names))}


def matches(texts: Sequence[str], rows: Iterable[Any], *, are_names: bool = False) -> list[NameMatch]:
    """Which of the entities that were fetched the texts name, and where. rows: one for each name, with its entity."""
    bearers: dict[Name, dict[Any, RegisteredEntity]] = {}
    for row in rows:
        entity = registered(row)
        bearers.setdefault(_name(row, entity), {})[entity.entity_id] = entity
    found: dict[tuple[Any, ...], NameMatch] = {}
    for number, one in enumerate(texts):
        for place in places(words_of(one, is_name=are_names), bearers):
            for entity in bearers[place.name].values():
                key = (number, place.start, -place.end, entity.entity_id)
                if key not in found or place.whole:
                    found[key] = NameMatch(
                        entity=entity,
                        name=one[place.start : place.end],
                        text=number,
                        start=place.start,
                        end=place.end,
                        whole=place.whole,
                    )
    return [found[key] for key in sorted(found)]


def registered(row: Any) -> RegisteredEntity:
    """A row as the registry's value."""
    return RegisteredEntity(entity_id=row.entity_id, parent_id=row.parent_id, **entity_fields(row))


def _name(row: Any, entity: RegisteredEntity) -> Name:
    person = entity.entity_type is EntityType.PERSON
    full = max((spelled_out(one).split() for one in row.names), key=len) if person else []
    return Name(
        normalised=row.normalised,
        is_person=person,
        written_small=row.alias == row.alias.lower(),
        full=tuple(full) if len(full) > 1 else (),
    )


def found_by(keys: str) -> str:
    """The SQL of the names that share their first or last word, or their initials, with the keys of a parameter; some twice."""
    return " union all ".join(
        f"""select alias.entity_id, alias.alias, alias.normalised from mosshead_read_v1.aliases as alias
            where {of_namespace("alias")}
              and alias.{column} = any(cast(%({keys})s as text[])) {more}"""
        for column, more in (
            ("first_word", ""),
            ("last_word", "and alias.last_word <> alias.first_word"),
            ("initials", ""),
        )
    )


_NAMED = f"""
    with found as materialized (select distinct * from ({found_by("keys")}) as name)
    select found.alias, found.normalised, entity.entity_id, entity.name, entity.entity_type, entity.description,
           entity.parent_id, entity.is_user, entity.key, parent.name as parent, known.aliases, known.names
    from found
    join mosshead_read_v1.entities as entity
      on {of_namespace("entity")} and entity.entity_id = found.entity_id
    left join mosshead_read_v1.entities as parent
      on {of_namespace("parent")} and parent.entity_id = entity.parent_id
    cross join lateral (
        select array_agg(alias.alias order by alias.alias) as aliases, array_agg(alias.normalised) as names
        from mosshead_read_v1.aliases as alias
        where {of_namespace("alias")} and alias.entity_id = found.entity_id
    ) as known
    order by entity.entity_id, found.normalised
"""
