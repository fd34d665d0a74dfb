"""Find the entities that a text names by looking its words up in the registry, and parse a message with the result.

The SQL uses the views of version 1; functions take a connection inside a transaction of the tenant, and never commit.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from mosshead.entities.disambiguation import STAND_IN
from mosshead.language.name_spans import Name, keys_of, places, words_of
from mosshead.language.names import normalise, spelled_out
from mosshead.language.references import Layout, ReferenceForm, phrases
from mosshead.models.entities import RegisteredEntity
from mosshead.models.kinds import EntityType
from mosshead.paths import NamespacePath
from mosshead.store.connection import Sql, of_namespace
from mosshead.store.memories import entity_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class NameMatch:
    """An entity that a text may name.

    name: as written. text: the number of the text; start, end: the name's place. whole: whether it is a whole name of the entity,
    not a part of one or its initials.
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
    """Return the entities that texts name, in order of texts and places; namesakes by id.

    Case, accents, articles, titles, hyphens, possessives and a plural s make no difference. Of nested names only the longest
    counts. are_names: whether the texts are names instead of sentences, so that capitals mean nothing.
    """
    wanted = keys_of(texts, are_names=are_names)
    if not wanted:
        return []
    rows = statement_for(path, wanted).run(connection)
    return matches(texts, rows, are_names=are_names)


def bearers(
    connection: Connection, path: NamespacePath, texts: Sequence[str], *, are_names: bool = False
) -> dict[str, set[UUID]]:
    """Return the entities that each text names; as for `named`."""
    found: dict[str, set[UUID]] = {text: set() for text in texts}
    for match in named(connection, path, texts, are_names=are_names):
        found[texts[match.text]].add(match.entity.entity_id)
    return found


def statement_for(path: NamespacePath, wanted: Collection[str]) -> Sql:
    """Return the statement that finds names by keys, with its parameters, in the driver's form; its rows are for `matches`."""
    return Sql(_NAMED, {**path.ids, "keys": sorted(wanted)})


def matches(texts: Sequence[str], rows: Iterable[Any], *, are_names: bool = False) -> list[NameMatch]:
    """Return which fetched entities the texts name, and where. rows: one per name, with its entity."""
    by_name: dict[Name, list[RegisteredEntity]] = {}
    for row in rows:
        entity = registered(row)
        by_name.setdefault(_name(row, entity), []).append(entity)
    found: dict[tuple[Any, ...], NameMatch] = {}
    for number, one in enumerate(texts):
        for place in places(words_of(one, is_name=are_names), by_name):
            for entity in by_name[place.name]:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A message parsed for reading.

    text: the original. unnamed: with "someone" for people's names; the original if nothing else would remain.
    named: each name as first written, in order, with its candidates; without the user.
    implied: who a pronoun means if the message names nobody and the last turn with names has only one; in a group, also
        speakers who mention themselves.
    asker: the entity of the asker, if the message is about them.
    """

    text: str
    unnamed: str
    named: Mapping[str, frozenset[UUID]]
    implied: frozenset[UUID] = frozenset()
    asker: frozenset[UUID] = frozenset()

    @property
    def contested(self) -> tuple[str, ...]:
        """The names with several candidates."""
        return tuple(name for name, bearers in self.named.items() if len(bearers) > 1)

    @property
    def means_somebody(self) -> bool:
        """Whether it names somebody, or means somebody by a pronoun."""
        return bool(self.named or self.implied)


def parse(
    message: str, found: Sequence[NameMatch], *, asker: frozenset[UUID] = frozenset(), in_group: bool = False
) -> Parsed:
    """Parse a message. found: the names in it (text 0), and in the turns before it (texts from 1, oldest first).

    in_group: whether "I" and "my" mean one of several people, like a name.
    """
    others = [one for one in found if not one.entity.is_user]
    named: dict[str, set[UUID]] = {}
    written: dict[str, str] = {}
    for one in others:
        if one.text == 0:
            name = written.setdefault(normalise(one.name), one.name)
            named.setdefault(name, set()).add(one.entity.entity_id)
    implied = _implied(others) if refers_back(message, found) else frozenset()
    return Parsed(
        text=message,
        unnamed=_unnamed(message, [one for one in found if one.text == 0]),
        named={name: frozenset(bearers) for name, bearers in named.items()},
        implied=asker if asker and in_group and not named else implied,
        asker=asker,
    )


def refers_back(message: str, found: Sequence[NameMatch]) -> bool:
    """Whether the turns before may show whom a message means: it has a pronoun and names nobody. found: as for `parse`."""
    names_nobody = not any(one.text == 0 and not one.entity.is_user for one in found)
    return names_nobody and any(phrase.form is ReferenceForm.PRONOUN for phrase in phrases(Layout(message)))


def _implied(before: Sequence[NameMatch]) -> frozenset[UUID]:
    latest = max((one.text for one in before), default=0)
    last = frozenset(one.entity.entity_id for one in before if one.text == latest)
    return last if len(last) == 1 else frozenset()


def _unnamed(message: str, found: Sequence[NameMatch]) -> str:
    """Replace people's names by "someone", as `disambiguation.telling` does."""
    kept, taken = [], 0
    for start, end in sorted({(one.start, one.end) for one in found if one.entity.entity_type is EntityType.PERSON}):
        if start >= taken:
            kept.append(message[taken:start])
            taken = end
    kept.append(message[taken:])
    return " ".join(STAND_IN.join(kept).split()) if any(map(str.isalnum, "".join(kept))) else message


def _name(row: Any, entity: RegisteredEntity) -> Name:
    person = entity.entity_type is EntityType.PERSON
    full = max((spelled_out(one).split() for one in row.names), key=len) if person else []
    return Name(
        normalised=row.normalised,
        is_person=person,
        written_small=row.alias == row.alias.lower(),
        full=tuple(full) if len(full) > 1 else (),
    )


def registered(row: Any) -> RegisteredEntity:
    """Convert a row to the registry's value."""
    return RegisteredEntity(entity_id=row.entity_id, parent_id=row.parent_id, **entity_fields(row))


def found_by(keys: str) -> str:
    """Return SQL for names that share their first or last word, or their initials, with a parameter's keys; may repeat names."""
    return " union all ".join(
        f"""select alias.entity_id, alias.alias, alias.normalised from mosshead_read_v1.aliases as alias
            where {of_namespace("alias")}
              and alias.{column} = any(%({keys})s::text[]) {more}"""
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
